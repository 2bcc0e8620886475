/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_HASH_H
#define HBD_HASH_H

#include <cstdint>

namespace ns3
{
namespace hbd
{

/// Spreads 32 bits over 32 bits, one to one (the finaliser of MurmurHash3, public domain).
inline uint32_t
MixHash(uint32_t value)
{
    value ^= value >> 16;
    value *= 0x85ebca6bU;
    value ^= value >> 13;
    value *= 0xc2b2ae35U;
    value ^= value >> 16;
    return value;
}

/// Hash of a queue pair's 5-tuple, which source, destination and the queue pair's number between them determine.
inline uint32_t
FlowHash(uint32_t source, uint32_t destination, uint32_t number)
{
    return MixHash(MixHash(MixHash(source + 0x9e3779b9U) + destination) + number);
}

} // namespace hbd
} // namespace ns3

#endif /* HBD_HASH_H */
