#include "store/redis/testing.h"

#include <algorithm>
#include <chrono>

namespace anteroom::redis::testing {

void Lines::add(std::string line) {
    const std::lock_guard lock(mutex_);
    lines_.push_back(std::move(line));
    changed_.notify_all();
}

bool Lines::wait_for(std::string_view part) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::minutes(1), [&] {
        return std::any_of(lines_.begin(), lines_.end(),
                           [&](const std::string& line) { return line.find(part) != line.npos; });
    });
}

std::vector<std::string> Lines::all() {
    const std::lock_guard lock(mutex_);
    return lines_;
}

int Lines::count(std::string_view part) {
    const std::lock_guard lock(mutex_);
    return static_cast<int>(
        std::count_if(lines_.begin(), lines_.end(),
                      [&](const std::string& line) { return line.find(part) != line.npos; }));
}

ClientOptions options_for(const Address& address) {
    ClientOptions options;
    options.url.hosts = {address};
    options.connect_timeout = seconds(20);
    options.call_timeout = seconds(30);
    options.replication_timeout = minutes(1);
    return options;
}

ClientOptions options_for(const RedisServer& server) {
    return options_for(server.address());
}

ClientOptions options_for(const RedisCluster& cluster) {
    ClientOptions options = options_for(Address{});
    options.url.cluster = true;
    options.url.hosts = cluster.seeds();
    return options;
}

ClientThread::ClientThread(ClientOptions options) {
    options.say = [said = said_](const std::string& line) { said->add(line); };
    thread_.call([&] {
        client_ = std::make_unique<Client>(thread_.loop, std::move(options));
        client_->start();
    });
}

ClientThread::~ClientThread() {
    destroy_client();
}

void ClientThread::destroy_client() {
    thread_.call([&] { client_.reset(); });
}

namespace {

// Shared: the promise is still being left when the waiter goes on.
OnAnswer fulfil(const std::shared_ptr<std::promise<CallResult>>& promise) {
    return [promise](const CallResult& answer) { promise->set_value(answer); };
}

} // namespace

ClientThread::Later ClientThread::begin(std::vector<std::string> words, Millis deadline) {
    const auto promise = std::make_shared<std::promise<CallResult>>();
    thread_.call([&] {
        const std::string key = words.size() > 1 ? words[1] : "";
        client_->call(key, std::move(words), fulfil(promise), deadline);
    });
    return promise->get_future();
}

ClientThread::Later ClientThread::begin_durably(const Script& script, std::vector<std::string> keys,
                                                std::vector<std::string> args, int replicas,
                                                Millis deadline) {
    const auto promise = std::make_shared<std::promise<CallResult>>();
    thread_.call([&] {
        client_->run_durably(script, std::move(keys), std::move(args), replicas, fulfil(promise),
                             deadline);
    });
    return promise->get_future();
}

CallResult ClientThread::run(const Script& script, std::vector<std::string> keys,
                             std::vector<std::string> args, Millis deadline) {
    const auto promise = std::make_shared<std::promise<CallResult>>();
    thread_.call(
        [&] { client_->run(script, std::move(keys), std::move(args), fulfil(promise), deadline); });
    return promise->get_future().get();
}

void ClientThread::subscribe(const std::string& channel, Lines& lines) {
    thread_.call([&] {
        client_->subscribe(channel, [&lines](const std::optional<std::string>& message) {
            lines.add(message.value_or("(subscribed)"));
        });
    });
}

void ClientThread::unsubscribe(const std::string& channel) {
    thread_.call([&] { client_->unsubscribe(channel); });
}

bool ClientThread::is_reachable() {
    return thread_.call([&] { return client_->is_reachable(); });
}

bool ClientThread::becomes_reachable() {
    return eventually([&] { return is_reachable(); });
}

} // namespace anteroom::redis::testing
