/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hbd-trace-helper.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/callback.h"
#include "ns3/config.h"
#include "ns3/hbd-ethernet-device.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/pcap-file-wrapper.h"
#include "ns3/simulator.h"

#include <memory>
#include <utility>

namespace ns3
{
namespace hbd
{

NS_LOG_COMPONENT_DEFINE("HbdTraceHelper");

namespace
{

/// DLT_USER0, for private use.
constexpr auto USER_LINK_TYPE = static_cast<PcapHelper::DataLinkType>(147);
/// Ethernet: preamble, frame check and gap, which no capture shows.
constexpr uint32_t UNSEEN_BYTES = 8 + 4 + 12;

/// Gives the packets of one direction their times: those of a unit are told of together.
class Clock
{
  public:
    explicit Clock(Ptr<FabricPort> port)
        : m_port(PeekPointer(port)),
          m_unseen(DynamicCast<EthernetDevice>(port) ? UNSEEN_BYTES : 0)
    {
    }

    /// When a packet that is told of now starts on the wire.
    Time Stamp(Ptr<const Packet> packet)
    {
        Time now = Simulator::Now();
        m_next = now == m_now ? m_next : now;
        m_now = now;
        Time stamp = m_next;
        m_next += PicoSeconds(m_port->GetTxTimePs(packet->GetSize() + m_unseen));
        return stamp;
    }

  private:
    FabricPort* m_port; ///< which owns the sink that owns this
    uint32_t m_unseen;
    Time m_now = Time(-1);
    Time m_next;
};

struct PcapSink
{
    PcapSink(Ptr<FabricPort> port, Ptr<PcapFileWrapper> capture)
        : clock(port),
          file(capture)
    {
    }

    static void Write(std::shared_ptr<PcapSink> sink, Ptr<const Packet> packet)
    {
        sink->file->Write(sink->clock.Stamp(packet), packet);
    }

    Clock clock;
    Ptr<PcapFileWrapper> file;
};

struct AsciiSink
{
    AsciiSink(Ptr<FabricPort> port, Ptr<OutputStreamWrapper> output, char mark)
        : clock(port),
          stream(output)
    {
        text = mark;
        name = "/NodeList/" + std::to_string(port->GetNode()->GetId()) + "/DeviceList/" + std::to_string(port->GetIfIndex());
    }

    static void Write(std::shared_ptr<AsciiSink> sink, Ptr<const Packet> packet)
    {
        *sink->stream->GetStream() << sink->text << " " << sink->clock.Stamp(packet).GetSeconds() << " " << sink->name << " "
                                   << *packet << "\n";
    }

    Clock clock;
    Ptr<OutputStreamWrapper> stream;
    char text;
    std::string name;
};

} // namespace

void
HbdTraceHelper::EnablePcapInternal(std::string prefix, Ptr<NetDevice> device, bool /* promiscuous */, bool explicitFilename)
{
    auto port = DynamicCast<FabricPort>(device);
    if (!port)
    {
        NS_LOG_INFO("device " << device << " is none of a fabric");
        return;
    }
    PcapHelper helper;
    std::string name = explicitFilename ? prefix : helper.GetFilenameFromDevice(prefix, device);
    auto type = DynamicCast<EthernetDevice>(port) ? PcapHelper::DLT_EN10MB : USER_LINK_TYPE;
    // the wrapper takes its time unit when it writes the file header, in CreateFile
    Config::SetDefault("ns3::PcapFileWrapper::NanosecMode", BooleanValue(true));
    Ptr<PcapFileWrapper> file = helper.CreateFile(name, std::ios::out, type);
    Config::SetDefault("ns3::PcapFileWrapper::NanosecMode", BooleanValue(false));
    for (const char* source : {"MacTx", "MacRx"})
    {
        auto sink = std::make_shared<PcapSink>(port, file);
        port->TraceConnectWithoutContext(source, MakeBoundCallback(&PcapSink::Write, sink));
    }
    port->RefreshWatched();
}

void
HbdTraceHelper::EnableAsciiInternal(Ptr<OutputStreamWrapper> stream,
                                    std::string prefix,
                                    Ptr<NetDevice> device,
                                    bool explicitFilename)
{
    auto port = DynamicCast<FabricPort>(device);
    if (!port)
    {
        NS_LOG_INFO("device " << device << " is none of a fabric");
        return;
    }
    Packet::EnablePrinting();
    if (!stream)
    {
        AsciiTraceHelper helper;
        stream = helper.CreateFileStream(explicitFilename ? prefix : helper.GetFilenameFromDevice(prefix, device));
    }
    for (const auto& [source, mark] : {std::pair("MacTx", 't'), std::pair("MacRx", 'r')})
    {
        auto sink = std::make_shared<AsciiSink>(port, stream, mark);
        port->TraceConnectWithoutContext(source, MakeBoundCallback(&AsciiSink::Write, sink));
    }
    port->RefreshWatched();
}

} // namespace hbd
} // namespace ns3
