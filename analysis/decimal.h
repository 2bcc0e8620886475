/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_ANALYSIS_DECIMAL_H
#define HBD_ANALYSIS_DECIMAL_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hbd::analysis
{

__extension__ typedef __int128 Int128;           ///< sums of products of bytes and picoseconds
__extension__ typedef unsigned __int128 UInt128; ///< the same, never negative

/**
 * An exact quotient of two integers. Statistics stay integers until they are printed; this is what is handed to the
 * printer. The denominator is positive.
 */
struct Ratio
{
    Int128 numerator = 0;
    Int128 denominator = 1;

    /// The nearest double (for comparing and drawing, not for records).
    double Value() const;
    /**
     * \param digits digits behind the point, 0 to 18
     * \return decimal text with exactly that many digits, rounded half away from zero; independent of locale and
     * platform \throw std::invalid_argument when the denominator is not positive
     */
    std::string Fixed(int digits) const;
    /// As Fixed, without trailing zeros and without a trailing point.
    std::string Trimmed(int digits) const;
};

/// \return a time in seconds, exact, without trailing zeros (1500 ps is 0.0000000015)
std::string SecondsText(Int128 picoseconds);

/**
 * \param text decimal seconds as SecondsText writes them
 * \return the picoseconds, exact; nothing when it is no decimal number, has more than 12 digits behind the point that
 * count, or does not fit 64 bits
 */
std::optional<int64_t> ParseSeconds(std::string_view text);

/// \return the whole text as a decimal number; nothing when it is none. Independent of locale.
std::optional<double> ParseDecimal(std::string_view text);

/// \return the whole text as a 64-bit integer; nothing when it is none or does not fit
std::optional<int64_t> ParseInteger(std::string_view text);

/**
 * The size of a value text of a scenario, for putting the values of a key in order: 8, 400Gbps, 1.8TB/s, 4KiB, 500ns.
 * \return the number in the unit without its prefix; nothing when the text does not start with a number (fp8, direct)
 */
std::optional<double> ValueSize(std::string_view text);

} // namespace hbd::analysis

#endif // HBD_ANALYSIS_DECIMAL_H
