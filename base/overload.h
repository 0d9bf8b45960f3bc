// Overload: several lambdas as one visitor, so that std::visit reads like a switch that the
// compiler checks.
#pragma once

namespace anteroom {

template <class... Cases>
struct Overload : Cases... {
    using Cases::operator()...;
};

template <class... Cases>
Overload(Cases...) -> Overload<Cases...>;

} // namespace anteroom
