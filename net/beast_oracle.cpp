#include "net/beast_oracle.h"

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

namespace anteroom::net::testing {

namespace http = boost::beast::http;

BeastOpinion ask_beast(std::string_view bytes) {
    BeastOpinion opinion;
    // Beast does not forgive the empty line in front of a request.
    const std::size_t skipped = bytes.starts_with("\r\n") ? 2 : 0;
    bytes.remove_prefix(skipped);
    http::request_parser<http::string_body> parser;
    parser.eager(true);
    parser.header_limit(64 * 1024);
    parser.body_limit(1024 * 1024);
    std::size_t used = 0;
    while (!parser.is_done()) {
        boost::beast::error_code error;
        const std::size_t taken =
            parser.put(boost::asio::buffer(bytes.data() + used, bytes.size() - used), error);
        used += taken;
        if (error == http::error::need_more && taken > 0) continue;
        if (error || taken == 0) return opinion;
    }
    const auto& message = parser.get();
    opinion.accepted = true;
    opinion.method = std::string(message.method_string());
    opinion.target = std::string(message.target());
    opinion.version = message.version();
    opinion.body = message.body();
    opinion.used_bytes = used + skipped;
    for (const auto& field : message) {
        opinion.headers.emplace_back(std::string(field.name_string()), std::string(field.value()));
    }
    return opinion;
}

} // namespace anteroom::net::testing
