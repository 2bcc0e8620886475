/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "analysis/study-page.h"

#include "analysis/durable-file.h"
#include "runner/errors.h"
#include "runner/published-marks.h"
#include "runner/scenario-input.h"

#include "ns3/nstime.h"

#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace
{

/**
 * Fills in the tables of a study page, docs/study.md for example, from result folders.
 *
 * Usage: study-page PAGE SCENARIO LABEL=FOLDER...
 *
 * PAGE is rewritten between its `<!-- begin ... -->` and `<!-- end ... -->` lines. SCENARIO has the published marks.
 * The first folder is the one that the page is about; the others are compared with it.
 */
int
Main(const std::vector<std::string>& words)
{
    if (words.size() < 3)
    {
        throw hbd::runner::UsageError("usage: study-page PAGE SCENARIO LABEL=FOLDER...");
    }
    std::vector<hbd::analysis::StudyRun> runs;
    for (size_t i = 2; i < words.size(); ++i)
    {
        const size_t equals = words[i].find('=');
        if (equals == std::string::npos)
        {
            throw hbd::runner::UsageError("expected LABEL=FOLDER, given " + words[i]);
        }
        runs.push_back({words[i].substr(0, equals), words[i].substr(equals + 1)});
    }
    std::ifstream stream(words[0]);
    if (!stream)
    {
        throw hbd::runner::InputError(words[0] + ": expected a readable file");
    }
    std::ostringstream page;
    page << stream.rdbuf();
    const auto marks = hbd::runner::MarksOf(hbd::runner::LoadScenario(words[1], {}));
    hbd::analysis::ReplaceFile(words[0], hbd::analysis::StudyPage(page.str(), runs, marks));
    return 0;
}

} // namespace

int
main(int argc, char* argv[])
{
    ns3::Time::SetResolution(ns3::Time::PS); // checking a scenario builds small fabrics
    try
    {
        return Main({argv + 1, argv + argc});
    }
    catch (const hbd::runner::UsageError& error)
    {
        std::fprintf(stderr, "%s\n", error.what());
    }
    catch (const hbd::runner::InputError& error)
    {
        std::fprintf(stderr, "%s\n", error.what());
    }
    catch (const std::exception& error)
    {
        std::fprintf(stderr, "study-page: %s\n", error.what());
        return 1;
    }
    return 2;
}
