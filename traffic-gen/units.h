/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_UNITS_H
#define HBD_TRAFFIC_UNITS_H

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

/**
 * Physical quantities as types. A quantity is built only by a factory that names the unit, read back only by an
 * accessor that names it, and combined only where the result means something (bytes / rate = duration). The default
 * value of each is zero.
 *
 * As text: a decimal number, an optional space and a unit. SI prefixes are powers of 1000, binary ones of 1024 (1 TB =
 * 10^12 B, 1 TiB = 2^40 B); `B` is bytes and `b` (also `bit`) is bits; a rate is `GB/s`, `GBps`, `Gb/s`, `Gbps` or
 * `Gbit/s`. Text is converted with integer arithmetic.
 */
namespace hbd::traffic
{

/// Comparisons and sums that every quantity has. CRTP: Quantity<Bytes, uint64_t>. The constructors of the derived types
/// are written out: defaulted ones would make those types aggregates, and `Bytes{}` an error.
template <class Derived, class Number>
class Quantity
{
    /// A plain number that may scale this quantity.
    template <class Factor>
    using IfFactor = std::enable_if_t<std::is_integral_v<Factor> ||
                                      (std::is_floating_point_v<Factor> && std::is_floating_point_v<Number>)>;

  public:
    friend constexpr bool operator==(Derived a, Derived b)
    {
        return a.m_value == b.m_value;
    }

    friend constexpr bool operator!=(Derived a, Derived b)
    {
        return a.m_value != b.m_value;
    }

    friend constexpr bool operator<(Derived a, Derived b)
    {
        return a.m_value < b.m_value;
    }

    friend constexpr bool operator<=(Derived a, Derived b)
    {
        return a.m_value <= b.m_value;
    }

    friend constexpr bool operator>(Derived a, Derived b)
    {
        return a.m_value > b.m_value;
    }

    friend constexpr bool operator>=(Derived a, Derived b)
    {
        return a.m_value >= b.m_value;
    }

    friend constexpr Derived operator+(Derived a, Derived b)
    {
        return Make(a.m_value + b.m_value);
    }

    friend constexpr Derived operator-(Derived a, Derived b)
    {
        return Make(a.m_value - b.m_value);
    }

    /// A multiple. A quantity counted in whole units takes whole factors only.
    template <class Factor, class = IfFactor<Factor>>
    friend constexpr Derived operator*(Derived a, Factor factor)
    {
        return Make(a.m_value * static_cast<Number>(factor));
    }

    template <class Factor, class = IfFactor<Factor>>
    friend constexpr Derived operator*(Factor factor, Derived a)
    {
        return Make(a.m_value * static_cast<Number>(factor));
    }

    /// A part (whole units: rounded towards zero). The divisor must not be zero.
    template <class Factor, class = IfFactor<Factor>>
    friend constexpr Derived operator/(Derived a, Factor divisor)
    {
        return Make(a.m_value / static_cast<Number>(divisor));
    }

    constexpr Derived& operator+=(Derived other)
    {
        m_value += other.m_value;
        return static_cast<Derived&>(*this);
    }

    constexpr Derived& operator-=(Derived other)
    {
        m_value -= other.m_value;
        return static_cast<Derived&>(*this);
    }

    constexpr bool IsZero() const
    {
        return m_value == Number{};
    }

  protected:
    constexpr Quantity() = default;

    static constexpr Derived Make(Number value)
    {
        Derived made;
        made.m_value = value;
        return made;
    }

    Number m_value{};
};

/// An amount of data, in whole bytes.
class Bytes : public Quantity<Bytes, uint64_t>
{
    friend class Quantity<Bytes, uint64_t>;

  public:
    constexpr Bytes()
    {
    }

    static constexpr Bytes FromBytes(uint64_t bytes)
    {
        return Make(bytes);
    }

    static constexpr Bytes FromKib(uint64_t kib)
    {
        return Make(kib << 10);
    }

    static constexpr Bytes FromMib(uint64_t mib)
    {
        return Make(mib << 20);
    }

    static constexpr Bytes FromGib(uint64_t gib)
    {
        return Make(gib << 30);
    }

    constexpr uint64_t Count() const
    {
        return m_value;
    }
};

/// A line rate, in whole bits a second.
class BitRate : public Quantity<BitRate, uint64_t>
{
    friend class Quantity<BitRate, uint64_t>;

  public:
    constexpr BitRate()
    {
    }

    static constexpr BitRate FromBitsPerSecond(uint64_t bitsPerSecond)
    {
        return Make(bitsPerSecond);
    }

    static constexpr BitRate FromGbps(uint64_t gigabitsPerSecond)
    {
        return Make(gigabitsPerSecond * 1000000000u);
    }

    static constexpr BitRate FromBytesPerSecond(uint64_t bytesPerSecond)
    {
        return Make(bytesPerSecond * 8);
    }

    constexpr uint64_t BitsPerSecond() const
    {
        return m_value;
    }

    constexpr double BytesPerSecond() const
    {
        return static_cast<double>(m_value) / 8;
    }
};

/// A rate of memory, in bytes a second.
class ByteRate : public Quantity<ByteRate, double>
{
    friend class Quantity<ByteRate, double>;

  public:
    constexpr ByteRate()
    {
    }

    static constexpr ByteRate FromBytesPerSecond(double bytesPerSecond)
    {
        return Make(bytesPerSecond);
    }

    constexpr double BytesPerSecond() const
    {
        return m_value;
    }
};

/// A number of floating-point operations (a multiply-add is two).
class Flops : public Quantity<Flops, double>
{
    friend class Quantity<Flops, double>;

  public:
    constexpr Flops()
    {
    }

    static constexpr Flops FromFlops(double flops)
    {
        return Make(flops);
    }

    constexpr double Count() const
    {
        return m_value;
    }
};

/// A rate of computing, in floating-point operations a second.
class FlopRate : public Quantity<FlopRate, double>
{
    friend class Quantity<FlopRate, double>;

  public:
    constexpr FlopRate()
    {
    }

    static constexpr FlopRate FromFlopsPerSecond(double flopsPerSecond)
    {
        return Make(flopsPerSecond);
    }

    static constexpr FlopRate FromTeraflopsPerSecond(double teraflopsPerSecond)
    {
        return Make(teraflopsPerSecond * 1e12);
    }

    constexpr double FlopsPerSecond() const
    {
        return m_value;
    }
};

/// A length of time, in whole picoseconds (up to 106 days).
class Duration : public Quantity<Duration, int64_t>
{
    friend class Quantity<Duration, int64_t>;

  public:
    constexpr Duration()
    {
    }

    static constexpr Duration FromPicoseconds(int64_t picoseconds)
    {
        return Make(picoseconds);
    }

    static constexpr Duration FromNanoseconds(int64_t nanoseconds)
    {
        return Make(nanoseconds * 1000);
    }

    static constexpr Duration FromMicroseconds(int64_t microseconds)
    {
        return Make(microseconds * 1000000);
    }

    /// Rounded to the nearest picosecond; what does not fit becomes Max().
    static Duration FromSeconds(double seconds);

    /// The longest duration.
    static constexpr Duration Max()
    {
        return Make(INT64_MAX);
    }

    constexpr int64_t Picoseconds() const
    {
        return m_value;
    }

    constexpr double Seconds() const
    {
        return static_cast<double>(m_value) / 1e12;
    }
};

/// A positive factor as a fraction in lowest terms: 16/15.
struct Fraction
{
    uint32_t numerator = 1;
    uint32_t denominator = 1;

    constexpr double Value() const
    {
        return static_cast<double>(numerator) / denominator;
    }

    friend constexpr bool operator<(Fraction a, Fraction b)
    {
        return uint64_t{a.numerator} * b.denominator < uint64_t{b.numerator} * a.denominator;
    }

    friend constexpr bool operator>(Fraction a, Fraction b)
    {
        return b < a;
    }
};

/// Time to move data at a memory rate, to the nearest picosecond. Max() when the rate is zero.
Duration operator/(Bytes bytes, ByteRate rate);
/// Time to put data on a line, rounded up to a picosecond. Max() when the rate is zero.
Duration operator/(Bytes bytes, BitRate rate);
/// Time of a computation, to the nearest picosecond. Max() when the rate is zero.
Duration operator/(Flops flops, FlopRate rate);

/**
 * Reads a quantity.
 * \param text number and unit, for example 4KiB, 400Gbps, 1.8TB/s, 500ns, 2250TFLOPS
 * \param value set only on success
 * \param why what is wrong with the text, on failure
 * \return whether the text is exactly such a quantity, not negative, within range and a whole number of its smallest
 * unit
 */
bool ParseQuantity(std::string_view text, Bytes& value, std::string& why);
bool ParseQuantity(std::string_view text, BitRate& value, std::string& why);
bool ParseQuantity(std::string_view text, ByteRate& value, std::string& why);
bool ParseQuantity(std::string_view text, FlopRate& value, std::string& why);
bool ParseQuantity(std::string_view text, Duration& value, std::string& why);
/// The same for a factor: a whole number or two of them, 2 or 16/15.
bool ParseQuantity(std::string_view text, Fraction& value, std::string& why);

/// The shortest text that ParseQuantity reads back to the same value: 4KiB. So are the following.
std::string ToText(Bytes value);
/// In bits a second: 400Gbps.
std::string ToText(BitRate value);
/// The same in bytes a second where that is whole (1.8TB/s), else in bits.
std::string ToByteRateText(BitRate value);
/// In bytes a second where that is whole, else in bits: 8TB/s. A fraction of a bit a second is rounded.
std::string ToText(ByteRate value);
/// 2250TFLOPS. A fraction of a FLOP/s is rounded.
std::string ToText(FlopRate value);
/// 500ns.
std::string ToText(Duration value);
/// 2 or 16/15.
std::string ToText(Fraction value);

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_UNITS_H
