/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_RUNNER_WORKER_CHANNEL_H
#define HBD_RUNNER_WORKER_CHANNEL_H

#include "simulation.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hbd::runner
{

/// What a worker tells the process that started it.
enum class WorkerEvent : uint8_t
{
    Started,  ///< it begins with the point
    Progress, ///< it is that far
    Finished, ///< the point is done; the text is what its task returned
    Failed,   ///< the point has failed; the text says why
};

/// One message of a worker.
struct WorkerMessage
{
    WorkerEvent event = WorkerEvent::Started;
    size_t point = 0;            ///< index in the plan
    SimulationProgress progress; ///< Progress
    std::string text;            ///< Finished, Failed
};

/**
 * Writes a message to a pipe, whole.
 * \param descriptor the pipe
 * \return false when nobody reads any more
 */
bool SendMessage(int descriptor, const WorkerMessage& message);

/// Puts the bytes that arrive through a pipe together to messages.
class MessageReader
{
  public:
    /// \param descriptor the pipe; closed by the destructor
    explicit MessageReader(int descriptor);
    ~MessageReader();
    MessageReader(const MessageReader&) = delete;
    MessageReader& operator=(const MessageReader&) = delete;

    int Descriptor() const;
    /**
     * Reads what is there, waiting for at least something.
     * \param messages gets the messages that are complete
     * \return false at the end: the writer is gone
     */
    bool Read(std::vector<WorkerMessage>& messages);

  private:
    int m_descriptor;
    std::string m_buffer;
};

} // namespace hbd::runner

#endif // HBD_RUNNER_WORKER_CHANNEL_H
