/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel may ask beyond TensorFlow's kernels.h: input types, shapes and constant values at
 * creation, outputs written with a row stride, the status of the run so far.
 *
 * A kernel that must also load in TensorFlow defines TF_CAPI_WEAK before including this header and
 * tests the function's address. Since 1.0.
 */
#ifndef ORIBI_TENSORFLOW_C_KERNELS_EXTENSION_H_
#define ORIBI_TENSORFLOW_C_KERNELS_EXTENSION_H_

#include "tensorflow/c/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Flat inputs and outputs of the node, list arguments expanded.
 * Context  inside create only.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern int TF_OpKernelConstruction_NumInputs(TF_OpKernelConstruction *ctx);
TF_CAPI_EXPORT extern int TF_OpKernelConstruction_NumOutputs(TF_OpKernelConstruction *ctx);

/* Element type of flat input or output i; 0 (no type) for a bad index.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern TF_DataType TF_OpKernelConstruction_InputType(TF_OpKernelConstruction *ctx,
                                                                    int i);
TF_CAPI_EXPORT extern TF_DataType TF_OpKernelConstruction_OutputType(TF_OpKernelConstruction *ctx,
                                                                     int i);

/* Shape of input i as far as it is known when the kernel is created.
 * Shapes   writes min(rank, max_dims) dims, -1 for an unknown one. A run may bring any shape that
 *          agrees; kernels read the real one from the tensor.
 * Returns  the rank; -1 when it is unknown or i is out of range.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern int TF_OpKernelConstruction_InputShape(TF_OpKernelConstruction *ctx, int i,
                                                             int64_t *dims, int max_dims);

/* A constant as the model stores it: perhaps strided, perhaps one element that stands for all
 * (strides 0), perhaps unaligned. Reading through it costs no copy. */
typedef struct TF_ConstantView {
    size_t struct_size; /* set by the caller: TF_CONSTANT_VIEW_STRUCT_SIZE */
    const void *data;
    const int64_t *dims;    /* rank entries */
    const int64_t *strides; /* rank entries, in bytes, never NULL */
    int32_t rank;
    int32_t dtype; /* a TF_DataType */
} TF_ConstantView;
#define TF_CONSTANT_VIEW_STRUCT_SIZE TF_OFFSET_OF_END(TF_ConstantView, dtype)

/* Is input i the same in every run? Then a view on it, valid while create runs.
 * Returns  false when it is not constant (view untouched).
 */
TF_CAPI_EXPORT extern bool TF_OpKernelConstruction_ConstantView(TF_OpKernelConstruction *ctx, int i,
                                                                TF_ConstantView *view);

/* Constant input i as an ordinary dense tensor.
 * Owns    *tensor is a new handle, the caller deletes it; it stays valid beyond create.
 * Errors  NOT_FOUND when input i is not constant; OUT_OF_RANGE; RESOURCE_EXHAUSTED. *tensor is
 *         NULL then.
 */
TF_CAPI_EXPORT extern void TF_OpKernelConstruction_ConstantInput(TF_OpKernelConstruction *ctx,
                                                                 int i, TF_Tensor **tensor,
                                                                 TF_Status *status);

/* Hint: create has read these bytes of constant input i, seen through its view, and goes on to
 * others. While a large constant is packed, the host may give their pages back to the system, so
 * that the model's bytes and the packed ones are never both in memory.
 * Range   first byte and count; bytes outside the constant are ignored. Ranges may overlap and come
 *         in any order; some 1 MiB at a time is worth a call.
 * Effect  none on what the view shows: bytes that are read again come back, at the cost of a fault.
 *         Never fails.
 */
TF_CAPI_EXPORT extern void TF_OpKernelConstruction_ConstantRead(TF_OpKernelConstruction *ctx, int i,
                                                                const void *from, size_t bytes);

/* Promise: this kernel packed its own copy of constant input i and never reads it in compute. The
 * host may give the bytes back once all consumers have promised. TF_GetInput of it then fails with
 * FAILED_PRECONDITION. */
TF_CAPI_EXPORT extern void TF_OpKernelConstruction_ReleaseConstant(TF_OpKernelConstruction *ctx,
                                                                   int i);

/* Declares that the kernel writes output i of any rank >= 1 with the row stride that
 * TF_OutputRowStride tells, so that a planner may let it write into the middle of a
 * concatenation. Call it on the builder before registration; i < 64. */
TF_CAPI_EXPORT extern void TF_KernelBuilder_StridedOutput(TF_KernelBuilder *builder, int i)
    __attribute__((weak));

/* Elements from the start of one row (innermost dimension) of output i to the next. Equals the last
 * dimension unless the kernel declared TF_KernelBuilder_StridedOutput. Call it after the output was
 * allocated.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern int64_t TF_OutputRowStride(TF_OpKernelContext *ctx, int i);

/* The same as TF_InputRange for a named output argument: half-open range of flat indices; start =
 * stop = -1 and INVALID_ARGUMENT for an unknown name.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern void TF_OutputRange(TF_OpKernelContext *ctx, const char *name,
                                          TF_InputRange_Args *args);

/* Copies the run context's status (first failure so far) into *status. */
TF_CAPI_EXPORT extern void TF_OpKernelContext_UpdateStatus(TF_OpKernelContext *ctx,
                                                           TF_Status *status);

/* True once the run was cancelled or its deadline passed; long loops ask now and then.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern bool TF_OpKernelContext_IsCancelled(TF_OpKernelContext *ctx);

/* Value of a plugin option (`--plugin p.so:key=val`) while the plugin's init runs; NULL when it was
 * not given. Borrowed, lives as long as the process. A weak reference: NULL in TensorFlow. */
TF_CAPI_EXPORT extern const char *TF_PluginOption(const char *key) __attribute__((weak));

#if ORIBI_HAS_CONTRACT(1, 1)
/* May compute use the bytes of input i as memory of its own from here on? True when nobody reads
 * the value after this node and no output of it is planned to lie there; false in doubt, and for
 * strings. Since 1.1.
 * Context  compute, on the thread that it was called on, with at most one handle of the input open.
 *          The bytes are the kernel's until compute ends; outputs then no longer take the input
 * over while a handle of it is open.
 * @context own-thread no-allocation
 */
TF_CAPI_EXPORT extern bool TF_OpKernelContext_MayOverwriteInput(TF_OpKernelContext *ctx, int i);
#endif

#if ORIBI_HAS_CONTRACT(1, 3)
/* The functions of a kernel with a pointer of the author's in front of each: one function serves
 * many registrations, and a language's closure needs no trampoline. */
typedef struct TF_KernelFunctions {
    size_t struct_size; /* TF_KERNEL_FUNCTIONS_STRUCT_SIZE */
    void *data;
    /* As those of TF_NewKernelBuilder and TF_NewAsyncKernelBuilder. create and destroy may be NULL;
     * of compute and compute_async one is set, the other NULL. `kernel` is what create returned. */
    void *(*create)(void *data, TF_OpKernelConstruction *ctx);
    void (*compute)(void *data, void *kernel, TF_OpKernelContext *ctx);
    void (*compute_async)(void *data, void *kernel, TF_OpKernelContext *ctx,
                          TF_AsyncOpKernelDoneCallback *done);
    void (*destroy)(void *data, void *kernel);
    /* Runs once when the builder goes without a registration; a registered kernel lives for ever.
     * May be NULL. */
    void (*delete_data)(void *data);
} TF_KernelFunctions;
#define TF_KERNEL_FUNCTIONS_STRUCT_SIZE TF_OFFSET_OF_END(TF_KernelFunctions, delete_data)

/* TF_NewKernelBuilder for functions with data.
 * Owns     the struct and the names are copied. data belongs to the builder from here on, and to
 *          the process once it is registered; NULL (no memory): it stays the caller's.
 * Context  any thread; as TF_NewKernelBuilder. compute may run on several threads at once with the
 *          same data.
 * Errors   none here; TF_RegisterKernelBuilder says INVALID_ARGUMENT of a NULL or smaller struct,
 *          and of one that has neither or both of compute and compute_async.
 * Since    1.3
 */
TF_CAPI_EXPORT extern TF_KernelBuilder *
TF_NewKernelBuilderWithData(const char *op_name, const char *device_name,
                            const TF_KernelFunctions *functions);

/* Calls fn(object) once if the run stops before this node is done: it was cancelled, passed its
 * time limit, or another node failed. A kernel that blocks, or whose `done` may take long, gives up
 * there. One for each node and run: another one takes its place, fn NULL takes it back. The host
 * takes it back when compute returns, or, for an asynchronous kernel, in `done`. Since 1.3.
 * Owns     object stays the kernel's; it must live until the function was called or taken back.
 * Context  any thread, while the node computes; allocates nothing, but the first call of a process
 *          starts a thread. fn is called on a thread of the host, with no lock held, and may call
 *          `done` and TF_OpKernelContext_Failure. Taking back waits for a call that another thread
 *          is in: hold no lock that fn takes.
 * Returns  with fn: false when the run has stopped already, and fn will not be called. With NULL:
 *          false when there is nothing to take back, because fn was called or never given.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern bool TF_OpKernelContext_OnCancel(TF_OpKernelContext *ctx,
                                                       void (*fn)(void *object), void *object);

#endif
#if ORIBI_HAS_CONTRACT(1, 4)
/* What a kernel makes of constant inputs once and reads in every compute: packed weights. */
typedef struct TF_PackedConstant {
    size_t struct_size; /* TF_PACKED_CONSTANT_STRUCT_SIZE */
    uint64_t inputs;    /* bit i: the bytes depend on constant input i; i < 64 */
    /* Names all else that they depend on, attributes, shapes and a version of the code included:
     * "panels.1 width 16 groups 2". */
    const char *layout;
    size_t bytes;
    void (*fill)(void *arg, void *to); /* writes all `bytes` bytes of `to`; cannot fail */
    void *arg;
} TF_PackedConstant;
#define TF_PACKED_CONSTANT_STRUCT_SIZE TF_OFFSET_OF_END(TF_PackedConstant, arg)

/* Packed constants: memory of the host that `fill` has written, now or earlier. Kernels that ask
 * for the same bytes (kernel, inputs, layout) in several sessions of a model share them, and a file
 * of `oribi pack` has them: then fill is not called, and the constants themselves are not in
 * memory. So what create does may depend on their types and shapes, but not on their values, except
 * for inputs that it does not give back by TF_OpKernelConstruction_ReleaseConstant. Shapes   bytes
 * comes from shapes and attributes alone: a packed file is untrusted, whatever it holds is as long
 * as `bytes` says, and its content may be any bits. Offsets or counts do not belong there. Owns the
 * host; aligned to 64 bytes, read only, valid until destroy has returned. The struct and the text
 * are copied. Context  inside create only. fill runs inside this call and may call
 *          TF_OpKernelConstruction_ConstantRead, but not this function.
 * Errors   NULL with RESOURCE_EXHAUSTED: no memory; INVALID_ARGUMENT: a NULL or smaller struct, no
 *          layout, no fill; FAILED_PRECONDITION: the model is a packed file made for other kernels.
 *          Hand the status to TF_OpKernelConstruction_Failure.
 * Since    1.4
 */
TF_CAPI_EXPORT extern const void *
TF_OpKernelConstruction_PackedConstant(TF_OpKernelConstruction *ctx,
                                       const TF_PackedConstant *packed, TF_Status *status);

/* A tensor that may outlive the run, such as an element of a list (variant.h): TF_AllocateTemp's
 * memory is the run's own.
 * Owns     the caller. Elements that own memory begin empty; others are not set.
 * Context  compute. The memory counts against the limit of the session as long as it lives, 256
 *          bytes at least.
 * Errors   NULL: INVALID_ARGUMENT, no such type or dims; RESOURCE_EXHAUSTED: the limit, or no
 *          memory.
 * Since    1.4
 */
TF_CAPI_EXPORT extern TF_Tensor *TF_AllocateLasting(TF_OpKernelContext *ctx, TF_DataType dtype,
                                                    const int64_t *dims, int num_dims,
                                                    TF_Status *status);
#endif

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ORIBI_TENSORFLOW_C_KERNELS_EXTENSION_H_ */
