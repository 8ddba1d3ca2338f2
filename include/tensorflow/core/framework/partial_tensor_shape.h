/* SPDX-License-Identifier: Apache-2.0 */
/* PartialTensorShape: rank and dimensions may be unknown (-1). */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_PARTIAL_TENSOR_SHAPE_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_PARTIAL_TENSOR_SHAPE_H_

#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/framework/tensor_shape.pb.h"

namespace tensorflow ORIBI_HIDDEN
{

class PartialTensorShape
{
  public:
    PartialTensorShape() : known_rank_(false)
    {
    }
    PartialTensorShape(std::initializer_list<int64> dims)
        : PartialTensorShape(gtl::ArraySlice<int64>(dims.begin(), dims.size()))
    {
    }
    explicit PartialTensorShape(gtl::ArraySlice<int64> dims)
        : known_rank_(true), sizes_(dims.begin(), dims.end())
    {
    }
    PartialTensorShape(const TensorShape &shape)
        : known_rank_(true), sizes_(shape.data(), shape.data() + shape.dims())
    {
    }
    explicit PartialTensorShape(const TensorShapeProto &proto) : known_rank_(!proto.unknown_rank())
    {
        for (const TensorShapeProto::Dim &dim : proto.dim()) {
            if (known_rank_) {
                sizes_.push_back(dim.size());
            }
        }
    }
    void AsProto(TensorShapeProto *out) const
    {
        out->Clear();
        out->set_unknown_rank(unknown_rank());
        for (int64 size : sizes_) {
            out->add_dim()->set_size(size);
        }
    }
    bool unknown_rank() const
    {
        return !known_rank_;
    }
    int dims() const /* -1: unknown */
    {
        return known_rank_ ? static_cast<int>(sizes_.size()) : -1;
    }
    int64 dim_size(int i) const
    {
        return sizes_[static_cast<size_t>(i)];
    }
    gtl::InlinedVector<int64, 4> dim_sizes() const
    {
        return sizes_;
    }
    int64 num_elements() const /* -1: unknown */
    {
        TensorShape shape;
        return AsTensorShape(&shape) ? shape.num_elements() : -1;
    }
    bool IsFullyDefined() const
    {
        for (int64 size : sizes_) {
            if (size < 0) {
                return false;
            }
        }
        return known_rank_;
    }
    bool AsTensorShape(TensorShape *out) const
    {
        return IsFullyDefined() && TensorShape::Build(sizes_, out).ok();
    }
    PartialTensorShape Concatenate(int64 size) const
    {
        PartialTensorShape out = *this;
        if (known_rank_) {
            out.sizes_.push_back(size);
        }
        return out;
    }
    PartialTensorShape Concatenate(const PartialTensorShape &other) const
    {
        if (unknown_rank() || other.unknown_rank()) {
            return PartialTensorShape();
        }
        PartialTensorShape out = *this;
        out.sizes_.insert(out.sizes_.end(), other.sizes_.begin(), other.sizes_.end());
        return out;
    }
    bool IsCompatibleWith(const PartialTensorShape &other) const
    {
        PartialTensorShape merged;
        return MergeWith(other, &merged).ok();
    }
    bool IsCompatibleWith(const TensorShape &other) const
    {
        return IsCompatibleWith(PartialTensorShape(other));
    }
    bool IsIdenticalTo(const PartialTensorShape &other) const
    {
        return known_rank_ == other.known_rank_ && sizes_ == other.sizes_;
    }
    bool operator==(const PartialTensorShape &other) const
    {
        return IsIdenticalTo(other);
    }
    Status MergeWith(const PartialTensorShape &other, PartialTensorShape *out) const
    {
        if (unknown_rank() || other.unknown_rank()) {
            *out = unknown_rank() ? other : *this;
            return Status();
        }
        PartialTensorShape merged = *this;
        bool fits = dims() == other.dims();
        for (int i = 0; fits && i < dims(); i++) {
            int64 &size = merged.sizes_[static_cast<size_t>(i)];
            fits = size < 0 || other.dim_size(i) < 0 || size == other.dim_size(i);
            size = size < 0 ? other.dim_size(i) : size;
        }
        if (!fits) {
            return errors::InvalidArgument("Incompatible shapes during merge: ", DebugString(),
                                           " vs. ", other.DebugString());
        }
        *out = merged;
        return Status();
    }
    template <typename Int>
    static Status MakePartialShape(const Int *dims, int n, PartialTensorShape *out)
    {
        out->known_rank_ = true;
        out->sizes_.assign(dims, dims + n);
        return Status();
    }
    string DebugString() const
    {
        if (unknown_rank()) {
            return "<unknown>";
        }
        string out = "[";
        for (int64 size : sizes_) {
            out += (out.size() > 1 ? "," : "") + (size < 0 ? string("?") : std::to_string(size));
        }
        return out + "]";
    }

  private:
    bool known_rank_;
    gtl::InlinedVector<int64, 4> sizes_;
};

inline std::ostream &operator<<(std::ostream &out, const PartialTensorShape &shape)
{
    return out << shape.DebugString();
}

struct PartialTensorShapeUtils {
    static bool AreCompatible(gtl::ArraySlice<PartialTensorShape> a,
                              gtl::ArraySlice<PartialTensorShape> b)
    {
        bool fits = a.size() == b.size();
        for (size_t i = 0; fits && i < a.size(); i++) {
            fits = a[i].IsCompatibleWith(b[i]);
        }
        return fits;
    }
    static string PartialShapeListString(gtl::ArraySlice<PartialTensorShape> shapes)
    {
        string out = "[";
        for (const PartialTensorShape &shape : shapes) {
            out += (out.size() > 1 ? ", " : "") + shape.DebugString();
        }
        return out + "]";
    }
};

} // namespace tensorflow

#endif
