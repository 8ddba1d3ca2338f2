/* SPDX-License-Identifier: Apache-2.0 */
/* The targets of docs/reference/design-example.md: both of the design's accelerators work in the
 * host's memory, one call at a time. */
#define TF_InitKernel design_example_init
#include "../../../examples/accelerators/woofles/target.c"
#undef TF_InitKernel

#define DESIGN_TARGET                                                                              \
    .struct_size = sizeof(oribi_target), .device_type = 12, .device_api = 1, .patterns = patterns, \
    .n_patterns = 2

static const oribi_target design[] = {
    {DESIGN_TARGET, .name = "woofles"},
    {DESIGN_TARGET, .name = "uart_accel"},
};

TF_CAPI_EXPORT void TF_InitKernel(void);
void TF_InitKernel(void)
{
    TF_Status *status = TF_NewStatus();
    oribi_target_register(&design[0], status);
    oribi_target_register(&design[1], status);
    TF_DeleteStatus(status);
}
