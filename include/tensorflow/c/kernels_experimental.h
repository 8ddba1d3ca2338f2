/* SPDX-License-Identifier: Apache-2.0 */
/* Variables behind resource handles, locks over them, and what else TensorFlow calls experimental.
 *
 * Graphs here have no reference types: functions on reference inputs say FAILED_PRECONDITION. The
 * host knows no arithmetic of objects in variants: TF_AddNVariant and TF_ZerosLikeVariant say
 * UNIMPLEMENTED.
 */
#ifndef ORIBI_TENSORFLOW_C_KERNELS_EXPERIMENTAL_H_
#define ORIBI_TENSORFLOW_C_KERNELS_EXPERIMENTAL_H_

#include "tensorflow/c/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Locks on variables, taken in one order so that kernels never wait for each other. */
typedef struct TF_VariableInputLockHolder TF_VariableInputLockHolder;

/* Value tensor stored in variable (copy via copyFunc only in copy-on-read mode); creates
 * variable if absent.
 * Errors  shape mismatch with validate_shape -> context failure INVALID_ARGUMENT; note: failure
 *   goes to ctx, status may stay unset.
 */
TF_CAPI_EXPORT extern void
TF_AssignVariable(TF_OpKernelContext *ctx, int input_index, int value_index, bool validate_shape,
                  void (*copyFunc)(TF_OpKernelContext *, TF_Tensor *, TF_Tensor *),
                  TF_Status *status);

/* As above for ref variables.
 * Errors  copyFunc(ctx, source, dest): callback owns and deletes both tensors.
 */
TF_CAPI_EXPORT extern void
TF_AssignRefVariable(TF_OpKernelContext *ctx, int input_ref_index, int output_ref_index,
                     int value_index, bool use_locking, bool validate_shape,
                     void (*copyFunc)(TF_OpKernelContext *, TF_Tensor *, TF_Tensor *),
                     TF_Status *status);

/* UpdateFunc(ctx, var, value, Op); Op is opaque to core (plugins use 0=add 1=sub).
 * Errors  unknown variable -> process abort; shape mismatch -> ctx failure.
 */
TF_CAPI_EXPORT extern void TF_AssignUpdateVariable(
    TF_OpKernelContext *ctx, int input_index, int value_index, int Op, int isVariantType,
    void (*copyFunc)(TF_OpKernelContext *, TF_Tensor *, TF_Tensor *),
    void (*updateFunc)(TF_OpKernelContext *, TF_Tensor *, TF_Tensor *, int), TF_Status *status);

/* Creates named temp in step container, output 0 is ref. */
TF_CAPI_EXPORT extern void
TF_TemporaryVariable(TF_OpKernelContext *ctx, TF_DataType dtype, const int64_t *dims, int num_dims,
                     TF_StringView *var_name,
                     void (*plugin_allocator)(TF_OpKernelContext *, TF_Tensor *, TF_DataType,
                                              const int64_t *, int, TF_Status *),
                     TF_Status *tf_status);

/* Removes it.
 * Errors  non-ref input or unknown name -> error.
 */
TF_CAPI_EXPORT extern void TF_DestroyTemporaryVariable(TF_OpKernelContext *ctx, const int index,
                                                       TF_StringView *var_name,
                                                       TF_Status *tf_status);

/* *lockHolder new; release with TF_ReleaseVariableInputLockHolder.
 * Errors  locks sorted by address; do_lock=false and no resource inputs -> empty holder.
 */
TF_CAPI_EXPORT extern void TF_MaybeLockVariableInputMutexesInOrder(
    TF_OpKernelContext *ctx, bool do_lock, bool sparse, const int *const inputs, size_t len,
    void (*copyFunc)(TF_OpKernelContext *, TF_Tensor *, TF_Tensor *),
    TF_VariableInputLockHolder **lockHolder, TF_Status *status);

/* *out new TF_Tensor on variable storage; caller deletes.
 * Errors  status mirrors ctx status.
 */
TF_CAPI_EXPORT extern void
TF_GetInputTensorFromVariable(TF_OpKernelContext *ctx, int input, bool lock_held,
                              bool isVariantType, bool sparse,
                              void (*copyFunc)(TF_OpKernelContext *, TF_Tensor *, TF_Tensor *),
                              TF_Tensor **out, TF_Status *status);

/* No-op for RESOURCE inputs. */
TF_CAPI_EXPORT extern void TF_OpKernelContext_ForwardRefInputToRefOutput(TF_OpKernelContext *ctx,
                                                                         int32_t input_index,
                                                                         int32_t output_index);

/* Unlocks and frees.
 * Errors  NULL ok.
 */
TF_CAPI_EXPORT extern void
TF_ReleaseVariableInputLockHolder(TF_VariableInputLockHolder *lockHolder);

/* New TF_Tensor; caller deletes.
 * Errors  unknown name / list arg -> INVALID_ARGUMENT; *tensor untouched.
 */
TF_CAPI_EXPORT extern void TF_GetInputByName(TF_OpKernelContext *ctx, const char *inputName,
                                             TF_Tensor **tensor, TF_Status *status);

/* Writes rank dims.
 * Errors  num_dims != rank -> INVALID_ARGUMENT "Expected rank is A but actual rank is B";
 *   unknown dims fail.
 */
TF_CAPI_EXPORT extern void
TF_OpKernelConstruction_GetAttrTensorShape(TF_OpKernelConstruction *ctx, const char *attr_name,
                                           int64_t *dims, size_t num_dims, TF_Status *status);

/* Bool.
 * Errors  OUT_OF_RANGE -> false.
 */
TF_CAPI_EXPORT extern bool TF_IsRefInput(TF_OpKernelContext *ctx, int i, TF_Status *status);

/* Unwraps Variant lists, calls back on inner tensors.
 * Errors  callback owns tensors.
 */
TF_CAPI_EXPORT extern void TF_AddNVariant(TF_OpKernelContext *ctx,
                                          void (*binary_add_func)(TF_OpKernelContext *, TF_Tensor *,
                                                                  TF_Tensor *, TF_Tensor *),
                                          TF_Status *status);

/* Same. */
TF_CAPI_EXPORT extern void TF_ZerosLikeVariant(TF_OpKernelContext *ctx,
                                               void (*zeros_like_func)(TF_OpKernelContext *,
                                                                       TF_Tensor *, TF_Tensor *),
                                               TF_Status *status);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ORIBI_TENSORFLOW_C_KERNELS_EXPERIMENTAL_H_ */
