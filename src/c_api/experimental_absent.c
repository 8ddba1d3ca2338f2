/* SPDX-License-Identifier: Apache-2.0 */
/* What is left of the next-pluggable-device API: named, not implemented. What works of it is in
 * src/kernel/kernel_variable.c. */
#include "c_api/absent.h"
#include "tensorflow/c/experimental/next_pluggable_device/c_api.h"

/* clang-format off */
ABSENT_VOID(TF_CoordinationServiceInsertKeyValue, (const char *key, const char *value,
    TF_CoordinationServiceAgent *agent, TF_Status *status), status)
ABSENT(TF_Buffer *, TF_CoordinationServiceGetKeyValue, (const char *key, TF_CoordinationServiceAgent
    *agent, TF_Status *status), status, NULL)
ABSENT(TF_Buffer *, TF_CoordinationServiceGetKeyValueWithTimeout, (const char *key, int64_t
    timeout_seconds, TF_CoordinationServiceAgent *agent, TF_Status *status), status, NULL)
ABSENT(TF_Buffer *, TF_CoordinationServiceTryGetKeyValue, (const char *key,
    TF_CoordinationServiceAgent *agent, TF_Status *status), status, NULL)
ABSENT_VOID(TF_CoordinationServiceDeleteKeyValue, (const char *key, TF_CoordinationServiceAgent
    *agent, TF_Status *status), status)
ABSENT_VOID(TF_CreateAndSetPjRtCApiClient, (const char *device_type, TF_Status *status,
    PJRT_NamedValue *create_options, int num_options), status)
ABSENT_VOID(TF_ResetPjRtCClient, (const char *device_type, TF_Status *status), status)
ABSENT(PJRT_Client *, TF_GetPjRtCClient, (const char *device_type, TF_Status *status), status, NULL)
ABSENT(PJRT_Buffer *, TF_GetPjRtCBuffer, (TF_Tensor *c_tensor, TF_Status *status), status, NULL)
ABSENT_VOID(TF_CreatePjRtBuffer, (TF_Tensor *c_tensor, PJRT_Buffer *c_buffer, const char
    *device_type, TF_Status *status), status)
/* clang-format on */
