/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3-module/model/hbd-fixed-window.h"
#include "ns3-module/model/hbd-rdma-receiver.h"
#include "ns3-module/model/hbd-rdma-sender.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <vector>

namespace ns3::hbd
{
namespace
{

constexpr uint32_t MTU = 1024;

/// A sender and a receiver with a pipe between them that loses, and may overtake. One step of time a packet.
class Pipe
{
  public:
    Pipe(uint32_t seed, RdmaRecovery recovery, double loss, uint32_t jitter)
        : m_random(seed),
          m_loss(loss),
          m_jitter(jitter)
    {
        m_transport.recovery = recovery;
        m_transport.mtu = MTU;
        m_transport.timeoutPs = 4000;
        m_transport.retries = 1000;
        m_transport.ackEvery = 1 + m_random() % 3;
        m_transport.reorderPackets = jitter == 0 ? 0 : 1000000;
        auto control = CreateObject<FixedWindow>();
        CongestionSetup setup;
        setup.lineBitRate = 1;
        setup.windowBytes = MTU * (1 + m_random() % 64);
        control->Setup(setup);
        m_sender = std::make_unique<RdmaSender>(m_transport, control);
        m_receiver = std::make_unique<RdmaReceiver>(m_transport);
    }

    void Run(uint32_t messages)
    {
        for (uint32_t i = 0; i < messages; i++)
        {
            uint32_t slot = m_messages.Allocate();
            m_messages[slot].bytes = m_random() % 5 == 0 ? 0 : m_random() % (20 * MTU);
            m_messages[slot].burstPackets = 1;
            m_sender->Push(slot);
            m_left += m_messages[slot].bytes;
            m_arrived.push_back(0);
        }
        for (m_now = 0; !m_sender->IsIdle() && m_now < 4000000; m_now++)
        {
            Step();
        }
        EXPECT_TRUE(m_sender->IsIdle());
        EXPECT_EQ(m_left, 0u);
        EXPECT_EQ(m_sender->GetInFlight(), 0u);
        for (uint32_t slot = 0; slot < messages; slot++)
        {
            EXPECT_EQ(m_arrived[slot], m_messages[slot].bytes) << "message " << slot;
        }
    }

    uint64_t lost = 0;
    uint64_t sent = 0;

  private:
    struct Flying
    {
        int64_t due;
        PacketUnit unit;
    };

    bool Loses()
    {
        bool loses = std::uniform_real_distribution<>(0, 1)(m_random) < m_loss;
        lost += loses ? 1 : 0;
        return loses;
    }

    void Step()
    {
        if (m_sender->CanSend(m_messages))
        {
            PacketUnit unit{};
            m_sender->Cut(unit, m_messages);
            m_sender->OnWire(m_now, unit.sequence, unit.payloadBytes);
            sent++;
            if (!Loses())
            {
                m_there.push_back({m_now + 100 + (m_jitter == 0 ? 0 : m_random() % m_jitter), unit});
            }
        }
        Take(m_there, [this](const PacketUnit& unit) { Receive(unit); });
        Take(m_back, [this](const PacketUnit& unit) { m_sender->OnAck(m_now, unit, nullptr); });
        if (m_sender->IsOutstanding() && m_sender->GetDuePs(m_now) <= m_now)
        {
            EXPECT_TRUE(m_sender->OnTimeout(m_now));
        }
    }

    template <class F>
    void Take(std::deque<Flying>& flying, F action)
    {
        for (size_t i = 0; i < flying.size();)
        {
            if (flying[i].due > m_now)
            {
                i++;
                continue;
            }
            PacketUnit unit = flying[i].unit;
            flying.erase(flying.begin() + static_cast<long>(i));
            action(unit);
        }
    }

    void Receive(const PacketUnit& unit)
    {
        auto verdict = m_receiver->OnData(m_now, unit, false);
        if (verdict.accepted)
        {
            m_arrived[unit.message] += unit.payloadBytes;
            m_left -= unit.payloadBytes;
        }
        if (verdict.answer && !Loses())
        {
            PacketUnit answer{};
            m_receiver->MakeAck(answer, unit, verdict.kind);
            m_back.push_back({m_now + 100, answer});
        }
    }

    std::mt19937 m_random;
    double m_loss;
    uint32_t m_jitter;
    RdmaTransport m_transport;
    MessageTable m_messages;
    std::unique_ptr<RdmaSender> m_sender;
    std::unique_ptr<RdmaReceiver> m_receiver;
    std::deque<Flying> m_there;
    std::deque<Flying> m_back;
    std::vector<uint64_t> m_arrived;
    uint64_t m_left = 0;
    int64_t m_now = 0;
};

class RdmaTransportProperty : public testing::TestWithParam<uint32_t>
{
};

// Every byte once, whatever is lost on the way there or back.
TEST_P(RdmaTransportProperty, DeliversEveryByteOnceUnderLoss)
{
    for (auto recovery : {RdmaRecovery::GO_BACK_N, RdmaRecovery::SELECTIVE_REPEAT})
    {
        Pipe pipe(GetParam(), recovery, 0.02, 0);
        pipe.Run(40);
    }
}

TEST_P(RdmaTransportProperty, DeliversEveryByteOnceWhenPacketsOvertake)
{
    Pipe whole(GetParam(), RdmaRecovery::SELECTIVE_REPEAT, 0, 300);
    whole.Run(40);
    EXPECT_LE(whole.sent, 40u * 21) << "nothing lost, nothing sent again";
    Pipe lossy(GetParam(), RdmaRecovery::SELECTIVE_REPEAT, 0.02, 300);
    lossy.Run(40);
    Pipe backward(GetParam(), RdmaRecovery::GO_BACK_N, 0, 20);
    backward.Run(10);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RdmaTransportProperty, testing::Range(0U, 20U));

// Selective repeat sends what was lost again, go-back-N also what followed.
TEST(RdmaTransport, SelectiveRepeatSendsLessAgain)
{
    uint64_t again[2];
    for (auto recovery : {RdmaRecovery::GO_BACK_N, RdmaRecovery::SELECTIVE_REPEAT})
    {
        again[static_cast<int>(recovery)] = 0;
        for (uint32_t seed = 0; seed < 20; seed++)
        {
            Pipe pipe(seed, recovery, 0.01, 0);
            pipe.Run(100);
            again[static_cast<int>(recovery)] += pipe.sent;
        }
    }
    EXPECT_LT(again[1], again[0]);
}

} // namespace
} // namespace ns3::hbd
