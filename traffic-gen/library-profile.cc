/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "library-profile.h"

namespace hbd::traffic
{

KernelSpec
DefaultKernel(const LibrarySpec& library, const std::string& operation, const std::string& algorithm)
{
    KernelSpec kernel;
    kernel.operation = operation;
    kernel.algorithm = algorithm;
    kernel.launch = library.launch;
    kernel.scaleUpStep = library.scaleUpStep;
    kernel.scaleOutStep = library.scaleOutStep;
    kernel.reduceRate = library.reduceRate;
    return kernel;
}

std::string
KernelName(const KernelSpec& kernel)
{
    return kernel.protocol == kNoProtocol ? kernel.algorithm : kernel.algorithm + "/" + kernel.protocol;
}

} // namespace hbd::traffic
