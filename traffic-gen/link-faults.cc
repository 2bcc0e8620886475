/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "link-faults.h"

#include <boost/algorithm/string.hpp>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <map>

namespace hbd::traffic
{

namespace
{

using Words = std::vector<std::string>;

/// Later than this nothing happens: times are picoseconds in 64 bits, and a run has to end.
constexpr int64_t kLatestSeconds = 1000000;

/// Words that an entry has at least and at most, link and kind included.
struct Form
{
    LinkFaultSpec::Kind kind;
    size_t least;
    size_t most;
    const char* text;
};

const std::map<std::string, Form> kForms = {
    {"down", {LinkFaultSpec::Kind::Down, 2, 4, "LINK down [FROM [UNTIL]]"}},
    {"up", {LinkFaultSpec::Kind::Up, 3, 3, "LINK up AT"}},
    {"rate", {LinkFaultSpec::Kind::Rate, 3, 5, "LINK rate RATE [FROM [UNTIL]]"}},
    {"loss", {LinkFaultSpec::Kind::Loss, 3, 5, "LINK loss PROBABILITY [FROM [UNTIL]]"}},
    {"corruption", {LinkFaultSpec::Kind::Corruption, 3, 5, "LINK corruption PROBABILITY [FROM [UNTIL]]"}},
};

/// Reads one entry and collects what is wrong with it.
class EntryReader
{
  public:
    EntryReader(const std::string& entry, std::vector<FaultProblem>& problems)
        : m_entry(entry),
          m_problems(problems),
          m_before(problems.size())
    {
    }

    void Read(std::vector<LinkFaultSpec>& faults)
    {
        Words words;
        boost::split(words, m_entry, boost::is_space(), boost::token_compress_on);
        const auto form = words.size() < 2 ? kForms.end() : kForms.find(words[1]);
        if (form == kForms.end())
        {
            Complain("LINK down, up, rate, loss or corruption ..., such as `leaf0-spine1 down 2ms`", m_entry, "");
            return;
        }
        m_fault.kind = form->second.kind;
        if (words.size() < form->second.least || words.size() > form->second.most)
        {
            Complain(form->second.text, m_entry, "");
            return;
        }
        ReadLink(words[0]);
        size_t next = 2;
        if (form->second.least == 3 && m_fault.kind != LinkFaultSpec::Kind::Up)
        {
            ReadValue(words[next++]);
        }
        Duration until;
        const bool starts = next >= words.size() || ReadTime(words[next], m_fault.at);
        const bool ends = next + 1 < words.size();
        if (starts && ends && ReadTime(words[next + 1], until) && until <= m_fault.at)
        {
            Complain("an end after the start", words[next] + " to " + words[next + 1], "in `" + m_entry + "`");
        }
        if (m_problems.size() == m_before)
        {
            faults.push_back(m_fault);
            if (ends)
            {
                faults.push_back(EndAt(until));
            }
        }
    }

  private:
    void Complain(const std::string& expected, const std::string& given, const std::string& hint)
    {
        m_problems.push_back({expected, "`" + given + "`", hint});
    }

    /// NAME-NAME or NAME-NAME.NUMBER.
    void ReadLink(const std::string& text)
    {
        const size_t dash = text.find('-');
        const size_t dot = dash == std::string::npos ? dash : text.find('.', dash);
        m_fault.ends[0] = text.substr(0, dash);
        m_fault.ends[1] =
            dash == std::string::npos ? "" : text.substr(dash + 1, dot == std::string::npos ? dot : dot - dash - 1);
        bool good =
            !m_fault.ends[0].empty() && !m_fault.ends[1].empty() && m_fault.ends[1].find('-') == std::string::npos;
        if (dot != std::string::npos)
        {
            const char* first = text.data() + dot + 1;
            const char* last = text.data() + text.size();
            uint32_t number = 0;
            const auto [end, error] = std::from_chars(first, last, number);
            good = good && first != last && error == std::errc() && end == last;
            m_fault.number = number;
        }
        if (!good)
        {
            Complain("a link, such as leaf0-spine1, or leaf0-spine1.2 for the third of several",
                     text,
                     "in `" + m_entry + "`");
        }
    }

    void ReadValue(const std::string& text)
    {
        std::string why;
        if (m_fault.kind == LinkFaultSpec::Kind::Rate)
        {
            if (!ParseQuantity(text, m_fault.rate, why) || m_fault.rate.IsZero())
            {
                Complain("a rate above 0 with its unit, such as 100Gbps", text, why);
            }
            return;
        }
        char* end = nullptr;
        m_fault.probability = std::strtod(text.c_str(), &end);
        const bool number =
            !text.empty() && *end == '\0' && text.find_first_not_of("0123456789.eE+-") == std::string::npos;
        if (!number || !(m_fault.probability >= 0 && m_fault.probability <= 1))
        {
            Complain("a probability from 0 to 1, such as 1e-3", text, "in `" + m_entry + "`");
        }
    }

    bool ReadTime(const std::string& text, Duration& time)
    {
        std::string why;
        if (ParseQuantity(text, time, why) && time.Seconds() <= static_cast<double>(kLatestSeconds))
        {
            return true;
        }
        Complain("a time with its unit, such as 2ms, at most " + std::to_string(kLatestSeconds) + "s", text, why);
        return false;
    }

    LinkFaultSpec EndAt(Duration until) const
    {
        LinkFaultSpec end = m_fault;
        end.kind = end.kind == LinkFaultSpec::Kind::Down ? LinkFaultSpec::Kind::Up : end.kind;
        end.at = until;
        end.rate = BitRate();
        end.probability = 0;
        return end;
    }

    const std::string& m_entry;
    std::vector<FaultProblem>& m_problems;
    const size_t m_before;
    LinkFaultSpec m_fault;
};

} // namespace

std::vector<LinkFaultSpec>
ReadLinkFaults(const std::string& text, std::vector<FaultProblem>& problems)
{
    std::vector<LinkFaultSpec> faults;
    if (text == "none")
    {
        return faults;
    }
    Words entries;
    boost::split(entries, text, boost::is_any_of(","));
    for (auto& entry : entries)
    {
        boost::trim(entry);
        EntryReader(entry, problems).Read(faults);
    }
    return faults;
}

} // namespace hbd::traffic
