#include "store/shared/scripts.h"

namespace anteroom::shared {

// KEYS: head log writer queue active members threshold asks snapshot
// ARGV: process, lease in ms, stamp, entry, index, capacity, channel, profile
// Returns {1, position} or {0, index of the room that is there}.
const Script& open_script() {
    static const Script script(R"(
local head = redis.call('HMGET', KEYS[1], 'position', 'removed', 'index')
if head[1] and head[2] ~= '1' then return {0, head[3]} end
local position = tonumber(head[1] or '0') + 1
redis.call('UNLINK', KEYS[2], KEYS[4], KEYS[5], KEYS[6], KEYS[8], KEYS[9])
local id = string.format('%.0f', position)
redis.call('HSET', KEYS[1], 'version', 1, 'position', id, 'stamp', ARGV[3], 'confirmed', '0',
    'removed', '0', 'base', string.format('%.0f', position - 1), 'index', ARGV[5], 'profile', ARGV[8])
redis.call('PERSIST', KEYS[1])
redis.call('XADD', KEYS[2], id .. '-0', 'e', ARGV[4])
redis.call('SET', KEYS[3], ARGV[1], 'PX', ARGV[2])
redis.call('SET', KEYS[7], ARGV[6])
redis.call('SPUBLISH', ARGV[7], 'N')
return {1, position}
)");
    return script;
}

// KEYS: head log writer queue active members threshold asks snapshot
// ARGV: process, lease in ms, position and stamp before, stamp, entry, the first ask to keep,
// channel,
//       then what changes in the sets: J number member order, C number until, E number, K,
//       T capacity, P profile, R
// Returns 1, or 0: another process writes the room, or its log has another last entry.
const Script& commit_script() {
    static const Script script(R"(
if redis.call('GET', KEYS[3]) ~= ARGV[1] then return 0 end
local head = redis.call('HMGET', KEYS[1], 'position', 'stamp', 'removed')
if head[1] ~= ARGV[3] or head[2] ~= ARGV[4] or head[3] == '1' then return 0 end
local id = string.format('%.0f', tonumber(ARGV[3]) + 1)
redis.call('XADD', KEYS[2], id .. '-0', 'e', ARGV[6])
redis.call('HSET', KEYS[1], 'position', id, 'stamp', ARGV[5])
redis.call('PEXPIRE', KEYS[3], ARGV[2])
if ARGV[7] ~= '' then redis.call('XTRIM', KEYS[8], 'MINID', ARGV[7]) end
local joined, named = {}, {}
local function flush()
    if #joined == 0 then return end
    redis.call('ZADD', KEYS[4], unpack(joined))
    redis.call('HSET', KEYS[6], unpack(named))
    joined, named = {}, {}
end
local i = 9
while i <= #ARGV do
    local what = ARGV[i]
    if what == 'J' then
        joined[#joined + 1] = ARGV[i + 3]
        joined[#joined + 1] = ARGV[i + 2]
        named[#named + 1] = ARGV[i + 1]
        named[#named + 1] = ARGV[i + 2]
        if #joined >= 1000 then flush() end
        i = i + 4
    else
        flush()
        if what == 'C' then
            local member = redis.call('HGET', KEYS[6], ARGV[i + 1])
            if member then
                redis.call('ZREM', KEYS[4], member)
                redis.call('ZADD', KEYS[5], ARGV[i + 2], member)
            end
            i = i + 3
        elseif what == 'M' then
            local member = redis.call('HGET', KEYS[6], ARGV[i + 1])
            if member then
                redis.call('ZREM', KEYS[5], member)
                redis.call('ZADD', KEYS[4], ARGV[i + 2], member)
            end
            i = i + 3
        elseif what == 'E' then
            local member = redis.call('HGET', KEYS[6], ARGV[i + 1])
            if member then
                redis.call('ZREM', KEYS[4], member)
                redis.call('ZREM', KEYS[5], member)
                redis.call('HDEL', KEYS[6], ARGV[i + 1])
            end
            i = i + 2
        elseif what == 'K' then
            redis.call('UNLINK', KEYS[4], KEYS[5], KEYS[6])
            i = i + 1
        elseif what == 'T' then
            redis.call('SET', KEYS[7], ARGV[i + 1])
            i = i + 2
        elseif what == 'P' then
            redis.call('HSET', KEYS[1], 'profile', ARGV[i + 1])
            i = i + 2
        elseif what == 'R' then
            redis.call('HSET', KEYS[1], 'removed', '1')
            redis.call('PEXPIRE', KEYS[1], 86400000)
            redis.call('UNLINK', KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7], KEYS[8], KEYS[9])
            i = i + 1
        else
            return redis.error_reply('ERR what changes in the sets is not understood')
        end
    end
end
flush()
if #ARGV[6] <= 65536 then
    redis.call('SPUBLISH', ARGV[8], 'E' .. id .. ' ' .. ARGV[6])
else
    redis.call('SPUBLISH', ARGV[8], 'N')
end
return 1
)");
    return script;
}

// KEYS: head log writer asks
// ARGV: process, lease in ms, position and stamp that the process has, 1 to become the writer,
//       entries at most
// Returns {} for no room, or {position, stamp, confirmed, writer, base, index, removed, asks,
// {entries}, ms since 1970}.
const Script& follow_script() {
    static const Script script(R"(
local head = redis.call('HMGET', KEYS[1], 'position', 'stamp', 'confirmed', 'base', 'index', 'removed')
if not head[1] then return {} end
local writer = redis.call('GET', KEYS[3])
if writer == ARGV[1] then
    redis.call('PEXPIRE', KEYS[3], ARGV[2])
elseif not writer and ARGV[5] == '1' and head[6] ~= '1' and head[1] == ARGV[3] and head[2] == ARGV[4] then
    redis.call('SET', KEYS[3], ARGV[1], 'PX', ARGV[2])
    writer = ARGV[1]
end
local entries = {}
if head[1] ~= ARGV[3] then
    local from = string.format('%.0f', tonumber(ARGV[3]) + 1)
    for i, entry in ipairs(redis.call('XRANGE', KEYS[2], from .. '-0', '+', 'COUNT', ARGV[6])) do
        entries[2 * i - 1] = entry[1]
        entries[2 * i] = entry[2][2]
    end
end
local time = redis.call('TIME')
return {head[1], head[2], head[3], writer or '', head[4], head[5], head[6], redis.call('XLEN', KEYS[4]),
    entries, string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))}
)");
    return script;
}

// KEYS: asks writer. ARGV: ask, asks at most, channel. Returns the writer, or 0: too many asks.
const Script& ask_script() {
    static const Script script(R"(
if redis.call('XLEN', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('XADD', KEYS[1], '*', 'a', ARGV[1])
redis.call('SPUBLISH', ARGV[3], 'A')
return redis.call('GET', KEYS[2]) or ''
)");
    return script;
}

// KEYS: head. ARGV: position, channel.
const Script& confirm_script() {
    static const Script script(R"(
local before = redis.call('HGET', KEYS[1], 'confirmed')
if not before or tonumber(before) >= tonumber(ARGV[1]) then return 0 end
redis.call('HSET', KEYS[1], 'confirmed', ARGV[1])
redis.call('SPUBLISH', ARGV[2], 'C' .. ARGV[1])
return 1
)");
    return script;
}

// KEYS: writer. ARGV: process, channel.
const Script& resign_script() {
    static const Script script(R"(
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1])
redis.call('SPUBLISH', ARGV[2], 'W')
return 1
)");
    return script;
}

// KEYS: head log snapshot pieces, pieces of the one before
// ARGV: position, stamp, pieces, entries to keep before it
// Returns 1, or 0: they were not all there.
const Script& snapshot_script() {
    static const Script script(R"(
if redis.call('LLEN', KEYS[4]) ~= tonumber(ARGV[3]) then return 0 end
local before = redis.call('HGET', KEYS[3], 'position')
if before and tonumber(before) >= tonumber(ARGV[1]) then return 0 end
redis.call('PERSIST', KEYS[4])
redis.call('HSET', KEYS[3], 'version', 1, 'position', ARGV[1], 'stamp', ARGV[2], 'pieces', ARGV[3])
if KEYS[5] ~= KEYS[4] then redis.call('UNLINK', KEYS[5]) end
local first = tonumber(ARGV[1]) - tonumber(ARGV[4])
if first > 0 then redis.call('XTRIM', KEYS[2], 'MINID', string.format('%.0f-0', first)) end
return 1
)");
    return script;
}

// KEYS: version rooms. ARGV: the version that is known. Returns {version} or {version, {id,
// index…}}.
const Script& registry_script() {
    static const Script script(R"(
local version = redis.call('GET', KEYS[1]) or '0'
if version == ARGV[1] then return {version} end
return {version, redis.call('HGETALL', KEYS[2])}
)");
    return script;
}

// KEYS: version rooms. ARGV: id, index, channel.
const Script& register_script() {
    static const Script script(R"(
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
redis.call('INCR', KEYS[1])
redis.call('SPUBLISH', ARGV[3], 'R')
return 1
)");
    return script;
}

// KEYS: next free. ARGV: how many. Returns that many indexes.
const Script& reserve_script() {
    static const Script script(R"(
local indexes = {}
for i = 1, tonumber(ARGV[1]) do
    indexes[i] = tonumber(redis.call('LPOP', KEYS[2]) or redis.call('INCR', KEYS[1]) - 1)
end
return indexes
)");
    return script;
}

// KEYS: version rooms. ARGV: id, index, channel. Another room may have the id by now.
const Script& unregister_script() {
    static const Script script(R"(
if redis.call('HGET', KEYS[2], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('INCR', KEYS[1])
redis.call('SPUBLISH', ARGV[3], 'R')
return 1
)");
    return script;
}

} // namespace anteroom::shared
