/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "reference-reader.h"

#include "scenario-writer.h"

#include <charconv>
#include <cmath>
#include <set>

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

/// Reads one mark.
class ReferenceReader
{
  public:
    explicit ReferenceReader(std::vector<Problem>& problems)
        : m_problems(problems)
    {
    }

    Reference Read(const Value& value)
    {
        Reference reference;
        m_seen.clear();
        for (const auto& entry : value.entries)
        {
            if (!m_seen.insert(entry.name).second)
            {
                Complain(entry.line, entry.name, "a field given once", "`" + entry.name + "` twice");
            }
            ReadEntry(entry, reference);
        }
        Require(value, "id", "metric", "kind", "over");
        if (reference.kind == "gain-grows-with")
        {
            Require(value, "gain-with");
        }
        else if (reference.kind != "falls")
        {
            Require(value, "published");
        }
        return reference;
    }

  private:
    struct TextField
    {
        const char* name;
        std::string Reference::*member;
        const std::vector<std::string>* words; ///< nullptr = any text
    };

    struct NumberField
    {
        const char* name;
        std::optional<double> Reference::*member;
    };

    void Complain(int line,
                  const std::string& field,
                  const std::string& expected,
                  const std::string& given,
                  const std::string& hint = "")
    {
        AddProblem(m_problems, {m_file, line, "reference." + field, expected, given, hint});
    }

    template <class... Names>
    void Require(const Value& value, Names... names)
    {
        for (const std::string name : {names...})
        {
            if (m_seen.count(name) == 0)
            {
                Complain(value.line, name, "a value", "nothing");
            }
        }
    }

    void ReadEntry(const ValueEntry& entry, Reference& reference)
    {
        static const std::vector<TextField> kTexts = {{"id", &Reference::id, nullptr},
                                                      {"statement", &Reference::statement, nullptr},
                                                      {"metric", &Reference::metric, &kMetrics},
                                                      {"kind", &Reference::kind, &kKinds},
                                                      {"source", &Reference::source, nullptr}};
        static const std::vector<NumberField> kNumbers = {{"published", &Reference::published},
                                                          {"tolerance", &Reference::tolerance},
                                                          {"at-least", &Reference::atLeast}};
        m_file = entry.value.file;
        for (const auto& field : kTexts)
        {
            if (entry.name == field.name)
            {
                return ReadText(entry, field, reference.*field.member);
            }
        }
        for (const auto& field : kNumbers)
        {
            if (entry.name == field.name)
            {
                return ReadNumber(entry, reference.*field.member);
            }
        }
        if (entry.name == "over" || entry.name == "gain-with")
        {
            std::string& path = entry.name == "over" ? reference.over : reference.gainWith;
            path = ReadKeyPath(entry.value.text, entry.name, entry.line);
        }
        else if (entry.name == "where")
        {
            ReadWhere(entry, reference);
        }
        else
        {
            const std::string near = Nearest(entry.name,
                                             {"id",
                                              "statement",
                                              "metric",
                                              "kind",
                                              "where",
                                              "over",
                                              "gain-with",
                                              "published",
                                              "tolerance",
                                              "at-least",
                                              "source"});
            Complain(entry.line,
                     entry.name,
                     "a known field",
                     "`" + entry.name + "`",
                     near.empty() ? "" : "did you mean " + near + "?");
        }
    }

    void ReadText(const ValueEntry& entry, const TextField& field, std::string& text)
    {
        text = entry.value.text;
        const auto& words = field.words == nullptr ? std::vector<std::string>{text} : *field.words;
        for (const auto& word : words)
        {
            if (word == text && !text.empty())
            {
                return;
            }
        }
        std::string expected = field.words == nullptr ? "a text" : "one of";
        std::string separator = " ";
        for (const auto& word : field.words == nullptr ? std::vector<std::string>{} : words)
        {
            expected += separator + word;
            separator = ", ";
        }
        const std::string near = field.words == nullptr ? "" : Nearest(text, words);
        Complain(entry.line,
                 entry.name,
                 expected,
                 ShortText(entry.value),
                 near.empty() ? "" : "did you mean " + near + "?");
    }

    void ReadNumber(const ValueEntry& entry, std::optional<double>& number)
    {
        double parsed = 0;
        const std::string& text = entry.value.text;
        const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
        if (error != std::errc() || at != text.data() + text.size() || !std::isfinite(parsed))
        {
            Complain(entry.line, entry.name, "a number", ShortText(entry.value));
            return;
        }
        number = parsed;
    }

    /// A scenario key's short path, as in the columns of points.csv.
    std::string ReadKeyPath(const std::string& path, const std::string& field, int line)
    {
        if (FindKey(LeafPath(path)) == nullptr)
        {
            const std::string near = SuggestKey(path);
            Complain(line,
                     field,
                     "a scenario key",
                     path.empty() ? "nothing" : "`" + path + "`",
                     near.empty() ? "" : "did you mean " + near + "?");
        }
        return ShortPath(path);
    }

    void ReadWhere(const ValueEntry& entry, Reference& reference)
    {
        if (entry.value.kind != Value::Kind::Map)
        {
            Complain(entry.line, "where", "a map of scenario keys and values", ShortText(entry.value));
        }
        for (const auto& condition : entry.value.entries)
        {
            const std::string path = ReadKeyPath(condition.name, "where", condition.line);
            const Key* key = FindKey(LeafPath(path));
            std::string text;
            std::string why;
            if (key != nullptr && !NormalText(*key, condition.value, text, why))
            {
                Complain(condition.line,
                         "where." + path,
                         ExpectedText(key->field, key->range),
                         ShortText(condition.value),
                         why);
            }
            reference.where[path] = text;
        }
    }

    std::vector<Problem>& m_problems;
    std::string m_file;
    std::set<std::string> m_seen; ///< fields of the mark being read
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
    ReferenceReader reader(problems);
    std::set<std::pair<std::string, std::string>> marks;
    for (const auto& item : list.items)
    {
        if (item.kind != Value::Kind::Map)
        {
            AddProblem(problems, {item.file, item.line, "reference", "a map of fields", ShortText(item), ""});
            continue;
        }
        references.push_back(reader.Read(item));
        const Reference& last = references.back();
        if (!marks.emplace(last.id, last.metric).second)
        {
            AddProblem(
                problems,
                {item.file, item.line, "reference.id", "an id once for each metric", "`" + last.id + "` again", ""});
        }
    }
    return references;
}

} // namespace hbd::traffic
