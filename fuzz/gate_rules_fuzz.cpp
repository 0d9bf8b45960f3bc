// Rule files and paths of any bytes. A file is refused with a line for each mistake, or gives rules
// that decide every request; a path that is read holds nothing that could be read in another way.
//
// Input: a path up to the first line feed, then a rule file.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/text.h"
#include "gate/decide.h"
#include "gate/path.h"
#include "net/url.h"

namespace anteroom::gate {
namespace {

// Lets everybody through who shows anything, so that all of a rule is looked at.
class Believer : public Witness {
  public:
    bool outer_line_active(std::string_view event) override {
        CHECK(!event.empty());
        return true;
    }
    std::optional<User> user() override { return User{.id = "v", .role = "admin"}; }
    ShownPass outer_pass(std::string_view, std::string_view event) override {
        CHECK(!event.empty());
        return {.valid = true, .event = event, .visitor = "v"};
    }
    ShownPass entry_pass(std::string_view, std::optional<std::string_view> event) override {
        CHECK(!event || !event->empty());
        return {.valid = true, .event = event.value_or("e"), .visitor = "v"};
    }
};

std::string spelled(const CleanPath& path) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string out;
    for (std::size_t at = 0; at < path.size(); ++at) {
        out += '/';
        for (const char c : path[at]) {
            const auto byte = static_cast<unsigned char>(c);
            out += {'%', digits[byte >> 4], digits[byte & 15]};
        }
    }
    return out.empty() ? "/" : out;
}

void check_path(std::string_view target) {
    CleanPath path;
    if (path.read(target) != PathFault::none) return;
    for (std::size_t at = 0; at < path.size(); ++at) {
        CHECK(!path[at].empty() && path[at] != "." && path[at] != "..");
        CHECK(path[at].find_first_of("/\\;") == std::string_view::npos);
        CHECK(is_utf8(path[at]));
    }
    // Read again as it was understood, it is the same.
    const std::string again = spelled(path);
    CleanPath second;
    if (again.size() > path_bytes_max) return;
    CHECK(second.read(again) == PathFault::none);
    CHECK(spelled(second) == again);
}

void check_decision(const Rules& rules, std::string_view target, Witness& witness,
                    std::span<const net::Header> headers) {
    const Question question{
        .method = "GET", .host = "shop.example", .target = target, .headers = headers};
    const Decision decision = decide(rules, question, witness);
    CHECK(!decision.reason.empty());
    CHECK(decision.rule != nullptr || decision.verdict == Verdict::bad_request);
    CHECK((decision.verdict == Verdict::pass) == decision.error.empty());
    CHECK((decision.verdict != Verdict::redirect) || !decision.location.empty());
    // Nothing of the request can break out of a header or lead to another site.
    CHECK(decision.location.find_first_of("\r\n\" \\{}") == std::string::npos);
    CHECK(!decision.location.starts_with("//"));
    if (decision.verdict != Verdict::refuse && decision.verdict != Verdict::bad_request) return;
    // A rule may have words of its own.
    const bool is_own = decision.rule && decision.rule->refusal &&
                        decision.rule->refusal->status == decision.status;
    CHECK(is_own ? refusal_body(decision) == decision.rule->refusal->body
                 : refusal_body(decision).starts_with(R"({"error":")"));
}

void check_rules(std::string_view text, std::string_view target) {
    const Result<Rules> rules = read_rules(text, "r");
    if (!rules) {
        CHECK(rules.fault().reason.starts_with("r:"));
        return;
    }
    Believer witness;
    const net::Header shown[] = {{"x-vwr-token", "t"}, {"x-queue-entry-token", "t"}};
    check_decision(*rules, target, witness, shown);
    check_decision(*rules, target, witness, {});
}

} // namespace
} // namespace anteroom::gate

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace anteroom::gate;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const std::size_t end = text.find('\n');
    const std::string_view target = text.substr(0, end);
    check_path(target);
    Believer witness;
    check_decision(default_rules(), target, witness, {});
    check_decision(compat_rules(), target, witness, {});
    if (end != text.npos) check_rules(text.substr(end + 1), target);
    return 0;
}
