// KeptText: a view of a request's text that becomes a copy when its owner must outlive the request.
#pragma once

#include <string>
#include <string_view>

namespace anteroom {

class KeptText {
  public:
    KeptText() = default;
    explicit KeptText(std::string_view text) : view_(text) {}

    std::string_view view() const { return is_copy_ ? std::string_view(copy_) : view_; }
    void keep() {
        if (!is_copy_) copy_ = view_;
        is_copy_ = true;
    }

  private:
    std::string_view view_;
    std::string copy_;
    bool is_copy_ = false;
};

} // namespace anteroom
