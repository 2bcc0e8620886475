/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3-module/helper/hbd-trace-helper.h"
#include "sim/scale-out-fixture.h"

#include "ns3/string.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>

namespace
{

using namespace ns3::hbd;

/// What a command prints, by line and tab.
std::vector<std::vector<std::string>>
LinesOf(const std::string& command)
{
    std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    std::string text;
    std::array<char, 4096> buffer;
    for (size_t n = 0; (n = fread(buffer.data(), 1, buffer.size(), pipe.get())) > 0;)
    {
        text.append(buffer.data(), n);
    }
    std::vector<std::vector<std::string>> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
    {
        std::istringstream fields(line + "\t");
        lines.emplace_back();
        for (std::string field; std::getline(fields, field, '\t');)
        {
            lines.back().push_back(field);
        }
    }
    return lines;
}

/// Captures what the NIC of GPU 0 sends and gets while it writes one message to GPU 1.
class RoceCapture : public testing::Test
{
  protected:
    void SetUp() override
    {
        if (std::system("command -v tshark >/dev/null") != 0)
        {
            GTEST_SKIP() << "tshark is not installed";
        }
        m_folder = std::filesystem::temp_directory_path() / ("hbd-capture-" + std::to_string(getpid()));
        std::filesystem::create_directories(m_folder);
    }

    void TearDown() override
    {
        std::filesystem::remove_all(m_folder);
    }

    /// \param burst most payload of a unit
    void Send(uint64_t bytes, uint64_t burst = 0)
    {
        scale_out::Network network;
        network.config.burstBytes = burst;
        network.Build(2);
        HbdTraceHelper helper;
        helper.EnablePcap((m_folder / "nic").string(), network.fabric->GetNodes().Get(network.Find("nic0"))->GetDevice(1));
        network.PostAt(0, 0, 1, bytes);
        network.Run();
    }

    /// Fields of every packet of the capture as tshark decodes it.
    std::vector<std::vector<std::string>> Decode(const std::string& fields)
    {
        std::string file = std::filesystem::directory_iterator(m_folder)->path().string();
        return LinesOf("tshark -r " + file + " -T fields" + fields + " 2>/dev/null");
    }

    std::filesystem::path m_folder;
};

// Opcodes of InfiniBand Architecture Specification 1.5, table 38: write first 6, middle 7, last 8, acknowledge 17.
TEST_F(RoceCapture, IsDecodedByTsharkAsRoceV2)
{
    Send(3 * 4096 + 10);
    auto packets = Decode(" -e ip.src -e udp.dstport -e infiniband.bth.opcode -e infiniband.bth.psn -e infiniband.reth.dmalen"
                          " -e infiniband.aeth.syndrome -e frame.len");
    std::vector<std::vector<std::string>> data;
    std::vector<std::vector<std::string>> answers;
    for (const auto& packet : packets)
    {
        ASSERT_GE(packet.size(), 7u);
        (packet[0] == "10.0.0.1" ? data : answers).push_back(packet);
        EXPECT_EQ(packet[1], "4791");
    }
    ASSERT_EQ(data.size(), 4u);
    const char* opcodes[] = {"6", "7", "7", "8"};
    for (size_t i = 0; i < data.size(); i++)
    {
        EXPECT_EQ(data[i][2], opcodes[i]);
        EXPECT_EQ(data[i][3], std::to_string(i));
        EXPECT_EQ(data[i][4], i == 0 ? std::to_string(3 * 4096 + 10) : "");
        // Ethernet 14, IPv4 20, UDP 8, BTH 12, (RETH 16), payload padded to 4 B, invariant CRC 4
        EXPECT_EQ(data[i][6], std::to_string(58 + (i == 0 ? 16 : 0) + (i == 3 ? 12 : 4096)));
    }
    ASSERT_FALSE(answers.empty());
    EXPECT_EQ(answers.back()[2], "17");
    EXPECT_EQ(answers.back()[3], "3");
    EXPECT_EQ(std::strtoul(answers.back()[5].c_str(), nullptr, 0), 0x1fu);
    EXPECT_EQ(answers.back()[6], "62");
}

TEST_F(RoceCapture, ShowsThePacketsOfAUnitOneAfterTheOther)
{
    Send(256 * 1024, 16384);
    auto packets = Decode(" -Y 'ip.src == 10.0.0.1' -e frame.time_epoch -e infiniband.bth.psn");
    ASSERT_EQ(packets.size(), 64u);
    double before = -1;
    for (size_t i = 0; i < packets.size(); i++)
    {
        EXPECT_EQ(packets[i][1], std::to_string(i));
        double now = std::strtod(packets[i][0].c_str(), nullptr);
        // a packet of 4178 B at 400 Gb/s takes 83.56 ns; time stamps have nanoseconds
        EXPECT_GE(now - before, i == 0 ? 0 : 82.5e-9);
        before = now;
    }
}

} // namespace
