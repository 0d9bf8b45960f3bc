#include "dialects/urr/catalogue.h"

#include <boost/json.hpp>
#include <utility>

#include "base/json_text.h"
#include "net/completion.h"

namespace anteroom::urr {
namespace {

constexpr std::string_view nothing_known = R"({"title":"Unknown"})";
constexpr std::string_view no_such_event = R"({"title":"Unknown","artist":"Unknown"})";
constexpr std::size_t events_max = 10'000;
constexpr std::size_t body_max = 64 * 1024;
constexpr std::size_t text_max = 500;
constexpr Millis memory_of_failure = seconds(5);

void append_field(std::string& out, const boost::json::object& object, const char* name) {
    const boost::json::value* value = object.if_contains(name);
    if (!value || !value->is_string() || value->as_string().size() > text_max) return;
    out += out.size() > 1 ? ",\"" : "\"";
    out += name;
    out += "\":";
    append_json_string(out, std::string_view(value->as_string()));
}

} // namespace

std::optional<std::string> event_info(std::string_view body) {
    boost::json::error_code error;
    const boost::json::value value = boost::json::parse(body, error);
    if (error || !value.is_object()) return std::nullopt;
    std::string out = "{";
    append_field(out, value.as_object(), "title");
    append_field(out, value.as_object(), "artist");
    if (out.size() == 1) return std::nullopt;
    return out + "}";
}

struct Catalogue::State {
    struct Waiter {
        OnInfo done;
        net::Alarm patience;
    };
    struct Event {
        std::string json; // Empty: not known yet.
        Instant until{};
        bool is_asked = false;
        std::vector<std::shared_ptr<Waiter>> waiters;
    };

    State(net::Loop& l, CatalogueOptions o) : loop(l), options(std::move(o)) {}
    static void tell(Waiter& waiter, std::string_view json) {
        waiter.patience = {};
        if (OnInfo done = std::exchange(waiter.done, {})) done(json);
    }
    static void give_up(const std::shared_ptr<State>& state, const std::shared_ptr<Waiter>& waiter,
                        const std::string& event) {
        if (!state || !waiter) return;
        std::erase(state->events[event].waiters, waiter);
        tell(*waiter, nothing_known);
    }
    void learn(const std::string& event, std::string json, Millis memory) {
        Event& known = events[event];
        known.json = std::move(json);
        known.until = loop.now() + memory;
        known.is_asked = false;
        const std::string said = known.json; // A waiter may ask for another event.
        for (const auto& waiter : std::exchange(known.waiters, {})) tell(*waiter, said);
    }
    void make_room() {
        if (events.size() < events_max) return;
        boost::unordered::erase_if(events, [](const auto& e) { return !e.second.is_asked; });
    }

    net::Loop& loop;
    const CatalogueOptions options;
    std::unique_ptr<net::HttpClient> client; // Null: no catalogue.
    Breaker breaker;
    boost::unordered_flat_map<std::string, Event> events;
};

Catalogue::Catalogue(net::Loop& loop, CatalogueOptions options)
    : state_(std::make_shared<State>(loop, std::move(options))) {
    if (state_->options.url.empty()) return;
    if (Result<std::unique_ptr<net::HttpClient>> client = net::HttpClient::create(loop))
        state_->client = *std::move(client);
}

Catalogue::~Catalogue() {
    for (auto& [name, event] : state_->events) event.waiters.clear();
}

const std::string* Catalogue::find(std::string_view event) const {
    static const std::string without_catalogue{no_such_event};
    if (!state_->client) return &without_catalogue;
    const auto found = state_->events.find(std::string(event));
    const bool fresh = found != state_->events.end() && !found->second.json.empty() &&
                       state_->loop.now() < found->second.until;
    return fresh ? &found->second.json : nullptr;
}

void Catalogue::ask(std::string_view event, OnInfo done) {
    if (const std::string* known = find(event)) return done(*known);
    state_->make_room();
    if (state_->events.size() >= events_max) return done(nothing_known);
    const std::string name(event);
    State::Event& known = state_->events[name];
    const auto waiter = std::make_shared<State::Waiter>();
    waiter->done = std::move(done);
    known.waiters.push_back(waiter);
    waiter->patience = state_->loop.after(
        state_->options.patience, [state = std::weak_ptr(state_), waiter = std::weak_ptr(waiter),
                                   name] { State::give_up(state.lock(), waiter.lock(), name); });
    if (std::exchange(known.is_asked, true)) return;
    net::spawn(state_->loop, fetch(state_, name));
}

net::Task<void> Catalogue::fetch(std::shared_ptr<State> state, std::string event) {
    const CatalogueOptions& options = state->options;
    Millis pause = options.pause;
    for (unsigned attempt = 1; state->breaker.may_ask(state->loop.now()); ++attempt) {
        net::ClientRequest request{.url = options.url};
        if (const std::size_t at = request.url.find("{event}"); at != request.url.npos)
            request.url.replace(at, 7, event);
        else
            request.url += "/" + event;
        if (!options.token.empty())
            request.headers.push_back({"Authorization", "Bearer " + options.token});
        request.connect_deadline = request.deadline = options.deadline;
        request.response_bytes_max = body_max;
        const Result<net::ClientResponse> response =
            co_await state->client->fetch(std::move(request));
        const bool answered = response && response->status < 500 && response->status != 429;
        state->breaker.tell(answered, state->loop.now());
        if (answered) {
            std::optional<std::string> info;
            if (response->status == 200) info = event_info(response->body);
            state->learn(event, info.value_or(std::string(no_such_event)), options.memory);
            co_return;
        }
        if (attempt >= options.attempts) break;
        co_await net::sleep_for(state->loop, pause);
        pause = pause + pause;
    }
    state->learn(event, std::string(nothing_known), memory_of_failure);
}

} // namespace anteroom::urr
