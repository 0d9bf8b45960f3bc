-- wrk script: GETs as a file lists them, in turns. Argument: a file with lines of PATH, NAME and VALUE of one header,
-- with tabs between them. The requests are made before the first is sent, so that every server costs the client the same.

local requests = {}
local turn = 0

function init(arguments)
    for line in io.lines(arguments[1]) do
        local path, name, value = line:match("^([^\t]+)\t([^\t]+)\t([^\t]+)$")
        requests[#requests + 1] = wrk.format("GET", path, { [name] = value })
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
