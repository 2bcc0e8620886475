/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hugging-face-config.h"

#include <array>

namespace hbd::traffic
{

namespace
{

struct Translation
{
    const char* theirs;
    const char* ours;
};

/// The first of their names that is there counts.
constexpr std::array<Translation, 14> kTranslations{{{"num_hidden_layers", "layers"},
                                                     {"hidden_size", "hidden"},
                                                     {"num_attention_heads", "heads"},
                                                     {"num_key_value_heads", "kv-heads"},
                                                     {"num_attention_heads", "kv-heads"},
                                                     {"head_dim", "head-dim"},
                                                     {"moe_intermediate_size", "ffn"},
                                                     {"intermediate_size", "ffn"},
                                                     {"vocab_size", "vocabulary"},
                                                     {"num_local_experts", "experts"},
                                                     {"num_experts", "experts"},
                                                     {"num_experts_per_tok", "top-k"},
                                                     {"attention_bias", "qkv-bias"},
                                                     {"tie_word_embeddings", "tied-embeddings"}}};

/// Entries with a value above zero change the shape in ways that a ModelSpec does not describe.
constexpr std::array<const char*, 5> kUnsupported{"kv_lora_rank",
                                                  "n_shared_experts",
                                                  "first_k_dense_replace",
                                                  "shared_expert_intermediate_size",
                                                  "n_routed_experts"};

} // namespace

void
ConvertHuggingFaceConfig(const Value& config, const std::string& path, Leaves& leaves, std::vector<Problem>& problems)
{
    for (const char* name : kUnsupported)
    {
        const Value* value = config.Find(name);
        if (value != nullptr && value->kind == Value::Kind::Scalar && value->text != "0")
        {
            AddProblem(problems,
                       {value->file,
                        value->line,
                        name,
                        "a model of equal layers without this",
                        ShortText(*value),
                        "describe the model as a map"});
        }
    }
    for (const auto& [theirs, ours] : kTranslations)
    {
        const Value* value = config.Find(theirs);
        if (value != nullptr && value->kind == Value::Kind::Scalar)
        {
            leaves.emplace(path + "." + ours, *value);
        }
    }
    if (const Value* type = config.Find("model_type");
        type != nullptr && (type->text == "qwen2" || type->text == "qwen2_moe"))
    {
        // Qwen 1.5 and 2 have the bias without an entry that says so.
        leaves.emplace(path + ".qkv-bias", MakeScalar("true", type->file, type->line));
    }
    if (leaves.empty())
    {
        AddProblem(problems, {config.file, config.line, "", "a Hugging Face config.json", ShortText(config), ""});
    }
}

} // namespace hbd::traffic
