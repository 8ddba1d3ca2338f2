/* SPDX-License-Identifier: Apache-2.0 */
/* The ops of plugins/device_ops, in the form that the vendor's driver takes. */
#include "device_ops/device_ops.h"
#include "gpu/gpu.h"

extern const device_ops_image gpu_images[]; /* made by the build, or no_images.c */
extern const int n_gpu_images;

__attribute__((visibility("default"))) void TF_InitKernel(void)
{
    static device_ops_target target = {
        .device_type = GPU_PLATFORM, .images = gpu_images, .threads = 128};
    target.n_images = n_gpu_images;
    device_ops_register(&target);
}
