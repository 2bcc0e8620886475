/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-player.h"

#include "hbd-span-cache.h"
#include "hbd-span-replay.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/nstime.h"

#include <algorithm>
#include <sstream>

namespace ns3
{
namespace hbd
{

NS_LOG_COMPONENT_DEFINE("HbdPlayer");

NS_OBJECT_ENSURE_REGISTERED(Player);

namespace
{

/// Marks the messages that a player posted.
constexpr uint64_t PLAYER_COOKIE = 0x6862642d706c6179;

/// What an operation asks of the fabric.
Posting
MakePosting(uint32_t rank, const Operation& operation, const OperationBlock& block)
{
    Posting posting;
    posting.issuer = rank;
    posting.peer = operation.peer;
    posting.bytes = operation.bytes;
    posting.copyRate = operation.copyRate;
    posting.packetPayload = operation.packetPayload;
    posting.accounting = block.accountingClass;
    posting.cookie = PLAYER_COOKIE;
    switch (operation.kind)
    {
    case OperationKind::READ:
        posting.kind = MessageKind::READ;
        break;
    case OperationKind::MULTICAST:
        posting.kind = MessageKind::MULTICAST;
        break;
    case OperationKind::SWITCH_REDUCE:
        posting.kind = MessageKind::REDUCE;
        break;
    default:
        posting.kind = MessageKind::WRITE;
    }
    if (HasGroup(operation.kind))
    {
        posting.peer = 0;
        posting.group = &block.groups[operation.peer];
    }
    return posting;
}

/// Enters the groups that operations of a block name; those that none names, and that the switches need not be able to serve, do not count.
void
RegisterGroups(Fabric& fabric, const OperationBlock& block)
{
    std::vector<bool> known(block.groups.size(), false);
    size_t left = known.size();
    for (size_t i = 0; i < block.operations.size() && left != 0; i++)
    {
        const Operation& operation = block.operations[i];
        if (HasGroup(operation.kind) && !known.at(operation.peer))
        {
            known[operation.peer] = true;
            left--;
            fabric.RegisterGroup(block.groups[operation.peer]);
        }
    }
}

/// What an operation that does not end waits for, or nothing when it does not wait.
std::string
DescribeWait(const Operation& operation, const OperationBlock& block)
{
    std::string bytes = std::to_string(operation.bytes) + " B ";
    switch (operation.kind)
    {
    case OperationKind::RECEIVE:
        return bytes + "from rank " + std::to_string(operation.peer);
    case OperationKind::READ:
        return bytes + "that it reads from rank " + std::to_string(operation.peer);
    case OperationKind::SWITCH_REDUCE:
        return bytes + "that switches sum over " + std::to_string(block.groups[operation.peer].size()) + " ranks";
    default:
        return "";
    }
}

} // namespace

TypeId
Player::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::hbd::Player")
            .SetParent<Object>()
            .SetGroupName("Hbd")
            .AddConstructor<Player>()
            .AddAttribute("ComputeTick",
                          "Computes end at the nearest multiple of this time, counted from the start of the simulation. Durations of computes are "
                          "estimates; what of the differences between ranks is below the tick is dropped at each of them, so that ranks "
                          "meet again and spans repeat. 0 = as given.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&Player::SetComputeTick, &Player::GetComputeTick),
                          MakeTimeChecker(Time(0)));
    return tid;
}

Player::Player() = default;

Player::~Player() = default;

void
Player::DoDispose()
{
    m_replay.reset();
    if (m_fabric)
    {
        m_fabric->SetListener(nullptr);
        m_kernel->SetInstantListener(nullptr);
        m_kernel->SetWatchInstants(false);
        m_kernel->Unregister(m_port, static_cast<uint32_t>(m_ranks.size()));
    }
    m_fabric = nullptr;
    m_cache.reset();
    Object::DoDispose();
}

void
Player::Setup(Ptr<Fabric> fabric, OperationSource* source, PlayerObserver* observer, std::shared_ptr<SpanCache> cache)
{
    m_fabric = fabric;
    m_kernel = &fabric->GetKernel();
    m_source = source;
    m_observer = observer;
    m_cache = cache;
    uint32_t ranks = fabric->GetGraph().gpus;
    m_classes = fabric->GetContext().accountingClasses;
    m_ranks.resize(ranks);
    m_computePs.assign(static_cast<size_t>(ranks) * m_classes, 0);
    m_waitingSums = fabric->GetContext().statistics.AddSums(ranks * m_classes * 2);
    m_port = m_kernel->Register(this, ranks);
    m_kernel->SetInstantListener(this);
    fabric->SetListener(this);
    if (cache)
    {
        cache->Bind(fabric->GetFingerprint());
        m_interner = &cache->blocks;
        m_replay = std::make_unique<SpanReplay>(*this, *cache);
    }
    else
    {
        m_ownInterner = std::make_unique<BlockInterner>();
        m_interner = m_ownInterner.get();
    }
}

void
Player::Start()
{
    m_starting = true;
    m_fabric->RefreshWatched();
    if (m_source->GetSections() > 1)
    {
        m_fabric->SaveState(m_stateAtStart);
    }
    m_kernel->RequestPost();
}

bool
Player::StartNextSection()
{
    if (m_ended != m_ranks.size() || m_section + 1 >= m_source->GetSections())
    {
        return false;
    }
    OnOutsideAction();
    m_fabric->CheckDrained();
    m_fabric->RestoreState(m_stateAtStart);
    m_fabric->RestartFaults();
    m_source->BeginSection(++m_section);
    for (uint32_t rank = 0; rank < m_ranks.size(); rank++)
    {
        RankState& state = Touch(rank);
        state.ended = false;
        state.sourceOver = false;
    }
    m_ended = 0;
    m_starting = true;
    m_kernel->RequestPost();
    return true;
}

RankState&
Player::Touch(uint32_t rank)
{
    RankState& state = m_ranks[rank];
    if (!state.expanded)
    {
        state.Expand(m_cache->rankStates.Get(state.snapshot), rank, m_tracker);
    }
    state.snapshot = NO_INDEX;
    return state;
}

const BlockInstance*
Player::Peek(uint32_t rank, size_t ahead)
{
    RankState& state = m_ranks[rank];
    while (state.next.size() <= ahead && !state.sourceOver)
    {
        BlockInstance instance;
        if (m_source->Next(rank, instance))
        {
            size_t durations = instance.durations ? instance.durations->size() : 0;
            NS_ABORT_MSG_IF(durations < instance.block->durationCount,
                            "rank " << rank << ": a block has " << instance.block->durationCount << " computes and " << durations
                                    << " durations");
            // here, where every block comes by whether it is replayed or not, as the switches' tables fill up
            RegisterGroups(*m_fabric, *instance.block);
            state.next.push_back(std::move(instance));
        }
        else
        {
            state.sourceOver = true;
        }
    }
    return ahead < state.next.size() ? &state.next[ahead] : nullptr;
}

void
Player::PullBlock(uint32_t rank)
{
    RankState& state = Touch(rank);
    const BlockInstance* next = Peek(rank, 0);
    uint64_t epochBefore = state.instance.epoch;
    if (!next)
    {
        state.ended = true;
        state.block = nullptr;
        state.status.clear();
        m_ended++;
        if (m_replay)
        {
            m_replay->NotePull(rank, NO_INDEX, 0);
        }
        return;
    }
    NS_ABORT_MSG_IF(state.block && next->epoch == epochBefore, "rank " << rank << ": two blocks in a row have epoch " << epochBefore);
    state.instance = std::move(state.next.front());
    state.next.pop_front();
    state.block = m_interner->Intern(state.instance.block);
    state.BeginBlock();
    if (m_replay)
    {
        m_replay->NotePull(rank, state.block->shape, state.instance.epoch - epochBefore);
    }
    auto isNow = [&state](const EarlyArrival& arrival) { return arrival.epoch == state.instance.epoch; };
    std::vector<EarlyArrival> arrived;
    std::copy_if(state.early.begin(), state.early.end(), std::back_inserter(arrived), isNow);
    state.early.erase(std::remove_if(state.early.begin(), state.early.end(), isNow), state.early.end());
    // what completes inside must not end the block before all of it is begun
    bool outermost = !m_working;
    m_working = true;
    for (const auto& arrival : arrived)
    {
        Arrive(rank, arrival);
    }
    for (uint32_t i = 0; i < state.pending.size(); i++)
    {
        if (state.pending[i] == 0 && (state.status[i] & 7) == OPERATION_WAITING)
        {
            MakeReady(rank, i);
        }
    }
    if (state.open == 0)
    {
        m_work.push_back({rank, NO_INDEX}); // an empty block is over at once
    }
    if (outermost)
    {
        m_working = false;
        RunWork();
    }
}

void
Player::EndBlock(uint32_t rank)
{
    RankState& state = m_ranks[rank];
    AccountWaiting(rank, state);
    int64_t now = m_kernel->NowPs();
    m_endPs = std::max(m_endPs, now);
    if (m_replay)
    {
        m_replay->NoteBlockDone(rank);
    }
    if (m_observer)
    {
        m_observer->OnBlockDone(rank, state.instance.tag, now);
    }
    PullBlock(rank);
}

void
Player::MakeReady(uint32_t rank, uint32_t number)
{
    RankState& state = m_ranks[rank];
    const Operation& operation = state.block->block->operations[number];
    uint8_t& status = state.status[number];
    if (operation.collective != NO_COLLECTIVE && !state.runs[operation.collective])
    {
        BeginCollective(rank, state, operation.collective);
    }
    switch (operation.kind)
    {
    case OperationKind::COMPUTE:
        status = OPERATION_READY;
        state.computeQueue.push_back(number);
        if (state.running == NO_INDEX)
        {
            StartCompute(rank, state);
        }
        break;
    case OperationKind::DELAY:
        status = OPERATION_ACTIVE;
        m_kernel->ScheduleTimer(RecordKind::TIMER, operation.delayPs, m_port + rank, number);
        break;
    case OperationKind::SEND:
    case OperationKind::READ:
    case OperationKind::MULTICAST:
    case OperationKind::SWITCH_REDUCE:
        status = OPERATION_READY;
        if (operation.delayPs > 0)
        {
            m_kernel->ScheduleTimer(RecordKind::TIMER, operation.delayPs, m_port + rank, number);
        }
        else
        {
            m_toPost.push_back({rank, number});
            m_kernel->RequestPost();
        }
        break;
    case OperationKind::RECEIVE:
        if (status & OPERATION_ARRIVED)
        {
            Complete(rank, number);
        }
        else
        {
            status = OPERATION_ACTIVE;
        }
        break;
    }
}

void
Player::Complete(uint32_t rank, uint32_t operation)
{
    m_work.push_back({rank, operation});
    RunWork();
}

void
Player::RunWork()
{
    if (m_working)
    {
        return;
    }
    m_working = true;
    for (size_t i = 0; i < m_work.size(); i++)
    {
        RankOperation what = m_work[i];
        CompleteNow(what);
    }
    m_work.clear();
    m_working = false;
}

void
Player::CompleteNow(const RankOperation& what)
{
    RankState& state = Touch(what.rank);
    if (what.operation == NO_INDEX)
    {
        EndBlock(what.rank);
        return;
    }
    const PreparedBlock* block = state.block;
    const Operation& operation = block->block->operations[what.operation];
    state.status[what.operation] = (state.status[what.operation] & OPERATION_ARRIVED) | OPERATION_DONE;
    if (!EndsWhenPosted(operation.kind))
    {
        // a send was closed when it was posted, and is counted when its message is delivered
        Close(what.rank, state, what.operation);
        if (operation.collective != NO_COLLECTIVE)
        {
            CountDone(*state.runs[operation.collective]);
        }
    }
    for (uint32_t i = block->firstSuccessor[what.operation]; i < block->firstSuccessor[what.operation + 1]; i++)
    {
        uint32_t successor = block->successors[i];
        if (--state.pending[successor] == 0)
        {
            MakeReady(what.rank, successor);
        }
    }
    if (state.open == 0 && !EndsWhenPosted(operation.kind))
    {
        EndBlock(what.rank);
    }
}

void
Player::SetComputeTick(Time tick)
{
    m_tickPs = tick.GetPicoSeconds();
}

Time
Player::GetComputeTick() const
{
    return PicoSeconds(m_tickPs);
}

void
Player::StartCompute(uint32_t rank, RankState& state)
{
    AccountWaiting(rank, state);
    uint32_t number = state.computeQueue.front();
    state.computeQueue.erase(state.computeQueue.begin());
    state.status[number] = OPERATION_ACTIVE;
    state.running = number;
    int64_t asked = (*state.instance.durations)[state.block->block->operations[number].durationIndex];
    int64_t duration = GetComputeEndPs(m_kernel->NowPs(), asked) - m_kernel->NowPs();
    m_computePs[static_cast<size_t>(rank) * m_classes + m_timeClass] += duration;
    state.computeDuePs = m_kernel->NowPs() + duration;
    if (m_replay)
    {
        m_replay->NoteComputeStart(rank, number, asked);
    }
    state.computeTimer = m_kernel->ScheduleTimer(RecordKind::COMPUTE, duration, m_port + rank, number);
}

void
Player::OnRecord(RecordKind kind, uint32_t port, uint32_t argument)
{
    uint32_t rank = port - m_port;
    if (kind == RecordKind::COMPUTE)
    {
        m_finished.push_back({rank, argument});
        m_kernel->RequestPost();
        return;
    }
    NS_ABORT_MSG_IF(kind != RecordKind::TIMER, "the player has no records of kind " << static_cast<int>(kind));
    if (argument == NO_INDEX)
    {
        return; // the end of a replayed span
    }
    RankState& state = Touch(rank);
    if (MovesData(state.block->block->operations[argument].kind))
    {
        m_toPost.push_back({rank, argument});
        m_kernel->RequestPost();
    }
    else
    {
        Complete(rank, argument);
    }
}

void
Player::OnPost()
{
    if (m_starting)
    {
        m_starting = false;
        for (uint32_t rank = 0; rank < m_ranks.size(); rank++)
        {
            m_ranks[rank].accountedPs = m_kernel->NowPs();
            PullBlock(rank);
        }
    }
    if (!m_finished.empty())
    {
        bool quiescent = m_toPost.empty() && m_kernel->IsQuiescent();
        if (m_replay && quiescent && m_replay->TryReplay())
        {
            m_finished.clear();
            return;
        }
        if (!m_replay && quiescent && m_kernel->TakeForeignEvents())
        {
            m_fabric->RefreshWatched(); // an event may have connected a packet sink
        }
        FinishComputes();
    }
    PostSends();
}

void
Player::FinishComputes()
{
    std::vector<RankOperation> finished;
    finished.swap(m_finished);
    std::sort(finished.begin(), finished.end());
    for (const auto& what : finished)
    {
        RankState& state = Touch(what.rank);
        if (m_replay)
        {
            m_replay->NoteComputeEnd(what.rank);
        }
        state.running = NO_INDEX;
        state.accountedPs = m_kernel->NowPs();
        Complete(what.rank, what.operation);
        if (state.running == NO_INDEX && !state.computeQueue.empty())
        {
            StartCompute(what.rank, state);
        }
    }
}

void
Player::PostSends()
{
    if (m_toPost.empty())
    {
        return;
    }
    if (m_replay)
    {
        m_replay->NotePost();
    }
    std::vector<RankOperation> sends;
    sends.swap(m_toPost);
    std::sort(sends.begin(), sends.end());
    for (const auto& what : sends)
    {
        PostSend(what);
    }
}

void
Player::PostSend(const RankOperation& what)
{
    RankState& state = Touch(what.rank);
    const Operation& operation = state.block->block->operations[what.operation];
    CollectiveRun* run = operation.collective == NO_COLLECTIVE ? nullptr : state.runs[operation.collective];
    uint32_t slot = m_fabric->Launch(MakePosting(what.rank, operation, *state.block->block));
    if (slot >= m_sent.size())
    {
        m_sent.resize(slot + 1);
    }
    // what others wait for is counted when it is delivered, the rest when it is complete here
    m_sent[slot] = Sent{state.instance.epoch, operation.match, what.operation, EndsWhenPosted(operation.kind) ? run : nullptr};
    state.status[what.operation] = OPERATION_ACTIVE;
    if (!EndsWhenPosted(operation.kind))
    {
        return;
    }
    Close(what.rank, state, what.operation);
    if (state.open == 0)
    {
        m_work.push_back({what.rank, NO_INDEX});
        RunWork();
    }
}

void
Player::NoteMessage(const Message& message, uint32_t destination)
{
    int64_t now = m_kernel->NowPs();
    int64_t ideal = m_fabric->GetIdealMessagePs(message);
    if (m_replay)
    {
        m_replay->NoteMessage(message.bytes, now - message.postedPs, ideal);
    }
    if (m_observer)
    {
        m_observer->OnMessages(message.bytes, now - message.postedPs, ideal, 1);
        if (m_observer->WantsMessages())
        {
            Message copy = message;
            copy.destination = destination;
            m_observer->OnMessage(copy, message.postedPs, now, ideal);
        }
    }
}

void
Player::OnCopyDelivered(uint32_t slot, uint32_t gpu)
{
    const Message& message = m_fabric->GetContext().messages[slot]; // until something is posted
    if (message.cookie != PLAYER_COOKIE)
    {
        return;
    }
    const Sent& sent = m_sent[slot];
    EarlyArrival arrival{sent.epoch, message.source, sent.match};
    NoteMessage(message, gpu);
    Touch(gpu);
    Arrive(gpu, arrival);
}

void
Player::OnDelivered(uint32_t slot)
{
    const Message& message = m_fabric->GetContext().messages[slot]; // until something is posted
    if (message.cookie != PLAYER_COOKIE)
    {
        return; // somebody else's, through Fabric::Post
    }
    const Sent sent = m_sent[slot];
    m_endPs = std::max(m_endPs, m_kernel->NowPs());
    if (m_replay)
    {
        m_replay->NoteDelivery();
    }
    if (message.kind != MessageKind::MULTICAST)
    {
        NoteMessage(message, message.destination); // of a multicast each copy was one
    }
    uint32_t issuer = message.GetIssuer();
    if (message.kind == MessageKind::WRITE)
    {
        uint32_t destination = message.destination;
        EarlyArrival arrival{sent.epoch, message.source, sent.match};
        Touch(destination);
        Arrive(destination, arrival);
    }
    if (sent.run)
    {
        CountDone(*sent.run);
    }
    RankState& sender = m_ranks[issuer];
    if (!sender.ended && sender.instance.epoch == sent.epoch)
    {
        Complete(issuer, sent.operation);
    }
}

void
Player::Arrive(uint32_t rank, const EarlyArrival& arrival)
{
    RankState& state = m_ranks[rank];
    if (state.ended || !state.block || arrival.epoch != state.instance.epoch)
    {
        state.early.insert(std::upper_bound(state.early.begin(), state.early.end(), arrival), arrival);
        return;
    }
    uint32_t receive = state.block->FindReceive(arrival.source, arrival.match);
    if (receive == NO_INDEX)
    {
        throw FabricError("rank " + std::to_string(rank) + " got a message from rank " + std::to_string(arrival.source) +
                          " that it has no receive for");
    }
    bool posted = (state.status[receive] & 7) == OPERATION_ACTIVE;
    state.status[receive] |= OPERATION_ARRIVED;
    if (posted)
    {
        Complete(rank, receive);
    }
}

void
Player::OnInstantEnd()
{
    if (m_replay)
    {
        m_replay->OnInstantEnd();
    }
}

void
Player::OnOutsideAction()
{
    if (m_replay)
    {
        m_replay->OnOutsideAction();
    }
}

Player::ReplayCounts
Player::GetReplayCounts() const
{
    return m_replay ? m_replay->GetCounts() : ReplayCounts();
}

std::string
Player::DescribeRank(uint32_t rank) const
{
    const RankState& state = m_ranks[rank];
    std::ostringstream text;
    text << "rank " << rank << " stands in block " << state.instance.epoch << ":";
    uint32_t shown = 0;
    for (size_t i = 0; i < state.status.size() && shown < 3; i++)
    {
        const OperationBlock& block = *state.block->block;
        std::string wait = DescribeWait(block.operations[i], block);
        if (!wait.empty() && (state.status[i] & 7) == OPERATION_ACTIVE)
        {
            text << " waits for " << wait << ";";
            shown++;
        }
    }
    return text.str();
}

void
Player::Finish()
{
    if (m_replay)
    {
        m_replay->AddReplayed();
    }
    m_fabric->FlushStatistics();
    NS_ABORT_MSG_IF(m_ended == m_ranks.size() && m_section + 1 < m_source->GetSections(),
                    "section " << m_section + 1 << " of the programs was not started");
    if (m_ended != m_ranks.size())
    {
        std::ostringstream text;
        text << m_ranks.size() - m_ended << " of " << m_ranks.size() << " ranks did not finish their program\n";
        uint32_t shown = 0;
        for (uint32_t rank = 0; rank < m_ranks.size() && shown < 8; rank++)
        {
            if (!m_ranks[rank].ended)
            {
                text << "  " << DescribeRank(rank) << "\n";
                shown++;
            }
        }
        if (m_fabric->GetContext().messages.GetInUse() != 0)
        {
            text << m_fabric->DescribeStuck();
        }
        throw FabricError(text.str());
    }
    for (uint32_t rank = 0; rank < m_ranks.size(); rank++)
    {
        if (!Touch(rank).early.empty())
        {
            throw FabricError("rank " + std::to_string(rank) + " got a message from rank " +
                              std::to_string(m_ranks[rank].early.front().source) + " that it never receives");
        }
    }
    m_fabric->CheckDrained();
}

} // namespace hbd
} // namespace ns3
