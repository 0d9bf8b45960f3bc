// Passes: the cost of verifying one, and of a gate decision about a request that shows one.
#include <string>
#include <vector>

#include "base/check.h"
#include "bench/sections.h"
#include "gate/decide.h"
#include "gate/key_witness.h"
#include "token/key_ring.h"
#include "token/pass.h"

namespace anteroom::bench {
namespace {

constexpr token::UnixSeconds now{1'700'000'100};
constexpr std::string_view event = "11111111-2222-3333-4444-555555555555";

double median_ns(const Run& run, const std::function<void()>& work) {
    const std::uint64_t operations = run.quick ? 20'000 : 200'000;
    std::vector<double> rounds;
    rounds.reserve(7);
    for (int round = 0; round < 7; ++round)
        rounds.push_back(ns_per_op(operations, [&] {
            for (std::uint64_t i = 0; i < operations; ++i) work();
        }));
    return median(rounds);
}

} // namespace

void bench_token(Run& run) {
    Run::progress("passes and decisions");
    Result<token::KeyRing> keys = token::KeyRing::generate({1'700'000'000});
    CHECK(keys);
    const token::PassIssuer issuer(*keys);
    token::PassVerifier verifier(*keys);
    const token::UnixSeconds issued{1'700'000'000};
    const std::string pass =
        *issuer.issue(token::EntryPass{.room = event, .visitor = "user-1"}, issued, minutes(10));
    run.report.add(
        "verify_ns",
        median_ns(run,
                  [&] {
                      const token::PassVerdict verdict = verifier.verify(
                          pass, now,
                          {.room = event, .visitor = "user-1", .tier = token::Tier::entry});
                      CHECK(std::holds_alternative<token::VerifiedPass>(verdict));
                      keep(verdict);
                  }),
        "ns", Budget{2'000});

    gate::KeyWitness witness(verifier, now, {});
    witness.say_user("user-1", "user");
    const std::string path = "/api/v1/seats/events/" + std::string(event);
    const net::Header headers[] = {{"Host", "shop.example"}, {"x-queue-entry-token", pass}};
    const gate::Question question{
        .method = "GET", .host = "shop.example", .target = path, .headers = headers};
    run.report.add("decide_ns",
                   median_ns(run,
                             [&] {
                                 const gate::Decision decision =
                                     gate::decide(gate::default_rules(), question, witness);
                                 CHECK(decision.verdict == gate::Verdict::pass);
                                 keep(decision);
                             }),
                   "ns");
}

} // namespace anteroom::bench
