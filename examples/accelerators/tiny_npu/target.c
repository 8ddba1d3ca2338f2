/* SPDX-License-Identifier: Apache-2.0 */
/* What tiny_npu takes of a model, and what its driver is told: a plugin of `oribi compile`. What
 * stands between the two marks is yours; oribi/target.h has all that can be asked and said.
 */
#include <stdio.h>
#include <string.h>

#include "oribi/target.h"
#include "tensorflow/c/plugin_note.h"
#include "tvm/runtime/device.h"

ORIBI_PLUGIN("tiny_npu_target", "0.1", "unlicensed");

/* begin: yours */
static const char *const ops[] = {"Relu"}; /* a chain; `oribi ops` lists names and attributes */

static int32_t supports(void *user, const oribi_region *region, char *why, size_t why_bytes)
{
    oribi_region_tensor x = {.struct_size = sizeof x};
    TF_Status *status = TF_NewStatus();
    (void)user;
    oribi_region_input(region, 0, 0, &x, status);
    if (TF_GetCode(status) != TF_OK || x.dtype != TF_FLOAT) {
        snprintf(why, why_bytes, "it computes float alone");
    }
    TF_DeleteStatus(status);
    return why[0] == '\0';
}

/* The driver's Invoke gets the number of the operator and the params. */
static void write_params(void *user, const oribi_region *region, oribi_target_code *code,
                         TF_Status *status)
{
    oribi_region_tensor x = {.struct_size = sizeof x};
    (void)user;
    oribi_region_input(region, 0, 0, &x, status);
    const uint32_t params[1] = {(uint32_t)(x.bytes / sizeof(float))};
    oribi_target_set_op(code, 1);
    oribi_target_set_params(code, params, sizeof params, 4, status);
}
/* end: yours */

static const oribi_target_pattern patterns[] = {
    {sizeof(oribi_target_pattern), "first", ops, sizeof ops / sizeof ops[0], supports, NULL,
     write_params, NULL},
};

static const oribi_target tiny_npu = {
    .struct_size = sizeof(oribi_target),
    .name = "tiny_npu",
    .device_type = 12, /* kDLExtDev */
    .device_api = 1,
    .patterns = patterns,
    .n_patterns = sizeof patterns / sizeof patterns[0],
    .driver_contract = TVM_DEVICE_CONTRACT,
};

TVM_REGISTER_TARGET_KIND(tiny_npu);
