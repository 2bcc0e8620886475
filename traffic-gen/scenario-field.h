/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_SCENARIO_FIELD_H
#define HBD_TRAFFIC_SCENARIO_FIELD_H

#include "scenario-value.h"
#include "scenario.h"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace hbd::traffic
{

/// Where in a Scenario a key's value lives.
template <class T>
using Access = T& (*)(Scenario&);

/// A whole number or `auto`, which is kept as 0 until it is resolved.
struct IntegerOrAuto
{
    Access<uint32_t> get;
};

/// A rate or `auto`, which is kept as 0 until it is resolved.
struct RateOrAuto
{
    Access<BitRate> get;
};

/// A line rate that vendors quote in bytes a second, and that is written so.
struct RateInBytes
{
    Access<BitRate> get;
};

/// Numbers of GPUs or `all`, which is an empty list.
struct RankList
{
    Access<std::vector<uint32_t>> get;
};

/// The kernels of a scenario's library: a list of maps, see kernel-schema.h.
struct KernelList
{
};

/// A key's place and, with it, its type.
using Field = std::variant<Access<uint32_t>,
                           Access<uint64_t>,
                           Access<double>,
                           Access<bool>,
                           Access<std::string>,
                           Access<Precision>,
                           Access<Bytes>,
                           Access<BitRate>,
                           Access<ByteRate>,
                           Access<FlopRate>,
                           Access<Duration>,
                           Access<Fraction>,
                           Access<std::vector<Bytes>>,
                           IntegerOrAuto,
                           RateOrAuto,
                           RateInBytes,
                           RankList,
                           KernelList>;

/**
 * Reads a value into its field.
 * \param range numbers and quantities: `least..most`, both in the key's own grammar; words: `a|b|c` (a boolean is false
 * for the first and true for the others); `,`: a list of texts, or one with commas; empty = any \param why what is wrong, on failure \return whether the field
 * was set
 */
bool ReadField(const Field& field, std::string_view range, const Value& value, Scenario& scenario, std::string& why);

/// The field's value as it is written: canonical text, reads back to the same value.
Value WriteField(const Field& field, std::string_view range, Scenario& scenario);

/// What a key of this type and range takes: `a rate such as 400Gbps or 1.8TB/s, 1Mbps..100Tbps`.
std::string ExpectedText(const Field& field, std::string_view range);

/// The number format's name: fp16.
std::string ToText(Precision precision);

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_SCENARIO_FIELD_H
