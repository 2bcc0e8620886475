/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "decimal.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>
#include <utility>

namespace hbd::analysis
{

namespace
{

/// Digits behind the point of a second when the clock ticks in picoseconds.
constexpr int kSecondDigits = 12;
/// Picoseconds in a second.
constexpr int64_t kPicosecondsPerSecond = 1'000'000'000'000;

std::string
UnsignedText(UInt128 value)
{
    std::string reversed;
    do
    {
        reversed.push_back(static_cast<char>('0' + static_cast<int>(value % 10)));
        value /= 10;
    } while (value != 0);
    std::reverse(reversed.begin(), reversed.end());
    return reversed;
}

/// Adds one unit in the last place of a text of digits and at most one point.
std::string
Incremented(std::string digits)
{
    for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit)
    {
        if (*digit == '.')
        {
            continue;
        }
        if (*digit != '9')
        {
            ++*digit;
            return digits;
        }
        *digit = '0';
    }
    return "1" + digits;
}

/// Whether only zeros and a point are in the text.
bool
IsZero(std::string_view digits)
{
    return digits.find_first_not_of("0.") == std::string_view::npos;
}

} // namespace

double
Ratio::Value() const
{
    return static_cast<double>(static_cast<long double>(numerator) / static_cast<long double>(denominator));
}

std::string
Ratio::Fixed(int digits) const
{
    if (denominator <= 0)
    {
        throw std::invalid_argument("a ratio needs a positive denominator");
    }
    const bool negative = numerator < 0;
    const UInt128 magnitude = negative ? -static_cast<UInt128>(numerator) : static_cast<UInt128>(numerator);
    const auto divisor = static_cast<UInt128>(denominator);
    std::string text = UnsignedText(magnitude / divisor);
    UInt128 remainder = magnitude % divisor;
    if (digits > 0)
    {
        text.push_back('.');
    }
    for (int i = 0; i < digits; ++i)
    {
        remainder *= 10;
        text.push_back(static_cast<char>('0' + static_cast<int>(remainder / divisor)));
        remainder %= divisor;
    }
    if (remainder * 2 >= divisor)
    {
        text = Incremented(std::move(text));
    }
    return negative && !IsZero(text) ? "-" + text : text;
}

std::string
Ratio::Trimmed(int digits) const
{
    std::string text = Fixed(digits);
    if (text.find('.') == std::string::npos)
    {
        return text;
    }
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.')
    {
        text.pop_back();
    }
    return text;
}

std::string
SecondsText(Int128 picoseconds)
{
    return Ratio{picoseconds, kPicosecondsPerSecond}.Trimmed(kSecondDigits);
}

std::optional<int64_t>
ParseSeconds(std::string_view text)
{
    const bool negative = !text.empty() && text.front() == '-';
    text.remove_prefix(negative ? 1 : 0);
    const auto point = text.find('.');
    const std::string whole(text.substr(0, point));
    std::string fraction(point == std::string_view::npos ? "" : text.substr(point + 1));
    while (fraction.size() > kSecondDigits && fraction.back() == '0')
    {
        fraction.pop_back();
    }
    const std::string allDigits = whole + fraction;
    if (whole.empty() || fraction.size() > kSecondDigits ||
        allDigits.find_first_not_of("0123456789") != std::string::npos)
    {
        return std::nullopt;
    }
    fraction.resize(kSecondDigits, '0');
    const auto value = ParseInteger(whole + fraction);
    return value ? std::optional<int64_t>(negative ? -*value : *value) : std::nullopt;
}

std::optional<double>
ParseDecimal(std::string_view text)
{
    double value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = result.ec == std::errc() && result.ptr == text.data() + text.size();
    return whole && !text.empty() ? std::optional<double>(value) : std::nullopt;
}

std::optional<int64_t>
ParseInteger(std::string_view text)
{
    int64_t value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = result.ec == std::errc() && result.ptr == text.data() + text.size();
    return whole && !text.empty() ? std::optional<int64_t>(value) : std::nullopt;
}

std::optional<double>
ValueSize(std::string_view text)
{
    static constexpr std::array<std::pair<std::string_view, double>, 15> prefixes{{
        {"Ki", 1024.0},
        {"Mi", 1024.0 * 1024},
        {"Gi", 1024.0 * 1024 * 1024},
        {"Ti", 1024.0 * 1024 * 1024 * 1024},
        {"k", 1e3},
        {"K", 1e3},
        {"M", 1e6},
        {"G", 1e9},
        {"T", 1e12},
        {"P", 1e15},
        {"E", 1e18},
        {"m", 1e-3},
        {"u", 1e-6},
        {"n", 1e-9},
        {"p", 1e-12},
    }};
    double value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ec != std::errc())
    {
        return std::nullopt;
    }
    std::string_view unit = text.substr(static_cast<size_t>(result.ptr - text.data()));
    unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
    for (const auto& [prefix, factor] : prefixes)
    {
        // A prefix is followed by the unit it belongs to; a lone letter is a unit.
        if (unit.size() > prefix.size() && unit.substr(0, prefix.size()) == prefix)
        {
            return value * factor;
        }
    }
    return value;
}

} // namespace hbd::analysis
