/* SPDX-License-Identifier: Apache-2.0 */
/* Calls into a library, whose exceptions become statuses (ort_catch.cc), and what they need: the
 * only header of this room that C++ reads.
 */
#ifndef ORIBI_PLUGINS_ORT_ADAPTER_ORT_CATCH_H_
#define ORIBI_PLUGINS_ORT_ADAPTER_ORT_CATCH_H_

#include "ort_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const ort_api oribi_ort_table; /* ort_table.c */
extern const ort_api_base oribi_ort_base;

/* A new status (ort_status.c). */
ort_status *oribi_ort_fail(int32_t code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

ort_status *oribi_ort_call_register(ort_register_custom_ops entry, ort_session_options *options);
ort_status *oribi_ort_call_create(const ort_custom_op *op, const ort_kernel_info *info, void **out);
ort_status *oribi_ort_call_compute(const ort_custom_op *op, void *kernel,
                                   ort_kernel_context *context);
ort_status *oribi_ort_call_infer(const ort_custom_op *op, ort_shape_context *context);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif
