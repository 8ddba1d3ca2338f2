/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions of emitted code: where a value or a constant lies, and what a function is given. */
#include <inttypes.h>
#include <string.h>

#include "compile/emit/emit_parts.h"

const char *oribi_emit_pointer_cast(int32_t kind, bool is_const)
{
    static const char *const casts[][2] = {
        [ORIBI_ELEMENT_S8] = {"(int8_t *)", "(const int8_t *)"},
        [ORIBI_ELEMENT_U8] = {"", ""},
        [ORIBI_ELEMENT_S16] = {"(int16_t *)(void *)", "(const int16_t *)(const void *)"},
        [ORIBI_ELEMENT_S32] = {"(int32_t *)(void *)", "(const int32_t *)(const void *)"},
        [ORIBI_ELEMENT_F32] = {"(float *)(void *)", "(const float *)(const void *)"},
        [ORIBI_ELEMENT_S64] = {"(int64_t *)(void *)", "(const int64_t *)(const void *)"},
        [ORIBI_ELEMENT_F64] = {"(double *)(void *)", "(const double *)(const void *)"},
        [ORIBI_ELEMENT_U32] = {"(uint32_t *)(void *)", "(const uint32_t *)(const void *)"},
        [ORIBI_ELEMENT_U64] = {"(uint64_t *)(void *)", "(const uint64_t *)(const void *)"},
    };
    return casts[kind][is_const ? 1 : 0];
}

void oribi_emit_array(const oribi_program *c, oribi_text *text, int32_t array)
{
    const oribi_weights_array *a = &c->arrays[array];
    if (c->options->weights == ORIBI_WEIGHTS_BIN) {
        oribi_text_printf(text, "%s&weights[%" PRId64 "]",
                          oribi_emit_pointer_cast(a->placed->kind, true), a->offset);
    } else {
        oribi_text_printf(text, "tvmgen_%s_%s", c->name, a->symbol);
    }
}

void oribi_emit_pool_place(const oribi_program *c, oribi_text *text, int32_t kind,
                           const oribi_location *location)
{
    oribi_text_printf(text, "%s&pool_%s[%" PRId64 "]", oribi_emit_pointer_cast(kind, false),
                      c->pools[location->index].name, location->offset);
}

void oribi_emit_place(const oribi_program *c, oribi_text *text, oribi_value_id value)
{
    const oribi_location *location = &c->locations[value];
    const int32_t kind = oribi_element_kind_of(c->graph->values[value]->dtype);
    switch (location->storage) {
    case ORIBI_IN_INPUT:
        oribi_text_printf(text, "inputs->%s", c->inputs[location->index].name);
        return;
    case ORIBI_IN_OUTPUT:
        oribi_text_printf(text, "outputs->%s", c->outputs[location->index].name);
        return;
    case ORIBI_IN_STATE:
        oribi_text_printf(text, "state->%s", c->states[location->index].name);
        return;
    case ORIBI_IN_FLASH:
        oribi_emit_array(c, text, c->first_constant + location->index);
        return;
    default:
        oribi_emit_pool_place(c, text, kind, location);
    }
}

void oribi_emit_parameters(const oribi_program *c, oribi_writer *w, const char *end)
{
    const char *n = c->name;
    const bool has_state = c->n_states > 0, has_devices = c->devices.partition.n_devices > 0;
    oribi_writer_line(w, "    const struct tvmgen_%s_inputs *inputs,", n);
    oribi_writer_line(w, "    const struct tvmgen_%s_outputs *outputs,", n);
    oribi_writer_line(w, "    const struct tvmgen_%s_workspace_pools *workspace_pools%s", n,
                      has_state || has_devices ? "," : end);
    if (has_state) {
        oribi_writer_line(w, "    struct tvmgen_%s_state *state%s", n, has_devices ? "," : end);
    }
    if (has_devices) {
        oribi_writer_line(w, "    const struct tvmgen_%s_devices *devices%s", n, end);
    }
}

const char *oribi_emit_forwarded(const oribi_program *c)
{
    static const char *const lists[2][2] = {
        {"inputs, outputs, workspace_pools", "inputs, outputs, workspace_pools, devices"},
        {"inputs, outputs, workspace_pools, state",
         "inputs, outputs, workspace_pools, state, devices"},
    };
    return lists[c->n_states > 0][c->devices.partition.n_devices > 0];
}

/* Does the text index this variable? */
static bool uses(const char *text, const char *prefix, const char *name)
{
    const size_t before = strlen(prefix), length = strlen(name);
    for (const char *at = text; (at = strstr(at, prefix)) != NULL; at += before) {
        if (strncmp(at + before, name, length) == 0 && at[before + length] == '[') {
            return true;
        }
    }
    return false;
}

void oribi_emit_pools(const oribi_program *c, oribi_writer *w, const char *body)
{
    bool uses_any = false;
    for (int32_t i = 0; i < c->n_pools; i++) {
        if (uses(body, "&pool_", c->pools[i].name)) {
            oribi_writer_line(w, "uint8_t *pool_%s = workspace_pools->%s;", c->pools[i].name,
                              c->pools[i].name);
            uses_any = true;
        }
    }
    if (uses(body, "&", "weights")) {
        oribi_writer_line(w, "const uint8_t *weights = workspace_pools->weights;");
        uses_any = true;
    }
    if (!uses_any) {
        oribi_writer_line(w, "(void)workspace_pools;");
    }
    if (strstr(body, "inputs->") == NULL) {
        oribi_writer_line(w, "(void)inputs;");
    }
    if (strstr(body, "outputs->") == NULL) {
        oribi_writer_line(w, "(void)outputs;");
    }
    if (c->n_states > 0 && strstr(body, "state->") == NULL) {
        oribi_writer_line(w, "(void)state;");
    }
    if (c->devices.partition.n_devices > 0 && strstr(body, "devices") == NULL) {
        oribi_writer_line(w, "(void)devices;");
    }
}
