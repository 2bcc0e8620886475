/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_HUGGING_FACE_CONFIG_H
#define HBD_TRAFFIC_HUGGING_FACE_CONFIG_H

#include "scenario-schema.h"

namespace hbd::traffic
{

/**
 * Takes a model's shape from a Hugging Face config.json (names as in Llama, Qwen and Mixtral configurations). Other
 * entries are ignored. Shapes that a ModelSpec cannot express (shared experts, latent attention, layers of both kinds)
 * are problems, not approximations. \param config the parsed file \param path of the group that gets the keys: model
 * \param leaves gets the keys
 */
void ConvertHuggingFaceConfig(const Value& config,
                              const std::string& path,
                              Leaves& leaves,
                              std::vector<Problem>& problems);

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_HUGGING_FACE_CONFIG_H
