// The adapters that say where a visitor stands, for tests of the one rule that all of them follow
// (service/visits.h): how each is asked, and its words for what it may say.
#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "desk/office.h"
#include "tests/server/test_server.h"
#include "tests/server/test_site.h"

namespace anteroom::standing {

using Response = net::testing::WireResponse;

// A place as tickets name it; asking by visitor needs none of it.
struct Place {
    std::uint32_t room = 0; // The room's index.
    Number number = 0;
};

// An answer as far as the table says it: the status, and a part of the body.
struct Words {
    unsigned status = 0;
    std::string_view part = {};
};
inline constexpr Words later{.status = 503};

// One adapter in the table.
struct AdapterRow {
    const char* name;
    std::string_view room;    // Its id.
    std::string_view dialect; // Of the room.
    std::string_view visitor; // As the office knows the visitor.
    bool asks_by_number;      // Otherwise by visitor.
    bool is_gate = false;     // Wants the visitor inside; cannot ask the writer.
    Response (*ask)(TestServer&, Office&, const Place&);
    Words no_room, no_visit, waiting, called;
    std::string_view age = {}; // The part of an answer that tells how old the copy is.
};
// For the names of tests.
inline void PrintTo(const AdapterRow& adapter, // NOLINT(readability-identifier-naming)
                    std::ostream* out) {
    *out << adapter.name;
}

const std::vector<AdapterRow>& adapters();

// All systems on one listener, with a site behind the gate.
TestOptions all_adapters(const urr::Site& site);
// Nobody is called by itself, and nobody is ever too late.
RoomSettings quiet_room(const AdapterRow& adapter);

// A server as one adapter sees it.
struct Rig {
    Rig(const AdapterRow& adapter, TestServer& server);

    // The adapter's room, made if it was not there: some adapters share one.
    HostedRoom& make_room();
    // Waits for the outcome.
    Outcome command(const Command& command);
    // Gives the visitor a place: inside where the adapter is the gate, otherwise waiting.
    Place join();
    void call() { command(CallNext{1}); }
    // As this process's copy has it.
    VisitorState state_of(Number number);
    // The copy of the room was up to date so long ago.
    void age(Millis span);
    std::shared_ptr<HostedRoom> room() { return server.service.rooms().share(adapter.room); }
    Response ask(const Place& place) { return adapter.ask(server, *office, place); }

    const AdapterRow& adapter;
    TestServer& server;
    std::unique_ptr<Office> office;
};

// What `later` means to a client, or the words themselves.
void expect(const Words& words, const Response& answer);

} // namespace anteroom::standing
