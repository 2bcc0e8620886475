/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scenario-writer.h"

#include <cstdint>

namespace hbd::traffic
{

namespace
{

constexpr std::string_view kAcceleration = "acceleration.";

/// A place for every key, whatever the workload.
Scenario
Scratch()
{
    Scenario scratch;
    scratch.model.emplace();
    scratch.workload.inference.emplace();
    scratch.workload.collective.emplace();
    scratch.workload.messages.emplace();
    return scratch;
}

/// Puts a value at a dotted path of a tree.
void
PutAt(Value& root, std::string_view path, Value leaf)
{
    Value* at = &root;
    for (auto dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.'))
    {
        at = &at->At(std::string(path.substr(0, dot)));
        path.remove_prefix(dot + 1);
    }
    at->At(std::string(path)) = std::move(leaf);
}

} // namespace

Value
CanonicalValue(const Scenario& scenario)
{
    Value root;
    root.kind = Value::Kind::Map;
    Scenario copy = scenario;
    for (const auto& key : Keys())
    {
        if (IsApplicable(key, copy) && key.path.substr(0, kAcceleration.size()) != kAcceleration)
        {
            PutAt(root, key.path, WriteField(key.field, key.range, copy));
        }
    }
    return root;
}

std::string
KeyText(const Key& key, const Scenario& scenario)
{
    Scenario copy = scenario;
    const Value value = IsApplicable(key, copy) ? WriteField(key.field, key.range, copy) : MakeScalar("");
    return value.kind == Value::Kind::Scalar ? value.text : FlowText(value);
}

bool
NormalText(const Key& key, const Value& value, std::string& text, std::string& why)
{
    Scenario scratch = Scratch();
    if (!ReadField(key.field, key.range, value, scratch, why))
    {
        return false;
    }
    const Value normal = WriteField(key.field, key.range, scratch);
    text = normal.kind == Value::Kind::Scalar ? normal.text : FlowText(normal);
    return true;
}

std::string
HashText(const std::string& text)
{
    uint64_t hash = 14695981039346656037u;
    for (const unsigned char c : text)
    {
        hash = (hash ^ c) * 1099511628211u;
    }
    std::string digits;
    for (int shift = 60; shift >= 0; shift -= 4)
    {
        digits += "0123456789abcdef"[(hash >> shift) & 15];
    }
    return digits;
}

} // namespace hbd::traffic
