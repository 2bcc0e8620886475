/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_RUNNER_LISTING_H
#define HBD_RUNNER_LISTING_H

#include <string>
#include <vector>

namespace hbd::runner
{

/// One thing that a scenario can name.
struct ListingEntry
{
    std::string name;
    std::string line;       ///< what it is, one line
    std::string parameters; ///< what it can be told; may be empty
};

/// One heading of `hbd list`.
struct ListingSection
{
    const char* name;    ///< models, gpus, ...
    const char* meaning; ///< one line: what is listed, and the key that takes it
    std::vector<ListingEntry> (*entries)();
    bool byDefault = true; ///< shown when no section is named
};

/// All sections, in order.
const std::vector<ListingSection>& ListingSections();

/// The text of all sections that are shown by default.
std::string ListingText();

/// The text of one section. \throw UsageError when there is none of that name
std::string ListingText(const std::string& section);

} // namespace hbd::runner

#endif // HBD_RUNNER_LISTING_H
