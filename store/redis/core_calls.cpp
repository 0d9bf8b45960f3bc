// The life of a call: to its node, back again as often as the server wants it, to its one answer.
#include "base/check.h"
#include "net/loop.h"
#include "store/redis/core.h"
#include "store/redis/node.h"

namespace anteroom::redis {
namespace {

constexpr std::uint32_t redirections_max =
    8; // Then with pauses: two nodes that point at each other.
constexpr std::int64_t delay_min_ms = 10;
constexpr std::int64_t delay_max_ms = 250;
constexpr std::size_t call_overhead_bytes = 256;

std::size_t cost_of(const Words& words) {
    std::size_t bytes = call_overhead_bytes;
    for (const std::string& word : words) bytes += word.size() + sizeof(std::string);
    return bytes;
}

Call& of_timer(void* owner) {
    return *static_cast<Call*>(owner);
}

} // namespace

Call::Call(Core& of, Words command)
    : core(of),
      words(std::move(command)),
      deadline(this, [](void* call) { of_timer(call).core.on_deadline(of_timer(call)); }),
      retry(this, [](void* call) { of_timer(call).core.on_retry(of_timer(call)); }) {}

void Core::submit(Question question) {
    counters_.calls.add();
    counters_.in_flight.add();
    Call& call = homeless_.emplace_back(*this, std::move(question.words));
    call.list = &homeless_;
    call.self = std::prev(homeless_.end());
    call.script = std::move(question.script);
    call.slot = question.slot;
    call.replicas = question.replicas;
    call.done = std::move(question.done);
    if (stopped_) return finish(call, Trouble::unreachable);
    call.patience = question.deadline > Millis{0} ? question.deadline : options_.call_timeout;
    loop_.arm(call.deadline, call.patience);
    place(call);
}

void Core::ask(Node& node, Words words, OnAnswer done, Millis deadline) {
    counters_.in_flight.add();
    Call& call = homeless_.emplace_back(*this, std::move(words));
    call.list = &homeless_;
    call.self = std::prev(homeless_.end());
    call.pinned = &node;
    call.done = std::move(done);
    call.patience = deadline > Millis{0} ? deadline : options_.call_timeout;
    loop_.arm(call.deadline, call.patience);
    node.calls.add(call);
}

void Core::place(Call& call) {
    call.asks = false;
    Node* const node = node_for(call.slot);
    if (node) return add_to(*node, call);
    if (charge(call, load_)) move(call, homeless_, Stage::waiting);
}

void Core::add_to(Node& node, Call& call) {
    (call.replicas > 0 ? node.durable : node.calls).add(call);
}

void Core::move(Call& call, Calls& to, Stage stage) {
    to.splice(to.end(), *call.list, call.self);
    call.list = &to;
    call.stage = stage;
}

bool Core::charge(Call& call, Load& load) {
    uncharge(call);
    call.bytes = cost_of(call.words);
    const bool fits =
        load.calls < options_.calls_max && load.bytes + call.bytes <= options_.bytes_max;
    if (!fits && !call.pinned) {
        counters_.overloads.add();
        finish(call, Trouble::unreachable);
        return false;
    }
    call.load = &load;
    ++load.calls;
    load.bytes += call.bytes;
    return true;
}

void Core::uncharge(Call& call) {
    if (!call.load) return;
    --call.load->calls;
    call.load->bytes -= call.bytes;
    call.load = nullptr;
}

void Core::answer(Call& call, Trouble trouble, Reply reply) {
    if (!call.done) return; // It was given up, and this is its late reply.
    if (!call.pinned) {
        switch (trouble) {
            case Trouble::none: break;
            case Trouble::unreachable: counters_.unreachable.add(); break;
            case Trouble::unknown: counters_.unknown.add(); break;
            case Trouble::refused: counters_.refused.add(); break;
            case Trouble::not_replicated: counters_.not_replicated.add(); break;
        }
    }
    counters_.in_flight.add(-1);
    call.deadline.cancel();
    finished_.push_back(
        {.done = std::move(call.done), .answer = {.trouble = trouble, .reply = std::move(reply)}});
    call.done = {};
    schedule_turn();
}

void Core::finish(Call& call, Trouble trouble, Reply reply) {
    if (trouble == Trouble::unreachable && reply.is_nil()) reply = std::move(call.reply);
    answer(call, trouble, std::move(reply));
    erase(call);
}

void Core::erase(Call& call) {
    uncharge(call);
    call.list->erase(call.self);
}

void Core::on_deadline(Call& call) {
    switch (call.stage) {
        case Stage::waiting: return finish(call, Trouble::unreachable);
        case Stage::sent:
            return answer(call, Trouble::unknown, {}); // Its place waits for the reply.
        case Stage::answered: return finish(call, Trouble::not_replicated, std::move(call.reply));
    }
}

void Core::settle(CallLink& link, Call& call, Reply reply) {
    if (call.script && call.words.front() == "EVAL") link.note_loaded(call.script->sha());
    if (!call.done) return erase(call);
    if (reply.is_error()) return settle_error(link, call, std::move(reply));
    if (link.is_batched()) return keep_for_replicas(link, call, std::move(reply));
    finish(call, Trouble::none, std::move(reply));
}

void Core::keep_for_replicas(CallLink& link, Call& call, Reply reply) {
    call.reply = std::move(reply);
    move(call, link.answered(), Stage::answered);
}

void Core::settle_error(CallLink& link, Call& call, Reply error) {
    error.text = without_secrets(std::move(error.text), options_.url);
    const Meaning meaning = call.pinned ? Meaning::final : meaning_of(error);
    switch (meaning) {
        case Meaning::moved:
        case Meaning::ask: return redirect(link, call, std::move(error));
        case Meaning::read_only:
            delay(call, std::move(error));
            return route_->on_read_only(link.node());
        case Meaning::later:
            if (error.error_code() == "CLUSTERDOWN") route_->on_down();
            return delay(call, std::move(error));
        case Meaning::no_script:
            if (call.script && call.words.front() == "EVALSHA") return run_script_again(link, call);
            break;
        case Meaning::final: break;
    }
    const std::string_view code = error.error_code();
    if (!call.pinned && (code == "NOPERM" || code == "NOAUTH"))
        say_once(link.node().name, "refuses a command: " + error.text);
    finish(call, Trouble::refused, std::move(error));
}

void Core::redirect(CallLink& link, Call& call, Reply error) {
    const auto redirection = parse_redirection(error.text, link.node().address);
    if (!redirection || !options_.url.cluster) {
        say_once(link.node().name, "it belongs to a Cluster: the URL must be redis+cluster://");
        return finish(call, Trouble::refused, std::move(error));
    }
    counters_.redirections.add();
    const bool asks = meaning_of(error) == Meaning::ask;
    Node* const to = asks ? &node(redirection->to) : route_->on_moved(*redirection);
    if (++call.redirected > redirections_max) return delay(call, std::move(error));
    call.reply = std::move(error);
    call.asks = asks;
    add_to(*to, call);
}

// Of those that missed a script at one time, one brings it and the others come behind it.
void Core::run_script_again(CallLink& link, Call& call) {
    const std::string& sha = call.script->sha();
    if (call.script_misses++ > 0 || !link.is_loading(sha)) {
        call.words[0] = "EVAL";
        call.words[1] = call.script->source();
        link.note_loading(sha);
    }
    place(call);
}

void Core::delay(Call& call, Reply error) {
    counters_.retries.add();
    call.reply = std::move(error);
    call.asks = false;
    if (!charge(call, load_)) return;
    move(call, delayed_, Stage::waiting);
    const std::int64_t longest =
        std::min(delay_max_ms, delay_min_ms << std::min<std::uint32_t>(call.delayed++, 10));
    loop_.arm(call.retry, Millis{longest / 2 + random(longest / 2) + 1});
}

void Core::refuse_homeless(const Reply& error) {
    while (!homeless_.empty()) finish(homeless_.front(), Trouble::refused, error);
}

} // namespace anteroom::redis
