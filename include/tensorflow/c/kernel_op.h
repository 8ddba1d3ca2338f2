/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that a kernel calls: a MatMul inside an attention, a Softmax inside a loss, whatever is
 * registered, with the kernel that the host would choose for a node of a model.
 *
 * In create: make the op, set its attributes, prepare it for types. In compute: run it on tensors.
 * In destroy: delete it.
 *
 *     op = TF_NewKernelOp(construction, "MatMul", status);
 *     TF_KernelOp_SetAttrBool(op, "transpose_b", true, status);
 *     TF_KernelOp_Prepare(op, (TF_DataType[]){TF_FLOAT, TF_FLOAT}, 2, status);
 *     ...
 *     TF_Tensor *inputs[] = {q, k}, *outputs[] = {NULL};
 *     TF_KernelOp_Run(op, context, inputs, 2, outputs, 1, status);
 *
 * The op runs on the calling thread and the run's thread pool, on host memory, and ends when the
 * run is cancelled; an asynchronous kernel is waited for. Passes do not see it. Not here: nodes and
 * graphs. Since 1.3.
 */
#ifndef ORIBI_TENSORFLOW_C_KERNEL_OP_H_
#define ORIBI_TENSORFLOW_C_KERNEL_OP_H_

#include "tensorflow/c/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

#if ORIBI_HAS_CONTRACT(1, 3)
typedef struct TF_KernelOp TF_KernelOp;

/* A registered op, by its name ("MatMul", "Com>Acme>Gate"), for the node whose kernel is created.
 * Owns     the result is the kernel's, deleted by TF_DeleteKernelOp.
 * Context  inside create; allocates.
 * Errors   NULL: NOT_FOUND, no op has this name; RESOURCE_EXHAUSTED.
 */
TF_CAPI_EXPORT extern TF_KernelOp *TF_NewKernelOp(TF_OpKernelConstruction *ctx, const char *op_name,
                                                  TF_Status *status);

/* Attributes; those that are not set have their defaults, and types and counts follow from the
 * inputs. Values are copied.
 * Context  between TF_NewKernelOp and TF_KernelOp_Prepare, inside create; allocates.
 * Errors   FAILED_PRECONDITION: the op is prepared; RESOURCE_EXHAUSTED. Unknown names and values of
 *          another kind are TF_KernelOp_Prepare's to report. With a NULL op, or a status that has
 *          failed before, nothing happens, here and in the next three: look at the status once.
 */
TF_CAPI_EXPORT extern void TF_KernelOp_SetAttrType(TF_KernelOp *op, const char *name,
                                                   TF_DataType value, TF_Status *status);
TF_CAPI_EXPORT extern void TF_KernelOp_SetAttrInt(TF_KernelOp *op, const char *name, int64_t value,
                                                  TF_Status *status);
TF_CAPI_EXPORT extern void TF_KernelOp_SetAttrFloat(TF_KernelOp *op, const char *name, float value,
                                                    TF_Status *status);
TF_CAPI_EXPORT extern void TF_KernelOp_SetAttrBool(TF_KernelOp *op, const char *name, bool value,
                                                   TF_Status *status);
TF_CAPI_EXPORT extern void TF_KernelOp_SetAttrString(TF_KernelOp *op, const char *name,
                                                     const char *value, size_t length,
                                                     TF_Status *status);
TF_CAPI_EXPORT extern void TF_KernelOp_SetAttrIntList(TF_KernelOp *op, const char *name,
                                                      const int64_t *values, int count,
                                                      TF_Status *status);
TF_CAPI_EXPORT extern void TF_KernelOp_SetAttrFloatList(TF_KernelOp *op, const char *name,
                                                        const float *values, int count,
                                                        TF_Status *status);
TF_CAPI_EXPORT extern void TF_KernelOp_SetAttrTypeList(TF_KernelOp *op, const char *name,
                                                       const TF_DataType *values, int count,
                                                       TF_Status *status);
/* An attribute of any kind, from that of the node whose kernel is created: its own name there.
 * Errors   as above; NOT_FOUND: the node has no such attribute. */
TF_CAPI_EXPORT extern void TF_KernelOp_CopyAttr(TF_KernelOp *op, const char *name,
                                                TF_OpKernelConstruction *ctx, const char *from,
                                                TF_Status *status);

/* Input i is the same in every run: the op's kernel may pack it when it is created, as it does with
 * weights of a model. TF_KernelOp_Run takes NULL for it then.
 * Owns     a further reference on the memory, which must not change from here on.
 * Context  between TF_NewKernelOp and TF_KernelOp_Prepare.
 * Errors   INVALID_ARGUMENT: i below 0 or above 1023, or memory that is not the host's;
 *          FAILED_PRECONDITION: the op is prepared; RESOURCE_EXHAUSTED.
 */
TF_CAPI_EXPORT extern void TF_KernelOp_SetConstant(TF_KernelOp *op, int i, const TF_Tensor *value,
                                                   TF_Status *status);

/* Chooses and creates the op's kernel, for inputs of these types, list arguments expanded.
 * Context  inside create; allocates.
 * Errors   INVALID_ARGUMENT: attributes or types that the op does not have; NOT_FOUND: no kernel on
 *          the CPU; what its create function says. NULL op: INVALID_ARGUMENT. May be called again
 *          after a failure, with a clear status.
 */
TF_CAPI_EXPORT extern void TF_KernelOp_Prepare(TF_KernelOp *op, const TF_DataType *input_types,
                                               int num_inputs, TF_Status *status);

/* Flat outputs of a prepared op, and the type of one; 0 when it is not prepared or has none such.
 * Context  any thread; no allocation.
 * @context any any-thread no-allocation
 */
TF_CAPI_EXPORT extern int TF_KernelOp_NumOutputs(const TF_KernelOp *op);
TF_CAPI_EXPORT extern TF_DataType TF_KernelOp_OutputType(const TF_KernelOp *op, int i);

/* Computes.
 * Shapes   inputs: as the op takes them; NULL for a constant. outputs[i] NULL: it becomes a new
 *          tensor; else the result is written into that tensor, which must have its type and
 *          shape, for example one of TF_AllocateOutput. Types that own memory (strings, variants)
 *          are never written into a given tensor.
 * Owns     the caller deletes new tensors before compute ends; they may be given to TF_SetOutput.
 * Context  inside compute of the kernel that made the op, also for several runs at once. No
 *          allocation once each shape was seen, when called on compute's own thread: new tensors
 *          and the op's temporaries are temporaries of the run.
 * Errors   with a status that has failed before nothing happens, so that the first failure, be it
 *          of TF_AllocateOutput, ends a chain of ops. INVALID_ARGUMENT: another number or type of
 *          tensors, memory of a device, a given output that does not fit; FAILED_PRECONDITION: not
 *          prepared; the op's own failure, with its name in front; CANCELLED, DEADLINE_EXCEEDED.
 *          Outputs that were NULL still are; given ones have any contents.
 * @context run any-thread no-allocation
 */
TF_CAPI_EXPORT extern void TF_KernelOp_Run(TF_KernelOp *op, TF_OpKernelContext *ctx,
                                           TF_Tensor *const *inputs, int num_inputs,
                                           TF_Tensor **outputs, int num_outputs, TF_Status *status);

/* Context  no run of it is under way. NULL ok.
 * @context any no-allocation
 */
TF_CAPI_EXPORT extern void TF_DeleteKernelOp(TF_KernelOp *op);
#endif /* 1.3 */

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ORIBI_TENSORFLOW_C_KERNEL_OP_H_ */
