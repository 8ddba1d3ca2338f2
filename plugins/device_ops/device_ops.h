/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of ops for any device that launches functions, written against the device contract alone
 * (kernels.h, device_kernels.h). A device's plugin links this library and calls device_ops_register
 * in its TF_InitKernel. What the device runs is code/, embedded by device_ops_embed
 * (CMakeLists.txt) in the form that the device takes. Where to read next: op.h.
 */
#ifndef ORIBI_PLUGINS_DEVICE_OPS_DEVICE_OPS_H_
#define ORIBI_PLUGINS_DEVICE_OPS_DEVICE_OPS_H_

#include <stddef.h>
#include <stdint.h>

#include "tensorflow/c/device_kernels.h"

typedef struct device_ops_image { /* one file of code/, compiled or not */
    const char *family;           /* "conv" */
    const void *data;
    size_t bytes;
} device_ops_image;

typedef struct device_ops_target { /* lives as long as the plugin */
    const char *device_type;       /* SP_Platform.type */
    const device_ops_image *images;
    int n_images;
    const char *options; /* TF_DeviceCode.options, or NULL */
    uint32_t threads;    /* of a block, 1024 at most */
} device_ops_target;

/* Registers the kernels whose family has an image, for target's device type. One target for each
 * shared object.
 * Context  inside TF_InitKernel.
 * Errors   the first of TF_RegisterKernelBuilder's, with the op's name; the others are registered.
 */
void device_ops_register(const device_ops_target *target, TF_Status *status);

#endif
