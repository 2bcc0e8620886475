/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Goal: the arrows between the rooms never point back (docs/architecture.md). Method: read every #include of every
// room, find the place that it comes from, and look that place up in the room's row of the table below.

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace
{

namespace fs = std::filesystem;

/// What each room may include beside its own headers and the standard library. A place is a room or a library.
const std::map<std::string, std::set<std::string>> ALLOWED{
    {"traffic-gen", {"boost", "fmt", "nlohmann", "yaml-cpp"}},
    {"ns3-module", {"boost", "ns3"}},
    {"analysis", {"boost", "fmt", "nlohmann"}},
    {"runner", {"traffic-gen", "ns3-module", "analysis", "boost", "fmt", "nlohmann", "ns3"}},
};

/// Words of the application that the module must not know, in lower case. A tag is opaque to it.
const std::set<std::string> APPLICATION_WORDS{"llm", "moe", "prefill", "transformer", "yaml"};

/// One #include line: the text between the quotes or angle brackets.
struct Include
{
    std::string path;
    bool quoted;
};

std::string
ReadText(const fs::path& file)
{
    std::ifstream stream(file);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

std::vector<Include>
FindIncludes(const std::string& text)
{
    static const std::regex pattern("(?:^|\n)[ \t]*#[ \t]*include[ \t]*([<\"])([^>\"\n]+)[>\"]");
    std::vector<Include> includes;
    for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it)
    {
        includes.push_back({it->str(2), it->str(1) == "\""});
    }
    return includes;
}

/// The C++ files of a room.
std::vector<fs::path>
SourcesOf(const fs::path& root, const std::string& room)
{
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(root / room))
    {
        const auto extension = entry.path().extension();
        if (entry.is_regular_file() && (extension == ".h" || extension == ".cc"))
        {
            files.push_back(entry.path());
        }
    }
    return files;
}

/// Whether a header of that name, with or without folders before it, is one of the files.
bool
HasHeader(const std::vector<fs::path>& files, const std::string& name)
{
    std::string relative = name;
    while (relative.rfind("../", 0) == 0)
    {
        relative.erase(0, 3);
    }
    const std::string suffix = "/" + relative;
    for (const auto& file : files)
    {
        const std::string path = file.string();
        if (path.size() >= suffix.size() && path.compare(path.size() - suffix.size(), suffix.size(), suffix) == 0)
        {
            return true;
        }
    }
    return false;
}

/// The room or library that an include comes from; empty: the standard library or the system; "?": nowhere that is
/// known.
std::string
PlaceOf(const Include& include, const std::string& room, const std::vector<fs::path>& roomFiles)
{
    const std::string first = include.path.substr(0, include.path.find('/'));
    if (include.path.rfind("ns3/hbd-", 0) == 0 || first == "ns3-module")
    {
        return "ns3-module"; // ns-3 trees hold the headers of all modules in one flat folder
    }
    static const std::set<std::string> libraries{"boost", "fmt", "nlohmann", "ns3", "yaml-cpp", "gtest", "gmock"};
    if (ALLOWED.count(first) != 0 || libraries.count(first) != 0)
    {
        return first;
    }
    if (!include.quoted)
    {
        return "";
    }
    return HasHeader(roomFiles, include.path) ? room : "?";
}

/// The includes of a text that its room may not use, as messages.
std::vector<std::string>
Violations(const std::string& text, const std::string& room, const std::vector<fs::path>& roomFiles)
{
    static const std::regex aggregate("ns3/[a-z0-9-]+-module\\.h");
    std::vector<std::string> violations;
    for (const auto& include : FindIncludes(text))
    {
        const std::string place = PlaceOf(include, room, roomFiles);
        if (!place.empty() && place != room && ALLOWED.at(room).count(place) == 0)
        {
            violations.push_back(room + " may not include " + include.path + " (" + place + ")");
        }
        if (std::regex_match(include.path, aggregate))
        {
            violations.push_back(include.path + " is an aggregate: include individual headers");
        }
    }
    return violations;
}

/// The words of the application in a text.
std::set<std::string>
ApplicationWordsIn(const std::string& text)
{
    std::set<std::string> found;
    std::string word;
    for (const char c : text + " ")
    {
        if (std::isalpha(static_cast<unsigned char>(c)) != 0)
        {
            word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
            continue;
        }
        if (APPLICATION_WORDS.count(word) != 0)
        {
            found.insert(word);
        }
        word.clear();
    }
    return found;
}

class Arrows : public testing::TestWithParam<std::string>
{
  protected:
    const fs::path m_root{HBD_SOURCE_DIR};
};

TEST_P(Arrows, RoomIncludesOnlyWhatItMayUse)
{
    const auto files = SourcesOf(m_root, GetParam());
    ASSERT_FALSE(files.empty());
    for (const auto& file : files)
    {
        for (const auto& violation : Violations(ReadText(file), GetParam(), files))
        {
            ADD_FAILURE() << fs::relative(file, m_root).string() << ": " << violation;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Rooms,
                         Arrows,
                         testing::Values("traffic-gen", "ns3-module", "analysis", "runner"),
                         [](const auto& info) { return std::regex_replace(info.param, std::regex("-"), "_"); });

TEST(ArrowsOfTheModule, NameNothingOfTheApplication)
{
    const fs::path root{HBD_SOURCE_DIR};
    for (const auto& file : SourcesOf(root, "ns3-module"))
    {
        for (const auto& word : ApplicationWordsIn(ReadText(file)))
        {
            ADD_FAILURE() << fs::relative(file, root).string() << " knows of " << word;
        }
    }
}

TEST(ArrowTable, ReportsWhatPointsBack)
{
    const std::vector<fs::path> files{"/p/analysis/records.h"};
    EXPECT_EQ(Violations("#include \"ns3/nstime.h\"\n", "analysis", files).size(), 1u);
    EXPECT_EQ(Violations("#include <vector>\n  #  include <ns3/nstime.h>\n", "traffic-gen", {}).size(), 1u);
    EXPECT_EQ(Violations("#include \"traffic-gen/schedule.h\"\n", "analysis", files).size(), 1u);
    EXPECT_EQ(Violations("#include \"traffic-gen/schedule.h\"\n", "ns3-module", {}).size(), 1u);
    EXPECT_EQ(Violations("#include \"runner/point.h\"\n", "traffic-gen", {}).size(), 1u);
    EXPECT_EQ(Violations("#include \"ns3/hbd-player.h\"\n", "analysis", files).size(), 1u);
    EXPECT_EQ(Violations("#include <yaml-cpp/yaml.h>\n", "runner", {}).size(), 1u);
    EXPECT_EQ(Violations("#include \"../analysis/reader.h\"\n", "traffic-gen", {}).size(), 1u);
    EXPECT_EQ(Violations("#include \"schedule.h\"\n", "runner", {}).size(), 1u)
        << "another room's header by plain name";
    EXPECT_EQ(Violations("#include \"ns3/core-module.h\"\n", "runner", {}).size(), 1u);
}

TEST(ArrowTable, AcceptsWhatPointsForward)
{
    const std::vector<fs::path> files{"/p/runner/point.h", "/p/runner/parts/a.h"};
    const std::string text =
        "#include \"point.h\"\n#include \"parts/a.h\"\n#include \"traffic-gen/schedule.h\"\n"
        "#include \"ns3-module/model/hbd-player.h\"\n#include \"analysis/records.h\"\n"
        "#include \"../point.h\"\n#include \"ns3/simulator.h\"\n#include <sys/wait.h>\n#include <vector>\n";
    EXPECT_TRUE(Violations(text, "runner", files).empty());
    EXPECT_EQ(FindIncludes(text).size(), 9u);
}

TEST(ArrowTable, FindsWholeWordsOnly)
{
    EXPECT_EQ(ApplicationWordsIn("an MoE's layer, prefill_s").size(), 2u);
    EXPECT_TRUE(ApplicationWordsIn("smoe prefilled").empty());
}

} // namespace
