/* SPDX-License-Identifier: Apache-2.0 */
/* shape_inference::InferenceContext: what a shape function may ask and make. Handles belong to the
 * context and live as long as it does. Ready-made shape functions: common_shape_fns.h. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_SHAPE_INFERENCE_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_SHAPE_INFERENCE_H_

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "tensorflow/c/shape_inference.h"
#include "tensorflow/core/framework/attr_reader.h"
#include "tensorflow/core/framework/attr_value.pb.h"
#include "tensorflow/core/framework/op_def_builder.h"
#include "tensorflow/core/framework/shapes/shape_maker.h"
#include "tensorflow/core/framework/shapes/shape_resource_handles.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace shape_inference
{

class InferenceContext : public ShapeMaker
{
  public:
    explicit InferenceContext(TF_ShapeInferenceContext *ctx)
        : ShapeMaker(ctx), inputs_(static_cast<size_t>(num_inputs())), values_(inputs_.size()),
          asked_(inputs_.size()), asked_as_shape_(inputs_.size()),
          outputs_(static_cast<size_t>(TF_ShapeInferenceContextNumOutputs(ctx)))
    {
    }

    /* --- Node --- */
    int num_inputs() const
    {
        return static_cast<int>(TF_ShapeInferenceContextNumInputs(ctx_));
    }
    int num_outputs() const
    {
        return static_cast<int>(outputs_.size());
    }
    DataType input_type(int i) const
    {
        return static_cast<DataType>(TF_ShapeInferenceContextInputType(ctx_, i));
    }
    template <typename T> Status GetAttr(StringPiece name, T *value) const
    {
        return AttrReader<ShapeAttrApi>(ctx_, name).Get(value);
    }
    Status GetAttr(StringPiece name, PartialTensorShape *value)
    {
        ShapeHandle shape;
        TF_RETURN_IF_ERROR(
            Shape(&shape, &TF_ShapeInferenceContext_GetAttrShape, string(name).c_str()));
        ShapeHandleToPartial(shape, value);
        return Status();
    }
    Status GetAttr(StringPiece name, TensorShape *value)
    {
        PartialTensorShape shape;
        TF_RETURN_IF_ERROR(GetAttr(name, &shape));
        return shape.AsTensorShape(value)
                   ? Status()
                   : errors::InvalidArgument("attribute '", name, "' is not a whole shape");
    }
    Status GetAttr(StringPiece name, std::vector<PartialTensorShape> *value)
    {
        int32 count = 0;
        TF_RETURN_IF_ERROR(AttrReader<ShapeAttrApi>(ctx_, name).Size(&count, nullptr));
        std::vector<PartialTensorShape> out;
        for (int i = 0; i < count; i++) {
            ShapeHandle shape;
            out.emplace_back();
            TF_RETURN_IF_ERROR(Shape(&shape, &TF_ShapeInferenceContext_GetAttrShapeListItem,
                                     string(name).c_str(), i));
            ShapeHandleToPartial(shape, &out.back());
        }
        value->swap(out);
        return Status();
    }
#if ORIBI_HAS_CONTRACT(1, 3)
    /* The pointer lives as long as the context; null: the op has no such attribute. */
    const AttrValue *GetAttr(StringPiece name) const
    {
        const AttrValue *value = nullptr;
        GetAttr(name, &value).IgnoreError();
        return value;
    }
    Status GetAttr(StringPiece name, const AttrValue **value) const
    {
        const string key(name);
        std::unique_ptr<AttrValue> &known = attrs_[key];
        if (known == nullptr) {
            CStatus status;
            std::unique_ptr<TF_Buffer, void (*)(TF_Buffer *)> bytes(TF_NewBuffer(),
                                                                    TF_DeleteBuffer);
            TF_ShapeInferenceContext_GetAttrProto(ctx_, key.c_str(), bytes.get(), status);
            TF_RETURN_IF_ERROR(status.ToStatus());
            known.reset(new AttrValue);
            known->ParseFromString(
                StringPiece(static_cast<const char *>(bytes->data), bytes->length));
        }
        *value = known.get();
        return Status();
    }
    int graph_def_version() const
    {
        return TF_ShapeInferenceContextGraphDefVersion(ctx_);
    }
#endif
    bool HasAttr(StringPiece name) const
    {
        return TF_ShapeInferenceContext_HasAttr(ctx_, string(name).c_str());
    }

    /* --- Inputs and outputs --- */
    ShapeHandle input(int64 i)
    {
        if (i < 0 || i >= num_inputs()) {
            return ShapeHandle();
        }
        ShapeHandle &shape = inputs_[static_cast<size_t>(i)];
        if (!shape.IsSet()) {
            Shape(&shape, &TF_ShapeInferenceContextGetInput, static_cast<int>(i)).IgnoreError();
        }
        return shape;
    }
    /* For the rest of this call. */
    void SetInput(int i, ShapeHandle shape)
    {
        inputs_[static_cast<size_t>(i)] = shape;
    }
    /* What the input and `shape` say together; false, and nothing changed: they contradict. */
    bool MergeInput(int i, ShapeHandle shape)
    {
        ShapeHandle merged;
        const bool ok = Merge(input(i), shape, &merged).ok();
        inputs_[static_cast<size_t>(i)] = ok ? merged : input(i);
        return ok;
    }
    /* What both of them say; whether that is another shape than the input was. */
    bool RelaxInput(int i, ShapeHandle shape)
    {
        const ShapeHandle old = input(i);
        inputs_[static_cast<size_t>(i)] = Relaxed(old, shape);
        return !input(i).SameHandle(old);
    }
    Status input(StringPiece name, std::vector<ShapeHandle> *out)
    {
        int start = 0, stop = 0;
        CStatus status;
        TF_ShapeInferenceContextInputRange(ctx_, string(name).c_str(), &start, &stop, status);
        out->clear();
        for (int i = start; status.ok() && i < stop; i++) {
            out->push_back(input(i));
        }
        return status.ToStatus();
    }
    /* Value of input i when it is known here, else nullptr. */
    const Tensor *input_tensor(int i)
    {
        const size_t at = static_cast<size_t>(i);
        if (values_[at] == nullptr) {
            TF_Tensor *handle = TF_ShapeInferenceContextInputTensor(ctx_, i);
            values_[at].reset(handle != nullptr ? new Tensor(Tensor::Adopt(handle)) : nullptr);
        }
        asked_[at] = true;
        return values_[at].get();
    }
    void request_input_tensor(int i)
    {
        asked_[static_cast<size_t>(i)] = true;
    }
    void request_input_tensor_as_partial_shape(int i)
    {
        asked_as_shape_[static_cast<size_t>(i)] = true;
    }
    bool requested_input_tensor_as_partial_shape(int i) const
    {
        return asked_as_shape_[static_cast<size_t>(i)];
    }
    bool requested_input_tensor(int i) const
    {
        return asked_[static_cast<size_t>(i)];
    }
    void set_output(int i, ShapeHandle shape)
    {
        CStatus status;
        if (i >= 0 && i < num_outputs()) {
            outputs_[static_cast<size_t>(i)] = shape;
        }
        TF_ShapeInferenceContextSetOutput(ctx_, i, shape.get(), status);
    }
    Status set_output(StringPiece name, const std::vector<ShapeHandle> &shapes)
    {
        int start = 0, stop = 0;
        CStatus status;
        TF_ShapeInferenceContextOutputRange(ctx_, string(name).c_str(), &start, &stop, status);
        TF_RETURN_IF_ERROR(status.ToStatus());
        if (static_cast<size_t>(stop - start) != shapes.size()) {
            return errors::InvalidArgument("Must have exactly ", stop - start,
                                           " shapes for output '", name, "', got ", shapes.size());
        }
        for (int i = start; i < stop; i++) {
            set_output(i, shapes[static_cast<size_t>(i - start)]);
        }
        return Status();
    }
    /* More outputs; useful where a graph is changed. */
    Status ExpandOutputs(int count)
    {
        if (count < num_outputs()) {
            return errors::InvalidArgument("Trying to reduce the number of outputs from ",
                                           num_outputs(), " to ", count);
        }
        outputs_.resize(static_cast<size_t>(count));
        return Status();
    }
    ShapeHandle output(int64 i)
    {
        ShapeHandle &shape = outputs_[static_cast<size_t>(i)];
        shape = shape.IsSet() ? shape : UnknownShape();
        return shape;
    }
    Status output(StringPiece name, std::vector<ShapeHandle> *out)
    {
        int start = 0, stop = 0;
        CStatus status;
        TF_ShapeInferenceContextOutputRange(ctx_, string(name).c_str(), &start, &stop, status);
        TF_RETURN_IF_ERROR(status.ToStatus());
        out->clear();
        for (int i = start; i < stop; i++) {
            out->push_back(output(i));
        }
        return Status();
    }
    /* --- Resource handles: null when nothing is known of what they lead to. Needs contract 1.1,
     * without it nothing ever is. A pointer lives until the next change of the same handle. --- */
    const ShapesAndTypes *input_handle_shapes_and_types(int i)
    {
        return handles_.Get(ctx_, true, i, [this]() { return NewShape(); });
    }
    const ShapesAndTypes *output_handle_shapes_and_types(int i)
    {
        return handles_.Get(ctx_, false, i, [this]() { return NewShape(); });
    }
    void set_output_handle_shapes_and_types(int i, const ShapesAndTypes &parts)
    {
        handles_.Set(ctx_, i, parts);
    }
    /* True when anything changed: merged, what either says; relaxed, what both say of a shape. */
    bool MergeInputHandleShapesAndTypes(int i, const ShapesAndTypes &parts)
    {
        return handles_.Change(ctx_, true, false, i, parts);
    }
    bool MergeOutputHandleShapesAndTypes(int i, const ShapesAndTypes &parts)
    {
        return handles_.Change(ctx_, false, false, i, parts);
    }
    bool RelaxInputHandleShapesAndMergeTypes(int i, const ShapesAndTypes &parts)
    {
        return handles_.Change(ctx_, true, true, i, parts);
    }
    bool RelaxOutputHandleShapesAndMergeTypes(int i, const ShapesAndTypes &parts)
    {
        return handles_.Change(ctx_, false, true, i, parts);
    }

    /* --- Values of inputs as shapes and dimensions --- */
#if ORIBI_HAS_CONTRACT(1, 3)
    /* One for each input: unset where nothing is known of its value. */
    const std::vector<ShapeHandle> &input_tensors_as_shapes()
    {
        as_shapes_.clear();
        for (int i = 0; i < num_inputs(); i++) {
            ShapeHandle shape;
            Shape(&shape, &TF_ShapeInferenceContextInputTensorAsShape, i).IgnoreError();
            as_shapes_.push_back(RankKnown(shape) ? shape : ShapeHandle());
        }
        return as_shapes_;
    }
    /* An index that counts from the end when it is negative; rank -1: not known. */
    Status MakeDimForScalarInputWithNegativeIndexing(int i, int rank, DimensionHandle *out)
    {
        return Dimension(out, &TF_ShapeInferenceContextMakeDimFromInputIndex, i, int64{rank});
    }
#endif
    Status MakeDimForScalarInput(int i, DimensionHandle *out)
    {
        return Dimension(out, &TF_ShapeInferenceContextMakeDimFromInput, i);
    }
    /* A scalar is no shape here; below it stands for an unknown one. */
    Status MakeShapeFromShapeTensor(int i, ShapeHandle *out)
    {
        ShapeHandle unused;
        TF_RETURN_IF_ERROR(WithRank(input(i), 1, &unused));
        return MakeShapeFromShapeTensorTreatScalarAsUnknownShape(i, out);
    }
    Status MakeShapeFromShapeTensorTreatScalarAsUnknownShape(int i, ShapeHandle *out)
    {
        request_input_tensor_as_partial_shape(i);
        if (RankKnown(input(i)) && Rank(input(i)) == 0 && input_tensor(i) == nullptr) {
            return errors::InvalidArgument(
                "Received a shape scalar with unknown static value. Only "
                "-1 represents an unknown shape");
        }
        return Shape(out, &TF_ShapeInferenceContextMakeShapeFromInput, i);
    }
    /* The shape that the elements of a vector are; -1 is an unknown dimension. Null: `shape` is
     * that of the tensor, whose length is the rank. */
    Status MakeShapeFromTensor(const Tensor *tensor, ShapeHandle shape, ShapeHandle *out)
    {
        if (tensor == nullptr) {
            TF_RETURN_IF_ERROR(WithRank(shape, 1, &shape));
            *out = ValueKnown(Dim(shape, 0)) ? UnknownShapeOfRank(Value(Dim(shape, 0)))
                                             : UnknownShape();
            return Status();
        }
        if (tensor->dims() != 1) {
            return errors::InvalidArgument("Input tensor must be rank 1, but was rank ",
                                           tensor->dims());
        }
        std::vector<DimensionHandle> dims;
        for (int64 i = 0; i < tensor->NumElements(); i++) {
            int64 dim = 0;
            TF_RETURN_IF_ERROR(GetScalarFromTensor(tensor, i, &dim));
            if (dim < kUnknownDim) {
                return errors::InvalidArgument("Invalid value in tensor used for shape: ", dim);
            }
            dims.push_back(MakeDim(dim));
        }
        *out = MakeShape(dims);
        return Status();
    }
    using ShapeMaker::DebugString;
    string DebugString() const
    {
        return "shape inference";
    }
    Status construction_status() const
    {
        return Status();
    }

  private:
    ShapeHandle Relaxed(ShapeHandle a, ShapeHandle b)
    {
        if (a.SameHandle(b)) {
            return a;
        }
        if (!RankKnown(a) || Rank(a) != Rank(b)) {
            return UnknownShape();
        }
        std::vector<DimensionHandle> dims;
        for (int i = 0; i < Rank(a); i++) {
            const DimensionHandle old = Dim(a, i);
            dims.push_back(old.SameHandle(Dim(b, i)) ? old : UnknownDim());
        }
        return MakeShape(dims);
    }

    HandleShapes handles_;
    std::vector<ShapeHandle> inputs_, as_shapes_;
    std::vector<std::unique_ptr<Tensor>> values_;
    std::vector<bool> asked_, asked_as_shape_;
    std::vector<ShapeHandle> outputs_;
    mutable std::map<string, std::unique_ptr<AttrValue>> attrs_;
};

inline void RunShapeFn(const OpShapeInferenceFn &fn, TF_ShapeInferenceContext *ctx,
                       TF_Status *status)
{
    InferenceContext inference(ctx);
    const Status result = fn(&inference);
    TF_SetStatus(status, static_cast<TF_Code>(static_cast<int>(result.code())),
                 string(result.message()).c_str());
}

} // namespace shape_inference
} // namespace tensorflow

#endif
