// Portal: system P, the shopping queue of Portal Universe, on the wire as its clients know it.
//
//   /queue/{type}/{id}/…     a place for a known user
//   /queue/token/{token}/…   the same place by its entry token
//   …/subscribe/{token}      its event stream
//   /admin/queue/…           operators: the switch of a queue, its numbers, one batch now
//   /api/v1/seller/queue/…   the same for sellers
//
// All but the last also behind /api/v1/shopping and /api/shopping. A queue is the room "TYPE:ID";
// it is active while the room takes visitors. Decides nothing: the engine decides who waits, who is
// called and when a slot ends. What differs from the original on purpose is in
// docs/dialects/portal.md.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "desk/dialect.h"
#include "dialects/portal/activation.h"
#include "dialects/portal/errors.h"
#include "dialects/portal/options.h"
#include "net/task.h"
#include "service/hub.h"

namespace anteroom::portal {

class Portal final : public DialectRoutes {
  public:
    Portal(Desk& desk, Hub& hub, const Options& options);

    void add_routes(Router& router) override;
    CrossOrigin cross_origin(std::string_view path) const override;
    void refuse_method(Call& call, std::string_view allowed) override;
    std::string_view login() const override { return "portal"; }
    std::span<const std::string_view> prefixes() const override;
    void refuse_path(Call& call) override;
    bool over_limit(Call& call, bool owns, std::int64_t wait_seconds) override;

  private:
    // Which queue is meant. Without a room id no room can have that name.
    struct Event {
        std::string type;
        std::int64_t id = 0;
        std::optional<std::string> room_id;
    };
    // Sellers' paths have error codes of their own, and the queue as the answer.
    enum class Form : std::uint8_t { admin, seller };
    // What an operator wants of a queue.
    struct Instruction {
        Form form;
        Event event;
        Order order;
    };

    // Routes (portal.cpp). They check the caller's roles before they call a handler of these types;
    // subscribe() alone takes every caller.
    using EventHandler = void (Portal::*)(Call&, const Event&);
    using TokenHandler = void (Portal::*)(Call&);
    using OperatorHandler = void (Portal::*)(Call&, Instruction&);
    void add_user_routes(Router& router, const std::string& base);
    void add_operator_routes(Router& router, const std::string& base, Form form);
    // They answer when there is none.
    std::optional<Event> read_event(Call& call, std::string_view type, std::string_view id);
    std::optional<Event> name_event(Call& call, const Order& order);
    std::optional<Instruction> read_instruction(Call& call, Form form);

    // Which room (portal.cpp). Null: there is none. Nothing: this process cannot say, or its copy
    // is older than `age_max`; that was answered.
    std::optional<HostedRoom*> find_room(Call& call, std::string_view id);
    std::optional<HostedRoom*> find_queue(Call& call, const Event& event,
                                          Millis age_max = limits::age_untold);
    // Whether the copy is older than that; then it was answered.
    bool is_stale(Call& call, const HostedRoom& room, Millis age_max);
    // Others may have rooms whose ids look like a queue's.
    static bool is_queue(const HostedRoom& room) { return room.profile().dialect == "portal"; }
    static bool is_active(const HostedRoom& room) { return may_join(room.view().state()); }
    static bool is_guarded(const HostedRoom& room);
    VisitPlace place_of_caller(Call& call, HostedRoom& room) const;

    // Answers (answers.cpp).
    void refuse(Call& call, const Error& error, const ErrorExtras& extras = {});
    void refuse(Call& call, Reason reason);
    void refuse_fields(Call& call, const std::vector<FieldFault>& faults);
    void refuse_caller(Call& call);
    void write_error(net::Answer& answer, const Error& error, const ErrorExtras& extras = {});
    // {"success":true,"data":…}; without data {"success":true}.
    static void answer_success(Call& call, std::string_view data = {});
    void answer_status(Call& call, const HostedRoom& room, const Standing& standing);
    // Null: there is no standing to tell, and that was answered; NoVisit by `missing`.
    const Stands* stands_of(Call& call, const Sight& sight, const Error& missing);
    std::string status_of(const HostedRoom& room, const Standing& standing);

    // Users (entry_routes.cpp).
    void enter(Call& call, const Event& event);
    void status(Call& call, const Event& event);
    void leave(Call& call, const Event& event);
    void validate(Call& call, const Event& event);
    void complete(Call& call, const Event& event);
    // The number of the caller's live entry. Nothing: there is none, and that was answered.
    std::optional<Number> find_entry(Call& call, HostedRoom& room, const Error& missing);
    // The entry ends with this command.
    void end_entry(Call& call, HostedRoom& room, const Command& command);
    void answer_validity(Call& call, const HostedRoom& room, const Stands& stands);

    // Holders of an entry token (token_routes.cpp, stream_routes.cpp).
    std::string token_of(const HostedRoom& room, Number number) const;
    // The place that the token proves; a known caller must be its holder. Answers when there is
    // none.
    std::optional<VisitPlace> read_token(Call& call, std::string_view token);
    void token_status(Call& call);
    void token_leave(Call& call);
    void token_validate(Call& call);
    void subscribe(Call& call);

    // Operators (admin_routes.cpp).
    void activate(Call& call, Instruction& wanted);
    void deactivate(Call& call, Instruction& wanted);
    void process(Call& call, Instruction& wanted);
    void admin_status(Call& call, Instruction& wanted);
    // Null: there is no such queue, or this does not hold of it, and that was answered.
    std::shared_ptr<HostedRoom> find_where(Call& call, const Instruction& wanted,
                                           bool (*holds)(const HostedRoom&));
    // Submits the steps one after the other until one is refused, and answers with the queue.
    net::Task<void> change_queue(Call call, std::shared_ptr<HostedRoom> room,
                                 std::vector<Command> steps, Form form);
    void answer_queue(Call& call, const std::shared_ptr<HostedRoom>& room, Form form);

    Desk& desk_;
    Hub& hub_;
    const Options options_;
};

} // namespace anteroom::portal
