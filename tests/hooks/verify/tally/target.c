/* SPDX-License-Identifier: Apache-2.0 */
/* What the TALLY accelerators take of a model: pooling by maxima without padding. */
#include <stdio.h>
#include <string.h>

#include "oribi/target.h"
#include "tally.h"
#include "tensorflow/c/plugin_note.h"

ORIBI_PLUGIN("tally_target", "1.0", "Apache-2.0");

static int read_maxima(const oribi_region *region, struct tally_maxima *p, TF_Status *status)
{
    oribi_region_tensor in = {.struct_size = sizeof in}, out = {.struct_size = sizeof out};
    int64_t window[2] = {0, 0}, strides[2] = {0, 0};
    oribi_region_input(region, 0, 0, &in, status);
    oribi_region_output(region, 0, 0, &out, status);
    oribi_region_attr_ints(region, 0, "ksize", window, 2, status);
    oribi_region_attr_ints(region, 0, "strides", strides, 2, status);
    if (TF_GetCode(status) != TF_OK || in.dtype != TF_INT8 || in.rank != 4) {
        return 0;
    }
    *p = (struct tally_maxima){(int32_t)in.dims[0],  (int32_t)in.dims[1],  (int32_t)in.dims[2],
                               (int32_t)out.dims[1], (int32_t)out.dims[2], (int32_t)in.dims[3],
                               (int32_t)window[0],   (int32_t)window[1],   (int32_t)strides[0],
                               (int32_t)strides[1]};
    return (p->out_h - 1) * p->stride_h + p->window_h <= p->in_h &&
           (p->out_w - 1) * p->stride_w + p->window_w <= p->in_w;
}

static int32_t supports(void *user, const oribi_region *region, char *why, size_t why_bytes)
{
    struct tally_maxima p;
    TF_Status *status = TF_NewStatus();
    (void)user;
    const int32_t taken = read_maxima(region, &p, status);
    if (!taken) {
        snprintf(why, why_bytes, "int8 of rank 4 without padding only: %s", TF_Message(status));
    }
    TF_DeleteStatus(status);
    return taken;
}

static void write_params(void *user, const oribi_region *region, oribi_target_code *code,
                         TF_Status *status)
{
    struct tally_maxima p;
    (void)user;
    if (read_maxima(region, &p, status)) {
        oribi_target_set_op(code, TALLY_MAXIMA);
        oribi_target_set_params(code, &p, sizeof p, 4, status);
    }
}

static const char *const pool[] = {"Oribi>QMaxPool"};
static const oribi_target_pattern patterns[] = {
    {sizeof(oribi_target_pattern), "maxima", pool, 1, supports, NULL, write_params, NULL},
};
static const oribi_target now = {.struct_size = sizeof now,
                                 .name = "tally-now",
                                 .device_type = 12,
                                 .device_api = 1,
                                 .patterns = patterns,
                                 .n_patterns = 1};
static const oribi_target far = {.struct_size = sizeof far,
                                 .name = "tally-far",
                                 .device_type = 12,
                                 .device_api = 1,
                                 .memory_bytes = 32768,
                                 .memory_alignment = 8,
                                 .patterns = patterns,
                                 .n_patterns = 1};

void TF_InitKernel(void)
{
    TF_Status *status = TF_NewStatus();
    oribi_target_register(&now, status);
    oribi_target_register(&far, status);
    TF_DeleteStatus(status);
}
