#include "store/embedded/snapshot_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>

#include "base/byte_stream.h"

namespace anteroom::embedded {
namespace {

constexpr std::uint64_t magic = 0x3170616e53746e61; // "antSnap1", in the order of the bytes.
constexpr std::size_t file_head_bytes = 3 * 8;
constexpr std::size_t end_bytes = 2 * 8;
constexpr std::size_t buffer_bytes = 1 << 20;

std::uint32_t add_to_sum(std::uint32_t sum, std::string_view bytes) {
    return static_cast<std::uint32_t>(
        crc32_z(sum, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

// A file as it lies in the page cache.
class Mapped {
  public:
    Mapped(void* data, std::size_t size) : data_(data), size_(size) {}
    ~Mapped() { ::munmap(data_, size_); }
    Mapped(const Mapped&) = delete;
    Mapped& operator=(const Mapped&) = delete;
    std::string_view text() const { return {static_cast<const char*>(data_), size_}; }

  private:
    void* data_;
    std::size_t size_;
};

} // namespace

std::string snapshot_name(std::uint32_t room, std::uint64_t sequence) {
    return fmt::format("{}-{}.snapshot", room, sequence);
}

SnapshotWriter::SnapshotWriter(File file, std::string folder, std::string name)
    : file_(std::move(file)), folder_(std::move(folder)), name_(std::move(name)) {}

SnapshotWriter::~SnapshotWriter() {
    if (file_) ::unlink((folder_ + "/" + name_ + ".new").c_str());
}

Result<SnapshotWriter> SnapshotWriter::begin(const std::string& folder, const std::string& name,
                                             std::uint32_t room, std::uint64_t sequence) {
    const std::string path = folder + "/" + name + ".new";
    File file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (!file) return file_fault(path);
    SnapshotWriter writer(std::move(file), folder, name);
    std::string head;
    ByteWriter out(head);
    out.word(magic);
    out.word(std::uint64_t{room});
    out.word(sequence);
    writer.put(head);
    return writer;
}

void SnapshotWriter::put(std::string_view bytes) {
    sum_ = add_to_sum(sum_, bytes);
    buffer_.append(bytes);
}

Result<void> SnapshotWriter::flush() {
    std::string_view rest = buffer_;
    while (!rest.empty()) {
        const ssize_t count = ::write(file_.get(), rest.data(), rest.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return file_fault(folder_ + "/" + name_);
        rest.remove_prefix(static_cast<std::size_t>(count));
    }
    buffer_.clear();
    return {};
}

Result<void> SnapshotWriter::add(const std::vector<std::string>& pieces) {
    for (const std::string& piece : pieces) {
        std::string length;
        ByteWriter(length).word(std::uint64_t{piece.size()});
        put(length);
        put(piece);
        ++pieces_;
        if (buffer_.size() < buffer_bytes) continue;
        if (Result<void> flushed = flush(); !flushed) return flushed;
    }
    return {};
}

Result<void> SnapshotWriter::finish() {
    std::string end;
    ByteWriter(end).word(pieces_);
    put(end);
    std::string sum;
    ByteWriter(sum).word(std::uint64_t{sum_});
    buffer_.append(sum);
    if (Result<void> flushed = flush(); !flushed) return flushed;
    const std::string path = folder_ + "/" + name_;
    if (::fdatasync(file_.get()) != 0) return file_fault(path);
    if (::rename((path + ".new").c_str(), path.c_str()) != 0) return file_fault(path);
    file_ = File();
    return sync_folder(folder_);
}

Result<void> read_snapshot(const std::string& path, std::uint32_t room, std::uint64_t sequence,
                           const UniqueFunction<bool(std::string_view)>& visit) {
    const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat status {};
    if (!file || ::fstat(file.get(), &status) != 0) return file_fault(path);
    const auto size = static_cast<std::size_t>(status.st_size);
    const Fault damaged{path + " is damaged"};
    if (size < file_head_bytes + end_bytes) return damaged;
    void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file.get(), 0);
    if (data == MAP_FAILED) return file_fault(path);
    const Mapped mapped(data, size);
    const std::string_view whole = mapped.text();

    ByteReader end(whole.substr(size - end_bytes));
    const std::uint64_t pieces = end.word();
    if (add_to_sum(0, whole.substr(0, size - 8)) != end.word()) return damaged;
    ByteReader in(whole.substr(0, size - end_bytes));
    if (in.word() != magic) return Fault{path + " is not a snapshot of this version"};
    if (in.word() != room || in.word() != sequence)
        return Fault{path + " belongs to another room or moment"};
    for (std::uint64_t i = 0; i < pieces; ++i) {
        const std::uint64_t length = in.word();
        const std::string_view piece = in.bytes(length);
        if (!in.ok() || !visit(piece)) return damaged;
    }
    if (!in.at_end()) return damaged;
    return {};
}

} // namespace anteroom::embedded
