/* SPDX-License-Identifier: Apache-2.0 */
/* OpKernelContext: what a kernel may ask and do while it computes. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_OP_KERNEL_CONTEXT_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_OP_KERNEL_CONTEXT_H_

#include <functional>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <vector>

#include "tensorflow/c/kernels_experimental.h"
#include "tensorflow/c/kernels_extension.h"
#include "tensorflow/core/framework/cancellation.h"
#include "tensorflow/core/framework/device_base.h"
#include "tensorflow/core/framework/op_kernel_construction.h"
#include "tensorflow/core/framework/op_lists.h"
#include "tensorflow/core/platform/env.h"

namespace tensorflow ORIBI_HIDDEN
{

class FunctionLibraryRuntime;
class OpKernel;
class OpKernelContext;
ResourceMgr *AttachedManager(const OpKernel &kernel, TF_OpKernelContext *ctx);

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
    Status mutable_input_list(StringPiece name, OpMutableInputList *)
    {
        OpInputList list;
        TF_RETURN_IF_ERROR(input_list(name, &list));
        return OpMutableInputList::Of(name, list.size());
    }
    void forward_ref_input_to_ref_output(int input, int output)
    {
        TF_OpKernelContext_ForwardRefInputToRefOutput(ctx_, input, output);
    }
    Status get_input_index(StringPiece name, int *out) const
    {
        return One(name, true, out);
    }
    Status get_output_index(StringPiece name, int *out) const
    {
        return One(name, false, out);
    }
    bool input_is_ref(int) const
    {
        return false;
    }
    Status MatchSignature(const DataTypeVector &inputs, const DataTypeVector &outputs) const
    {
        DataTypeVector in, out;
        for (int i = 0; i < num_inputs(); i++) {
            in.push_back(input_dtype(i));
        }
        for (int i = 0; i < num_outputs(); i++) {
            out.push_back(expected_output_dtype(i));
        }
        return MatchSignatureHelper(inputs, outputs, in, out);
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
        if (type == DT_RESOURCE) {
            /* In the host's memory nobody would drop a handle that counts references. */
            *out = outputs_[static_cast<size_t>(i)].Put(Tensor(type, shape));
            return Status();
        }
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
    /* The input's bytes under that shape, or null: when somebody still needs them, or the types or
     * sizes differ. */
    std::unique_ptr<Tensor> forward_input(int input, int, DataType type, const TensorShape &shape,
                                          MemoryType, const AllocatorAttributes &)
    {
        std::unique_ptr<Tensor> out;
#if ORIBI_HAS_CONTRACT(1, 1)
        const Tensor &held = inputs_[static_cast<size_t>(input)];
        if (held.dtype() == type && held.NumElements() == shape.num_elements() &&
            held.RefCountIsOne() && TF_OpKernelContext_MayOverwriteInput(ctx_, input)) {
            out.reset(new Tensor);
            (void)out->CopyFrom(held, shape);
        }
#else
        (void)input, (void)type, (void)shape;
#endif
        return out;
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
    /* Memory of the kernel's own, which outlives the run. */
    Status allocate_persistent(DataType type, const TensorShape &shape, PersistentTensor *out,
                               Tensor **tensor, AllocatorAttributes = AllocatorAttributes())
    {
        out->tensor_ = Tensor(type, shape);
        if (tensor != nullptr) {
            *tensor = &out->tensor_;
        }
        return out->IsInitialized() ? Status()
                                    : errors::ResourceExhausted("no memory for a tensor");
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
    const Eigen::GpuDevice &eigen_gpu_device() const
    {
        return eigen_device<Eigen::GpuDevice>();
    }
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
    Env *env() const
    {
        return Env::Default();
    }
    Allocator *get_allocator(AllocatorAttributes) const
    {
        return cpu_allocator();
    }
    /* Runs a function later, on the host's pool. */
    const std::function<void(std::function<void()>)> *runner() const
    {
        DeviceBase *device = this->device();
        std::lock_guard<std::mutex> held(mutex_);
        if (!runner_) {
            thread::ThreadPool *pool = device->tensorflow_device_thread_pool();
            runner_ = [pool](std::function<void()> fn) { pool->Schedule(std::move(fn)); };
        }
        return &runner_;
    }
    /* There are no functions to call. */
    FunctionLibraryRuntime *function_library() const
    {
        return nullptr;
    }
    absl::optional<ManagedStackTrace> stack_trace() const
    {
        return {};
    }
    /* The host measures memory without the kernel's help. */
    bool track_allocations() const
    {
        return false;
    }
    void record_temp_memory_allocation(int64, const Tensor &)
    {
    }
    void record_persistent_memory_allocation(int64, int64 = -1)
    {
    }
    int64 persistent_memory_allocated() const
    {
        return 0;
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
    template <typename D, typename B>
    static auto Device(B *base, long) -> decltype(static_cast<const D *>(base->eigen_gpu_device()))
    {
        return base->eigen_gpu_device();
    }
    template <typename D> static const D *Device(void *, ...)
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
    mutable std::function<void(std::function<void()>)> runner_;
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
