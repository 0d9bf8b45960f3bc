// Names of rooms at the edge of being queues, and what waiting_queues must show of them, in every
// database. For tests.
#pragma once

#include <array>

namespace anteroom::history::testing {

struct QueueName {
    const char* id;
    const char* type;
    const char* event; // NULL: it is no queue.
};

inline constexpr std::array queue_names{
    QueueName{"X:0", "X", "0"},
    QueueName{"X:-7", "X", "-7"},
    QueueName{"X:999999999999999999", "X", "999999999999999999"},
    QueueName{"X:1000000000000000000", "X", "1000000000000000000"},
    QueueName{"X:9223372036854775807", "X", "9223372036854775807"},
    QueueName{"X:-9223372036854775808", "X", "-9223372036854775808"},
    QueueName{"X:9223372036854775808", "X:9223372036854775808", "NULL"},
    QueueName{"X:-9223372036854775809", "X:-9223372036854775809", "NULL"},
    QueueName{"X:9999999999999999999", "X:9999999999999999999", "NULL"},
    QueueName{"X:10000000000000000000", "X:10000000000000000000", "NULL"},
    QueueName{"X:042", "X:042", "NULL"},
    QueueName{"X:-042", "X:-042", "NULL"},
    QueueName{"X:-0", "X:-0", "NULL"},
    QueueName{"X:+1", "X:+1", "NULL"},
    QueueName{"X:", "X:", "NULL"},
    QueueName{"X:-", "X:-", "NULL"},
    QueueName{"X:1.5", "X:1.5", "NULL"},
    QueueName{"X:1:2", "X:1:2", "NULL"},
    QueueName{":5", ":5", "NULL"},
    QueueName{"42", "42", "NULL"},
};

} // namespace anteroom::history::testing
