/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "traffic-gen/units.h"

#include <gtest/gtest.h>
#include <random>
#include <type_traits>
#include <utility>

// Goal: quantities mean what their text says, to the last digit, and only meaningful arithmetic compiles. Method: exact
// values, texts that must be refused, detection of expressions (SFINAE) for what must not compile, random values for
// the round trip.

using namespace hbd::traffic;

namespace
{

template <class T>
T
Parsed(const std::string& text)
{
    T value;
    std::string why;
    EXPECT_TRUE(ParseQuantity(text, value, why)) << text << ": " << why;
    return value;
}

template <class T>
std::string
Refusal(const std::string& text)
{
    T value;
    std::string why;
    EXPECT_FALSE(ParseQuantity(text, value, why)) << text << " was read as " << ToText(value);
    EXPECT_TRUE(value.IsZero()) << "a refused text must leave the value alone";
    return why;
}

/// Whether A op B compiles.
template <class A, class B, class = void>
struct CanAdd : std::false_type
{
};

template <class A, class B>
struct CanAdd<A, B, std::void_t<decltype(std::declval<A>() + std::declval<B>())>> : std::true_type
{
};

template <class A, class B, class = void>
struct CanCompare : std::false_type
{
};

template <class A, class B>
struct CanCompare<A, B, std::void_t<decltype(std::declval<A>() < std::declval<B>())>> : std::true_type
{
};

template <class A, class B, class = void>
struct CanMultiply : std::false_type
{
};

template <class A, class B>
struct CanMultiply<A, B, std::void_t<decltype(std::declval<A>() * std::declval<B>())>> : std::true_type
{
};

template <class A, class B, class = void>
struct CanDivide : std::false_type
{
};

template <class A, class B>
struct CanDivide<A, B, std::void_t<decltype(std::declval<A>() / std::declval<B>())>> : std::true_type
{
};

TEST(Units, AreBuiltOnlyByNamedFactories)
{
    EXPECT_FALSE((std::is_convertible_v<int, Bytes>));
    EXPECT_FALSE((std::is_constructible_v<Bytes, uint64_t>));
    EXPECT_FALSE((std::is_constructible_v<Duration, int64_t>));
    EXPECT_FALSE((std::is_constructible_v<BitRate, Bytes>));
    EXPECT_FALSE((std::is_convertible_v<Bytes, uint64_t>));
    EXPECT_TRUE(Bytes{}.IsZero());
    EXPECT_TRUE(Duration{}.IsZero());
}

TEST(Units, RefuseMixing)
{
    EXPECT_TRUE((CanAdd<Bytes, Bytes>::value));
    EXPECT_FALSE((CanAdd<Bytes, Duration>::value));
    EXPECT_FALSE((CanAdd<Bytes, int>::value));
    EXPECT_FALSE((CanAdd<BitRate, ByteRate>::value));
    EXPECT_FALSE((CanCompare<Bytes, BitRate>::value));
    EXPECT_FALSE((CanCompare<Duration, int64_t>::value));
    EXPECT_FALSE((CanMultiply<Bytes, Bytes>::value));
    EXPECT_FALSE((CanMultiply<Duration, Duration>::value));
    EXPECT_FALSE((CanMultiply<Bytes, double>::value)) << "a fraction of a byte would be lost silently";
    EXPECT_TRUE((CanMultiply<Bytes, int>::value));
    EXPECT_TRUE((CanMultiply<ByteRate, double>::value));
    EXPECT_FALSE((CanDivide<Bytes, FlopRate>::value));
    EXPECT_FALSE((CanDivide<Flops, ByteRate>::value));
    EXPECT_FALSE((CanDivide<Duration, Bytes>::value));
    EXPECT_FALSE((CanDivide<int, Bytes>::value));
}

TEST(Units, DataOverARateIsTime)
{
    EXPECT_EQ((Bytes::FromBytes(4096) / BitRate::FromGbps(400)).Picoseconds(), 81920);
    EXPECT_EQ((Bytes::FromBytes(1) / BitRate::FromBitsPerSecond(3)).Picoseconds(), 2666666666667) << "rounded up";
    EXPECT_EQ((Bytes::FromBytes(7700) / ByteRate::FromBytesPerSecond(7.7e12)).Picoseconds(), 1000);
    EXPECT_EQ((Flops::FromFlops(2.25e15) / FlopRate::FromTeraflopsPerSecond(2250)).Seconds(), 1.0);
    EXPECT_EQ(Bytes::FromBytes(1) / BitRate{}, Duration::Max());
    EXPECT_EQ(Bytes::FromBytes(1) / ByteRate{}, Duration::Max());
    EXPECT_EQ(Bytes::FromBytes(UINT64_MAX) / BitRate::FromBitsPerSecond(1), Duration::Max());
}

TEST(Units, SumsAndMultiplesKeepTheUnit)
{
    EXPECT_EQ((Bytes::FromKib(1) + Bytes::FromBytes(1)).Count(), 1025u);
    EXPECT_EQ((3 * Bytes::FromMib(2)).Count(), 6u << 20);
    EXPECT_EQ((Duration::FromNanoseconds(3) - Duration::FromNanoseconds(5)).Picoseconds(), -2000);
    EXPECT_EQ((Duration::FromMicroseconds(1) / 3).Picoseconds(), 333333);
    Bytes sum = Bytes::FromGib(1);
    sum += Bytes::FromGib(1);
    EXPECT_EQ(sum.Count(), uint64_t{1} << 31);
    EXPECT_EQ(Duration::FromSeconds(1.5e-12).Picoseconds(), 2);
    EXPECT_EQ(Duration::FromSeconds(1e300), Duration::Max());
}

TEST(UnitText, DecimalAndBinaryPrefixesDiffer)
{
    EXPECT_EQ(Parsed<Bytes>("1TB").Count(), 1000000000000u);
    EXPECT_EQ(Parsed<Bytes>("1TiB").Count(), uint64_t{1} << 40);
    EXPECT_EQ(Parsed<Bytes>("4KiB").Count(), 4096u);
    EXPECT_EQ(Parsed<Bytes>("12.5KiB").Count(), 12800u);
    EXPECT_EQ(Parsed<Bytes>("1kB"), Parsed<Bytes>("1KB"));
    EXPECT_EQ(Parsed<Bytes>("1.5e3 B").Count(), 1500u);
    EXPECT_EQ(Parsed<Bytes>("18446744073709551615B").Count(), UINT64_MAX);
}

TEST(UnitText, RatesAreInBitsOrBytes)
{
    EXPECT_EQ(Parsed<BitRate>("1.8TB/s").BitsPerSecond(), 14400000000000u);
    EXPECT_EQ(Parsed<BitRate>("1.8TB/s"), Parsed<BitRate>("1800GB/s"));
    for (const char* text : {"400Gbps", "400Gb/s", "400Gbit/s", "400 Gbps", "50GB/s", "50GBps", "0.4Tbps"})
    {
        EXPECT_EQ(Parsed<BitRate>(text).BitsPerSecond(), 400000000000u) << text;
    }
    EXPECT_EQ(Parsed<ByteRate>("7.7TB/s").BytesPerSecond(), 7.7e12);
    EXPECT_EQ(Parsed<ByteRate>("1bps").BytesPerSecond(), 0.125);
    EXPECT_EQ(Parsed<FlopRate>("2250TFLOPS"), Parsed<FlopRate>("2.25 PFLOP/s"));
}

TEST(UnitText, TimesAreWholePicoseconds)
{
    EXPECT_EQ(Parsed<Duration>("500ns").Picoseconds(), 500000);
    EXPECT_EQ(Parsed<Duration>("0.0005ms").Picoseconds(), 500000);
    EXPECT_EQ(Parsed<Duration>("2.7us").Picoseconds(), 2700000);
    EXPECT_EQ(Parsed<Duration>("1s").Picoseconds(), 1000000000000);
    EXPECT_NE(Refusal<Duration>("0.5ps").find("whole number"), std::string::npos);
}

TEST(UnitText, DecimalsAreExact)
{
    // 0.1 + 0.2 style errors: none of these is exact as a double times a power of ten.
    EXPECT_EQ(Parsed<Duration>("0.1ns").Picoseconds(), 100);
    EXPECT_EQ(Parsed<Duration>("9007199.254740993s").Picoseconds(), 9007199254740993000);
    EXPECT_EQ(Parsed<Bytes>("9007199254.740993GB").Count(), 9007199254740993000u);
    EXPECT_EQ(Parsed<BitRate>("1.000000000001Tbps").BitsPerSecond(), 1000000000001u);
}

TEST(UnitText, ASizeIsNoRate)
{
    const std::string why = Refusal<BitRate>("1.8TB");
    EXPECT_NE(why.find("size"), std::string::npos);
    EXPECT_NE(why.find("1.8TB/s"), std::string::npos) << "it must say what is right: " << why;
    EXPECT_NE(Refusal<Bytes>("1GB/s").find("rate"), std::string::npos);
    EXPECT_NE(Refusal<Bytes>("4Kb").find("bytes"), std::string::npos);
    EXPECT_NE(Refusal<Duration>("5GB").find("something else"), std::string::npos);
}

TEST(UnitText, ABareNumberIsRefused)
{
    EXPECT_NE(Refusal<Bytes>("4096").find("no unit"), std::string::npos);
    EXPECT_NE(Refusal<Duration>("0").find("no unit"), std::string::npos);
    EXPECT_NE(Refusal<BitRate>("400e9").find("no unit"), std::string::npos);
}

TEST(UnitText, NonsenseIsRefused)
{
    for (const char* text :
         {"", " ", "GB", "-1B", ".B", "1..2B", "1gb", "1 G B", "nan B", "inf B", "0x10B", "1,5GB", "1e999B", "1e-999B"})
    {
        EXPECT_FALSE(Refusal<Bytes>(text).empty()) << text;
    }
    EXPECT_NE(Refusal<Bytes>("18446744073709551616B").find("too large"), std::string::npos);
    EXPECT_NE(Refusal<Bytes>(std::string(100, '9') + "B").find("too many digits"), std::string::npos);
    EXPECT_NE(Refusal<Duration>("1e9s").find("too large"), std::string::npos);
}

TEST(UnitText, IsAsShortAsItCanBe)
{
    EXPECT_EQ(ToText(Bytes::FromBytes(4096)), "4KiB");
    EXPECT_EQ(ToText(Bytes::FromBytes(612140)), "612140B");
    EXPECT_EQ(ToText(Bytes::FromBytes(1000000)), "1MB");
    EXPECT_EQ(ToText(BitRate::FromGbps(400)), "400Gbps");
    EXPECT_EQ(ToByteRateText(BitRate::FromGbps(14400)), "1.8TB/s");
    EXPECT_EQ(ToByteRateText(BitRate::FromBitsPerSecond(9)), "9bps");
    EXPECT_EQ(ToText(FlopRate::FromTeraflopsPerSecond(2250)), "2250TFLOPS");
    EXPECT_EQ(ToText(Duration::FromNanoseconds(500)), "500ns");
    EXPECT_EQ(ToText(Duration::FromPicoseconds(-1500)), "-1.5ns");
}

TEST(UnitText, ReadsBackToTheSameValue)
{
    std::mt19937_64 random(1);
    for (int i = 0; i < 2000; ++i)
    {
        const uint64_t number = random() >> (random() % 64);
        EXPECT_EQ(Parsed<Bytes>(ToText(Bytes::FromBytes(number))).Count(), number);
        EXPECT_EQ(Parsed<BitRate>(ToText(BitRate::FromBitsPerSecond(number))).BitsPerSecond(), number);
        EXPECT_EQ(Parsed<BitRate>(ToByteRateText(BitRate::FromBitsPerSecond(number))).BitsPerSecond(), number);
        const int64_t time = static_cast<int64_t>(number >> 1);
        EXPECT_EQ(Parsed<Duration>(ToText(Duration::FromPicoseconds(time))).Picoseconds(), time);
        const double rate = static_cast<double>(number >> 12);
        EXPECT_EQ(Parsed<ByteRate>(ToText(ByteRate::FromBytesPerSecond(rate))).BytesPerSecond(), rate);
        EXPECT_EQ(Parsed<FlopRate>(ToText(FlopRate::FromFlopsPerSecond(rate))).FlopsPerSecond(), rate);
    }
}

} // namespace
