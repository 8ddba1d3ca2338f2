/* SPDX-License-Identifier: Apache-2.0 */
/* The part of TensorFlow's host API that plugins and op libraries call: version and registries, as
 * serialised protobuf messages.
 */
#ifndef ORIBI_TENSORFLOW_C_C_API_H_
#define ORIBI_TENSORFLOW_C_C_API_H_

#include "tensorflow/c/c_api_macros.h"
#include "tensorflow/c/tf_attrtype.h"
#include "tensorflow/c/tf_buffer.h"
#include "tensorflow/c/tf_datatype.h"
#include "tensorflow/c/tf_status.h"
#include "tensorflow/c/tf_tensor.h"
#include "tensorflow/c/tf_tstring.h"

#ifdef __cplusplus
extern "C" {
#endif

/* "2.16.1": the TensorFlow whose C API this library speaks. Its own version: oribi_version(). */
TF_CAPI_EXPORT extern const char *TF_Version(void);

/* OpList of every registered op whose name does not begin with an underscore, in order of name.
 * Owns    a new buffer that the caller deletes; NULL: no memory.
 * Context any thread, also inside a plugin's init, where the plugin's own ops are included.
 */
TF_CAPI_EXPORT extern TF_Buffer *TF_GetAllOpList(void);

/* KernelList of all registered kernels, or of those for one op (an unknown op: an empty list).
 * Owns    a new buffer that the caller deletes; NULL and RESOURCE_EXHAUSTED: no memory.
 * Context as TF_GetAllOpList.
 */
TF_CAPI_EXPORT extern TF_Buffer *TF_GetAllRegisteredKernels(TF_Status *status);
TF_CAPI_EXPORT extern TF_Buffer *TF_GetRegisteredKernelsForOp(const char *name, TF_Status *status);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ORIBI_TENSORFLOW_C_C_API_H_ */
