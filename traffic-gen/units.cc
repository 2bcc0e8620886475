/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "units.h"

#include <cctype>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <utility>

namespace hbd::traffic
{

namespace
{

__extension__ using Wide = unsigned __int128;

/// What a unit measures. Rates are counted in bits a second, times in picoseconds.
enum class Dimension
{
    None,
    Size,
    BitCount,
    LineRate,
    FlopRate,
    Time,
};

struct Unit
{
    Dimension dimension = Dimension::None;
    Wide factor = 0; ///< of the counting unit of the dimension
};

/// mantissa x 10^exponent, exactly as written.
struct Decimal
{
    Wide mantissa = 0;
    int exponent = 0;
};

constexpr uint64_t kTera = 1000000000000u;
constexpr int kMostExponent = 60;

/// Factor of a prefix letter (k, M, ...; binary with an i behind it), 0 when there is none such.
Wide
PrefixFactor(std::string_view prefix)
{
    if (prefix.empty())
    {
        return 1;
    }
    const bool binary = prefix.size() == 2 && prefix[1] == 'i';
    if (prefix.size() > 1 && !binary)
    {
        return 0;
    }
    const std::string_view letters = "kMGTPE";
    const auto power = letters.find(prefix[0] == 'K' ? 'k' : prefix[0]);
    if (power == std::string_view::npos)
    {
        return 0;
    }
    Wide factor = 1;
    for (std::size_t i = 0; i <= power; ++i)
    {
        factor *= binary ? 1024 : 1000;
    }
    return factor;
}

Unit
TimeUnit(std::string_view text)
{
    for (const auto& [name, factor] : std::initializer_list<std::pair<std::string_view, uint64_t>>{{"ps", 1},
                                                                                                   {"ns", 1000},
                                                                                                   {"us", 1000000},
                                                                                                   {"\u00b5s", 1000000},
                                                                                                   {"ms", 1000000000},
                                                                                                   {"s", kTera}})
    {
        if (text == name)
        {
            return {Dimension::Time, factor};
        }
    }
    return {};
}

Unit
FindUnit(std::string_view text)
{
    struct Base
    {
        std::string_view name;
        Dimension dimension;
        unsigned factor;
    };

    // Longest first: "Gbit/s" must not be taken for a prefix of something shorter.
    static constexpr Base kBases[] = {
        {"FLOP/s", Dimension::FlopRate, 1},
        {"FLOPS", Dimension::FlopRate, 1},
        {"bit/s", Dimension::LineRate, 1},
        {"B/s", Dimension::LineRate, 8},
        {"Bps", Dimension::LineRate, 8},
        {"b/s", Dimension::LineRate, 1},
        {"bps", Dimension::LineRate, 1},
        {"bit", Dimension::BitCount, 1},
        {"B", Dimension::Size, 1},
        {"b", Dimension::BitCount, 1},
    };
    for (const auto& base : kBases)
    {
        if (text.size() >= base.name.size() && text.substr(text.size() - base.name.size()) == base.name)
        {
            const Wide prefix = PrefixFactor(text.substr(0, text.size() - base.name.size()));
            return prefix == 0 ? Unit{} : Unit{base.dimension, prefix * base.factor};
        }
    }
    return TimeUnit(text);
}

bool
IsDigit(char c)
{
    return c >= '0' && c <= '9';
}

/// Takes an exponent (e or E, sign, digits) off the front of the text; a unit such as EB is none.
int
TakeExponent(std::string_view& text)
{
    std::size_t at = 1;
    if (text.size() < 2 || (text[0] != 'e' && text[0] != 'E'))
    {
        return 0;
    }
    const bool negative = text[1] == '-';
    at += text[1] == '-' || text[1] == '+' ? 1 : 0;
    if (at == text.size() || !IsDigit(text[at]))
    {
        return 0;
    }
    int exponent = 0;
    for (; at < text.size() && IsDigit(text[at]); ++at)
    {
        exponent = exponent > kMostExponent ? exponent : exponent * 10 + (text[at] - '0');
    }
    text.remove_prefix(at);
    return negative ? -exponent : exponent;
}

/// Takes a decimal number off the front of the text. False when there is none or it has more digits than fit.
bool
TakeDecimal(std::string_view& text, Decimal& decimal, std::string& why)
{
    bool digits = false;
    bool point = false;
    std::size_t at = 0;
    for (; at < text.size() && (IsDigit(text[at]) || (text[at] == '.' && !point)); ++at)
    {
        if (text[at] == '.')
        {
            point = true;
            continue;
        }
        digits = true;
        if (decimal.mantissa > std::numeric_limits<Wide>::max() / 100)
        {
            why = "the number has too many digits";
            return false;
        }
        decimal.mantissa = decimal.mantissa * 10 + static_cast<unsigned>(text[at] - '0');
        decimal.exponent -= point ? 1 : 0;
    }
    if (!digits)
    {
        why = "it does not start with a number";
        return false;
    }
    text.remove_prefix(at);
    decimal.exponent += TakeExponent(text);
    return true;
}

/// Divides a and then b by prime, count times in all; returns how many divisions were not possible.
int
Cancel(Wide& a, Wide& b, unsigned prime, int count)
{
    for (Wide* number : {&a, &b})
    {
        for (; count > 0 && *number % prime == 0; --count)
        {
            *number /= prime;
        }
    }
    return count;
}

/// decimal x factor as an integer of at most `most`.
bool
Scale(Decimal decimal, Wide factor, uint64_t most, uint64_t& value, std::string& why)
{
    if (decimal.mantissa == 0)
    {
        value = 0;
        return true;
    }
    int up = decimal.exponent;
    if (up < 0)
    {
        const int down = -up;
        up = 0;
        if (Cancel(decimal.mantissa, factor, 2, down) > 0 || Cancel(decimal.mantissa, factor, 5, down) > 0)
        {
            why = "it is not a whole number of the smallest unit";
            return false;
        }
    }
    Wide result = decimal.mantissa;
    bool tooLarge = result > most || result > most / factor;
    for (; !tooLarge && up > 0; --up)
    {
        result *= 10;
        tooLarge = result > most / factor;
    }
    if (tooLarge)
    {
        why = "it is too large";
        return false;
    }
    value = static_cast<uint64_t>(result * factor);
    return true;
}

std::string
WhyNotThisUnit(std::string_view text, std::string_view unitText, Dimension given, Dimension wanted)
{
    const std::string whole(text);
    if (given == Dimension::None)
    {
        return "`" + std::string(unitText) + "` is no known unit (capitals matter: B is bytes, b is bits)";
    }
    if (wanted == Dimension::LineRate && (given == Dimension::Size || given == Dimension::BitCount))
    {
        return "`" + whole + "` is a size; a rate is per second: " + whole + "/s";
    }
    if (wanted == Dimension::Size && given == Dimension::LineRate)
    {
        return "`" + whole + "` is a rate, not a size";
    }
    if (wanted == Dimension::Size && given == Dimension::BitCount)
    {
        return "sizes are in bytes: b is bits, B is bytes";
    }
    return "`" + std::string(unitText) + "` is a unit of something else";
}

std::string_view
Trim(std::string_view text)
{
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
    {
        text.remove_prefix(1);
    }
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
    {
        text.remove_suffix(1);
    }
    return text;
}

/// The whole conversion: text to an integer of the dimension's counting unit.
bool
ParseCount(std::string_view text, Dimension wanted, uint64_t most, uint64_t& value, std::string& why)
{
    const std::string_view whole = Trim(text);
    std::string_view rest = whole;
    if (!rest.empty() && rest[0] == '-')
    {
        why = "it must not be negative";
        return false;
    }
    Decimal decimal;
    if (!TakeDecimal(rest, decimal, why))
    {
        return false;
    }
    rest = Trim(rest);
    if (rest.empty())
    {
        why = "it has no unit";
        return false;
    }
    const Unit unit = FindUnit(rest);
    if (unit.dimension != wanted)
    {
        why = WhyNotThisUnit(whole, rest, unit.dimension, wanted);
        return false;
    }
    return Scale(decimal, unit.factor, most, value, why);
}

/// value / factor, all its decimals; the factor is a power of ten.
std::string
DecimalText(uint64_t value, uint64_t factor)
{
    std::string text = std::to_string(value / factor);
    uint64_t rest = value % factor;
    for (text += rest > 0 ? "." : ""; rest > 0; rest %= factor)
    {
        factor /= 10;
        text += static_cast<char>('0' + rest / factor);
    }
    return text;
}

struct NamedFactor
{
    std::string_view name;
    uint64_t factor;
    bool binary = false;
};

/// The shortest of the texts in units not larger than the value; of equally short ones the one with the smallest unit.
std::string
Shortest(uint64_t value, std::initializer_list<NamedFactor> largestFirst)
{
    std::string best;
    for (const auto& unit : largestFirst)
    {
        const bool smallest = unit.factor == 1;
        if ((value < unit.factor && !smallest) || (unit.binary && value % unit.factor != 0))
        {
            continue;
        }
        const std::string number = unit.binary ? std::to_string(value / unit.factor) : DecimalText(value, unit.factor);
        const std::string text = number + std::string(unit.name);
        best = best.empty() || text.size() <= best.size() ? text : best;
    }
    return best;
}

std::string
BitRateText(uint64_t bitsPerSecond)
{
    return Shortest(bitsPerSecond,
                    {{"Tbps", kTera}, {"Gbps", 1000000000}, {"Mbps", 1000000}, {"kbps", 1000}, {"bps", 1}});
}

Duration
FromPicosecondCount(double picoseconds)
{
    // 2^63 is exact as a double; what is below it fits.
    return picoseconds < 9223372036854775808.0 ? Duration::FromPicoseconds(std::llround(picoseconds)) : Duration::Max();
}

} // namespace

Duration
Duration::FromSeconds(double seconds)
{
    return FromPicosecondCount(seconds * 1e12);
}

Duration
operator/(Bytes bytes, ByteRate rate)
{
    return rate.IsZero() ? Duration::Max()
                         : FromPicosecondCount(static_cast<double>(bytes.Count()) * 1e12 / rate.BytesPerSecond());
}

Duration
operator/(Bytes bytes, BitRate rate)
{
    if (rate.IsZero())
    {
        return Duration::Max();
    }
    const Wide numerator = static_cast<Wide>(bytes.Count()) * 8 * kTera;
    const Wide picoseconds = (numerator + rate.BitsPerSecond() - 1) / rate.BitsPerSecond();
    return picoseconds > static_cast<Wide>(INT64_MAX) ? Duration::Max()
                                                      : Duration::FromPicoseconds(static_cast<int64_t>(picoseconds));
}

Duration
operator/(Flops flops, FlopRate rate)
{
    return rate.IsZero() ? Duration::Max() : FromPicosecondCount(flops.Count() * 1e12 / rate.FlopsPerSecond());
}

bool
ParseQuantity(std::string_view text, Bytes& value, std::string& why)
{
    uint64_t count = 0;
    const bool good = ParseCount(text, Dimension::Size, UINT64_MAX, count, why);
    value = good ? Bytes::FromBytes(count) : value;
    return good;
}

bool
ParseQuantity(std::string_view text, BitRate& value, std::string& why)
{
    uint64_t count = 0;
    const bool good = ParseCount(text, Dimension::LineRate, UINT64_MAX, count, why);
    value = good ? BitRate::FromBitsPerSecond(count) : value;
    return good;
}

bool
ParseQuantity(std::string_view text, ByteRate& value, std::string& why)
{
    uint64_t count = 0;
    const bool good = ParseCount(text, Dimension::LineRate, UINT64_MAX, count, why);
    value = good ? ByteRate::FromBytesPerSecond(static_cast<double>(count) / 8) : value;
    return good;
}

bool
ParseQuantity(std::string_view text, FlopRate& value, std::string& why)
{
    uint64_t count = 0;
    const bool good = ParseCount(text, Dimension::FlopRate, UINT64_MAX, count, why);
    value = good ? FlopRate::FromFlopsPerSecond(static_cast<double>(count)) : value;
    return good;
}

bool
ParseQuantity(std::string_view text, Duration& value, std::string& why)
{
    uint64_t count = 0;
    const bool good = ParseCount(text, Dimension::Time, INT64_MAX, count, why);
    value = good ? Duration::FromPicoseconds(static_cast<int64_t>(count)) : value;
    return good;
}

bool
ParseQuantity(std::string_view text, Fraction& value, std::string& why)
{
    const auto bar = text.find('/');
    const auto parse = [&](std::string_view digits, uint32_t& number) {
        const char* end = digits.data() + digits.size();
        const auto [at, error] = std::from_chars(digits.data(), end, number);
        return error == std::errc() && at == end && number > 0;
    };
    Fraction read;
    if (!parse(text.substr(0, bar), read.numerator) ||
        (bar != std::string_view::npos && !parse(text.substr(bar + 1), read.denominator)))
    {
        why = "it is not a fraction of two whole numbers above 0";
        return false;
    }
    const uint32_t divisor = std::gcd(read.numerator, read.denominator);
    value = {read.numerator / divisor, read.denominator / divisor};
    return true;
}

std::string
ToText(Bytes value)
{
    return Shortest(value.Count(),
                    {{"TiB", uint64_t{1} << 40, true},
                     {"TB", kTera},
                     {"GiB", 1u << 30, true},
                     {"GB", 1000000000},
                     {"MiB", 1u << 20, true},
                     {"MB", 1000000},
                     {"KiB", 1u << 10, true},
                     {"kB", 1000},
                     {"B", 1}});
}

std::string
ToText(BitRate value)
{
    return BitRateText(value.BitsPerSecond());
}

std::string
ToByteRateText(BitRate value)
{
    if (value.BitsPerSecond() % 8 != 0)
    {
        return ToText(value);
    }
    return Shortest(value.BitsPerSecond() / 8,
                    {{"TB/s", kTera}, {"GB/s", 1000000000}, {"MB/s", 1000000}, {"kB/s", 1000}, {"B/s", 1}});
}

std::string
ToText(ByteRate value)
{
    return ToByteRateText(BitRate::FromBitsPerSecond(static_cast<uint64_t>(value.BytesPerSecond() * 8 + 0.5)));
}

std::string
ToText(FlopRate value)
{
    return Shortest(
        static_cast<uint64_t>(value.FlopsPerSecond() + 0.5),
        {{"PFLOPS", 1000 * kTera}, {"TFLOPS", kTera}, {"GFLOPS", 1000000000}, {"MFLOPS", 1000000}, {"FLOPS", 1}});
}

std::string
ToText(Duration value)
{
    const int64_t picoseconds = value.Picoseconds();
    const uint64_t magnitude = picoseconds < 0 ? 0 - static_cast<uint64_t>(picoseconds) : picoseconds;
    const std::string text =
        Shortest(magnitude, {{"s", kTera}, {"ms", 1000000000}, {"us", 1000000}, {"ns", 1000}, {"ps", 1}});
    return picoseconds < 0 ? "-" + text : text;
}

std::string
ToText(Fraction value)
{
    const std::string whole = std::to_string(value.numerator);
    return value.denominator == 1 ? whole : whole + "/" + std::to_string(value.denominator);
}

} // namespace hbd::traffic
