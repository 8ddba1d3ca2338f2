/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of ops for any device that launches functions, written against the device contract alone
 * (kernels.h, device_kernels.h). A device's plugin links this library and calls device_ops_register
 * in its TF_InitKernel. What the device runs is code/, embedded by device_ops_embed
 * (CMakeLists.txt) in the form that the device takes. Where to read next: device_op.h.
 */
#ifndef ORIBI_PLUGINS_DEVICE_OPS_DEVICE_OPS_H_
#define ORIBI_PLUGINS_DEVICE_OPS_DEVICE_OPS_H_

#include <pthread.h>
#include <stdbool.h>
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
    /* Are the threads of this device a processor's, and does it compile the vectors of OpenCL C?
     * Products, depthwise convolutions, pools, softmax and reductions have forms for it
     * (code/..._vectors.c); else products, softmax and reductions share memory among the threads of
     * a block (code/tile_shared.c, device_softmax.c, device_reduce.c). NULL: of none. */
    bool (*has_vectors)(int device);
} device_ops_target;

/* How a product of the device contract (TF_Gemm) runs as a function of code/: what a plugin that
 * has no library of its own for it launches in its slot `gemm`. Memories: gemm->c, `x`, `w`,
 * gemm->c, gemm->c; then `numbers`. */
typedef struct device_ops_product {
    const char *family, *function, *options; /* static */
    uint32_t grid[3], block[3];              /* grid of 0: nothing to do */
    size_t shared_bytes;
    const void *x, *w;
    size_t number_bytes;
    unsigned char numbers[256];
} device_ops_product;

/* Errors   INVALID_ARGUMENT: negative sizes or rows shorter than they say; UNIMPLEMENTED: another
 *          type than float, 2^31 elements or more. false then. */
bool device_ops_plan_product(const TF_Gemm *gemm, bool has_vectors, device_ops_product *out,
                             TF_Status *status);

/* The slot `gemm` of a device whose vendor has no library for it: plans, loads each form once, and
 * launches by `slots`, the plugin's own (load_function, unload_function, launch).
 * Errors   as above; UNIMPLEMENTED: the plugin was built without device code. */
typedef struct device_ops_gemms { /* a member of the plugin's device */
    pthread_mutex_t lock;
    struct device_ops_gemm *first;
} device_ops_gemms;
void device_ops_gemms_open(device_ops_gemms *own);
void device_ops_gemms_close(device_ops_gemms *own, const TF_DeviceExtension *slots,
                            const SP_Device *device);
void device_ops_gemm(device_ops_gemms *own, const TF_DeviceExtension *slots,
                     const SP_Device *device, SP_Stream stream, const TF_Gemm *gemm,
                     TF_Status *status);

/* Registers the kernels whose family has an image, for target's device type. One target for each
 * shared object.
 * Context  inside TF_InitKernel.
 * Errors   stderr tells of each kernel that is refused; the host refuses the plugin with it.
 */
void device_ops_register(const device_ops_target *target);

#endif
