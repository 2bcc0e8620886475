/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "command-line.h"

#include <cstdlib>
#include <fmt/format.h>
#include <sstream>

namespace hbd::runner
{

namespace
{

namespace po = boost::program_options;

/// --name of the option that an error is about.
std::string
OptionText(const po::error_with_option_name& error)
{
    const std::string name = error.get_option_name();
    return name.compare(0, 2, "--") == 0 ? name : "--" + name;
}

/// Only numbers can have the wrong form. Boost keeps the text to itself but for its sentence: the argument ('abc') for ...
std::string
InvalidValueText(const po::invalid_option_value& error)
{
    const std::string text = error.what();
    const auto begin = text.find("('");
    const auto end = text.rfind("')");
    const std::string given =
        begin == std::string::npos || end < begin + 2 ? "another text" : text.substr(begin + 2, end - begin - 2);
    return fmt::format("{}: expected a whole number, given {}", OptionText(error), given);
}

/// "--help, --set, --out".
std::string
NamesOf(const po::options_description& options)
{
    std::string names;
    for (const auto& option : options.options())
    {
        names += (names.empty() ? "--" : ", --") + option->long_name();
    }
    return names;
}

} // namespace

CommandLine::CommandLine(std::string usage, std::string description)
    : m_usage(std::move(usage)),
      m_description(std::move(description))
{
    m_options.add_options()("help,h", "show this text");
}

po::options_description_easy_init
CommandLine::Options()
{
    return m_options.add_options();
}

void
CommandLine::Positional(const char* name, int count)
{
    m_hidden.add_options()(name, po::value<std::vector<std::string>>());
    m_positional.add(name, count);
}

void
CommandLine::AddSet()
{
    Options()("set",
              po::value<std::vector<std::string>>()->value_name("PATH=VALUE"),
              "change a key of the scenario, as in --set cluster.hbd.size=8; of a swept key, keep the points that have "
              "the value, or fix it when none has it. May be repeated; applied left to right");
}

std::optional<po::variables_map>
CommandLine::Parse(const Arguments& words) const
{
    po::options_description all;
    all.add(m_options).add(m_hidden);
    po::variables_map values;
    try
    {
        using namespace po::command_line_style;
        po::command_line_parser parser(words);
        parser.options(all)
            .positional(m_positional)
            .style(allow_long | long_allow_adjacent | long_allow_next | allow_short | allow_dash_for_short |
                   short_allow_next);
        po::store(parser.run(), values);
        po::notify(values);
    }
    catch (const po::invalid_option_value& error)
    {
        throw UsageError(InvalidValueText(error));
    }
    catch (const po::unknown_option& error)
    {
        throw UsageError(fmt::format("expected one of the options {}, given {}", NamesOf(m_options), OptionText(error)));
    }
    catch (const po::too_many_positional_options_error&)
    {
        throw UsageError(fmt::format("expected `hbd {}`, given one argument more: {}", m_usage, words.back()));
    }
    catch (const po::error& error)
    {
        throw UsageError(error.what());
    }
    if (values.count("help") == 0)
    {
        return values;
    }
    std::ostringstream text;
    text << "usage: hbd " << m_usage << "\n\n" << m_description << "\n\n" << m_options;
    fmt::print("{}", text.str());
    return std::nullopt;
}

std::vector<std::string>
ValuesOf(const po::variables_map& values, const char* name)
{
    return values.count(name) == 0 ? std::vector<std::string>{} : values[name].as<std::vector<std::string>>();
}

std::string
RequiredScenario(const po::variables_map& values)
{
    const auto named = ValuesOf(values, "scenario");
    if (named.empty())
    {
        throw UsageError("expected a scenario file");
    }
    return named.front();
}

std::string
ProjectRoot()
{
    const char* root = std::getenv("HBD_ROOT");
    return root != nullptr && *root != '\0' ? root : HBD_SOURCE_DIR;
}

} // namespace hbd::runner
