-- wrk script: GETs as a file lists them, in turns. Argument: a file with lines of PATH and then NAME and VALUE of each
-- header, with tabs between them. The requests are made before the first is sent, so that every server costs the client the same.

local requests = {}
local turn = 0

function init(arguments)
    for line in io.lines(arguments[1]) do
        local headers = {}
        for name, value in line:match("\t.*"):gmatch("\t([^\t]+)\t([^\t]+)") do headers[name] = value end
        requests[#requests + 1] = wrk.format("GET", line:match("^[^\t]+"), headers)
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
