/* SPDX-License-Identifier: Apache-2.0 */
/* Adapters: plugins that make ops of libraries which were written for another runtime's contract.
 * The host recognises such a library by a symbol that it exports, loads the adapter for it, and
 * hands it over: `--plugin libacme_ops.so`, where libacme_ops.so exports RegisterCustomOps, calls
 * TF_InitAdapter of the adapter for ONNX Runtime's custom ops (docs/reference/onnx-runtime-ops.md).
 * Since 1.3.
 */
#ifndef ORIBI_TENSORFLOW_C_ADAPTER_H_
#define ORIBI_TENSORFLOW_C_ADAPTER_H_

#include "tensorflow/c/c_api_macros.h"
#include "tensorflow/c/tf_status.h"

#ifdef __cplusplus
extern "C" {
#endif

#if ORIBI_HAS_CONTRACT(1, 3)
/* An adapter exports this, and not TF_InitKernel. It registers the library's ops and kernels, as
 * TF_InitKernel does those of a plugin; the host calls them ops of the library.
 *   path   the library's file, for messages; it is mapped and stays so
 *   entry  the address of the symbol by which the library was recognised
 * Context  once for each library, one at a time; TF_PluginOption reads the library's options.
 * Errors   any: the library is refused with the message, and nothing of it is registered.
 */
TF_CAPI_EXPORT extern void TF_InitAdapter(const char *path, void (*entry)(void), TF_Status *status);
#endif /* 1.3 */

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ORIBI_TENSORFLOW_C_ADAPTER_H_ */
