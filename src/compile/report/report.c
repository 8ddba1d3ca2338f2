/* SPDX-License-Identifier: Apache-2.0 */
/* report.json: memory against its bounds, where everything lies and why, and per node what it
 * costs. Its schema: docs/reference/report.schema.json. The page: report_html.c.
 */
#include "compile/report/report.h"

#include <string.h>

#include "format/json.h"
#include "tensor/patience.h"
#include "tensor/status.h"

static const char *value_name(const oribi_program *c, int32_t value)
{
    return value < 0 ? NULL : c->graph->values[value]->name;
}

static void put_place(oribi_json *json, const oribi_program *c, const oribi_location *place)
{
    static const char *const names[] = {"none",      "input",    "output",
                                        "workspace", "constant", "state"};
    oribi_json_put_string(json, "storage", names[place->storage]);
    if (place->storage == ORIBI_IN_WORKSPACE) {
        oribi_json_put_string(json, "pool", c->pools[place->index].name);
        oribi_json_put_int(json, "offset", place->offset);
    }
}

static void put_reason(oribi_json *json, const oribi_report *r, int32_t value)
{
    int32_t with;
    const char *reason = oribi__report_reason(r, value, &with);
    oribi_json_put_string(json, "shares", reason);
    oribi_json_put_string(json, "shares_with",
                          value_name(r->c, strcmp(reason, "own") == 0 ? -1 : with));
}

static void put_values(oribi_json *json, const char *key, const oribi_program *c,
                       const oribi_value_id *values, int32_t n)
{
    oribi_json_key(json, key);
    oribi_json_open(json, '[');
    for (int32_t i = 0; i < n; i++) {
        oribi_json_string(json, value_name(c, values[i]));
    }
    oribi_json_close(json, ']');
}

/* Where each output lies when the node has run; "port" is a member of the structs in C. */
static void put_places(oribi_json *json, const oribi_program *c, const oribi_call *call)
{
    oribi_json_key(json, "places");
    oribi_json_open(json, '[');
    for (int32_t i = 0; i < call->n_outputs; i++) {
        const oribi_location *place = &c->locations[call->node->outputs[i]];
        oribi_json_open(json, '{');
        oribi_json_put_int(json, "bytes", place->bytes);
        put_place(json, c, place);
        if (place->storage == ORIBI_IN_INPUT || place->storage == ORIBI_IN_OUTPUT) {
            const oribi_port *ports = place->storage == ORIBI_IN_INPUT ? c->inputs : c->outputs;
            oribi_json_put_string(json, "port", ports[place->index].name);
        }
        oribi_json_close(json, '}');
    }
    oribi_json_close(json, ']');
}

/* Its number for TVMGEN_ON_OP and in tvm_device_error, and how long it is thought to take. */
static void put_operator(oribi_json *json, const oribi_program *c, const oribi_call *call,
                         int32_t number)
{
    const bool is_operator = oribi_call_is_operator(call);
    oribi_json_key(json, "operator");
    if (is_operator) {
        oribi_json_int(json, number);
    } else {
        oribi_json_null(json);
    }
    oribi_json_put_int(json, "estimated_us", is_operator ? oribi_program_estimate_us(c, call) : 0);
}

/* number: how many operators came before. */
static void put_node(oribi_json *json, const oribi_report *r, int32_t index, int32_t number)
{
    const oribi_program *c = r->c;
    const oribi_call *call = &c->calls[index];
    const oribi_location *output = &c->locations[call->node->outputs[0]];
    const bool is_called = oribi__report_is_called(call);
    oribi_json_open(json, '{');
    oribi_json_put_string(json, "name", call->node->name);
    oribi_json_put_string(json, "op", call->node->op_name);
    oribi_json_put_string(json, "call", is_called ? call->name : NULL);
    oribi_json_put_string(json, "kernel",
                          !is_called             ? "view"
                          : call->kernel == NULL ? "device"
                                                 : call->kernel);
    oribi_json_put_int(json, "device", call->device);
    put_operator(json, c, call, number);
    oribi_json_put_int(json, "macs", call->macs);
    oribi_json_put_int(json, "instructions", is_called ? call->instructions : 0);
    oribi_json_put_int(json, "bytes", output->bytes);
    put_place(json, c, output);
    put_reason(json, r, call->node->outputs[0]);
    oribi_json_put_int(json, "scratch", is_called ? call->scratch_bytes : 0);
    oribi_json_put_int(json, "flash", oribi_call_flash(call));
    oribi_json_put_int(json, "live_bytes", r->live[index]);
    put_values(json, "inputs", c, call->inputs, call->n_inputs);
    put_values(json, "outputs", c, call->node->outputs, call->n_outputs);
    put_places(json, c, call);
    oribi_json_close(json, '}');
}

/* A tensor, or (value -1) the scratch of a call. */
static void put_buffer(oribi_json *json, const oribi_report *r, int32_t value, int32_t call)
{
    const oribi_program *c = r->c;
    const oribi_location *place = value >= 0 ? &c->locations[value] : &c->scratch[call];
    if (place->storage != ORIBI_IN_WORKSPACE || place->bytes == 0) {
        return;
    }
    oribi_json_open(json, '{');
    oribi_json_put_string(json, "name", value >= 0 ? value_name(c, value) : c->calls[call].name);
    oribi_json_put_string(json, "kind", value >= 0 ? "tensor" : "scratch");
    oribi_json_put_string(json, "pool", c->pools[place->index].name);
    oribi_json_put_int(json, "offset", place->offset);
    oribi_json_put_int(json, "bytes", place->bytes);
    oribi_json_put_int(json, "first_step", value >= 0 ? r->first[value] : call);
    oribi_json_put_int(json, "last_step", value >= 0 ? r->last[value] : call);
    if (value >= 0) {
        put_reason(json, r, value);
    } else {
        oribi_json_put_string(json, "shares", "own");
        oribi_json_put_string(json, "shares_with", NULL);
    }
    oribi_json_close(json, '}');
}

/* Lists what the CPU copies for a device that cannot see it where it lies. */
static void put_copies(oribi_json *json, const oribi_program *c, int32_t index)
{
    const oribi_call *call = &c->calls[index];
    for (int32_t k = 0; call->region != NULL && k < call->n_inputs; k++) {
        const oribi_location *place = &c->devices.staged[index][k];
        if (place->bytes == 0) {
            continue;
        }
        oribi_json_open(json, '{');
        oribi_json_put_string(json, "name", value_name(c, call->inputs[k]));
        oribi_json_put_string(json, "kind", "copy");
        oribi_json_put_string(json, "pool", c->pools[place->index].name);
        oribi_json_put_int(json, "offset", place->offset);
        oribi_json_put_int(json, "bytes", place->bytes);
        oribi_json_put_int(json, "first_step", index);
        oribi_json_put_int(json, "last_step", c->devices.done[index] - 1);
        oribi_json_put_string(json, "shares", "own");
        oribi_json_put_string(json, "shares_with", NULL);
        oribi_json_close(json, '}');
    }
}

static void put_pools(oribi_json *json, const oribi_program *c)
{
    oribi_json_key(json, "pools");
    oribi_json_open(json, '[');
    for (int32_t p = 0; p < c->n_pools; p++) {
        oribi_json_open(json, '{');
        oribi_json_put_string(json, "name", c->pools[p].name);
        oribi_json_put_int(json, "bytes", c->pools[p].bytes);
        oribi_json_key(json, "max_bytes");
        if (c->pools[p].max_bytes > 0) {
            oribi_json_uint(json, c->pools[p].max_bytes);
        } else {
            oribi_json_null(json);
        }
        oribi_json_close(json, '}');
    }
    oribi_json_close(json, ']');
}

static void put_states(oribi_json *json, const oribi_program *c)
{
    oribi_json_key(json, "states");
    oribi_json_open(json, '[');
    for (int32_t k = 0; k < c->n_states; k++) {
        const oribi_state *state = &c->states[k];
        oribi_json_open(json, '{');
        oribi_json_put_string(json, "name", state->name);
        oribi_json_put_string(json, "input", state->model_name);
        oribi_json_put_string(json, "output", state->output_name);
        oribi_json_put_int(json, "bytes", state->bytes);
        oribi_json_put_int(json, "fill", state->fill);
        oribi_json_close(json, '}');
    }
    oribi_json_close(json, ']');
}

/* The operator after which `step` comes back latest. */
static void put_longest(oribi_json *json, const oribi_report *r)
{
    const oribi_call *call = r->longest >= 0 ? &r->c->calls[r->longest] : NULL;
    oribi_json_key(json, "longest_step");
    if (call == NULL) {
        oribi_json_null(json);
        return;
    }
    oribi_json_open(json, '{');
    oribi_json_put_string(json, "name", call->node->name);
    oribi_json_put_int(json, "step", r->longest);
    oribi_json_put_int(json, "macs", call->macs);
    oribi_json_put_int(json, "cycles", r->longest_cycles);
    oribi_json_put_int(json, "us", r->longest_cycles / oribi_program_mhz(r->c));
    oribi_json_close(json, '}');
}

static void put_totals(oribi_json *json, const oribi_report *r)
{
    const oribi_program *c = r->c;
    oribi_json_put_int(json, "schema", 1);
    oribi_json_put_string(json, "model", c->source_name);
    oribi_json_put_string(json, "sha256", c->sha256);
    oribi_json_put_string(json, "name", c->name);
    oribi_json_put_string(json, "version", oribi_version());
    oribi_json_put_int(json, "workspace_bytes", c->workspace_bytes);
    oribi_json_put_int(json, "bound_bytes", (int64_t)c->bounds.bound_bytes);
    oribi_json_put_int(json, "floor_no_alias_bytes", c->floor_bytes);
    oribi_json_put_int(json, "constants_bytes", c->constants_bytes);
    oribi_json_put_int(json, "state_bytes", c->state_bytes);
    oribi_json_put_int(json, "io_bytes", c->io_bytes);
    oribi_json_put_bool(json, "io_in_workspace", c->ports_in_workspace);
    oribi_json_put_int(json, "macs", r->macs);
    oribi_json_put_int(json, "peak_step", r->peak);
    oribi_json_put_int(json, "cpu_mhz", oribi_program_mhz(c));
    put_longest(json, r);
    put_pools(json, c);
    put_states(json, c);
}

static void put_instances(oribi_json *json, const oribi_instances *all)
{
    oribi_json_key(json, "instances");
    oribi_json_open(json, '{');
    oribi_json_put_int(json, "instructions_without", all->instructions);
    oribi_json_put_int(json, "instructions", all->with);
    oribi_json_put_int(json, "code_bytes", all->code_bytes);
    oribi_json_put_int(json, "budget_bytes", all->budget_bytes);
    oribi_json_key(json, "classes");
    oribi_json_open(json, '[');
    for (int32_t i = 0; i < all->n; i++) {
        const oribi_instance *item = &all->items[i];
        oribi_json_open(json, '{');
        oribi_json_put_string(json, "name", item->name);
        oribi_json_put_string(json, "kernel", item->costs->kernel);
        oribi_json_put_string(json, "what", item->what);
        oribi_json_put_bool(json, "is_made", item->is_made);
        oribi_json_put_string(json, "why", item->why);
        oribi_json_put_int(json, "calls", item->n_calls);
        oribi_json_put_int(json, "instructions_without", item->generic);
        oribi_json_put_int(json, "instructions", item->special);
        oribi_json_put_int(json, "code_bytes", item->shape.code_bytes);
        oribi_json_close(json, '}');
    }
    oribi_json_close(json, ']');
    oribi_json_close(json, '}');
}

/* Calls that compute several nodes some rows at a time. */
static void put_rings(oribi_json *json, const oribi_program *c)
{
    oribi_json_key(json, "rings");
    oribi_json_open(json, '[');
    for (int32_t i = 0; i < c->n_calls; i++) {
        const oribi_rings *rings = c->calls[i].rings;
        if (rings == NULL) {
            continue;
        }
        oribi_json_open(json, '{');
        oribi_json_put_string(json, "call", c->calls[i].name);
        oribi_json_put_int(json, "rows_bytes", rings->kernel_scratch);
        oribi_json_put_int(json, "turns",
                           rings->n_stripes *
                               (rings->n_turns + (rings->times - 1) * (rings->end - rings->begin)));
        oribi_json_put_int(json, "stripes", rings->n_stripes);
        oribi_json_put_int(json, "macs_added", rings->extra_macs);
        oribi_json_put_int(json, "instructions_added", rings->extra);
        oribi_json_key(json, "nodes");
        oribi_json_open(json, '[');
        for (int32_t k = 0; k < rings->n_parts; k++) {
            oribi_json_string(json, rings->parts[k].call.node->name);
        }
        oribi_json_close(json, ']');
        oribi_json_close(json, '}');
    }
    oribi_json_close(json, ']');
}

static bool append_report(const oribi_program *c, oribi_text *text, TF_Status *status)
{
    oribi_json json = {.text = text};
    oribi_arena arena = {0};
    oribi_report r;
    if (!oribi__report_make(c, &arena, &r)) {
        oribi_arena_destroy(&arena);
        return oribi_fail_memory(status);
    }
    oribi_json_open(&json, '{');
    put_totals(&json, &r);
    put_instances(&json, &c->instances);
    put_rings(&json, c);
    oribi_json_key(&json, "nodes");
    oribi_json_open(&json, '[');
    for (int32_t i = 0, number = 0; i < c->n_calls && !oribi_patience_is_over(); i++) {
        put_node(&json, &r, i, number);
        number += oribi_call_is_operator(&c->calls[i]) ? 1 : 0;
    }
    oribi_json_close(&json, ']');
    oribi__report_put_devices(&json, &r);
    oribi_json_key(&json, "buffers");
    oribi_json_open(&json, '[');
    for (int32_t i = 0; i < c->graph->n_values; i++) {
        put_buffer(&json, &r, i, -1);
    }
    for (int32_t i = 0; i < c->n_calls; i++) {
        put_buffer(&json, &r, -1, i);
        put_copies(&json, c, i);
    }
    oribi_json_close(&json, ']');
    oribi_json_close(&json, '}');
    oribi_text_append(text, "\n");
    oribi_arena_destroy(&arena);
    return true;
}

bool oribi_emit_report(const oribi_program *c, oribi_files *files, TF_Status *status)
{
    oribi_text text = {0};
    ORIBI_TRY(append_report(c, &text, status));
    return oribi_files_add(files, &text, status, "report%s%s.json", c->has_siblings ? "_" : "",
                           c->has_siblings ? c->name : "");
}

/* --- Public ---------------------------------------------------------------------------------- */

/* "[report, report]" of several models. */
static bool append_all(const oribi_compile *all, oribi_text *text, TF_Status *status)
{
    const bool is_list = all->n_programs > 1;
    for (int32_t i = 0; i < all->n_programs; i++) {
        oribi_text_append(text, !is_list ? "" : i == 0 ? "[" : ",");
        ORIBI_TRY(append_report(all->programs[i], text, status) && oribi_patience_left(status));
    }
    oribi_text_append(text, is_list ? "]\n" : "");
    return true;
}

/* Within the time that the options allow. */
static bool append_in_time(const oribi_compile *all, bool is_html, oribi_text *text,
                           TF_Status *status)
{
    oribi_patience patience;
    oribi_compile_patience(&all->options, "reporting", &patience);
    oribi_patience_begin(&patience);
    const bool ok = is_html ? oribi__report_html(all, text, status) : append_all(all, text, status);
    oribi_patience_end(&patience);
    return ok;
}

const char *oribi_compile_report(oribi_compile *all, const char *format, size_t *bytes,
                                 TF_Status *status)
{
    oribi_text text = {0};
    char *copy = NULL;
    bool ok = true;
    if (!ORIBI_GIVEN(status, all, format, bytes)) {
        return NULL;
    }
    *bytes = 0;
    if (all->n_programs == 0 || all->files.n == 0) {
        ok = oribi_fail(status, TF_FAILED_PRECONDITION,
                        "compile a model before asking for a report");
    } else if (strcmp(format, "html") == 0 || strcmp(format, "json") == 0) {
        ok = append_in_time(all, format[0] == 'h', &text, status);
    } else {
        ok = oribi_fail(status, TF_INVALID_ARGUMENT, "a report must be html or json, not '%s'",
                        format);
    }
    if (ok) {
        copy = text.failed
                   ? NULL
                   : oribi_arena_strndup(&all->arena, oribi_text_string(&text), text.length);
        *bytes = copy != NULL ? text.length : 0;
        ok = copy != NULL || oribi_fail_memory(status);
    }
    oribi_text_destroy(&text);
    return copy;
}
