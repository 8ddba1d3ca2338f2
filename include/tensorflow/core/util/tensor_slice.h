/* SPDX-License-Identifier: Apache-2.0 */
/* TensorSlice: a part of a tensor, start and length in each dimension, or all of a dimension. */
#ifndef ORIBI_TENSORFLOW_CORE_UTIL_TENSOR_SLICE_H_
#define ORIBI_TENSORFLOW_CORE_UTIL_TENSOR_SLICE_H_

#include <algorithm>
#include <utility>
#include <vector>

#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/platform/numbers.h"
#include "tensorflow/core/platform/str_util.h"

namespace tensorflow ORIBI_HIDDEN
{

class TensorSlice
{
  public:
    static constexpr int64 kFullExtent = -1;

    TensorSlice() = default;
    explicit TensorSlice(int rank) : parts_(static_cast<size_t>(rank), {0, int64{-1}})
    {
    }
    TensorSlice(std::initializer_list<std::pair<int64, int64>> parts) : parts_(parts)
    {
    }
    /* "-:3,4": all of the first dimension, 4 elements from 3 on of the second. */
    static Status Parse(const string &text, TensorSlice *out)
    {
        TensorSlice slice;
        for (const string &part : str_util::Split(text, ':')) {
            int64 start = 0, length = kFullExtent;
            const std::vector<string> words = str_util::Split(part, ',');
            if (part != "-" &&
                (words.size() != 2 || !strings::safe_strto64(words[0], &start) ||
                 !strings::safe_strto64(words[1], &length) || start < 0 || length <= 0)) {
                return errors::InvalidArgument("'", part, "' in '", text,
                                               "' is no start,length or -");
            }
            slice.parts_.emplace_back(start, length);
        }
        *out = slice;
        return Status();
    }
    int dims() const
    {
        return static_cast<int>(parts_.size());
    }
    int64 start(int d) const
    {
        return parts_[static_cast<size_t>(d)].first;
    }
    int64 length(int d) const
    {
        return parts_[static_cast<size_t>(d)].second;
    }
    int64 end(int d) const
    {
        return start(d) + length(d);
    }
    void set_start(int d, int64 start)
    {
        parts_[static_cast<size_t>(d)].first = start;
    }
    void set_length(int d, int64 length)
    {
        parts_[static_cast<size_t>(d)].second = length;
    }
    bool IsFullAt(int d) const
    {
        return length(d) == kFullExtent && start(d) == 0;
    }
    bool IsFull() const
    {
        for (int d = 0; d < dims(); d++) {
            if (!IsFullAt(d)) {
                return false;
            }
        }
        return true;
    }
    void SetFullSlice(int rank)
    {
        *this = TensorSlice(rank);
    }
    /* What both have; false when that is nothing. */
    bool Intersect(const TensorSlice &other, TensorSlice *out) const
    {
        bool meets = dims() == other.dims();
        TensorSlice both(dims());
        for (int d = 0; meets && d < dims(); d++) {
            if (IsFullAt(d) || other.IsFullAt(d)) {
                both.parts_[static_cast<size_t>(d)] =
                    (IsFullAt(d) ? other : *this).parts_[static_cast<size_t>(d)];
                continue;
            }
            const int64 from = std::max(start(d), other.start(d));
            const int64 to = std::min(end(d), other.end(d));
            meets = from < to;
            both.parts_[static_cast<size_t>(d)] = {from, to - from};
        }
        if (meets && out != nullptr) {
            *out = both;
        }
        return meets;
    }
    bool Overlaps(const TensorSlice &other) const
    {
        return Intersect(other, nullptr);
    }
    /* The shape of this part of a tensor of that shape. */
    Status SliceTensorShape(const TensorShape &shape, TensorShape *out) const
    {
        TensorShape part;
        bool fits = shape.dims() == dims();
        for (int d = 0; fits && d < dims(); d++) {
            const int64 size = shape.dim_size(d);
            fits = IsFullAt(d) || (start(d) <= size && length(d) <= size - start(d));
            if (fits) {
                part.AddDim(IsFullAt(d) ? size : length(d));
            }
        }
        if (!fits) {
            return errors::Internal("a tensor of shape ", shape.DebugString(), " has no part ",
                                    DebugString());
        }
        *out = part;
        return Status();
    }
    bool operator==(const TensorSlice &other) const
    {
        return parts_ == other.parts_;
    }
    bool operator!=(const TensorSlice &other) const
    {
        return !(*this == other);
    }
    string DebugString() const
    {
        string out;
        for (int d = 0; d < dims(); d++) {
            out += d > 0 ? ":" : "";
            out += IsFullAt(d) ? "-" : strings::StrCat(start(d), ",", length(d));
        }
        return out;
    }

  private:
    std::vector<std::pair<int64, int64>> parts_;
};

} // namespace tensorflow

#endif
