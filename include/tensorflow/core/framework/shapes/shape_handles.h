/* SPDX-License-Identifier: Apache-2.0 */
/* What shape functions hold: handles of shapes and dimensions. Read next: shape_inference.h. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_SHAPES_SHAPE_HANDLES_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_SHAPES_SHAPE_HANDLES_H_

#include <cstddef>

#include "tensorflow/c/ops.h"
#include "tensorflow/c/shape_inference.h"
#include "tensorflow/core/framework/types.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace shape_inference
{

class ShapeMaker;

/* A handle belongs to the context that made it. Two are the same when they are known to mean the
 * same shape or dimension; before contract 1.3, when they are copies of one. */
class ShapeHandle
{
  public:
    ShapeHandle() = default;
    bool SameHandle(ShapeHandle other) const
    {
#if ORIBI_HAS_CONTRACT(1, 3)
        return TF_ShapeHandleIsSame(handle_, other.handle_);
#else
        return handle_ == other.handle_;
#endif
    }
    std::size_t Handle() const
    {
        return reinterpret_cast<std::size_t>(handle_);
    }
    bool IsSet() const
    {
        return handle_ != nullptr;
    }
    TF_ShapeHandle *get() const
    {
        return handle_;
    }

  private:
    friend class ShapeMaker;
    TF_ShapeHandle *handle_ = nullptr;
    ShapeMaker *maker_ = nullptr;
};

class DimensionHandle
{
  public:
    DimensionHandle() = default;
    bool SameHandle(DimensionHandle other) const
    {
#if ORIBI_HAS_CONTRACT(1, 3)
        return TF_DimensionHandleIsSame(handle_, other.handle_);
#else
        return handle_ == other.handle_;
#endif
    }
    std::size_t Handle() const
    {
        return reinterpret_cast<std::size_t>(handle_);
    }
    bool IsSet() const
    {
        return handle_ != nullptr;
    }
    TF_DimensionHandle *get() const
    {
        return handle_;
    }

  private:
    friend class ShapeMaker;
    TF_DimensionHandle *handle_ = nullptr;
};

/* A dimension, or a number that stands for one. */
struct DimensionOrConstant {
    DimensionOrConstant(DimensionHandle d) : dim(d), val(-1)
    {
    }
    DimensionOrConstant(int64 v) : val(v)
    {
    }
    DimensionOrConstant(int v) : val(v)
    {
    }
    DimensionOrConstant(size_t v) : val(static_cast<int64>(v))
    {
    }
    DimensionHandle dim;
    int64 val;
};

struct ShapeAndType {
    ShapeAndType() = default;
    ShapeAndType(ShapeHandle s, DataType t) : shape(s), dtype(t)
    {
    }
    ShapeHandle shape;
    DataType dtype = DT_INVALID;
};

/* In a template, so that C++14 code may take their addresses. */
template <typename T> struct UnknownValues {
    static constexpr int64 kUnknownDim = -1;
    static constexpr int32 kUnknownRank = -1;
};
template <typename T> constexpr int64 UnknownValues<T>::kUnknownDim;
template <typename T> constexpr int32 UnknownValues<T>::kUnknownRank;

} // namespace shape_inference
} // namespace tensorflow

#endif
