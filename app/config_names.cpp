#include "app/config_names.h"

#include <algorithm>
#include <vector>

#include "app/config_keys.h"

namespace anteroom::app {
namespace {

// A third of the letters may be wrong; of two letters none.
std::size_t mistakes_max(std::string_view name) {
    return name.size() / 3;
}

constexpr std::size_t other_section_cost = 2;

// The candidate with the smallest edit distance; the first of several.
class Nearest {
  public:
    void offer(std::string name, std::size_t cost) {
        if (!name_.empty() && cost >= cost_) return;
        name_ = std::move(name);
        cost_ = cost;
    }
    std::string take() { return std::move(name_); }

  private:
    std::string name_;
    std::size_t cost_ = 0;
};

} // namespace

std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t most) {
    const std::size_t gap = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
    if (gap > most) return most + 1;
    // Rows of the table of distances between beginnings: two above, above, this.
    std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t change = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({change, above[j] + 1, row[j - 1] + 1});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
        before.swap(above);
        above.swap(row);
    }
    return std::min(above[b.size()], most + 1);
}

std::string nearest_key(std::string_view section, std::string_view name) {
    const std::size_t most = mistakes_max(name);
    Nearest nearest;
    for (const ConfigKey& key : config_keys()) {
        const bool is_here = section == key.section;
        // Between sections only names that are almost the same say anything.
        const std::size_t allowed = is_here ? most : std::min<std::size_t>(most, 1);
        const std::size_t distance = edit_distance(name, key.name, allowed);
        if (distance > allowed) continue;
        const std::size_t away =
            is_here ? 0 : edit_distance(section, key.section, other_section_cost - 1);
        nearest.offer(full_name(key), distance + away);
    }
    return nearest.take();
}

std::string nearest_section(std::string_view section) {
    const std::size_t most = mistakes_max(section);
    Nearest nearest;
    for (const ConfigSection& known : config_sections())
        if (const std::size_t distance = edit_distance(section, known.name, most); distance <= most)
            nearest.offer(std::string(known.name), distance);
    return nearest.take();
}

std::string nearest_variable(std::string_view variable) {
    constexpr std::string_view prefix = "ANTEROOM_";
    if (!variable.starts_with(prefix)) return {};
    const std::string_view rest = variable.substr(prefix.size());
    const std::size_t most = std::min<std::size_t>(mistakes_max(rest), 3);
    Nearest nearest;
    for (const ConfigKey& key : config_keys()) {
        const std::string name = variable_name(key);
        const std::size_t distance = edit_distance(variable, name, most);
        if (distance <= most) nearest.offer(name, distance);
        // Without its section.
        if (name.ends_with(rest) &&
            name.size() - rest.size() == prefix.size() + key.section.size() + 1)
            nearest.offer(name, other_section_cost);
    }
    return nearest.take();
}

} // namespace anteroom::app
