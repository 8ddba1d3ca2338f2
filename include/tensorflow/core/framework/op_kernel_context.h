/* SPDX-License-Identifier: Apache-2.0 */
/* OpKernelContext: what a kernel may ask and do while it computes. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_OP_KERNEL_CONTEXT_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_OP_KERNEL_CONTEXT_H_

#include <functional>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <vector>

#include "tensorflow/c/kernels_extension.h"
#include "tensorflow/core/framework/cancellation.h"
#include "tensorflow/core/framework/device_base.h"
#include "tensorflow/core/framework/op_kernel_construction.h"

namespace tensorflow ORIBI_HIDDEN
{

class OpKernel;
class OpKernelContext;
ResourceMgr *AttachedManager(const OpKernel &kernel, TF_OpKernelContext *ctx);

/* The tensors of a list argument. */
class OpInputList
{
  public:
    class Iterator
    {
      public:
        using iterator_category = std::input_iterator_tag;
        using value_type = const Tensor;
        using difference_type = std::ptrdiff_t;
        using pointer = const Tensor *;
        using reference = const Tensor &;
        Iterator(const OpInputList *list, int i) : list_(list), i_(i)
        {
        }
        Iterator &operator++()
        {
            ++i_;
            return *this;
        }
        bool operator==(const Iterator &other) const
        {
            return i_ == other.i_;
        }
        bool operator!=(const Iterator &other) const
        {
            return i_ != other.i_;
        }
        const Tensor &operator*() const
        {
            return (*list_)[i_];
        }

      private:
        const OpInputList *list_;
        int i_;
    };
    OpInputList() = default;
    OpInputList(OpKernelContext *ctx, int start, int stop) : ctx_(ctx), start_(start), stop_(stop)
    {
    }
    int size() const
    {
        return stop_ - start_;
    }
    const Tensor &operator[](int i) const;
    Iterator begin() const
    {
        return Iterator(this, 0);
    }
    Iterator end() const
    {
        return Iterator(this, size());
    }

  private:
    OpKernelContext *ctx_ = nullptr;
    int start_ = 0, stop_ = 0;
};

class OpOutputList
{
  public:
    OpOutputList() = default;
    OpOutputList(OpKernelContext *ctx, int start, int stop) : ctx_(ctx), start_(start), stop_(stop)
    {
    }
    int size() const
    {
        return stop_ - start_;
    }
    Tensor *operator[](int i);
    DataType expected_output_dtype(int i) const;
    Status allocate(int i, const TensorShape &shape, Tensor **out);
    void set(int i, const Tensor &tensor);
    void set(int i, Tensor &&tensor);
    bool required(int i) const
    {
        return i < size();
    }

  private:
    OpKernelContext *ctx_ = nullptr;
    int start_ = 0, stop_ = 0;
};

class OpKernelContext
{
  public:
    OpKernelContext(TF_OpKernelContext *ctx, OpKernel *kernel)
        : ctx_(ctx), kernel_(kernel), cancellation_(ctx),
          inputs_(static_cast<size_t>(TF_NumInputs(ctx))),
          outputs_(static_cast<size_t>(TF_NumOutputs(ctx)))
    {
        for (int i = 0; i < num_inputs() && ReadInput(i); i++) {
        }
    }
    TF_OpKernelContext *c_context() const
    {
        return ctx_;
    }
    const OpKernel &op_kernel() const
    {
        return *kernel_;
    }

    /* --- Inputs --- */
    int num_inputs() const
    {
        return static_cast<int>(inputs_.size());
    }
    DataType input_dtype(int i) const
    {
        return static_cast<DataType>(TF_InputDatatype(ctx_, i));
    }
    Status input_dtype(StringPiece name, DataType *out) const
    {
        int at = 0;
        TF_RETURN_IF_ERROR(One(name, true, &at));
        *out = input_dtype(at);
        return Status();
    }
    bool has_input(int i) const
    {
        return i >= 0 && i < num_inputs() && inputs_[static_cast<size_t>(i)].IsInitialized();
    }
    const Tensor &input(int i) const
    {
        CHECK(i >= 0 && i < num_inputs()) << "input " << i << " of " << num_inputs();
        return inputs_[static_cast<size_t>(i)];
    }
    Tensor mutable_input(int i, bool)
    {
        return input(i);
    }
    Status input(StringPiece name, const Tensor **out) const
    {
        int at = 0;
        TF_RETURN_IF_ERROR(One(name, true, &at));
        *out = &input(at);
        return Status();
    }
    StatusOr<const Tensor *> input(StringPiece name) const
    {
        const Tensor *out = nullptr;
        TF_RETURN_IF_ERROR(input(name, &out));
        return out;
    }
    Status input_list(StringPiece name, OpInputList *out)
    {
        int start = 0, stop = 0;
        TF_RETURN_IF_ERROR(Range(name, true, &start, &stop));
        *out = OpInputList(this, start, stop);
        return Status();
    }
    Status get_input_index(StringPiece name, int *out) const
    {
        return One(name, true, out);
    }
    MemoryType input_memory_type(int) const
    {
        return HOST_MEMORY;
    }
    bool ValidateInputsAreSameShape(OpKernel *)
    {
        for (int i = 1; i < num_inputs(); i++) {
            if (!input(0).IsSameSize(input(i))) {
                SetStatus(
                    errors::InvalidArgument("Inputs must have the same size and shape.  Input 0: ",
                                            input(0).shape().DebugString(), " != input ", i, ": ",
                                            input(i).shape().DebugString()));
                return false;
            }
        }
        return true;
    }

    /* --- Outputs --- */
    int num_outputs() const
    {
        return static_cast<int>(outputs_.size());
    }
    DataType expected_output_dtype(int i) const
    {
        return static_cast<DataType>(TF_ExpectedOutputDataType(ctx_, i));
    }
    bool output_required(int) const
    {
        return true;
    }
    MemoryType output_memory_type(int) const
    {
        return HOST_MEMORY;
    }
    Tensor *mutable_output(int i)
    {
        return outputs_[static_cast<size_t>(i)].tensor.get();
    }
    Status mutable_output(StringPiece name, Tensor **out)
    {
        int at = 0;
        TF_RETURN_IF_ERROR(One(name, false, &at));
        *out = mutable_output(at);
        return Status();
    }
    Status output_list(StringPiece name, OpOutputList *out)
    {
        int start = 0, stop = 0;
        TF_RETURN_IF_ERROR(Range(name, false, &start, &stop));
        *out = OpOutputList(this, start, stop);
        return Status();
    }
    Status allocate_output(int i, const TensorShape &shape, Tensor **out)
    {
        CStatus status;
        const DataType type = expected_output_dtype(i);
        TF_Tensor *handle = TF_AllocateOutput(
            ctx_, i, static_cast<TF_DataType>(type), shape.data(), shape.dims(),
            static_cast<size_t>(shape.num_elements()) * ElementBytes(type), status);
        return Keep(i, handle, status, out);
    }
    Status allocate_output(int i, const TensorShape &shape, Tensor **out, AllocatorAttributes)
    {
        return allocate_output(i, shape, out);
    }
    Status allocate_output(StringPiece name, const TensorShape &shape, Tensor **out)
    {
        int at = 0;
        TF_RETURN_IF_ERROR(One(name, false, &at));
        return allocate_output(at, shape, out);
    }
    Status allocate_output(StringPiece name, const TensorShape &shape, Tensor **out,
                           AllocatorAttributes)
    {
        return allocate_output(name, shape, out);
    }
    Status forward_input_or_allocate_output(gtl::ArraySlice<int> candidates, int i,
                                            const TensorShape &shape, Tensor **out,
                                            int *forwarded = nullptr)
    {
        /* The host forwards only what nobody holds: our handles on the candidates go first, and
         * come back after, since code may still read an input that it asked to forward. */
        CStatus status;
        int taken = -1;
        for (int input : candidates) {
            inputs_[static_cast<size_t>(input)].ReleaseBuffer();
        }
        TF_Tensor *handle = TF_ForwardInputOrAllocateOutput(
            ctx_, candidates.data(), static_cast<int>(candidates.size()), i, shape.data(),
            shape.dims(), &taken, status);
        const Status done = Keep(i, handle, status, out);
        for (int input : candidates) {
            ReadInput(input);
        }
        if (forwarded != nullptr) {
            *forwarded = taken;
        }
        return done;
    }
    Status forward_input_or_allocate_output(gtl::ArraySlice<StringPiece> candidates,
                                            StringPiece output, const TensorShape &shape,
                                            Tensor **out)
    {
        std::vector<int> inputs(candidates.size());
        int at = 0;
        for (size_t i = 0; i < candidates.size(); i++) {
            TF_RETURN_IF_ERROR(One(candidates[i], true, &inputs[i]));
        }
        TF_RETURN_IF_ERROR(One(output, false, &at));
        return forward_input_or_allocate_output(gtl::ArraySlice<int>(inputs), at, shape, out);
    }
    /* A candidate's bytes, when nobody needs them any more and the code holds no other tensor on
     * them; since contract 1.1. */
    Status forward_input_or_allocate_temp(gtl::ArraySlice<int> candidates, DataType type,
                                          const TensorShape &shape, AllocatorAttributes attributes,
                                          Tensor *out)
    {
#if ORIBI_HAS_CONTRACT(1, 1)
        for (int i : candidates) {
            const Tensor &held = inputs_[static_cast<size_t>(i)];
            if (held.dtype() == type && held.RefCountIsOne() &&
                TF_OpKernelContext_MayOverwriteInput(ctx_, i) && out->CopyFrom(held, shape)) {
                return Status();
            }
        }
#else
        (void)candidates;
#endif
        return allocate_temp(type, shape, out, attributes);
    }
    Status allocate_temp(DataType type, const TensorShape &shape, Tensor *out,
                         AllocatorAttributes = AllocatorAttributes())
    {
        CStatus status;
        TF_AllocatorAttributes attributes = {TF_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE, 1};
        TF_Tensor *handle = TF_AllocateTemp(ctx_, static_cast<TF_DataType>(type), shape.data(),
                                            shape.dims(), &attributes, status);
        if (handle != nullptr) {
            *out = Tensor::Adopt(handle);
        }
        return status.ToStatus();
    }
    /* The host is told at the end, by HandOver(): until then the tensor may be written. */
    void set_output(int i, const Tensor &tensor)
    {
        outputs_[static_cast<size_t>(i)].Put(tensor);
    }
    void set_output(int i, Tensor &&tensor)
    {
        set_output(i, static_cast<const Tensor &>(tensor));
    }
    Status set_output(StringPiece name, const Tensor &tensor)
    {
        int at = 0;
        TF_RETURN_IF_ERROR(One(name, false, &at));
        set_output(at, tensor);
        return Status();
    }
    /* Once, when the kernel has computed: tells the host of each output that is another tensor than
     * the one that it allocated, be it set, assigned, copied from or swapped. */
    void HandOver()
    {
        for (int i = 0; status_.ok() && i < num_outputs(); i++) {
            if (outputs_[static_cast<size_t>(i)].IsNews()) {
                SetStatus(HandOver(i, *mutable_output(i)));
            }
        }
    }

    /* --- Failure --- */
    /* First one wins; any thread. */
    void SetStatus(const Status &status)
    {
        if (!status.ok()) {
            std::lock_guard<std::mutex> held(mutex_);
            status_.Update(status);
            TF_OpKernelContext_Failure(ctx_, CStatus(status));
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
    void CtxFailureWithWarning(const char *, int, const Status &status)
    {
        SetStatus(status);
    }

    /* --- Surroundings --- */
    DeviceBase *device() const
    {
        std::lock_guard<std::mutex> held(mutex_);
        if (!device_) {
            device_.reset(new DeviceBase(ctx_));
        }
        return device_.get();
    }
    /* The CPU's; code for another device compiles and ends the process when it is reached. */
    template <typename D> const D &eigen_device() const
    {
        return *Device<D>(device(), 0);
    }
#ifdef ORIBI_HAS_EIGEN_THREADS
    const Eigen::ThreadPoolDevice &eigen_cpu_device() const
    {
        return *device()->eigen_cpu_device();
    }
#endif
    ResourceMgr *resource_manager() const
    {
        return AttachedManager(*kernel_, ctx_);
    }
    CancellationManager *cancellation_manager()
    {
        return &cancellation_;
    }
    int64 step_id() const
    {
        return TF_StepId(ctx_);
    }
    bool is_input_dead() const
    {
        return false;
    }
    int graph_def_version() const
    {
        return TF_GetGraphDefVersion(ctx_);
    }
    AllocatorAttributes input_alloc_attr(int) const
    {
        return AllocatorAttributes();
    }
    AllocatorAttributes output_alloc_attr(int) const
    {
        return AllocatorAttributes();
    }
    void SetNotReady()
    {
    }

  private:
    friend class OpOutputList;
    /* What the kernel sees as an output, and what the host knows of it: nothing, or the place that
     * it allocated, which is no other tensor's before the run's next step. */
    struct Output {
        std::unique_ptr<Tensor> tensor;
        const void *host_data = nullptr;
        TensorShape host_shape;
        DataType host_type = DT_INVALID;

        Tensor *Put(const Tensor &other)
        {
            if (tensor) {
                *tensor = other; /* code may hold a pointer to it */
            } else {
                tensor.reset(new Tensor(other));
            }
            return tensor.get();
        }
        bool IsNews() const
        {
            return tensor && (host_data == nullptr || tensor->data() != host_data ||
                              tensor->dtype() != host_type || !(tensor->shape() == host_shape));
        }
    };
    template <typename D, typename B>
    static auto Device(B *base, int) -> decltype(static_cast<const D *>(base->eigen_cpu_device()))
    {
        return base->eigen_cpu_device();
    }
    template <typename D> static const D *Device(void *, long)
    {
        LOG(FATAL) << "the computation has no such device";
        return nullptr;
    }
    Status Range(StringPiece name, bool is_input, int *start, int *stop) const
    {
        CStatus status;
        TF_InputRange_Args args = {TF_InputRange_Args_STRUCT_SIZE, nullptr, 0, 0, status};
        (is_input ? TF_InputRange : TF_OutputRange)(ctx_, string(name).c_str(), &args);
        *start = args.start;
        *stop = args.stop;
        return status.ToStatus();
    }
    Status One(StringPiece name, bool is_input, int *out) const
    {
        int start = 0, stop = 0;
        TF_RETURN_IF_ERROR(Range(name, is_input, &start, &stop));
        if (stop != start + 1) {
            return errors::InvalidArgument("OpKernel used list-valued ",
                                           is_input ? "input" : "output", " name '", name,
                                           "' when single-valued was expected");
        }
        *out = start;
        return Status();
    }
    Status Keep(int i, TF_Tensor *handle, const CStatus &status, Tensor **out)
    {
        if (handle == nullptr) {
            return status.ok() ? errors::Internal("output ", i, " was not allocated")
                               : status.ToStatus();
        }
        Output &slot = outputs_[static_cast<size_t>(i)];
        *out = slot.Put(Tensor::Adopt(handle));
        slot.host_data = (*out)->data();
        slot.host_shape = (*out)->shape();
        slot.host_type = (*out)->dtype();
        return Status();
    }
    Status HandOver(int i, const Tensor &tensor)
    {
        CStatus status;
        TF_Tensor *own = tensor.HostHandle();
        TF_Tensor *handle = own != nullptr ? own : tensor.NewHandle();
        if (handle == nullptr) {
            return errors::ResourceExhausted("no memory for a tensor handle");
        }
        TF_SetOutput(ctx_, i, handle, status);
        if (own == nullptr) {
            TF_DeleteTensor(handle);
        }
        return status.ToStatus();
    }
    bool ReadInput(int i)
    {
        CStatus status;
        TF_Tensor *handle = nullptr;
        TF_GetInput(ctx_, i, &handle, status);
        SetStatus(status.ToStatus());
        inputs_[static_cast<size_t>(i)] = Tensor::Adopt(handle);
        return status.ok();
    }

    TF_OpKernelContext *ctx_;
    OpKernel *kernel_;
    CancellationManager cancellation_;
    std::vector<Tensor> inputs_;
    std::vector<Output> outputs_;
    Status status_;
    mutable std::mutex mutex_;
    mutable std::unique_ptr<DeviceBase> device_;
};

inline const Tensor &OpInputList::operator[](int i) const
{
    return ctx_->input(start_ + i);
}
inline Tensor *OpOutputList::operator[](int i)
{
    return ctx_->mutable_output(start_ + i);
}
inline DataType OpOutputList::expected_output_dtype(int i) const
{
    return ctx_->expected_output_dtype(start_ + i);
}
inline Status OpOutputList::allocate(int i, const TensorShape &shape, Tensor **out)
{
    return ctx_->allocate_output(start_ + i, shape, out);
}
inline void OpOutputList::set(int i, const Tensor &tensor)
{
    ctx_->set_output(start_ + i, tensor);
}
inline void OpOutputList::set(int i, Tensor &&tensor)
{
    ctx_->set_output(start_ + i, static_cast<const Tensor &>(tensor));
}

} // namespace tensorflow

#endif
