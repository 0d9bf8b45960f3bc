// Job: something to do once or more, that may own things which cannot be copied, such as a Reply.
#pragma once

#include "base/unique_function.h"

namespace anteroom::net {

using Job = UniqueFunction<void()>;

} // namespace anteroom::net
