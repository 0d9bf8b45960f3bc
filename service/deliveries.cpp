#include "service/deliveries.h"

#include "net/loop.h"

namespace anteroom {

void deliver(Delivery delivery) {
    if (!delivery.done) return;
    if (!delivery.loop || delivery.loop->is_current()) return delivery.done(delivery.outcome);
    delivery.loop->post(
        [done = std::move(delivery.done), outcome = delivery.outcome] { done(outcome); });
}

void refuse(Delivery delivery) {
    delivery.outcome = Refused{Reason::unavailable};
    deliver(std::move(delivery));
}

void Deliveries::add(Delivery delivery) {
    if (!delivery.done) return;
    if (!delivery.loop) return delivery.done(delivery.outcome);
    by_loop_[delivery.loop].push_back(std::move(delivery));
}

void Deliveries::send() {
    for (auto& [loop, deliveries] : by_loop_)
        loop->post([mine = std::move(deliveries)] {
            for (const Delivery& delivery : mine) delivery.done(delivery.outcome);
        });
    by_loop_.clear();
}

void deliver_all(std::vector<Delivery> deliveries) {
    Deliveries all;
    for (Delivery& delivery : deliveries) all.add(std::move(delivery));
    all.send();
}

void refuse_all(std::vector<Delivery> deliveries) {
    for (Delivery& delivery : deliveries) delivery.outcome = Refused{Reason::unavailable};
    deliver_all(std::move(deliveries));
}

} // namespace anteroom
