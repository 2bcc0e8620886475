/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "traffic-gen/collective-checker.h"
#include "traffic-gen/collective-table.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

// Goal: every algorithm of the table is right for any group in any layout, and the symbolic checker would see it if it
// were not. Method: random groups of 1 to 40 members, uneven blocks, blocks without bytes; then one mistake at a time:
// a dependency on data, a flag, a member of a switch group left out.

using namespace hbd::traffic;

namespace
{

/// A random group and kernel.
struct Draw
{
    Draw(CollectiveOp op, uint32_t seed, bool staging)
        : random(seed)
    {
        const uint32_t hbd = 1 + random() % 12;
        const uint32_t gpus = hbd * (1 + random() % std::max(1u, 40 / hbd));
        shape = ClusterShape(gpus, hbd, 8, seed % 5 == 0);
        request.op = op;
        request.ranks.resize(gpus);
        std::iota(request.ranks.begin(), request.ranks.end(), 0);
        if (seed % 2 == 0)
        {
            std::shuffle(request.ranks.begin(), request.ranks.end(), random);
            request.ranks.resize(1 + random() % gpus);
        }
        const uint32_t n = request.Size();
        const uint64_t largest = seed % 3 == 0 && n < 12 ? 2000000 : 1 + random() % 50;
        for (uint32_t i = 0; i < n; ++i)
        {
            request.blockBytes.push_back(random() % 4 == 0 ? 0 : random() % (largest + 1));
        }
        for (uint32_t i = 0; i < n * n; ++i)
        {
            request.pairBytes.push_back(random() % 4 == 0 ? 0 : random() % (largest + 1));
        }
        kernel.launch = Duration::FromNanoseconds(1000);
        kernel.scaleUpStep = Duration::FromNanoseconds(700);
        kernel.chunk = Bytes::FromBytes(std::max<uint64_t>(1, largest / (1 + random() % 5)));
        kernel.stagingRate = ByteRate::FromBytesPerSecond(staging ? 1e12 : 0);
        kernel.reduceRate = ByteRate::FromBytesPerSecond(random() % 2 == 0 ? 1e12 : 0);
    }

    std::string Text() const
    {
        return std::to_string(request.Size()) + " of " + std::to_string(shape.Gpus()) + " GPUs, domains of " +
               std::to_string(shape.HbdSize());
    }

    std::mt19937 random;
    ClusterShape shape{1, 1, 1};
    KernelSpec kernel;
    CollectiveRequest request;
};

class EveryCollectiveProperty : public testing::TestWithParam<CollectiveEntry>
{
};

std::string
NameOf(const testing::TestParamInfo<CollectiveEntry>& info)
{
    std::string name = std::string(ToText(info.param.op)) + "_" + info.param.algorithm;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

bool
Overlaps(const LoweredOp& a, const LoweredOp& b)
{
    for (const auto& x : a.pieces)
    {
        for (const auto& y : b.pieces)
        {
            if (x.block == y.block && x.offset < y.offset + y.bytes && y.offset < x.offset + x.bytes)
            {
                return true;
            }
        }
    }
    return false;
}

/// Whether an operation depends on one that brings some of what it moves.
bool
PassesOn(const std::vector<LoweredOp>& ops, uint32_t index)
{
    const OpKind kind = ops[index].kind;
    if ((kind != OpKind::Send && kind != OpKind::Multicast) || ops[index].pieces.empty())
    {
        return false;
    }
    std::vector<bool> before(index + 1, false);
    before[index] = true;
    for (uint32_t i = index + 1; i-- > 0;)
    {
        for (uint32_t dependency : before[i] ? ops[i].dependencies : OpList())
        {
            before[dependency] = true;
        }
        const bool brings = ops[i].kind == OpKind::Receive || ops[i].kind == OpKind::SwitchReduce;
        if (i < index && before[i] && brings && Overlaps(ops[i], ops[index]))
        {
            return true;
        }
    }
    return false;
}

constexpr int kRounds = 40;

} // namespace

TEST_P(EveryCollectiveProperty, IsRightForAnyGroup)
{
    for (uint32_t seed = 0; seed < kRounds; ++seed)
    {
        const Draw draw(GetParam().op, seed, seed % 4 < 2);
        const Lowering lowering = GetParam().lower(draw.request, {draw.shape, draw.kernel});
        ASSERT_EQ(CheckLowering(draw.request, lowering), std::vector<std::string>{}) << draw.Text() << " seed " << seed;
    }
}

TEST_P(EveryCollectiveProperty, IsWrongWhenDataIsPassedOnBeforeItArrives)
{
    uint32_t mistakes = 0;
    for (uint32_t seed = 0; seed < kRounds; ++seed)
    {
        Draw draw(GetParam().op, seed, seed % 4 < 2);
        const Lowering good = GetParam().lower(draw.request, {draw.shape, draw.kernel});
        const uint32_t member = draw.random() % draw.request.Size();
        for (uint32_t i = 0; i < good.members[member].size() && mistakes < 200; ++i)
        {
            if (draw.random() % 7 == 0 && PassesOn(good.members[member], i))
            {
                Lowering broken = good;
                broken.members[member][i].dependencies.clear();
                EXPECT_NE(CheckLowering(draw.request, broken), std::vector<std::string>{})
                    << draw.Text() << " seed " << seed << " member " << member << " operation " << i;
                ++mistakes;
            }
        }
    }
    const std::string algorithm = GetParam().algorithm;
    const bool oneStep = algorithm == "direct" || algorithm == "one-shot" || algorithm.rfind("one-sided", 0) == 0;
    EXPECT_EQ(mistakes > 0, !oneStep);
}

TEST_P(EveryCollectiveProperty, IsWrongWithoutAFlagOfWhomItReads)
{
    uint32_t mistakes = 0;
    uint32_t reads = 0;
    for (uint32_t seed = 0; seed < kRounds; ++seed)
    {
        Draw draw(GetParam().op, seed, true);
        const Lowering good = GetParam().lower(draw.request, {draw.shape, draw.kernel});
        for (uint32_t member = 0; member < draw.request.Size(); ++member)
        {
            const auto& ops = good.members[member];
            for (uint32_t i = 0; i < ops.size(); ++i)
            {
                const LoweredOp& op = ops[i];
                const bool read = op.kind == OpKind::Read || op.kind == OpKind::SwitchReduce;
                reads += read;
                for (size_t d = 0; read && mistakes < 100 && d < op.dependencies.size(); ++d)
                {
                    const LoweredOp& flag = ops[op.dependencies[d]];
                    const bool needed = flag.kind == OpKind::Receive && flag.pieces.empty() &&
                                        (op.kind == OpKind::SwitchReduce || flag.peer == op.peer);
                    if (needed && draw.random() % 5 == 0)
                    {
                        Lowering broken = good;
                        auto& dependencies = broken.members[member][i].dependencies;
                        dependencies.erase(dependencies.begin() + static_cast<std::ptrdiff_t>(d));
                        EXPECT_NE(CheckLowering(draw.request, broken), std::vector<std::string>{})
                            << draw.Text() << " seed " << seed << " member " << member << " operation " << i;
                        ++mistakes;
                    }
                }
            }
        }
    }
    EXPECT_EQ(reads > 0, mistakes > 0);
}

TEST_P(EveryCollectiveProperty, IsWrongWithoutAMemberOfASwitchGroup)
{
    uint32_t mistakes = 0;
    for (uint32_t seed = 0; seed < kRounds; ++seed)
    {
        Draw draw(GetParam().op, seed, seed % 4 < 2);
        const Lowering good = GetParam().lower(draw.request, {draw.shape, draw.kernel});
        for (uint32_t member = 0; member < draw.request.Size(); ++member)
        {
            for (uint32_t i = 0; i < good.members[member].size(); ++i)
            {
                const auto& group = good.members[member][i].group;
                if (!group.empty() && mistakes < 100 && draw.random() % 10 == 0)
                {
                    Lowering broken = good;
                    auto& shorter = broken.members[member][i].group;
                    shorter.erase(shorter.begin() + (shorter[0] == member ? 1 : 0));
                    EXPECT_NE(CheckLowering(draw.request, broken), std::vector<std::string>{})
                        << draw.Text() << " seed " << seed << " member " << member << " operation " << i;
                    ++mistakes;
                }
            }
        }
    }
    EXPECT_EQ(mistakes > 0, std::string(GetParam().algorithm) == "nvls");
}

INSTANTIATE_TEST_SUITE_P(Table, EveryCollectiveProperty, testing::ValuesIn(CollectiveTable()), NameOf);
