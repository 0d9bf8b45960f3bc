-- wrk script: everybody joins once, as visitor-N. Arguments: PATH FIRST_N [WAY], where WAY is how the name is said:
-- the member of the body (visitor, userId), the header X-User-Id, the number alone in the header userId ("userId number"), or
-- nobody's, in an event ("event_id EVENT").

local path
local way
local number = 0
local json = { ["Content-Type"] = "application/json" }

function init(arguments)
    path = arguments[1]
    number = tonumber(arguments[2])
    way = arguments[3] or "visitor"
end

function request()
    local name = "visitor-" .. number
    number = number + 1
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
