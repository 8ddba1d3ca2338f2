/* SPDX-License-Identifier: Apache-2.0 */
/* Scopes below the model's: functions of the model, and graphs that are translated in the place of
 * a node. A scope has names and opsets of its own, and the graph of the scope around it.
 */
#include "import/onnx/onnx.h"

#include <inttypes.h>
#include <string.h>

#include "import/onnx/onnx_emit.h"

enum {
    MAX_DEPTH = 48,       /* of scopes: a function that calls itself ends here */
    MAX_INLINED = 250000, /* nodes: small functions that call each other twice grow without end */
    MAX_PATH = 200
};

/* --- Functions -------------------------------------------------------------------------------- */

/* "domain\nname\noverload", as functions are kept. */
static const char *key_of(oribi_arena *arena, const oribi_string *domain, const oribi_string *name,
                          const oribi_string *overload, size_t *out_length)
{
    const bool is_standard = domain->length == 7 && memcmp(domain->data, "ai.onnx", 7) == 0;
    const oribi_string parts[] = {is_standard ? (oribi_string){"", 0} : *domain, *name, *overload};
    const size_t length = parts[0].length + name->length + overload->length + 2;
    char *key = oribi_arena_alloc(arena, length + 1);
    char *at = key;
    for (int i = 0; key != NULL && i < 3; i++) {
        memcpy(at, parts[i].data, parts[i].length);
        at += parts[i].length;
        *at++ = i < 2 ? '\n' : '\0';
    }
    *out_length = length;
    return key;
}

bool oribi_onnx_function_add(oribi_onnx *onnx, const oribi_wire *model,
                             const oribi_wire_field *field, TF_Status *status)
{
    oribi_wire body;
    oribi_wire_field f;
    oribi_string name = {"", 0}, domain = {"", 0}, overload = {"", 0};
    ORIBI_TRY(oribi_wire_enter(model, field, &body, status));
    oribi_wire *kept = oribi_arena_memdup(&onnx->kept, &body, sizeof body);
    while (oribi_wire_next(&body, &f, status)) {
        if (f.number == 1) {
            ORIBI_TRY(oribi_wire_string(&f, "the name of a function", &name, status));
        } else if (f.number == 10) {
            ORIBI_TRY(oribi_wire_string(&f, "the domain of a function", &domain, status));
        } else if (f.number == 13) {
            ORIBI_TRY(oribi_wire_string(&f, "the overload of a function", &overload, status));
        }
    }
    ORIBI_TRY(oribi_ok(status));
    size_t length = 0;
    const char *key = key_of(&onnx->kept, &domain, &name, &overload, &length);
    return (kept != NULL && key != NULL && oribi_map_put_n(&onnx->functions, key, length, kept)) ||
           oribi_fail_memory(status);
}

const oribi_wire *oribi_onnx_function_find(const oribi_onnx_node *n, bool *out_failed)
{
    const oribi_map *functions = &n->onnx->root->functions;
    size_t length = 0;
    if (functions->n_entries == 0) {
        return NULL;
    }
    const char *key = key_of(&n->onnx->scratch, &n->domain, &n->op_type, &n->overload, &length);
    *out_failed = *out_failed || key == NULL;
    return key != NULL ? oribi_map_get_n(functions, key, length) : NULL;
}

/* --- Scopes ----------------------------------------------------------------------------------- */

bool oribi_onnx_scope_open(oribi_onnx_node *n, const char *step, oribi_onnx *out)
{
    oribi_onnx *outer = n->onnx;
    *out = (oribi_onnx){.graph = n->graph,
                        .options = outer->options,
                        .source = outer->source,
                        .outer = outer,
                        .root = outer->root,
                        .opsets = outer->opsets,
                        .call = outer->call,
                        .function = outer->function,
                        .depth = outer->depth + 1,
                        .to_nhwc = -1,
                        .to_nchw = -1};
    if (out->depth > MAX_DEPTH) {
        return oribi_onnx_fail(n, TF_RESOURCE_EXHAUSTED,
                               "functions and graphs nest deeper than %d: a function may call "
                               "itself",
                               MAX_DEPTH);
    }
    const size_t length = strlen(n->label);
    const bool is_long = length > MAX_PATH;
    out->path = oribi_arena_printf(&out->kept, "%s%s/%s%s", is_long ? "..." : "",
                                   n->label + (is_long ? length - MAX_PATH : 0), step,
                                   step[0] != '\0' ? "/" : "");
    ORIBI_TRY(out->path != NULL || oribi_onnx_no_memory(n));
    return true;
}

void oribi_onnx_scope_close(oribi_onnx *scope)
{
    if (scope == NULL) {
        return;
    }
    oribi_map_destroy(&scope->values);
    oribi_map_destroy(&scope->constants);
    oribi_map_destroy(&scope->tested);
    oribi_map_destroy(&scope->domains);
    oribi_map_destroy(&scope->captured);
    oribi_arena_destroy(&scope->scratch);
    oribi_arena_destroy(&scope->kept);
}

bool oribi_onnx_scope_charge(oribi_onnx *onnx, TF_Status *status)
{
    oribi_onnx *root = onnx->root;
    if (onnx == root) {
        return true;
    }
    if (++root->n_inlined > MAX_INLINED) {
        return oribi_fail(status, TF_RESOURCE_EXHAUSTED,
                          "the model's functions and graphs have more than %d nodes when they are "
                          "inlined",
                          MAX_INLINED);
    }
    return oribi_graph_charge(onnx->graph, 0, status);
}

/* The value of a name of the scope becomes output `index` of the node. */
static bool bind_result(oribi_onnx_node *n, oribi_onnx *scope, int32_t index,
                        const oribi_string *name, bool *out_missing)
{
    oribi_value_id value = -1;
    oribi_onnx_found found = ORIBI_ONNX_UNKNOWN;
    if (!oribi_onnx_look_up(scope, name, &value, &found, n->status)) {
        n->failed = true;
        return false;
    }
    if (found == ORIBI_ONNX_MISSING) {
        *out_missing = true;
        return true;
    }
    if (found != ORIBI_ONNX_VALUE) {
        return !oribi_emit_wants(n, index) ||
               oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "nothing in it makes its output '%.*s'",
                               (int)name->length, name->data);
    }
    return oribi_emit_bind(n, index, value);
}

/* --- Calls ------------------------------------------------------------------------------------ */

bool oribi_onnx_function_open(oribi_onnx_node *n, const oribi_wire *function, oribi_onnx *scope)
{
    TF_Status *status = n->status;
    oribi_wire body = *function;
    oribi_wire_field f;
    oribi_string name;
    int32_t n_inputs = 0;
    const bool is_open = oribi_onnx_scope_open(n, "", scope);
    scope->function = function;
    scope->call = n;
    scope->hides = true;
    scope->opset = n->onnx->opsets->opset;
    scope->opsets = scope;
    while (is_open && oribi_wire_next(&body, &f, status)) {
        if (f.number == 4) {
            ORIBI_TRY(oribi_wire_string(&f, "an input of a function", &name, status));
            const oribi_value_id value = oribi_emit_input(n, n_inputs++);
            ORIBI_TRY(oribi_onnx_define(scope, &name, value, status));
        } else if (f.number == 9) {
            ORIBI_TRY(oribi_onnx_read_opset(scope, &body, &f, status));
        }
    }
    ORIBI_TRY(is_open && oribi_ok(status));
    return n->n_inputs <= n_inputs ||
           oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "there are %d inputs; the function has %d",
                           (int)n->n_inputs, (int)n_inputs);
}

/* So many results were bound: are those all? */
static bool end_results(oribi_onnx_node *n, const char *what, int32_t count, bool is_missing)
{
    ORIBI_TRY(oribi_ok(n->status));
    if (n->n_outputs > count) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "there are %d outputs; the %s has %d",
                               (int)n->n_outputs, what, (int)count);
    }
    return !is_missing || oribi_onnx_mark_missing(n);
}

static bool bind_function(oribi_onnx_node *n, oribi_onnx *scope)
{
    oribi_wire body = *scope->function;
    oribi_wire_field f;
    oribi_string name;
    int32_t index = 0;
    bool is_missing = false;
    while (oribi_wire_next(&body, &f, n->status)) {
        if (f.number == 5) {
            ORIBI_TRY(oribi_wire_string(&f, "an output of a function", &name, n->status));
            ORIBI_TRY(bind_result(n, scope, index++, &name, &is_missing));
        }
    }
    return end_results(n, "function", index, is_missing);
}

bool oribi_onnx_function_call(oribi_onnx_node *n, const oribi_wire *function)
{
    oribi_onnx scope;
    const bool ok = oribi_onnx_function_open(n, function, &scope) &&
                    oribi_onnx_read_nodes(&scope, *function, 7, n->status) &&
                    bind_function(n, &scope);
    oribi_onnx_scope_close(&scope);
    n->failed = n->failed || !ok;
    return ok;
}

/* --- Graphs ----------------------------------------------------------------------------------- */

static bool bind_graph(oribi_onnx_node *n, oribi_onnx *scope, oribi_wire graph)
{
    oribi_wire_field f;
    int32_t index = 0;
    bool is_missing = false;
    while (oribi_wire_next(&graph, &f, n->status)) {
        oribi_string name = {"", 0};
        if (f.number == 12) {
            ORIBI_TRY(oribi_onnx_port_name(&graph, &f, &name, n->status));
            ORIBI_TRY(bind_result(n, scope, index++, &name, &is_missing));
        }
    }
    return end_results(n, "graph", index, is_missing);
}

bool oribi_onnx_graph_inline(oribi_onnx_node *n, const char *step, const oribi_wire *graph)
{
    oribi_onnx scope;
    const bool ok = oribi_onnx_scope_open(n, step, &scope) &&
                    oribi_onnx_read_initialisers(&scope, *graph, n->status) &&
                    oribi_onnx_read_nodes(&scope, *graph, 1, n->status) &&
                    bind_graph(n, &scope, *graph);
    oribi_onnx_scope_close(&scope);
    n->failed = n->failed || !ok;
    return ok;
}

/* Inputs get their values in order; false: there are more or fewer of them. */
static bool define_ports(oribi_onnx_node *n, oribi_onnx *scope, oribi_wire graph,
                         const oribi_value_id *inputs, int32_t n_inputs)
{
    oribi_wire_field f;
    oribi_string name = {"", 0};
    int32_t count = 0;
    while (oribi_wire_next(&graph, &f, n->status)) {
        if (f.number == 11) {
            ORIBI_TRY(oribi_onnx_port_name(&graph, &f, &name, n->status));
            ORIBI_TRY(count >= n_inputs ||
                      oribi_onnx_define(scope, &name, inputs[count], n->status));
            count++;
        }
    }
    return oribi_ok(n->status) &&
           (count == n_inputs ||
            oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "its graph has %d inputs; it gets %d",
                            (int)count, (int)n_inputs));
}

static bool find_results(oribi_onnx_node *n, oribi_onnx *scope, oribi_wire graph,
                         oribi_value_id *out, int32_t n_out, bool *out_missing)
{
    oribi_wire_field f;
    oribi_string name = {"", 0};
    int32_t count = 0;
    while (oribi_wire_next(&graph, &f, n->status)) {
        oribi_onnx_found found = ORIBI_ONNX_UNKNOWN;
        if (f.number != 12) {
            continue;
        }
        ORIBI_TRY(oribi_onnx_port_name(&graph, &f, &name, n->status));
        ORIBI_TRY(count >= n_out ||
                  oribi_onnx_look_up(scope, &name, &out[count], &found, n->status));
        *out_missing = *out_missing || found == ORIBI_ONNX_MISSING;
        if (count < n_out && found != ORIBI_ONNX_VALUE && found != ORIBI_ONNX_MISSING) {
            return oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                                   "nothing in its graph makes the output '%.*s'", (int)name.length,
                                   name.data);
        }
        count++;
    }
    return oribi_ok(n->status) &&
           (count == n_out ||
            oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "its graph has %d outputs, not %d", (int)count,
                            (int)n_out));
}

bool oribi_onnx_graph_apply(oribi_onnx_node *n, const char *step, const oribi_wire *graph,
                            const oribi_value_id *inputs, int32_t n_inputs, oribi_value_id *out,
                            int32_t n_out, bool *out_missing)
{
    oribi_onnx scope;
    *out_missing = false;
    const bool ok = oribi_onnx_scope_open(n, step, &scope) &&
                    oribi_onnx_read_initialisers(&scope, *graph, n->status) &&
                    define_ports(n, &scope, *graph, inputs, n_inputs) &&
                    oribi_onnx_read_nodes(&scope, *graph, 1, n->status) &&
                    find_results(n, &scope, *graph, out, n_out, out_missing);
    oribi_onnx_scope_close(&scope);
    n->failed = n->failed || !ok;
    return ok && !*out_missing;
}
