#include "net/port_owner.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/testing.h"

namespace anteroom::net {
namespace {

TEST(PortOwner, NamesTheProcessThatListens) {
    const testing::TestServer server([](const Request&, Exchange&) {});
    for (const char* address : {"127.0.0.1", "0.0.0.0"}) { // All addresses are this one, too.
        EXPECT_TRUE(*is_port_taken(address, server.port())) << address;
        EXPECT_EQ(port_owner(address, server.port()), ::getpid()) << address;
    }
    EXPECT_NE(port_owner("127.0.0.2", server.port()), ::getpid());
}

TEST(PortOwner, APortWithoutAListenerIsFree) {
    EXPECT_FALSE(*is_port_taken("127.0.0.1", 0));
    // Bound, so that nobody else gets the port, and not listening.
    const int held = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;
    ASSERT_EQ(::setsockopt(held, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on), 0);
    const std::uint16_t port = testing::bind_loopback(held);
    EXPECT_FALSE(*is_port_taken("127.0.0.1", port));
    EXPECT_EQ(port_owner("127.0.0.1", port), std::nullopt);
    ::close(held);
}

TEST(PortOwner, SaysWhyNobodyCanListen) {
    for (const char* address : {"192.0.2.1", "example.org"}) {
        const Result<bool> taken = is_port_taken(address, 8'080);
        ASSERT_FALSE(taken) << address;
        EXPECT_NE(taken.fault().reason.find(address), std::string::npos);
        EXPECT_EQ(port_owner("example.org", 8'080), std::nullopt);
    }
}

} // namespace
} // namespace anteroom::net
