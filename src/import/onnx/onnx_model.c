/* SPDX-License-Identifier: Apache-2.0 */
/* The walk over an ONNX file: model, initialisers, inputs, nodes in order, outputs. What a node
 * means is in onnx_table.c and the families it names.
 */
#include "import/onnx/onnx.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "import/onnx/onnx_emit.h"

/* onnx->values maps a name to one of these, told apart by the low bits. */
enum { TAG_POINTER = 0, TAG_VALUE = 1, TAG_ABSENT = 2, TAG_MISSING = 3, TAG_BITS = 2 };

static uintptr_t tag_of(const void *entry)
{
    return (uintptr_t)entry & 3;
}

static void *value_entry(oribi_value_id value)
{
    return (void *)(((uintptr_t)value << TAG_BITS) | TAG_VALUE);
}

static bool define(oribi_onnx *onnx, const oribi_string *name, void *entry, TF_Status *status)
{
    return oribi_map_put_n(&onnx->values, name->data, name->length, entry) ||
           oribi_fail_memory(status);
}

bool oribi_emit_bind(oribi_onnx_node *n, int32_t index, oribi_value_id value)
{
    if (n->failed || value < 0) {
        return false;
    }
    if (!oribi_emit_wants(n, index)) { /* not there, or without a name */
        return true;
    }
    const oribi_string *name = &n->outputs[index];
    if (oribi_map_get_n(&n->onnx->values, name->data, name->length) != NULL) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                               "output %d is named '%.*s', and so is an earlier value", (int)index,
                               (int)name->length, name->data);
    }
    if (n->graph->values[value]->shape.rank < 0 && n->onnx->claims.n_entries > 0) {
        value = oribi_onnx_claimed(n, name, value);
        ORIBI_TRY(value >= 0);
    }
    const oribi_value *bound = n->graph->values[value];
    if (bound->producer >= n->first_node) {
        const char *text = oribi_import_text(&n->onnx->scratch, name);
        if (text == NULL || !oribi_graph_rename_value(n->graph, value, text, n->status)) {
            n->failed = true;
            return oribi_ok(n->status) ? oribi_fail_memory(n->status) : false;
        }
    }
    n->failed = !define(n->onnx, name, value_entry(value), n->status);
    return !n->failed;
}

/* Returns the value of output 0, or -1 when it is not wanted. */
static oribi_value_id first_result(const oribi_onnx_node *n)
{
    const oribi_string *name = n->n_outputs > 0 ? &n->outputs[0] : NULL;
    const void *entry =
        name != NULL ? oribi_map_get_n(&n->onnx->values, name->data, name->length) : NULL;
    const bool is_value = entry != NULL && tag_of(entry) == TAG_VALUE;
    return is_value ? (oribi_value_id)((uintptr_t)entry >> TAG_BITS) : -1;
}

bool oribi_onnx_define(oribi_onnx *onnx, const oribi_string *name, oribi_value_id value,
                       TF_Status *status)
{
    void *entry = value >= 0 ? value_entry(value) : (void *)(uintptr_t)TAG_ABSENT;
    return define(onnx, name, entry, status);
}

bool oribi_onnx_look_up(oribi_onnx *onnx, const oribi_string *name, oribi_value_id *out_value,
                        oribi_onnx_found *out_found, TF_Status *status)
{
    void *entry = oribi_map_get_n(&onnx->values, name->data, name->length);
    *out_value = -1;
    *out_found = ORIBI_ONNX_UNKNOWN;
    if (entry == NULL && onnx->outer != NULL && !onnx->hides) {
        return onnx->graph != onnx->outer->graph
                   ? oribi_onnx_capture(onnx, name, out_value, out_found, status)
                   : oribi_onnx_look_up(onnx->outer, name, out_value, out_found, status);
    }
    if (entry == NULL) {
        return true;
    }
    if (tag_of(entry) == TAG_MISSING || tag_of(entry) == TAG_ABSENT) {
        *out_found = tag_of(entry) == TAG_MISSING ? ORIBI_ONNX_MISSING : ORIBI_ONNX_ABSENT;
        return true;
    }
    *out_found = ORIBI_ONNX_VALUE;
    if (tag_of(entry) == TAG_VALUE) {
        *out_value = (oribi_value_id)((uintptr_t)entry >> TAG_BITS);
        return true;
    }
    const char *text = oribi_import_text(&onnx->scratch, name);
    ORIBI_TRY(text != NULL || oribi_fail_memory(status));
    *out_value = oribi_onnx_tensor_read(onnx, entry, text, status);
    return *out_value >= 0 && define(onnx, name, value_entry(*out_value), status);
}

/* --- Model ----------------------------------------------------------------------------------- */

bool oribi_onnx_read_opset(oribi_onnx *onnx, const oribi_wire *model, const oribi_wire_field *field,
                           TF_Status *status)
{
    oribi_wire body;
    oribi_wire_field f;
    oribi_string domain = {"", 0};
    int64_t version = 0;
    ORIBI_TRY(oribi_wire_enter(model, field, &body, status));
    while (oribi_wire_next(&body, &f, status)) {
        if (f.number == 1) {
            ORIBI_TRY(oribi_wire_string(&f, "the domain of an opset", &domain, status));
        } else if (f.number == 2) {
            ORIBI_TRY(oribi_wire_int(&f, "the version of an opset", &version, status));
        }
    }
    ORIBI_TRY(oribi_ok(status));
    if (domain.length == 0 || (domain.length == 7 && memcmp(domain.data, "ai.onnx", 7) == 0)) {
        onnx->opset = version;
        if (version < ORIBI_ONNX_MIN_OPSET) {
            return oribi_fail(status, TF_UNIMPLEMENTED,
                              "byte %zu: there is no opset %" PRId64 "; the lowest is %d",
                              field->offset, version, ORIBI_ONNX_MIN_OPSET);
        }
        return true;
    }
    int64_t *kept = oribi_arena_memdup(&onnx->kept, &version, sizeof(version));
    return (kept != NULL && oribi_map_put_n(&onnx->domains, domain.data, domain.length, kept)) ||
           oribi_fail_memory(status);
}

static bool add_metadata(oribi_onnx *onnx, const char *key, const oribi_string *value,
                         TF_Status *status)
{
    return value->length == 0 || oribi_graph_add_metadata(onnx->graph, key, strlen(key),
                                                          value->data, value->length, status);
}

static bool read_property(oribi_onnx *onnx, const oribi_wire *model, const oribi_wire_field *field,
                          TF_Status *status)
{
    oribi_wire body;
    oribi_wire_field f;
    oribi_string key = {"", 0}, value = {"", 0};
    ORIBI_TRY(oribi_wire_enter(model, field, &body, status));
    while (oribi_wire_next(&body, &f, status)) {
        if (f.number == 1) {
            ORIBI_TRY(oribi_wire_string(&f, "the key of a property", &key, status));
        } else if (f.number == 2) {
            ORIBI_TRY(oribi_wire_string(&f, "the value of a property", &value, status));
        }
    }
    return oribi_ok(status) && oribi_graph_add_metadata(onnx->graph, key.data, key.length,
                                                        value.data, value.length, status);
}

/* The fields that say who made the model, and of what. */
static bool read_field(oribi_onnx *onnx, const oribi_wire *model, const oribi_wire_field *f,
                       TF_Status *status)
{
    static const char *const names[] = {
        [3] = "producer_version", [4] = "domain", [6] = "doc_string"};
    oribi_string text = {"", 0};
    char number[24];
    if (f->number == 14) {
        return read_property(onnx, model, f, status);
    }
    if (f->number == 5) {
        int64_t version = 0;
        ORIBI_TRY(oribi_wire_int(f, "model_version", &version, status));
        text = (oribi_string){number, (size_t)snprintf(number, sizeof number, "%" PRId64, version)};
        return add_metadata(onnx, "model_version", &text, status);
    }
    if (f->number != 3 && f->number != 4 && f->number != 6) {
        return true;
    }
    return oribi_wire_string(f, names[f->number], &text, status) &&
           add_metadata(onnx, names[f->number], &text, status);
}

static bool read_graph_name(oribi_onnx *onnx, oribi_wire graph, TF_Status *status)
{
    oribi_wire_field f;
    oribi_string name = {"", 0};
    while (oribi_wire_next(&graph, &f, status)) {
        if (f.number == 2) {
            ORIBI_TRY(oribi_wire_string(&f, "the graph's name", &name, status));
        }
    }
    return oribi_ok(status) && add_metadata(onnx, "graph_name", &name, status);
}

static bool read_model(oribi_onnx *onnx, oribi_wire model, oribi_wire *out_graph, TF_Status *status)
{
    oribi_wire_field f;
    oribi_string producer = {"", 0};
    bool has_graph = false;
    while (oribi_wire_next(&model, &f, status)) {
        switch (f.number) {
        case 2:
            ORIBI_TRY(oribi_wire_string(&f, "producer_name", &producer, status));
            break;
        case 7:
            if (has_graph) {
                return oribi_fail(status, TF_INVALID_ARGUMENT, "byte %zu: there is a second graph",
                                  f.offset);
            }
            ORIBI_TRY(oribi_wire_enter(&model, &f, out_graph, status));
            has_graph = true;
            break;
        case 8:
            ORIBI_TRY(oribi_onnx_read_opset(onnx, &model, &f, status));
            break;
        case 25:
            ORIBI_TRY(oribi_onnx_function_add(onnx, &model, &f, status));
            break;
        default:
            ORIBI_TRY(read_field(onnx, &model, &f, status));
            break;
        }
    }
    ORIBI_TRY(oribi_ok(status));
    if (!has_graph) {
        return oribi_fail(
            status, TF_INVALID_ARGUMENT,
            "byte 0: there is no graph inside: this is not an ONNX model, or a damaged one");
    }
    onnx->graph->producer = oribi_import_text(&onnx->graph->arena, &producer);
    ORIBI_TRY(onnx->graph->producer != NULL || oribi_fail_memory(status));
    return add_metadata(onnx, "producer_name", &producer, status) &&
           read_graph_name(onnx, *out_graph, status);
}

/* --- Initialisers and inputs ----------------------------------------------------------------- */

bool oribi_onnx_read_initialisers(oribi_onnx *onnx, oribi_wire graph, TF_Status *status)
{
    oribi_wire_field f;
    while (oribi_wire_next(&graph, &f, status)) {
        if (f.number == 15) {
            return oribi_fail(
                status, TF_UNIMPLEMENTED,
                "byte %zu: a sparse initialiser is not supported; store the tensor as a dense one",
                f.offset);
        }
        if (f.number != 5) {
            continue;
        }
        oribi_wire body;
        oribi_string name;
        ORIBI_TRY(oribi_wire_enter(&graph, &f, &body, status));
        ORIBI_TRY(oribi_onnx_tensor_name(&body, &name, status));
        if (oribi_map_get_n(&onnx->values, name.data, name.length) != NULL) {
            return oribi_fail(status, TF_INVALID_ARGUMENT,
                              "byte %zu: there is a second initialiser named '%.*s'", f.offset,
                              (int)name.length, name.data);
        }
        void *kept = oribi_arena_memdup(&onnx->kept, &body, sizeof(body));
        if (kept == NULL) {
            return oribi_fail_memory(status);
        }
        ORIBI_TRY(define(onnx, &name, kept, status));
    }
    return oribi_ok(status);
}

bool oribi_onnx_port_name(const oribi_wire *graph, const oribi_wire_field *field,
                          oribi_string *out_name, TF_Status *status)
{
    oribi_wire body;
    oribi_wire_field f;
    *out_name = (oribi_string){"", 0};
    ORIBI_TRY(oribi_wire_enter(graph, field, &body, status));
    while (oribi_wire_next(&body, &f, status)) {
        ORIBI_TRY(f.number != 1 || oribi_wire_string(&f, "a value's name", out_name, status));
    }
    return oribi_ok(status);
}

static bool read_inputs(oribi_onnx *onnx, oribi_wire graph, TF_Status *status)
{
    oribi_wire_field f;
    oribi_onnx_info info;
    while (oribi_wire_next(&graph, &f, status)) {
        if (f.number != 11) {
            continue;
        }
        ORIBI_TRY(oribi_onnx_info_read(&graph, &f, &info, status));
        const void *entry = oribi_map_get_n(&onnx->values, info.name.data, info.name.length);
        if (entry != NULL && tag_of(entry) == TAG_POINTER) {
            continue; /* old files list initialisers as inputs with a default */
        }
        const char *name = oribi_import_text(&onnx->scratch, &info.name);
        if (name == NULL) {
            return oribi_fail_memory(status);
        }
        if (entry != NULL || info.name.length == 0 || info.dtype == 0) {
            return oribi_fail(status, TF_INVALID_ARGUMENT, "byte %zu: input '%s' %s", f.offset,
                              name,
                              entry != NULL     ? "is given twice"
                              : info.dtype == 0 ? "has no element type that is known"
                                                : "has no name");
        }
        const oribi_shape shape = {info.has_shape ? info.dims.n : -1, info.dims.at};
        oribi_value_id value = oribi_graph_add_value(onnx->graph, name, info.dtype, &shape, status);
        ORIBI_TRY(value >= 0 && oribi_graph_add_input(onnx->graph, value, name, status) &&
                  oribi_onnx_set_list(onnx->graph, value, info.element, status));
        ORIBI_TRY(define(onnx, &info.name, value_entry(value), status));
    }
    return oribi_ok(status);
}

/* --- Nodes ----------------------------------------------------------------------------------- */

/* Values of the inputs; *out_blocked when a missing op should have made one. *out_early (may be
 * NULL): nothing before it makes one. */
static bool find_inputs(oribi_onnx_node *n, const oribi_string *names, bool *out_blocked,
                        bool *out_early)
{
    *out_blocked = false;
    for (int32_t i = 0; i < n->n_inputs; i++) {
        oribi_onnx_found found = ORIBI_ONNX_UNKNOWN;
        n->inputs[i] = -1;
        if (names[i].length == 0) {
            continue;
        }
        if (!oribi_onnx_look_up(n->onnx, &names[i], &n->inputs[i], &found, n->status)) {
            oribi_status_prefix(n->status, "input %d of node '%s': ", (int)i, n->label);
            n->failed = true;
            return false;
        }
        if (found == ORIBI_ONNX_UNKNOWN && out_early != NULL) {
            *out_early = true;
            return true;
        }
        if (found == ORIBI_ONNX_UNKNOWN) {
            return oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                                   "input %d reads '%.*s', which nothing before it makes: no node "
                                   "does, or one on a cycle",
                                   (int)i, (int)names[i].length, names[i].data);
        }
        *out_blocked = *out_blocked || found == ORIBI_ONNX_MISSING;
    }
    return true;
}

/* Every name is given once. */
static bool check_output_names(oribi_onnx_node *n)
{
    oribi_map seen = {0};
    bool ok = true;
    for (int32_t i = 0; ok && n->n_outputs > 1 && i < n->n_outputs; i++) {
        const oribi_string *name = &n->outputs[i];
        if (name->length > 0 && oribi_map_get_n(&seen, name->data, name->length) != NULL) {
            ok = oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "two outputs are named '%.*s'",
                                 (int)name->length, name->data);
        } else if (!oribi_map_put_n(&seen, name->data, name->length, n)) {
            n->failed = true;
            ok = oribi_fail_memory(n->status);
        }
    }
    oribi_map_destroy(&seen);
    return ok;
}

bool oribi_onnx_mark_missing(oribi_onnx_node *n)
{
    for (int32_t i = 0; i < n->n_outputs; i++) {
        const oribi_string *name = &n->outputs[i];
        if (name->length > 0 &&
            oribi_map_get_n(&n->onnx->values, name->data, name->length) == NULL) {
            ORIBI_TRY(define(n->onnx, name, (void *)(uintptr_t)TAG_MISSING, n->status));
        }
    }
    return true;
}

static bool check_arity(oribi_onnx_node *n, const oribi_onnx_row *row)
{
    if (n->n_inputs < row->min_inputs || (row->max_inputs >= 0 && n->n_inputs > row->max_inputs)) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                               "there are %d inputs; the operator takes %d to %d", (int)n->n_inputs,
                               (int)row->min_inputs,
                               (int)(row->max_inputs < 0 ? INT32_MAX : row->max_inputs));
    }
    for (int32_t i = 0; i < row->min_inputs; i++) {
        if (n->inputs[i] < 0) {
            return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "input %d is required", (int)i);
        }
    }
    return n->n_outputs > 0 || oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "no outputs");
}

static bool check_outputs_bound(oribi_onnx_node *n)
{
    for (int32_t i = 0; i < n->n_outputs; i++) {
        const oribi_string *name = &n->outputs[i];
        if (name->length > 0 &&
            oribi_map_get_n(&n->onnx->values, name->data, name->length) == NULL) {
            return oribi_onnx_fail(n, TF_UNIMPLEMENTED, "output %d is not supported", (int)i);
        }
    }
    return true;
}

/* Why there is no row, where there is one for newer models; NULL: another reason, or no memory. */
static const char *too_old(oribi_onnx_node *n)
{
    const int32_t first = n->domain.length == 0 ? oribi_onnx_first_opset(&n->op_type) : 0;
    return n->opset >= first
               ? NULL
               : oribi_arena_printf(&n->onnx->scratch,
                                    "opset %" PRId64
                                    " of this operator is not supported; it is read from opset "
                                    "%d on: convert the model with onnx.version_converter",
                                    n->opset, (int)first);
}

/* A node behind a missing op, or in such a graph. */
static bool wait(oribi_onnx_node *n, const oribi_wire *function)
{
    oribi_text served = {0};
    const bool is_known =
        n->row != NULL || function != NULL || oribi_onnx_custom_op(n, &served) != NULL;
    oribi_text_destroy(&served);
    const char *why = is_known ? NULL : too_old(n);
    ORIBI_TRY(is_known || oribi_onnx_missing_add(n->onnx, n, why, n->status));
    n->onnx->root->missing.n_inside += !is_known && n->onnx->is_waiting;
    return oribi_onnx_missing_inside(n, function) && oribi_onnx_mark_missing(n);
}

/* Translates, or notes that nothing provides the op. False only for what ends the import. */
static bool translate(oribi_onnx_node *n, bool is_blocked)
{
    const char *why = NULL;
    const oribi_wire *function = oribi_onnx_function_find(n, &n->failed);
    const oribi_onnx_row *row = oribi_onnx_row_of(n);
    n->row = row;
    if (is_blocked && !n->failed) {
        return wait(n, function);
    }
    if (n->failed || function != NULL) {
        (void)(n->failed ? oribi_fail_memory(n->status) : oribi_onnx_function_call(n, function));
    } else if (row != NULL) {
        const oribi_value_id *inputs = n->inputs; /* a translation may put others in their place */
        const int32_t n_inputs = n->n_inputs;
        if (check_arity(n, row) && row->translate(n) && check_outputs_bound(n)) {
            oribi_onnx_note_units(n, inputs, n_inputs, first_result(n));
        }
    } else if ((why = too_old(n)) != NULL) {
        oribi_onnx_fail(n, TF_UNIMPLEMENTED, "%s", why);
    } else {
        oribi_onnx_translate_custom(n);
    }
    if (!n->failed) {
        return true;
    }
    if (TF_GetCode(n->status) != TF_UNIMPLEMENTED) {
        return false;
    }
    why = oribi_arena_strdup(&n->onnx->scratch, TF_Message(n->status));
    ORIBI_TRY(why != NULL || oribi_fail_memory(n->status));
    TF_SetStatus(n->status, TF_OK, "");
    n->onnx->root->missing.n_unshaped += n->wants_shapes;
    ORIBI_TRY(oribi_onnx_missing_add(n->onnx, n, why, n->status));
    return oribi_onnx_mark_missing(n);
}

bool oribi_onnx_read_node(oribi_onnx *onnx, const oribi_wire *graph, const oribi_wire_field *field,
                          bool *out_early, TF_Status *status)
{
    oribi_onnx_node n;
    oribi_string *names = NULL;
    bool is_blocked = false;
    ORIBI_TRY(oribi_onnx_node_read(onnx, graph, field, &n, &names, status));
    if (onnx->is_waiting) {
        return translate(&n, true);
    }
    ORIBI_TRY(check_output_names(&n) && find_inputs(&n, names, &is_blocked, out_early));
    return (out_early != NULL && *out_early) || translate(&n, is_blocked);
}

static bool read_outputs(oribi_onnx *onnx, oribi_wire graph, TF_Status *status)
{
    oribi_wire_field f;
    oribi_onnx_info info;
    while (oribi_wire_next(&graph, &f, status)) {
        if (f.number != 12) {
            continue;
        }
        oribi_value_id value = -1;
        oribi_onnx_found found = ORIBI_ONNX_UNKNOWN;
        ORIBI_TRY(oribi_onnx_info_read(&graph, &f, &info, status));
        ORIBI_TRY(oribi_onnx_look_up(onnx, &info.name, &value, &found, status));
        const char *name = oribi_import_text(&onnx->scratch, &info.name);
        if (name == NULL) {
            return oribi_fail_memory(status);
        }
        if (found == ORIBI_ONNX_UNKNOWN) {
            return oribi_fail(status, TF_INVALID_ARGUMENT, "byte %zu: no node makes output '%s'",
                              f.offset, name);
        }
        TF_DataType dtype = onnx->graph->values[value]->dtype;
        if (info.dtype != 0 && dtype != info.dtype) {
            return oribi_fail(status, TF_INVALID_ARGUMENT,
                              "byte %zu: output '%s' is declared as %s, but its node makes %s",
                              f.offset, name, oribi_dtype_name(info.dtype),
                              oribi_dtype_name(dtype));
        }
        oribi_shape *shape = &onnx->graph->values[value]->shape;
        if (info.dtype == TF_VARIANT && info.has_shape && shape->rank < 0 &&
            !oribi_shape_copy(&onnx->graph->arena, info.dims.at, info.dims.n, shape)) {
            return oribi_fail_memory(status); /* a list is a sequence or not as the file says */
        }
        ORIBI_TRY(oribi_graph_add_output(onnx->graph, value, name, status));
    }
    ORIBI_TRY(oribi_ok(status));
    return onnx->graph->n_outputs > 0 ||
           oribi_fail(status, TF_INVALID_ARGUMENT, "the graph has no outputs");
}

static bool import_file(oribi_onnx *onnx, const uint8_t *data, size_t bytes, TF_Status *status)
{
    oribi_wire graph;
    ORIBI_TRY(read_model(onnx, oribi_wire_over(data, bytes), &graph, status));
    ORIBI_TRY(oribi_onnx_read_initialisers(onnx, graph, status));
    ORIBI_TRY(read_inputs(onnx, graph, status));
    ORIBI_TRY(oribi_import_fix_inputs(onnx->graph, onnx->options, status));
    ORIBI_TRY(oribi_onnx_claims_read(onnx, graph, status));
    ORIBI_TRY(oribi_onnx_read_nodes(onnx, graph, 1, status));
    const oribi_missing *missing = &onnx->missing;
    if (oribi_missing_wants_shapes(missing) &&
        oribi_import_may_be_open(onnx->graph, onnx->options)) {
        ORIBI_TRY(oribi_onnx_leave_open(onnx, graph, status) || oribi_ok(status));
        if (onnx->graph->is_open) {
            return oribi_graph_sort(onnx->graph, status);
        }
    }
    if (onnx->missing.ops.n_entries > 0) {
        return oribi_missing_report(&onnx->missing, status);
    }
    ORIBI_TRY(read_outputs(onnx, graph, status));
    oribi_onnx_finish_units(onnx->graph);
    oribi_graph_remove_dead(onnx->graph);
    return oribi_graph_sort(onnx->graph, status);
}

static void close_import(oribi_onnx *onnx)
{
    oribi_missing_destroy(&onnx->missing);
    oribi_onnx_external_close(onnx);
    oribi_map_destroy(&onnx->values);
    oribi_map_destroy(&onnx->claims);
    oribi_map_destroy(&onnx->constants);
    oribi_map_destroy(&onnx->tested);
    oribi_map_destroy(&onnx->functions);
    oribi_map_destroy(&onnx->domains);
    oribi_arena_destroy(&onnx->scratch);
    oribi_arena_destroy(&onnx->kept);
}

oribi_graph *oribi_import_onnx(const uint8_t *data, size_t bytes, oribi_source *source,
                               const char *source_name, const oribi_import_options *options,
                               TF_Status *status)
{
    oribi_onnx onnx = {.options = options, .source = source, .to_nhwc = -1, .to_nchw = -1};
    oribi_graph *graph = oribi_import_begin(source_name, "onnx", options, status);
    onnx.graph = graph;
    onnx.root = onnx.opsets = &onnx;
    onnx.path = "";
    graph = oribi_import_end(graph, graph != NULL && import_file(&onnx, data, bytes, status),
                             source_name, status);
    close_import(&onnx);
    oribi_source_release(source);
    return graph;
}
