/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The table of every record file and column: a new column is one line here, and one where its row is filled
// (record-rows.cc).

#include "metrics.h"
#include "record-schema.h"

namespace hbd::analysis
{

namespace
{

constexpr auto Text = ValueType::Text;
constexpr auto Integer = ValueType::Integer;
constexpr auto Decimal = ValueType::Decimal;
constexpr auto Input = ReplayEffect::Input;
constexpr auto Completion = ReplayEffect::Completion;
constexpr auto Counter = ReplayEffect::Counter;
constexpr auto Maximum = ReplayEffect::Maximum;
constexpr auto Cost = ReplayEffect::Cost;
constexpr bool kFilled = false;
constexpr bool kMayBeEmpty = true;

/// The metric columns, each with a prefix to its name.
void
AppendMetrics(std::vector<RecordColumn>& columns, const std::string& prefix)
{
    for (const auto& metric : Metrics())
    {
        columns.push_back({prefix + metric.key, metric.unit, Decimal, kMayBeEmpty, metric.meaning, Completion});
    }
}

RecordFile
PointsFile()
{
    RecordFile file{
        "points.csv",
        false,
        RecordFormat::Csv,
        "One row a sweep point. After `point` come the swept keys of the scenario, each a column named by its "
        "path (`cluster.hbd.size`), then every metric.",
        true,
        {{"point", "-", Text, kFilled, "name of the point's folder", Input}}};
    AppendMetrics(file.columns, "");
    return file;
}

RecordFile
SummaryFile()
{
    RecordFile file{
        "summary.json",
        true,
        RecordFormat::Json,
        "The metrics of the point and where they came from.",
        false,
        {
            {"point", "-", Text, kFilled, "name of the point's folder", Input},
            {"scenario", "-", Text, kFilled, "name of the scenario", Input},
            {"scenario_hash", "-", Text, kFilled, "of the filled-in scenario, acceleration left out", Input},
            {"seed", "-", Integer, kFilled, "seed of the random streams", Input},
            {"fidelity", "-", Text, kFilled, "packet or flow", Input},
            {"versions.*",
             "-",
             Text,
             kMayBeEmpty,
             "version of each program and library that can change a result",
             Input},
            {"swept.*", "-", Text, kMayBeEmpty, "value of each swept key", Input},
            {"workload.kind", "-", Text, kFilled, "inference or network", Input},
            {"workload.gpus", "-", Integer, kFilled, "GPUs of the cluster", Input},
            {"workload.batch", "-", Integer, kFilled, "sequences; 0 for the network alone", Input},
            {"workload.input_tokens", "-", Integer, kFilled, "per sequence; 0 for the network alone", Input},
            {"workload.output_tokens", "-", Integer, kFilled, "per sequence; 0 for the network alone", Input},
            {"workload.layers", "-", Integer, kFilled, "of the model; 0 for the network alone", Input},
        }};
    AppendMetrics(file.columns, "metrics.");
    const std::vector<RecordColumn> rest{
        {"phases[].name", "-", Text, kMayBeEmpty, "prefill, decode, or the only phase of a network-only run", Input},
        {"phases[].start_s", "s", Decimal, kMayBeEmpty, "start of the phase", Completion},
        {"phases[].end_s", "s", Decimal, kMayBeEmpty, "end of the phase", Completion},
        {"token_ready_s[]",
         "s",
         Decimal,
         kMayBeEmpty,
         "when the tokens of each step exist; the first is the prefill's",
         Completion},
        {"message_slowdown[].max_bytes",
         "B",
         Integer,
         kMayBeEmpty,
         "upper limit of the size bin; it starts above half of it",
         Input},
        {"message_slowdown[].count", "-", Integer, kMayBeEmpty, "messages of the bin", Counter},
        {"message_slowdown[].p50",
         "1",
         Decimal,
         kMayBeEmpty,
         "completion time / the same alone on the fabric, 50th percentile (at most 1/64 too high)",
         Completion},
        {"message_slowdown[].p90", "1", Decimal, kMayBeEmpty, "90th percentile", Completion},
        {"message_slowdown[].p99", "1", Decimal, kMayBeEmpty, "99th percentile", Completion},
        {"message_slowdown[].max", "1", Decimal, kMayBeEmpty, "the largest", Maximum},
    };
    file.columns.insert(file.columns.end(), rest.begin(), rest.end());
    return file;
}

RecordFile
RunFile()
{
    return {"run.json",
            true,
            RecordFormat::Json,
            "What the run cost. The only file that may differ between accelerations, schedulers and `--jobs`.",
            false,
            {
                {"wall_s", "s", Decimal, kFilled, "real time of the point", Cost},
                {"events", "-", Integer, kFilled, "events of the ns-3 engine", Cost},
                {"unit_hops", "-", Integer, kFilled, "simulation units x links, those that were run", Cost},
                {"packet_hops", "-", Integer, kFilled, "wire packets x links, replayed ones included", Cost},
                {"spans", "-", Integer, kFilled, "stretches from one quiescent instant to the next", Cost},
                {"replayed_spans", "-", Integer, kFilled, "those that were replayed", Cost},
                {"replayed_s", "s", Decimal, kFilled, "simulated time inside replayed spans", Cost},
                {"simulated_s", "s", Decimal, kFilled, "simulated time of the run", Cost},
                {"replayed_share", "1", Decimal, kMayBeEmpty, "replayed_s / simulated_s", Cost},
                {"peak_memory_bytes", "B", Integer, kFilled, "resident memory of the process", Cost},
                {"jobs", "-", Integer, kFilled, "processes of the sweep", Cost},
                {"acceleration", "-", Text, kFilled, "what was on", Cost},
                {"notes[]", "-", Text, kMayBeEmpty, "where and why acceleration was off, and the like", Cost},
            }};
}

RecordFile
TopologyFile()
{
    return {"topology.json",
            true,
            RecordFormat::Json,
            "The fabric as it was built. A link is a cable: links.csv has a row for each of its directions, `a->b` and "
            "`b->a`.",
            false,
            {
                {"nodes[].name", "-", Text, kMayBeEmpty, "unique", Input},
                {"nodes[].kind", "-", Text, kMayBeEmpty, "gpu, nvswitch, nic, ethernet-switch", Input},
                {"nodes[].gpu", "-", Integer, kMayBeEmpty, "number of the GPU (GPU, NIC)", Input},
                {"nodes[].hbd", "-", Integer, kMayBeEmpty, "high-bandwidth domain", Input},
                {"nodes[].rail", "-", Integer, kMayBeEmpty, "rail (GPU, NIC, leaf switch)", Input},
                {"nodes[].level", "-", Integer, kMayBeEmpty, "of a switch: 0 next to the hosts", Input},
                {"links[].a", "-", Text, kMayBeEmpty, "node at one end", Input},
                {"links[].b", "-", Text, kMayBeEmpty, "node at the other end", Input},
                {"links[].tier", "-", Text, kMayBeEmpty, "scale-up, host, scale-out", Input},
                {"links[].plane", "-", Integer, kMayBeEmpty, "switch plane (scale-up)", Input},
                {"links[].rate_Gbps", "Gb/s", Decimal, kMayBeEmpty, "rate of each direction", Input},
                {"links[].delay_s", "s", Decimal, kMayBeEmpty, "propagation, one way", Input},
            }};
}

RecordFile
StagesFile()
{
    return {"stages.csv",
            true,
            RecordFormat::Csv,
            "Durations of the stages, over the ranks and the layers of a class. Of decode the first, the middle and "
            "the last "
            "step, unless the scenario says `records: {stages: full}`.",
            false,
            {
                {"phase", "-", Text, kFilled, "prefill or decode", Input},
                {"step", "-", Integer, kFilled, "0 in prefill, 1 to output tokens - 1 in decode", Input},
                {"layer_class", "-", Text, kFilled, "layers of one shape", Input},
                {"stage", "-", Text, kFilled, "qkv, attention, expert-gemm, ...", Input},
                {"count", "-", Integer, kFilled, "durations that the row is made of (ranks x layers)", Counter},
                {"min_s", "s", Decimal, kFilled, "the shortest", Completion},
                {"mean_s", "s", Decimal, kFilled, "the mean, to the picosecond", Completion},
                {"max_s", "s", Decimal, kFilled, "the longest", Completion},
            }};
}

RecordFile
CollectivesFile()
{
    return {"collectives.csv",
            true,
            RecordFormat::Csv,
            "Executions of collectives. Sizes and bandwidths are those of nccl-tests: size is the vector of an "
            "all-reduce or broadcast, what "
            "a rank starts with in a reduce-scatter or all-to-all, what a rank ends up with in an all-gather; "
            "algbw = size / (end - start), busbw = algbw x 2 (n-1)/n for an all-reduce, x (n-1)/n for a "
            "reduce-scatter, all-gather or all-to-all, x 1 for a broadcast. "
            "The ideal is the "
            "sum of ideal_bytes_s and ideal_latency_s.",
            false,
            {
                {"phase", "-", Text, kFilled, "phase of the run", Input},
                {"step", "-", Integer, kFilled, "0 in prefill, 1 to output tokens - 1 in decode", Input},
                {"layer", "-", Integer, kMayBeEmpty, "number of the layer; empty outside layers", Input},
                {"name", "-", Text, kFilled, "what it is for", Input},
                {"op",
                 "-",
                 Text,
                 kFilled,
                 "all-reduce, reduce-scatter, all-gather, all-to-all, broadcast, send-receive, messages",
                 Input},
                {"algorithm", "-", Text, kFilled, "which of `hbd list collectives`; direct for messages", Input},
                {"protocol", "-", Text, kMayBeEmpty, "of the library's kernel: ll, simple, ...; empty: none", Input},
                {"group", "-", Text, kFilled, "kind of group: tp, expert-tp, ep, pp, world", Input},
                {"group_number",
                 "-",
                 Integer,
                 kMayBeEmpty,
                 "which of them; empty: all together, from the first start to the last end",
                 Input},
                {"ranks", "-", Integer, kFilled, "members of a group (n)", Input},
                {"size_bytes", "B", Integer, kFilled, "size as nccl-tests counts it", Input},
                {"start_s", "s", Decimal, kFilled, "the first rank posts", Completion},
                {"ready_s", "s", Decimal, kFilled, "the last rank posts", Completion},
                {"end_s", "s", Decimal, kFilled, "the last rank has its data", Completion},
                {"algbw_GBps", "GB/s", Decimal, kMayBeEmpty, "algorithm bandwidth, from start_s", Completion},
                {"busbw_GBps", "GB/s", Decimal, kMayBeEmpty, "bus bandwidth, from start_s", Completion},
                {"ideal_s", "s", Decimal, kFilled, "lower bound of end_s - start_s on this fabric", Input},
                {"ideal_bytes_s",
                 "s",
                 Decimal,
                 kFilled,
                 "its bytes: wire bytes over capacity at the tightest ingress, egress or cut",
                 Input},
                {"ideal_latency_s",
                 "s",
                 Decimal,
                 kFilled,
                 "its latency: of the longest chain of dependent messages",
                 Input},
                {"slowdown", "1", Decimal, kMayBeEmpty, "(end_s - start_s) / ideal_s", Completion},
            }};
}

RecordFile
LinksFile()
{
    return {
        "links.csv",
        true,
        RecordFormat::Csv,
        "One row a phase and direction of a link.",
        false,
        {
            {"link", "-", Text, kFilled, "`a->b`, the names of topology.json", Input},
            {"phase", "-", Text, kFilled, "phase of the run", Input},
            {"tier", "-", Text, kFilled, "scale-up, host, scale-out", Input},
            {"rate_Gbps", "Gb/s", Decimal, kFilled, "rate of this direction", Input},
            {"tx_bytes", "B", Integer, kFilled, "sent on the wire; headers, control and repetitions included", Counter},
            {"tx_packets", "-", Integer, kFilled, "wire packets, repetitions not counted", Counter},
            {"utilisation", "1", Decimal, kMayBeEmpty, "time transmitting / time of the phase", Counter},
            {"max_queue_bytes", "B", Integer, kFilled, "longest queue in front of it", Maximum},
            {"mean_queue_bytes", "B", Decimal, kMayBeEmpty, "mean of that queue over the time of the phase", Counter},
            {"ecn_marked", "-", Integer, kFilled, "packets marked", Counter},
            {"pause_s", "s", Decimal, kFilled, "stopped by priority flow control", Counter},
            {"credit_stall_s", "s", Decimal, kFilled, "data waiting, no credit", Counter},
            {"drops", "-", Integer, kFilled, "packets lost: waiting for the link, on it, or at its start for want of room or by a wrong frame check", Counter},
            {"control_flits", "-", Integer, kFilled, "NVLink: flits of acknowledgements and credits for the other direction", Counter},
            {"receive_errors", "-", Integer, kFilled, "Ethernet: of the drops, packets that came over the other direction corrupted", Counter},
            {"retried_packets", "-", Integer, kFilled, "NVLink: wire packets that had a bit error and were sent again", Counter},
            {"pause_frames", "-", Integer, kFilled, "frames sent that stop the other end or renew that (priority flow control)", Counter},
        }};
}

RecordFile
MoeLoadFile()
{
    return {"moe_load.csv",
            true,
            RecordFormat::Csv,
            "Where the tokens of mixture-of-experts layers went. Empty but for its header in runs without experts.",
            false,
            {
                {"phase", "-", Text, kFilled, "prefill or decode", Input},
                {"layer_class", "-", Text, kFilled, "layers of one shape", Input},
                {"rank", "-", Integer, kFilled, "rank that holds the expert or a shard of it", Input},
                {"expert", "-", Integer, kFilled, "number of the expert", Input},
                {"tokens", "-", Integer, kFilled, "token copies that it computes in one step of one layer", Input},
            }};
}

RecordFile
MessagesFile()
{
    return {"messages.csv",
            true,
            RecordFormat::Csv,
            "Every message, when the scenario says `records: {messages: true}`.",
            false,
            {
                {"phase", "-", Text, kFilled, "phase of the run", Input},
                {"source", "-", Integer, kFilled, "rank that sends", Input},
                {"destination", "-", Integer, kFilled, "rank that receives", Input},
                {"size_bytes", "B", Integer, kFilled, "payload", Input},
                {"start_s", "s", Decimal, kFilled, "posted", Completion},
                {"end_s", "s", Decimal, kFilled, "the last byte is there", Completion},
                {"ideal_s", "s", Decimal, kFilled, "the time it takes alone on the fabric", Input},
                {"slowdown", "1", Decimal, kMayBeEmpty, "(end_s - start_s) / ideal_s", Completion},
            }};
}

} // namespace

const std::vector<RecordFile>&
RecordFiles()
{
    static const std::vector<RecordFile> files{
        PointsFile(),
        SummaryFile(),
        RunFile(),
        {"scenario.yaml",
         true,
         RecordFormat::Document,
         "The scenario of the point with every default filled in; acceleration is left out.",
         false,
         {}},
        {"scenario.json", true, RecordFormat::Document, "The same as JSON, for other programs.", false, {}},
        TopologyFile(),
        StagesFile(),
        CollectivesFile(),
        LinksFile(),
        MoeLoadFile(),
        MessagesFile(),
    };
    return files;
}

} // namespace hbd::analysis
