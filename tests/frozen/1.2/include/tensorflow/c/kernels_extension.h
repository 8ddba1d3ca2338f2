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
 */
TF_CAPI_EXPORT extern int TF_OpKernelConstruction_NumInputs(TF_OpKernelConstruction *ctx);
TF_CAPI_EXPORT extern int TF_OpKernelConstruction_NumOutputs(TF_OpKernelConstruction *ctx);

/* Element type of flat input or output i; 0 (no type) for a bad index. */
TF_CAPI_EXPORT extern TF_DataType TF_OpKernelConstruction_InputType(TF_OpKernelConstruction *ctx,
                                                                    int i);
TF_CAPI_EXPORT extern TF_DataType TF_OpKernelConstruction_OutputType(TF_OpKernelConstruction *ctx,
                                                                     int i);

/* Shape of input i as far as it is known when the kernel is created.
 * Shapes   writes min(rank, max_dims) dims, -1 for an unknown one. A run may bring any shape that
 *          agrees; kernels read the real one from the tensor.
 * Returns  the rank; -1 when it is unknown or i is out of range.
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
TF_CAPI_EXPORT extern void TF_KernelBuilder_StridedOutput(TF_KernelBuilder *builder, int i);

/* Elements from the start of one row (innermost dimension) of output i to the next. Equals the last
 * dimension unless the kernel declared TF_KernelBuilder_StridedOutput. Call it after the output was
 * allocated. */
TF_CAPI_EXPORT extern int64_t TF_OutputRowStride(TF_OpKernelContext *ctx, int i);

/* The same as TF_InputRange for a named output argument: half-open range of flat indices; start =
 * stop = -1 and INVALID_ARGUMENT for an unknown name. */
TF_CAPI_EXPORT extern void TF_OutputRange(TF_OpKernelContext *ctx, const char *name,
                                          TF_InputRange_Args *args);

/* Copies the run context's status (first failure so far) into *status. */
TF_CAPI_EXPORT extern void TF_OpKernelContext_UpdateStatus(TF_OpKernelContext *ctx,
                                                           TF_Status *status);

/* True once the run was cancelled or its deadline passed; long loops ask now and then. */
TF_CAPI_EXPORT extern bool TF_OpKernelContext_IsCancelled(TF_OpKernelContext *ctx);

/* Value of a plugin option (`--plugin p.so:key=val`) while the plugin's init runs; NULL when it was
 * not given. Borrowed, lives as long as the process. */
TF_CAPI_EXPORT extern const char *TF_PluginOption(const char *key);

#if ORIBI_HAS_CONTRACT(1, 1)
/* May compute use the bytes of input i as memory of its own from here on? True when nobody reads
 * the value after this node and no output of it is planned to lie there; false in doubt, and for
 * strings. Since 1.1.
 * Context  compute, on the thread that it was called on, with at most one handle of the input open.
 *          The bytes are the kernel's until compute ends; outputs then no longer take the input
 * over while a handle of it is open. */
TF_CAPI_EXPORT extern bool TF_OpKernelContext_MayOverwriteInput(TF_OpKernelContext *ctx, int i);
#endif

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ORIBI_TENSORFLOW_C_KERNELS_EXTENSION_H_ */
