/* SPDX-License-Identifier: Apache-2.0 */
/* OpKernelConstruction: what a kernel's constructor may ask. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_OP_KERNEL_CONSTRUCTION_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_OP_KERNEL_CONSTRUCTION_H_

#include <initializer_list>
#include <memory>

#include "tensorflow/c/kernels_extension.h"
#include "tensorflow/core/framework/attr_reader.h"
#include "tensorflow/core/framework/node_def.pb.h"
#include "tensorflow/core/platform/env.h"

namespace tensorflow ORIBI_HIDDEN
{

class FunctionLibraryRuntime;
class ResourceMgr;
std::shared_ptr<ResourceMgr> NewResourceMgr(ResourceMgr **out);
void KeepResourceMgr(ResourceMgr *manager);

/* A tensor that a kernel keeps, as code of before 2022 writes it. */
class PersistentTensor
{
  public:
    PersistentTensor() = default;
    explicit PersistentTensor(const Tensor &tensor) : tensor_(tensor)
    {
    }
    template <typename Context> Tensor *AccessTensor(Context *)
    {
        return &tensor_;
    }
    bool IsInitialized() const
    {
        return tensor_.IsInitialized();
    }
    int64 NumElements() const
    {
        return tensor_.NumElements();
    }

  private:
    friend class OpKernelConstruction;
    friend class OpKernelContext;
    Tensor tensor_;
};

/* Are these the types that a kernel expects? */
inline Status MatchSignatureHelper(DataTypeSlice expected_inputs, DataTypeSlice expected_outputs,
                                   DataTypeSlice inputs, DataTypeSlice outputs)
{
    if (inputs == expected_inputs && outputs == expected_outputs) {
        return Status();
    }
    return errors::InvalidArgument("Signature mismatch, have: ", DataTypeSliceString(inputs), "->",
                                   DataTypeSliceString(outputs),
                                   " expected: ", DataTypeSliceString(expected_inputs), "->",
                                   DataTypeSliceString(expected_outputs));
}

class OpKernelConstruction
{
  public:
    explicit OpKernelConstruction(TF_OpKernelConstruction *ctx)
        : ctx_(ctx), shared_manager_(NewResourceMgr(&manager_))
    {
    }
    TF_OpKernelConstruction *c_context() const
    {
        return ctx_;
    }
    template <typename T> Status GetAttr(StringPiece name, T *value) const
    {
        return AttrReader<KernelAttrApi>(ctx_, name).Get(value);
    }
    Status GetAttr(StringPiece name, PartialTensorShape *value) const
    {
        std::vector<PartialTensorShape> one;
        TF_RETURN_IF_ERROR(def().reader().Get(name, &one, false));
        *value = one[0];
        return Status();
    }
    Status GetAttr(StringPiece name, TensorShape *value) const
    {
        PartialTensorShape shape;
        TF_RETURN_IF_ERROR(GetAttr(name, &shape));
        return Whole(name, shape, value);
    }
    Status GetAttr(StringPiece name, std::vector<PartialTensorShape> *value) const
    {
        return def().reader().Get(name, value, true);
    }
    Status GetAttr(StringPiece name, std::vector<TensorShape> *value) const
    {
        std::vector<PartialTensorShape> shapes;
        TF_RETURN_IF_ERROR(GetAttr(name, &shapes));
        std::vector<TensorShape> out(shapes.size());
        for (size_t i = 0; i < shapes.size(); i++) {
            TF_RETURN_IF_ERROR(Whole(name, shapes[i], &out[i]));
        }
        *value = out;
        return Status();
    }
    Status GetAttr(StringPiece name, NameAttrList *value) const
    {
        return def().reader().Get(name, value);
    }
    Status GetAttr(StringPiece name, std::vector<TensorProto> *value) const
    {
        std::vector<Tensor> tensors;
        TF_RETURN_IF_ERROR(GetAttr(name, &tensors));
        value->resize(tensors.size());
        for (size_t i = 0; i < tensors.size(); i++) {
            tensors[i].AsProtoField(&(*value)[i]);
        }
        return Status();
    }
    Status GetAttr(StringPiece name, std::vector<Tensor> *value) const
    {
        int32 count = 0;
        TF_RETURN_IF_ERROR(AttrReader<KernelAttrApi>(ctx_, name).Size(&count, nullptr));
        std::vector<TF_Tensor *> handles(static_cast<size_t>(count > 0 ? count : 0) + 1, nullptr);
        CStatus status;
        TF_OpKernelConstruction_GetAttrTensorList(ctx_, string(name).c_str(), handles.data(),
                                                  static_cast<int>(handles.size()) - 1, status);
        std::vector<Tensor> out;
        for (size_t i = 0; i + 1 < handles.size(); i++) {
            out.push_back(Tensor::Adopt(handles[i]));
        }
        if (status.ok()) {
            value->swap(out);
        }
        return status.ToStatus();
    }
    bool HasAttr(StringPiece name) const
    {
        CStatus status;
        return TF_OpKernelConstruction_HasAttr(ctx_, string(name).c_str(), status);
    }

    int num_inputs() const
    {
        return TF_OpKernelConstruction_NumInputs(ctx_);
    }
    int num_outputs() const
    {
        return TF_OpKernelConstruction_NumOutputs(ctx_);
    }
    DataType input_type(int i) const
    {
        return static_cast<DataType>(TF_OpKernelConstruction_InputType(ctx_, i));
    }
    DataType output_type(int i) const
    {
        return static_cast<DataType>(TF_OpKernelConstruction_OutputType(ctx_, i));
    }
    Status MatchSignature(const DataTypeVector &inputs, const DataTypeVector &outputs) const
    {
        DataTypeVector in, out;
        for (int i = 0; i < num_inputs(); i++) {
            in.push_back(input_type(i));
        }
        for (int i = 0; i < num_outputs(); i++) {
            out.push_back(output_type(i));
        }
        return MatchSignatureHelper(inputs, outputs, in, out);
    }
    DeviceType device_type() const
    {
        return DeviceType(DEVICE_CPU);
    }
    /* Valid as long as the kernel. What the constructor creates there is the plugin's; what the
     * kernel creates later is its session's. */
    ResourceMgr *resource_manager() const
    {
        KeepResourceMgr(manager_);
        return manager_;
    }
    const std::shared_ptr<ResourceMgr> &shared_manager() const
    {
        return shared_manager_;
    }
    Status allocate_temp(DataType type, const TensorShape &shape, Tensor *out) const
    {
        *out = Tensor(type, shape);
        return out->IsInitialized() ? Status()
                                    : errors::ResourceExhausted("no memory for a tensor");
    }
    Status allocate_persistent(DataType type, const TensorShape &shape, PersistentTensor *out,
                               Tensor **tensor) const
    {
        TF_RETURN_IF_ERROR(allocate_temp(type, shape, &out->tensor_));
        if (tensor != nullptr) {
            *tensor = &out->tensor_;
        }
        return Status();
    }
    /* The node as far as code asks for it. Lives as long as this object. */
    const NodeDef &def() const
    {
        if (!def_) {
            CStatus status;
            TF_Buffer *bytes = TF_OpKernelConstruction_GetNodeDef(ctx_, status);
            const TF_StringView name = TF_OpKernelConstruction_GetName(ctx_);
            def_.reset(new NodeDef(
                string(name.data, name.len),
                bytes == nullptr ? string()
                                 : string(static_cast<const char *>(bytes->data), bytes->length)));
            TF_DeleteBuffer(bytes);
        }
        return *def_;
    }
    int graph_def_version() const
    {
        return 0;
    }
    Env *env() const
    {
        return Env::Default();
    }
    FunctionLibraryRuntime *function_library() const
    {
        return nullptr;
    }

    /* First failure wins. */
    void SetStatus(const Status &status)
    {
        if (!status.ok()) {
            status_.Update(status);
            TF_OpKernelConstruction_Failure(ctx_, CStatus(status));
        }
    }
    const Status &status() const
    {
        return status_;
    }
    void CtxFailure(const Status &status)
    {
        SetStatus(status);
    }
    void CtxFailure(const char *, int, const Status &status)
    {
        SetStatus(status);
    }
    void CtxFailureWithWarning(const Status &status)
    {
        SetStatus(status);
    }

  private:
    static Status Whole(StringPiece name, const PartialTensorShape &shape, TensorShape *out)
    {
        if (!shape.AsTensorShape(out)) {
            return errors::InvalidArgument("attribute '", name, "' is the shape ",
                                           shape.DebugString(), ", not a whole one");
        }
        return Status();
    }
    TF_OpKernelConstruction *ctx_;
    ResourceMgr *manager_ = nullptr;
    std::shared_ptr<ResourceMgr> shared_manager_;
    mutable std::unique_ptr<NodeDef> def_;
    Status status_;
};

} // namespace tensorflow

#endif
