/* SPDX-License-Identifier: Apache-2.0 */
/* What shape functions know of the values behind resource handles, over the C functions of contract
 * 1.1; below it nothing is known. The user: InferenceContext in shape_inference.h. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_SHAPES_SHAPE_RESOURCE_HANDLES_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_SHAPES_SHAPE_RESOURCE_HANDLES_H_

#include <map>
#include <utility>
#include <vector>

#include "tensorflow/c/shape_inference.h"
#include "tensorflow/core/framework/shapes/shape_handles.h"
#include "tensorflow/core/platform/status.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace shape_inference
{

using ShapesAndTypes = std::vector<ShapeAndType>;

class HandleShapes
{
  public:
#if ORIBI_HAS_CONTRACT(1, 1)
    /* make gives new shape handles of the context. Null: nothing is known. */
    template <typename F>
    const ShapesAndTypes *Get(TF_ShapeInferenceContext *ctx, bool is_input, int i, F make)
    {
        const int count = is_input ? TF_ShapeInferenceContextNumInputHandleShapesAndTypes(ctx, i)
                                   : TF_ShapeInferenceContextNumOutputHandleShapesAndTypes(ctx, i);
        ShapesAndTypes &known = known_[std::make_pair(is_input, i)];
        for (int k = static_cast<int>(known.size()); k < count; k++) {
            CStatus status;
            TF_DataType type = static_cast<TF_DataType>(0);
            const ShapeHandle shape = make();
            (is_input ? TF_ShapeInferenceContextInputHandleShapeAndType
                      : TF_ShapeInferenceContextOutputHandleShapeAndType)(ctx, i, k, shape.get(),
                                                                          &type, status);
            known.emplace_back(shape, static_cast<DataType>(type));
        }
        return count > 0 ? &known : nullptr;
    }
    void Set(TF_ShapeInferenceContext *ctx, int i, const ShapesAndTypes &parts)
    {
        CStatus status;
        const Arrays arrays(parts);
        TF_ShapeInferenceContextSetOutputHandleShapesAndTypes(
            ctx, i, arrays.shapes.data(), arrays.types.data(), arrays.count, status);
        known_.erase(std::make_pair(false, i));
    }
    bool Change(TF_ShapeInferenceContext *ctx, bool is_input, bool relax, int i,
                const ShapesAndTypes &parts)
    {
        CStatus status;
        const Arrays arrays(parts);
        const auto change =
            is_input ? (relax ? TF_ShapeInferenceContextRelaxInputHandleShapesAndMergeTypes
                              : TF_ShapeInferenceContextMergeInputHandleShapesAndTypes)
                     : (relax ? TF_ShapeInferenceContextRelaxOutputHandleShapesAndMergeTypes
                              : TF_ShapeInferenceContextMergeOutputHandleShapesAndTypes);
        const bool changed =
            change(ctx, i, arrays.shapes.data(), arrays.types.data(), arrays.count, status);
        known_.erase(std::make_pair(is_input, i));
        return changed;
    }

  private:
    struct Arrays { /* of at least one element, so that neither is null */
        explicit Arrays(const ShapesAndTypes &parts)
            : shapes(parts.size() + 1), types(parts.size() + 1),
              count(static_cast<int>(parts.size()))
        {
            for (size_t k = 0; k < parts.size(); k++) {
                shapes[k] = parts[k].shape.get();
                types[k] = static_cast<TF_DataType>(parts[k].dtype);
            }
        }
        std::vector<TF_ShapeHandle *> shapes;
        std::vector<TF_DataType> types;
        int count;
    };
    std::map<std::pair<bool, int>, ShapesAndTypes> known_; /* by (is an input, index) */
#else
    template <typename F> const ShapesAndTypes *Get(TF_ShapeInferenceContext *, bool, int, F)
    {
        return nullptr;
    }
    void Set(TF_ShapeInferenceContext *, int, const ShapesAndTypes &)
    {
    }
    bool Change(TF_ShapeInferenceContext *, bool, bool, int, const ShapesAndTypes &)
    {
        return false;
    }
#endif
};

} // namespace shape_inference
} // namespace tensorflow

#endif
