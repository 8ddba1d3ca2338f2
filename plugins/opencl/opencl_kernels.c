/* SPDX-License-Identifier: Apache-2.0 */
/* The ops of plugins/device_ops, as OpenCL C. */
#include "device_ops/device_ops.h"
#include "opencl.h"

extern const device_ops_image opencl_images[];
extern const int n_opencl_images;

__attribute__((visibility("default"))) void TF_InitKernel(void)
{
    static device_ops_target target = {.device_type = "OPENCL",
                                       .images = opencl_images,
                                       .threads = 64,
                                       .has_vectors = opencl_has_vectors};
    target.n_images = n_opencl_images;
    device_ops_register(&target);
}
