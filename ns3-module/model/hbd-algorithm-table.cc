/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-algorithm-table.h"

#include "hbd-dcqcn.h"
#include "hbd-ecmp-load-balancer.h"
#include "hbd-fixed-window.h"
#include "hbd-flowlet-load-balancer.h"
#include "hbd-hpcc.h"
#include "hbd-least-queue-load-balancer.h"
#include "hbd-random-spray-load-balancer.h"
#include "hbd-round-robin-spray-load-balancer.h"
#include "hbd-swift.h"
#include "hbd-timely.h"

#include "ns3/string.h"

#include <sstream>
#include <stdexcept>

namespace ns3
{
namespace hbd
{

namespace
{

/// Text without the white space around it.
std::string
Trim(const std::string& text)
{
    size_t first = text.find_first_not_of(" \t");
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// The value of an attribute as it is written: times in the largest unit that is whole.
std::string
ValueText(const TypeId::AttributeInformation& attribute)
{
    auto time = dynamic_cast<const TimeValue*>(PeekPointer(attribute.initialValue));
    if (!time)
    {
        return attribute.initialValue->SerializeToString(attribute.checker);
    }
    int64_t ps = time->Get().GetPicoSeconds();
    const char* units[] = {"ps", "ns", "us", "ms"};
    size_t unit = 0;
    for (; unit < 3 && ps != 0 && ps % 1000 == 0; unit++)
    {
        ps /= 1000;
    }
    return ps == 0 ? "0s" : std::to_string(ps) + units[unit];
}

void
SetParameter(ObjectFactory& factory, const std::string& parameter)
{
    TypeId type = factory.GetTypeId();
    size_t equals = parameter.find('=');
    std::string name = Trim(parameter.substr(0, equals));
    for (size_t i = 0; equals != std::string::npos && i < type.GetAttributeN(); i++)
    {
        TypeId::AttributeInformation attribute = type.GetAttribute(i);
        if (attribute.name != name)
        {
            continue;
        }
        std::string text = Trim(parameter.substr(equals + 1));
        Ptr<AttributeValue> value = attribute.checker->CreateValidValue(StringValue(text));
        if (!value)
        {
            throw std::invalid_argument(name + " cannot be `" + text + "`; it takes " +
                                        attribute.checker->GetValueTypeName() + " such as " + ValueText(attribute) +
                                        ": " + attribute.help);
        }
        factory.Set(name, *value);
        return;
    }
    throw std::invalid_argument("`" + Trim(parameter) + "` is no Name=value of " + type.GetName() + ", which has " +
                                DescribeParameters(type));
}

} // namespace

const std::vector<AlgorithmEntry>&
GetCongestionControls()
{
    static const std::vector<AlgorithmEntry> entries = {
        {"none", FixedWindow::GetTypeId(), "the transport's window alone, back-pressure by PFC"},
        {"dcqcn", Dcqcn::GetTypeId(), "rate by ECN marks and notification packets, as ConnectX NICs"},
        {"hpcc", Hpcc::GetTypeId(), "window by what switches write into packets"},
        {"timely", Timely::GetTypeId(), "rate by the gradient of the round trip"},
        {"swift", Swift::GetTypeId(), "window that holds the round trip at a target"},
    };
    return entries;
}

const std::vector<AlgorithmEntry>&
GetLoadBalancers()
{
    static const std::vector<AlgorithmEntry> entries = {
        {"ecmp", EcmpLoadBalancer::GetTypeId(), "one of the equal-cost ways, by a hash of the queue pair"},
        {"flowlet", FlowletLoadBalancer::GetTypeId(), "another way after each silence of a queue pair"},
        {"spray-random", RandomSprayLoadBalancer::GetTypeId(), "packets by chance"},
        {"spray-round-robin", RoundRobinSprayLoadBalancer::GetTypeId(), "packets in turns"},
        {"spray-least-queue", LeastQueueLoadBalancer::GetTypeId(), "packets to the port with the shortest queue"},
    };
    return entries;
}

const AlgorithmEntry&
FindAlgorithm(const std::vector<AlgorithmEntry>& entries, const std::string& name)
{
    std::string known;
    for (const auto& entry : entries)
    {
        if (entry.name == name)
        {
            return entry;
        }
        known += (known.empty() ? "" : ", ") + entry.name;
    }
    throw std::invalid_argument("there is no `" + name + "`; there are: " + known);
}

ObjectFactory
MakeFactory(TypeId type, const std::string& parameters)
{
    ObjectFactory factory;
    factory.SetTypeId(type);
    if (Trim(parameters).empty())
    {
        return factory;
    }
    std::istringstream text(parameters);
    std::string parameter;
    while (std::getline(text, parameter, ','))
    {
        SetParameter(factory, parameter);
    }
    return factory;
}

std::string
DescribeParameters(TypeId type)
{
    std::string text;
    for (size_t i = 0; i < type.GetAttributeN(); i++)
    {
        TypeId::AttributeInformation attribute = type.GetAttribute(i);
        text += (text.empty() ? "" : ", ") + attribute.name + "=" + ValueText(attribute);
    }
    return text.empty() ? "no parameters" : text;
}

} // namespace hbd
} // namespace ns3
