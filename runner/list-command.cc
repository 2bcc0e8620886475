/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "command-line.h"
#include "commands.h"
#include "listing.h"

#include <fmt/format.h>

namespace hbd::runner
{

int
ListCommand(const Arguments& words)
{
    CommandLine line("list [WHAT]",
                     "Lists what a scenario can name, one line each. WHAT is one of the headings, for example "
                     "`models`; without it, everything but `keys`.");
    line.Positional("what", 1);
    const auto values = line.Parse(words);
    if (!values)
    {
        return kExitSuccess;
    }
    const auto wanted = ValuesOf(*values, "what");
    fmt::print("{}", wanted.empty() ? ListingText() : ListingText(wanted.front()));
    return kExitSuccess;
}

} // namespace hbd::runner
