// RotatingBook: mints tickets by the current keys on a thread that cannot be stopped for a
// rotation: it looks at the shared ring before each ticket.
//
// Threads: a book belongs to one of them; the ring that it follows may be replaced by any.
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "token/key_ring.h"
#include "token/ticket.h"

namespace anteroom::app {

using SharedRing = std::atomic<std::shared_ptr<const token::KeyRing>>;

class RotatingBook {
  public:
    // REQUIRES: the ring is never null. Shared, because a sink that hangs outlives the server.
    explicit RotatingBook(std::shared_ptr<const SharedRing> ring);

    std::optional<token::UuidTicket> mint_uuid(const token::TicketContent& content);

  private:
    std::shared_ptr<const SharedRing> ring_;
    std::shared_ptr<const token::KeyRing> keys_; // Of the book.
    token::TicketBook book_;
};

} // namespace anteroom::app
