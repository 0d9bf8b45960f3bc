-- wrk script: GETs with the tickets of a file, in turns. Arguments: PATH TICKETS_FILE.
-- The requests are made before the first is sent, so that every server costs the client the same.

local requests = {}
local turn = 0

function init(arguments)
    for ticket in io.lines(arguments[2]) do
        requests[#requests + 1] = wrk.format("GET", arguments[1], { Authorization = "Bearer " .. ticket })
    end
end

function request()
    turn = turn % #requests + 1
    return requests[turn]
end

function done(summary, latency, _)
    local e = summary.errors
    print(string.format("result requests=%d us=%d errors=%d p50_us=%d p99_us=%d", summary.requests, summary.duration,
        e.connect + e.read + e.write + e.status + e.timeout, latency:percentile(50), latency:percentile(99)))
end
