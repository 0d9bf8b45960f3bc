// The structures that a line is compared with: the same five operations on our Line, on GNU's
// order-statistics tree and on std::set. The trees get only the numbers that stay, in order, which
// lays them out at their best.
#pragma once

#include <cstdint>
#include <ext/pb_ds/assoc_container.hpp>
#include <ext/pb_ds/tree_policy.hpp>
#include <functional>
#include <iterator>
#include <set>
#include <vector>

#include "engine/line.h"
#include "engine/retired.h"

namespace anteroom::bench {

class OurLine {
  public:
    void fill(const std::vector<bool>& gone) {
        for (std::uint64_t i = 0; i < gone.size(); ++i) line_.insert(i);
        for (std::uint64_t i = 0; i < gone.size(); ++i)
            if (gone[i]) line_.erase(i);
    }
    void insert(std::uint64_t number) { line_.insert(number); }
    void erase(std::uint64_t number) {
        line_.erase(number);
        if (!retired_.empty()) (void)retired_.take();
    }
    std::uint64_t rank(std::uint64_t number) const { return line_.rank(number); }
    std::uint64_t select(std::uint64_t rank) const { return *line_.select(rank); }
    std::uint64_t pop_front() { return line_.pop_front(); }

  private:
    Retired retired_;
    Line line_{retired_};
};

class GnuTree {
  public:
    void fill(const std::vector<bool>& gone) {
        for (std::uint64_t i = 0; i < gone.size(); ++i)
            if (!gone[i]) tree_.insert(i);
    }
    void insert(std::uint64_t number) { tree_.insert(number); }
    void erase(std::uint64_t number) { tree_.erase(number); }
    std::uint64_t rank(std::uint64_t number) const { return tree_.order_of_key(number); }
    std::uint64_t select(std::uint64_t rank) const { return *tree_.find_by_order(rank); }
    std::uint64_t pop_front() {
        const std::uint64_t number = *tree_.begin();
        tree_.erase(tree_.begin());
        return number;
    }

  private:
    __gnu_pbds::tree<std::uint64_t, __gnu_pbds::null_type, std::less<>, __gnu_pbds::rb_tree_tag,
                     __gnu_pbds::tree_order_statistics_node_update>
        tree_;
};

class StandardSet {
  public:
    void fill(const std::vector<bool>& gone) {
        for (std::uint64_t i = 0; i < gone.size(); ++i)
            if (!gone[i]) set_.insert(set_.end(), i);
    }
    void insert(std::uint64_t number) { set_.insert(number); }
    void erase(std::uint64_t number) { set_.erase(number); }
    std::uint64_t rank(std::uint64_t number) const {
        return static_cast<std::uint64_t>(std::distance(set_.begin(), set_.find(number)));
    }
    std::uint64_t select(std::uint64_t rank) const {
        return *std::next(set_.begin(), static_cast<std::ptrdiff_t>(rank));
    }
    std::uint64_t pop_front() {
        const std::uint64_t number = *set_.begin();
        set_.erase(set_.begin());
        return number;
    }

  private:
    std::set<std::uint64_t> set_;
};

} // namespace anteroom::bench
