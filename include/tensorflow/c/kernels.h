/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels: builder, registration, construction and run contexts. Pool: thread_pool.h; constants:
 * kernels_extension.h.
 */
#ifndef ORIBI_TENSORFLOW_C_KERNELS_H_
#define ORIBI_TENSORFLOW_C_KERNELS_H_

#include "tensorflow/c/c_api_macros.h"
#include "tensorflow/c/experimental/stream_executor/stream_executor.h"
#include "tensorflow/c/tf_buffer.h"
#include "tensorflow/c/tf_datatype.h"
#include "tensorflow/c/tf_status.h"
#include "tensorflow/c/tf_tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TF_KernelBuilder TF_KernelBuilder;
typedef struct TF_OpKernelConstruction TF_OpKernelConstruction;
typedef struct TF_OpKernelContext TF_OpKernelContext;
typedef struct TF_AsyncOpKernelDoneCallback TF_AsyncOpKernelDoneCallback;

/* Text that the callee keeps; NUL-terminated here, although TensorFlow does not promise it. */
typedef struct TF_StringView {
    const char *data;
    size_t len;
} TF_StringView;

/* In and out of TF_InputRange. The caller sets struct_size and status. */
typedef struct TF_InputRange_Args {
    size_t struct_size;
    void *priv;
    int start;
    int stop;
    TF_Status *status;
} TF_InputRange_Args;
#define TF_InputRange_Args_STRUCT_SIZE TF_OFFSET_OF_END(TF_InputRange_Args, status)

/* 32 bytes, by value; only next-pluggable-device plugins use it. */
typedef struct TF_RendezvousThunk {
    void *rendezvous;
    void (*send_func)(void *, void *);
    void (*async_recv_func)(void *, void *);
    void (*start_abort_func)(void *, const TF_Status *);
} TF_RendezvousThunk;

/* Runs done once.
 * Errors  core must keep the object alive until this call (TF's own is stack-based).
 */
TF_CAPI_EXPORT extern void TF_RunAsyncOpKernelDoneCallback(TF_AsyncOpKernelDoneCallback *);

/* Implemented by the plugin.
 * Errors  called once at pluggable-device load; no status: plugin must abort or log on failure.
 */
TF_CAPI_EXPORT extern void TF_InitKernel(void);

/* Caller owns until Register/Delete; strings copied.
 * Errors  create/delete may be NULL; compute must not. device_name is a device type string:
 *   "CPU", "GPU", "DEFAULT" or plugin type.
 */
TF_CAPI_EXPORT extern TF_KernelBuilder *TF_NewKernelBuilder(
    const char *op_name, const char *device_name, void *(*create_func)(TF_OpKernelConstruction *),
    void (*compute_func)(void *, TF_OpKernelContext *), void (*delete_func)(void *));

/* Same.
 * Errors  compute_async returns at once, later runs the done callback exactly once.
 */
TF_CAPI_EXPORT extern TF_KernelBuilder *TF_NewAsyncKernelBuilder(
    const char *op_name, const char *device_name, void *(*create_func)(TF_OpKernelConstruction *),
    void (*compute_async_func)(void *, TF_OpKernelContext *, TF_AsyncOpKernelDoneCallback *),
    void (*delete_func)(void *));

/* Adds one constraint {attr, [type]}.
 * Errors  UNIMPLEMENTED "Unexpected type N" for INVALID and *_REF, and in TensorFlow and in hosts
 *   before contract 1.3 for float8, float4, int4 and int2 kinds; else OK. Two calls on one attr =
 *   both must hold (never matches) -> register one builder per type.
 */
TF_CAPI_EXPORT extern void TF_KernelBuilder_TypeConstraint(TF_KernelBuilder *kernel_builder,
                                                           const char *attr_name,
                                                           const TF_DataType type,
                                                           TF_Status *status);

/* Adds arg name.
 * Errors  not checked here; a name absent from the OpDef is INVALID_ARGUMENT (fatal in TF) at
 *   first registry validation.
 */
TF_CAPI_EXPORT extern void TF_KernelBuilder_HostMemory(TF_KernelBuilder *kernel_builder,
                                                       const char *arg_name);

/* Overwrites. */
TF_CAPI_EXPORT extern void TF_KernelBuilder_Priority(TF_KernelBuilder *kernel_builder,
                                                     int32_t priority_number);

/* Sets label.
 * Errors  TF dies (CHECK) if set twice to different text.
 */
TF_CAPI_EXPORT extern void TF_KernelBuilder_Label(TF_KernelBuilder *kernel_builder,
                                                  const char *label);

/* Takes builder on success and failure.
 * Errors  always OK in TF; unknown op or duplicates are not detected here. kernel_name is a free
 *   label (class name).
 */
TF_CAPI_EXPORT extern void TF_RegisterKernelBuilder(const char *kernel_name,
                                                    TF_KernelBuilder *builder, TF_Status *status);

/* Same; bytes override the builder's KernelDef.
 * Errors  NULL bytes -> as above. Parsed as a C string (stops at first 0 byte). Parse failure ->
 *   INVALID_ARGUMENT and the builder leaks.
 */
TF_CAPI_EXPORT extern void TF_RegisterKernelBuilderWithKernelDef(const char *serialized_kernel_def,
                                                                 const char *name,
                                                                 TF_KernelBuilder *builder,
                                                                 TF_Status *status);

/* Frees.
 * Errors  NULL ok. After a Register that succeeded nothing happens (since 1.3; older hosts crash);
 *   never after one that failed.
 */
TF_CAPI_EXPORT extern void TF_DeleteKernelBuilder(TF_KernelBuilder *builder);

/* Borrowed SP_Stream.
 * Errors  non-pluggable device -> NULL + FAILED_PRECONDITION.
 */
TF_CAPI_EXPORT extern SP_Stream TF_GetStream(TF_OpKernelContext *ctx, TF_Status *status);

/* List args expanded.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern int TF_NumInputs(TF_OpKernelContext *ctx);

/* List args expanded.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern int TF_NumOutputs(TF_OpKernelContext *ctx);

/* New TF_Tensor sharing the buffer; caller deletes.
 * Errors  OUT_OF_RANGE bad i; FAILED_PRECONDITION uninitialised tensor; absent (dead) input ->
 *   *tensor=NULL, status left as it was. *tensor untouched on error. Ref inputs: use variable
 *   API.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern void TF_GetInput(TF_OpKernelContext *ctx, int i, TF_Tensor **tensor,
                                       TF_Status *status);

/* Fills args->start, args->stop (half-open).
 * Errors  caller presets struct_size and args->status; unknown name -> start=stop=-1,
 *   INVALID_ARGUMENT.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern void TF_InputRange(TF_OpKernelContext *ctx, const char *name,
                                         TF_InputRange_Args *args);

/* Errors  bad index aborts.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern TF_DataType TF_InputDatatype(TF_OpKernelContext *ctx, int index);

/* Context takes a reference; caller still deletes its tensor.
 * Errors  OUT_OF_RANGE bad i. dtype mismatch is caught after Compute (INTERNAL "Output i of type
 *   A does not match declared output type B").
 * @context no-allocation
 */
TF_CAPI_EXPORT extern void TF_SetOutput(TF_OpKernelContext *ctx, int i, const TF_Tensor *tensor,
                                        TF_Status *status);

/* New TF_Tensor sharing output i; caller deletes.
 * Errors  OUT_OF_RANGE -> NULL. Output not yet allocated: crash.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern TF_Tensor *TF_GetMutableOutput(TF_OpKernelContext *ctx, int i,
                                                     TF_Status *status);

/* Fills caller's empty TF_Buffer.
 * Errors  INVALID_ARGUMENT if buffer already holds data.
 */
TF_CAPI_EXPORT extern void
TF_GetSerializedFunctionDefLibrary(TF_OpKernelContext *ctx,
                                   TF_Buffer *serialized_function_def_library, TF_Status *status);

/* Fills caller's empty TF_Buffer (may be 0 bytes).
 * Errors  same.
 */
TF_CAPI_EXPORT extern void TF_GetSerializedConfigProto(TF_OpKernelContext *ctx,
                                                       TF_Buffer *serialized_config_proto,
                                                       TF_Status *status);

/* Fills caller's empty TF_Buffer.
 * Errors  input i must be a resource.
 */
TF_CAPI_EXPORT extern void
TF_GetSerializedResourceHandleProto(TF_OpKernelContext *ctx, int i,
                                    TF_Buffer *serialized_resource_handle_proto, TF_Status *status);

/* Copies status.
 * Errors  first failure wins; OK status has no effect. Object returned by create is still passed
 *   to delete_func (may be NULL).
 */
TF_CAPI_EXPORT extern void TF_OpKernelConstruction_Failure(TF_OpKernelConstruction *ctx,
                                                           TF_Status *status);

/* Copies status; caller keeps it.
 * Errors  first failure wins; does not unwind - kernel must return itself.
 */
TF_CAPI_EXPORT extern void TF_OpKernelContext_Failure(TF_OpKernelContext *ctx, TF_Status *status);

/* Declared dtype of output i.
 * Errors  bad index aborts.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern TF_DataType TF_ExpectedOutputDataType(TF_OpKernelContext *ctx, int i);

/* Errors  OUT_OF_RANGE -> false.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern bool TF_IsHostMemoryInput(TF_OpKernelContext *ctx, int i, TF_Status *status);

/* Errors  OUT_OF_RANGE -> false.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern bool TF_IsHostMemoryOutput(TF_OpKernelContext *ctx, int i, TF_Status *status);

/* Session step counter.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern int64_t TF_StepId(TF_OpKernelContext *ctx);

/* New TF_Buffer with NodeDef; caller deletes.
 * Errors  NULL on error.
 */
TF_CAPI_EXPORT extern TF_Buffer *TF_OpKernelConstruction_GetNodeDef(TF_OpKernelConstruction *ctx,
                                                                    TF_Status *status);

/* 0 outside v1 loops.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern uint64_t TF_GetFrameId(TF_OpKernelContext *ctx);

/* 0 outside v1 loops.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern int64_t TF_GetIterId(TF_OpKernelContext *ctx);

/* = TF_StepId.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern int64_t TF_GetStepId(TF_OpKernelContext *ctx);

/* Device ordinal.
 * Errors  -1 if unknown.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern int TF_GetDeviceId(TF_OpKernelContext *ctx);

/* Borrowed view, e.g. "/job:localhost/replica:0/task:0/device:CPU:0".
 * @context no-allocation
 */
TF_CAPI_EXPORT extern TF_StringView TF_GetDeviceName(TF_OpKernelContext *ctx);

/* Struct by value.
 * Errors  next-pluggable-device only.
 */
TF_CAPI_EXPORT extern TF_RendezvousThunk TF_GetRendezvous(TF_OpKernelContext *ctx);

/* Producer version.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern int TF_GetGraphDefVersion(TF_OpKernelContext *ctx);

/* Borrowed view, lives as long as kernel.
 * Errors  node name.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern TF_StringView TF_GetOpKernelName(TF_OpKernelContext *ctx);

/* Borrowed view.
 * Errors  "localhost" by default.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern TF_StringView TF_GetResourceMgrDefaultContainerName(TF_OpKernelContext *ctx);

/* Borrowed view: input edge text from NodeDef.
 * Errors  bad index undefined.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern TF_StringView TF_GetOpKernelRequestedInput(TF_OpKernelContext *ctx,
                                                                 size_t index);

/* Writes two int32; see table 2.3.
 * Errors  missing -> both -1, INVALID_ARGUMENT "Operation 'n' has no attr named 'a'." On success
 *   status is not reset: pass a clean one.
 */
TF_CAPI_EXPORT extern void
TF_OpKernelConstruction_GetAttrSize(TF_OpKernelConstruction *ctx, const char *attr_name,
                                    int32_t *list_size, int32_t *total_size, TF_Status *status);

/* Writes *val on OK.
 * Errors  missing -> NOT_FOUND; wrong kind -> INVALID_ARGUMENT; *val untouched.
 */
TF_CAPI_EXPORT extern void TF_OpKernelConstruction_GetAttrType(TF_OpKernelConstruction *ctx,
                                                               const char *attr_name,
                                                               TF_DataType *val, TF_Status *status);

/* Writes *val on OK.
 * Errors  missing -> NOT_FOUND; wrong kind -> INVALID_ARGUMENT; value outside int32 ->
 *   INVALID_ARGUMENT; *val untouched.
 */
TF_CAPI_EXPORT extern void TF_OpKernelConstruction_GetAttrInt32(TF_OpKernelConstruction *ctx,
                                                                const char *attr_name, int32_t *val,
                                                                TF_Status *status);

/* Writes *val on OK.
 * Errors  missing -> NOT_FOUND; wrong kind -> INVALID_ARGUMENT; *val untouched.
 */
TF_CAPI_EXPORT extern void TF_OpKernelConstruction_GetAttrInt64(TF_OpKernelConstruction *ctx,
                                                                const char *attr_name, int64_t *val,
                                                                TF_Status *status);

/* Writes *val on OK.
 * Errors  missing -> NOT_FOUND; wrong kind -> INVALID_ARGUMENT; *val untouched.
 */
TF_CAPI_EXPORT extern void TF_OpKernelConstruction_GetAttrFloat(TF_OpKernelConstruction *ctx,
                                                                const char *attr_name, float *val,
                                                                TF_Status *status);

/* Writes *val on OK.
 * Errors  missing -> NOT_FOUND; wrong kind -> INVALID_ARGUMENT; *val untouched.
 */
TF_CAPI_EXPORT extern void TF_OpKernelConstruction_GetAttrBool(TF_OpKernelConstruction *ctx,
                                                               const char *attr_name, TF_Bool *val,
                                                               TF_Status *status);

/* Copies min(len, max_length) bytes, no NUL.
 * Errors  missing -> NOT_FOUND; max_length 0 -> nothing written, OK.
 */
TF_CAPI_EXPORT extern void TF_OpKernelConstruction_GetAttrString(TF_OpKernelConstruction *ctx,
                                                                 const char *attr_name, char *val,
                                                                 size_t max_length,
                                                                 TF_Status *status);

/* *val = NULL first; on OK new TF_Tensor, caller deletes.
 * Errors  missing -> NOT_FOUND.
 */
TF_CAPI_EXPORT extern void TF_OpKernelConstruction_GetAttrTensor(TF_OpKernelConstruction *ctx,
                                                                 const char *attr_name,
                                                                 TF_Tensor **val,
                                                                 TF_Status *status);

/* Writes min(max_vals, n) items.
 * Errors  missing -> INVALID_ARGUMENT; not a list / wrong kind -> INVALID_ARGUMENT; silent
 *   truncation.
 */
TF_CAPI_EXPORT extern void TF_OpKernelConstruction_GetAttrTypeList(TF_OpKernelConstruction *ctx,
                                                                   const char *attr_name,
                                                                   TF_DataType *vals, int max_vals,
                                                                   TF_Status *status);

/* Writes min(max_vals, n) items.
 * Errors  missing -> INVALID_ARGUMENT; not a list / wrong kind -> INVALID_ARGUMENT; silent
 *   truncation; int64->int32 cast unchecked.
 */
TF_CAPI_EXPORT extern void TF_OpKernelConstruction_GetAttrInt32List(TF_OpKernelConstruction *ctx,
                                                                    const char *attr_name,
                                                                    int32_t *vals, int max_vals,
                                                                    TF_Status *status);

/* Writes min(max_vals, n) items.
 * Errors  missing -> INVALID_ARGUMENT; not a list / wrong kind -> INVALID_ARGUMENT; silent
 *   truncation.
 */
TF_CAPI_EXPORT extern void TF_OpKernelConstruction_GetAttrInt64List(TF_OpKernelConstruction *ctx,
                                                                    const char *attr_name,
                                                                    int64_t *vals, int max_vals,
                                                                    TF_Status *status);

/* Writes min(max_vals, n) items.
 * Errors  missing -> INVALID_ARGUMENT; not a list / wrong kind -> INVALID_ARGUMENT; silent
 *   truncation.
 */
TF_CAPI_EXPORT extern void TF_OpKernelConstruction_GetAttrFloatList(TF_OpKernelConstruction *ctx,
                                                                    const char *attr_name,
                                                                    float *vals, int max_vals,
                                                                    TF_Status *status);

/* Writes min(max_vals, n) items.
 * Errors  missing -> INVALID_ARGUMENT; not a list / wrong kind -> INVALID_ARGUMENT; silent
 *   truncation.
 */
TF_CAPI_EXPORT extern void TF_OpKernelConstruction_GetAttrBoolList(TF_OpKernelConstruction *ctx,
                                                                   const char *attr_name,
                                                                   TF_Bool *vals, int max_vals,
                                                                   TF_Status *status);

/* Values[i] point into storage; lengths[i]; no NULs.
 * Errors  storage too small -> INVALID_ARGUMENT after partial fill.
 */
TF_CAPI_EXPORT extern void
TF_OpKernelConstruction_GetAttrStringList(TF_OpKernelConstruction *ctx, const char *attr_name,
                                          char **values, size_t *lengths, int max_values,
                                          void *storage, size_t storage_size, TF_Status *status);

/* New TF_Tensors, caller deletes each non-NULL.
 * Errors  stops at first failure.
 */
TF_CAPI_EXPORT extern void
TF_OpKernelConstruction_GetAttrTensorList(TF_OpKernelConstruction *ctx, const char *attr_name,
                                          TF_Tensor **vals, int max_values, TF_Status *status);

/* New TF_Buffer (NameAttrList, the function's own attributes included); caller deletes.
 * Errors  NULL on error.
 */
TF_CAPI_EXPORT extern TF_Buffer *
TF_OpKernelConstruction_GetAttrFunction(TF_OpKernelConstruction *ctx, const char *attr_name,
                                        TF_Status *status);

/* Bool.
 * Errors  status never written.
 */
TF_CAPI_EXPORT extern bool TF_OpKernelConstruction_HasAttr(TF_OpKernelConstruction *ctx,
                                                           const char *attr_name,
                                                           TF_Status *status);

/* Borrowed view of node name.
 * Errors  some plugins use .data as a C string: keep it NUL-terminated.
 */
TF_CAPI_EXPORT extern TF_StringView TF_OpKernelConstruction_GetName(TF_OpKernelConstruction *ctx);

/* New TF_Tensor sharing output buffer; caller deletes.
 * Errors  dtype and len are ignored: type comes from the OpDef, size from dims. INTERNAL: bad
 *   index, ref output, second allocation of same output. RESOURCE_EXHAUSTED: no memory. NULL on
 *   error.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern TF_Tensor *TF_AllocateOutput(TF_OpKernelContext *context, int index,
                                                   TF_DataType dtype, const int64_t *dims,
                                                   int num_dims, size_t len, TF_Status *status);

/* New TF_Tensor; *forwarded_input = used index or -1 (pointer may be NULL).
 * Errors  forwards first candidate that is non-ref, same dtype, same element count, same memory
 *   kind, refcount 1, compatible allocator; shape may differ. Else as AllocateOutput. Bad
 *   candidate index aborts.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern TF_Tensor *
TF_ForwardInputOrAllocateOutput(TF_OpKernelContext *context, const int *candidate_input_indices,
                                int num_candidate_input_indices, int output_index,
                                const int64_t *output_dims, int output_num_dims,
                                int *forwarded_input, TF_Status *status);

/* New TF_Tensor; caller deletes.
 * Errors  attrs NULL ok; attrs->struct_size 0 -> INVALID_ARGUMENT; on_host=1 -> host memory;
 *   RESOURCE_EXHAUSTED.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern TF_Tensor *TF_AllocateTemp(TF_OpKernelContext *context, TF_DataType dtype,
                                                 const int64_t *dims, int num_dims,
                                                 TF_AllocatorAttributes *alloc_attrs,
                                                 TF_Status *status);

/* Counter on context.
 * Errors  pairs with Dec; executor waits for zero.
 */
TF_CAPI_EXPORT extern void TF_IncNumDeferredOps(TF_OpKernelContext *context);

TF_CAPI_EXPORT extern void TF_DecNumDeferredOps(TF_OpKernelContext *context);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ORIBI_TENSORFLOW_C_KERNELS_H_ */
