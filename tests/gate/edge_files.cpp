// Writes the edge files that edge.test.mjs runs, with the keys of the table.
//   gate_edge_files TABLE FOLDER ACTIVE_URL
#include <cstdio>
#include <fstream>
#include <string>

#include "gate/edge.h"
#include "tests/gate/table.h"

namespace anteroom::gate {
namespace {

bool write(const Table& table, const std::string& folder, EdgePlatform platform,
           const std::string& name, const Rules& rules, TableKeys keys, EdgeOptions options) {
    const bool front = platform == EdgePlatform::cloudfront;
    options.platform = platform;
    const std::string path = folder + '/' + name + (front ? ".cloudfront.cjs" : ".cloudflare.mjs");
    std::ofstream file(path, std::ios::binary);
    file << edge_file(rules, table.ring(keys), options).text;
    return file.flush().good();
}

int run(const std::string& table_path, const std::string& folder, const std::string& url) {
    const Table table = Table::load(table_path);
    const EdgeOptions named{.active_url = url};
    const EdgeOptions inlined{.active_url = url,
                              .fail_open = true,
                              .inline_secrets = true,
                              .access_secret = table.secret("access"),
                              .stamps = true,
                              .edge_secret = table.secret("edge")};
    EdgeOptions stamped = named;
    stamped.stamps = true;
    EdgeOptions ruled = named;
    ruled.access_rules = table.access_rules();
    for (const EdgePlatform platform : {EdgePlatform::cloudfront, EdgePlatform::cloudflare}) {
        const auto made = [&](const char* name, const Rules& rules, TableKeys keys,
                              const EdgeOptions& options) {
            return write(table, folder, platform, name, rules, keys, options);
        };
        const bool all = made("default", default_rules(), TableKeys::hs256, named) &&
                         made("compat", compat_rules(), TableKeys::hs256, named) &&
                         made("every_key", table.rules("every_key"), TableKeys::hs256, named) &&
                         made("ed25519", default_rules(), TableKeys::ed25519, named) &&
                         made("ruled", default_rules(), TableKeys::hs256, ruled) &&
                         made("stamped", default_rules(), TableKeys::hs256, stamped) &&
                         made("inlined", default_rules(), TableKeys::hs256, inlined);
        if (!all) return 1;
    }
    return 0;
}

} // namespace
} // namespace anteroom::gate

int main(int argc, char** argv) {
    if (argc == 4) return anteroom::gate::run(argv[1], argv[2], argv[3]);
    std::fputs("usage: gate_edge_files TABLE FOLDER ACTIVE_URL\n", stderr);
    return 2;
}
