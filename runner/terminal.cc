/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "terminal.h"

#include "analysis/text-table.h"

#include <algorithm>
#include <sys/ioctl.h>
#include <unistd.h>

namespace hbd::runner
{

namespace
{

constexpr size_t kNarrowest = 80;

} // namespace

size_t
TerminalWidth(int descriptor, size_t otherwise)
{
    winsize size = {};
    return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : otherwise;
}

size_t
OutputWidth()
{
    return std::max(kNarrowest, TerminalWidth(STDOUT_FILENO, analysis::kTableWidth));
}

} // namespace hbd::runner
