/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "message-file.h"

#include <algorithm>
#include <array>
#include <boost/algorithm/string.hpp>
#include <charconv>
#include <fstream>
#include <istream>
#include <optional>
#include <string_view>

namespace hbd::traffic
{

namespace
{

/// What some programs put before UTF-8.
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr std::array<const char*, 4> kColumns{"time", "source", "destination", "bytes"};

/// Later than this nothing is sent: times are picoseconds in 64 bits, and a run has to end.
constexpr int64_t kLatestSeconds = 1000000;

/// The cells of a line. A cell may stand in quotes, inside which commas are text and a quote is written twice.
/// \return nothing when a quote is not closed
std::optional<std::vector<std::string>>
FieldsOf(const std::string& line)
{
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i)
    {
        const char c = line[i];
        if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"')
        {
            fields.back() += c;
            ++i;
        }
        else if (c == '"' && (quoted || boost::trim_copy(fields.back()).empty()))
        {
            quoted = !quoted;
        }
        else if (c == ',' && !quoted)
        {
            fields.emplace_back();
        }
        else
        {
            fields.back() += c;
        }
    }
    for (auto& field : fields)
    {
        boost::trim(field);
    }
    return quoted ? std::nullopt : std::make_optional(std::move(fields));
}

/// Reads lines and collects what is wrong with them.
class MessageReader
{
  public:
    MessageReader(const std::string& name, uint32_t ranks, std::vector<Problem>& problems)
        : m_name(name),
          m_ranks(ranks),
          m_problems(problems)
    {
    }

    std::vector<Message> Read(std::istream& input)
    {
        std::string line;
        while (std::getline(input, line))
        {
            ++m_line;
            if (m_line == 1 && line.compare(0, kByteOrderMark.size(), kByteOrderMark) == 0)
            {
                line.erase(0, kByteOrderMark.size());
            }
            boost::trim(line);
            if (line.empty() || line[0] == '#')
            {
                continue;
            }
            if (m_order.empty())
            {
                if (!ReadHeader(line))
                {
                    return {};
                }
                continue;
            }
            ReadMessage(line);
        }
        if (m_order.empty())
        {
            m_line = 0;
            Complain("", "a first line time,source,destination,bytes", "nothing");
        }
        return std::move(m_messages);
    }

  private:
    void Complain(const std::string& column,
                  const std::string& expected,
                  const std::string& given,
                  const std::string& hint = "")
    {
        AddProblem(m_problems, {m_name, m_line, column, expected, given, hint});
    }

    bool ReadHeader(const std::string& line)
    {
        const auto fields = FieldsOf(line).value_or(std::vector<std::string>());
        for (const char* column : kColumns)
        {
            const auto found = std::find(fields.begin(), fields.end(), column);
            if (found == fields.end() || fields.size() != kColumns.size())
            {
                Complain("", "a first line with the columns time,source,destination,bytes", "`" + line + "`");
                return false;
            }
            m_order.push_back(static_cast<size_t>(found - fields.begin()));
        }
        return true;
    }

    void ReadMessage(const std::string& line)
    {
        const auto cells = FieldsOf(line);
        if (!cells)
        {
            Complain("", "cells whose quotes are closed", "`" + line + "`");
            return;
        }
        const auto& fields = *cells;
        if (fields.size() != kColumns.size())
        {
            Complain("", "4 columns", std::to_string(fields.size()));
            return;
        }
        Message message;
        const bool time = ReadQuantity(0, fields, message.time);
        const bool source = ReadRank(1, fields, message.source);
        const bool destination = ReadRank(2, fields, message.destination);
        const bool bytes = ReadQuantity(3, fields, message.bytes);
        if (source && destination && message.source == message.destination)
        {
            Complain("destination", "another rank than the source", std::to_string(message.destination));
            return;
        }
        if (bytes && message.bytes.IsZero())
        {
            Complain("bytes", "at least 1B", fields[m_order[3]]);
            return;
        }
        if (time && message.time.Seconds() > static_cast<double>(kLatestSeconds))
        {
            Complain("time", "at most " + std::to_string(kLatestSeconds) + "s", "`" + fields[m_order[0]] + "`");
            return;
        }
        if (time && source && destination && bytes)
        {
            m_messages.push_back(message);
        }
    }

    template <class Number>
    bool ReadQuantity(size_t column, const std::vector<std::string>& fields, Number& value)
    {
        const std::string& text = fields[m_order[column]];
        std::string why;
        if (ParseQuantity(text, value, why))
        {
            return true;
        }
        Complain(kColumns[column],
                 column == 0 ? "a time with its unit, such as 1.5us" : "a size with its unit, such as 64KiB",
                 "`" + text + "`",
                 why);
        return false;
    }

    bool ReadRank(size_t column, const std::vector<std::string>& fields, uint32_t& rank)
    {
        const std::string& text = fields[m_order[column]];
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
        if (!text.empty() && error == std::errc() && end == text.data() + text.size() && rank < m_ranks)
        {
            return true;
        }
        Complain(kColumns[column], "a rank from 0 to " + std::to_string(m_ranks - 1), "`" + text + "`");
        return false;
    }

    const std::string& m_name;
    const uint32_t m_ranks;
    std::vector<Problem>& m_problems;
    int m_line = 0;
    std::vector<size_t> m_order; ///< by column of kColumns: its place in the file
    std::vector<Message> m_messages;
};

} // namespace

std::vector<Message>
ReadMessages(std::istream& input, const std::string& name, uint32_t ranks, std::vector<Problem>& problems)
{
    return MessageReader(name, ranks, problems).Read(input);
}

std::vector<Message>
ReadMessageFile(const std::string& path, uint32_t ranks, std::vector<Problem>& problems)
{
    std::ifstream file(path);
    if (!file)
    {
        AddProblem(problems, {path, 0, "", "a file that can be read", "none", ""});
        return {};
    }
    const size_t before = problems.size();
    auto messages = ReadMessages(file, path, ranks, problems);
    if (messages.empty() && problems.size() == before)
    {
        AddProblem(problems, {path, 0, "", "at least one message", "none", ""});
    }
    return messages;
}

} // namespace hbd::traffic
