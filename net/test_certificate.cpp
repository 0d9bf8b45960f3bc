#include "net/test_certificate.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

#include "base/check.h"

namespace anteroom::net::testing {

namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
using Key = std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)>;
using Certificate = std::unique_ptr<X509, void (*)(X509*)>;

File open_file(const std::string& name) {
    File file(std::fopen(name.c_str(), "w"), &std::fclose);
    CHECK(file);
    return file;
}

void add_extension(X509* certificate, int kind, const std::string& value) {
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str());
    CHECK(extension);
    CHECK(X509_add_ext(certificate, extension, -1) == 1);
    X509_EXTENSION_free(extension);
}

} // namespace

TemporaryDirectory::TemporaryDirectory() {
    std::string pattern = std::filesystem::temp_directory_path() / "anteroom-net-XXXXXX";
    CHECK(::mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
}

TemporaryDirectory::~TemporaryDirectory() {
    std::filesystem::remove_all(path_);
}

void write_certificate(const std::string& certificate_file, const std::string& key_file,
                       const std::string& names, Validity validity) {
    const Key key(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256"), &EVP_PKEY_free);
    CHECK(key);
    const Certificate certificate(X509_new(), &X509_free);
    constexpr long day = 24 * 60 * 60;
    const bool expired = validity == Validity::expired;
    static long serial = 0;
    X509_set_version(certificate.get(), X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), ++serial);
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -2 * day);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), expired ? -day : day);
    X509_set_pubkey(certificate.get(), key.get());
    X509_NAME* subject = X509_get_subject_name(certificate.get());
    const unsigned char name[] = "anteroom test";
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, name, -1, -1, 0);
    X509_set_issuer_name(certificate.get(), subject);
    add_extension(certificate.get(), NID_basic_constraints, "critical,CA:TRUE");
    add_extension(certificate.get(), NID_subject_alt_name, names);
    CHECK(X509_sign(certificate.get(), key.get(), EVP_sha256()) > 0);
    CHECK(PEM_write_X509(open_file(certificate_file).get(), certificate.get()) == 1);
    CHECK(PEM_write_PrivateKey(open_file(key_file).get(), key.get(), nullptr, nullptr, 0, nullptr,
                               nullptr) == 1);
}

} // namespace anteroom::net::testing
