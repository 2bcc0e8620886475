/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_RUNNER_COMMAND_LINE_H
#define HBD_RUNNER_COMMAND_LINE_H

#include "commands.h"
#include "errors.h"

#include <boost/program_options.hpp>
#include <optional>
#include <string>
#include <vector>

namespace hbd::runner
{

/// The options of one command.
class CommandLine
{
  public:
    /**
     * \param usage the line after "usage: hbd "
     * \param description what --help says above the options
     */
    CommandLine(std::string usage, std::string description);

    /// Where to add options: `line.Options()("jobs", value<..>(), "...")`.
    boost::program_options::options_description_easy_init Options();
    /// Words without a dash become the values of a hidden option. \param count how many at most; -1 = any number
    void Positional(const char* name, int count);
    /// Adds the repeated option --set.
    void AddSet();

    /**
     * \return the values; nothing when --help was asked for and has been printed
     * \throw UsageError for an unknown option, a value that does not fit, too many words
     */
    std::optional<boost::program_options::variables_map> Parse(const Arguments& words) const;

  private:
    std::string m_usage;
    std::string m_description;
    boost::program_options::options_description m_options{"options"};
    boost::program_options::options_description m_hidden;
    boost::program_options::positional_options_description m_positional;
};

/// The values of an option that may be given several times. \param name the option
std::vector<std::string> ValuesOf(const boost::program_options::variables_map& values, const char* name);

/// The scenario that a command was given as its word. \throw UsageError when there is none
std::string RequiredScenario(const boost::program_options::variables_map& values);

/// The folder of the project: $HBD_ROOT, else where it was built.
std::string ProjectRoot();

} // namespace hbd::runner

#endif // HBD_RUNNER_COMMAND_LINE_H
