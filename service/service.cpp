#include "service/service.h"

#include "base/overload.h"
#include "service/memory_store.h"

namespace anteroom {
namespace {

// The number of the visitor whose streams must be told of the fact; 0: none. A visitor who has just
// joined has no stream yet.
Number concerned(const Fact& fact) {
    return std::visit(Overload{
                          [](const Called& f) { return f.number; },
                          [](const Claimed& f) { return f.number; },
                          [](const Missed& f) { return f.number; },
                          [](const LeaseSet& f) { return f.number; },
                          [](const Finished& f) { return f.number; },
                          [](const Left& f) { return f.number; },
                          [](const Expired& f) { return f.number; },
                          [](const auto&) { return Number{0}; },
                      },
                      fact.what);
}

} // namespace

Service::Service(ServiceOptions options, const MakeStore& make_store)
    : options_(std::move(options)),
      quiet_(options_.loops + 1),
      rooms_(quiet_, options_.rooms_max),
      hubs_(options_.loops),
      store_(make_store ? make_store(clock_, *this) : std::make_unique<MemoryStore>(clock_, *this)),
      keeper_(rooms_, *store_, clock_, quiet_, options_.loops,
              [this](const std::shared_ptr<HostedRoom>& room) { publish(room); }) {}

Service::~Service() {
    close();
}

void Service::attach(std::size_t slot, net::Loop& loop) {
    CHECK(slot < hubs_.size());
    hubs_[slot] = std::make_unique<Hub>(loop, clock_);
    hubs_[slot]->set_greet([this](HostedRoom& room, Number number) {
        submit(room, Touch{.number = number}, nullptr, {});
    });
}

Result<void> Service::load() {
    Result<void> loaded = store_->load(rooms_, audit_);
    if (!loaded) return loaded;
    for (const std::shared_ptr<HostedRoom>& room : rooms_.all()) {
        submit(*room, Wake{}, nullptr,
               {}); // Visitors could not be seen while the process was down.
        submit(*room, Tick{}, nullptr, {});
    }
    return loaded;
}

void Service::start() {
    keeper_.start();
}

void Service::stop() {
    keeper_.stop();
}

void Service::close() {
    stop();
    store_->stop();
}

void Service::note(AuditEntry entry) {
    audit_.note(entry);
    store_->note(entry);
}

std::shared_ptr<HostedRoom> Service::find_or_make(std::string_view id, const RoomSettings& usual) {
    if (std::shared_ptr<HostedRoom> room = rooms_.find_shared(id)) return room;
    if (const auto own = options_.named.find(id); own != options_.named.end())
        return make_room(id, own->second).room;
    const bool is_reserved = options_.is_reserved && options_.is_reserved(id);
    if (!options_.create_on_first_use || is_reserved) return nullptr;
    return make_room(id, usual).room;
}

const RoomSettings& Service::settings_for(std::string_view id) const {
    const auto own = options_.named.find(id);
    return own != options_.named.end() ? own->second : options_.defaults;
}

Rooms::Made Service::make_room(std::string_view id, const RoomSettings& settings) {
    return rooms_.make(id, settings.profile,
                       [&](HostedRoom& room) { store_->open_room(room, settings.rules); });
}

void Service::remove_room(std::string_view id, net::Loop* loop, net::Job done) {
    const std::shared_ptr<HostedRoom> room = rooms_.remove(id);
    if (!room) return done();
    keeper_.forget(*room);
    submit(*room, Clear{}, nullptr, {}); // Ends every visit, so that open streams say so.
    store_->remove_room(*room, loop, std::move(done));
}

void Service::supersede_streams(const std::shared_ptr<HostedRoom>& room, Number number,
                                std::uint64_t newer) {
    for (const std::unique_ptr<Hub>& hub : hubs_)
        if (hub) hub->supersede(room, number, newer);
}

void Service::publish(const std::shared_ptr<HostedRoom>& room) {
    const Instant now = clock_.now();
    const RoomPulse::Published published = room->pulse().publish(*room, now);
    if (published.is_put_off) room->pulse().want();
    const Room& view = room->view();
    if (view.waiting() > 0)
        if (const std::optional<Wait> wait = view.wait(view.waiting() - 1))
            room->counters().note_wait(view.issued(), wait->p50_seconds, now);
    if (!published.event.frame || room->streams() == 0) return;
    for (const std::unique_ptr<Hub>& hub : hubs_)
        if (hub) hub->broadcast(room, published.event);
}

void Service::happened(HostedRoom& room, std::span<const Fact> facts) {
    room.pulse().want();
    const bool watched = room.streams() > 0; // Hub::add counts a stream before it looks.
    auto numbers = watched ? std::make_shared<std::vector<Number>>() : nullptr;
    bool everybody = false;
    for (const Fact& fact : facts) {
        room.counters().note(fact);
        everybody = everybody || std::holds_alternative<Cleared>(fact.what);
        if (const Number number = watched ? concerned(fact) : 0) numbers->push_back(number);
    }
    if (!watched || (numbers->empty() && !everybody)) return;
    const std::shared_ptr<HostedRoom> shared = room.weak_from_this().lock();
    for (const std::unique_ptr<Hub>& hub : hubs_)
        if (hub && shared) hub->notify(shared, everybody ? nullptr : numbers);
}

void Service::gone(HostedRoom& room) {
    keeper_.forget(room);
    const std::shared_ptr<HostedRoom> shared = room.weak_from_this().lock();
    for (const std::unique_ptr<Hub>& hub : hubs_)
        if (hub && shared) hub->dismiss(shared);
}

} // namespace anteroom
