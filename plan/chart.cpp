// The plan as a picture: how long people wait by their place, and how many wait as time goes on.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "base/duration.h"
#include "plan/report.h"
#include "plan/settings.h"

namespace anteroom::plan {
namespace {

constexpr std::size_t points_max = 240;
constexpr double width = 960, panel_height = 300, gap = 40;
constexpr double top = 44, bottom = 60;
constexpr double label_size = 13, label_gap = 8;

struct Point {
    double x = 0, y = 0;
};

struct Axis {
    double max = 1;
    double step = 1;
    std::string title;
    std::function<std::string(double)> text;
};

struct Curve {
    const char* style; // A class of the style sheet.
    std::vector<Point> points;
};

// 1, 2 or 5 times a power of ten: about five ticks.
Axis count_axis(double max, std::string title) {
    const double rough = std::max(max, 1.0) / 5;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    const double part = rough / power;
    const double step = std::max(1.0, power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10));
    return {.max = std::ceil(std::max(max, 1.0) / step) * step,
            .step = step,
            .title = std::move(title),
            .text = [](double value) { return grouped(value); }};
}

// Steps that clocks have.
Axis time_axis(double max, std::string title) {
    constexpr std::array steps{1.0,    2.0,    5.0,     10.0,    15.0,    30.0,    60.0,
                               120.0,  300.0,  600.0,   900.0,   1800.0,  3600.0,  7200.0,
                               10800., 21600., 43200.0, 86400.0, 172800., 604800., 1209600.};
    const double rough = std::max(max, 1.0) / 6;
    double step = steps.back();
    for (const double candidate : steps)
        if (candidate >= rough && candidate < step) step = candidate;
    while (step < rough) step *= 2;
    return {.max = std::ceil(std::max(max, 1.0) / step) * step,
            .step = step,
            .title = std::move(title),
            .text = [](double value) { return wait_text(value); }};
}

std::vector<double> ticks(const Axis& axis) {
    std::vector<double> values;
    for (double value = 0; value <= axis.max * 1.0001; value += axis.step) values.push_back(value);
    return values;
}

// The reader's font is not known here, so every character counts as wide as the font is high:
// digits of all fonts are narrower. The text is ASCII.
double label_width(std::string_view text) {
    return label_size * static_cast<double>(text.size());
}

double widest_label(const Axis& axis) {
    double widest = 0;
    for (const double value : ticks(axis)) widest = std::max(widest, label_width(axis.text(value)));
    return widest;
}

// The margins beside the curves: labels of the axis up stand to the left, the last one of the axis
// across is centred below its tick and reaches over the end.
struct Sides {
    double left = 0, right = 0;

    void make_room(const Axis& across, const Axis& up) {
        left = std::max({left, widest_label(up) + label_gap, widest_label(across) / 2});
        right = std::max(right, widest_label(across) / 2);
    }
    double inner_width() const { return width - left - right; }
};

class Panel {
  public:
    Panel(double y, const Sides& sides, std::string_view title, const Axis& across, const Axis& up)
        : y_(y), sides_(sides), across_(across), up_(up) {
        out_ = fmt::format("<text class=\"title\" x=\"{}\" y=\"{}\">{}</text>\n", sides.left,
                           y + 22, title);
        for (const double value : ticks(up))
            out_ += fmt::format(
                "<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>"
                "<text class=\"tick\" text-anchor=\"end\" x=\"{}\" y=\"{:.1f}\">{}</text>\n",
                sides.left, width - sides.right, at({0, value}).y, at({0, value}).y,
                sides.left - label_gap, at({0, value}).y + 4, up.text(value));
        // Where labels would touch, every second, third, … tick has one.
        const double step_width = sides.inner_width() * across.step / across.max;
        const auto every =
            static_cast<std::size_t>(std::ceil((widest_label(across) + label_gap) / step_width));
        const std::vector<double> values = ticks(across);
        for (std::size_t i = 0; i < values.size(); i += every)
            out_ += fmt::format(
                "<text class=\"tick\" text-anchor=\"middle\" x=\"{:.1f}\" y=\"{}\">{}</text>\n",
                at({values[i], 0}).x, y + panel_height - bottom + 26, across.text(values[i]));
        out_ +=
            fmt::format("<text class=\"axis\" text-anchor=\"end\" x=\"{}\" y=\"{}\">{}</text>\n",
                        width - sides.right, y + panel_height - bottom + 48, across.title);
    }

    void add(const Curve& curve, bool filled) {
        std::string path;
        for (const Point& point : curve.points) {
            const Point there = at(point);
            path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", there.x, there.y);
        }
        if (curve.points.empty()) return;
        if (filled)
            out_ += fmt::format("<path class=\"area {}\" d=\"{}L{:.1f} {:.1f}L{:.1f} {:.1f}Z\"/>\n",
                                curve.style, path, at({curve.points.back().x, 0}).x, at({0, 0}).y,
                                at({curve.points.front().x, 0}).x, at({0, 0}).y);
        out_ += fmt::format("<path class=\"line {}\" d=\"{}\"/>\n", curve.style, path);
    }

    const std::string& text() const { return out_; }

  private:
    Point at(const Point& value) const {
        return {sides_.left + value.x / across_.max * sides_.inner_width(),
                y_ + panel_height - bottom - value.y / up_.max * (panel_height - top - bottom)};
    }

    double y_;
    Sides sides_;
    const Axis& across_;
    const Axis& up_;
    std::string out_;
};

constexpr std::string_view colours = R"(
svg, body { --paper: #ffffff; --ink: #1d2330; --soft: #5a6273; --rule: #dfe3ea; --first: #2257c5; --second: #0b7a4b; }
@media (prefers-color-scheme: dark) {
svg, body { --paper: #14171d; --ink: #e9ecf2; --soft: #a3abbb; --rule: #2d333e; --first: #86aefc; --second: #63d3a1; }
}
svg { font-family: system-ui, sans-serif; }
.paper { fill: var(--paper); }
.title { fill: var(--ink); font-size: 17px; font-weight: 600; }
.tick, .axis { fill: var(--soft); font-size: 13px; }
.grid { stroke: var(--rule); stroke-width: 1; }
.line { fill: none; stroke-width: 2.5; stroke-linejoin: round; }
.area { opacity: .14; stroke: none; }
.line.first { stroke: var(--first); } .area.first { fill: var(--first); }
.line.second { stroke: var(--second); } .area.second { fill: var(--second); }
)";

std::vector<Point> waits_by_place(const Plan& plan) {
    const std::int64_t crowd = plan.scenario.crowd;
    std::vector<Point> points;
    const auto count = static_cast<std::int64_t>(points_max);
    for (std::int64_t i = 0; i <= count; ++i) {
        const auto part = static_cast<double>(i) / static_cast<double>(count);
        const auto place =
            std::clamp<std::int64_t>(std::llround(part * static_cast<double>(crowd)), 1, crowd);
        points.push_back({static_cast<double>(place), plan.forecast->wait_seconds(place)});
    }
    return points;
}

double highest(const std::vector<Point>& points) {
    double max = 0;
    for (const Point& point : points) max = std::max(max, point.y);
    return max;
}

std::string svg(const Plan& plan, std::string_view style) {
    const Curve waits{"first", waits_by_place(plan)};
    Curve waiting{"second", {}};
    for (const Forecast::Moment& moment : plan.forecast->moments(points_max))
        waiting.points.push_back({moment.at_seconds, moment.waiting});
    const double height = 2 * panel_height + gap;
    std::string out = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
        "height=\"{1}\" role=\"img\" aria-label=\"Waiting time by place in line, and people waiting "
        "over time\">\n<style>{2}</style>\n<rect class=\"paper\" width=\"{0}\" height=\"{1}\"/>\n",
        width, height, style);
    const Axis place = count_axis(static_cast<double>(plan.scenario.crowd), "place in line");
    const Axis wait = time_axis(highest(waits.points), "");
    const Axis time = time_axis(plan.forecast->empty_at(), "time since the first came");
    const Axis people = count_axis(plan.forecast->waiting_max(), "");
    Sides sides;
    sides.make_room(place, wait);
    sides.make_room(time, people);
    Panel upper(0, sides, "How long one waits, by the place in line", place, wait);
    upper.add(waits, true);
    Panel lower(panel_height + gap, sides, "How many wait, as time goes on", time, people);
    lower.add(waiting, true);
    return out + upper.text() + lower.text() + "</svg>\n";
}

constexpr std::string_view page_style = R"(
:root { color-scheme: light dark; }
body { margin: 0 auto; padding: 24px; max-width: 1000px; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 26px; margin: 0 0 16px; }
h2 { font-size: 19px; margin: 24px 0 8px; }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(170px, 1fr)); gap: 12px; margin: 0 0 24px; }
dl div { border: 1px solid var(--rule); border-radius: 8px; padding: 10px 14px; }
dt { color: var(--soft); font-size: 14px; }
dd { margin: 0; font-size: 22px; font-weight: 600; }
.chart { overflow-x: auto; }
svg { width: 100%; min-width: 720px; height: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: 5px 10px; border-bottom: 1px solid var(--rule); }
th { color: var(--soft); font-weight: 600; }
pre { background: none; border: 1px solid var(--rule); border-radius: 8px; padding: 12px; overflow-x: auto; font-size: 14px; }
)";

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) switch (c) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '"': out += "&quot;"; break;
            default: out += c;
        }
    return out;
}

} // namespace

std::string to_svg(const Plan& plan) {
    return svg(plan, colours);
}

std::string to_html(const Plan& plan) {
    const Forecast& forecast = *plan.forecast;
    const std::int64_t crowd = plan.scenario.crowd;
    const auto waiting = static_cast<std::uint64_t>(forecast.waiting_max());
    std::string out = fmt::format(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width\">\n"
        "<title>Plan for {0} visitors</title>\n<style>{1}{2}</style>\n</head>\n<body>\n<main>\n"
        "<h1>Plan for {0} visitors</h1>\n<dl>\n",
        grouped(static_cast<double>(crowd)), colours, page_style);
    const auto tile = [&](std::string_view name, std::string_view value) {
        out += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", name, value);
    };
    tile("Half wait at most", wait_text(forecast.wait_quantile(0.5)));
    tile("The longest wait", longest_wait_text(forecast));
    tile("Go in per second", fmt::format("{:.4g}", throughput(plan.scenario)));
    tile("Wait at once", grouped(forecast.waiting_max()));
    tile("Polls per second", grouped(std::ceil(polls_per_second(*plan.system, waiting))));
    // On a phone the picture is moved sideways rather than shrunk beyond reading.
    out += "</dl>\n<div class=\"chart\" tabindex=\"0\" role=\"region\" aria-label=\"Chart\">" +
           svg(plan, "") + "</div>\n<h2>By place</h2>\n<table>\n<thead><tr>";
    for (const char* title : {"Place", "Comes", "Goes in", "Waits"})
        out += fmt::format("<th scope=\"col\">{}</th>", title);
    out += "</tr></thead>\n<tbody>\n";
    for (const std::int64_t place : told_places(crowd))
        out += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                           grouped(static_cast<double>(place)), wait_text(forecast.comes_at(place)),
                           wait_text(forecast.goes_in_at(place)),
                           wait_text(forecast.wait_seconds(place)));
    return out + fmt::format(
                     "</tbody>\n</table>\n<h2>Settings</h2>\n<pre tabindex=\"0\">{}</pre>\n"
                     "</main>\n</body>\n</html>\n",
                     escaped(to_toml(plan)));
}

} // namespace anteroom::plan
