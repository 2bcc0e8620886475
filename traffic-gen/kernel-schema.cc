/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "kernel-schema.h"

#include "collective-table.h"
#include "kernel-choice.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace hbd::traffic
{

namespace
{

/// A function that finds a member of the last kernel of a Scenario.
#define HBD_AT(member)                                                                                                 \
    +[](Scenario & s) -> auto&                                                                                         \
    {                                                                                                                  \
        return s.library.kernels.back().member;                                                                        \
    }

constexpr Applies kAlways = Applies::Always;

// clang-format off
const std::vector<Key> kKeys = {
    {"for", HBD_AT(operation), kKernelOperations, "", kAlways, "what it does; dispatch and combine are all-to-alls where the library has no kernel of that name"},
    {"algorithm", HBD_AT(algorithm), "", "", kAlways, "one of the table of collectives (./hbd list collectives)"},
    {"protocol", HBD_AT(protocol), "", kNoProtocol, kAlways, "label of how it writes: simple, ll, ll128, ..."},
    {"wire", HBD_AT(wire), "1..16", "1", kAlways, "bytes written per byte of data: 2 for LL, 16/15 for LL128"},
    {"launch", HBD_AT(launch), "0s..1s", kFromLibrary, kAlways, "on every member, before what it does first"},
    {"scale-up-step", HBD_AT(scaleUpStep), "0s..1s", kFromLibrary, kAlways, "software latency of each dependent step inside a domain"},
    {"scale-out-step", HBD_AT(scaleOutStep), "0s..1s", kFromLibrary, kAlways, "the same through the NIC"},
    {"copy-rate", HBD_AT(copyRate), "0B/s..1000TB/s", "0B/s", kAlways, "most written bytes a second that a GPU's kernel feeds to its links; 0 = no limit"},
    {"copy-rate-per-sm", HBD_AT(copyRatePerSm), "0B/s..1TB/s", "0B/s", kAlways, "the same for each multiprocessor, where library.sms says how many; 0 = no limit"},
    {"copy-rate-per-peer", HBD_AT(copyRatePerPeer), "0B/s..1TB/s", "0B/s", kAlways, "direct: the same for each other member in the domain, all of them together; 0 = no limit"},
    {"packet-payload", HBD_AT(packetPayload), "0B..65520B", "0B", kAlways, "most payload of a packet inside a domain (stores of SMs: 128B); 0 = the link's own"},
    {"staging-rate", HBD_AT(stagingRate), "0B/s..1000TB/s", "0B/s", kAlways, "nvls: copies into and out of a staging buffer, bytes a second; 0 = none are made"},
    {"chunk", HBD_AT(chunk), "16B..1GiB", "2MiB", kAlways, "nvls: bytes of each member's share that are staged and reduced at once"},
    {"efficiency", HBD_AT(efficiency), "0.01..1", "1", kAlways, "nvls: share of the links' rate that the library's estimate reckons with, where chunks overlap; only for the choice"},
    {"reduce-rate", HBD_AT(reduceRate), "0B/s..1000TB/s", kFromLibrary, kAlways, "local reduction: bytes read and written a second; 0 = takes no time"},
    {"minimum", HBD_AT(minimum), "0s..1s", "0s", kAlways, "least time on a member, from its launch, beside what moves data"},
    {"from", HBD_AT(from), "0B..1PiB", "0B", kAlways, "chosen from this size on, as nccl-tests counts it"},
    {"until", HBD_AT(until), "0B..1PiB", "0B", kAlways, "and below this one; 0 = no limit"},
    {"block-from", HBD_AT(blockFrom), "0B..1PiB", "0B", kAlways, "chosen from this largest block on: what a rank has, in an all-to-all what it has for another one"},
    {"block-until", HBD_AT(blockUntil), "0B..1PiB", "0B", kAlways, "and below this one; 0 = no limit"},
    {"min-ranks", HBD_AT(minRanks), "1..65536", "1", kAlways, "fewest members of a group"},
    {"max-ranks", HBD_AT(maxRanks), "0..65536", "0", kAlways, "most; 0 = any number"},
    {"placement", HBD_AT(placement), "any|one-domain|several-domains", "any", kAlways, "where the members of a group are"},
    {"needs-switches", HBD_AT(needsSwitches), "false|true", "false", kAlways, "only where switches connect the GPUs of a domain"},
    {"fallback", HBD_AT(fallback), "false|true", "false", kAlways, "only where no other kernel fits"},
};
// clang-format on

#undef HBD_AT

/// The keys that mean something for one algorithm only.
const std::vector<std::pair<std::string_view, std::string_view>> kKeysOfAlgorithm = {
    {"copy-rate-per-peer", "direct"},
    {"staging-rate", "nvls"},
    {"chunk", "nvls"},
    {"efficiency", "nvls"},
};

const Key&
KernelKey(std::string_view name)
{
    return *std::find_if(kKeys.begin(), kKeys.end(), [&](const Key& key) { return key.path == name; });
}

/// Reads one kernel into the last one of the scenario.
class KernelReader
{
  public:
    /// \param path of the kernel, for problems
    KernelReader(const Value& map, std::string path, Scenario& scenario, std::vector<Problem>& problems)
        : m_map(map),
          m_path(std::move(path)),
          m_scenario(scenario),
          m_problems(problems)
    {
    }

    /// \return whether it is right
    bool Read()
    {
        if (m_map.kind != Value::Kind::Map)
        {
            Complain(m_map.line, "", "a map of a kernel's keys", ShortText(m_map), "");
            return false;
        }
        CheckNames();
        for (const auto& key : kKeys)
        {
            ReadKey(key);
        }
        if (m_good)
        {
            CheckAlgorithm();
            CheckEffects();
            CheckRanges();
            LimitCopyRate(m_scenario.library.kernels.back(), m_scenario.library.sms);
        }
        return m_good;
    }

  private:
    void Complain(int line, std::string_view name, std::string expected, std::string given, std::string hint)
    {
        m_good = false;
        const std::string path = name.empty() ? m_path : m_path + "." + std::string(name);
        AddProblem(m_problems,
                   {m_map.file, line, path, std::move(expected), std::move(given), std::move(hint)});
    }

    /// Every name must be a key, and stand there once.
    void CheckNames()
    {
        std::vector<std::string> known;
        for (const auto& key : kKeys)
        {
            known.emplace_back(key.path);
        }
        std::set<std::string> seen;
        for (const auto& entry : m_map.entries)
        {
            if (std::find(known.begin(), known.end(), entry.name) == known.end())
            {
                const std::string near = Nearest(entry.name, known);
                Complain(entry.line,
                         entry.name,
                         "a known key of a kernel",
                         "`" + entry.name + "`",
                         near.empty() ? "" : "did you mean " + near + "?");
            }
            else if (!seen.insert(entry.name).second)
            {
                Complain(entry.line, entry.name, "a key given once", "`" + entry.name + "` twice", "");
            }
        }
    }

    void ReadKey(const Key& key)
    {
        const Value* given = m_map.Find(std::string(key.path));
        if (given == nullptr && key.fallback == kFromLibrary)
        {
            return;
        }
        if (given == nullptr && key.fallback.empty())
        {
            Complain(m_map.line, key.path, ExpectedText(key.field, key.range), "nothing", "a kernel must have it");
            return;
        }
        std::string why;
        const Value value = given != nullptr ? *given : MakeScalar(std::string(key.fallback));
        if (!ReadField(key.field, key.range, value, m_scenario, why))
        {
            Complain(value.line, key.path, ExpectedText(key.field, key.range), ShortText(value), why);
        }
    }

    void CheckAlgorithm()
    {
        KernelSpec& kernel = m_scenario.library.kernels.back();
        const CollectiveEntry* entry = FindCollective(OpOfKernels(kernel.operation), kernel.algorithm);
        if (entry == nullptr)
        {
            const auto names = AlgorithmsOf(OpOfKernels(kernel.operation));
            const std::string near = Nearest(kernel.algorithm, names);
            Complain(m_map.Find("algorithm")->line,
                     "algorithm",
                     fmt::format("one of {} for {}", fmt::join(names, ", "), kernel.operation),
                     kernel.algorithm,
                     near.empty() ? "" : "did you mean " + near + "?");
            return;
        }
        kernel.algorithm = entry->algorithm; // of several names that of the table
    }

    /// A key that this algorithm does nothing with must say what holds anyway, as in a written-out scenario.
    void CheckEffects()
    {
        const std::string algorithm = m_scenario.library.kernels.back().algorithm;
        for (const auto& [name, owner] : kKeysOfAlgorithm)
        {
            const Value* given = m_map.Find(std::string(name));
            const Key& key = KernelKey(name);
            if (given == nullptr || algorithm == owner || HasDefault(key, m_scenario))
            {
                continue;
            }
            Complain(given->line,
                     name,
                     fmt::format("nothing: {} applies to the algorithm {}", name, owner),
                     ShortText(*given),
                     fmt::format("the kernel's algorithm is {}", algorithm));
        }
    }

    void CheckRanges()
    {
        const KernelSpec& kernel = m_scenario.library.kernels.back();
        CheckOrder("from", "until", kernel.until.IsZero() || kernel.from < kernel.until);
        CheckOrder("block-from", "block-until", kernel.blockUntil.IsZero() || kernel.blockFrom < kernel.blockUntil);
        CheckOrder("min-ranks", "max-ranks", kernel.maxRanks == 0 || kernel.minRanks <= kernel.maxRanks);
    }

    /// \param right whether some value lies between the two
    void CheckOrder(const std::string& least, const std::string& most, bool right)
    {
        if (!right)
        {
            const Value& at = *m_map.Find(most);
            Complain(at.line, most, "more than " + least + ", or 0 for no limit", ShortText(at), "no value is in between");
        }
    }

    const Value& m_map;
    const std::string m_path;
    Scenario& m_scenario;
    std::vector<Problem>& m_problems;
    bool m_good = true;
};

} // namespace

const std::vector<Key>&
KernelKeys()
{
    return kKeys;
}

bool
ReadKernels(const Value& list, Scenario& scenario, std::vector<Problem>& problems)
{
    if (list.kind != Value::Kind::List)
    {
        AddProblem(problems,
                   {list.file, list.line, "library.kernels", "a list of kernels", ShortText(list), ""});
        return false;
    }
    Scenario scratch;
    scratch.library = scenario.library;
    scratch.library.kernels.clear();
    bool good = true;
    for (const auto& item : list.items)
    {
        scratch.library.kernels.push_back(DefaultKernel(scenario.library, "", ""));
        const std::string path = fmt::format("library.kernels[{}]", scratch.library.kernels.size() - 1);
        good = KernelReader(item, path, scratch, problems).Read() && good;
    }
    if (good)
    {
        scenario.library.kernels = std::move(scratch.library.kernels);
    }
    return good;
}

Value
WriteKernels(const Scenario& scenario)
{
    Value list;
    list.kind = Value::Kind::List;
    Scenario scratch;
    for (const auto& kernel : scenario.library.kernels)
    {
        scratch.library.kernels = {kernel};
        Value map;
        map.kind = Value::Kind::Map;
        for (const auto& key : kKeys)
        {
            map.At(std::string(key.path)) = WriteField(key.field, key.range, scratch);
        }
        list.items.push_back(std::move(map));
    }
    return list;
}

} // namespace hbd::traffic
