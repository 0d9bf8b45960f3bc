#include "net/trusted_proxies.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace anteroom::net {

namespace {

// Who the client is when peer sent these X-Forwarded-For lines.
std::string client(const std::string& peer, const std::vector<std::string_view>& lines) {
    const std::vector<std::string> trusted = {"10.0.0.0/8", "192.168.1.7", "fd00::/8"};
    return to_string(TrustedProxies::parse(trusted)->client(*parse_ip(peer), lines));
}

} // namespace

TEST(TrustedProxies, StrangersSpeakOnlyForThemselves) {
    EXPECT_EQ(client("203.0.113.9", {}), "203.0.113.9");
    EXPECT_EQ(client("203.0.113.9", {"1.2.3.4"}), "203.0.113.9");
    EXPECT_EQ(client("192.168.1.8", {"1.2.3.4"}), "192.168.1.8");
}

TEST(TrustedProxies, TheRightMostStrangerIsTheClient) {
    EXPECT_EQ(client("10.1.2.3", {"1.2.3.4"}), "1.2.3.4");
    EXPECT_EQ(client("10.1.2.3", {"6.6.6.6, 1.2.3.4"}), "1.2.3.4");
    EXPECT_EQ(client("10.1.2.3", {"6.6.6.6, 1.2.3.4, 10.9.9.9, 192.168.1.7"}), "1.2.3.4");
    EXPECT_EQ(client("10.1.2.3", {"6.6.6.6", "1.2.3.4,10.9.9.9"}), "1.2.3.4");
    EXPECT_EQ(client("fd00::1", {"2001:db8::5"}), "2001:db8::5");
}

TEST(TrustedProxies, SpoofedEntriesGainNothing) {
    // A client that pretends to come through our own proxies is still seen where it stands.
    EXPECT_EQ(client("10.1.2.3", {"10.0.0.1, 10.0.0.2, 1.2.3.4"}), "1.2.3.4");
    EXPECT_EQ(client("10.1.2.3", {"127.0.0.1, 1.2.3.4"}), "1.2.3.4");
    EXPECT_EQ(client("10.1.2.3", {"::ffff:10.0.0.1, 1.2.3.4"}), "1.2.3.4");
    EXPECT_EQ(client("10.1.2.3", {"1.2.3.4, ::ffff:10.0.0.1"}), "1.2.3.4");
}

TEST(TrustedProxies, GarbageEndsAtTheLastHopThatIsKnown) {
    EXPECT_EQ(client("10.1.2.3", {"unknown"}), "10.1.2.3");
    EXPECT_EQ(client("10.1.2.3", {""}), "10.1.2.3");
    EXPECT_EQ(client("10.1.2.3", {"1.2.3.4, garbage"}), "10.1.2.3");
    EXPECT_EQ(client("10.1.2.3", {"1.2.3.4, garbage, 10.5.5.5"}), "10.5.5.5");
    EXPECT_EQ(client("10.1.2.3", {"1.2.3.4,"}), "10.1.2.3");
    EXPECT_EQ(client("10.1.2.3", {"1.2.3.04"}), "10.1.2.3");
    EXPECT_EQ(client("10.1.2.3", {"1.2.3.4:99999"}), "10.1.2.3");
}

TEST(TrustedProxies, UnderstandsPortsAndBrackets) {
    EXPECT_EQ(client("10.1.2.3", {"1.2.3.4:5678"}), "1.2.3.4");
    EXPECT_EQ(client("10.1.2.3", {"[2001:db8::5]:443"}), "2001:db8::5");
    EXPECT_EQ(client("10.1.2.3", {"[2001:db8::5]"}), "2001:db8::5");
    EXPECT_EQ(client("10.1.2.3", {"[2001:db8::5]x"}), "10.1.2.3");
}

TEST(TrustedProxies, RefusesNetworksThatAreNone) {
    for (const std::string bad : {"", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/x", "10.0.0.0/08",
                                  "10.0.0/8", "::1/129", "localhost", "10.0.0.0/8/8"}) {
        const std::vector<std::string> networks = {bad};
        EXPECT_FALSE(TrustedProxies::parse(networks)) << bad;
    }
}

TEST(IpNetwork, ContainsByPrefix) {
    EXPECT_TRUE(parse_network("0.0.0.0/0")->contains(*parse_ip("255.1.2.3")));
    EXPECT_FALSE(parse_network("0.0.0.0/0")->contains(*parse_ip("::1")));
    EXPECT_TRUE(parse_network("::/0")->contains(*parse_ip("2001:db8::1")));
    EXPECT_TRUE(parse_network("10.128.0.0/9")->contains(*parse_ip("10.200.0.1")));
    EXPECT_FALSE(parse_network("10.128.0.0/9")->contains(*parse_ip("10.127.255.255")));
    EXPECT_TRUE(parse_network("127.0.0.0/8")->contains(*parse_ip("::ffff:127.0.0.1")));
}

} // namespace anteroom::net
