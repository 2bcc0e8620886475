/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: any list of nodes and links that can be written reads back to the same; no text ends the program. Method:
// random trees of switches with NICs and further links; texts with characters and words changed, left out and put in.

#include "traffic-gen/topology-file.h"

#include <gtest/gtest.h>
#include <random>
#include <set>
#include <sstream>

namespace hbd::traffic
{

namespace
{

class TopologyFileProperty : public testing::TestWithParam<uint32_t>
{
  protected:
    TopologyFileProperty()
        : m_random(GetParam())
    {
    }

    uint32_t Draw(uint32_t least, uint32_t most)
    {
        return std::uniform_int_distribution<uint32_t>(least, most)(m_random);
    }

    ListedLink Link(uint32_t a, uint32_t b, uint32_t number)
    {
        ListedLink link;
        link.ends[0] = a;
        link.ends[1] = b;
        link.number = number;
        link.rate = BitRate::FromBitsPerSecond(Draw(1, 1000000) * uint64_t{1000});
        link.delay = Duration::FromPicoseconds(Draw(0, 1000000000));
        link.loss = Draw(0, 3) == 0 ? Draw(0, 1000) / 1000.0 : 0;
        return link;
    }

    /// \param nics how many it has
    ListedTopology Topology(uint32_t nics)
    {
        ListedTopology topology;
        const uint32_t switches = Draw(1, 20);
        std::set<std::pair<uint32_t, uint32_t>> linked;
        for (uint32_t i = 0; i < switches; ++i)
        {
            topology.nodes.push_back({"s" + std::to_string(i), true});
            for (uint32_t k = 0; i > 0 && k < 3; ++k)
            {
                const uint32_t to = Draw(0, i - 1);
                if (linked.insert({to, i}).second)
                {
                    topology.links.push_back(Draw(0, 1) == 0 ? Link(to, i, Draw(1, 4)) : Link(i, to, 1));
                }
            }
        }
        for (uint32_t i = 0; i < nics; ++i)
        {
            topology.nodes.push_back({"n" + std::to_string(i), false});
            topology.links.push_back(Link(switches + i, Draw(0, switches - 1), 1));
        }
        return topology;
    }

    /// The plain form, which has no parallel links.
    static std::string Plain(const ListedTopology& topology)
    {
        std::ostringstream text;
        std::ostringstream switches;
        for (size_t i = 0; i < topology.nodes.size(); ++i)
        {
            if (topology.nodes[i].isSwitch)
            {
                switches << i << ' ';
            }
        }
        text << topology.nodes.size() << ' ' << topology.nodes.size() - topology.Nics() << ' ' << topology.links.size()
             << '\n'
             << switches.str() << '\n';
        for (const auto& link : topology.links)
        {
            text << link.ends[0] << ' ' << link.ends[1] << ' ' << ToText(link.rate) << ' ' << ToText(link.delay) << ' '
                 << link.loss << '\n';
        }
        return text.str();
    }

    std::string Spoil(std::string text)
    {
        const std::string alphabet = "0123456789abx #\n\t.-+eGbpsnicswtchlink\0\xff";
        for (uint32_t i = Draw(1, 8); i > 0 && !text.empty(); --i)
        {
            const uint32_t at = Draw(0, static_cast<uint32_t>(text.size() - 1));
            const char c = alphabet[Draw(0, static_cast<uint32_t>(alphabet.size() - 1))];
            switch (Draw(0, 3))
            {
            case 0:
                text[at] = c;
                break;
            case 1:
                text.insert(at, 1, c);
                break;
            case 2:
                text.erase(at, Draw(1, 12));
                break;
            default:
                text.insert(at, text.substr(Draw(0, static_cast<uint32_t>(text.size() - 1)), Draw(1, 40)));
            }
        }
        return text;
    }

    std::mt19937 m_random;
};

TEST_P(TopologyFileProperty, WhatIsWrittenReadsBack)
{
    const uint32_t nics = Draw(2, 40);
    const auto topology = Topology(nics);
    std::istringstream input(WriteTopology(topology));
    std::vector<Problem> problems;
    const auto read = ReadTopology(input, "net", nics, problems);
    ASSERT_TRUE(problems.empty()) << ToText(problems.front());
    ASSERT_EQ(read.nodes.size(), topology.nodes.size());
    ASSERT_EQ(read.links.size(), topology.links.size());
    for (size_t i = 0; i < topology.links.size(); ++i)
    {
        EXPECT_EQ(read.links[i].ends[0], topology.links[i].ends[0]);
        EXPECT_EQ(read.links[i].ends[1], topology.links[i].ends[1]);
        EXPECT_EQ(read.links[i].number, topology.links[i].number);
        EXPECT_EQ(read.links[i].rate, topology.links[i].rate);
        EXPECT_EQ(read.links[i].delay, topology.links[i].delay);
        EXPECT_EQ(read.links[i].loss, topology.links[i].loss);
    }
}

TEST_P(TopologyFileProperty, SpoiltTextIsReadOrRefused)
{
    const uint32_t nics = Draw(2, 10);
    auto topology = Topology(nics);
    const std::string ours = WriteTopology(topology);
    for (auto& link : topology.links)
    {
        link.number = 1;
    }
    for (const std::string& good : {ours, Plain(topology)})
    {
        for (int i = 0; i < 20; ++i)
        {
            std::istringstream input(Spoil(good));
            std::vector<Problem> problems;
            const auto read = ReadTopology(input, "net", nics, problems);
            if (problems.empty())
            {
                EXPECT_EQ(read.Nics(), nics);
                EXPECT_EQ(read.SwitchesFrom(0).size(), nics);
            }
            for (const auto& problem : problems)
            {
                EXPECT_FALSE(problem.expected.empty());
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, TopologyFileProperty, testing::Range(0U, 100U));

} // namespace

} // namespace hbd::traffic
