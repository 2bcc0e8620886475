/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-traffic-helper.h"

#include "ns3/abort.h"

namespace ns3
{
namespace hbd
{

MessageProgram::MessageProgram(uint32_t ranks)
    : m_taken(ranks, false)
{
    for (uint32_t rank = 0; rank < ranks; rank++)
    {
        m_blocks.push_back(std::make_shared<OperationBlock>());
        m_blocks.back()->collectives.push_back({0, 0, ranks});
    }
}

void
MessageProgram::Add(uint32_t source, uint32_t destination, uint64_t bytes)
{
    NS_ABORT_MSG_IF(source == destination, "rank " << source << " sends to itself");
    Operation operation{};
    operation.collective = 0;
    operation.bytes = bytes;
    operation.match = m_messages++;
    operation.kind = OperationKind::SEND;
    operation.peer = destination;
    m_blocks.at(source)->operations.push_back(operation);
    operation.kind = OperationKind::RECEIVE;
    operation.peer = source;
    m_blocks.at(destination)->operations.push_back(operation);
}

bool
MessageProgram::Next(uint32_t rank, BlockInstance& instance)
{
    if (rank >= m_taken.size() || m_taken[rank])
    {
        return false;
    }
    m_taken[rank] = true;
    uint32_t taking = 0;
    for (const auto& block : m_blocks)
    {
        taking += block->operations.empty() ? 0 : 1;
    }
    m_blocks[rank]->collectives.front().ranks = taking;
    instance.block = m_blocks[rank];
    return true;
}

std::unique_ptr<MessageProgram>
HbdTrafficHelper::AllToAll(uint32_t ranks, uint64_t bytes)
{
    auto program = std::make_unique<MessageProgram>(ranks);
    for (uint32_t step = 1; step < ranks; step++)
    {
        for (uint32_t rank = 0; rank < ranks; rank++)
        {
            program->Add(rank, (rank + step) % ranks, bytes);
        }
    }
    return program;
}

std::unique_ptr<MessageProgram>
HbdTrafficHelper::Incast(uint32_t ranks, uint32_t senders, uint64_t bytes)
{
    NS_ABORT_MSG_IF(senders >= ranks, senders << " senders need more than " << ranks << " ranks");
    auto program = std::make_unique<MessageProgram>(ranks);
    for (uint32_t sender = 1; sender <= senders; sender++)
    {
        program->Add(sender, 0, bytes);
    }
    return program;
}

} // namespace hbd
} // namespace ns3
