/* SPDX-License-Identifier: Apache-2.0 */
/* A desk: made for a compilation, and the far end of its devices. Read next: desk_run.c. */
#include "desk/desk.h"

#include <string.h>

#include "base/alloc.h"
#include "tensor/status.h"

static bool check_model(const oribi_compile *compile, TF_Status *status)
{
    if (compile->n_programs != 1 || compile->files.n == 0) {
        return oribi_fail(status, TF_FAILED_PRECONDITION,
                          "devices run one compiled model, but this compilation has %d",
                          compile->files.n == 0 ? 0 : (int)compile->n_programs);
    }
    return compile->programs[0]->devices.partition.n_devices > 0 ||
           oribi_fail(status, TF_FAILED_PRECONDITION,
                      "the model is not compiled for a device; give one with --target-device KIND");
}

static void find_producers(oribi_desk *desk)
{
    const oribi_program *c = desk->program;
    for (int32_t i = 0; i < c->graph->n_values; i++) {
        desk->producer[i] = -1;
    }
    for (int32_t i = 0; i < c->n_calls; i++) {
        for (int32_t k = 0; k < c->calls[i].node->n_outputs; k++) {
            desk->producer[c->calls[i].node->outputs[k]] = i;
        }
    }
}

static bool make_arrays(oribi_desk *desk, TF_Status *status)
{
    const oribi_program *c = desk->program;
    oribi_arena *a = &desk->arena;
    const size_t n_calls = (size_t)c->n_calls + 1, n_values = (size_t)c->graph->n_values + 1;
    const size_t n_regions = (size_t)c->devices.partition.n_regions + 1;
    desk->regions = oribi_arena_array(a, n_regions, sizeof *desk->regions);
    desk->calls = oribi_arena_array(a, n_calls, sizeof *desk->calls);
    desk->producer = oribi_arena_array(a, n_values, sizeof *desk->producer);
    desk->values = oribi_arena_array(a, n_values, sizeof *desk->values);
    desk->outgrown = oribi_arena_array(a, n_values, sizeof *desk->outgrown);
    desk->states = oribi_arena_array(a, (size_t)c->n_states + 1, sizeof *desk->states);
    desk->next = oribi_arena_array(a, (size_t)c->n_states + 1, sizeof *desk->next);
    desk->scratch = oribi_arena_array(a, n_calls, sizeof *desk->scratch);
    desk->params = oribi_arena_array(a, n_calls, sizeof *desk->params);
    desk->device_calls = oribi_arena_array(a, n_calls, sizeof *desk->device_calls);
    desk->tensors = oribi_arena_array(a, n_calls, sizeof *desk->tensors);
    return (desk->regions != NULL && desk->calls != NULL && desk->producer != NULL &&
            desk->values != NULL && desk->outgrown != NULL && desk->states != NULL &&
            desk->next != NULL && desk->scratch != NULL && desk->params != NULL &&
            desk->device_calls != NULL && desk->tensors != NULL) ||
           oribi_fail_memory(status);
}

oribi_desk *oribi_desk_create(oribi_compile *compile, TF_Status *status)
{
    if (!ORIBI_GIVEN(status, compile)) {
        return NULL;
    }
    if (!check_model(compile, status)) {
        return NULL;
    }
    oribi_desk *desk = oribi_claim_zero(1, sizeof *desk, status);
    if (desk == NULL) {
        return NULL;
    }
    desk->program = compile->programs[0];
    if (!make_arrays(desk, status)) {
        desk->program = NULL;
        oribi_desk_destroy(desk);
        return NULL;
    }
    find_producers(desk);
    return desk;
}

void oribi_desk_destroy(oribi_desk *desk)
{
    if (desk == NULL) {
        return;
    }
    const oribi_program *c = desk->program;
    for (int32_t i = 0; i < ORIBI_DEVICES_MAX; i++) {
        oribi__desk_driver_close(&desk->drivers[i]);
    }
    for (int32_t i = 0; c != NULL && i < c->devices.partition.n_regions; i++) {
        oribi__desk_part_destroy(&desk->regions[i]);
    }
    for (int32_t i = 0; c != NULL && i < c->n_calls; i++) {
        oribi__desk_part_destroy(&desk->calls[i]);
    }
    for (int32_t i = 0; c != NULL && i < c->n_states; i++) {
        TF_DeleteTensor(desk->states[i]);
    }
    oribi_arena_destroy(&desk->arena);
    oribi_free(desk);
}

int oribi_desk_num_inputs(const oribi_desk *desk)
{
    return desk != NULL ? desk->program->n_inputs : 0;
}

int oribi_desk_num_outputs(const oribi_desk *desk)
{
    return desk != NULL ? desk->program->n_outputs : 0;
}

/* --- The far end ------------------------------------------------------------------------------ */

/* Targets put all that their operator does into its params: of regions with equal ones, any. */
static int32_t find_region(const oribi_partition *p, int32_t op, const void *params, size_t bytes)
{
    for (int32_t i = 0; i < p->n_regions; i++) {
        const oribi_target_code *code = &p->regions[i].code;
        if (code->op == op && code->params_bytes == bytes &&
            (bytes == 0 || memcmp(code->params, params, bytes) == 0)) {
            return i;
        }
    }
    return -1;
}

/* Tensors of the inputs, which lie one after the other. */
static bool read_inputs(const oribi_graph *graph, const oribi_desk_part *part, const uint8_t *data,
                        size_t bytes, TF_Tensor **out, TF_Status *status)
{
    size_t at = 0;
    for (int32_t i = 0; i < part->n_outer; i++) {
        const oribi_value *value = graph->values[part->outer[i]];
        const size_t n = (size_t)oribi_lower_bytes(value);
        if (n > bytes - at) {
            return oribi_fail(status, TF_INVALID_ARGUMENT,
                              "there are %zu bytes of inputs, but input %d ends at byte %zu", bytes,
                              (int)i, at + n);
        }
        out[i] = TF_AllocateTensor(value->dtype, value->shape.dims, value->shape.rank, n);
        if (out[i] == NULL) {
            return oribi_fail_memory(status);
        }
        if (n > 0) {
            memcpy(TF_TensorData(out[i]), data + at, n);
        }
        at += n;
    }
    return at == bytes ||
           oribi_fail(status, TF_INVALID_ARGUMENT,
                      "there are %zu bytes of inputs, but the operator reads %zu", bytes, at);
}

static bool write_outputs(TF_Tensor *const *made, int32_t n, size_t scratch_bytes, uint8_t *data,
                          size_t bytes, TF_Status *status)
{
    size_t sum = scratch_bytes;
    for (int32_t i = 0; i < n; i++) {
        sum += TF_TensorByteSize(made[i]);
    }
    if (sum != bytes) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "there is room for %zu bytes of outputs, but the operator makes %zu",
                          bytes, sum);
    }
    for (int32_t i = 0; i < n; i++) {
        const size_t own = TF_TensorByteSize(made[i]);
        if (own > 0) {
            memcpy(data, TF_TensorData(made[i]), own);
        }
        data += own;
    }
    if (scratch_bytes > 0) {
        memset(data, 0, scratch_bytes);
    }
    return true;
}

static bool invoke(oribi_desk *desk, const oribi_region *region, oribi_desk_part *part,
                   const void *inputs, size_t inputs_bytes, void *outputs, size_t outputs_bytes,
                   TF_Status *status)
{
    oribi_arena scratch = {0};
    TF_Tensor **in = oribi_arena_array(&scratch, (size_t)part->n_outer + 1, sizeof(TF_Tensor *));
    TF_Tensor **out = oribi_arena_array(&scratch, (size_t)part->n_outputs + 1, sizeof(TF_Tensor *));
    bool ok = (in != NULL && out != NULL) || oribi_fail_memory(status);
    ok = ok && read_inputs(desk->program->graph, part, inputs, inputs_bytes, in, status) &&
         oribi__desk_part_run(part, in, out, status) &&
         write_outputs(out, part->n_outputs, region->code.scratch_bytes, outputs, outputs_bytes,
                       status);
    for (int32_t i = 0; in != NULL && i < part->n_outer; i++) {
        TF_DeleteTensor(in[i]);
    }
    for (int32_t i = 0; out != NULL && i < part->n_outputs; i++) {
        TF_DeleteTensor(out[i]);
    }
    oribi_arena_destroy(&scratch);
    return ok;
}

void oribi_desk_invoke(oribi_desk *desk, int32_t op, const void *params, size_t params_bytes,
                       const void *inputs, size_t inputs_bytes, void *outputs, size_t outputs_bytes,
                       TF_Status *status)
{
    if (!ORIBI_GIVEN(status, desk)) {
        return;
    }
    const oribi_partition *p = &desk->program->devices.partition;
    if ((params_bytes > 0 && params == NULL) || (inputs_bytes > 0 && inputs == NULL) ||
        (outputs_bytes > 0 && outputs == NULL)) {
        oribi_fail(
            status, TF_INVALID_ARGUMENT,
            "oribi_desk_invoke: params, inputs or outputs are NULL, but their size is not 0");
        return;
    }
    const int32_t index = find_region(p, op, params, params_bytes);
    if (index < 0) {
        oribi_fail(status, TF_NOT_FOUND,
                   "'%s' has no operator %d with these %zu bytes of params on a device; is it the "
                   "model that the board runs, compiled with the same target and options?",
                   desk->program->source_name, (int)op, params_bytes);
        return;
    }
    const oribi_region *region = &p->regions[index];
    oribi_desk_part *part = &desk->regions[index];
    if (!oribi__desk_part_make(part, desk->program, &desk->arena, region, status) ||
        !invoke(desk, region, part, inputs, inputs_bytes, outputs, outputs_bytes, status)) {
        oribi_status_prefix(status, "node '%s': ", region->nodes[0]->name);
    }
}
