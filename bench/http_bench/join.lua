-- wrk script: everybody joins once, as visitor-N. Arguments: PATH FIRST_N.

local path
local number = 0
local head = { ["Content-Type"] = "application/json" }

function init(arguments)
    path = arguments[1]
    number = tonumber(arguments[2])
end

function request()
    local body = '{"visitor":"visitor-' .. number .. '"}'
    number = number + 1
    return wrk.format("POST", path, head, body)
end

function done(summary, latency, _)
    local e = summary.errors
    print(string.format("result requests=%d us=%d errors=%d p50_us=%d p99_us=%d", summary.requests, summary.duration,
        e.connect + e.read + e.write + e.status + e.timeout, latency:percentile(50), latency:percentile(99)))
end
