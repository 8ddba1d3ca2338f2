/* SPDX-License-Identifier: Apache-2.0 */
/* In place of device code where the build found no compiler for it: the device has memory, streams
 * and copies, and runs what other plugins launch, and no kernels of ops.
 */
#include "device_ops/device_ops.h"

extern const device_ops_image gpu_images[];
extern const int n_gpu_images;
const device_ops_image gpu_images[] = {{.family = ""}};
const int n_gpu_images = 0;
