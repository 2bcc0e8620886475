/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "errors.h"
#include "scenario-input.h"
#include "traffic-gen/preset-library.h"
#include "traffic-gen/preset-sources.h"
#include "traffic-gen/scenario-reader.h"
#include "traffic-gen/system-preset.h"
#include "validate.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>
#include <tuple>

namespace hbd::runner
{

namespace
{

namespace fs = std::filesystem;

/// The CSV files of a folder, by name.
std::vector<fs::path>
TablesIn(const fs::path& folder)
{
    std::vector<fs::path> files;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error))
    {
        if (entry.path().extension() == ".csv")
        {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    if (files.empty())
    {
        throw InputError(
            fmt::format("{}: expected a folder with measured tables (CSV), given {}; --measured names another",
                        folder.string(),
                        fs::is_directory(folder, error) ? "a folder without" : "no such folder"));
    }
    return files;
}

void
CheckNames(const std::vector<std::string>& tables)
{
    for (const auto& name : tables)
    {
        if (FindValidator(name) == nullptr)
        {
            std::vector<std::string> known;
            for (const auto& validator : Validators())
            {
                known.emplace_back(validator.table);
            }
            throw UsageError(fmt::format("--table: expected one of {}, given {}", fmt::join(known, ", "), name));
        }
    }
}

traffic::Value
MapOf(const KeyTexts& keys)
{
    traffic::Value map;
    map.kind = traffic::Value::Kind::Map;
    for (const auto& [key, text] : keys)
    {
        map.At(key) = traffic::MakeScalar(text);
    }
    return map;
}

/// The cases with those of a system, operation and number of GPUs together, in the order of their first ones.
std::vector<MeasuredCase>
ByGroup(std::vector<MeasuredCase> cases)
{
    std::map<std::tuple<std::string, std::string, uint32_t>, size_t> numbers;
    const auto number = [&numbers](const MeasuredCase& c) {
        return numbers.emplace(std::make_tuple(c.system, c.operation, c.gpus), numbers.size()).first->second;
    };
    for (const auto& measured : cases)
    {
        number(measured);
    }
    std::stable_sort(cases.begin(), cases.end(), [&number](const MeasuredCase& a, const MeasuredCase& b) {
        return number(a) < number(b);
    });
    return cases;
}

/// The file of a preset that comes with the product; empty when there is none.
std::string
PresetFile(const std::string& kind, const std::string& name)
{
    for (const auto& preset : traffic::ListPresets())
    {
        if (preset.kind == kind && preset.name == name)
        {
            return preset.file;
        }
    }
    return "";
}

/// Builds the scenarios of measured cases, of which many may be alike.
class PlanBuilder
{
  public:
    PlanBuilder(const std::vector<std::string>& sets, std::vector<traffic::Problem>& problems)
        : m_sets(sets),
          m_problems(problems),
          m_systems(traffic::LoadSystems(problems))
    {
        m_plan.scenarios.path = "validate";
        m_plan.scenarios.name = "validate";
    }

    void AddTable(const MeasuredTable& table, const MeasuredCases& found)
    {
        Append(found.skipped);
        MeasuredCases skipped;
        for (const auto& measured : ByGroup(found.cases))
        {
            const traffic::SystemPreset* system = traffic::FindSystem(m_systems, measured.system);
            const std::string why = WhyNot(system, measured);
            if (why.empty())
            {
                AddCase(table.Name(), measured, *system);
            }
            else
            {
                skipped.Skip(table.Name(), why);
            }
        }
        Append(skipped.skipped);
    }

    void Append(const std::vector<analysis::SkippedRows>& skipped)
    {
        m_plan.skipped.insert(m_plan.skipped.end(), skipped.begin(), skipped.end());
    }

    ValidationPlan& Plan()
    {
        return m_plan;
    }

  private:
    static std::string WhyNot(const traffic::SystemPreset* system, const MeasuredCase& measured)
    {
        if (system == nullptr)
        {
            return fmt::format("there is no preset of the system {}", measured.system);
        }
        if (system->libraries.count(measured.software) == 0)
        {
            return fmt::format("the system {} has no library for {}", measured.system, measured.software);
        }
        if (measured.gpus > system->gpus)
        {
            return fmt::format("{} GPUs are more than the {} of {}", measured.gpus, system->gpus, measured.system);
        }
        return measured.gpus < 2 ? "one GPU alone uses no network" : "";
    }

    void AddCase(const std::string& table, const MeasuredCase& measured, const traffic::SystemPreset& system)
    {
        traffic::Value document = MapOf({{"name", "validate"}});
        document.At("cluster") = system.cluster;
        document.At("library") = MapOf(measured.library);
        document.At("library").At("preset") = traffic::MakeScalar(system.libraries.at(measured.software), system.file);
        traffic::Value& workload = document.At("workload");
        workload = MapOf(measured.workload);
        if (measured.gpus < system.gpus)
        {
            traffic::Value& ranks = workload.At("ranks");
            ranks.kind = traffic::Value::Kind::List;
            for (uint32_t rank = 0; rank < measured.gpus; ++rank)
            {
                ranks.items.push_back(traffic::MakeScalar(std::to_string(rank)));
            }
        }
        AddProvenance(system, measured.software);
        auto file = traffic::ReadScenarioDocument(std::move(document), system.file, m_sets, m_problems);
        if (file.points.empty())
        {
            return;
        }
        const auto [at, isNew] = m_indexOf.emplace(file.points.front().canonicalJson, m_plan.scenarios.points.size());
        if (isNew)
        {
            m_plan.scenarios.points.push_back(std::move(file.points.front()));
        }
        m_plan.scenarioOf.push_back(at->second);
        analysis::Comparison row;
        row.table = table;
        row.system = measured.system;
        row.operation = measured.operation;
        row.gpus = measured.gpus;
        row.key = measured.key;
        row.measuredUs = measured.measuredUs;
        row.logicalBytes = measured.logicalBytes;
        m_plan.rows.push_back(std::move(row));
    }

    /// Notes the parameters of a library on a system, once.
    void AddProvenance(const traffic::SystemPreset& system, const std::string& software)
    {
        const std::string& library = system.libraries.at(software);
        if (!m_provenance.insert({system.name, software}).second)
        {
            return;
        }
        analysis::LibraryProvenance provenance{system.name, software, library, {}};
        AddParameters("libraries", library, provenance);
        const traffic::Value* hbd = system.cluster.Find("hbd");
        const traffic::Value* domain = hbd == nullptr ? nullptr : hbd->Find("preset");
        if (domain != nullptr)
        {
            AddParameters("domains", domain->text, provenance);
        }
        m_plan.libraries.push_back(std::move(provenance));
    }

    /// All quantities that a preset sets, with what it says of them.
    void AddParameters(const std::string& kind, const std::string& preset, analysis::LibraryProvenance& provenance)
    {
        const std::string file = PresetFile(kind, preset);
        if (file.empty())
        {
            return;
        }
        for (const auto& origin : traffic::OriginsOf(file, m_problems))
        {
            provenance.parameters.push_back(
                {preset, origin.name, origin.value, origin.kind, origin.from, origin.range});
        }
    }

    const std::vector<std::string>& m_sets;
    std::vector<traffic::Problem>& m_problems;
    std::vector<traffic::SystemPreset> m_systems;
    std::set<std::pair<std::string, std::string>> m_provenance; ///< system and software that are noted
    std::map<std::string, size_t> m_indexOf;                    ///< by canonical text
    ValidationPlan m_plan;
};

} // namespace

ValidationPlan
PlanValidation(const fs::path& folder, const std::vector<std::string>& tables, const std::vector<std::string>& sets)
{
    CheckNames(tables);
    std::vector<traffic::Problem> problems;
    PlanBuilder builder(sets, problems);
    for (const auto& path : TablesIn(folder))
    {
        const std::string name = path.stem().string();
        if (!tables.empty() && std::find(tables.begin(), tables.end(), name) == tables.end())
        {
            continue;
        }
        const Validator* validator = FindValidator(name);
        if (validator == nullptr)
        {
            builder.Append({{name, "nothing here reads this table", 0}});
            continue;
        }
        const MeasuredTable table(path, validator->columns, problems);
        MeasuredCases found;
        validator->read(table, found);
        builder.AddTable(table, found);
        builder.Plan().notes.push_back(fmt::format("{}: {}", name, validator->note));
    }
    ValidationPlan plan = std::move(builder.Plan());
    if (problems.empty())
    {
        AddInputProblems(plan.scenarios, problems);
    }
    if (!problems.empty())
    {
        throw InputError(ProblemsText(problems));
    }
    return plan;
}

} // namespace hbd::runner
