// OptionsError: the options of a plan are wrong or contradict each other. The message is one
// sentence for the operator and names the option.
#pragma once

#include <stdexcept>

namespace anteroom::plan {

struct OptionsError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

} // namespace anteroom::plan
