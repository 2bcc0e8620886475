/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scenario-schema.h"

namespace hbd::traffic
{

namespace
{

/// A function that finds a member of a Scenario.
#define HBD_AT(member)                                                                                                 \
    +[](Scenario & s) -> auto&                                                                                         \
    {                                                                                                                  \
        return s.member;                                                                                               \
    }

constexpr Applies kInference = Applies::Inference;
constexpr Applies kMoe = Applies::Moe;
constexpr Applies kCollective = Applies::Collective;
constexpr Applies kExchange = Applies::Exchange;
constexpr Applies kAlways = Applies::Always;

// The efficiencies are those of a GPU described without a preset; a preset gives its own, with their source.
// clang-format off
const std::vector<Key> kKeys = {
    {"name", HBD_AT(name), "", "", kAlways, "what the results are called; by default the file's name"},
    {"seed", HBD_AT(seed), "0..9223372036854775807", "1", kAlways, "chooses the ways that flows take where Ethernet has equal-cost ones; seeds: n makes n points, seed .. seed + n - 1, one row of points.csv each"},
    {"fidelity", HBD_AT(fidelity), "packet|flow", "packet", kAlways, "packet: every packet moves through devices"},
    {"acceleration.replay", HBD_AT(acceleration.replay), "off|on|auto", "auto", kAlways, "replay spans that repeat (exact: changes no record)"},
    {"acceleration.recurrence", HBD_AT(acceleration.recurrence), "auto|off", "auto", kAlways, "skip periods that recur (exact), where the engine has it"},
    {"records.stages", HBD_AT(records.stagesFull), "summary|full", "summary", kAlways, "rows of stages.csv: by layer class, or every stage of every layer"},
    {"records.messages", HBD_AT(records.messages), "false|true", "false", kAlways, "write messages.csv"},
    {"burst-size", HBD_AT(burst), "1B..1GiB", "64KiB", kAlways, "most payload of a simulation unit; at most one packet's = packet by packet"},

    {"cluster.gpus", HBD_AT(cluster.gpus), "1..65536", "", kAlways, "number of GPUs"},
    {"cluster.gpu.preset", HBD_AT(cluster.gpu.preset), "", "custom", kAlways, "GPU preset"},
    {"cluster.gpu.peak.fp16", HBD_AT(cluster.gpu.peak[Precision::Fp16]), "1GFLOPS..1000PFLOPS", "", kAlways, "dense peak at 16 bits"},
    {"cluster.gpu.peak.fp8", HBD_AT(cluster.gpu.peak[Precision::Fp8]), "0FLOPS..1000PFLOPS", "0FLOPS", kAlways, "dense peak at 8 bits; 0 = not supported"},
    {"cluster.gpu.peak.fp4", HBD_AT(cluster.gpu.peak[Precision::Fp4]), "0FLOPS..1000PFLOPS", "0FLOPS", kAlways, "dense peak at 4 bits; 0 = not supported"},
    {"cluster.gpu.hbm-rate", HBD_AT(cluster.gpu.hbmRate), "1GB/s..1000TB/s", "", kAlways, "peak memory bandwidth"},
    {"cluster.gpu.memory", HBD_AT(cluster.gpu.memory), "1MiB..100TiB", "", kAlways, "memory capacity"},
    {"cluster.gpu.memory-usable", HBD_AT(cluster.gpu.memoryUsable), "0.01..1", "0.9", kAlways, "share of the memory that weights, KV cache and activations may use"},
    {"cluster.gpu.flop-efficiency.gemm", HBD_AT(cluster.gpu.flopEfficiency["gemm"]), "0.001..1", "0.6", kAlways, "share of the peak reached by dense GEMMs"},
    {"cluster.gpu.flop-efficiency.expert-gemm", HBD_AT(cluster.gpu.flopEfficiency["expert-gemm"]), "0.001..1", "0.6", kAlways, "the same for the experts' grouped GEMMs"},
    {"cluster.gpu.flop-efficiency.attention-prefill", HBD_AT(cluster.gpu.flopEfficiency["attention-prefill"]), "0.001..1", "0.5", kAlways, "the same for attention in prefill"},
    {"cluster.gpu.flop-efficiency.attention-decode", HBD_AT(cluster.gpu.flopEfficiency["attention-decode"]), "0.001..1", "0.5", kAlways, "the same for attention in decode"},
    {"cluster.gpu.flop-efficiency.elementwise", HBD_AT(cluster.gpu.flopEfficiency["elementwise"]), "0.001..1", "0.05", kAlways, "the same for norms, activations and the like"},
    {"cluster.gpu.memory-efficiency.gemm", HBD_AT(cluster.gpu.memoryEfficiency["gemm"]), "0.001..1", "0.8", kAlways, "share of hbm-rate reached by dense GEMMs"},
    {"cluster.gpu.memory-efficiency.expert-gemm", HBD_AT(cluster.gpu.memoryEfficiency["expert-gemm"]), "0.001..1", "0.8", kAlways, "the same for the experts' grouped GEMMs"},
    {"cluster.gpu.memory-efficiency.attention-prefill", HBD_AT(cluster.gpu.memoryEfficiency["attention-prefill"]), "0.001..1", "0.8", kAlways, "the same for attention in prefill"},
    {"cluster.gpu.memory-efficiency.attention-decode", HBD_AT(cluster.gpu.memoryEfficiency["attention-decode"]), "0.001..1", "0.8", kAlways, "the same for attention in decode"},
    {"cluster.gpu.memory-efficiency.elementwise", HBD_AT(cluster.gpu.memoryEfficiency["elementwise"]), "0.001..1", "0.8", kAlways, "the same for norms, activations and the like"},
    {"cluster.gpu.launch", HBD_AT(cluster.gpu.launch), "0s..1s", "3us", kAlways, "fixed time of each stage (kernel launch and tail)"},
    {"cluster.gpu.tick", HBD_AT(cluster.gpu.tick), "0s..1ms", "0s", kAlways, "stages end at the nearest multiple of it, so that GPUs that are less apart meet again; 0 = at any time"},

    {"cluster.hbd.size", HBD_AT(cluster.hbd.size), "1..65536", "8", kAlways, "GPUs in a high-bandwidth domain; divides cluster.gpus"},
    {"cluster.hbd.preset", HBD_AT(cluster.hbd.preset), "", "custom", kAlways, "domain preset"},
    {"cluster.hbd.max-size", HBD_AT(cluster.hbd.maxSize), "0..65536", "0", kAlways, "most GPUs that this layout exists for; 0 = any"},
    {"cluster.hbd.link-rate", RateInBytes{HBD_AT(cluster.hbd.linkRate)}, "1MB/s..1000TB/s", "", kAlways, "a GPU's links together, both directions added, as vendors quote it"},
    {"cluster.hbd.planes", HBD_AT(cluster.hbd.planes), "0..1024", "", kAlways, "switch chips that each GPU reaches; mesh: 0"},
    {"cluster.hbd.links-per-plane", HBD_AT(cluster.hbd.linksPerPlane), "1..1024", "", kAlways, "links of a GPU to each of them"},
    {"cluster.hbd.topology", HBD_AT(cluster.hbd.topology), "single-tier|two-tier|mesh", "single-tier", kAlways, "one switch a plane; leaf and spine switches in each plane; or no switches, every GPU linked to every other"},
    {"cluster.hbd.links", IntegerOrAuto{HBD_AT(cluster.hbd.links)}, "1..65536", "auto", kAlways, "links of a GPU, spread evenly over the planes (18 over 4 are 5, 4, 4, 5); auto = planes x links-per-plane. mesh: links that share link-rate; auto = those to all the others"},
    {"cluster.hbd.links-per-peer", HBD_AT(cluster.hbd.linksPerPeer), "0..1024", "0", kAlways, "mesh: links between each two GPUs"},
    {"cluster.hbd.leaf-size", IntegerOrAuto{HBD_AT(cluster.hbd.leafSize)}, "1..65536", "auto", kAlways, "two-tier: GPUs below one leaf switch; auto = all of the domain"},
    {"cluster.hbd.spines", HBD_AT(cluster.hbd.spines), "1..1024", "1", kAlways, "two-tier: spine switches of a plane"},
    {"cluster.hbd.trunks", HBD_AT(cluster.hbd.trunks), "1..1024", "1", kAlways, "two-tier: links between each leaf and each spine of its plane"},
    {"cluster.hbd.trunk-rate", RateOrAuto{HBD_AT(cluster.hbd.trunkRate)}, "1Mbps..1000Tbps", "auto", kAlways, "two-tier: of a trunk, each direction; auto = that of a GPU's link"},
    {"cluster.hbd.path-choice", HBD_AT(cluster.hbd.pathChoice), "round-robin|hash|least-queued", "round-robin", kAlways, "two-tier: which trunk a unit takes"},
    {"cluster.hbd.broken", HBD_AT(cluster.hbd.broken), ",", "none", kAlways, "what is down: gpu3.link5, hbd0.plane2, hbd0.plane2.leaf0, hbd0.plane2.spine1, hbd0.plane2.leaf0-spine1.0, separated by commas"},
    {"cluster.hbd.on-broken", HBD_AT(cluster.hbd.onBroken), "reroute|fail", "reroute", kAlways, "messages that would use what is down go around it, or are an error"},
    {"cluster.hbd.reduction-rate", HBD_AT(cluster.hbd.reductionRate), "0bps..1000Tbps", "0bps", kAlways, "contributions to sums that a switch chip takes; 0 = what its links bring"},
    {"cluster.hbd.reduction-table", HBD_AT(cluster.hbd.reductionTable), "16B..64MiB", "1MiB", kAlways, "payload of the results that a switch chip sums at a time"},
    {"cluster.hbd.reduction-delay", HBD_AT(cluster.hbd.reductionDelay), "0s..1s", "50ns", kAlways, "sums: head of the last contribution to head of the result, beside switch-delay"},
    {"cluster.hbd.reduction-unit", HBD_AT(cluster.hbd.reductionUnit), "1B..64MiB", "4KiB", kAlways, "most payload of a simulation unit of a sum or multicast; at most one packet's = packet by packet"},
    {"cluster.hbd.multicast-groups", HBD_AT(cluster.hbd.multicastGroups), "0..1048576", "1024", kAlways, "groups that the table of a switch chip takes"},
    {"cluster.hbd.read-latency", HBD_AT(cluster.hbd.readLatency), "0s..1s", "300ns", kAlways, "a GPU's memory that answers a read or a sum"},
    {"cluster.hbd.read-window", HBD_AT(cluster.hbd.readWindow), "0B..64MiB", "1MiB", kAlways, "most payload that a GPU has asked for on one link (reads, sums) and not got yet; 0 = no limit"},
    {"cluster.hbd.link-delay", HBD_AT(cluster.hbd.linkDelay), "0s..1s", "", kAlways, "GPU to switch, one way, without serialisation"},
    {"cluster.hbd.switch-delay", HBD_AT(cluster.hbd.switchDelay), "0s..1s", "", kAlways, "header in to header out, unloaded"},
    {"cluster.hbd.packet-payload", HBD_AT(cluster.hbd.packetPayload), "16B..65520B", "256B", kAlways, "most payload of a packet, in whole flits"},
    {"cluster.hbd.flit", HBD_AT(cluster.hbd.flit), "1B..1KiB", "16B", kAlways, "unit of transfer: packets are whole flits"},
    {"cluster.hbd.header-flits", HBD_AT(cluster.hbd.headerFlits), "1..16", "1", kAlways, "flits of a packet beside its payload"},
    {"cluster.hbd.request-flits", HBD_AT(cluster.hbd.requestFlits), "1..16", "1", kAlways, "flits of a packet that asks for data of another GPU"},
    {"cluster.hbd.packet-flits", HBD_AT(cluster.hbd.packetFlits), "2..65536", "18", kAlways, "most flits of a packet, header included"},
    {"cluster.hbd.packets-per-ack", HBD_AT(cluster.hbd.packetsPerAck), "0..65536", "8", kAlways, "packets for which the receiver sends one flit back on the other direction of the link; 0 = none"},
    {"cluster.hbd.bit-error-rate", HBD_AT(cluster.hbd.bitErrorRate), "0..0.001", "0", kAlways, "probability that a bit on a link is wrong; its packet is sent again"},
    {"cluster.hbd.retry-delay", HBD_AT(cluster.hbd.retryDelay), "0s..1s", "500ns", kAlways, "end of a packet with a bit error to the start of its repetition"},
    {"cluster.hbd.virtual-channels", HBD_AT(cluster.hbd.virtualChannels), "1..8", "2", kAlways, "virtual channels of a link"},
    {"cluster.hbd.credit-window", HBD_AT(cluster.hbd.creditWindow), "64B..128MiB", "1MiB", kAlways, "receive buffer of a link and virtual channel, in wire bytes"},
    {"cluster.hbd.credit-delay", HBD_AT(cluster.hbd.creditDelay), "0s..1s", "100ns", kAlways, "buffer freed to credit usable, beyond the link's delay"},

    {"cluster.scale-out.preset", HBD_AT(cluster.scaleOut.preset), "", "custom", kAlways, "scale-out preset"},
    {"cluster.scale-out.topology", HBD_AT(cluster.scaleOut.topology), "single-switch|rail-optimized|fat-tree|file", "", kAlways, "how the NICs are connected"},
    {"cluster.scale-out.file", HBD_AT(cluster.scaleOut.file), "", "none", kAlways, "file: list of nodes and links, relative to the scenario; gives the rates and delays of Ethernet links"},
    {"cluster.scale-out.nic-rate", HBD_AT(cluster.scaleOut.nicRate), "1Mbps..100Tbps", "", kAlways, "rate of a GPU's NIC, each direction"},
    {"cluster.scale-out.host-rate", HBD_AT(cluster.scaleOut.hostRate), "1Mbps..100Tbps", "", kAlways, "rate of the link between GPU and NIC, each direction"},
    {"cluster.scale-out.host-delay", HBD_AT(cluster.scaleOut.hostDelay), "0s..1s", "", kAlways, "delay of that link, one way"},
    {"cluster.scale-out.link-delay", HBD_AT(cluster.scaleOut.linkDelay), "0s..1s", "", kAlways, "delay of an Ethernet cable, one way"},
    {"cluster.scale-out.switch-delay", HBD_AT(cluster.scaleOut.switchDelay), "0s..1s", "", kAlways, "forwarding latency of a switch"},
    {"cluster.scale-out.gpus-per-server", HBD_AT(cluster.scaleOut.gpusPerServer), "1..1024", "8", kAlways, "GPUs of a server; rail = GPU modulo this"},
    {"cluster.scale-out.servers-per-leaf", IntegerOrAuto{HBD_AT(cluster.scaleOut.serversPerLeaf)}, "1..65536", "auto", kAlways, "rail-optimized: servers below one group of leaf switches; auto = all"},
    {"cluster.scale-out.spines", IntegerOrAuto{HBD_AT(cluster.scaleOut.spines)}, "1..1024", "auto", kAlways, "rail-optimized: spine switches; auto = as many as make it non-blocking"},
    {"cluster.scale-out.cross-rail", HBD_AT(cluster.scaleOut.crossRail), "false|true", "true", kAlways, "rail-optimized: spines connect all rails; false = each rail is a network of its own"},
    {"cluster.scale-out.radix", IntegerOrAuto{HBD_AT(cluster.scaleOut.radix)}, "2..65536", "auto", kAlways, "fat-tree: ports of a switch, even; auto = the least that has room for the NICs"},
    {"cluster.scale-out.aggregations", IntegerOrAuto{HBD_AT(cluster.scaleOut.aggregations)}, "1..32768", "auto", kAlways, "fat-tree: aggregation switches of a pod; auto = radix / 2, fewer oversubscribe the edge"},
    {"cluster.scale-out.cores", IntegerOrAuto{HBD_AT(cluster.scaleOut.cores)}, "1..1073741824", "auto", kAlways, "fat-tree: core switches in all; auto = aggregations x radix / 2, fewer oversubscribe the aggregation switches"},
    {"cluster.scale-out.uplink-rate", RateOrAuto{HBD_AT(cluster.scaleOut.uplinkRate)}, "1Mbps..100Tbps", "auto", kAlways, "between switches, each direction; auto = the NIC's rate"},
    {"cluster.scale-out.mtu", HBD_AT(cluster.scaleOut.mtu), "256B..9000B", "4KiB", kAlways, "RoCE payload of a packet, a multiple of 4B"},
    {"cluster.scale-out.window", HBD_AT(cluster.scaleOut.window), "1B..2GiB", "1MiB", kAlways, "most unacknowledged payload of a queue pair"},
    {"cluster.scale-out.ack-every", HBD_AT(cluster.scaleOut.ackEvery), "1..65536", "1", kAlways, "packets or bursts per acknowledgement"},
    {"cluster.scale-out.queue-pairs", HBD_AT(cluster.scaleOut.queuePairs), "1..1024", "1", kAlways, "queue pairs between two NICs, which messages take in turn; each is a flow to ECMP"},
    {"cluster.scale-out.recovery", HBD_AT(cluster.scaleOut.recovery), "auto|go-back-n|selective-repeat", "auto", kAlways, "what happens when packets are missing; selective-repeat also takes them in any order. auto = that where load-balancing lets packets overtake each other, else go-back-n"},
    {"cluster.scale-out.reorder-packets", IntegerOrAuto{HBD_AT(cluster.scaleOut.reorderPackets)}, "1..2147483647", "auto", kAlways, "selective-repeat: packets that may overtake one before it counts as lost; auto = none on one way, any number where load-balancing uses several"},
    {"cluster.scale-out.retransmit-timeout", HBD_AT(cluster.scaleOut.retransmitTimeout), "1us..100s", "67.108864ms", kAlways, "unacknowledged data are sent again after this time without progress"},
    {"cluster.scale-out.retry-count", HBD_AT(cluster.scaleOut.retryCount), "0..1000", "7", kAlways, "timeouts in a row before a queue pair gives up, which is an error"},
    {"cluster.scale-out.cnp-interval", HBD_AT(cluster.scaleOut.cnpInterval), "0s..1s", "4us", kAlways, "least time between two congestion notification packets of a queue pair"},
    {"cluster.scale-out.faults", HBD_AT(cluster.scaleOut.faults), "", "none", kAlways, "what happens to links, separated by commas: leaf0-spine1 down 2ms [3ms], leaf0-spine1 up 3ms, nic3-leaf0 rate 100Gbps [FROM [UNTIL]], leaf0-spine1 loss 1e-3 [FROM [UNTIL]], leaf0-spine1.1 corruption 1e-4 [FROM [UNTIL]]"},
    {"cluster.scale-out.switch-buffer", HBD_AT(cluster.scaleOut.switchBuffer), "1B..1TiB", "", kAlways, "shared buffer of a switch"},
    {"cluster.scale-out.nic-buffer", HBD_AT(cluster.scaleOut.nicBuffer), "1B..4GiB", "4MiB", kAlways, "receive buffer of a NIC, headroom included"},
    {"cluster.scale-out.headroom", HBD_AT(cluster.scaleOut.headroom), "0B..4GiB", "", kAlways, "buffer of a switch port and lossless priority, and of a NIC, for what arrives after a pause"},
    {"cluster.scale-out.pfc-alpha", HBD_AT(cluster.scaleOut.pfcAlpha), "0.0009765625..1024", "1", kAlways, "a switch or NIC pauses when a port holds more than this times the free shared buffer"},
    {"cluster.scale-out.pfc-xon-offset", HBD_AT(cluster.scaleOut.pfcXonOffset), "0B..4GiB", "0B", kAlways, "resume that far below the pause threshold"},
    {"cluster.scale-out.flow-control", HBD_AT(cluster.scaleOut.flowControl), "pfc|none", "pfc", kAlways, "pfc: full buffers pause who sends into them; none: switches drop what makes a queue too long"},
    {"cluster.scale-out.forwarding", HBD_AT(cluster.scaleOut.forwarding), "store-and-forward|cut-through", "store-and-forward", kAlways, "cut-through: switches send a packet on when its headers are there, to an egress that is not faster"},
    {"cluster.scale-out.ecn-kmin", HBD_AT(cluster.scaleOut.ecnKmin), "0B..1TiB", "1MiB", kAlways, "switches mark no packet (ECN) while at most this waits in its queue"},
    {"cluster.scale-out.ecn-kmax", HBD_AT(cluster.scaleOut.ecnKmax), "0B..1TiB", "0B", kAlways, "every packet above this; between the two with a probability that grows to ecn-pmax; 0 = no marking (congestion-control: dcqcn: 2MiB)"},
    {"cluster.scale-out.ecn-pmax", HBD_AT(cluster.scaleOut.ecnPmax), "0..1", "0.05", kAlways, "probability of a mark at ecn-kmax"},
    {"cluster.scale-out.congestion-control", HBD_AT(cluster.scaleOut.congestionControl), "none|dcqcn|hpcc|timely|swift", "none", kAlways, "what limits a queue pair beside its window; dcqcn needs switches that mark (ECN)"},
    {"cluster.scale-out.congestion-parameters", HBD_AT(cluster.scaleOut.congestionParameters), "", "none", kAlways, "its parameters that are not at their defaults: `Name=value, Name=value` (hbd list congestion-controls)"},
    {"cluster.scale-out.load-balancing", HBD_AT(cluster.scaleOut.loadBalancing), "ecmp|flowlet|spray-random|spray-round-robin|spray-least-queue", "ecmp", kAlways, "how a switch chooses among equal-cost ways"},
    {"cluster.scale-out.load-balancing-parameters", HBD_AT(cluster.scaleOut.loadBalancingParameters), "", "none", kAlways, "its parameters that are not at their defaults: `Name=value, Name=value` (hbd list load-balancers)"},

    {"model.preset", HBD_AT(model->preset), "", "custom", kInference, "model preset"},
    {"model.layers", HBD_AT(model->layers), "1..10000", "", kInference, "transformer layers"},
    {"model.hidden", HBD_AT(model->hidden), "1..1048576", "", kInference, "hidden size"},
    {"model.heads", HBD_AT(model->heads), "1..65536", "", kInference, "attention heads"},
    {"model.kv-heads", HBD_AT(model->kvHeads), "1..65536", "", kInference, "key and value heads"},
    {"model.head-dim", IntegerOrAuto{HBD_AT(model->headDim)}, "1..65536", "auto", kInference, "size of a head; auto = hidden / heads"},
    {"model.ffn", HBD_AT(model->ffn), "1..16777216", "", kInference, "intermediate size of the FFN, or of each expert"},
    {"model.vocabulary", HBD_AT(model->vocabulary), "1..16777216", "", kInference, "vocabulary size"},
    {"model.experts", HBD_AT(model->experts), "0..65536", "0", kInference, "routed experts of a layer; 0 = dense"},
    {"model.top-k", HBD_AT(model->topK), "1..65536", "", kMoe, "experts that a token goes to"},
    {"model.gated-ffn", HBD_AT(model->gatedFfn), "false|true", "true", kInference, "three matrices (gate, up, down) instead of two"},
    {"model.qkv-bias", HBD_AT(model->qkvBias), "false|true", "false", kInference, "bias in the QKV projection"},
    {"model.tied-embeddings", HBD_AT(model->tiedEmbeddings), "false|true", "false", kInference, "LM head shares the embedding's weights"},

    {"mapping.tp", IntegerOrAuto{HBD_AT(mapping.tp)}, "1..65536", "1", kInference, "attention tensor parallelism; tp x dp x pp = GPUs"},
    {"mapping.dp", IntegerOrAuto{HBD_AT(mapping.dp)}, "1..65536", "auto", kInference, "attention data parallelism"},
    {"mapping.pp", HBD_AT(mapping.pp), "1..65536", "1", kInference, "pipeline stages"},
    {"mapping.ep", IntegerOrAuto{HBD_AT(mapping.ep)}, "1..65536", "auto", kMoe, "expert parallelism; ep x expert-tp x pp = GPUs; with both auto the most that the experts allow"},
    {"mapping.expert-tp", IntegerOrAuto{HBD_AT(mapping.expertTp)}, "1..65536", "auto", kMoe, "tensor parallelism inside an expert"},

    {"precision.weights", HBD_AT(precision.weights), "", "fp16", kInference, "weights and GEMMs"},
    {"precision.kv-cache", HBD_AT(precision.kvCache), "", "fp16", kInference, "KV cache"},
    {"precision.attention", HBD_AT(precision.attention), "", "fp16", kInference, "attention arithmetic"},
    {"precision.wire", HBD_AT(precision.wire), "", "bf16", kInference, "activations on the network"},

    {"library.preset", HBD_AT(library.preset), "", "custom", kAlways, "communication library preset"},
    {"library.launch", HBD_AT(library.launch), "0s..1s", "", kAlways, "of kernels that give none: per collective, on every member, before what it does first"},
    {"library.scale-up-step", HBD_AT(library.scaleUpStep), "0s..1s", "", kAlways, "of kernels that give none: software latency of each dependent step inside a domain"},
    {"library.scale-out-step", HBD_AT(library.scaleOutStep), "0s..1s", "", kAlways, "the same through the NIC"},
    {"library.reduce-rate", HBD_AT(library.reduceRate), "0B/s..1000TB/s", "0B/s", kAlways, "of kernels that give none: local reduction: bytes read and written a second; 0 = takes no time"},
    {"library.sms", HBD_AT(library.sms), "0..1024", "0", kAlways, "multiprocessors that its kernels run on, for copy-rate-per-sm; 0 = as many as their copy-rate needs"},
    {"library.token-counts", HBD_AT(library.tokenCounts), "false|true", "false", kAlways, "before each dispatch the ranks tell each other how many tokens go to each expert, as all-to-all(v) needs; false = buffers of fixed size, or part of the dispatch kernel"},
    {"library.choice", HBD_AT(library.choice), "first|cheapest", "cheapest", kAlways, "which of the kernels whose conditions hold: the first, or the cheapest by the library's own estimate"},
    {"library.kernels", KernelList{}, "", "", kAlways, "what the library chooses from"},

    {"workload.batch", HBD_AT(workload.inference->batch), "1..1048576", "1", kInference, "sequences that arrive together"},
    {"workload.input-tokens", HBD_AT(workload.inference->inputTokens), "1..16777216", "", kInference, "prompt length of each"},
    {"workload.output-tokens", HBD_AT(workload.inference->outputTokens), "1..1048576", "", kInference, "tokens generated for each"},
    {"workload.collective", HBD_AT(workload.collective->collective), "all-reduce|reduce-scatter|all-gather|all-to-all|broadcast|dispatch|combine", "", kCollective, "the network alone: this collective"},
    {"workload.algorithm", HBD_AT(workload.collective->algorithm), "", "auto", kCollective, "its algorithm (`hbd list collectives`), whether the library would choose it or not; auto = the library chooses"},
    {"workload.protocol", HBD_AT(workload.collective->protocol), "", "auto", kCollective, "its protocol, one of those of the library's kernels; auto = the library chooses"},
    {"workload.ranks", RankList{HBD_AT(workload.collective->ranks)}, "0..65535", "all", kCollective, "the GPUs that take part"},
    {"workload.sizes", HBD_AT(workload.collective->sizes), "1B..1TiB", "", Applies::Sized, "sizes, one after the other with a barrier between them, counted as nccl-tests does"},
    {"workload.tokens", HBD_AT(workload.collective->exchange.tokens), "1..1048576", "", kExchange, "dispatch and combine: tokens of each GPU"},
    {"workload.experts", HBD_AT(workload.collective->exchange.experts), "1..65536", "", kExchange, "experts, spread over the GPUs in runs"},
    {"workload.top-k", HBD_AT(workload.collective->exchange.topK), "1..1024", "", kExchange, "experts of a token; it goes once to each GPU that has some of them"},
    {"workload.ranks-per-token", IntegerOrAuto{HBD_AT(workload.collective->exchange.ranksPerToken)}, "1..1024", "auto", kExchange, "most GPUs that a token goes to; auto = any"},
    {"workload.bytes-per-token", HBD_AT(workload.collective->exchange.bytesPerToken), "1B..16MiB", "", kExchange, "bytes of a token on the network"},
    {"workload.routing", HBD_AT(workload.collective->exchange.routing), "balanced|uniform", "balanced", kExchange, "balanced: every GPU gets the same; uniform: experts drawn at random from seed"},
    {"workload.messages", HBD_AT(workload.messages->file), "", "", Applies::Messages, "the network alone: a CSV of time, source, destination, bytes"},
};
// clang-format on

#undef HBD_AT

const std::vector<Group> kGroups = {
    {"cluster.gpu", "preset", "gpus", "b200", false},
    {"cluster.hbd", "preset", "domains", "nvlink5", true},
    {"cluster.scale-out", "preset", "scale-out", "rail-optimized-400g", true},
    {"model", "preset", "models", "", false},
    {"precision", "weights", "", "", false},
    {"library", "preset", "libraries", "nccl-like", true},
};

const std::vector<FormerKey> kFormerKeys = {
    {"library.direct-limit", "now a condition of kernels: library.kernels: [{for: all-gather, algorithm: direct, block-until: ...}, ...]"},
    {"library.large-algorithm", "now a kernel for each operation: library.kernels: [{for: all-gather, algorithm: ring}, ...]"},
    {"library.all-to-all", "now a kernel: library.kernels: [{for: all-to-all, algorithm: direct}, ...]"},
};

} // namespace

const std::vector<FormerKey>&
FormerKeys()
{
    return kFormerKeys;
}

const std::vector<Key>&
Keys()
{
    return kKeys;
}

const std::vector<Group>&
Groups()
{
    return kGroups;
}

} // namespace hbd::traffic
