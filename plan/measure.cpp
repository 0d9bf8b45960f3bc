#include "plan/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <memory>

#include "net/http_client.h"
#include "net/loop.h"
#include "net/task.h"
#include "plan/measure_pacer.h"

namespace anteroom::plan {
namespace {

constexpr double growth = 1.5;
constexpr Millis beat{2};
constexpr std::size_t answer_bytes_max = 8 * 1024 * 1024;

volatile std::sig_atomic_t interrupted = 0;

void interrupt(int signal) {
    interrupted = 1;
    std::signal(signal, SIG_DFL);
}

Instant monotonic() {
    using namespace std::chrono;
    return {duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count()};
}

Millis quantile(std::vector<std::int64_t>& sorted, double part) {
    if (sorted.empty()) return Millis{0};
    const auto at = static_cast<std::size_t>(std::ceil(part * static_cast<double>(sorted.size())));
    return Millis{sorted[std::max<std::size_t>(at, 1) - 1]};
}

class Measurement {
  public:
    using Tell = std::function<void(const MeasureStep&, StepVerdict)>;
    Measurement(const MeasureOptions& options, const Tell& tell)
        : options_(options),
          tell_(tell),
          pacer_(options.rate_max, options.step),
          // An answer that comes so late is as good as none.
          deadline_{std::clamp<std::int64_t>(4 * options.latency_max.count, 2'000, 60'000)} {}

    Result<Measured> run() {
        Result<std::unique_ptr<net::HttpClient>> client = net::HttpClient::create(
            loop_, {.connections_per_host_max = measure_limits::in_flight_max,
                    .idle_per_host_max = measure_limits::in_flight_max,
                    .idle_max = measure_limits::in_flight_max});
        if (!client) return client.fault();
        client_ = *std::move(client);
        net::spawn(loop_, try_once(this));
        loop_.run();
        pump_ = {};
        client_.reset();
        if (!fault_.empty()) return Fault{fault_};
        return std::move(measured_);
    }

  private:
    net::ClientRequest request() const {
        return {.url = options_.url,
                .headers = {{"User-Agent", "anteroom-plan"}, {"Accept", "*/*"}},
                .deadline = deadline_,
                .response_bytes_max = answer_bytes_max,
                .once = true}; // A repeated call would not be counted.
    }

    // A URL that does not work at all is a mistake, not a limit.
    static net::Task<void> try_once(Measurement* self) {
        net::ClientRequest request = self->request();
        const Result<net::ClientResponse> answer =
            co_await self->client_->fetch(std::move(request));
        if (!answer)
            self->fault_ = fmt::format("{}: {}", self->options_.url, answer.fault().reason);
        else if (answer->status >= 400)
            self->fault_ = fmt::format("{} answers {}", self->options_.url, answer->status);
        if (!self->fault_.empty()) {
            self->loop_.stop();
            co_return;
        }
        self->total_ = 1;
        self->begin(self->options_.rate_from);
        self->pump_ = self->loop_.every(beat, [self] { self->pump(); });
    }

    static net::Task<void> call(Measurement* self) {
        net::ClientRequest request = self->request();
        const Instant begin = monotonic();
        const Result<net::ClientResponse> answer =
            co_await self->client_->fetch(std::move(request));
        --self->in_flight_;
        if (!answer || answer->status >= 400) ++self->step_.failed;
        // A call without an answer counts as one that took the whole deadline, also where the
        // origin hung up at once: however many failures are allowed, it was not fast.
        const std::int64_t took = (monotonic() - begin).count;
        if (!answer)
            self->latencies_.push_back(std::max(took, self->deadline_.count));
        else if (answer->status < 400)
            self->latencies_.push_back(took);
    }

    void begin(double rate) {
        step_ = {.rate = rate};
        latencies_.clear();
        pacer_.begin(rate, monotonic());
        sending_ = true;
        full_ = false;
    }

    void pump() {
        if (interrupted || total_ >= options_.total_max) sending_ = false;
        if (sending_) {
            const Instant now = monotonic();
            send(pacer_.take(now));
            sending_ = !pacer_.is_over(now) && !full_;
        }
        if (!sending_ && in_flight_ == 0) end_step();
    }

    void send(std::int64_t count) {
        for (; count > 0 && total_ < options_.total_max; --count) {
            // With so many calls unanswered the origin has long not kept up.
            full_ = in_flight_ >= measure_limits::in_flight_max;
            if (full_) return;
            ++step_.sent;
            ++total_;
            ++in_flight_;
            net::spawn(loop_, call(this));
        }
    }

    void end_step() {
        if (interrupted) return finish(MeasureEnd::interrupted);
        std::sort(latencies_.begin(), latencies_.end());
        step_.p50 = quantile(latencies_, 0.5);
        step_.p95 = quantile(latencies_, 0.95);
        step_.lost = pacer_.lost();
        const StepVerdict verdict = full_ ? StepVerdict::slow : judge(step_, options_);
        const bool went_wrong = verdict == StepVerdict::slow || verdict == StepVerdict::failing;
        // A step that was cut short proves nothing, unless it went wrong.
        if (!went_wrong && step_.sent + step_.lost < pacer_.all())
            return finish(MeasureEnd::total_max);
        tell_(step_, verdict);
        if (went_wrong) {
            if (full_) return finish(MeasureEnd::busy);
            return finish(verdict == StepVerdict::slow ? MeasureEnd::slow : MeasureEnd::failing);
        }
        if (verdict == StepVerdict::held_up) {
            if (++tries_ >= measure_limits::tries_max) return finish(MeasureEnd::held_up);
            return go_on(step_.rate);
        }
        tries_ = 0;
        measured_.good.push_back(step_);
        if (step_.rate >= options_.rate_max) return finish(MeasureEnd::rate_max);
        go_on(next_rate(step_.rate, options_));
    }

    void go_on(double rate) {
        if (total_ >= options_.total_max) return finish(MeasureEnd::total_max);
        begin(rate);
    }

    void finish(MeasureEnd end) {
        measured_.end = end;
        loop_.stop();
    }

    const MeasureOptions& options_;
    const Tell& tell_;
    MeasurePacer pacer_;
    const Millis deadline_;
    net::Loop loop_;
    std::unique_ptr<net::HttpClient> client_;
    net::Alarm pump_;
    Measured measured_;
    std::string fault_;
    MeasureStep step_;
    std::vector<std::int64_t> latencies_; // Of this step, in ms: good answers, and calls in vain.
    std::int64_t total_ = 0;
    int tries_ = 0; // Of this step, in vain.
    std::size_t in_flight_ = 0;
    bool sending_ = false;
    bool full_ = false;
};

} // namespace

StepVerdict judge(const MeasureStep& step, const MeasureOptions& options) {
    const auto sent = static_cast<double>(step.sent), lost = static_cast<double>(step.lost);
    if (step.sent == 0 || lost > measure_limits::lost_max * (sent + lost))
        return StepVerdict::held_up;
    if (static_cast<double>(step.failed) > options.errors_max * sent) return StepVerdict::failing;
    return step.p95 > options.latency_max ? StepVerdict::slow : StepVerdict::good;
}

double next_rate(double rate, const MeasureOptions& options) {
    return std::min(options.rate_max, std::ceil(rate * growth));
}

Result<Measured> measure(const MeasureOptions& options,
                         const std::function<void(const MeasureStep&, StepVerdict)>& tell) {
    std::signal(SIGPIPE, SIG_IGN);
    interrupted = 0;
    std::signal(SIGINT, interrupt);
    std::signal(SIGTERM, interrupt);
    Result<Measured> measured = Measurement(options, tell).run();
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
    return measured;
}

} // namespace anteroom::plan
