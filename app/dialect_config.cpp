#include "app/dialect_config.h"

#include "app/config_keys.h"
#include "app/dialects.h"
#include "base/check.h"

namespace anteroom::app {

DialectSettings dialect_settings(const Config& config, const DialectInfo& dialect) {
    return DialectSettings(dialect.name, [&config, &dialect](std::string_view name) {
        const ConfigKey* key = find_key(dialect.name, name);
        CHECK(key); // The dialect reads only settings that are in its table.
        return config_value(config, *key);
    });
}

DialectSurroundings dialect_surroundings(const Config& config, const DialectInfo& dialect) {
    return {.defaults = config.defaults,
            .issuer = config.issuer,
            .version = ANTEROOM_VERSION,
            .comes_first = !config.dialects.empty() && config.dialects.front() == dialect.name};
}

std::shared_ptr<Dialect> open_dialect(const Config& config, const DialectInfo& dialect) {
    return dialect.open(dialect_settings(config, dialect), dialect_surroundings(config, dialect));
}

std::vector<std::shared_ptr<Dialect>> open_dialects(const Config& config) {
    std::vector<std::shared_ptr<Dialect>> open;
    for (const DialectInfo* dialect : dialects())
        if (speaks(config, dialect->name)) open.push_back(open_dialect(config, *dialect));
    return open;
}

} // namespace anteroom::app
