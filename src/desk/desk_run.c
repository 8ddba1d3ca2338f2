/* SPDX-License-Identifier: Apache-2.0 */
/* A run with drivers: the steps that the compiler made, as generated code would do them. What the
 * CPU computes is computed by sessions of single operators. Read next: hooks.c.
 */
#include <string.h>

#include "base/alloc.h"
#include "desk/desk_run.h"
#include "tensor/status.h"

/* --- Values ----------------------------------------------------------------------------------- */

static bool share(const TF_Tensor *tensor, TF_Tensor **out, TF_Status *status)
{
    *out = oribi_tensor_share(tensor);
    return *out != NULL || oribi_fail_memory(status);
}

static void drop(TF_Tensor **tensors, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        TF_DeleteTensor(tensors[i]);
        tensors[i] = NULL;
    }
}

static bool run_on_cpu(oribi_desk *desk, int32_t index, TF_Status *status);

/* Where in its scratch the device has made the value; NULL: not there. */
static const uint8_t *made_at(oribi_desk *desk, oribi_value_id id)
{
    const oribi_call *call = &desk->program->calls[desk->producer[id]];
    for (int32_t k = 0; call->region != NULL && k < call->n_outputs; k++) {
        if (call->node->outputs[k] == id) {
            return oribi__desk_shared_place(desk, desk->producer[id], call->n_inputs + k);
        }
    }
    return NULL;
}

bool oribi__desk_value(oribi_desk *desk, oribi_value_id id, TF_Tensor **out, TF_Status *status)
{
    if (desk->values[id] == NULL && desk->program->graph->values[id]->constant != NULL) {
        desk->values[id] = oribi_graph_constant_tensor(desk->program->graph, id, status);
        ORIBI_TRY(desk->values[id] != NULL);
    }
    if (desk->values[id] == NULL && desk->producer[id] >= 0) {
        const uint8_t *fixed = made_at(desk, id);
        if (fixed != NULL) { /* in scratch, which the device may use again once this was read */
            ORIBI_TRY(oribi__desk_make_value(desk, id, out, status));
            memcpy(TF_TensorData(*out), fixed, TF_TensorByteSize(*out));
        } else { /* a view: nobody calls it */
            ORIBI_TRY(run_on_cpu(desk, desk->producer[id], status));
        }
    }
    *out = desk->values[id];
    return *out != NULL || oribi_fail(status, TF_INTERNAL, "value '%s' is read before it is made",
                                      desk->program->graph->values[id]->name);
}

static void release(void *data, size_t bytes, void *arg)
{
    (void)bytes;
    (void)arg;
    oribi_free(data);
}

/* A tensor that any device of the model may see; our own are aligned to 64 bytes. */
static TF_Tensor *make_tensor(const oribi_desk *desk, const oribi_value *value)
{
    const size_t bytes = (size_t)oribi_lower_bytes(value);
    const oribi_devices *devices = &desk->program->devices;
    size_t alignment = 64;
    for (int32_t i = 0; i < devices->partition.n_devices; i++) {
        const size_t wanted = (size_t)oribi_device_alignment(devices, i);
        alignment = wanted > alignment ? wanted : alignment;
    }
    if (alignment == 64) {
        return TF_AllocateTensor(value->dtype, value->shape.dims, value->shape.rank, bytes);
    }
    void *data = oribi_alloc_aligned(bytes > 0 ? bytes : 1, alignment);
    return data == NULL ? NULL
                        : TF_NewTensor(value->dtype, value->shape.dims, value->shape.rank, data,
                                       bytes, release, NULL);
}

bool oribi__desk_make_value(oribi_desk *desk, oribi_value_id id, TF_Tensor **out, TF_Status *status)
{
    if (desk->values[id] == NULL) {
        desk->values[id] = make_tensor(desk, desk->program->graph->values[id]);
    }
    *out = desk->values[id];
    return *out != NULL || oribi_fail_memory(status);
}

static bool run_part(oribi_desk *desk, oribi_desk_part *part, const oribi_node *node,
                     TF_Status *status)
{
    oribi_arena scratch = {0};
    TF_Tensor **in = oribi_arena_array(&scratch, (size_t)part->n_outer + 1, sizeof(TF_Tensor *));
    TF_Tensor **out = oribi_arena_array(&scratch, (size_t)part->n_outputs + 1, sizeof(TF_Tensor *));
    bool ok = (in != NULL && out != NULL) || oribi_fail_memory(status);
    for (int32_t i = 0; ok && i < part->n_outer; i++) {
        ok = oribi__desk_value(desk, part->outer[i], &in[i], status); /* borrowed */
    }
    ok = ok && oribi__desk_part_run(part, in, out, status);
    for (int32_t i = 0; ok && i < part->n_outputs; i++) {
        TF_DeleteTensor(desk->values[node->outputs[i]]);
        desk->values[node->outputs[i]] = out[i];
    }
    oribi_arena_destroy(&scratch);
    return ok;
}

static bool run_on_cpu(oribi_desk *desk, int32_t index, TF_Status *status)
{
    const oribi_call *call = &desk->program->calls[index];
    oribi_node *nodes[2 * ORIBI_RINGS_MOST];
    int32_t n = 0;
    if (call->region != NULL) {
        return oribi_fail(status, TF_INTERNAL, "node '%s' belongs to a device", call->node->name);
    }
    for (int32_t k = 0; k < oribi_call_n_parts(call); k++) {
        const oribi_call *part = oribi_call_part(call, k);
        if (part->fused != NULL) {
            nodes[n++] = desk->program->graph->nodes[part->fused->id];
        }
        nodes[n++] = desk->program->graph->nodes[part->node->id];
    }
    const oribi_region all = {.nodes = nodes,
                              .n_nodes = n,
                              .outputs = nodes[n - 1]->outputs,
                              .n_outputs = nodes[n - 1]->n_outputs};
    if (!oribi__desk_part_make(&desk->calls[index], desk->program, &desk->arena, &all, status) ||
        !run_part(desk, &desk->calls[index], call->node, status)) {
        oribi_status_prefix(status, "node '%s': ", call->node->name);
        return false;
    }
    return true;
}

/* --- State ------------------------------------------------------------------------------------ */

static bool bind_state(oribi_desk *desk, int32_t index, TF_Status *status)
{
    const oribi_state *state = &desk->program->states[index];
    if (desk->states[index] == NULL) {
        TF_Tensor *first;
        ORIBI_TRY(oribi__desk_make_value(desk, state->read, &first, status));
        oribi_state_first(state, TF_TensorData(first));
        return true;
    }
    desk->values[state->read] = desk->states[index];
    desk->states[index] = NULL;
    return true;
}

/* After a good run the state is what became of it, after a failed one what it was. */
static bool keep_states(oribi_desk *desk, bool is_good, TF_Status *status)
{
    const oribi_program *c = desk->program;
    for (int32_t i = 0; i < c->n_states && is_good; i++) {
        TF_Tensor *next;
        is_good = oribi__desk_value(desk, c->states[i].next, &next, status) &&
                  share(next, &desk->next[i], status);
    }
    for (int32_t i = 0; i < c->n_states; i++) {
        const oribi_value_id read = c->states[i].read;
        if (is_good) {
            desk->states[i] = desk->next[i];
        } else if (desk->values[read] != NULL) {
            desk->states[i] = desk->values[read];
            desk->values[read] = NULL;
            TF_DeleteTensor(desk->next[i]);
        }
        desk->next[i] = NULL;
    }
    return is_good;
}

/* --- Run -------------------------------------------------------------------------------------- */

static bool check_input(const oribi_desk *desk, int32_t index, const TF_Tensor *tensor,
                        TF_Status *status)
{
    const oribi_port *port = &desk->program->inputs[index];
    const oribi_value *value = desk->program->graph->values[port->value];
    bool fits = tensor != NULL && TF_TensorType(tensor) == value->dtype &&
                TF_NumDims(tensor) == value->shape.rank;
    for (int32_t i = 0; fits && i < value->shape.rank; i++) {
        fits = TF_Dim(tensor, i) == value->shape.dims[i];
    }
    return fits || oribi_fail(status, TF_INVALID_ARGUMENT,
                              "input '%s' is missing, or its type or shape is not the model's, "
                              "which is fixed when devices are used",
                              port->model_name);
}

static bool check_ready(const oribi_desk *desk, TF_Status *status)
{
    const oribi_partition *p = &desk->program->devices.partition;
    for (int32_t i = 0; i < p->n_devices; i++) {
        if (desk->drivers[i].library == NULL) {
            return oribi_fail(status, TF_FAILED_PRECONDITION,
                              "device '%s' has no driver; give one with --device %s=driver.so",
                              p->devices[i].name, p->devices[i].name);
        }
    }
    for (int32_t i = 0; i < p->n_regions; i++) {
        if (p->regions[i].code.body != NULL) {
            return oribi_fail(status, TF_UNIMPLEMENTED,
                              "node '%s': target '%s' writes C for it in place of calls of its "
                              "driver; `oribi verify` runs such C",
                              p->regions[i].nodes[0]->name,
                              p->devices[p->regions[i].device].target->name);
        }
    }
    return true;
}

static bool bind(oribi_desk *desk, const TF_Tensor *const *inputs, TF_Status *status)
{
    ORIBI_TRY(check_ready(desk, status));
    for (int32_t i = 0; i < desk->program->n_inputs; i++) {
        ORIBI_TRY(check_input(desk, i, inputs[i], status));
        ORIBI_TRY(share(inputs[i], &desk->values[desk->program->inputs[i].value], status));
    }
    for (int32_t i = 0; i < desk->program->n_states; i++) {
        ORIBI_TRY(bind_state(desk, i, status));
    }
    return true;
}

/* A value that a view of a later one has asked for is already computed. */
static bool run_kernel(oribi_desk *desk, int32_t call, TF_Status *status)
{
    return desk->values[desk->program->calls[call].node->outputs[0]] != NULL ||
           run_on_cpu(desk, call, status);
}

static bool do_steps(oribi_desk *desk, TF_Status *status)
{
    const oribi_devices *d = &desk->program->devices;
    for (int32_t i = 0; i < d->n_steps; i++) {
        const oribi_step *step = &d->steps[i];
        if (!(step->kind == ORIBI_STEP_KERNEL ? run_kernel(desk, step->call, status)
                                              : oribi__desk_step(desk, step, status))) {
            oribi__desk_unwind(desk, status);
            return false;
        }
    }
    return true;
}

/* Handles of the outputs; none on failure. */
static bool collect(oribi_desk *desk, TF_Tensor **outputs, TF_Status *status)
{
    for (int32_t i = 0; i < desk->program->n_outputs; i++) {
        TF_Tensor *value;
        if (!oribi__desk_value(desk, desk->program->outputs[i].value, &value, status) ||
            !share(value, &outputs[i], status)) {
            drop(outputs, i);
            return false;
        }
    }
    return true;
}

void oribi_desk_run(oribi_desk *desk, const TF_Tensor *const *inputs, TF_Tensor **outputs,
                    TF_Status *status)
{
    if (!ORIBI_GIVEN(status, desk, inputs, outputs)) {
        return;
    }
    const size_t n = (size_t)desk->program->n_outputs;
    TF_Tensor **made = oribi_alloc_zero(n + 1, sizeof(TF_Tensor *));
    bool ok = (made != NULL || oribi_fail_memory(status)) && bind(desk, inputs, status) &&
              do_steps(desk, status) && collect(desk, made, status);
    if (ok && !keep_states(desk, true, status)) {
        drop(made, desk->program->n_outputs);
    } else if (ok) {
        memcpy(outputs, made, n * sizeof(TF_Tensor *));
    } else {
        (void)keep_states(desk, false, status);
    }
    drop(desk->values, desk->program->graph->n_values);
    drop(desk->outgrown, desk->program->graph->n_values);
    oribi_free(made);
}
