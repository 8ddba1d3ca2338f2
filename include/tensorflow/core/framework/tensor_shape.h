/* SPDX-License-Identifier: Apache-2.0 */
/* TensorShape, its dimensions, and questions about it. Shapes that are only partly known:
 * partial_tensor_shape.h. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_TENSOR_SHAPE_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_TENSOR_SHAPE_H_

#include <initializer_list>
#include <ostream>
#include <vector>

#include "tensorflow/core/framework/tensor_shape.pb.h"
#include "tensorflow/core/framework/types.h"
#include "tensorflow/core/lib/gtl/array_slice.h"
#include "tensorflow/core/lib/gtl/inlined_vector.h"
#include "tensorflow/core/platform/errors.h"

namespace tensorflow ORIBI_HIDDEN
{

struct TensorShapeDim {
    explicit TensorShapeDim(int64 s) : size(s)
    {
    }
    int64 size;
};

class TensorShape
{
  public:
    /* Over dimensions, each seen as a TensorShapeDim. */
    class Iterator
    {
      public:
        Iterator(const TensorShape *shape, int at) : shape_(shape), at_(at)
        {
        }
        bool operator==(const Iterator &other) const
        {
            return at_ == other.at_;
        }
        bool operator!=(const Iterator &other) const
        {
            return at_ != other.at_;
        }
        Iterator &operator++()
        {
            ++at_;
            return *this;
        }
        TensorShapeDim operator*() const
        {
            return TensorShapeDim(shape_->dim_size(at_));
        }

      private:
        const TensorShape *shape_;
        int at_;
    };

    TensorShape() = default; /* a scalar */
    TensorShape(std::initializer_list<int64> dims)
        : TensorShape(gtl::ArraySlice<int64>(dims.begin(), dims.size()))
    {
    }
    explicit TensorShape(gtl::ArraySlice<int64> dims)
    {
        for (int64 size : dims) {
            AddDim(size);
        }
    }
    explicit TensorShape(const std::vector<int> &dims)
    {
        for (int size : dims) {
            AddDim(size);
        }
    }
    /* Fails where a constructor would end the process: on negative sizes and too many elements. */
    template <typename Ints> static Status Build(const Ints &sizes, TensorShape *out)
    {
        TensorShape shape;
        for (auto size : sizes) {
            TF_RETURN_IF_ERROR(shape.AddDimWithStatus(static_cast<int64>(size)));
        }
        *out = shape;
        return Status();
    }
    static Status BuildTensorShape(gtl::ArraySlice<int64> sizes, TensorShape *out)
    {
        return Build(sizes, out);
    }
    static Status BuildTensorShapeBase(gtl::ArraySlice<int64> sizes, TensorShape *out)
    {
        return Build(sizes, out);
    }
    /* Of a message whose sizes are all known; the constructor ends the process on any other. */
    static Status BuildTensorShape(const TensorShapeProto &proto, TensorShape *out)
    {
        gtl::InlinedVector<int64, 4> sizes;
        for (const TensorShapeProto::Dim &dim : proto.dim()) {
            sizes.push_back(dim.size());
        }
        return proto.unknown_rank() ? errors::InvalidArgument("the shape has an unknown rank")
                                    : Build(sizes, out);
    }
    explicit TensorShape(const TensorShapeProto &proto)
    {
        TF_CHECK_OK(BuildTensorShape(proto, this));
    }
    static bool IsValid(const TensorShapeProto &proto)
    {
        TensorShape shape;
        return BuildTensorShape(proto, &shape).ok();
    }
    static bool IsValid()
    {
        return true;
    }
    void AsProto(TensorShapeProto *out) const
    {
        out->Clear();
        for (int64 size : sizes_) {
            out->add_dim()->set_size(size);
        }
    }
    TensorShapeProto AsProto() const
    {
        TensorShapeProto out;
        AsProto(&out);
        return out;
    }
    static constexpr int MaxDimensions()
    {
        return 254;
    }

    int dims() const
    {
        return static_cast<int>(sizes_.size());
    }
    int64 dim_size(int i) const
    {
        DCHECK_GE(i, 0);
        DCHECK_LT(i, dims());
        return sizes_[static_cast<size_t>(i)];
    }
    gtl::InlinedVector<int64, 4> dim_sizes() const
    {
        return sizes_;
    }
    const int64 *data() const
    {
        return sizes_.data();
    }
    int64 num_elements() const
    {
        return count_;
    }
    bool unknown_rank() const
    {
        return false;
    }

    void AddDim(int64 size)
    {
        TF_CHECK_OK(AddDimWithStatus(size));
    }
    Status AddDimWithStatus(int64 size)
    {
        return InsertDimWithStatus(dims(), size);
    }
    Status InsertDimWithStatus(int at, int64 size)
    {
        if (size < 0) {
            return errors::InvalidArgument("Expected a non-negative size, got ", size);
        }
        if (dims() >= MaxDimensions()) {
            return errors::InvalidArgument("Shape would have too many dimensions: ", dims() + 1);
        }
        int64 count = 0;
        if (__builtin_mul_overflow(count_, size, &count)) {
            return errors::InvalidArgument("Shape ", DebugString(), " with another dimension of ",
                                           size, " would have more than 2**63 - 1 elements");
        }
        sizes_.insert(sizes_.begin() + at, size);
        count_ = count;
        return Status();
    }
    void AppendShape(const TensorShape &shape)
    {
        for (int64 size : shape.sizes_) {
            AddDim(size);
        }
    }
    Status AppendShapeWithStatus(const TensorShape &shape)
    {
        for (int64 size : shape.sizes_) {
            TF_RETURN_IF_ERROR(AddDimWithStatus(size));
        }
        return Status();
    }
    void InsertDim(int at, int64 size)
    {
        TF_CHECK_OK(InsertDimWithStatus(at, size));
    }
    void set_dim(int i, int64 size)
    {
        TF_CHECK_OK(SetDimWithStatus(i, size));
    }
    Status SetDimWithStatus(int i, int64 size)
    {
        gtl::InlinedVector<int64, 4> sizes = sizes_;
        sizes[static_cast<size_t>(i)] = size;
        return Build(sizes, this);
    }
    void RemoveDim(int i)
    {
        RemoveDimRange(i, i + 1);
    }
    void RemoveLastDims(int n)
    {
        RemoveDimRange(dims() - n, dims());
    }
    /* Half-open; negative ends count from the rank plus one. */
    void RemoveDimRange(int begin, int end)
    {
        begin = begin < 0 ? dims() + begin + 1 : begin;
        end = end < 0 ? dims() + end + 1 : end;
        if (begin < end) {
            sizes_.erase(sizes_.begin() + begin, sizes_.begin() + end);
            recount();
        }
    }
    void Clear()
    {
        sizes_.clear();
        count_ = 1;
    }
    Iterator begin() const
    {
        return Iterator(this, 0);
    }
    Iterator end() const
    {
        return Iterator(this, dims());
    }
    bool IsSameSize(const TensorShape &other) const
    {
        return sizes_ == other.sizes_;
    }
    bool operator==(const TensorShape &other) const
    {
        return sizes_ == other.sizes_;
    }
    bool operator!=(const TensorShape &other) const
    {
        return !(*this == other);
    }
    string DebugString() const
    {
        return "[" + str_util::Join(sizes_, ",") + "]";
    }
#ifdef ORIBI_HAS_EIGEN
    template <int N, typename Index = Eigen::DenseIndex>
    Eigen::DSizes<Index, N> AsEigenDSizes() const
    {
        return AsEigenDSizesWithPadding<N, Index>();
    }
    template <int N, typename Index = Eigen::DenseIndex>
    Eigen::DSizes<Index, N> AsEigenDSizesWithPadding() const
    {
        Eigen::DSizes<Index, N> out;
        for (int i = 0; i < N; i++) {
            out[i] = static_cast<Index>(i < dims() ? dim_size(i) : 1);
        }
        return out;
    }
#endif

  private:
    void recount()
    {
        count_ = 1;
        for (int64 size : sizes_) {
            count_ *= size;
        }
    }
    gtl::InlinedVector<int64, 4> sizes_;
    int64 count_ = 1;
};

inline std::ostream &operator<<(std::ostream &out, const TensorShape &shape)
{
    return out << shape.DebugString();
}

struct TensorShapeUtils {
    static bool IsScalar(const TensorShape &shape)
    {
        return shape.dims() == 0;
    }
    static bool IsVector(const TensorShape &shape)
    {
        return shape.dims() == 1;
    }
    static bool IsVectorOrHigher(const TensorShape &shape)
    {
        return shape.dims() >= 1;
    }
    static bool IsMatrix(const TensorShape &shape)
    {
        return shape.dims() == 2;
    }
    static bool IsSquareMatrix(const TensorShape &shape)
    {
        return shape.dims() == 2 && shape.dim_size(0) == shape.dim_size(1);
    }
    static bool IsMatrixOrHigher(const TensorShape &shape)
    {
        return shape.dims() >= 2;
    }
    static bool IsScalarOrVector(const TensorShape &shape)
    {
        return shape.dims() <= 1;
    }
    static bool IsSingleElement(const TensorShape &shape)
    {
        return shape.dims() == 0 || (shape.dims() == 1 && shape.dim_size(0) == 1);
    }
    static bool StartsWith(const TensorShape &shape, const TensorShape &prefix)
    {
        return shape.dims() >= prefix.dims() &&
               std::equal(prefix.data(), prefix.data() + prefix.dims(), shape.data());
    }
    static bool EndsWith(const TensorShape &shape, const TensorShape &suffix)
    {
        return shape.dims() >= suffix.dims() &&
               std::equal(suffix.data(), suffix.data() + suffix.dims(),
                          shape.data() + shape.dims() - suffix.dims());
    }
    template <typename Int> static Status MakeShape(const Int *dims, int64 n, TensorShape *out)
    {
        return TensorShape::Build(gtl::ArraySlice<Int>(dims, static_cast<size_t>(n)), out);
    }
    template <typename Int> static Status MakeShape(gtl::ArraySlice<Int> dims, TensorShape *out)
    {
        return TensorShape::Build(dims, out);
    }
    /* Sizes from anything with data() and size(): a vector, a view of a tensor. */
    template <typename V, typename = decltype(std::declval<const V &>().data())>
    static Status MakeShape(const V &dims, TensorShape *out)
    {
        return MakeShape(dims.data(), static_cast<int64>(dims.size()), out);
    }
    static Status NumElements(gtl::ArraySlice<int64> dims, int64 *out)
    {
        TensorShape shape;
        TF_RETURN_IF_ERROR(TensorShape::Build(dims, &shape));
        *out = shape.num_elements();
        return Status();
    }
    static string ShapeListString(gtl::ArraySlice<TensorShape> shapes)
    {
        string out = "[";
        for (const TensorShape &shape : shapes) {
            out += (out.size() > 1 ? ", " : "") + shape.DebugString();
        }
        return out + "]";
    }
};

} // namespace tensorflow

#include "tensorflow/core/framework/partial_tensor_shape.h"
#endif
