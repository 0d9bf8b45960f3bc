#include "tests/contract/houses.h"

#include <gtest/gtest.h>

#include <map>

#include "service/memory_store.h"
#include "store/embedded/test_house.h"
#include "store/redis/redis_server_testing.h"
#include "store/shared/redis_store.h"

namespace anteroom::contract {
namespace {

constexpr std::size_t sharers = 3;

class MemoryHouse final : public House {
  public:
    MemoryHouse() {
        processes_.push_back(std::make_unique<Process>(
            [](const Clock& clock, StoreListener& listener) -> std::unique_ptr<Store> {
                return std::make_unique<MemoryStore>(clock, listener);
            }));
    }
};

class EmbeddedHouse final : public House {
  public:
    EmbeddedHouse() {
        processes_.push_back(std::make_unique<Process>(
            [this](const Clock& clock, StoreListener& listener) -> std::unique_ptr<Store> {
                return std::make_unique<embedded::LedgerStore>(
                    clock, listener,
                    embedded::LedgerOptions{
                        .folder = folder_.path(),
                        .say = [](const std::string&) {},
                        .fatal = [](const std::string& why) { FAIL() << why; }});
            }));
    }
    ~EmbeddedHouse() override { processes_.clear(); }

  private:
    embedded::TestFolder folder_;
};

// Whatever `Servers` starts.
template <class Servers>
class RedisHouse final : public House {
  public:
    RedisHouse() {
        for (std::size_t i = 0; i < sharers; ++i)
            processes_.push_back(std::make_unique<Process>(
                [this](const Clock& clock, StoreListener& listener) -> std::unique_ptr<Store> {
                    shared::RedisOptions options{.url = servers_.url(),
                                                 .replicas = Servers::replicas,
                                                 .keys_mark = "mark",
                                                 .snapshot_facts = 50};
                    return std::make_unique<shared::RedisStore>(clock, listener,
                                                                std::move(options));
                }));
        for (const std::unique_ptr<Process>& process : processes_) EXPECT_EQ(process->fault(), "");
    }
    ~RedisHouse() override { processes_.clear(); }

  private:
    Servers servers_;
};

struct Alone {
    static constexpr int replicas = 0;
    redis::testing::RedisServer server;
    redis::Url url() { return {.hosts = {server.address()}}; }
};

struct WithReplica {
    static constexpr int replicas = 1;
    redis::testing::RedisServer primary;
    redis::testing::RedisServer replica{{.replica_of = primary.port()}};
    redis::Url url() { return {.hosts = {primary.address()}}; }
};

struct AsCluster {
    static constexpr int replicas = 1;
    // Long: a busy machine must not look like a dead node.
    redis::testing::RedisCluster cluster{3, 3, seconds(15)};
    redis::Url url() { return {.cluster = true, .hosts = cluster.seeds()}; }
};

std::map<HouseKind, std::unique_ptr<House>>& houses() {
    static std::map<HouseKind, std::unique_ptr<House>> all;
    return all;
}

// Before the program's own end, when everything is still there.
struct Closing final : testing::Environment {
    void TearDown() override { houses().clear(); }
};
const testing::Environment* const closing = testing::AddGlobalTestEnvironment(new Closing);

std::unique_ptr<House> open(HouseKind kind) {
    switch (kind) {
        case HouseKind::memory: return std::make_unique<MemoryHouse>();
        case HouseKind::embedded: return std::make_unique<EmbeddedHouse>();
        case HouseKind::redis: return std::make_unique<RedisHouse<Alone>>();
        case HouseKind::redis_replica: return std::make_unique<RedisHouse<WithReplica>>();
        case HouseKind::redis_cluster: return std::make_unique<RedisHouse<AsCluster>>();
    }
    return nullptr;
}

} // namespace

const char* name(HouseKind kind) {
    switch (kind) {
        case HouseKind::memory: return "memory";
        case HouseKind::embedded: return "embedded";
        case HouseKind::redis: return "redis";
        case HouseKind::redis_replica: return "redis_replica";
        case HouseKind::redis_cluster: return "redis_cluster";
    }
    return "";
}

std::vector<HouseKind> house_kinds() {
    return {HouseKind::memory, HouseKind::embedded, HouseKind::redis, HouseKind::redis_replica,
            HouseKind::redis_cluster};
}

House& House::of(HouseKind kind) {
    std::unique_ptr<House>& house = houses()[kind];
    if (!house) house = open(kind);
    return *house;
}

} // namespace anteroom::contract
