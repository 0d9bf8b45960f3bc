// Portal: system P, the shopping queue of Portal Universe, on the wire as its clients know it.
//
//   /queue/{type}/{id}/…     a place for a known user, by user or by entry token
//   …/subscribe/{token}      the same as an event stream
//   /admin/queue/…, seller   the switch of a queue, its numbers, one batch now
//
// A queue is the room "TYPE:ID"; it is active while the room takes visitors. Decides nothing: who
// waits, who is called and when a slot ends is the engine's. What differs from the original on
// purpose is in docs/dialects/portal.md.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "desk/dialect.h"
#include "dialects/portal/activation.h"
#include "dialects/portal/errors.h"
#include "dialects/portal/options.h"
#include "dialects/portal/paths.h"
#include "service/hub.h"

namespace anteroom::portal {

class Portal final : public DialectRoutes {
  public:
    Portal(Desk& desk, Hub& hub, const Options& options);

    bool owns(std::string_view path) const override { return read_path(path).has_value(); }
    bool handle(Ask& ask) override;
    std::string user_of(const Ask& ask) override;
    bool miss(Ask& ask) override;
    bool over_limit(Ask& ask, std::int64_t wait_seconds) override;

  private:
    // Which queue is meant. Without a room id no room can have that name.
    struct Event {
        std::string type;
        std::int64_t id = 0;
        std::optional<std::string> room_id;
    };
    // An entry as a token names it.
    struct Entry {
        std::shared_ptr<HostedRoom> room; // Null: another process made it, not known here yet.
        Number number = 0;
    };

    void dispatch_user(Ask& ask, const Path& path);
    void dispatch_operator(Ask& ask, const Path& path);
    void preflight(Ask& ask);

    // Answers (answers.cpp).
    net::Answer begin(Ask& ask, net::Status status);
    net::Answer begin(Later& later, net::Status status);
    void refuse(Ask& ask, const Error& error, std::string_view more = {});
    void refuse(Later& later, const Error& error, std::string_view data = {});
    void refuse(Later& later, Reason reason);
    void refuse_fields(Ask& ask, const std::vector<FieldFault>& faults);
    void refuse_method(Ask& ask, Route route);
    void refuse_caller(Ask& ask, const Caller& caller);
    void write_error(net::Answer& answer, const Error& error, std::string_view data,
                     std::string_view more);
    // {"success":true,"data":…}; without data {"success":true}.
    static void write_success(net::Answer& answer, std::string_view data = {});
    std::string status_of(const HostedRoom& room, const Standing& standing);

    // Answers when there is none.
    std::optional<Event> read_event(Ask& ask, std::string_view type, std::string_view id);
    // The same where the path has none: in the body or the query.
    std::optional<Event> name_event(Ask& ask, const Order& order);
    std::optional<HostedRoom*> find_room(Ask& ask, std::string_view id);
    // The queue; null: there is none. Nothing: what is known here is older than `age_max`, or
    // nobody can say, and that was answered.
    std::optional<HostedRoom*> find_queue(Ask& ask, const Event& event,
                                          Millis age_max = limits::age_untold);
    Caller identify(const Ask& ask);
    // Others may have rooms whose ids look so.
    static bool is_queue(const HostedRoom& room) { return room.profile().dialect == "portal"; }
    static bool is_active(const HostedRoom& room) { return may_join(room.view().state()); }
    static bool is_guarded(const HostedRoom& room);
    bool is_stale(Ask& ask, const HostedRoom& room, Millis age_max);

    // Users (entry_routes.cpp).
    void enter(Ask& ask, const Event& event, const std::string& user);
    void status(Ask& ask, const Event& event, const std::string& user);
    void leave(Ask& ask, const Event& event, const std::string& user);
    void validate(Ask& ask, const Event& event, const std::string& user);
    void complete(Ask& ask, const Event& event, const std::string& user);
    // The entry ends with this command.
    void end(const Entry& entry, const Command& command, Later later);
    void answer_validity(Later& later, const Entry& entry, const Standing& standing);

    // Who holds an entry token (token_routes.cpp).
    std::string token_of(const HostedRoom& room, Number number) const;
    std::optional<Entry> read_token(const Ask& ask, std::string_view token);
    bool is_of_other(const Entry& entry, std::string_view user) const;
    // What the room says of the entry, once it may be told. Answers itself when the entry is not
    // known, or somebody else's; without a user it is nobody else's.
    using OnLook = UniqueFunction<void(Later&, const Entry&, const Standing&)>;
    void look(const Entry& entry, Ask& ask, const std::string& user, OnLook then);
    void look(Ask& ask, std::string_view token, const std::string& user, Millis age_max,
              OnLook then);
    void token_status(Ask& ask, std::string_view token, const std::string& user);
    void token_leave(Ask& ask, std::string_view token, const std::string& user);
    void token_validate(Ask& ask, std::string_view token, const std::string& user);

    // Event streams (stream_routes.cpp).
    void subscribe(Ask& ask, std::string_view token, const std::string& user);

    // Operators (admin_routes.cpp).
    void activate(Ask& ask, const Caller& caller, Form form, const Event& event, Order& order);
    void deactivate(Ask& ask, const Caller& caller, Form form, const Event& event);
    void process(Ask& ask, const Caller& caller, Form form, const Event& event);
    void admin_status(Ask& ask, Form form, const Event& event);
    // Null: there is none, or this does not hold of it, and that was answered.
    std::shared_ptr<HostedRoom> find_where(Ask& ask, Form form, const Event& event,
                                           bool (*holds)(const HostedRoom&));
    // Does this as the last step, and answers with the queue.
    void finish_with(const std::shared_ptr<HostedRoom>& room, const Command& command, Form form,
                     Later later);
    void answer_queue(Later& later, Form form, const HostedRoom& room);

    Desk& desk_;
    Hub& hub_;
    const Options options_;
};

} // namespace anteroom::portal
