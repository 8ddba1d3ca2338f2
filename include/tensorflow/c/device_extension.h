/* SPDX-License-Identifier: Apache-2.0 */
/* What a device plugin may tell this host beyond TensorFlow's stream_executor.h. A plugin that must
 * also load in TensorFlow defines TF_CAPI_WEAK before including this header and tests the
 * function's address. Since 1.2.
 */
#ifndef ORIBI_TENSORFLOW_C_DEVICE_EXTENSION_H_
#define ORIBI_TENSORFLOW_C_DEVICE_EXTENSION_H_

#include "tensorflow/c/experimental/stream_executor/stream_executor.h"

#ifdef __cplusplus
extern "C" {
#endif

#if ORIBI_HAS_CONTRACT(1, 2)

enum { /* flags of TF_DeviceExtension */
       /* memcpy_dtod copies between any two devices of the platform, and streams and events of one
        * may be waited for on streams of another. Without it such copies go through the host. */
       TF_DEVICE_PEER_COPIES = 1
};

typedef struct TF_DeviceExtension {
    size_t struct_size; /* TF_DEVICE_EXTENSION_STRUCT_SIZE of the plugin's headers */
    void *ext;          /* the plugin's */
    uint32_t flags;
    uint32_t reserved; /* 0 */
} TF_DeviceExtension;
#define TF_DEVICE_EXTENSION_STRUCT_SIZE TF_OFFSET_OF_END(TF_DeviceExtension, reserved)

/* Adds the extension to the platform that is being registered.
 * Owns     the struct is copied.
 * Context  inside SE_InitPlugin, with the params that it was given; the last call counts.
 * Errors   INVALID_ARGUMENT: struct_size is smaller than that of 1.2, or an unknown flag is set.
 */
TF_CAPI_EXPORT extern void TF_SetDeviceExtension(SE_PlatformRegistrationParams *params,
                                                 const TF_DeviceExtension *extension,
                                                 TF_Status *status);

#endif

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ORIBI_TENSORFLOW_C_DEVICE_EXTENSION_H_ */
