/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "interrupt.h"

namespace hbd::runner
{

namespace
{

volatile std::sig_atomic_t g_interruptions = 0;

void
Count(int)
{
    g_interruptions = g_interruptions + 1;
}

} // namespace

void
CatchInterruptions()
{
    struct sigaction action = {};
    action.sa_handler = &Count;
    sigemptyset(&action.sa_mask);
    // Also when the shell made a background job ignore SIGINT: whoever sends it by kill means it.
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    struct sigaction before = {};
    sigaction(SIGHUP, nullptr, &before);
    if (before.sa_handler != SIG_IGN) // nohup
    {
        sigaction(SIGHUP, &action, nullptr);
    }
}

const volatile std::sig_atomic_t&
Interruptions()
{
    return g_interruptions;
}

} // namespace hbd::runner
