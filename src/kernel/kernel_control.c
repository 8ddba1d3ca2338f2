/* SPDX-License-Identifier: Apache-2.0 */
/* What stands for a kernel in nodes that have graphs of their own: sessions run those, no plugin.
 */
#include "kernel/kernel.h"

/* Never called; without it the kernel would count as an asynchronous one. */
static void compute(void *state, TF_OpKernelContext *ctx)
{
    (void)state;
    (void)ctx;
}

const oribi_kernel_def *oribi_kernel_control(void)
{
    static const oribi_kernel_def def = {.op_name = "control flow",
                                         .device_type = "CPU",
                                         .label = "",
                                         .kernel_name = "control flow",
                                         .provider = "built-in",
                                         .compute = compute};
    return &def;
}
