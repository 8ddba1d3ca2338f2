/* SPDX-License-Identifier: Apache-2.0 */
/* Stateful resources for kernels: anything that lives longer than a run, found by container and
 * name, and handles to them in TF_RESOURCE tensors. Since 1.0.
 *
 * A session has one set of resources; those of its runs and kernels are shared, those of another
 * session are not. Resources go when they are removed or with the session; a TF_Resource that a
 * kernel holds keeps its object alive beyond that.
 */
#ifndef ORIBI_TENSORFLOW_C_RESOURCE_H_
#define ORIBI_TENSORFLOW_C_RESOURCE_H_

#include "tensorflow/c/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A counted reference to a resource. */
typedef struct TF_Resource TF_Resource;

/* Finds the resource, or creates it: create(arg, status) makes the object, destroy frees it once
 * the last reference goes. Two threads that ask at once get one object; create runs at most once.
 * Shapes   container "" is the default one; type names the object's type, so that one name under
 *          two types are two resources.
 * Owns     the result is a new reference, dropped by TF_DeleteResource; NULL on failure.
 * Context  inside compute, any thread.
 * Errors   what create set (INTERNAL when it gave NULL and no status); RESOURCE_EXHAUSTED.
 */
TF_CAPI_EXPORT extern TF_Resource *
TF_LookupOrCreateResource(TF_OpKernelContext *ctx, const char *container, const char *name,
                          const char *type, void *(*create)(void *arg, TF_Status *status),
                          void *arg, void (*destroy)(void *object), TF_Status *status);

/* NOT_FOUND and NULL when there is none. */
TF_CAPI_EXPORT extern TF_Resource *TF_LookupResource(TF_OpKernelContext *ctx, const char *container,
                                                     const char *name, const char *type,
                                                     TF_Status *status);

/* Takes the resource out of the session; references that are held stay valid. NOT_FOUND. */
TF_CAPI_EXPORT extern void TF_RemoveResource(TF_OpKernelContext *ctx, const char *container,
                                             const char *name, const char *type, TF_Status *status);

/* The object; borrowed, valid as long as the reference.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern void *TF_ResourceObject(const TF_Resource *resource);
TF_CAPI_EXPORT extern void TF_DeleteResource(TF_Resource *resource); /* NULL ok */

/* Scalar TF_RESOURCE tensor that names the resource: 8 bytes that may be copied freely. The tensor
 * does not keep the object alive. */
TF_CAPI_EXPORT extern TF_Tensor *TF_ResourceHandleTensor(TF_OpKernelContext *ctx,
                                                         TF_Resource *resource, TF_Status *status);

/* New reference to what element `index` of a TF_RESOURCE tensor names; type NULL: of any type.
 * Errors   NOT_FOUND: removed meanwhile, or of another session; INVALID_ARGUMENT: another element
 *          type, or another resource type (both are named).
 */
TF_CAPI_EXPORT extern TF_Resource *TF_ResourceFromTensor(TF_OpKernelContext *ctx,
                                                         const TF_Tensor *tensor, int64_t index,
                                                         const char *type, TF_Status *status);

/* --- Variables: what kernels of VarHandleOp and its kin need beyond kernels_experimental.h -------
 */

/* Handle of the variable `name`, which is created, not initialised, when it is not there. */
TF_CAPI_EXPORT extern TF_Tensor *TF_VariableHandle(TF_OpKernelContext *ctx, const char *container,
                                                   const char *name, TF_Status *status);
/* Has the variable that input `input` names a value? */
TF_CAPI_EXPORT extern bool TF_VariableIsInitialized(TF_OpKernelContext *ctx, int input,
                                                    TF_Status *status);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ORIBI_TENSORFLOW_C_RESOURCE_H_ */
