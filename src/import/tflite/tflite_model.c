/* SPDX-License-Identifier: Apache-2.0 */
/* The walk over a TFLite file: operator codes, tensors, inputs, operators in order, outputs. What
 * an operator means is in tflite_table.c and the families it names.
 */
#include "import/tflite/tflite.h"

#include <inttypes.h>
#include <string.h>

enum { SCHEMA_VERSION = 3, BUDGET_FACTOR = 4 };

/* --- Codes and tensors ------------------------------------------------------------------------ */

static bool read_code(const oribi_flat_table *table, oribi_tflite_code *out, TF_Status *status)
{
    int64_t old = 0, new = 0;
    ORIBI_TRY(oribi_flat_read_int(table, 0, 1, true, 0, "an operator code", &old, status));
    ORIBI_TRY(oribi_flat_read_string(table, 1, "a custom code", &out->custom, status));
    ORIBI_TRY(oribi_flat_read_int(table, 2, 4, true, 1, "a version", &out->version, status));
    ORIBI_TRY(oribi_flat_read_int(table, 3, 4, true, 0, "an operator code", &new, status));
    /* old files have only the byte; new ones fill it up to 127 */
    out->builtin = old > new ? old : new;
    return true;
}

static bool read_codes(oribi_tflite *t, const oribi_flat_table *model, TF_Status *status)
{
    oribi_flat_vector codes = {0};
    ORIBI_TRY(oribi_flat_read_vector(model, 1, 4, "the operator codes", &codes, status));
    ORIBI_TRY(oribi_tflite_spend(t, codes.count, status));
    t->codes = oribi_arena_array(&t->kept, (size_t)codes.count + 1, sizeof(*t->codes));
    ORIBI_TRY(t->codes != NULL || oribi_fail_memory(status));
    t->n_codes = codes.count;
    for (uint32_t i = 0; i < codes.count; i++) {
        oribi_flat_table table = {0};
        ORIBI_TRY(oribi_flat_table_at(&codes, i, "an operator code", &table, status));
        ORIBI_TRY(read_code(&table, &t->codes[i], status));
    }
    return true;
}

static bool read_quantisation(const oribi_flat_table *table, oribi_tflite_tensor *out,
                              TF_Status *status)
{
    oribi_flat_table quant = {0};
    int64_t details = 0;
    ORIBI_TRY(oribi_flat_read_table(table, 4, "the quantisation", &quant, status));
    ORIBI_TRY(oribi_flat_read_vector(&quant, 2, 4, "the scales", &out->scales, status));
    ORIBI_TRY(oribi_flat_read_vector(&quant, 3, 8, "the zero points", &out->zeros, status));
    ORIBI_TRY(
        oribi_flat_read_int(&quant, 4, 1, false, 0, "quantisation details", &details, status));
    ORIBI_TRY(oribi_flat_read_int(&quant, 6, 4, true, 0, "the quantised dimension",
                                  &out->quantised_dimension, status));
    if (details != 0) {
        return oribi_fail(status, TF_UNIMPLEMENTED,
                          "byte %zu: custom quantisation is not supported", out->offset);
    }
    return true;
}

/* Data of the tensor's buffer: in the file's FlatBuffer only. */
static bool read_data(const oribi_tflite *t, int64_t buffer, oribi_tflite_tensor *out,
                      TF_Status *status)
{
    oribi_flat_table table = {0};
    int64_t offset = 0;
    if (buffer == 0) { /* by agreement the empty one */
        return true;
    }
    if (buffer >= t->buffers.count) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "byte %zu: a tensor names buffer %" PRId64 ", but there are %u",
                          out->offset, buffer, (unsigned)t->buffers.count);
    }
    ORIBI_TRY(oribi_flat_table_at(&t->buffers, (uint32_t)buffer, "a buffer", &table, status));
    ORIBI_TRY(oribi_flat_read_vector(&table, 0, 1, "a buffer's data", &out->data, status));
    ORIBI_TRY(oribi_flat_read_int(&table, 1, 8, false, 0, "a buffer's offset", &offset, status));
    if (offset > 1) {
        return oribi_fail(
            status, TF_UNIMPLEMENTED,
            "byte %zu: a buffer outside the FlatBuffer (in models above 2 GB) is not supported",
            table.at);
    }
    if (out->data.count == 0) {
        out->data.file = NULL;
    }
    return true;
}

static bool read_tensor(oribi_tflite *t, const oribi_flat_table *table, oribi_tflite_tensor *out,
                        TF_Status *status)
{
    int64_t buffer = 0, has_rank = 0, is_variable = 0;
    out->offset = table->at;
    out->value = ORIBI_TFLITE_UNMADE;
    ORIBI_TRY(oribi_flat_read_vector(table, 0, 4, "a shape", &out->shape, status));
    ORIBI_TRY(oribi_flat_read_int(table, 1, 1, true, 0, "an element type", &out->type, status));
    ORIBI_TRY(oribi_flat_read_int(table, 2, 4, false, 0, "a buffer index", &buffer, status));
    ORIBI_TRY(oribi_flat_read_string(table, 3, "a tensor's name", &out->name, status));
    ORIBI_TRY(read_quantisation(table, out, status));
    ORIBI_TRY(oribi_flat_read_int(table, 5, 1, false, 0, "is_variable", &is_variable, status));
    ORIBI_TRY(oribi_flat_read_table(table, 6, "the sparsity", &out->sparsity, status));
    ORIBI_TRY(oribi_flat_read_vector(table, 7, 4, "a shape signature", &out->signature, status));
    ORIBI_TRY(oribi_flat_read_int(table, 8, 1, false, 0, "has_rank", &has_rank, status));
    ORIBI_TRY(read_data(t, buffer, out, status));
    if (out->shape.count > ORIBI_MAX_RANK) {
        return oribi_fail(status, TF_UNIMPLEMENTED,
                          "byte %zu: tensor '%.*s' has rank %u; at most %d is supported", table->at,
                          (int)(out->name.length & 0xfff), out->name.data,
                          (unsigned)out->shape.count, ORIBI_MAX_RANK);
    }
    out->is_packed = out->type == ORIBI_TFLITE_INT4 && out->data.file != NULL;
    out->dtype = out->is_packed ? TF_INT8 : oribi_tflite_dtype(out->type);
    out->is_variable = is_variable != 0;
    out->is_sparse = out->sparsity.file != NULL;
    out->is_unranked = out->shape.count == 0 && has_rank == 0;
    return oribi_tflite_spend(t, out->name.length + out->scales.count, status);
}

bool oribi_tflite_read_tensors(oribi_tflite *t, const oribi_flat_table *subgraph, TF_Status *status)
{
    oribi_flat_vector tensors = {0};
    size_t bytes = 0;
    ORIBI_TRY(oribi_flat_read_vector(subgraph, 0, 4, "the tensors", &tensors, status));
    bytes = (size_t)tensors.count * sizeof(*t->tensors);
    ORIBI_TRY(oribi_graph_charge(t->graph, bytes, status));
    t->tensors = oribi_arena_array(&t->kept, (size_t)tensors.count + 1, sizeof(*t->tensors));
    ORIBI_TRY(t->tensors != NULL || oribi_fail_memory(status));
    t->n_tensors = tensors.count;
    for (uint32_t i = 0; i < tensors.count; i++) {
        oribi_flat_table table = {0};
        ORIBI_TRY(oribi_flat_table_at(&tensors, i, "a tensor", &table, status));
        ORIBI_TRY(read_tensor(t, &table, &t->tensors[i], status));
    }
    return true;
}

/* --- Inputs and outputs ----------------------------------------------------------------------- */

/* Element i of a list of tensors; -1 means absent and gives NULL. */
bool oribi_tflite_tensor_at(const oribi_tflite *t, const oribi_flat_vector *list, uint32_t i,
                            oribi_tflite_tensor **out, TF_Status *status)
{
    int32_t index = oribi_flat_int32_at(list, i);
    if (index < -1 || (index >= 0 && (uint32_t)index >= t->n_tensors)) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "byte %zu: there is no tensor %d; there are %u", list->at + 4 * (size_t)i,
                          (int)index, (unsigned)t->n_tensors);
    }
    *out = index < 0 ? NULL : &t->tensors[index];
    return true;
}

static bool add_input(oribi_tflite *t, oribi_tflite_tensor *tensor, TF_Status *status)
{
    oribi_dims dims = oribi_tflite_dims_of(tensor);
    const char *name = oribi_import_text(&t->scratch, &tensor->name);
    ORIBI_TRY(name != NULL || oribi_fail_memory(status));
    if (tensor->dtype == 0 || tensor->value != ORIBI_TFLITE_UNMADE || tensor->data.file != NULL) {
        return oribi_fail(status, TF_INVALID_ARGUMENT, "byte %zu: input '%s' %s", tensor->offset,
                          name,
                          tensor->dtype == 0          ? "has an element type that is not supported"
                          : tensor->data.file != NULL ? "is a constant"
                                                      : "is given twice");
    }
    /* An input that may be resized has the file's shape until the caller gives another one. */
    if (oribi_import_shape_of(t->options, name) != NULL) {
        dims = oribi_tflite_limits_of(tensor);
    }
    const oribi_shape shape = {tensor->is_unranked ? -1 : dims.n, dims.at};
    tensor->value = oribi_graph_add_value(t->graph, name, tensor->dtype, &shape, status);
    if (tensor->value < 0) {
        return false;
    }
    return oribi_tflite_quantise(t->graph, tensor, tensor->value, status) &&
           oribi_graph_add_input(t->graph, tensor->value, name, status);
}

static bool read_inputs(oribi_tflite *t, const oribi_flat_table *subgraph, TF_Status *status)
{
    oribi_flat_vector inputs = {0};
    ORIBI_TRY(oribi_flat_read_vector(subgraph, 1, 4, "the inputs", &inputs, status));
    ORIBI_TRY(oribi_tflite_spend(t, inputs.count, status));
    for (uint32_t i = 0; i < inputs.count; i++) {
        oribi_tflite_tensor *tensor = NULL;
        ORIBI_TRY(oribi_tflite_tensor_at(t, &inputs, i, &tensor, status));
        ORIBI_TRY(tensor == NULL || add_input(t, tensor, status));
    }
    oribi_arena_destroy(&t->scratch);
    return true;
}

static bool read_outputs(oribi_tflite *t, const oribi_flat_table *subgraph, TF_Status *status)
{
    oribi_flat_vector outputs = {0};
    ORIBI_TRY(oribi_flat_read_vector(subgraph, 2, 4, "the outputs", &outputs, status));
    ORIBI_TRY(oribi_tflite_spend(t, outputs.count, status));
    for (uint32_t i = 0; i < outputs.count; i++) {
        oribi_tflite_tensor *tensor = NULL;
        ORIBI_TRY(oribi_tflite_tensor_at(t, &outputs, i, &tensor, status));
        if (tensor == NULL || tensor->value < 0) {
            return oribi_fail(status, TF_INVALID_ARGUMENT, "byte %zu: no operator makes output %u",
                              outputs.at + 4 * (size_t)i, (unsigned)i);
        }
        const char *name = oribi_import_text(&t->scratch, &tensor->name);
        ORIBI_TRY(name != NULL || oribi_fail_memory(status));
        ORIBI_TRY(oribi_graph_add_output(t->graph, tensor->value, name, status));
        /* its own, whatever the value is called elsewhere that passed through to here */
        t->graph->output_quantisation[i] = oribi_tflite_quantisation(tensor);
    }
    oribi_arena_destroy(&t->scratch);
    return outputs.count > 0 || oribi_fail(status, TF_INVALID_ARGUMENT, "the model has no outputs");
}

/* --- Operators -------------------------------------------------------------------------------- */

static bool read_tensor_list(oribi_tflite_node *n, int field, const char *what, int32_t *out_count,
                             oribi_tflite_tensor ***out)
{
    oribi_flat_vector list = {0};
    ORIBI_TRY(oribi_flat_read_vector(&n->table, field, 4, what, &list, n->status));
    ORIBI_TRY(oribi_tflite_spend(n->tflite, list.count, n->status));
    *out = oribi_arena_array(&n->tflite->scratch, (size_t)list.count + 1, sizeof(**out));
    ORIBI_TRY(*out != NULL || oribi_fail_memory(n->status));
    *out_count = (int32_t)list.count;
    for (uint32_t i = 0; i < list.count; i++) {
        ORIBI_TRY(oribi_tflite_tensor_at(n->tflite, &list, i, &(*out)[i], n->status));
    }
    return true;
}

static bool name_node(oribi_tflite_node *n, uint32_t index)
{
    oribi_arena *scratch = &n->tflite->scratch;
    oribi_string none = {"", 0};
    const oribi_string *name =
        n->n_outputs > 0 && n->outputs[0] != NULL ? &n->outputs[0]->name : &none;
    bool is_custom = n->code->builtin == ORIBI_TFLITE_CUSTOM;
    n->op = is_custom ? oribi_import_text(scratch, &n->code->custom)
                      : oribi_tflite_builtin_name(n->code->builtin);
    if (n->op == NULL && !is_custom) {
        n->op = oribi_arena_printf(scratch, "operator code %" PRId64, n->code->builtin);
    }
    ORIBI_TRY(oribi_tflite_spend(n->tflite, name->length, n->status));
    n->label = oribi_import_text(scratch, name);
    if (n->label != NULL && n->tflite->path != NULL) {
        n->label = oribi_arena_printf(scratch, "%s%s", n->tflite->path, n->label);
    }
    if (n->op == NULL || n->label == NULL) {
        return oribi_fail_memory(n->status);
    }
    n->origin = oribi_arena_printf(&n->graph->arena, "operator %u '%s' (%s) at byte %zu",
                                   (unsigned)index, n->label, n->op, n->offset);
    return n->origin != NULL || oribi_fail_memory(n->status);
}

static bool read_operator(oribi_tflite_node *n, uint32_t index)
{
    int64_t code = 0;
    ORIBI_TRY(
        oribi_flat_read_int(&n->table, 0, 4, false, 0, "an operator's code", &code, n->status));
    if (code >= n->tflite->n_codes) {
        return oribi_fail(n->status, TF_INVALID_ARGUMENT,
                          "byte %zu: there is no operator code %" PRId64 "; there are %u",
                          n->offset, code, (unsigned)n->tflite->n_codes);
    }
    n->code = &n->tflite->codes[code];
    ORIBI_TRY(read_tensor_list(n, 1, "an operator's inputs", &n->n_inputs, &n->inputs));
    ORIBI_TRY(read_tensor_list(n, 2, "an operator's outputs", &n->n_outputs, &n->outputs));
    ORIBI_TRY(oribi_flat_read_int(&n->table, 3, 1, false, 0, "the kind of options",
                                  &n->options_type, n->status));
    ORIBI_TRY(oribi_flat_read_table(&n->table, 4, "an operator's options", &n->options, n->status));
    return name_node(n, index);
}

static bool check_inputs(oribi_tflite_node *n, bool *out_blocked)
{
    *out_blocked = false;
    for (int32_t i = 0; i < n->n_inputs; i++) {
        const oribi_tflite_tensor *tensor = n->inputs[i];
        if (tensor == NULL) {
            continue;
        }
        if (oribi_tflite_is_scratch(n, i)) {
            continue;
        }
        n->inputs[i]->npu_read = n->tflite->n_npu;
        if (tensor->value == ORIBI_TFLITE_SCRATCH) {
            return oribi_tflite_fail(n, TF_INVALID_ARGUMENT,
                                     "input %d is the scratch memory of an NPU", (int)i);
        }
        *out_blocked = *out_blocked || tensor->value == ORIBI_TFLITE_BLOCKED;
        if (tensor->value == ORIBI_TFLITE_UNMADE && tensor->data.file == NULL &&
            !tensor->is_variable && tensor->dtype != 0) {
            bool is_empty = false; /* an empty constant has no data either */
            for (uint32_t k = 0; k < tensor->shape.count; k++) {
                is_empty = is_empty || oribi_flat_int32_at(&tensor->shape, k) == 0;
            }
            if (!is_empty) {
                return oribi_tflite_fail(
                    n, TF_INVALID_ARGUMENT, "no operator before this one makes input %d ('%.*s')",
                    (int)i, (int)(tensor->name.length & 0xfff), tensor->name.data);
            }
        }
    }
    for (int32_t i = 0; i < n->n_outputs; i++) {
        const oribi_tflite_tensor *tensor = n->outputs[i];
        if (tensor != NULL && (tensor->value != ORIBI_TFLITE_UNMADE || tensor->data.file != NULL)) {
            return oribi_tflite_fail(n, TF_INVALID_ARGUMENT,
                                     "output %d is made by an earlier operator or is a constant",
                                     (int)i);
        }
    }
    return true;
}

static bool check_row(oribi_tflite_node *n, const oribi_tflite_row *row)
{
    if (n->n_inputs < row->min_inputs || (row->max_inputs >= 0 && n->n_inputs > row->max_inputs)) {
        return oribi_tflite_fail(
            n, TF_INVALID_ARGUMENT, "there are %d inputs; the operator takes %d to %d",
            (int)n->n_inputs, row->min_inputs, row->max_inputs < 0 ? INT32_MAX : row->max_inputs);
    }
    for (int32_t i = 0; i < row->min_inputs; i++) {
        if (n->inputs[i] == NULL) {
            return oribi_tflite_fail(n, TF_INVALID_ARGUMENT, "input %d is required", (int)i);
        }
    }
    if ((n->n_outputs == 0 && row->n_outputs != 0) ||
        (row->n_outputs >= 0 && n->n_outputs != row->n_outputs)) {
        return oribi_tflite_fail(n, TF_INVALID_ARGUMENT,
                                 "there are %d outputs; the operator has %d", (int)n->n_outputs,
                                 row->n_outputs);
    }
    for (int32_t i = 0; i < n->n_outputs; i++) {
        if (n->outputs[i] == NULL) {
            return oribi_tflite_fail(n, TF_INVALID_ARGUMENT, "output %d is required", (int)i);
        }
    }
    if (n->options_type != 0 && row->options != 0 && n->options_type != row->options) {
        return oribi_tflite_fail(n, TF_INVALID_ARGUMENT,
                                 "the options are of kind %" PRId64 ", expected %d",
                                 n->options_type, row->options);
    }
    if (n->options_type == 0) {
        n->options = (oribi_flat_table){0};
    }
    return true;
}

/* Outputs of an operator that is missing: what reads them waits. */
void oribi_tflite_block_outputs(oribi_tflite_node *n)
{
    for (int32_t i = 0; i < n->n_outputs; i++) {
        if (n->outputs[i] != NULL && n->outputs[i]->value == ORIBI_TFLITE_UNMADE) {
            n->outputs[i]->value = ORIBI_TFLITE_BLOCKED;
        }
    }
}

/* Translates, or notes that nothing provides the operator. False only for what ends the import. */
static bool translate(oribi_tflite_node *n)
{
    bool is_blocked = false, is_custom = n->code->builtin == ORIBI_TFLITE_CUSTOM;
    const oribi_tflite_row *row = is_custom ? NULL : oribi_tflite_find_row(n->code->builtin);
    if (n->tflite->is_waiting) {
        is_blocked = true;
    } else if (!check_inputs(n, &is_blocked)) {
        return false;
    }
    oribi_text served = {0};
    const oribi_op_def *op = is_custom ? oribi_tflite_custom_op(n, &served) : NULL;
    if (is_custom && op == NULL && oribi_text_string(&served)[0] == '\0') {
        row = oribi_tflite_find_custom(n->op);
    }
    n->row = row;
    bool is_known = op != NULL || row != NULL;
    if (is_blocked && is_known) {
        oribi_tflite_block_outputs(n);
        oribi_text_destroy(&served);
        return oribi_tflite_missing_inside(n);
    }
    if (oribi_text_string(&served)[0] != '\0' && !is_known) {
        oribi_tflite_fail(n, TF_UNIMPLEMENTED,
                          "the model has version %" PRId64 "; plugins serve the versions %s",
                          n->code->version, oribi_text_string(&served));
    } else if (!is_known) {
        oribi_tflite_fail(n, TF_UNIMPLEMENTED, "%s",
                          is_custom ? "custom operators need a plugin that registers the op"
                                    : "this version has no translation of the operator");
    } else if (op != NULL) {
        oribi_tflite_translate_custom(n, op);
    } else if (check_row(n, row)) {
        row->translate(n);
    }
    oribi_text_destroy(&served);
    if (!n->failed) {
        return true;
    }
    if (TF_GetCode(n->status) != TF_UNIMPLEMENTED) {
        return false;
    }
    const char *why = oribi_arena_strdup(&n->tflite->scratch, TF_Message(n->status));
    ORIBI_TRY(why != NULL || oribi_fail_memory(n->status));
    TF_SetStatus(n->status, TF_OK, "");
    n->tflite->missing.n_unshaped += n->wants_shapes;
    n->tflite->missing.n_inside += n->tflite->is_waiting;
    oribi_tflite_block_outputs(n);
    return oribi_missing_add(&n->tflite->missing, n->op, is_custom ? n->op : NULL, why, n->label,
                             n->status);
}

bool oribi_tflite_read_operators(oribi_tflite *t, const oribi_flat_table *subgraph,
                                 TF_Status *status)
{
    oribi_flat_vector operators = {0};
    ORIBI_TRY(oribi_flat_read_vector(subgraph, 3, 4, "the operators", &operators, status));
    ORIBI_TRY(oribi_tflite_spend(t, operators.count, status));
    for (uint32_t i = 0; i < operators.count; i++) {
        oribi_tflite_node n = {
            .tflite = t, .graph = t->graph, .status = status, .first_node = t->graph->n_nodes};
        ORIBI_TRY(oribi_flat_table_at(&operators, i, "an operator", &n.table, status));
        n.offset = n.table.at;
        ORIBI_TRY(read_operator(&n, i) && translate(&n));
        oribi_arena_destroy(&t->scratch);
    }
    return true;
}

/* --- Model ------------------------------------------------------------------------------------ */

static bool open_model(oribi_tflite *t, oribi_flat_table *out_model, oribi_flat_table *out_subgraph,
                       TF_Status *status)
{
    oribi_flat_vector subgraphs = {0};
    oribi_string description = {0};
    int64_t version = 0;
    ORIBI_TRY(oribi_flat_root(&t->file, out_model, status));
    ORIBI_TRY(oribi_flat_read_int(out_model, 0, 4, false, 0, "the version", &version, status));
    if (version != SCHEMA_VERSION) {
        return oribi_fail(status, TF_UNIMPLEMENTED,
                          "the schema version is %" PRId64 "; this version of Oribi reads %d",
                          version, SCHEMA_VERSION);
    }
    ORIBI_TRY(oribi_flat_read_vector(out_model, 2, 4, "the subgraphs", &subgraphs, status));
    ORIBI_TRY(oribi_flat_read_string(out_model, 3, "the description", &description, status));
    ORIBI_TRY(oribi_flat_read_vector(out_model, 4, 4, "the buffers", &t->buffers, status));
    if (subgraphs.count == 0) {
        return oribi_fail(status, TF_INVALID_ARGUMENT, "byte 0: there is no subgraph inside");
    }
    t->graph->producer = oribi_import_text(&t->graph->arena, &description);
    ORIBI_TRY(t->graph->producer != NULL || oribi_fail_memory(status));
    ORIBI_TRY(description.length == 0 ||
              oribi_graph_add_metadata(t->graph, "description", strlen("description"),
                                       description.data, description.length, status));
    t->subgraphs = subgraphs;
    return oribi_flat_table_at(&subgraphs, 0, "the subgraph", out_subgraph, status);
}

/* The initialiser of CALL_ONCE: it has tensors of its own, and gives variables their first values.
 */
static bool read_initialiser(oribi_tflite *t, const oribi_flat_table *model, TF_Status *status)
{
    oribi_flat_vector subgraphs = {0};
    oribi_flat_table subgraph = {0};
    if (t->initialiser == 0) {
        return true;
    }
    ORIBI_TRY(oribi_flat_read_vector(model, 2, 4, "the subgraphs", &subgraphs, status));
    if (t->initialiser >= subgraphs.count) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "CALL_ONCE names subgraph %u, but there are %u", (unsigned)t->initialiser,
                          (unsigned)subgraphs.count);
    }
    ORIBI_TRY(oribi_flat_table_at(&subgraphs, t->initialiser, "a subgraph", &subgraph, status));
    oribi_tflite_tensor *tensors = t->tensors; /* in t->kept, as those of the initialiser */
    const uint32_t n_tensors = t->n_tensors;
    t->is_initialising = true;
    const bool ok = oribi_tflite_read_tensors(t, &subgraph, status) &&
                    oribi_tflite_read_operators(t, &subgraph, status);
    t->is_initialising = false;
    t->tensors = tensors;
    t->n_tensors = n_tensors;
    return ok;
}

static bool import_file(oribi_tflite *t, TF_Status *status)
{
    oribi_flat_table model = {0}, subgraph = {0};
    t->budget = (uint64_t)t->file.bytes * BUDGET_FACTOR;
    ORIBI_TRY(open_model(t, &model, &subgraph, status));
    ORIBI_TRY(read_codes(t, &model, status));
    ORIBI_TRY(oribi_tflite_read_tensors(t, &subgraph, status));
    ORIBI_TRY(oribi_tflite_read_offsets(t, &model, status));
    ORIBI_TRY(read_inputs(t, &subgraph, status));
    ORIBI_TRY(oribi_import_fix_inputs(t->graph, t->options, status));
    ORIBI_TRY(oribi_tflite_limit_inputs(t, &subgraph, status));
    const bool is_read = oribi_tflite_read_operators(t, &subgraph, status);
    if (oribi_tflite_may_be_open(t, is_read, status)) {
        return oribi_tflite_leave_open(t, &subgraph, status) && oribi_graph_sort(t->graph, status);
    }
    ORIBI_TRY(is_read);
    ORIBI_TRY(read_initialiser(t, &model, status));
    if (t->missing.ops.n_entries > 0) {
        return oribi_missing_report(&t->missing, status);
    }
    ORIBI_TRY(read_outputs(t, &subgraph, status));
    ORIBI_TRY(oribi_tflite_end_npu(t, status));
    ORIBI_TRY(oribi_tflite_finish_variables(t, status));
    oribi_graph_remove_dead(t->graph);
    ORIBI_TRY(oribi_tflite_finish_gates(t, &subgraph, status));
    return oribi_graph_sort(t->graph, status);
}

oribi_graph *oribi_import_tflite(const uint8_t *data, size_t bytes, oribi_source *source,
                                 const char *source_name, const oribi_import_options *options,
                                 TF_Status *status)
{
    oribi_tflite t = {.options = options, .source = source, .file = {data, bytes}};
    oribi_graph *graph = oribi_import_begin(source_name, "tflite", options, status);
    t.graph = graph;
    graph = oribi_import_end(graph, graph != NULL && import_file(&t, status), source_name, status);
    oribi_missing_destroy(&t.missing);
    oribi_map_destroy(&t.handles);
    oribi_arena_destroy(&t.scratch);
    oribi_arena_destroy(&t.kept);
    oribi_source_release(source);
    return graph;
}
