/* SPDX-License-Identifier: Apache-2.0 */
/* State: inputs and outputs that the caller does not see. A run reads the state and writes what it
 * becomes elsewhere; when all operators have run it is copied over, so a run that fails or is given
 * up leaves it as it was.
 */
#include <string.h>

#include "base/alloc.h"
#include "compile/plan/planning.h"
#include "tensor/status.h"

static int32_t find_port(const oribi_port *ports, int32_t n, const char *name, size_t length)
{
    for (int32_t i = 0; i < n; i++) {
        if (strlen(ports[i].model_name) == length &&
            memcmp(ports[i].model_name, name, length) == 0) {
            return i;
        }
    }
    return -1;
}

static void remove_port(oribi_program *c, oribi_port *ports, int32_t *n, int32_t index)
{
    c->io_bytes -= ports[index].bytes;
    memmove(&ports[index], &ports[index + 1], (size_t)(*n - index - 1) * sizeof *ports);
    (*n)--;
}

/* Input `in` and output `out` become one state. */
static bool take(oribi_program *c, int32_t in, int32_t out, const void *initial, TF_Status *status)
{
    const oribi_port *read = &c->inputs[in], *next = &c->outputs[out];
    if (read->kind != next->kind || read->count != next->count) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "state '%s' is read as %lld elements of %s and left as %lld of %s",
                          read->name, (long long)read->count, oribi_element_c_type(read->kind),
                          (long long)next->count, oribi_element_c_type(next->kind));
    }
    c->states[c->n_states++] = (oribi_state){
        .name = read->name,
        .model_name = read->model_name,
        .output_name = initial == NULL ? next->model_name : NULL,
        .read = read->value,
        .next = next->value,
        .kind = read->kind,
        .count = read->count,
        .bytes = read->bytes,
        .initial = initial,
        .fill = read->units.n_scales == 1 ? read->units.zero : 0,
    };
    c->state_bytes += read->bytes;
    remove_port(c, c->inputs, &c->n_inputs, in);
    remove_port(c, c->outputs, &c->n_outputs, out);
    return true;
}

bool oribi_program_take_states(oribi_program *c, TF_Status *status)
{
    const oribi_option_list *asked = &c->options->states;
    const int32_t n_own = c->graph->n_states;
    c->states = oribi_claim_array(&c->arena, (size_t)c->n_inputs + 1, sizeof *c->states, status);
    ORIBI_TRY(c->states != NULL);
    for (int32_t i = 0; i < n_own; i++) { /* of the model: its last inputs and outputs */
        ORIBI_TRY(take(c, c->n_inputs - (n_own - i), c->n_outputs - (n_own - i),
                       TF_TensorData(c->graph->states[i]), status));
    }
    for (int32_t i = 0; i < asked->n; i++) {
        int32_t length;
        const char *output = oribi_option_split(asked->items[i], '=', &length);
        const int32_t in = find_port(c->inputs, c->n_inputs, asked->items[i], (size_t)length);
        const int32_t out = find_port(c->outputs, c->n_outputs, output, strlen(output));
        if (in < 0 || out < 0) {
            return oribi_fail(status, TF_NOT_FOUND,
                              "--state %s: the model has no %s of that name, or it is state "
                              "already; `oribi inspect` lists inputs and outputs",
                              asked->items[i], in < 0 ? "input" : "output");
        }
        ORIBI_TRY(take(c, in, out, NULL, status));
    }
    return true;
}

/* --- Order of the copies --------------------------------------------------------------------- */

/* The state whose old bytes become the new ones of state k, or -1. */
static int32_t source_of(const oribi_program *c, const oribi_state *state)
{
    const oribi_location *location = &c->locations[state->next];
    return location->storage == ORIBI_IN_STATE ? location->index : -1;
}

/* Is the old value of `member` still wanted by a state that is not yet written? */
static bool is_wanted(const oribi_program *c, const bool *written, int32_t member)
{
    for (int32_t k = 0; k < c->n_states; k++) {
        if (!written[k] && k != member && source_of(c, &c->states[k]) == member) {
            return true;
        }
    }
    return false;
}

bool oribi_program_order_states(oribi_program *c, TF_Status *status)
{
    const size_t n = (size_t)c->n_states;
    bool *written = oribi_claim_array(&c->arena, n + 1, sizeof *written, status);
    c->commits = oribi_claim_array(&c->arena, n + 1, sizeof *c->commits, status);
    ORIBI_TRY(written != NULL && c->commits != NULL);
    for (int32_t done = 0; done < c->n_states;) {
        int32_t next = -1;
        for (int32_t k = 0; k < c->n_states && next < 0; k++) {
            next = !written[k] && !is_wanted(c, written, k) ? k : -1;
        }
        if (next < 0) {
            return oribi_fail(status, TF_UNIMPLEMENTED,
                              "states that only swap with each other cannot be compiled");
        }
        written[next] = true;
        c->commits[done++] = next;
    }
    return true;
}

void oribi_state_first(const oribi_state *state, void *bytes)
{
    const size_t size = (size_t)oribi_element_bytes(state->kind);
    const int8_t fill8 = (int8_t)state->fill;
    const int16_t fill16 = (int16_t)state->fill;
    const void *fill = size == 1 ? (const void *)&fill8 : (const void *)&fill16;
    if (state->initial != NULL) {
        memcpy(bytes, state->initial, (size_t)state->bytes);
    } else if (size > 2 || state->fill == 0) {
        memset(bytes, 0, (size_t)state->bytes);
    } else {
        for (int64_t i = 0; i < state->count; i++) {
            memcpy((char *)bytes + (size_t)i * size, fill, size);
        }
    }
}
