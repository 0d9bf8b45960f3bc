-- Asks Anteroom about a request (GET /v1/verify) and does what it says. Without an answer nobody passes.
local url = os.getenv("ANTEROOM_URL") .. "/v1/verify"
local told = { "X-User-Id", "X-User-Role", "X-Anteroom-Room", "X-Anteroom-Number" }
local shown = { "location", "content-type", "cache-control" }
-- Of this connection, of a body that is not sent along, or said by us.
local ours = {
    "host", "connection", "upgrade", "te", "trailer", "expect", "content-length", "transfer-encoding",
    "x-original-uri", "x-original-url", "x-original-method", "x-original-host",
    "x-forwarded-uri", "x-forwarded-method", "x-forwarded-host",
}

core.register_action("anteroom", { "http-req" }, function(txn)
    local headers = txn.http:req_get_headers()
    local host = headers["host"]
    for _, name in ipairs(ours) do headers[name] = nil end
    headers["x-original-uri"] = { txn.f:pathq() }
    headers["x-original-method"] = { txn.f:method() }
    headers["x-forwarded-host"] = host

    local answer = core.httpclient():get{ url = url, headers = headers, timeout = 5000 }
    local said = answer and answer.headers or {}
    if answer and answer.status == 204 then
        for _, name in ipairs(told) do
            local values = said[name:lower()]
            if values then txn.http:req_set_header(name, values[0] or values[1]) end
        end
        return
    end
    local known = answer and answer.status and answer.status >= 300
    local reply = txn:reply({ status = known and answer.status or 503 })
    for _, name in ipairs(shown) do
        local values = said[name]
        if known and values then reply:add_header(name, values[0] or values[1]) end
    end
    if known then reply:set_body(answer.body) end
    txn:done(reply)
end, 0)
