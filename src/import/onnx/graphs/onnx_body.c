/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs of attributes as graphs of a node: If, Loop, Scan. A name of a scope around becomes an
 * input of the body and of its node; a constant is shared instead, so that it can be folded inside.
 */
#include "import/onnx/onnx.h"

#include <string.h>

#include "base/alloc.h"
#include "import/import_body.h"
#include "import/onnx/onnx_emit.h"

/* --- Captured values ---------------------------------------------------------------------------
 */

/* A condition, or integers that say a shape, where they are known: a constant of the body. */
static oribi_value_id known_value(oribi_graph *graph, const oribi_graph *around,
                                  oribi_value_id outer, TF_Status *status)
{
    const oribi_value *value = around->values[outer];
    oribi_dims ints = {.n = 0};
    bool truth = false;
    if (!oribi_shape_is_full(&value->shape) || value->shape.rank > 1) {
        return -1;
    }
    const int64_t count = value->shape.rank == 0 ? 1 : value->shape.dims[0];
    if (value->dtype == TF_BOOL) {
        return count == 1 && oribi_import_truth(around, outer, &truth)
                   ? oribi_graph_add_constant_copy(graph, value->name, TF_BOOL, value->shape.dims,
                                                   value->shape.rank, &truth, status)
                   : -1;
    }
    if (value->dtype != TF_INT64 || !oribi_graph_known_ints(around, outer, &ints) ||
        ints.n != count) {
        return -1;
    }
    return oribi_graph_add_constant_copy(graph, value->name, TF_INT64, value->shape.dims,
                                         value->shape.rank, ints.at, status);
}

static oribi_value_id add_captured(oribi_onnx *onnx, oribi_value_id outer, TF_Status *status)
{
    const oribi_graph *around = onnx->outer->graph;
    const oribi_value *value = around->values[outer];
    if (value->constant != NULL) {
        return oribi_graph_share_constant(onnx->graph, around, outer, status);
    }
    if (value->dtype == TF_BOOL || value->dtype == TF_INT64) {
        const oribi_value_id known = known_value(onnx->graph, around, outer, status);
        if (known >= 0 || !oribi_ok(status)) {
            return known;
        }
    }
    if (onnx->n_captured == onnx->captured_capacity) {
        const int32_t capacity = onnx->captured_capacity * 2 + 8;
        oribi_value_id *more =
            oribi_claim_array(&onnx->kept, (size_t)capacity, sizeof *more, status);
        if (more == NULL) {
            return -1;
        }
        if (onnx->n_captured > 0) {
            memcpy(more, onnx->outer_values, (size_t)onnx->n_captured * sizeof *more);
        }
        onnx->outer_values = more;
        onnx->captured_capacity = capacity;
    }
    const oribi_value_id inner =
        oribi_graph_add_value(onnx->graph, value->name, value->dtype, &value->shape, status);
    if (inner < 0) {
        return -1;
    }
    onnx->graph->values[inner]->quantisation = value->quantisation;
    if (!oribi_graph_add_input(onnx->graph, inner, value->name, status) ||
        !oribi_onnx_set_list(onnx->graph, inner, oribi_onnx_list_type(around, outer), status)) {
        return -1;
    }
    onnx->outer_values[onnx->n_captured++] = outer;
    return inner;
}

bool oribi_onnx_capture(oribi_onnx *onnx, const oribi_string *name, oribi_value_id *out_value,
                        oribi_onnx_found *out_found, TF_Status *status)
{
    const uintptr_t known = (uintptr_t)oribi_map_get_n(&onnx->captured, name->data, name->length);
    if (known != 0) {
        *out_value = (oribi_value_id)(known - 1);
        *out_found = ORIBI_ONNX_VALUE;
        return true;
    }
    oribi_value_id outer = -1;
    ORIBI_TRY(oribi_onnx_look_up(onnx->outer, name, &outer, out_found, status));
    if (*out_found != ORIBI_ONNX_VALUE) {
        return true;
    }
    *out_value = add_captured(onnx, outer, status);
    return *out_value >= 0 && (oribi_map_put_n(&onnx->captured, name->data, name->length,
                                               (void *)((uintptr_t)*out_value + 1)) ||
                               oribi_fail_memory(status));
}

oribi_value_id oribi_onnx_body_take(oribi_onnx_body *b, oribi_value_id outer)
{
    const oribi_value_id inner =
        b->node.failed || outer < 0 ? -1 : add_captured(&b->scope, outer, b->node.status);
    b->node.failed = b->node.failed || inner < 0;
    return inner;
}

/* --- Life --------------------------------------------------------------------------------------
 */

bool oribi_onnx_body_open(oribi_onnx_node *n, const char *step, oribi_onnx_body *out)
{
    memset(out, 0, sizeof *out);
    out->node = *n;
    ORIBI_TRY(oribi_onnx_scope_open(n, step, &out->scope));
    oribi_graph *graph = oribi_import_body_begin(n->graph, n->onnx->options, n->status);
    n->failed = graph == NULL;
    ORIBI_TRY(!n->failed);
    out->body = (oribi_body){.graph = graph, .name = step};
    out->scope.graph = graph;
    out->node.onnx = &out->scope;
    out->node.graph = graph;
    out->node.first_node = 0;
    return true;
}

oribi_value_id oribi_onnx_body_formal(oribi_onnx_body *b, const char *name,
                                      const oribi_onnx_formal *formal)
{
    TF_Status *status = b->node.status;
    oribi_graph *graph = b->body.graph;
    oribi_value_id value = -1;
    if (!b->node.failed) {
        value = oribi_graph_add_value(graph, name, formal->dtype, &formal->shape, status);
        b->node.failed = value < 0 || !oribi_graph_add_input(graph, value, name, status) ||
                         !oribi_onnx_set_list(graph, value, formal->element, status);
        b->body.n_formals++;
    }
    return value;
}

bool oribi_onnx_body_output(oribi_onnx_body *b, oribi_value_id value, const char *name)
{
    b->node.failed = b->node.failed || value < 0 ||
                     !oribi_graph_add_output(b->body.graph, value, name, b->node.status);
    return !b->node.failed;
}

static bool define_inputs(oribi_onnx_body *b, oribi_wire graph, const oribi_value_id *inputs,
                          int32_t n_inputs)
{
    oribi_onnx *scope = &b->scope;
    TF_Status *status = b->node.status;
    oribi_wire_field f;
    oribi_onnx_info port;
    int32_t n = 0;
    while (oribi_wire_next(&graph, &f, status)) {
        if (f.number != 11) {
            continue;
        }
        ORIBI_TRY(oribi_onnx_info_read(&graph, &f, &port, status));
        if (oribi_map_get_n(&scope->values, port.name.data, port.name.length) != NULL) {
            continue; /* old files list initialisers as inputs with a default */
        }
        if (n < n_inputs) {
            const TF_DataType dtype = b->body.graph->values[inputs[n]]->dtype;
            if (port.dtype != 0 && port.dtype != dtype) {
                return oribi_onnx_fail(&b->node, TF_INVALID_ARGUMENT,
                                       "input %d of its graph is declared as %s, but gets %s",
                                       (int)n, oribi_dtype_name(port.dtype),
                                       oribi_dtype_name(dtype));
            }
            ORIBI_TRY(oribi_onnx_define(scope, &port.name, inputs[n], status));
        }
        n++;
    }
    ORIBI_TRY(oribi_ok(status));
    return n == n_inputs ||
           oribi_onnx_fail(&b->node, TF_INVALID_ARGUMENT, "its graph has %d inputs; it gets %d",
                           (int)n, (int)n_inputs);
}

static bool add_outputs(oribi_onnx_body *b, oribi_wire graph)
{
    TF_Status *status = b->node.status;
    oribi_wire_field f;
    while (oribi_wire_next(&graph, &f, status)) {
        oribi_string name;
        oribi_value_id value = -1;
        oribi_onnx_found found = ORIBI_ONNX_UNKNOWN;
        if (f.number != 12) {
            continue;
        }
        ORIBI_TRY(oribi_onnx_port_name(&graph, &f, &name, status));
        ORIBI_TRY(oribi_onnx_look_up(&b->scope, &name, &value, &found, status));
        if (found == ORIBI_ONNX_MISSING) {
            b->is_missing = true;
            continue;
        }
        if (found != ORIBI_ONNX_VALUE) {
            return oribi_onnx_fail(&b->node, TF_INVALID_ARGUMENT,
                                   "nothing in its graph makes output '%.*s'", (int)name.length,
                                   name.data);
        }
        const char *text = oribi_import_text(&b->scope.scratch, &name);
        ORIBI_TRY(text != NULL || oribi_fail_memory(status));
        ORIBI_TRY(oribi_onnx_body_output(b, value, text));
    }
    return oribi_ok(status);
}

bool oribi_onnx_body_read(oribi_onnx_body *b, const oribi_wire *graph, const oribi_value_id *inputs,
                          int32_t n_inputs)
{
    TF_Status *status = b->node.status;
    const bool ok = !b->node.failed && oribi_onnx_read_initialisers(&b->scope, *graph, status) &&
                    define_inputs(b, *graph, inputs, n_inputs) &&
                    oribi_onnx_read_nodes(&b->scope, *graph, 1, status) && add_outputs(b, *graph);
    b->node.failed = b->node.failed || !ok;
    return ok;
}

bool oribi_onnx_body_close(oribi_onnx_body *b, bool ok)
{
    oribi_graph *graph = b->body.graph;
    if (ok && !b->is_missing) {
        oribi_onnx_finish_units(graph);
    }
    if (graph != NULL) {
        graph = oribi_import_body_end(graph, b->scope.outer->graph, ok && !b->is_missing,
                                      b->node.status);
        ok = ok && (graph != NULL || b->is_missing);
    }
    if (ok && b->scope.n_captured > 0) { /* the scope's memory goes */
        oribi_value_id *kept = oribi_arena_memdup(&b->scope.outer->scratch, b->scope.outer_values,
                                                  (size_t)b->scope.n_captured * sizeof *kept);
        ok = kept != NULL || oribi_fail_memory(b->node.status);
        b->scope.outer_values = kept;
    }
    if (!ok) {
        oribi_graph_destroy(graph);
        graph = NULL;
    }
    b->body.graph = graph;
    b->body.n_captured = graph != NULL ? graph->n_inputs - b->body.n_formals : 0;
    oribi_onnx_scope_close(&b->scope);
    return ok;
}

/* --- The node ----------------------------------------------------------------------------------
 */

oribi_node *oribi_onnx_body_node(oribi_onnx_node *n, const char *op, const oribi_value_id *fixed,
                                 int32_t n_fixed, int32_t n_outputs, oribi_onnx_body *bodies,
                                 int32_t n_bodies, const oribi_attrs *attrs)
{
    oribi_body kept[2];
    int32_t n_captured = 0;
    for (int32_t k = 0; k < n_bodies; k++) {
        kept[k] = bodies[k].body;
        n_captured += kept[k].n_captured;
    }
    oribi_arena *scratch = &n->onnx->scratch;
    oribi_value_id *inputs =
        oribi_arena_array(scratch, (size_t)(n_fixed + n_captured) + 1, sizeof *inputs);
    int32_t *indices = oribi_arena_array(scratch, (size_t)n_captured + 1, sizeof *indices);
    bool ok = inputs != NULL && indices != NULL;
    int32_t at = 0;
    for (int32_t i = 0; ok && i < n_fixed; i++) {
        inputs[i] = fixed[i];
    }
    for (int32_t k = 0; ok && k < n_bodies; k++) {
        kept[k].captured = indices + at;
        for (int32_t i = 0; i < kept[k].n_captured; i++, at++) {
            indices[at] = n_fixed + at;
            inputs[n_fixed + at] = bodies[k].scope.outer_values[i];
        }
    }
    if (!ok) {
        for (int32_t k = 0; k < n_bodies; k++) {
            oribi_graph_destroy(kept[k].graph);
        }
        (void)oribi_onnx_no_memory(n);
        return NULL;
    }
    oribi_node *node = oribi_import_body_node(n->graph, op, n->label, inputs, n_fixed + n_captured,
                                              n_outputs, attrs, kept, n_bodies, n->status);
    if (node != NULL) {
        node->origin = n->origin;
    }
    ok = node != NULL &&
         oribi_import_set_types(n->graph, &node->attrs, "Tcaptured", n->graph, inputs + n_fixed,
                                n_captured, n->status) &&
         oribi_emit_resolve(oribi_onnx_from(n), node);
    n->failed = n->failed || !ok;
    return ok ? node : NULL;
}
