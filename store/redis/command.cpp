#include "store/redis/command.h"

#include <hiredis/hiredis.h>

#include "base/check.h"

namespace anteroom::redis {

void append_command(std::string& wire, const Words& words) {
    CHECK(!words.empty());
    std::vector<const char*> starts;
    std::vector<std::size_t> sizes;
    starts.reserve(words.size());
    sizes.reserve(words.size());
    for (const std::string& word : words) {
        starts.push_back(word.data());
        sizes.push_back(word.size());
    }
    char* command = nullptr;
    const int size = redisFormatCommandArgv(&command, static_cast<int>(words.size()), starts.data(),
                                            sizes.data());
    CHECK(size > 0);
    wire.append(command, static_cast<std::size_t>(size));
    redisFreeCommand(command);
}

} // namespace anteroom::redis
