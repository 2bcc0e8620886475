/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_RUNNER_ERRORS_H
#define HBD_RUNNER_ERRORS_H

#include <stdexcept>

namespace hbd::runner
{

/// The command line is wrong: exit code 2, with a pointer to --help.
struct UsageError : std::runtime_error
{
    using runtime_error::runtime_error;
};

/// The input is wrong: exit code 2. The text is complete; it may have several lines.
struct InputError : std::runtime_error
{
    using runtime_error::runtime_error;
};

} // namespace hbd::runner

#endif // HBD_RUNNER_ERRORS_H
