#include "store/redis/reply_reader.h"

#include <hiredis/read.h>

#include "base/check.h"

namespace anteroom::redis {

// What hiredis calls for each value, in the order of the wire. A list grows as its values come: the
// number that the server announced is only a promise. Pointers stay good, because a list is not
// added to while one of its values is being read.
struct ReplyBuilder {
    static void* add(const redisReadTask* task, Reply value) {
        auto& reader = *static_cast<ReplyReader*>(task->privdata);
        if (++reader.values_ > reader.limits_.values_max) return nullptr;
        if (!task->parent) return new Reply(std::move(value));
        auto& list = static_cast<Reply*>(task->parent->obj)->list;
        list.push_back(std::move(value));
        return &list.back();
    }

    static void* text(const redisReadTask* task, char* bytes, std::size_t size) {
        const bool is_error = task->type == REDIS_REPLY_ERROR;
        return add(task, {.kind = is_error ? Reply::Kind::error : Reply::Kind::text,
                          .text = std::string(bytes, size)});
    }
    static void* list(const redisReadTask* task, int) {
        return add(task, {.kind = Reply::Kind::list});
    }
    static void* integer(const redisReadTask* task, long long value) {
        return add(task, Reply::of(std::int64_t{value}));
    }
    static void* nil(const redisReadTask* task) { return add(task, {}); }
    static void destroy(void* reply) { delete static_cast<Reply*>(reply); }
};

namespace {

redisReplyObjectFunctions builder{.createString = &ReplyBuilder::text,
                                  .createArray = &ReplyBuilder::list,
                                  .createInteger = &ReplyBuilder::integer,
                                  .createNil = &ReplyBuilder::nil,
                                  .freeObject = &ReplyBuilder::destroy};

// hiredis moves what is left in its buffer after each kilobyte of replies: not too much at once.
constexpr std::size_t slice_bytes = 16 * 1024;

} // namespace

ReplyReader::ReplyReader(const ReplyLimits& limits)
    : limits_(limits), reader_(redisReaderCreateWithFunctions(&builder)) {
    CHECK(reader_);
    reader_->privdata = this;
}

ReplyReader::~ReplyReader() {
    redisReaderFree(reader_);
}

std::optional<Reply> ReplyReader::read(std::string_view& bytes) {
    while (!is_broken()) {
        if (!drained_) {
            if (auto reply = next()) return reply;
        }
        if (is_broken() || bytes.empty()) break;
        feed(bytes);
    }
    bytes = {};
    return std::nullopt;
}

void ReplyReader::feed(std::string_view& bytes) {
    const std::string_view slice = bytes.substr(0, slice_bytes);
    bytes.remove_prefix(slice.size());
    bytes_ += slice.size();
    drained_ = false;
    if (redisReaderFeed(reader_, slice.data(), slice.size()) != REDIS_OK) fault_ = "out of memory";
}

std::optional<Reply> ReplyReader::next() {
    void* found = nullptr;
    if (redisReaderGetReply(reader_, &found) != REDIS_OK) {
        const bool is_too_much = reader_->err == REDIS_ERR_OOM;
        fault_ = is_too_much ? "a reply of too many values" : "not the protocol of Redis";
        return std::nullopt;
    }
    if (!found) {
        drained_ = true;
        if (bytes_ > limits_.bytes_max) fault_ = "a reply of too many bytes";
        return std::nullopt;
    }
    const std::unique_ptr<Reply> reply(static_cast<Reply*>(found));
    const std::size_t behind = reader_->len - reader_->pos;
    if (bytes_ - behind > limits_.bytes_max) {
        fault_ = "a reply of too many bytes";
        return std::nullopt;
    }
    bytes_ = behind;
    values_ = 0;
    return std::move(*reply);
}

} // namespace anteroom::redis
