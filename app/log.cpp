#include "app/log.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "app/config.h"
#include "base/json_text.h"

namespace anteroom::app {
namespace {

// One JSON object a line; the message is escaped, whatever is in it.
class JsonLine final : public spdlog::formatter {
  public:
    void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override {
        time_.format(message, out);
        const spdlog::string_view_t level = spdlog::level::to_string_view(message.level);
        std::string rest =
            ",\"level\":\"" + std::string(level.data(), level.size()) + "\",\"message\":";
        append_json_string(rest, std::string_view(message.payload.data(), message.payload.size()));
        rest += "}\n";
        out.append(rest.data(), rest.data() + rest.size());
    }
    std::unique_ptr<spdlog::formatter> clone() const override {
        return std::make_unique<JsonLine>();
    }

  private:
    spdlog::pattern_formatter time_{R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ")",
                                    spdlog::pattern_time_type::utc, ""};
};

} // namespace

void open_log(const std::string& level) {
    const spdlog::level::level_enum found = spdlog::level::from_str(level);
    if (found == spdlog::level::off && level != "off")
        throw ConfigError("log.level must be trace, debug, info, warning, error, critical or off");
    auto logger = std::make_shared<spdlog::logger>(
        "anteroom", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    logger->set_formatter(std::make_unique<JsonLine>());
    logger->set_level(found);
    logger->flush_on(spdlog::level::trace);
    spdlog::set_default_logger(std::move(logger));
}

} // namespace anteroom::app
