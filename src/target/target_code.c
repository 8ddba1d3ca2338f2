/* SPDX-License-Identifier: Apache-2.0 */
/* What does an op of one kernel need for a node? Asks its `prepare`, and keeps what that says:
 * oribi_target_set_*. */
#include <string.h>

#include "base/alloc.h"
#include "micro/prepare.h"
#include "target/target.h"
#include "tensor/status.h"

/* Every state was set, and what a model connects in its place has its sizes. */
static bool check_states(const oribi_kernel_code *own, const oribi_graph *graph, TF_Status *status)
{
    const oribi_node *node = own->node;
    for (int32_t k = 0; k < own->kernel->n_states; k++) {
        const int32_t from_end = own->kernel->n_states - k;
        const oribi_value *read = graph->values[node->inputs[node->n_inputs - from_end]];
        const oribi_value *next = graph->values[node->outputs[node->n_outputs - from_end]];
        if (!own->states[k].is_set) {
            return oribi_fail(status, TF_INVALID_ARGUMENT,
                              "its kernel does not say what state %d is; prepare must call "
                              "oribi_target_set_state",
                              (int)k);
        }
        if ((oribi_shape_is_full(&read->shape) &&
             !oribi_shape_equal(&read->shape, &own->states[k].shape)) ||
            (oribi_shape_is_full(&next->shape) &&
             !oribi_shape_equal(&next->shape, &own->states[k].shape))) {
            return oribi_fail(status, TF_INVALID_ARGUMENT,
                              "input '%s' or output '%s' has not the sizes of state %d", read->name,
                              next->name, (int)k);
        }
    }
    return true;
}

bool oribi_target_kernel_ask(const oribi_target_kernel *kernel, oribi_graph *graph,
                             oribi_node *node, oribi_arena *arena, oribi_target_code *out,
                             TF_Status *status)
{
    const oribi_region region = {.graph = graph, .nodes = &node, .n_nodes = 1};
    const oribi_args *args = kernel->args;
    oribi_kernel_code *own = oribi_arena_array(arena, 1, sizeof *own);
    *out = (oribi_target_code){.arena = arena, .own = own};
    if (own == NULL) {
        return oribi_fail_memory(status);
    }
    own->kernel = kernel;
    own->node = node;
    own->arguments = oribi_arena_array(arena, 1, args->bytes);
    own->arrays = oribi_arena_array(arena, args->n_members, sizeof *own->arrays);
    own->states = oribi_arena_array(arena, (size_t)kernel->n_states + 1, sizeof *own->states);
    own->inputs = oribi_arena_array(arena, (size_t)node->n_inputs + 1, sizeof *own->inputs);
    if (own->arguments == NULL || own->arrays == NULL || own->states == NULL ||
        own->inputs == NULL) {
        return oribi_fail_memory(status);
    }
    own->n_inputs = node->n_inputs;
    for (int32_t i = 0; i < node->n_inputs; i++) {
        own->inputs[i] = i;
    }
    TF_SetStatus(status, TF_OK, "");
    kernel->prepare(kernel->user, &region, out, status);
    if (TF_GetCode(status) == TF_OK && out->scratch_bytes > INT32_MAX) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "the kernel asks for 2 GiB of scratch or more");
    }
    if (!oribi_ok(status) || !check_states(own, graph, status)) {
        oribi_status_prefix(status, "node '%s' (%s): ", node->name, node->op_name);
        return false;
    }
    for (size_t i = 0; i < args->n_members; i++) {
        if (args->members[i].kind == ORIBI_ARGS_IS_ARRAY) {
            memcpy((char *)own->arguments + args->members[i].offset, &own->arrays[i].data,
                   sizeof(void *));
        }
    }
    return true;
}

/* --- Said by prepare ---------------------------------------------------------------------------
 */

/* A failure before stays, and nothing is done, so that prepare reads straight down. NULL: with a
 * message. */
#define OWN_OF(code, status, ...)                                                                  \
    (oribi_ok(status) && ORIBI_GIVEN(status, code, __VA_ARGS__) ? own_of(code, status) : NULL)

static oribi_kernel_code *own_of(oribi_target_code *code, TF_Status *status)
{
    if (code->own == NULL) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "this operator is written by a target; only the prepare function of an "
                   "oribi_target_kernel sets arguments, arrays, inputs and state");
    }
    return code->own;
}

void oribi_target_set_arguments(oribi_target_code *code, const void *arguments, size_t bytes,
                                TF_Status *status)
{
    oribi_kernel_code *own = OWN_OF(code, status, arguments);
    if (own != NULL && bytes != own->kernel->args->bytes) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "the arguments have %zu bytes, not %zu",
                   own->kernel->args->bytes, bytes);
    } else if (own != NULL) {
        memcpy(own->arguments, arguments, bytes);
    }
}

/* The pointer of that name among the arguments; -1: none. */
static int32_t find_array(const oribi_args *args, const char *name)
{
    const char *at = args->names;
    for (size_t i = 0; i < args->n_members; i++) {
        if (args->members[i].kind == ORIBI_ARGS_IS_ARRAY && strcmp(at, name) == 0) {
            return (int32_t)i;
        }
        at += strlen(at) + 1;
    }
    return -1;
}

void oribi_target_set_array(oribi_target_code *code, const char *member, const void *elements,
                            size_t count, TF_Status *status)
{
    oribi_kernel_code *own = OWN_OF(code, status, member, elements);
    if (own == NULL) {
        return;
    }
    const int32_t index = find_array(own->kernel->args, member);
    if (index < 0 || own->arrays[index].data != NULL || count == 0 || count > INT32_MAX / 4) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "the arguments have no pointer '%s', or it has its elements already, or there "
                   "are none, or 2^29 and more",
                   member);
        return;
    }
    const TF_DataType type = (TF_DataType)own->kernel->args->members[index].dtype;
    own->arrays[index].count = (int64_t)count;
    own->arrays[index].data =
        oribi_arena_memdup(code->arena, elements, count * oribi_dtype_bytes(type));
    if (own->arrays[index].data == NULL) {
        oribi_fail_memory(status);
    }
}

void oribi_target_set_inputs(oribi_target_code *code, const int32_t *inputs, int32_t n_inputs,
                             TF_Status *status)
{
    oribi_kernel_code *own = OWN_OF(code, status, inputs);
    const int32_t most = own != NULL ? own->node->n_inputs : 0;
    bool are_good = own != NULL && n_inputs > 0 && n_inputs <= most;
    for (int32_t i = 0; are_good && i < n_inputs; i++) {
        are_good = inputs[i] >= 0 && inputs[i] < most;
    }
    if (are_good) {
        memcpy(own->inputs, inputs, (size_t)n_inputs * sizeof *inputs);
        own->n_inputs = n_inputs;
    } else if (own != NULL) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "the kernel takes 1 to %d of the inputs 0 to %d",
                   (int)most, (int)most - 1);
    }
}

void oribi_target_set_in_place(oribi_target_code *code, int32_t input, TF_Status *status)
{
    oribi_kernel_code *own = OWN_OF(code, status, code);
    if (own == NULL) {
        return;
    }
    if (input < 0 || input >= own->n_inputs || own->n_in_place == 2) {
        oribi_fail(
            status, TF_INVALID_ARGUMENT,
            "output 0 cannot lie over input %d: the kernel takes %d, and may name two of them",
            (int)input, (int)own->n_inputs);
        return;
    }
    own->in_place[own->n_in_place++] = input;
}

void oribi_target_set_macs(oribi_target_code *code, int64_t macs)
{
    if (code != NULL && code->own != NULL) {
        code->own->macs = macs > 0 ? macs : 0;
    }
}

/* The bytes of a state; 0: a dim below 1, or 2 GiB and more. */
static size_t state_bytes(const int64_t *dims, int32_t rank, TF_DataType type)
{
    int64_t bytes = (int64_t)oribi_dtype_bytes(type);
    for (int32_t i = 0; i < rank && bytes > 0; i++) {
        bytes = dims[i] >= 1 && dims[i] <= INT32_MAX / bytes ? bytes * dims[i] : 0;
    }
    return (size_t)bytes;
}

void oribi_target_set_state(oribi_target_code *code, int32_t index, const int64_t *dims,
                            int32_t rank, const void *initial, TF_Status *status)
{
    oribi_kernel_code *own = OWN_OF(code, status, dims);
    if (own == NULL) {
        return;
    }
    const int32_t n = own->kernel->n_states, input = own->node->n_inputs - n + index;
    const bool is_there = index >= 0 && index < n && rank >= 0 && rank <= ORIBI_MAX_RANK;
    const size_t bytes =
        is_there ? state_bytes(dims, rank, own->node->signature.input_types[input]) : 0;
    if (bytes == 0) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "state %d: the op has %d, each of at most %d dims, none below 1", (int)index,
                   (int)n, ORIBI_MAX_RANK);
        return;
    }
    oribi_kernel_state *state = &own->states[index];
    state->initial = initial != NULL ? oribi_arena_memdup(code->arena, initial, bytes) : NULL;
    state->is_set = oribi_shape_copy(code->arena, dims, rank, &state->shape);
    if (!state->is_set || (initial != NULL && state->initial == NULL)) {
        oribi_fail_memory(status);
    }
}

void oribi_target_multiplier(double factor, int32_t *out_multiplier, int32_t *out_shift,
                             TF_Status *status)
{
    if (oribi_ok(status) && ORIBI_GIVEN(status, out_multiplier, out_shift) &&
        oribi_micro_multiplier(factor, out_multiplier, out_shift) != ORIBI_MICRO_OK) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "%g is no factor of fixed point: it must be 0 or more, and below 2^31", factor);
    }
}
