/* SPDX-License-Identifier: Apache-2.0 */
/* report.json: memory against its bounds, and per node what it costs. */
#include "base/json.h"
#include "compile/compile_internal.h"

static void put_number(oribi_json *json, const char *key, int64_t number)
{
    oribi_json_key(json, key);
    oribi_json_int(json, number);
}

static void put_text(oribi_json *json, const char *key, const char *text)
{
    oribi_json_key(json, key);
    oribi_json_string(json, text);
}

static void put_place(oribi_json *json, const oribi_location *location)
{
    static const char *const names[] = {"none", "input", "output", "workspace", "constant"};
    put_text(json, "storage", names[location->storage]);
    if (location->storage == ORIBI_IN_WORKSPACE) {
        put_number(json, "offset", location->offset);
    }
}

/* Each output as it lies right after the operator. */
static void put_outputs(oribi_json *json, const oribi_compile *c, const oribi_call *call)
{
    oribi_json_key(json, "outputs");
    oribi_json_open(json, '[');
    for (int32_t i = 0; i < call->node->n_outputs; i++) {
        const oribi_value_id id = call->node->outputs[i];
        const oribi_location *at = &c->locations[id];
        oribi_json_open(json, '{');
        put_text(json, "value", c->graph->values[id]->name);
        put_number(json, "bytes", at->bytes);
        put_place(json, at);
        put_number(json, "index", at->index);
        oribi_json_close(json, '}');
    }
    oribi_json_close(json, ']');
}

static void put_node(oribi_json *json, const oribi_compile *c, int32_t index)
{
    const oribi_call *call = &c->calls[index];
    const oribi_location *output = &c->locations[call->node->outputs[0]];
    oribi_json_open(json, '{');
    put_text(json, "name", call->node->name);
    put_text(json, "op", call->node->op_name);
    oribi_json_key(json, "call");
    oribi_json_string(json, call->kernel != NULL ? call->name : NULL);
    put_text(json, "kernel", call->is_view ? "view" : call->kernel);
    put_number(json, "macs", call->macs);
    put_number(json, "bytes", output->bytes);
    put_place(json, output);
    put_outputs(json, c, call);
    put_number(json, "scratch", call->scratch_bytes);
    put_number(json, "flash", oribi_call_flash(call));
    oribi_json_close(json, '}');
}

bool oribi_emit_report(oribi_compile *c, TF_Status *status)
{
    oribi_text text = {0};
    oribi_json json = {.text = &text};
    int64_t macs = 0;
    for (int32_t i = 0; i < c->n_calls; i++) {
        macs += c->calls[i].macs;
    }
    oribi_json_open(&json, '{');
    put_number(&json, "schema", 1);
    put_text(&json, "model", c->source_name);
    put_text(&json, "sha256", c->sha256);
    put_text(&json, "name", c->name);
    put_text(&json, "version", oribi_version());
    put_number(&json, "workspace_bytes", c->workspace_bytes);
    put_number(&json, "bound_bytes", (int64_t)c->bounds.bound_bytes);
    put_number(&json, "floor_no_alias_bytes", c->floor_bytes);
    put_number(&json, "constants_bytes", c->constants_bytes);
    put_number(&json, "state_bytes", c->state_bytes);
    put_number(&json, "io_bytes", c->io_bytes);
    oribi_json_key(&json, "io_in_workspace");
    oribi_json_bool(&json, c->ports_in_workspace);
    put_number(&json, "macs", macs);
    oribi_json_key(&json, "nodes");
    oribi_json_open(&json, '[');
    for (int32_t i = 0; i < c->n_calls; i++) {
        put_node(&json, c, i);
    }
    oribi_json_close(&json, ']');
    oribi_json_close(&json, '}');
    oribi_text_append(&text, "\n");
    return oribi_compile_add_file(c, "report.json", &text, status);
}
