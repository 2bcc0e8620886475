/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_LINK_RETRY_H
#define HBD_LINK_RETRY_H

#include "ns3/random-variable-stream.h"

#include <cstdint>

namespace ns3
{
namespace hbd
{

/**
 * Bit errors of one direction of a link, and what sending again costs. Bits fail independently. The receiver finds a packet with an error when its
 * last byte is there; `delay` after that byte left, the sender goes back and sends that packet and all behind it again, which it had kept in its
 * replay buffer. Nothing is lost and the order stays. What the sender put on the wire in the meantime is thrown away, so an error costs the
 * packet's time and the delay, whatever follows. It is not counted: whether there was anything to send depends on what nobody simulates then. So all counts
 * are the same whatever the packets are grouped to.
 */
class LinkRetry
{
  public:
    /// What the errors in one unit cost.
    struct Cost
    {
        int64_t ps = 0;       ///< later than without errors, picoseconds
        int64_t busyPs = 0;   ///< of which the wire was sending packets with an error
        uint64_t bytes = 0;   ///< wire bytes of the packets with an error
        uint32_t packets = 0; ///< times that a packet had an error and was sent again
    };

    /// Most errors that a packet may have on average. With so many, it is sent e^10 = 22000 times before it arrives.
    static constexpr double MOST_ERRORS = 10;

    /**
     * \param bitErrorRate probability that a bit is wrong, below 1
     * \param delayPs from the last byte of a packet with an error to the first byte of its repetition, picoseconds
     */
    void Configure(double bitErrorRate, int64_t delayPs);
    bool IsOn() const
    {
        return m_bitErrorRate > 0;
    }
    /// Fixes the random stream. Takes effect for the next error drawn.
    void AssignStream(int64_t stream);

    /**
     * Sends a unit and repeats what fails.
     * \param wireBytes of the unit
     * \param packets of the unit, all but the last of them `packetBytes` long
     * \param packetBytes of a full packet
     * \param txPs time of the unit on the wire, picoseconds
     */
    Cost Send(uint64_t wireBytes, uint32_t packets, uint64_t packetBytes, int64_t txPs);

  private:
    void Draw();

    double m_bitErrorRate = 0;
    int64_t m_delayPs = 0;
    uint64_t m_goodBits = 0; ///< bits until the next error
    bool m_drawn = false;
    Ptr<UniformRandomVariable> m_random;
};

} // namespace hbd
} // namespace ns3

#endif /* HBD_LINK_RETRY_H */
