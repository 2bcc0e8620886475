/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-lines.h"

#include "domain-checks.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <sstream>
#include <utility>

namespace hbd::traffic
{

namespace
{

/// A word and the line it stands in.
struct Word
{
    std::string text;
    int line = 0;
};

using Words = std::vector<Word>;

/// The words of all lines that have some, comments left out.
std::vector<Words>
LinesOf(const std::string& text)
{
    std::vector<Words> lines;
    std::istringstream input(text);
    int number = 0;
    for (std::string line; std::getline(input, line);)
    {
        ++number;
        std::istringstream words(line.substr(0, line.find('#')));
        Words found;
        for (std::string word; words >> word;)
        {
            found.push_back({word, number});
        }
        if (!found.empty())
        {
            lines.push_back(std::move(found));
        }
    }
    return lines;
}

bool
ReadWhole(const std::string& text, uint32_t& value)
{
    const char* last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, value);
    return !text.empty() && error == std::errc() && end == last;
}

bool
ReadProbability(const std::string& text, double& value)
{
    char* end = nullptr;
    value = std::strtod(text.c_str(), &end);
    return text.find_first_not_of("0123456789.eE+-") == std::string::npos && *end == '\0' && value >= 0 && value <= 1;
}

/// What both forms have in common: nodes, links, complaints.
class Collector
{
  public:
    Collector(const std::string& name, std::vector<Problem>& problems)
        : m_problems(problems)
    {
        lines.name = name;
    }

    void Complain(int line, const std::string& expected, const std::string& given, const std::string& hint = "")
    {
        AddProblem(m_problems, {lines.name, line, "", expected, given, hint});
    }

    void AddNode(const Word& word, bool isSwitch)
    {
        const auto [at, isNew] = m_nodes.insert({word.text, static_cast<uint32_t>(lines.topology.nodes.size())});
        if (!isNew)
        {
            Complain(word.line,
                     "a name that no other node has",
                     "`" + word.text + "`",
                     fmt::format("it stands in line {}", lines.nodeLines[at->second]));
            return;
        }
        lines.topology.nodes.push_back({word.text, isSwitch});
        lines.nodeLines.push_back(word.line);
    }

    /// The node of that name; complains when there is none.
    bool FindNode(const Word& word, uint32_t& node)
    {
        const auto found = m_nodes.find(word.text);
        if (found == m_nodes.end())
        {
            Complain(word.line, "the name of a node of the file", "`" + word.text + "`");
            return false;
        }
        node = found->second;
        return true;
    }

    /// Reads the parts that both forms have. \return whether they are right
    bool ReadLink(const Word& a, const Word& b, const Word& rate, const Word& delay, ListedLink& link)
    {
        std::string why;
        bool good = FindNode(a, link.ends[0]);
        good = FindNode(b, link.ends[1]) && good;
        if (!ParseQuantity(rate.text, link.rate, why) || link.rate.IsZero())
        {
            Complain(rate.line, "a rate above 0 with its unit, such as 400Gbps", "`" + rate.text + "`", why);
            good = false;
        }
        why.clear();
        if (!ParseQuantity(delay.text, link.delay, why) || link.delay.Seconds() > 1)
        {
            Complain(delay.line, "a delay of at most 1s with its unit, such as 150ns", "`" + delay.text + "`", why);
            good = false;
        }
        if (good && link.ends[0] == link.ends[1])
        {
            Complain(b.line, "a link between two different nodes", "`" + a.text + "` to itself");
            good = false;
        }
        return good;
    }

    void AddLink(const ListedLink& link, int line)
    {
        const auto [at, isNew] = m_links.insert({std::minmax(link.ends[0], link.ends[1]), line});
        if (!isNew)
        {
            Complain(line,
                     "one line for the links between two nodes, with xN for several",
                     fmt::format("another between {} and {}",
                                 lines.topology.nodes[link.ends[0]].name,
                                 lines.topology.nodes[link.ends[1]].name),
                     fmt::format("the first is in line {}", at->second));
            return;
        }
        m_cables += link.number;
        if (m_cables > kMostLinks)
        {
            Complain(line, fmt::format("at most {} links", kMostLinks), std::to_string(m_cables));
            m_cables = 0;
            return;
        }
        lines.topology.links.push_back(link);
        lines.linkLines.push_back(line);
    }

    TopologyLines lines;

  private:
    std::vector<Problem>& m_problems;
    std::map<std::string, uint32_t> m_nodes;
    std::map<std::pair<uint32_t, uint32_t>, int> m_links; ///< by ends, smaller first: line
    uint64_t m_cables = 0;
};

/// Whether other parts of the fabric can have such a name, or it cannot be told from one in a list of faults.
bool
IsGoodName(const std::string& name)
{
    const bool plain =
        std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
    const bool gpu = name.compare(0, 3, "gpu") == 0 && name.find_first_not_of("0123456789", 3) == std::string::npos;
    return plain && !gpu && name.size() <= 200;
}

void
ReadNodes(Collector& collector, const Words& words)
{
    if (words.size() < 2)
    {
        collector.Complain(words[0].line, words[0].text + " NAME", "no name");
    }
    for (size_t i = 1; i < words.size(); ++i)
    {
        if (IsGoodName(words[i].text))
        {
            collector.AddNode(words[i], words[0].text == "switch");
        }
        else
        {
            collector.Complain(words[i].line,
                               "a name of letters, digits and _, and not that of a GPU",
                               "`" + words[i].text + "`");
        }
    }
}

void
ReadOurLink(Collector& collector, const Words& words)
{
    const int line = words[0].line;
    if (words.size() < 5)
    {
        collector.Complain(line,
                           "link NAME NAME RATE DELAY [xN] [loss PROBABILITY]",
                           fmt::format("{} words behind link", words.size() - 1));
        return;
    }
    ListedLink link;
    bool good = collector.ReadLink(words[1], words[2], words[3], words[4], link);
    for (size_t i = 5; i < words.size(); ++i)
    {
        const std::string& text = words[i].text;
        if (text == "loss" && i + 1 < words.size())
        {
            if (!ReadProbability(words[++i].text, link.loss))
            {
                collector.Complain(line, "a probability from 0 to 1, such as 1e-3", "`" + words[i].text + "`");
                good = false;
            }
        }
        else if (text[0] != 'x' || !ReadWhole(text.substr(1), link.number) || link.number == 0)
        {
            collector.Complain(line, "xN with a number from 1 on, or loss PROBABILITY", "`" + text + "`");
            good = false;
        }
    }
    if (good)
    {
        collector.AddLink(link, line);
    }
}

void
ReadOurs(Collector& collector, const std::vector<Words>& lines)
{
    for (const auto& words : lines)
    {
        const std::string& kind = words[0].text;
        if (kind == "nic" || kind == "switch")
        {
            ReadNodes(collector, words);
        }
        else if (kind != "link")
        {
            collector.Complain(words[0].line, "nic, switch or link", "`" + kind + "`");
        }
    }
    for (const auto& words : lines)
    {
        if (words[0].text == "link")
        {
            ReadOurLink(collector, words);
        }
    }
}

/// The plain form. Words count, not lines, as the simulators read it.
class PlainReader
{
  public:
    PlainReader(Collector& collector, const std::vector<Words>& lines)
        : m_collector(collector)
    {
        for (const auto& words : lines)
        {
            m_words.insert(m_words.end(), words.begin(), words.end());
        }
        m_header = lines.front().size();
    }

    void Read()
    {
        uint32_t nodes = 0;
        uint32_t switches = 0;
        uint32_t links = 0;
        if (m_header != 3 || !TakeWhole(nodes) || !TakeWhole(switches) || !TakeWhole(links) || switches > nodes ||
            nodes > kMostLinks)
        {
            m_collector.Complain(m_words.front().line,
                                 "the numbers of nodes, of the switches among them, and of links",
                                 "`" + Line(m_words.front().line) + "`");
            return;
        }
        // nothing of that size is made before the text is known to have as much
        if (uint64_t{links} * 5 > m_words.size())
        {
            m_collector.Complain(m_words.back().line,
                                 fmt::format("{} links of five words: src dst rate delay error_rate", links),
                                 fmt::format("{} words", m_words.size() - m_next));
            return;
        }
        if (nodes > uint64_t{links} + 1)
        {
            m_collector.Complain(m_words.front().line,
                                 fmt::format("at least {} links for {} nodes", nodes - 1, nodes),
                                 fmt::format("{}", links));
            return;
        }
        if (!ReadSwitches(nodes, switches))
        {
            return;
        }
        AddNodes(nodes);
        for (uint32_t i = 0; i < links; ++i)
        {
            if (m_next + 5 > m_words.size())
            {
                m_collector.Complain(m_words.back().line,
                                     fmt::format("{} links of five words: src dst rate delay error_rate", links),
                                     fmt::format("{}", i));
                return;
            }
            ReadPlainLink();
        }
        if (m_next < m_words.size())
        {
            m_collector.Complain(m_words[m_next].line,
                                 fmt::format("nothing behind {} links", links),
                                 "`" + m_words[m_next].text + "`");
        }
    }

  private:
    bool TakeWhole(uint32_t& value)
    {
        return m_next < m_words.size() && ReadWhole(m_words[m_next].text, value) && ++m_next > 0;
    }

    std::string Line(int line) const
    {
        std::string text;
        for (const auto& word : m_words)
        {
            if (word.line == line)
            {
                text += (text.empty() ? "" : " ") + word.text;
            }
        }
        return text.substr(0, 80);
    }

    bool ReadSwitches(uint32_t nodes, uint32_t switches)
    {
        const size_t before = m_next;
        for (uint32_t i = 0; i < switches; ++i)
        {
            uint32_t node = 0;
            const Word word = m_next < m_words.size() ? m_words[m_next] : Word{"nothing", m_words.back().line};
            if (!TakeWhole(node) || node >= nodes)
            {
                m_collector.Complain(word.line,
                                     fmt::format("{} node numbers of switches, below {}", switches, nodes),
                                     "`" + word.text + "`",
                                     fmt::format("number {} of them", i + 1));
                return false;
            }
            if (!m_switches.insert({node, word.line}).second)
            {
                m_collector.Complain(word.line, "each switch once", "`" + word.text + "` twice");
            }
        }
        const bool together =
            m_next == before || m_next == m_words.size() || m_words[m_next].line != m_words[m_next - 1].line;
        if (!together)
        {
            m_collector.Complain(m_words[m_next].line,
                                 fmt::format("{} node numbers of switches", switches),
                                 "`" + m_words[m_next].text + "` behind them");
        }
        return together;
    }

    void AddNodes(uint32_t nodes)
    {
        uint32_t nics = 0;
        for (uint32_t node = 0; node < nodes; ++node)
        {
            const auto found = m_switches.find(node);
            const bool isSwitch = found != m_switches.end();
            m_collector.AddNode({isSwitch ? fmt::format("switch{}", node) : fmt::format("nic{}", nics++),
                                 isSwitch ? found->second : m_words.front().line},
                                isSwitch);
        }
    }

    /// The name of the node with a number; one that does not exist keeps its number, which is no name.
    Word NodeOf(const Word& word) const
    {
        uint32_t node = 0;
        const auto& nodes = m_collector.lines.topology.nodes;
        return ReadWhole(word.text, node) && node < nodes.size() ? Word{nodes[node].name, word.line} : word;
    }

    void ReadPlainLink()
    {
        const Word* words = &m_words[m_next];
        m_next += 5;
        ListedLink link;
        bool good = m_collector.ReadLink(NodeOf(words[0]), NodeOf(words[1]), words[2], words[3], link);
        if (!ReadProbability(words[4].text, link.loss))
        {
            m_collector.Complain(words[4].line, "an error rate from 0 to 1", "`" + words[4].text + "`");
            good = false;
        }
        if (good)
        {
            m_collector.AddLink(link, words[0].line);
        }
    }

    Collector& m_collector;
    Words m_words;
    size_t m_header = 0; ///< words of the first line
    size_t m_next = 0;
    std::map<uint32_t, int> m_switches; ///< node number: line
};

} // namespace

TopologyLines
ReadTopologyLines(const std::string& text, const std::string& name, std::vector<Problem>& problems)
{
    Collector collector(name, problems);
    const auto lines = LinesOf(text);
    if (lines.empty())
    {
        collector.Complain(0, "nodes and links", "nothing");
    }
    else if (std::isdigit(static_cast<unsigned char>(lines.front().front().text.front())))
    {
        PlainReader(collector, lines).Read();
    }
    else
    {
        ReadOurs(collector, lines);
    }
    return std::move(collector.lines);
}

} // namespace hbd::traffic
