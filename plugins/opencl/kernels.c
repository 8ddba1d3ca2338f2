/* SPDX-License-Identifier: Apache-2.0 */
/* The ops of plugins/device_ops, as OpenCL C. */
#include <stdio.h>

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
    TF_Status *status = TF_NewStatus();
    target.n_images = n_opencl_images;
    device_ops_register(&target, status);
    if (TF_GetCode(status) != TF_OK) {
        (void)fprintf(stderr, "opencl: %s\n", TF_Message(status));
    }
    TF_DeleteStatus(status);
}
