#include "app/config_tables.h"

namespace anteroom::app {
namespace {

const ConfigKey server_table[] = {
    {"server", "listen", &Config::listen, "ADDRESS:PORT",
     "The address and port that the server listens on. With port 0 the kernel chooses a port."},
    {"server", "threads", &Config::threads, "count, at most 256",
     "How many threads answer requests. 0: one per processor."},
    {"server", "trusted_proxies", &Config::trusted_proxies, "addresses or networks (CIDR)",
     "Peers whose X-Forwarded-For and X-User-* headers the server believes."},
    {"server", "cors_origins", &Config::cors_origins, "origins such as https://shop.example",
     "Web origins whose pages may call the API from a browser. \"*\": every origin, without "
     "cookies."},
    {"server", "tls_certificate", &Config::tls_certificate, "PEM file",
     "The certificate chain for HTTPS. Empty: the server speaks plain HTTP.", Secret::none,
     Reload::file},
    {"server", "tls_key", &Config::tls_key, "PEM file",
     "The private key of server.tls_certificate.", Secret::none, Reload::file},
    {"server", "connections_per_address", &Config::connections_per_address, "count, at least 1",
     "How many connections one client address may have open at once; more are answered 503."},
    {"store", "url", &Config::store_url, "embedded:FOLDER or redis URL",
     "Where rooms are kept: embedded:FOLDER is a ledger in that folder; redis://, rediss://, "
     "redis+cluster:// and rediss+cluster:// share rooms between processes; memory:FOLDER keeps "
     "only the keys, for measuring. keys.json in an embedded folder is read again on SIGHUP.",
     Secret::password, Reload::file},
    {"store", "replicas", &Config::store_replicas, "count, at most 16",
     "How many replicas of Redis must have a change before the server acknowledges it. 0: none, "
     "and a failover may lose acknowledged changes."},
    {"store", "password", &Config::store_password, "text",
     "The password of Redis, instead of one in store.url.", Secret::whole},
    {"store", "password_file", &Config::store_password_file, "file",
     "A file whose first line is the password of Redis, instead of store.password."},
    {"store", "authorities", &Config::store_authorities, "PEM file",
     "The certificate authorities that rediss:// servers must be signed by. Empty: those of the "
     "system."},
    {"store", "server_name", &Config::store_server_name, "host name",
     "The name that certificates of rediss:// servers must have. Empty: the host in store.url."},
    {"ledger", "snapshot_facts", &Config::snapshot_facts, "count, at least 100",
     "After so many facts a room is written as a whole, so that a restart reads less."},
    {"history", "url", &Config::history_url, "postgresql:// or mysql:// URL",
     "A database that gets the history of visits as well. Empty: only history.db in the data "
     "folder has it.",
     Secret::password},
    {"history", "keep", &Config::history_keep, "duration",
     "How long visits that ended stay in the history."},
    {"auth", "admin_token", &Config::admin_token, "text of at least 8 characters",
     "The bearer token of operators. Empty: the server makes one at the first start and keeps it "
     "in the file admin-token of the data folder.",
     Secret::whole},
    {"auth", "jwt_secret", &Config::jwt_secret, "secret of at least 32 bytes",
     "The secret with which your login signs users' access tokens (HS256, HS384, HS512). Empty: "
     "such tokens are not accepted.",
     Secret::whole},
    {"auth", "jwks_file", &Config::jwks_file, "file",
     "The public keys of your login as a JWK Set (RFC 7517). Empty: tokens signed with such keys "
     "are not accepted.",
     Secret::none, Reload::file},
    {"auth", "issuer", &Config::issuer, "text",
     "What users' access tokens must have as `iss`. Empty: any."},
    {"auth", "audience", &Config::audience, "text",
     "What users' access tokens must name as `aud`. Empty: they must name none."},
    {"keys", "folder", &Config::keys_folder, "folder",
     "Where keys.json and admin-token are when rooms are in Redis; every process needs the same "
     "keys. keys.json is read again on SIGHUP.",
     Secret::none, Reload::file},
    {"keys", "ticket", &Config::ticket_key, "secret of at least 32 bytes",
     "The secret that signs tickets. Empty: the key in keys.json does.", Secret::whole},
    {"keys", "outer", &Config::outer_key, "secret of at least 32 bytes",
     "The secret that signs passes of the outer line. Empty: the key in keys.json does.",
     Secret::whole},
    {"keys", "entry", &Config::entry_key, "secret of at least 32 bytes",
     "The secret that signs entry passes. Empty: the key in keys.json does.", Secret::whole},
    {"dialects", "enabled", &Config::dialects, "names of dialects",
     "The systems whose clients are answered in their own words. A route that several of them have "
     "belongs to the first one in this list. In front of a site (gate.origin) only those are "
     "spoken that are named here: the paths of all others are the site's."},
};

} // namespace

std::span<const ConfigKey> server_keys() {
    return server_table;
}

} // namespace anteroom::app
