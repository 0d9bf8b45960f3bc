#include "gate/edge.h"

#include <utility>

#include "gate/assets.h"
#include "token/base64.h"
#include "token/ed25519.h"
#include "token/json_object.h"

namespace anteroom::gate {
namespace {

// One JSON value after the other, with commas where they belong.
class Writer {
  public:
    Writer& open(char bracket) {
        separate();
        out_ += bracket;
        first_ = true;
        return *this;
    }
    Writer& close(char bracket) {
        out_ += bracket;
        first_ = false;
        return *this;
    }
    Writer& key(std::string_view name) {
        text(name);
        out_ += ':';
        first_ = true;
        return *this;
    }
    Writer& text(std::string_view value) {
        separate();
        token::append_json_string(out_, value);
        return *this;
    }
    Writer& raw(std::string_view value) {
        separate();
        out_ += value;
        return *this;
    }
    Writer& truth(bool value) { return raw(value ? "true" : "false"); }
    Writer& new_line() {
        separate();
        out_ += '\n';
        first_ = true;
        return *this;
    }
    std::string take() { return std::move(out_); }

  private:
    void separate() {
        if (!first_) out_ += ',';
        first_ = false;
    }

    std::string out_;
    bool first_ = true;
};

void write_texts(Writer& json, std::string_view key, const std::vector<std::string>& texts) {
    json.key(key).open('[');
    for (const std::string& one : texts) json.text(one);
    json.close(']');
}

std::string piece_text(const Piece& piece) {
    switch (piece.kind) {
        case PieceKind::text: return '=' + piece.text;
        case PieceKind::any: return "*";
        case PieceKind::event: return "{event}";
        case PieceKind::event_uuid: return "{event:uuid}";
        case PieceKind::rest: break;
    }
    return "**";
}

void write_paths(Writer& json, const Rule& rule) {
    json.key("paths").open('[');
    for (const Pattern& path : rule.paths) {
        json.open('[');
        for (const Piece& piece : path.pieces()) json.text(piece_text(piece));
        json.close(']');
    }
    json.close(']');
}

void write_conditions(Writer& json, const Rule& rule) {
    json.key("conditions").open('[');
    for (const Condition& one : rule.conditions) {
        json.open('{').key("where");
        json.text(one.where == Condition::Where::header ? "header" : "cookie");
        json.key("name").text(one.name).key("present").truth(one.present).close('}');
    }
    json.close(']');
}

void write_rule(Writer& json, const Rule& rule) {
    json.new_line().open('{').key("name").text(rule.name);
    write_texts(json, "methods", rule.methods);
    write_texts(json, "hosts", rule.hosts);
    write_paths(json, rule);
    write_conditions(json, rule);
    json.key("needs").open('[');
    for (const Need need : rule.needs) json.text(name(need));
    json.close(']').key("deny").truth(rule.deny);
    if (rule.kind) json.key("kind").text(*rule.kind == RequestKind::page ? "page" : "api");
    json.key("redirects").open('{');
    for (const Need need : rule.needs) json.key(name(need)).text(rule.redirect(need));
    json.close('}').key("denyRedirect").text(rule.deny_redirect).close('}');
}

// Where system U's own edge looks for the first key of each kind.
std::string variable_of(const token::Key& key) {
    std::string name =
        key.purpose == token::Purpose::outer ? "VWR_TOKEN_SECRET" : "QUEUE_ENTRY_TOKEN_SECRET";
    if (key.kid.empty()) return name;
    name += '_';
    for (const char c : key.kid) name += c == '-' ? '_' : c;
    return name;
}

class EdgeWriter {
  public:
    EdgeWriter(const Rules& rules, const token::KeyRing& keys, const EdgeOptions& options)
        : rules_(rules), keys_(keys), options_(options) {}

    EdgeFile write() {
        const bool front = options_.platform == EdgePlatform::cloudfront;
        std::string text =
            "// Made by `anteroom edge`; do not edit: make it anew after a change of rules or keys.\n";
        if (front) text += "\"use strict\";\n";
        text += "\nconst GATE = " + data() + ";\n\n";
        text += assets::edge_token;
        text += '\n';
        text += assets::edge_gate;
        text += '\n';
        text += front ? assets::edge_cloudfront : assets::edge_cloudflare;
        return {std::move(text), std::move(variables_)};
    }

  private:
    std::string data() {
        Writer json;
        json.open('{').key("redirectApi").truth(rules_.redirect_api);
        json.key("anonymousEntry").truth(rules_.anonymous_entry);
        json.key("issuer").text(options_.access_rules.issuer);
        json.key("audience").text(options_.access_rules.audience);
        json.key("activeUrl").text(options_.active_url);
        json.key("activeSeconds").raw(std::to_string(options_.active_seconds));
        json.key("fail").text(options_.fail_open ? "open" : "closed");
        if (options_.active_url.empty()) variables_.emplace_back("ANTEROOM_ACTIVE_URL");
        json.new_line().key("keys").open('{');
        write_keys(json, "outer", token::Purpose::outer);
        write_keys(json, "entry", token::Purpose::entry);
        write_access_key(json);
        write_edge_key(json);
        json.close('}').new_line().key("rules").open('[');
        for (const Rule& rule : rules_.list) write_rule(json, rule);
        json.close(']').close('}');
        return json.take();
    }

    void write_keys(Writer& json, std::string_view name, token::Purpose purpose) {
        // A configured secret is used as it is written; a generated one is written in base64url.
        const bool generated = keys_.keys(purpose).data() == keys_.stored(purpose).data();
        json.key(name).open('[');
        for (const token::Key& key : keys_.keys(purpose)) {
            json.open('{').key("kid").text(key.kid).key("alg").text(token::name(key.algorithm));
            if (key.retired_at) json.key("retired").raw(std::to_string(key.retired_at->count));
            if (key.algorithm == token::Algorithm::ed25519)
                json.key("x").text(
                    token::base64url(token::Ed25519PrivateKey(key.secret.bytes()).public_point()));
            else if (options_.inline_secrets)
                write_secret(json, token::base64url(key.secret.bytes()), "base64url");
            else
                write_variable(json, variable_of(key), generated ? "base64url" : "text");
            json.close('}');
        }
        json.close(']');
    }

    void write_access_key(Writer& json) {
        constexpr std::string_view form = "base64 or text";
        json.key("access").open('[').open('{').key("kid").text("").key("alg").text("HS256");
        if (options_.inline_secrets && !options_.access_secret.empty())
            write_secret(json, options_.access_secret, form);
        else
            write_variable(json, "JWT_SECRET", form);
        json.close('}').close(']');
    }

    void write_edge_key(Writer& json) {
        if (!options_.stamps) return;
        json.key("edge").open('{');
        if (options_.inline_secrets)
            write_secret(json, options_.edge_secret, "text");
        else
            write_variable(json, "ANTEROOM_EDGE_KEY", "text");
        json.close('}');
    }

    static void write_secret(Writer& json, std::string_view value, std::string_view form) {
        json.key("value").text(value).key("form").text(form);
    }

    void write_variable(Writer& json, std::string name, std::string_view form) {
        json.key("variable").text(name).key("form").text(form);
        variables_.push_back(std::move(name));
    }

    const Rules& rules_;
    const token::KeyRing& keys_;
    const EdgeOptions& options_;
    std::vector<std::string> variables_;
};

} // namespace

EdgeFile edge_file(const Rules& rules, const token::KeyRing& keys, const EdgeOptions& options) {
    return EdgeWriter(rules, keys, options).write();
}

} // namespace anteroom::gate
