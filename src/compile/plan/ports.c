/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs and outputs as emitted code names them. Names come from the model and are hostile: every
 * character that C does not take becomes '_'; names.c refuses two that then are equal. */
#include <string.h>

#include "base/alloc.h"
#include "compile/plan/planning.h"
#include "compile/plan/names.h"
#include "tensor/status.h"

/* An input of this name would share a macro with what the header defines for the model. */
static const char *const reserved[] = {"WORKSPACE", "STATE", "WEIGHTS", "SHARED_WORKSPACE", NULL};

/* Is the output an input of the same name, as in models that give out a state that they got? */
static bool is_passed_on(const oribi_program *c, const oribi_port *port)
{
    for (int32_t i = 0; i < c->n_inputs; i++) {
        if (c->inputs[i].value == port->value &&
            strcmp(c->inputs[i].model_name, port->model_name) == 0) {
            return true;
        }
    }
    return false;
}

/* The name that C sees: that of --rename, or the model's; "state" becomes "state_", an output that
 * is the input x "x_output". */
static bool name_port(oribi_program *c, oribi_port *port, enum oribi_name_kind kind,
                      TF_Status *status)
{
    const char *name = oribi_program_renamed(c, kind, port->model_name);
    if (kind == ORIBI_NAME_OUTPUT && name == port->model_name && is_passed_on(c, port)) {
        name = oribi_arena_printf(&c->arena, "%s_output", name);
    }
    port->name = name != NULL ? oribi_compile_member(&c->arena, name, NULL) : NULL;
    port->macro = port->name != NULL ? oribi_compile_upper(&c->arena, port->name) : NULL;
    for (int32_t i = 0; port->macro != NULL && reserved[i] != NULL; i++) {
        if (strcmp(port->macro, reserved[i]) == 0) {
            port->name = oribi_arena_printf(&c->arena, "%s_", port->name);
            port->macro = oribi_arena_printf(&c->arena, "%s_", port->macro);
            break;
        }
    }
    return (port->name != NULL && port->macro != NULL) || oribi_fail_memory(status);
}

static bool make_port(oribi_program *c, oribi_value_id value, const char *name,
                      const oribi_quantisation *units, enum oribi_name_kind kind, oribi_port *port,
                      TF_Status *status)
{
    const oribi_value *v = c->graph->values[value];
    size_t bytes;
    *port = (oribi_port){.model_name = name,
                         .value = value,
                         .kind = oribi_element_kind_of(v->dtype),
                         .units = *units};
    oribi_text safe = {0};
    oribi_compile_append_safe(&safe, name);
    bool ok = true;
    if (port->kind < 0) {
        ok = oribi_fail(status, TF_UNIMPLEMENTED, "'%s' has the type %s, which cannot be compiled",
                        oribi_text_string(&safe), oribi_dtype_name(v->dtype));
    } else if (!oribi_shape_is_full(&v->shape) ||
               !oribi_size_of_dims(v->shape.dims, v->shape.rank,
                                   (size_t)oribi_element_bytes(port->kind), &bytes) ||
               bytes > INT32_MAX) {
        ok = oribi_fail(status, TF_INVALID_ARGUMENT,
                        "the shape of '%s' is not known before a run, or is too large; compiled "
                        "models need fixed shapes",
                        oribi_text_string(&safe));
    } else {
        port->bytes = (int64_t)bytes;
        port->count = (int64_t)bytes / oribi_element_bytes(port->kind);
        ok = name_port(c, port, kind, status);
    }
    oribi_text_destroy(&safe);
    return ok;
}

static bool check_places(const oribi_program *c, TF_Status *status)
{
    for (int32_t i = 0; i < c->n_outputs && c->ports_in_workspace; i++) {
        if (c->graph->values[c->outputs[i].value]->constant != NULL) {
            return oribi_fail(status, TF_UNIMPLEMENTED,
                              "output '%s' does not depend on any input; with --io pool it has no "
                              "place: use --io caller",
                              c->outputs[i].name);
        }
    }
    return true;
}

bool oribi_program_check_outputs(const oribi_program *c, TF_Status *status)
{
    for (int32_t i = 0; i < c->n_outputs && c->ports_in_workspace; i++) {
        if (c->locations[c->outputs[i].value].storage == ORIBI_IN_STATE) {
            return oribi_fail(status, TF_UNIMPLEMENTED,
                              "output '%s' is the state that the run before left; with --io pool "
                              "it has no place: use --io caller",
                              c->outputs[i].name);
        }
    }
    return true;
}

bool oribi_program_ports(oribi_program *c, TF_Status *status)
{
    const oribi_graph *graph = c->graph;
    c->n_inputs = graph->n_inputs;
    c->n_outputs = graph->n_outputs;
    c->inputs = oribi_claim_array(&c->arena, (size_t)c->n_inputs + 1, sizeof *c->inputs, status);
    c->outputs = oribi_claim_array(&c->arena, (size_t)c->n_outputs + 1, sizeof *c->outputs, status);
    ORIBI_TRY(c->inputs != NULL && c->outputs != NULL);
    for (int32_t i = 0; i < c->n_inputs; i++) {
        const bool is_state = i >= c->n_inputs - graph->n_states;
        ORIBI_TRY(
            make_port(c, graph->inputs[i], graph->input_names[i], &graph->input_quantisation[i],
                      is_state ? ORIBI_NAME_VARIABLE : ORIBI_NAME_INPUT, &c->inputs[i], status));
        c->io_bytes += c->inputs[i].bytes;
    }
    for (int32_t i = 0; i < c->n_outputs; i++) {
        ORIBI_TRY(make_port(c, graph->outputs[i], graph->output_names[i],
                            &graph->output_quantisation[i], ORIBI_NAME_OUTPUT, &c->outputs[i],
                            status));
        c->io_bytes += c->outputs[i].bytes;
    }
    return check_places(c, status) && oribi_program_take_states(c, status);
}

void oribi_program_print_type(const oribi_program *c, oribi_text *text, oribi_value_id value)
{
    const oribi_value *v = c->graph->values[value];
    oribi_text_printf(text, "%s ", oribi_dtype_name(v->dtype));
    oribi_shape_print(&v->shape, text);
}
