/* SPDX-License-Identifier: Apache-2.0 */
/* Ethos-U NPUs, as Vela compiles for them: the target `ethos-u`, which takes each command stream of
 * a model, and a kernel that says why this machine cannot compute one. The driver is
 * platform/ethos_u; what it finds in its params, tvm/device/ethos_u/params.h.
 */
#include <stdio.h>
#include <string.h>

#include "built_in.h"
#include "oribi/target.h"
#include "tensorflow/c/kernels.h"
#include "tvm/device/ethos_u/params.h"
#include "tvm/runtime/device.h"

#define OP "Oribi>EthosU"

enum { COMMANDS, READ_ONLY, FIRST_INPUT, MOST = ETHOS_U_BASES };

/* --- Host ------------------------------------------------------------------------------------- */

/* A kernel of a plugin goes first: this one has a lower priority than they have by default. */
static void compute(void *kernel, TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    (void)kernel;
    TF_SetStatus(
        status, TF_UNIMPLEMENTED,
        "it is a command stream that Vela made for an Ethos-U NPU, and runs there only; "
        "`oribi compile --target-device ethos-u` makes C that calls the NPU, and the model "
        "that Vela read runs here");
    TF_OpKernelContext_Failure(ctx, status);
    TF_DeleteStatus(status);
}

/* --- Target ----------------------------------------------------------------------------------- */

/* Are the stream and what it reads constant, and nothing else? */
static int32_t supports(void *user, const oribi_region *region, char *why, size_t why_bytes)
{
    TF_Status *status = TF_NewStatus();
    const int32_t n = oribi_region_num_inputs(region, 0);
    (void)user;
    for (int32_t i = 0; i < n && why[0] == '\0'; i++) {
        oribi_region_tensor tensor = {.struct_size = sizeof tensor};
        oribi_region_input(region, 0, i, &tensor, status);
        if (TF_GetCode(status) != TF_OK) {
            snprintf(why, why_bytes, "%s", TF_Message(status));
        } else if ((tensor.constant != NULL) != (i < FIRST_INPUT)) {
            snprintf(why, why_bytes,
                     i < FIRST_INPUT
                         ? "its command stream and read-only data must be constant"
                         : "input %d is constant, but Vela puts constants into read-only data",
                     (int)i);
        }
    }
    TF_DeleteStatus(status);
    return why[0] == '\0';
}

/* Room for a scratch and, behind it, a fast one. 0: too much. */
static size_t scratch_room(int64_t scratch, int64_t fast, uint32_t *out_fast)
{
    const int64_t step = ETHOS_U_ALIGNMENT;
    const int64_t from = scratch + (step - scratch % step) % step; /* of less than 2^32 */
    *out_fast = fast >= 0 ? (uint32_t)from : 0;
    const int64_t room = fast >= 0 ? from + fast : scratch;
    return room <= INT32_MAX ? (size_t)room : 0;
}

static void write_scratch(const oribi_region *region, oribi_target_code *code,
                          struct ethos_u_params *params, TF_Status *status)
{
    int64_t places[2 * MOST], until[MOST];
    const int64_t scratch = oribi_region_attr_int(region, 0, "scratch_bytes", status);
    const int64_t fast = oribi_region_attr_int(region, 0, "fast_bytes", status);
    const int32_t n = oribi_region_attr_ints(region, 0, "places", places, 2 * MOST, status);
    const int32_t n_until = oribi_region_attr_ints(region, 0, "until", until, MOST, status);
    if (TF_GetCode(status) != TF_OK) {
        return;
    }
    const size_t room = scratch_room(scratch, fast, &params->fast);
    const oribi_target_scratch shared = {
        .struct_size = sizeof shared,
        .memory = (int32_t)oribi_region_attr_int(region, 0, "scratch", status),
        .order = (int32_t)oribi_region_attr_int(region, 0, "order", status),
        .bytes = room,
        .places = places,
        .n_places = n,
        .until = until,
        .n_until = n_until};
    params->scratch_bytes = (uint32_t)scratch;
    params->fast_bytes = fast >= 0 ? (uint32_t)fast : (uint32_t)scratch;
    if (room == 0 && scratch > 0) {
        TF_SetStatus(status, TF_INVALID_ARGUMENT, "its scratch memory has 2 GiB or more");
    } else if (TF_GetCode(status) == TF_OK) {
        oribi_target_share_scratch(code, &shared, status);
    }
}

/* The stream, what it reads, and last where both are. */
static void write_call(void *user, const oribi_region *region, oribi_target_code *code,
                       TF_Status *status)
{
    struct ethos_u_params params = {0};
    oribi_region_tensor blobs[FIRST_INPUT];
    (void)user;
    for (int32_t i = 0; i < FIRST_INPUT; i++) {
        blobs[i].struct_size = sizeof blobs[i];
        oribi_region_input(region, 0, i, &blobs[i], status);
        if (TF_GetCode(status) != TF_OK) {
            return;
        }
    }
    write_scratch(region, code, &params, status);
    if (TF_GetCode(status) != TF_OK) {
        return;
    }
    const size_t step = ETHOS_U_ALIGNMENT;
    oribi_target_set_op(code, ETHOS_U_RUN);
    oribi_target_set_params(code, blobs[COMMANDS].constant, blobs[COMMANDS].bytes, step, status);
    params.commands_bytes = (uint32_t)blobs[COMMANDS].bytes;
    params.read_only = (uint32_t)oribi_target_add_constant(code, blobs[READ_ONLY].constant,
                                                           blobs[READ_ONLY].bytes, step, status);
    params.read_only_bytes = (uint32_t)blobs[READ_ONLY].bytes;
    (void)oribi_target_add_constant(code, &params, sizeof params, step, status);
}

static const char *const ops[] = {OP};
static const oribi_target_pattern patterns[] = {
    {sizeof(oribi_target_pattern), "command stream", ops, 1, supports, NULL, write_call, NULL},
};

/* The core driver keeps the caches itself, by whole lines. */
static const oribi_target target = {
    .struct_size = sizeof(oribi_target),
    .name = "ethos-u",
    .device_type = 12,
    .device_api = 1,
    .is_asynchronous = 1,
    .memory_alignment = ETHOS_U_ALIGNMENT,
    .patterns = patterns,
    .n_patterns = 1,
    .cache_line = 32,
    .driver_contract = TVM_DEVICE_CONTRACT,
};

void oribi_ethos_u_init(void)
{
    TF_Status *status = TF_NewStatus();
    TF_KernelBuilder *builder = TF_NewKernelBuilder(OP, "CPU", NULL, compute, NULL);
    TF_KernelBuilder_Priority(builder, -1);
    TF_RegisterKernelBuilder("ethos-u: no NPU here", builder, status);
    oribi_target_register(&target, status);
    TF_DeleteStatus(status);
}
