/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "worker-channel.h"

#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace hbd::runner
{

namespace
{

/// What stands before each text in the pipe. Both ends are the same program, so its layout is theirs.
struct Header
{
    WorkerEvent event;
    uint64_t point;
    SimulationProgress progress;
    uint64_t textLength;
};

} // namespace

bool
SendMessage(int descriptor, const WorkerMessage& message)
{
    const Header header{message.event, message.point, message.progress, message.text.size()};
    std::string bytes(reinterpret_cast<const char*>(&header), sizeof(header));
    bytes += message.text;
    size_t sent = 0;
    while (sent < bytes.size())
    {
        const ssize_t written = ::write(descriptor, bytes.data() + sent, bytes.size() - sent);
        if (written < 0 && errno != EINTR)
        {
            return false;
        }
        sent += written < 0 ? 0 : static_cast<size_t>(written);
    }
    return true;
}

MessageReader::MessageReader(int descriptor)
    : m_descriptor(descriptor)
{
}

MessageReader::~MessageReader()
{
    ::close(m_descriptor);
}

int
MessageReader::Descriptor() const
{
    return m_descriptor;
}

bool
MessageReader::Read(std::vector<WorkerMessage>& messages)
{
    char chunk[4096];
    const ssize_t count = ::read(m_descriptor, chunk, sizeof(chunk));
    if (count <= 0)
    {
        return count < 0 && (errno == EINTR || errno == EAGAIN);
    }
    m_buffer.append(chunk, static_cast<size_t>(count));
    Header header;
    while (m_buffer.size() >= sizeof(header))
    {
        std::memcpy(&header, m_buffer.data(), sizeof(header));
        const size_t length = sizeof(header) + header.textLength;
        if (m_buffer.size() < length)
        {
            break;
        }
        messages.push_back(
            {header.event, header.point, header.progress, m_buffer.substr(sizeof(header), header.textLength)});
        m_buffer.erase(0, length);
    }
    return true;
}

} // namespace hbd::runner
