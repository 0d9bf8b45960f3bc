#include "app/rotating_book.h"

namespace anteroom::app {

RotatingBook::RotatingBook(std::shared_ptr<const SharedRing> ring)
    : ring_(std::move(ring)), keys_(ring_->load()), book_(*keys_) {}

std::optional<token::UuidTicket> RotatingBook::mint_uuid(const token::TicketContent& content) {
    if (std::shared_ptr<const token::KeyRing> now = ring_->load(); now != keys_) {
        book_ = token::TicketBook(*now);
        keys_ = std::move(now);
    }
    return book_.mint_uuid(content);
}

} // namespace anteroom::app
