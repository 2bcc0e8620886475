/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scenario-field.h"

#include "kernel-schema.h"

#include <array>
#include <charconv>
#include <cmath>
#include <type_traits>

namespace hbd::traffic
{

namespace
{

template <class... Cases>
struct Overloaded : Cases...
{
    using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

// One pair of Parse and Print for each type of scalar.

template <class Integer>
bool
ParseInteger(const std::string& text, Integer& value, std::string& why)
{
    const char* end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc::result_out_of_range && at == end)
    {
        why = "it is too large";
        return false;
    }
    if (error != std::errc() || at != end)
    {
        why = !text.empty() && text[0] == '-' ? "it must not be negative" : "it is not a whole number";
        return false;
    }
    return true;
}

bool
Parse(const std::string& text, uint32_t& value, std::string& why)
{
    return ParseInteger(text, value, why);
}

bool
Parse(const std::string& text, uint64_t& value, std::string& why)
{
    return ParseInteger(text, value, why);
}

bool
Parse(const std::string& text, double& value, std::string& why)
{
    const char* end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || at != end || !std::isfinite(value))
    {
        why = "it is not a number";
        return false;
    }
    return true;
}

bool
Parse(const std::string& text, Precision& value, std::string& why)
{
    constexpr std::array<std::pair<std::string_view, Precision>, 4> kNames{
        {{"fp16", Precision::Fp16}, {"bf16", Precision::Fp16}, {"fp8", Precision::Fp8}, {"fp4", Precision::Fp4}}};
    for (const auto& [name, precision] : kNames)
    {
        if (text == name)
        {
            value = precision;
            return true;
        }
    }
    why = "it is no known number format";
    return false;
}

template <class T>
bool
Parse(const std::string& text, T& value, std::string& why)
{
    return ParseQuantity(text, value, why);
}

template <class T>
std::string
Print(const T& value)
{
    if constexpr (std::is_integral_v<T>)
    {
        return std::to_string(value);
    }
    else
    {
        return ToText(value);
    }
}

template <>
std::string
Print(const double& value)
{
    std::array<char, 40> text;
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    return std::string(text.data(), end);
}

std::vector<std::string>
Words(std::string_view range)
{
    std::vector<std::string> words;
    while (!range.empty())
    {
        const auto bar = range.find('|');
        words.emplace_back(range.substr(0, bar));
        range = bar == std::string_view::npos ? std::string_view() : range.substr(bar + 1);
    }
    return words;
}

/// Parses a number or quantity and checks it against `least..most`.
template <class T>
bool
ParseInRange(const Value& given, std::string_view range, T& value, std::string& why)
{
    T parsed{};
    if (!Parse(given.text, parsed, why))
    {
        return false;
    }
    if (const auto dots = range.find(".."); dots != std::string_view::npos)
    {
        T least{};
        T most{};
        if (!Parse(std::string(range.substr(0, dots)), least, why) ||
            !Parse(std::string(range.substr(dots + 2)), most, why))
        {
            return false;
        }
        if (parsed < least || parsed > most)
        {
            why = "it is out of range";
            return false;
        }
    }
    value = parsed;
    return true;
}

bool
ParseWord(const Value& given, std::string_view range, std::string& value, std::string& why)
{
    const auto words = Words(range);
    for (const auto& word : words)
    {
        if (given.text == word)
        {
            value = word;
            return true;
        }
    }
    if (!words.empty())
    {
        const std::string near = Nearest(given.text, words);
        why = near.empty() ? "" : "did you mean " + near + "?";
        return false;
    }
    value = given.text;
    why = "a text is missing";
    return !value.empty();
}

/// Several texts: a list, or one with commas, which is what becomes of it.
bool
ParseTexts(const Value& given, std::string& value, std::string& why)
{
    std::string joined = given.text;
    for (const auto& item : given.items)
    {
        if (item.kind != Value::Kind::Scalar)
        {
            why = "`" + ShortText(item) + "`";
            return false;
        }
        joined += (joined.empty() ? "" : ", ") + item.text;
    }
    why = "a text is missing";
    value = joined;
    return !value.empty();
}

bool
ParseBoolean(const Value& given, std::string_view range, bool& value, std::string& why)
{
    if (given.text == "true" || given.text == "false")
    {
        value = given.text == "true";
        return true;
    }
    std::string word;
    const bool good = ParseWord(given, range, word, why);
    value = good ? word != Words(range).front() : value;
    return good;
}

template <class T>
bool
ParseList(const Value& given, std::string_view range, std::vector<T>& value, std::string& why)
{
    std::vector<T> parsed;
    const std::vector<Value> one{given};
    for (const auto& item : given.kind == Value::Kind::List ? given.items : one)
    {
        parsed.emplace_back();
        if (item.kind != Value::Kind::Scalar || !ParseInRange(item, range, parsed.back(), why))
        {
            why = "`" + ShortText(item) + "`" + (why.empty() ? "" : ": " + why);
            return false;
        }
    }
    if (parsed.empty())
    {
        why = "the list is empty";
        return false;
    }
    value = std::move(parsed);
    return true;
}

/// Reads kernels for who only has one line for what is wrong.
bool
ParseKernels(const Value& given, Scenario& scenario, std::string& why)
{
    std::vector<Problem> problems;
    const bool good = ReadKernels(given, scenario, problems);
    if (!good)
    {
        const Problem& first = problems.front();
        why = first.path + ": expected " + first.expected + ", given " + first.given +
              (first.hint.empty() ? "" : ": " + first.hint);
    }
    return good;
}

Value
Literal(const std::string& text)
{
    Value value = MakeScalar(text);
    value.literal = true;
    return value;
}

template <class T>
Value
PrintList(const std::vector<T>& list)
{
    Value value;
    value.kind = Value::Kind::List;
    for (const auto& item : list)
    {
        value.items.push_back(std::is_integral_v<T> ? Literal(Print(item)) : MakeScalar(Print(item)));
    }
    return value;
}

constexpr std::string_view kTexts = ","; ///< range of several texts
constexpr std::string_view kSize = "a size such as 4KiB";
constexpr std::string_view kRate = "a rate such as 400Gbps or 1.8TB/s";

std::string
TypeText(const Field& field)
{
    return std::string(
        std::visit(Overloaded{[](Access<uint32_t>) -> std::string_view { return "a whole number"; },
                              [](Access<uint64_t>) -> std::string_view { return "a whole number"; },
                              [](Access<double>) -> std::string_view { return "a number"; },
                              [](Access<bool>) -> std::string_view { return "one of"; },
                              [](Access<std::string>) -> std::string_view { return "a text"; },
                              [](Access<Precision>) -> std::string_view { return "fp16, bf16, fp8 or fp4"; },
                              [](Access<Bytes>) -> std::string_view { return kSize; },
                              [](Access<BitRate>) -> std::string_view { return kRate; },
                              [](Access<ByteRate>) -> std::string_view { return "a rate such as 8TB/s"; },
                              [](Access<FlopRate>) -> std::string_view { return "a rate such as 2250TFLOPS"; },
                              [](Access<Duration>) -> std::string_view { return "a time such as 500ns"; },
                              [](Access<Fraction>) -> std::string_view { return "a factor such as 2 or 16/15"; },
                              [](Access<std::vector<Bytes>>) -> std::string_view {
                                  return "a list of sizes such as [64KiB, 1MiB]";
                              },
                              [](IntegerOrAuto) -> std::string_view { return "auto or a whole number"; },
                              [](RateOrAuto) -> std::string_view { return "auto or a rate such as 400Gbps"; },
                              [](RateInBytes) -> std::string_view { return kRate; },
                              [](RankList) -> std::string_view { return "all or a list of GPU numbers"; },
                              [](KernelList) -> std::string_view { return "a list of kernels, each a map"; }},
                   field));
}

} // namespace

bool
ReadField(const Field& field, std::string_view range, const Value& value, Scenario& scenario, std::string& why)
{
    const bool list = std::holds_alternative<Access<std::vector<Bytes>>>(field) ||
                      std::holds_alternative<RankList>(field) || std::holds_alternative<KernelList>(field) || range == kTexts;
    if (value.kind != Value::Kind::Scalar && !(list && value.kind == Value::Kind::List))
    {
        why = value.kind == Value::Kind::Null ? "the value is missing" : "it is not a single value";
        return false;
    }
    const auto orAuto = [&](auto& number) {
        const bool automatic = value.text == "auto";
        number = {};
        return automatic || ParseInRange(value, range, number, why);
    };
    return std::visit(
        Overloaded{[&](Access<bool> get) { return ParseBoolean(value, range, get(scenario), why); },
                   [&](Access<std::string> get) {
                       return range == kTexts ? ParseTexts(value, get(scenario), why)
                                              : ParseWord(value, range, get(scenario), why);
                   },
                   [&](Access<std::vector<Bytes>> get) { return ParseList(value, range, get(scenario), why); },
                   [&](IntegerOrAuto a) { return orAuto(a.get(scenario)); },
                   [&](RateOrAuto a) { return orAuto(a.get(scenario)); },
                   [&](RateInBytes r) { return ParseInRange(value, range, r.get(scenario), why); },
                   [&](RankList r) {
                       if (value.kind == Value::Kind::Scalar && value.text == "all")
                       {
                           r.get(scenario).clear();
                           return true;
                       }
                       return ParseList(value, range, r.get(scenario), why);
                   },
                   [&](KernelList) { return ParseKernels(value, scenario, why); },
                   [&](auto get) { return ParseInRange(value, range, get(scenario), why); }},
        field);
}

Value
WriteField(const Field& field, std::string_view range, Scenario& scenario)
{
    const auto orAuto = [](const auto& number) {
        return number == std::decay_t<decltype(number)>{} ? MakeScalar("auto") : MakeScalar(Print(number));
    };
    return std::visit(
        Overloaded{[&](Access<uint32_t> get) { return Literal(Print(get(scenario))); },
                   [&](Access<uint64_t> get) { return Literal(Print(get(scenario))); },
                   [&](Access<double> get) { return Literal(Print(get(scenario))); },
                   [&](Access<bool> get) {
                       const std::string word = Words(range)[get(scenario) ? 1 : 0];
                       return word == "true" || word == "false" ? Literal(word) : MakeScalar(word);
                   },
                   [&](Access<std::string> get) { return MakeScalar(get(scenario)); },
                   [&](Access<std::vector<Bytes>> get) { return PrintList(get(scenario)); },
                   [&](IntegerOrAuto a) {
                       Value value = orAuto(a.get(scenario));
                       value.literal = value.text != "auto";
                       return value;
                   },
                   [&](RateOrAuto a) { return orAuto(a.get(scenario)); },
                   [&](RateInBytes r) { return MakeScalar(ToByteRateText(r.get(scenario))); },
                   [&](RankList r) { return r.get(scenario).empty() ? MakeScalar("all") : PrintList(r.get(scenario)); },
                   [&](KernelList) { return WriteKernels(scenario); },
                   [&](auto get) { return MakeScalar(Print(get(scenario))); }},
        field);
}

std::string
ExpectedText(const Field& field, std::string_view range)
{
    if (range == kTexts)
    {
        return "a list of texts, or one with commas";
    }
    if (range.find('|') == std::string_view::npos)
    {
        return TypeText(field) + (range.empty() ? "" : ", " + std::string(range));
    }
    std::string text = "one of";
    std::string separator = " ";
    for (const auto& word : Words(range))
    {
        text += separator + word;
        separator = ", ";
    }
    return text;
}

std::string
ToText(Precision precision)
{
    constexpr std::array<const char*, 3> kNames{"fp16", "fp8", "fp4"};
    return kNames[static_cast<std::size_t>(precision)];
}

} // namespace hbd::traffic
