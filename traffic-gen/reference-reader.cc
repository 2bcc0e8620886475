/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "reference-reader.h"

#include "scenario-writer.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <sstream>

namespace hbd::traffic
{

namespace
{

const std::vector<std::string> kMetrics = {"ttft_s",
                                           "tpot_s",
                                           "decode_throughput_tokens_per_s",
                                           "throughput_per_gpu_tokens_per_s",
                                           "prefill_compute_s",
                                           "prefill_comm_s",
                                           "prefill_skew_s",
                                           "prefill_comm_share",
                                           "decode_compute_s",
                                           "decode_comm_s",
                                           "decode_skew_s",
                                           "decode_comm_share",
                                           "e2e_s"};
const std::vector<std::string> kKinds = {"largest-drop", "largest-gain", "ratio", "falls", "gain-grows-with"};

std::string
OneOf(const std::vector<std::string>& words)
{
    std::string text = "one of";
    std::string separator = " ";
    for (const auto& word : words)
    {
        text += separator + word;
        separator = ", ";
    }
    return text;
}

std::string
DidYouMean(const std::string& near)
{
    return near.empty() ? "" : "did you mean " + near + "?";
}

/// The texts of a list, or of a text with commas.
std::vector<std::string>
Parts(const Value& value)
{
    std::vector<std::string> parts;
    for (const auto& item : value.items)
    {
        parts.push_back(item.text);
    }
    std::istringstream text(value.text);
    for (std::string part; std::getline(text, part, ',');)
    {
        part.erase(0, part.find_first_not_of(' '));
        part.erase(part.find_last_not_of(' ') + 1);
        parts.push_back(part);
    }
    return parts.empty() ? std::vector<std::string>{""} : parts;
}

/// Reads one mark.
class MarkReader
{
  public:
    explicit MarkReader(std::vector<Problem>& problems)
        : m_problems(problems)
    {
    }

    Reference Read(const Value& value)
    {
        m_file = value.file;
        std::map<std::string, const ValueEntry*> seen;
        for (const auto& entry : value.entries)
        {
            if (!seen.emplace(entry.name, &entry).second)
            {
                Complain(entry.line, entry.name, "a field given once", "`" + entry.name + "` twice");
            }
        }
        // `where` last: what it may say depends on `over`.
        for (const auto& field : Fields())
        {
            const auto at = seen.find(field.name);
            if (at != seen.end())
            {
                (this->*field.read)(*at->second);
                seen.erase(at);
            }
            else if (field.isRequired(m_mark))
            {
                Complain(value.line, field.name, "a value", "nothing");
            }
        }
        for (const auto& [name, entry] : seen)
        {
            Complain(entry->line, name, "a known field", "`" + name + "`", DidYouMean(Nearest(name, FieldNames())));
        }
        return m_mark;
    }

  private:
    struct Field
    {
        const char* name;
        void (MarkReader::*read)(const ValueEntry& entry);
        bool (*isRequired)(const Reference& mark);
    };

    static const std::vector<Field>& Fields()
    {
        const auto always = [](const Reference&) { return true; };
        const auto never = [](const Reference&) { return false; };
        const auto figures = [](const Reference& mark) {
            return mark.kind != "falls" && mark.kind != "gain-grows-with";
        };
        const auto growing = [](const Reference& mark) { return mark.kind == "gain-grows-with"; };
        static const std::vector<Field> fields = {
            {"id", &MarkReader::ReadText<&Reference::id>, always},
            {"statement", &MarkReader::ReadText<&Reference::statement>, never},
            {"kind", &MarkReader::ReadKind, always},
            {"metric", &MarkReader::ReadMetric, always},
            {"over", &MarkReader::ReadPath<&Reference::over>, always},
            {"gain-with", &MarkReader::ReadPath<&Reference::gainWith>, growing},
            {"published", &MarkReader::ReadNumber<&Reference::published>, figures},
            {"tolerance", &MarkReader::ReadNumber<&Reference::tolerance>, never},
            {"source", &MarkReader::ReadText<&Reference::source>, never},
            {"where", &MarkReader::ReadWhere, never},
        };
        return fields;
    }

    static std::vector<std::string> FieldNames()
    {
        std::vector<std::string> names;
        for (const auto& field : Fields())
        {
            names.emplace_back(field.name);
        }
        return names;
    }

    void Complain(int line,
                  const std::string& field,
                  const std::string& expected,
                  const std::string& given,
                  const std::string& hint = "")
    {
        AddProblem(m_problems, {m_file, line, "reference." + field, expected, given, hint});
    }

    void RequireWord(const ValueEntry& entry, const std::string& word, const std::vector<std::string>& words)
    {
        if (std::find(words.begin(), words.end(), word) == words.end())
        {
            const std::string given = word.empty() ? "nothing" : word;
            Complain(entry.line, entry.name, OneOf(words), given, DidYouMean(Nearest(word, words)));
        }
    }

    template <std::string Reference::*Member>
    void ReadText(const ValueEntry& entry)
    {
        m_mark.*Member = entry.value.text;
        if (entry.value.text.empty())
        {
            Complain(entry.line, entry.name, "a text", ShortText(entry.value));
        }
    }

    template <std::optional<double> Reference::*Member>
    void ReadNumber(const ValueEntry& entry)
    {
        double number = 0;
        const std::string& text = entry.value.text;
        const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error != std::errc() || at != text.data() + text.size() || !std::isfinite(number))
        {
            Complain(entry.line, entry.name, "a number", ShortText(entry.value));
            return;
        }
        m_mark.*Member = number;
    }

    template <std::string Reference::*Member>
    void ReadPath(const ValueEntry& entry)
    {
        m_mark.*Member = KnownPath(entry.value.text, entry.name, entry.line);
    }

    void ReadKind(const ValueEntry& entry)
    {
        m_mark.kind = entry.value.text;
        RequireWord(entry, m_mark.kind, kKinds);
    }

    void ReadMetric(const ValueEntry& entry)
    {
        const auto metrics = Parts(entry.value);
        for (const auto& metric : metrics)
        {
            m_mark.metric += (m_mark.metric.empty() ? "" : ", ") + metric;
            RequireWord(entry, metric, kMetrics);
        }
        const bool trend = m_mark.kind == "falls" || m_mark.kind == "gain-grows-with";
        if (metrics.size() > 1 && !trend)
        {
            Complain(entry.line, entry.name, "one metric for a mark with a figure", m_mark.metric);
        }
    }

    /// A scenario key's short path, as in the columns of points.csv.
    std::string KnownPath(const std::string& path, const std::string& field, int line)
    {
        if (FindKey(LeafPath(path)) == nullptr)
        {
            const std::string given = path.empty() ? "nothing" : "`" + path + "`";
            Complain(line, field, "a scenario key", given, DidYouMean(SuggestKey(path)));
        }
        return ShortPath(path);
    }

    void ReadWhere(const ValueEntry& entry)
    {
        if (entry.value.kind != Value::Kind::Map)
        {
            Complain(entry.line, "where", "a map of scenario keys and values", ShortText(entry.value));
        }
        for (const auto& condition : entry.value.entries)
        {
            const std::string path = KnownPath(condition.name, "where", condition.line);
            if (const Key* key = FindKey(LeafPath(path)); key != nullptr)
            {
                m_mark.where[path] = ConditionText(condition, path, *key);
            }
        }
    }

    /// The canonical text of a value, or `first..last` for the key that the mark runs over.
    std::string ConditionText(const ValueEntry& condition, const std::string& path, const Key& key)
    {
        const std::string& given = condition.value.text;
        const auto dots = path == m_mark.over ? given.find("..") : std::string::npos;
        if (dots == std::string::npos)
        {
            return ValueText(condition, condition.value, path, key);
        }
        const Value first = MakeScalar(given.substr(0, dots));
        const Value last = MakeScalar(given.substr(dots + 2));
        return ValueText(condition, first, path, key) + ".." + ValueText(condition, last, path, key);
    }

    std::string ValueText(const ValueEntry& condition, const Value& value, const std::string& path, const Key& key)
    {
        std::string text;
        std::string why;
        if (!NormalText(key, value, text, why))
        {
            const std::string expected = ExpectedText(key.field, key.range);
            Complain(condition.line, "where." + path, expected, ShortText(condition.value), why);
        }
        return text;
    }

    std::vector<Problem>& m_problems;
    std::string m_file;
    Reference m_mark;
};

} // namespace

std::vector<Reference>
ReadReferences(const Value& list, std::vector<Problem>& problems)
{
    std::vector<Reference> references;
    if (list.kind != Value::Kind::List)
    {
        AddProblem(problems, {list.file, list.line, "reference", "a list of marks", ShortText(list), ""});
        return references;
    }
    std::set<std::string> ids;
    for (const auto& item : list.items)
    {
        if (item.kind != Value::Kind::Map)
        {
            AddProblem(problems, {item.file, item.line, "reference", "a map of fields", ShortText(item), ""});
            continue;
        }
        references.push_back(MarkReader(problems).Read(item));
        const std::string& id = references.back().id;
        if (!id.empty() && !ids.insert(id).second)
        {
            AddProblem(problems, {item.file, item.line, "reference.id", "each id once", "`" + id + "` again", ""});
        }
    }
    return references;
}

} // namespace hbd::traffic
