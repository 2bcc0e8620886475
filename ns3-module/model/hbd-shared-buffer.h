/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_SHARED_BUFFER_H
#define HBD_SHARED_BUFFER_H

#include <cstdint>
#include <vector>

namespace ns3
{
namespace hbd
{

/**
 * \ingroup hbd
 * Sizes of a SharedBuffer, in bytes.
 */
struct SharedBufferConfig
{
    uint32_t ports = 1;
    int64_t size = 0;          ///< memory for lossless priorities, headroom included
    int64_t control = 0;       ///< beside it: for the other priorities, when the shared part has no room
    int64_t headroom = 0;      ///< per port and lossless priority
    int64_t xonOffset = 0;     ///< XON that far below the XOFF threshold
    double alpha = 1.0;        ///< XOFF threshold = alpha x free shared memory; kept in 1/1024
    double lossyAlpha = 1.0;   ///< the same of the most that a lossy priority's queue may hold
    uint8_t lossless = 1 << 3; ///< bit per priority
};

/**
 * \ingroup hbd
 * Packet memory shared by the ingress ports of a switch, with dynamic thresholds (Choudhury and Hahne, 1998) and
 * headroom for priority flow control.
 *
 * A unit that arrives goes into the shared part when its (port, priority) is not paused and would hold no more than
 * alpha x (free shared memory) with it. Else it goes into the headroom of its (port, priority), and XOFF is due if the
 * peer is not paused yet. What leaves frees the headroom first. XON is due when the headroom is empty and the shared
 * part of the (port, priority) is at least xonOffset below the threshold, or empty. Units of other priorities (control)
 * take shared memory, and a reserve of their own when that has no room; what leaves frees the reserve first.
 *
 * Lossy priorities take shared memory only, by egress: a unit finds room when its (egress port, priority) would hold no
 * more than lossyAlpha x (free shared memory) with it, as chips are configured that limit lossy traffic at the egress.
 *
 * All sizes are signed and small enough for their products: a threshold is never below 0 and never wraps.
 */
class SharedBuffer
{
  public:
    /// Largest size of anything, in bytes.
    static constexpr int64_t MOST_BYTES = int64_t{1} << 41;

    /// \throws std::invalid_argument when a size is negative or above MOST_BYTES, an alpha is not in 0 .. 1024 (0 not
    /// included), or the headroom leaves no shared memory
    void Configure(const SharedBufferConfig& config);

    /// Whether Admit has room for a unit.
    bool HasRoom(uint32_t port, uint32_t priority, int64_t bytes) const;
    /**
     * A unit has arrived.
     * \return whether XOFF must be sent for its (port, priority)
     * \throws std::overflow_error when there is no room: headroom exhausted, or shared part and control reserve full
     */
    bool Admit(uint32_t port, uint32_t priority, int64_t bytes);
    /// A unit has left. \return whether XON must be sent for the (port, priority) through which it came
    bool Release(uint32_t port, uint32_t priority, int64_t bytes);

    /**
     * A unit of a lossy priority has arrived.
     * \return false when there is no room: it must be dropped
     */
    bool AdmitLossy(uint32_t egress, uint32_t priority, int64_t bytes);
    /// A unit of a lossy priority has left.
    void ReleaseLossy(uint32_t egress, uint32_t priority, int64_t bytes);

    /// Present XOFF threshold of every (port, priority), in bytes.
    int64_t GetThreshold() const
    {
        return (m_shared - m_used) * m_alpha / ALPHA_UNIT;
    }

    /// Shared memory, in bytes.
    int64_t GetSharedSize() const
    {
        return m_shared;
    }

    /// Bytes of a (port, priority), headroom included.
    int64_t GetBytes(uint32_t port, uint32_t priority) const
    {
        const Group& group = m_groups[port * PRIORITIES + priority];
        return group.shared + group.headroom;
    }

    /// Bytes of a lossy (egress port, priority).
    int64_t GetLossyBytes(uint32_t egress, uint32_t priority) const
    {
        return m_lossyBytes[egress * PRIORITIES + priority];
    }

    bool IsPaused(uint32_t port, uint32_t priority) const
    {
        return m_groups[port * PRIORITIES + priority].paused;
    }

    bool IsEmpty() const;

  private:
    static constexpr uint32_t PRIORITIES = 8;
    static constexpr int64_t ALPHA_UNIT = 1024;

    /// What one (port, priority) holds.
    struct Group
    {
        int64_t shared = 0;
        int64_t headroom = 0; ///< of a priority that is not lossless: of the control reserve
        bool paused = false;
    };

    void AdmitToReserve(Group& group, int64_t bytes);
    static void Check(const SharedBufferConfig& config);

    std::vector<Group> m_groups;
    std::vector<int64_t> m_lossyBytes; ///< by egress port and priority
    int64_t m_shared = 0;   ///< size of the shared part
    int64_t m_used = 0;     ///< of it
    int64_t m_control = 0;  ///< free part of the control reserve
    int64_t m_headroom = 0; ///< per group
    int64_t m_xonOffset = 0;
    int64_t m_alpha = ALPHA_UNIT;
    int64_t m_lossyAlpha = ALPHA_UNIT;
    uint8_t m_lossless = 0;
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_SHARED_BUFFER_H */
