// A self-signed certificate made on the spot, for tests.
#pragma once

#include <string>

namespace anteroom::net::testing {

// A directory that disappears with the object.
class TemporaryDirectory {
  public:
    TemporaryDirectory();
    ~TemporaryDirectory();
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
    std::string file(const std::string& name) const { return path_ + "/" + name; }

  private:
    std::string path_;
};

enum class Validity { now, expired };

// Writes a P-256 key and a certificate for the names ("DNS:localhost,IP:127.0.0.1") as PEM files.
void write_certificate(const std::string& certificate_file, const std::string& key_file,
                       const std::string& names, Validity validity = Validity::now);

} // namespace anteroom::net::testing
