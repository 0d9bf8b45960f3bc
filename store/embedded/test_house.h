// House: rooms on a LedgerStore in a folder of its own, that can be left and entered again.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "store/embedded/ledger_store.h"

namespace anteroom::embedded {

// A folder that goes away.
class TestFolder {
  public:
    TestFolder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "anteroom-XXXXXX").string();
        path_ = ::mkdtemp(pattern.data());
    }
    ~TestFolder() { std::filesystem::remove_all(path_); }
    TestFolder(const TestFolder&) = delete;
    TestFolder& operator=(const TestFolder&) = delete;
    const std::string& path() const { return path_; }

  private:
    std::string path_;
};

class House : public StoreListener {
  public:
    explicit House(const std::string& folder, SnapshotRules rules = {})
        : store(std::make_unique<LedgerStore>(
              clock, *this,
              LedgerOptions{.folder = folder,
                            .say =
                                [this](const std::string& line) {
                                    const std::lock_guard lock(mutex);
                                    said += line + "\n";
                                },
                            .fatal =
                                [](const std::string& why) {
                                    std::fprintf(stderr, "fatal: %s\n", why.c_str());
                                },
                            .snapshots = rules})) {
        const Result<void> loaded = store->load(rooms, audit);
        fault = loaded ? "" : loaded.fault().reason;
    }
    ~House() override { store.reset(); }

    // REQUIRES: no room of this name.
    std::shared_ptr<HostedRoom> make(std::string_view id, const RoomSettings& settings = {}) {
        Rooms::Made made = rooms.make(id, settings.profile, [&](HostedRoom& room) {
            store->open_room(room, settings.rules);
        });
        do_now(*made.room, Tick{});
        return made.room;
    }

    // Waits until it is durable.
    Outcome do_now(HostedRoom& room, const Command& command, std::string_view who = {}) {
        std::promise<Outcome> done;
        store->submit(
            room, command, nullptr, [&](const Outcome& outcome) { done.set_value(outcome); }, who);
        return done.get_future().get();
    }
    Number join(HostedRoom& room, std::uint64_t visitor) {
        return std::get<Standing>(do_now(room, Join{.visitor = {.high = visitor, .low = visitor}}))
            .number;
    }

    std::map<std::string, std::uint64_t> digests() {
        std::map<std::string, std::uint64_t> all;
        for (const auto& room : rooms.all()) {
            HostedRoom::Writing writing(*room);
            all[room->id()] = writing.room().digest();
        }
        return all;
    }
    std::string all_said() {
        const std::lock_guard lock(mutex);
        return said;
    }

    void happened(HostedRoom&, std::span<const Fact> facts) override { heard += facts.size(); }
    void due(HostedRoom&, Instant) override {}

    Clock clock;
    Quiet quiet{1};
    Rooms rooms{quiet, 1'000};
    Audit audit;
    std::string fault;
    std::atomic<std::uint64_t> heard{0};
    std::mutex mutex;
    std::string said; // Guarded by mutex.
    std::unique_ptr<LedgerStore> store;
};

} // namespace anteroom::embedded
