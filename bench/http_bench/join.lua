-- wrk script: everybody joins once, as visitor-N. Arguments: PATH FIRST_N [WAY [COUNT]]. WAY is how the name is said: the
-- member of the body (visitor, userId), a name of 36 characters in it ("visitor uuid"), the header X-User-Id, the number alone
-- in the header userId ("userId number"), or nobody's, in an event ("event_id EVENT"). After COUNT joins it is silent.

local path
local way
local number = 0
local last = math.huge
local json = { ["Content-Type"] = "application/json" }

function init(arguments)
    path = arguments[1]
    number = tonumber(arguments[2])
    way = arguments[3] or "visitor"
    if arguments[4] then last = number + tonumber(arguments[4]) end
end

function request()
    local name = "visitor-" .. number
    number = number + 1
    if number > last then wrk.thread:stop() end
    if way == "visitor uuid" then
        -- Who comes next begins anywhere, as with names that were drawn.
        local start = number * 40503 % 65536
        local body = string.format('{"visitor":"%04x%04x-0000-4000-8000-%012x"}', start, number % 65536, number)
        return wrk.format("POST", path, json, body)
    end
    if way == "X-User-Id" then return wrk.format("POST", path, { [way] = name }, "") end
    if way == "userId number" then return wrk.format("POST", path, { userId = tostring(number) }, "") end
    local event = way:match("^event_id (.*)")
    if event then return wrk.format("POST", path, json, '{"event_id":"' .. event .. '","user_id":"' .. name .. '"}') end
    return wrk.format("POST", path, json, '{"' .. way .. '":"' .. name .. '"}')
end

function done(summary, latency, _)
    local e = summary.errors
    print(string.format("result requests=%d us=%d errors=%d p50_us=%d p99_us=%d", summary.requests, summary.duration,
        e.connect + e.read + e.write + e.status + e.timeout, latency:percentile(50), latency:percentile(99)))
end
