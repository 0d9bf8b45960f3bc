#include "store/shared/redis_store.h"

#include <fmt/format.h>
#include <openssl/rand.h>

#include <chrono>
#include <future>

#include "base/byte_stream.h"
#include "base/check.h"
#include "store/shared/scripts.h"
#include "store/shared/times.h"

namespace anteroom::shared {
namespace {

constexpr std::size_t rooms_per_look = 250; // A thousand rooms within a second.
constexpr std::size_t indexes_kept = 4;     // For rooms that are created by first use.
constexpr std::uint64_t beats_per_second = 1'000 / look_interval.count;
constexpr std::uint64_t beats_per_registry =
    5 * beats_per_second;               // The registry is read whole this often.
constexpr const char* no_version = "-"; // Of the registry: read it whole.
constexpr std::uint32_t loss_delays_max = 25;
constexpr Millis loss_delay{200};
constexpr Millis skew_max{500};
constexpr auto stop_patience = std::chrono::seconds(3);

std::uint64_t draw_process() {
    std::uint64_t id = 0;
    CHECK(RAND_bytes(reinterpret_cast<unsigned char*>(&id), sizeof id) == 1);
    return id | 1; // 0 stands for "no process".
}

std::string audit_text(const AuditEntry& entry) {
    std::string bytes;
    ByteWriter out(bytes);
    out.word(entry.at.ms);
    for (const std::string* part :
         {&entry.actor, &entry.address, &entry.room, &entry.action, &entry.detail})
        out.text(*part);
    return bytes;
}

std::optional<AuditEntry> audit_of(std::string_view bytes) {
    ByteReader in(bytes);
    AuditEntry entry;
    entry.at = Instant{in.signed_word()};
    for (std::string* part :
         {&entry.actor, &entry.address, &entry.room, &entry.action, &entry.detail})
        *part = in.text();
    if (!in.ok() || !in.at_end()) return std::nullopt;
    return entry;
}

} // namespace

RedisStore::RedisStore(const Clock& clock, StoreListener& listener, RedisOptions options)
    : clock_(clock), listener_(listener), options_(std::move(options)) {
    redis::ClientOptions client{
        .url = options_.url, .tls = options_.tls, .server_name = options_.server_name};
    client.say = [this](const std::string& line) { say(line); };
    client_ = std::make_unique<Client>(loop_, std::move(client));
    const std::uint64_t process = draw_process();
    // std::make_unique cannot name the fields, and a LogContext cannot be moved: it has atomics.
    // NOLINTNEXTLINE(modernize-make-unique)
    context_.reset(new LogContext{.loop = loop_,
                                  .client = *client_,
                                  .clock = clock_,
                                  .listener = listener_,
                                  .process = fmt::format("{:016x}", process),
                                  .process_id = process,
                                  .replicas = options_.replicas,
                                  .snapshot_facts = options_.snapshot_facts,
                                  .say = [this](const std::string& line) { say(line); },
                                  .refused = [this](const std::string& why) { on_refused(why); },
                                  .owner = *this});
}

RedisStore::~RedisStore() {
    stop();
}

void RedisStore::say(const std::string& line) {
    {
        const std::lock_guard lock(mutex_);
        last_said_ = line;
    }
    if (options_.say) options_.say(line);
}

// Said once for each reason: the store tries again every beat.
void RedisStore::on_refused(const std::string& why) {
    {
        const std::lock_guard lock(mutex_);
        if (refusal_ == why) return;
        refusal_ = why;
        changed_.notify_all();
    }
    say("Redis refuses: " + why);
}

// --- Start and end.

Result<void> RedisStore::load(Rooms& rooms, Audit& audit) {
    rooms_ = &rooms;
    audit_ = &audit;
    thread_ = std::thread([this] {
        client_->start();
        loop_.run();
    });
    if (Result<void> checked = check_keys(); !checked) return checked;
    rooms.take_indexes_from([this] { return next_index(); });
    loop_.post([this] {
        client_->subscribe(registry_news,
                           [this](const std::optional<std::string>&) { read_registry(); });
        read_registry();
        read_audit();
        reserve_indexes();
        beat_ = loop_.every(look_interval, [this] { look_after(); });
    });
    std::unique_lock lock(mutex_);
    const auto is_complete = [this] {
        return registry_read_ && loading_.empty() && !indexes_.empty();
    };
    auto said = std::chrono::steady_clock::now();
    std::size_t loading_before = SIZE_MAX;
    auto last_progress = said;
    while (!changed_.wait_for(lock, std::chrono::milliseconds(200), is_complete)) {
        if (!refusal_.empty()) return Fault{"Redis refuses: " + refusal_};
        const auto now = std::chrono::steady_clock::now();
        if (loading_.size() != loading_before) {
            loading_before = loading_.size();
            last_progress = now;
        }
        if (now - last_progress > std::chrono::minutes(5))
            return Fault{fmt::format("Redis has rooms that cannot be read: {}", last_said_)};
        if (now - said < std::chrono::seconds(2)) continue;
        said = now;
        const std::string line = fmt::format("reading rooms from Redis: {} to go", loading_.size());
        lock.unlock();
        say(line);
        lock.lock();
    }
    is_writable_ = true;
    return {};
}

// A process with other signing keys would reject the tickets and passes that the others issue.
Result<void> RedisStore::check_keys() {
    const auto end =
        std::chrono::steady_clock::now() + std::chrono::milliseconds(options_.load_patience.count);
    for (;;) {
        auto promise = std::make_shared<std::promise<CallResult>>();
        std::future<CallResult> future = promise->get_future();
        loop_.post([this, promise] {
            client_->call(registry_keys, {"SET", registry_keys, options_.keys_mark, "NX", "GET"},
                          [promise](const CallResult& answer) { promise->set_value(answer); });
        });
        const CallResult answer = future.get(); // The call has a deadline.
        if (answer.trouble == Trouble::none) {
            if (answer.reply.is_nil() || answer.reply.text == options_.keys_mark) return {};
            return Fault{
                "the other processes on this Redis sign with other keys: give all of them the "
                "same key file (keys.folder)"};
        }
        if (answer.trouble == Trouble::refused) return Fault{"Redis refuses: " + answer.reply.text};
        if (std::chrono::steady_clock::now() < end) continue;
        const std::lock_guard lock(mutex_);
        return Fault{last_said_.empty() ? "Redis cannot be reached" : last_said_};
    }
}

void RedisStore::stop() {
    if (!thread_.joinable()) return;
    is_writable_ = false;
    const auto end = std::chrono::steady_clock::now() + stop_patience;
    for (bool idle = false; !idle && std::chrono::steady_clock::now() < end;) {
        std::promise<bool> told;
        std::future<bool> answer = told.get_future();
        loop_.post([&] {
            context_->stopping = true;
            bool all = true;
            for (const auto& [id, room] : logs_) all = all && RoomLog::of(*room).is_idle();
            told.set_value(all);
        });
        idle = answer.get();
        if (!idle) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    std::promise<void> done;
    loop_.post([&] {
        beat_ = {};
        for (const auto& [id, room] : logs_) RoomLog::of(*room).resign();
        std::vector<std::string> words{"RPUSH", registry_free};
        {
            const std::lock_guard lock(mutex_);
            for (const std::uint32_t index : indexes_) words.push_back(std::to_string(index));
            indexes_.clear();
        }
        if (words.size() == 2) return done.set_value();
        client_->call(registry_free, std::move(words),
                      [&](const CallResult&) { done.set_value(); });
    });
    done.get_future().wait();
    loop_.post([this] {
        delayed_.clear();
        client_->stop();
        loop_.stop();
    });
    thread_.join();
    logs_.clear();
}

// --- Any thread.

void RedisStore::submit(HostedRoom& room, const Command& command, net::Loop* loop, OnOutcome done,
                        std::string_view who) {
    RoomLog::of(room).submit(command, loop, std::move(done), who);
}

void RedisStore::open_room(HostedRoom& room, const Settings& rules) {
    room.set_store_part(std::make_unique<RoomLog>(*context_, room));
    RoomLog::of(room).open(rules); // Before the loop's thread can see it.
    loop_.post([this, shared = room.shared_from_this()] { logs_[shared->id()] = shared; });
}

void RedisStore::remove_room(HostedRoom& room, net::Loop* loop, net::Job done) {
    RoomLog::of(room).remove(loop, std::move(done));
}

void RedisStore::set_profile(HostedRoom& room, Profile profile, net::Loop* loop, net::Job done) {
    RoomLog::of(room).set_profile(std::move(profile), loop, std::move(done));
}

void RedisStore::note(const AuditEntry& entry) {
    loop_.post([this, bytes = audit_text(entry)] {
        client_->call(registry_audit,
                      {"XADD", registry_audit, "MAXLEN", "~", std::to_string(Audit::entries_max),
                       "*", "p", context_->process, "e", bytes},
                      [](const CallResult&) {});
    });
}

std::optional<std::uint32_t> RedisStore::next_index() {
    const std::lock_guard lock(mutex_);
    if (indexes_.empty()) return std::nullopt;
    const std::uint32_t index = indexes_.back();
    indexes_.pop_back();
    loop_.post([this] { reserve_indexes(); });
    return index;
}

// A registry that was read just now still names rooms whose copies are on their way.
bool RedisStore::may_have(std::string_view id) const {
    const std::lock_guard lock(mutex_);
    return loading_.contains(id) || clock_.now() - registry_fresh_ > limits::age_untold;
}

RedisFigures RedisStore::figures() const {
    const std::lock_guard lock(mutex_);
    return figures_;
}

// --- The loop's thread: rooms.

void RedisStore::on_opened(HostedRoom& room) {
    enroll(room);
    watch(room.shared_from_this());
}

// If this call fails, compare_registry() enrolls the room later.
void RedisStore::enroll(const HostedRoom& room) {
    client_->run(register_script(), {registry_version, registry_rooms},
                 {room.id(), std::to_string(room.index()), registry_news},
                 [this](const CallResult& answer) {
                     if (answer.trouble != Trouble::none) registry_version_ = no_version;
                 });
}

void RedisStore::watch(const std::shared_ptr<HostedRoom>& room) {
    client_->subscribe(RoomKeys(room->id()).news(),
                       [watched = std::weak_ptr(room)](std::optional<std::string> news) {
                           if (const std::shared_ptr<HostedRoom> there = watched.lock())
                               RoomLog::of(*there).on_news(std::move(news));
                       });
}

void RedisStore::on_live(HostedRoom& room) {
    losses_.erase(room.id());
    const std::shared_ptr<HostedRoom> shared = room.shared_from_this();
    watch(shared);
    if (const std::shared_ptr<HostedRoom> old = rooms_->show(shared)) listener_.gone(*old);
    const std::lock_guard lock(mutex_);
    loading_.erase(room.id());
    changed_.notify_all();
}

void RedisStore::on_lost(HostedRoom& room) {
    const std::uint32_t losses = losses_[room.id()]++;
    const auto found = logs_.find(room.id());
    if (found == logs_.end() || found->second.get() != &room) return;
    // The room in Redis may be another one of this id, with another index.
    const std::string id = room.id();
    const Millis delay{loss_delay.count * std::min(losses, loss_delays_max)};
    delayed_.push_back(loop_.after(delay, [this, id] {
        client_->call(RoomKeys(id).head(), {"HGET", RoomKeys(id).head(), "index"},
                      [this, id](const CallResult& answer) {
                          const auto there = logs_.find(id);
                          if (there == logs_.end()) return;
                          if (answer.trouble != Trouble::none) return on_lost(*there->second);
                          if (answer.reply.is_nil()) return on_gone(*there->second);
                          begin_load(id, static_cast<std::uint32_t>(
                                             std::strtoul(answer.reply.text.c_str(), nullptr, 10)));
                      });
    }));
    if (delayed_.size() > 1'000) delayed_.erase(delayed_.begin(), delayed_.begin() + 500);
}

void RedisStore::on_gone(HostedRoom& room) {
    const std::shared_ptr<HostedRoom> shared = room.shared_from_this();
    const auto found = logs_.find(room.id());
    if (found == logs_.end() || found->second != shared) return;
    logs_.erase(found);
    client_->unsubscribe(RoomKeys(room.id()).news());
    client_->run(unregister_script(), {registry_version, registry_rooms},
                 {room.id(), std::to_string(room.index()), registry_news},
                 [](const CallResult&) {});
    registry_version_ = no_version; // Another room of this id may have been passed over.
    // A copy that was being made again stands behind the one that is shown.
    if (rooms_->share(room.id())) {
        if (const std::shared_ptr<HostedRoom> shown = rooms_->remove(room.id()))
            listener_.gone(*shown);
    }
    const std::lock_guard lock(mutex_);
    loading_.erase(room.id());
    changed_.notify_all();
}

void RedisStore::load_room(const std::string& id, std::uint32_t index) {
    if (!is_room_id(id) || index > limits::room_index_max) return;
    {
        const std::lock_guard lock(mutex_);
        loading_.insert(id);
    }
    begin_load(id, index);
}

void RedisStore::begin_load(const std::string& id, std::uint32_t index) {
    const std::shared_ptr<HostedRoom> room = rooms_->draft(id, index, {});
    room->set_store_part(std::make_unique<RoomLog>(*context_, *room));
    logs_[id] = room;
    RoomLog::of(*room).load();
}

// --- The loop's thread: what all rooms share.

void RedisStore::read_registry() {
    if (reads_registry_) return;
    reads_registry_ = true;
    client_->run(registry_script(), {registry_version, registry_rooms}, {registry_version_},
                 [this, asked = clock_.now()](const CallResult& answer) {
                     reads_registry_ = false;
                     if (answer.trouble == Trouble::refused) on_refused(answer.reply.text);
                     if (answer.trouble == Trouble::none) on_registry(answer, asked);
                 });
}

void RedisStore::on_registry(const CallResult& answer, Instant asked) {
    const std::vector<Reply>& reply = answer.reply.list;
    if (reply.empty()) return;
    registry_version_ = reply[0].text;
    if (reply.size() == 2) compare_registry(reply[1].list);
    const std::lock_guard lock(mutex_);
    registry_read_ = true;
    registry_fresh_ = asked;
    changed_.notify_all();
}

// Loads rooms that this process lacks, and enrolls live rooms that the registry lacks: the process
// that opened one may have died before enroll(), or Redis has lost the registration. If the room
// was removed and this process has not heard of it, its RoomLog finds that out, and on_gone()
// strikes the room from the registry again.
void RedisStore::compare_registry(const std::vector<Reply>& ids_and_indexes) {
    std::set<std::string_view> listed;
    for (std::size_t i = 0; i + 1 < ids_and_indexes.size(); i += 2) {
        const std::string& id = ids_and_indexes[i].text;
        listed.insert(id);
        if (!logs_.contains(id))
            load_room(id, static_cast<std::uint32_t>(
                              std::strtoul(ids_and_indexes[i + 1].text.c_str(), nullptr, 10)));
    }
    for (const auto& [id, room] : logs_)
        if (!listed.contains(id) && RoomLog::of(*room).is_live()) enroll(*room);
}

void RedisStore::reserve_indexes() {
    std::size_t missing = 0;
    {
        const std::lock_guard lock(mutex_);
        if (indexes_.size() < indexes_kept) missing = indexes_kept - indexes_.size();
    }
    if (reserves_ || missing == 0 || context_->stopping) return;
    reserves_ = true;
    client_->run(reserve_script(), {registry_next, registry_free}, {std::to_string(missing)},
                 [this](const CallResult& answer) {
                     reserves_ = false;
                     if (answer.trouble == Trouble::refused) on_refused(answer.reply.text);
                     const std::lock_guard lock(mutex_);
                     for (const Reply& index : answer.reply.list)
                         if (index.is_integer() && index.integer <= limits::room_index_max)
                             indexes_.push_back(static_cast<std::uint32_t>(index.integer));
                     changed_.notify_all();
                 });
}

void RedisStore::read_audit() {
    if (reads_audit_) return;
    reads_audit_ = true;
    client_->call(registry_audit,
                  {"XRANGE", registry_audit, "(" + last_audit_, "+", "COUNT", "1000"},
                  [this](const CallResult& answer) {
                      reads_audit_ = false;
                      for (const Reply& one : answer.reply.list) {
                          if (one.list.size() != 2 || one.list[1].list.size() != 4) continue;
                          last_audit_ = one.list[0].text;
                          const bool is_ours = one.list[1].list[1].text == context_->process;
                          std::optional<AuditEntry> entry = audit_of(one.list[1].list[3].text);
                          if (!is_ours && entry) audit_->note(*entry);
                      }
                      if (answer.reply.list.size() == 1'000) read_audit();
                  });
}

void RedisStore::look_after() {
    ++beats_;
    const bool was_writable = is_writable_.exchange(client_->is_reachable());
    if (was_writable != is_writable_)
        say(is_writable_ ? "Redis can be written again"
                         : "Redis cannot be written now: commands are refused until it can");
    if (beats_ % beats_per_registry == 0) registry_version_ = no_version;
    read_registry();
    if (beats_ % beats_per_second == 0) {
        read_audit();
        reserve_indexes();
    }
    std::vector<std::shared_ptr<HostedRoom>> rooms;
    for (const auto& [id, room] : logs_) rooms.push_back(room);
    const std::size_t looks = std::min(rooms.size(), rooms_per_look);
    for (std::size_t i = 0; i < looks; ++i)
        RoomLog::of(*rooms[next_look_++ % rooms.size()]).look_after();
    RedisFigures figures{.rooms = rooms.size(), .skew_ms = context_->skew_ms.load()};
    const Instant now = clock_.now();
    for (const std::shared_ptr<HostedRoom>& room : rooms) {
        if (beats_ % beats_per_second == 0) {
            RoomLog::of(*room).tell_seen();
            RoomLog::of(*room).tell_presence();
        }
        if (RoomLog::of(*room).writes()) ++figures.rooms_written;
        if (RoomLog::of(*room).lacks_replica()) ++figures.rooms_unreplicated;
        figures.age_ms_max = std::max(figures.age_ms_max, room->age(now).count);
    }
    if (std::abs(figures.skew_ms) > skew_max.count && beats_ % (60 * beats_per_second) == 1)
        say(fmt::format("the clocks of this machine and of Redis are {} ms apart",
                        std::abs(figures.skew_ms)));
    figures.commits = context_->commits.value();
    figures.facts = context_->facts.value();
    figures.asks = context_->asks.value();
    figures.followed = context_->followed.value();
    figures.reloads = context_->reloads.value();
    figures.snapshots = context_->snapshots.value();
    figures.is_writable = is_writable() && figures.rooms_unreplicated == 0;
    std::uint64_t before = 0;
    {
        const std::lock_guard lock(mutex_);
        before = std::exchange(figures_, figures).rooms_unreplicated;
    }
    if ((before > 0) != (figures.rooms_unreplicated > 0))
        say(before > 0
                ? "replicas confirm what is written again"
                : "no replica confirms what is written: commands are refused until one does");
}

} // namespace anteroom::shared
