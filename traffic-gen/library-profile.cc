/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "library-profile.h"

#include <algorithm>

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

void
LimitCopyRate(KernelSpec& kernel, uint32_t sms)
{
    if (sms == 0 || kernel.copyRatePerSm.IsZero())
    {
        return;
    }
    const auto all = ByteRate::FromBytesPerSecond(kernel.copyRatePerSm.BytesPerSecond() * sms);
    kernel.copyRate = kernel.copyRate.IsZero() ? all : std::min(kernel.copyRate, all);
}

ByteRate
CopyRateTo(const KernelSpec& kernel, size_t peers)
{
    if (kernel.copyRatePerPeer.IsZero() || peers == 0)
    {
        return kernel.copyRate;
    }
    const auto all = ByteRate::FromBytesPerSecond(kernel.copyRatePerPeer.BytesPerSecond() * static_cast<double>(peers));
    return kernel.copyRate.IsZero() ? all : std::min(kernel.copyRate, all);
}

std::string
KernelName(const KernelSpec& kernel)
{
    return kernel.protocol == kNoProtocol ? kernel.algorithm : kernel.algorithm + "/" + kernel.protocol;
}

} // namespace hbd::traffic
