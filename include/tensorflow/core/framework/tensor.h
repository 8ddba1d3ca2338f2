/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor: type, shape and a shared buffer; a counted view on a TF_Tensor of the host. Copies share.
 * How elements are seen: tensor_types.h; what holds the bytes: tensor_buffer.h. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_TENSOR_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_TENSOR_H_

#include "tensorflow/core/framework/allocator.h"
#include "tensorflow/core/framework/tensor_buffer.h"
#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/framework/tensor_types.h"
#include "tensorflow/core/framework/types.h"

namespace tensorflow ORIBI_HIDDEN
{

class TensorProto;

class Tensor
{
    /* Text elements are tstring, whatever old code calls them. */
    template <typename T>
    using Element = typename std::conditional<std::is_same<T, string>::value, tstring, T>::type;

  public:
    Tensor() : Tensor(DT_FLOAT)
    {
    }
    explicit Tensor(DataType type) : dtype_(type), shape_({0})
    {
    }
    Tensor(DataType type, const TensorShape &shape)
        : dtype_(type), shape_(shape), buffer_(TensorBuffer::Allocate(type, shape))
    {
    }
    Tensor(Allocator *, DataType type, const TensorShape &shape) : Tensor(type, shape)
    {
    }
    Tensor(Allocator *, DataType type, const TensorShape &shape, const AllocationAttributes &)
        : Tensor(type, shape)
    {
    }
    /* Scalars. */
    template <typename T, typename = typename std::enable_if<IsValidDataType<T>::value>::type>
    explicit Tensor(T value) : Tensor(DataTypeToEnum<T>::v(), TensorShape({}))
    {
        *Data<Element<T>>() = value;
    }
    explicit Tensor(const char *text) : Tensor(DT_STRING, TensorShape({}))
    {
        *Data<tstring>() = text;
    }
    explicit Tensor(const string &text) : Tensor(DT_STRING, TensorShape({}))
    {
        *Data<tstring>() = text;
    }
    /* Takes a handle of the host; nullptr gives an uninitialised tensor. */
    static Tensor Adopt(TF_Tensor *handle)
    {
        Tensor out;
        if (handle != nullptr) {
            out.dtype_ = static_cast<DataType>(TF_TensorType(handle));
            out.shape_.Clear();
            for (int i = 0; i < TF_NumDims(handle); i++) {
                out.shape_.AddDim(TF_Dim(handle, i));
            }
            out.buffer_ = TensorBuffer::Adopt(handle);
        }
        return out;
    }
    /* A handle for the host, which the caller deletes; nullptr when there is no memory. */
    TF_Tensor *NewHandle() const
    {
        return buffer_.NewHandle(dtype_, shape_);
    }

    /* The host's own handle when it says the same type and shape, else nullptr. */
    TF_Tensor *HostHandle() const
    {
        TF_Tensor *handle = buffer_.handle();
        bool same = handle != nullptr && TF_NumDims(handle) == dims() &&
                    TF_TensorType(handle) == static_cast<TF_DataType>(dtype_);
        for (int i = 0; same && i < dims(); i++) {
            same = TF_Dim(handle, i) == dim_size(i);
        }
        return same ? handle : nullptr;
    }

    /* Lets go of the bytes; type and shape stay. */
    void ReleaseBuffer()
    {
        buffer_ = TensorBuffer();
    }

    DataType dtype() const
    {
        return dtype_;
    }
    const TensorShape &shape() const
    {
        return shape_;
    }
    int dims() const
    {
        return shape_.dims();
    }
    int64 dim_size(int i) const
    {
        return shape_.dim_size(i);
    }
    int64 NumElements() const
    {
        return shape_.num_elements();
    }
    bool IsInitialized() const
    {
        return buffer_.has() || NumElements() == 0;
    }
    bool IsAligned() const
    {
        return reinterpret_cast<std::uintptr_t>(data()) % 16 == 0;
    }
    bool IsSameSize(const Tensor &other) const
    {
        return shape_ == other.shape_;
    }
    bool SharesBufferWith(const Tensor &other) const
    {
        return buffer_.has() && buffer_.SharesWith(other.buffer_);
    }
    bool RefCountIsOne() const
    {
        return buffer_.IsUnique();
    }
    size_t TotalBytes() const
    {
        return static_cast<size_t>(NumElements()) * ElementBytes(dtype_);
    }
    size_t AllocatedBytes() const
    {
        return TotalBytes();
    }
    void *data() const
    {
        return buffer_.data();
    }
    StringPiece tensor_data() const
    {
        return buffer_.has() ? StringPiece(static_cast<const char *>(data()), TotalBytes())
                             : StringPiece();
    }

    /* Shares other's bytes under another shape of as many elements. */
    bool CopyFrom(const Tensor &other, const TensorShape &shape)
    {
        if (other.NumElements() != shape.num_elements()) {
            return false;
        }
        buffer_ = other.buffer_;
        dtype_ = other.dtype_;
        shape_ = shape;
        return true;
    }
    /* The tensor of a message, with bytes of its own; false, and nothing changed, when the message
     * makes none. And the message of the tensor. With tensor.pb.h. */
    bool FromProto(const TensorProto &proto);
    bool FromProto(Allocator *, const TensorProto &proto);
    void AsProtoField(TensorProto *proto) const;
    void AsProtoTensorContent(TensorProto *proto) const;

    /* Rows [begin, end) of the first dimension, sharing bytes. */
    Tensor Slice(int64 begin, int64 end) const
    {
        CHECK_GE(dims(), 1);
        CHECK(0 <= begin && begin <= end && end <= dim_size(0));
        Tensor out = *this;
        const int64 row = dim_size(0) == 0 ? 0 : NumElements() / dim_size(0);
        out.shape_.set_dim(0, end - begin);
        out.buffer_.Advance(static_cast<size_t>(begin * row) * ElementBytes(dtype_));
        return out;
    }
    Tensor SubSlice(int64 index) const
    {
        Tensor out = Slice(index, index + 1);
        out.shape_.RemoveDim(0);
        return out;
    }
    Status BitcastFrom(const Tensor &other, DataType type, const TensorShape &shape)
    {
        if (static_cast<size_t>(shape.num_elements()) * ElementBytes(type) != other.TotalBytes()) {
            return errors::InvalidArgument("bitcast of ", other.TotalBytes(),
                                           " bytes to a different size");
        }
        *this = other;
        dtype_ = type;
        shape_ = shape;
        return Status();
    }
    void UnsafeCopyFromInternal(const Tensor &other, DataType type, const TensorShape &shape)
    {
        TF_CHECK_OK(BitcastFrom(other, type, shape));
    }

    /* Views. The type must be the tensor's and the rank must fit, else the process ends. Each comes
     * for tensors that may be written and for constant ones. */
#define ORIBI_VIEWS(CONST_, E, Q)                                                                  \
    template <typename T> typename TTypes<Element<T>>::CONST_##Flat flat() Q                       \
    {                                                                                              \
        return Map<typename TTypes<Element<T>>::CONST_##Flat, T, 1, E>({NumElements()});           \
    }                                                                                              \
    template <typename T> typename TTypes<Element<T>>::Unaligned##CONST_##Flat unaligned_flat() Q  \
    {                                                                                              \
        return Map<typename TTypes<Element<T>>::Unaligned##CONST_##Flat, T, 1, E>(                 \
            {NumElements()});                                                                      \
    }                                                                                              \
    template <typename T> typename TTypes<Element<T>>::CONST_##Vec vec() Q                         \
    {                                                                                              \
        return tensor<T, 1>();                                                                     \
    }                                                                                              \
    template <typename T> typename TTypes<Element<T>>::CONST_##Matrix matrix() Q                   \
    {                                                                                              \
        return tensor<T, 2>();                                                                     \
    }                                                                                              \
    template <typename T, size_t N>                                                                \
    typename TTypes<Element<T>, static_cast<int>(N)>::CONST_##Tensor tensor() Q                    \
    {                                                                                              \
        CHECK_EQ(dims(), static_cast<int>(N));                                                     \
        return Map<typename TTypes<Element<T>, static_cast<int>(N)>::CONST_##Tensor, T, N, E>(     \
            shape_.dim_sizes());                                                                   \
    }                                                                                              \
    template <typename T> typename TTypes<Element<T>>::CONST_##Scalar scalar() Q                   \
    {                                                                                              \
        CHECK_EQ(NumElements(), 1);                                                                \
        CheckType<T>();                                                                            \
        return ScalarOf<typename TTypes<Element<T>>::CONST_##Scalar>(Data<E>());                   \
    }                                                                                              \
    template <typename T, size_t N>                                                                \
    typename TTypes<Element<T>, static_cast<int>(N)>::CONST_##Tensor shaped(                       \
        gtl::ArraySlice<int64> sizes) Q                                                            \
    {                                                                                              \
        return Map<typename TTypes<Element<T>, static_cast<int>(N)>::CONST_##Tensor, T, N, E>(     \
            sizes);                                                                                \
    }                                                                                              \
    template <typename T, size_t N>                                                                \
    typename TTypes<Element<T>, static_cast<int>(N)>::Unaligned##CONST_##Tensor unaligned_shaped(  \
        gtl::ArraySlice<int64> sizes) Q                                                            \
    {                                                                                              \
        return Map<typename TTypes<Element<T>, static_cast<int>(N)>::Unaligned##CONST_##Tensor, T, \
                   N, E>(sizes);                                                                   \
    }                                                                                              \
    template <typename T, size_t N = 2>                                                            \
    typename TTypes<Element<T>, static_cast<int>(N)>::CONST_##Tensor flat_inner_dims() Q           \
    {                                                                                              \
        return shaped<T, N>(CollapseOuter(N));                                                     \
    }                                                                                              \
    template <typename T, size_t N = 2>                                                            \
    typename TTypes<Element<T>, static_cast<int>(N)>::CONST_##Tensor flat_outer_dims() Q           \
    {                                                                                              \
        return shaped<T, N>(CollapseInner(N));                                                     \
    }                                                                                              \
    template <typename T, size_t N>                                                                \
    typename TTypes<Element<T>, static_cast<int>(N)>::CONST_##Tensor bit_casted_tensor() Q         \
    {                                                                                              \
        return As<typename TTypes<Element<T>, static_cast<int>(N)>::CONST_##Tensor, N, E>(         \
            shape_.dim_sizes());                                                                   \
    }                                                                                              \
    template <typename T, size_t N>                                                                \
    typename TTypes<Element<T>, static_cast<int>(N)>::CONST_##Tensor bit_casted_shaped(            \
        gtl::ArraySlice<int64> sizes) Q                                                            \
    {                                                                                              \
        return As<typename TTypes<Element<T>, static_cast<int>(N)>::CONST_##Tensor, N, E>(sizes);  \
    }
    ORIBI_VIEWS(, Element<T>, )
    ORIBI_VIEWS(Const, const Element<T>, const)
#undef ORIBI_VIEWS

    /* First elements as text, at most max_entries. */
    string SummarizeValue(int64 max_entries, bool print_v2 = false) const;
    string DebugString(int num_values = 3) const
    {
        return strings::StrCat("Tensor<type: ", DataTypeString(dtype_),
                               " shape: ", shape_.DebugString(),
                               " values: ", SummarizeValue(num_values), ">");
    }
    string DeviceSafeDebugString() const
    {
        return strings::StrCat("Tensor<type: ", DataTypeString(dtype_),
                               " shape: ", shape_.DebugString(), ">");
    }

  private:
    template <typename T> void CheckType() const
    {
        CHECK_EQ(static_cast<int>(DataTypeToEnum<T>::value), static_cast<int>(dtype_))
            << "a " << DataTypeString(dtype_) << " tensor seen as "
            << DataTypeString(DataTypeToEnum<T>::value);
    }
    template <typename E> E *Data() const
    {
        return static_cast<E *>(data());
    }
    template <typename M, typename T, size_t N, typename E>
    M Map(gtl::ArraySlice<int64> sizes) const
    {
        CheckType<T>();
        int64 count = 1;
        for (int64 size : sizes) {
            count *= size;
        }
        CHECK_EQ(count, NumElements());
        return As<M, N, E>(sizes);
    }
    template <typename M, size_t N, typename E> M As(gtl::ArraySlice<int64> sizes) const
    {
        typename M::Dimensions dims;
        CHECK_EQ(sizes.size(), N);
        for (size_t i = 0; i < N; i++) {
            dims[i] = static_cast<typename M::Index>(sizes[i]);
        }
        return M(Data<E>(), dims);
    }
    template <typename M, typename E> static M ScalarOf(E *data)
    {
#ifdef ORIBI_HAS_EIGEN
        return M(data);
#else
        return M(data, typename M::Dimensions{});
#endif
    }
    /* n sizes: the last n - 1 dimensions as they are, all before them as one. */
    gtl::InlinedVector<int64, 4> CollapseOuter(size_t n) const
    {
        gtl::InlinedVector<int64, 4> out(n, 1);
        const int extra = dims() - static_cast<int>(n);
        for (int i = 0; i < dims(); i++) {
            out[static_cast<size_t>(std::max(i - extra, 0))] *= dim_size(i);
        }
        return out;
    }
    gtl::InlinedVector<int64, 4> CollapseInner(size_t n) const
    {
        gtl::InlinedVector<int64, 4> out(n, 1);
        for (int i = 0; i < dims(); i++) {
            out[std::min(static_cast<size_t>(i), n - 1)] *= dim_size(i);
        }
        return out;
    }

    DataType dtype_;
    TensorShape shape_;
    TensorBuffer buffer_;
};

inline string Tensor::SummarizeValue(int64 max_entries, bool) const
{
    string out;
    const int64 count = std::min(max_entries, NumElements());
    for (int64 i = 0; i < count; i++) {
        out += i > 0 ? " " : "";
        switch (dtype_) {
#define ORIBI_PRINT(NAME, Type)                                                                    \
    case NAME:                                                                                     \
        strings::StrAppend(&out, static_cast<const Type *>(data())[i]);                            \
        break;
            ORIBI_PRINT(DT_FLOAT, float)
            ORIBI_PRINT(DT_DOUBLE, double)
            ORIBI_PRINT(DT_INT8, int8)
            ORIBI_PRINT(DT_UINT8, uint8)
            ORIBI_PRINT(DT_INT16, int16)
            ORIBI_PRINT(DT_UINT16, uint16)
            ORIBI_PRINT(DT_INT32, int32)
            ORIBI_PRINT(DT_UINT32, uint32)
            ORIBI_PRINT(DT_INT64, int64)
            ORIBI_PRINT(DT_UINT64, uint64)
            ORIBI_PRINT(DT_BOOL, bool)
            ORIBI_PRINT(DT_STRING, tstring)
#undef ORIBI_PRINT
        default:
            out += "?";
        }
    }
    return out + (count < NumElements() ? "..." : "");
}

} // namespace tensorflow

#endif
