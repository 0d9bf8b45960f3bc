#include "store/redis/client.h"

#include "base/check.h"
#include "store/redis/core.h"
#include "store/redis/node.h"

namespace anteroom::redis {
namespace {

Core::Question question_of(const Script& script, std::vector<std::string> keys,
                           std::vector<std::string> args, OnAnswer done, Millis deadline) {
    CHECK(!keys.empty());
    Core::Question question{.script = script,
                            .slot = slot_of(keys.front()),
                            .done = std::move(done),
                            .deadline = deadline};
    question.words.reserve(3 + keys.size() + args.size());
    question.words = {"EVALSHA", script.sha(), std::to_string(keys.size())};
    for (std::string& key : keys) question.words.push_back(std::move(key));
    for (std::string& arg : args) question.words.push_back(std::move(arg));
    return question;
}

} // namespace

Client::Client(net::Loop& loop, ClientOptions options)
    : core_(std::make_unique<Core>(loop, std::move(options))) {}

Client::~Client() {
    core_->stop();
}

void Client::start() {
    core_->start();
}

void Client::stop() {
    core_->stop();
}

void Client::call(std::string_view key, std::vector<std::string> words, OnAnswer done,
                  Millis deadline) {
    CHECK(!words.empty());
    core_->submit({.words = std::move(words),
                   .slot = slot_of(key),
                   .done = std::move(done),
                   .deadline = deadline});
}

void Client::run(const Script& script, std::vector<std::string> keys, std::vector<std::string> args,
                 OnAnswer done, Millis deadline) {
    core_->submit(question_of(script, std::move(keys), std::move(args), std::move(done), deadline));
}

void Client::run_durably(const Script& script, std::vector<std::string> keys,
                         std::vector<std::string> args, int replicas, OnAnswer done,
                         Millis deadline) {
    CHECK(replicas >= 0);
    Core::Question question =
        question_of(script, std::move(keys), std::move(args), std::move(done), deadline);
    question.replicas = replicas;
    core_->submit(std::move(question));
}

void Client::subscribe(std::string channel, OnMessage on_message) {
    core_->subscriptions().add(std::move(channel), std::move(on_message));
}

void Client::unsubscribe(std::string_view channel) {
    core_->subscriptions().remove(channel);
}

bool Client::is_reachable() const {
    return core_->is_reachable();
}

const Counters& Client::counters() const {
    return core_->counters();
}

} // namespace anteroom::redis
