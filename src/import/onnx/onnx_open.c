/* SPDX-License-Identifier: Apache-2.0 */
/* Open ops: those that take any attribute, as operators of other runtimes do, whose definitions
 * name none. An op says so by an attribute `onnx_attributes: list(string)`, which gets the node's
 * AttributeProto messages. Parameter i of the operator is then argument i of the op: an optional
 * one is a list of none or one element, and a list at the end takes all that is left.
 */
#include <string.h>

#include "import/onnx/onnx_emit.h"

bool oribi_onnx_is_open(const oribi_op_def *op)
{
    const oribi_attr_def *def = oribi_op_find_attr(op, "onnx_attributes");
    return def != NULL && def->kind == TF_ATTR_STRING && def->is_list;
}

static bool is_list(const oribi_arg_def *arg)
{
    return arg->number_attr != NULL || arg->type_list_attr != NULL;
}

/* Parameters from `at` on that one argument covers, out of `count` that the node names. */
static int32_t span(const oribi_arg_def *args, int32_t n_args, int32_t at, int32_t count)
{
    if (at >= count) {
        return is_list(&args[at]) ? 0 : 1;
    }
    return at == n_args - 1 && is_list(&args[at]) ? count - at : 1;
}

static bool set_messages(oribi_onnx_node *n, oribi_attrs *attrs)
{
    oribi_wire position = n->body;
    oribi_onnx_attr attr;
    size_t count = 0;
    while (oribi_onnx_attr_next(n, &position, &attr)) {
        count++;
    }
    oribi_string *texts = oribi_arena_array(&n->onnx->scratch, count + 1, sizeof *texts);
    if (n->failed || texts == NULL || count > INT32_MAX) {
        return !n->failed && oribi_fail_memory(n->status);
    }
    position = n->body;
    count = 0;
    while (oribi_onnx_attr_next(n, &position, &attr)) {
        texts[count++] =
            (oribi_string){(const char *)attr.body.at, (size_t)(attr.body.end - attr.body.at)};
    }
    const oribi_attr value = {.name = "onnx_attributes",
                              .kind = TF_ATTR_STRING,
                              .is_list = true,
                              .count = (int32_t)count,
                              .u.s = texts};
    return oribi_attrs_set(attrs, &n->graph->arena, &value) || oribi_fail_memory(n->status);
}

static bool set_types(oribi_onnx_node *n, oribi_attrs *attrs, const char *name, int32_t at,
                      int32_t count)
{
    TF_DataType *types = oribi_arena_array(&n->onnx->scratch, (size_t)count + 1, sizeof *types);
    for (int32_t i = 0; types != NULL && i < count; i++) {
        types[i] = oribi_emit_dtype(n, n->inputs[at + i]);
    }
    const oribi_attr value = {
        .name = name, .kind = TF_ATTR_TYPE, .is_list = true, .count = count, .u.type = types};
    return (types != NULL && oribi_attrs_set(attrs, &n->graph->arena, &value)) ||
           oribi_fail_memory(n->status);
}

/* A list of inputs: how many are there? An absent one at the end of all is none. */
static bool set_input_length(oribi_onnx_node *n, const oribi_op_def *op, oribi_attrs *attrs,
                             int32_t at)
{
    const oribi_arg_def *arg = &op->inputs[at];
    int32_t count = span(op->inputs, op->n_inputs, at, n->n_inputs);
    if (count == 1 && n->inputs[at] < 0) {
        count = 0;
    }
    for (int32_t i = 0; i < count; i++) {
        if (n->inputs[at + i] < 0) {
            return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "input %d is absent, amid a list",
                                   (int)(at + i));
        }
    }
    return arg->number_attr != NULL
               ? oribi_attrs_set_int(attrs, &n->graph->arena, arg->number_attr, count) ||
                     oribi_fail_memory(n->status)
               : set_types(n, attrs, arg->type_list_attr, at, count);
}

static bool check_single(oribi_onnx_node *n, const oribi_op_def *op, int32_t at)
{
    return (at < n->n_inputs && n->inputs[at] >= 0) ||
           oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "input %d is absent; op '%s' needs it", (int)at,
                           op->name);
}

static bool is_output_there(const oribi_onnx_node *n, int32_t at)
{
    return at < n->n_outputs && n->outputs[at].length > 0;
}

bool oribi_onnx_set_open(oribi_onnx_node *n, const oribi_op_def *op, oribi_attrs *attrs)
{
    bool ok = set_messages(n, attrs);
    for (int32_t i = 0; i < op->n_inputs && ok; i++) {
        ok = is_list(&op->inputs[i]) ? set_input_length(n, op, attrs, i) : check_single(n, op, i);
    }
    for (int32_t i = 0; i < op->n_outputs && ok; i++) {
        const char *name = op->outputs[i].number_attr;
        int32_t count = span(op->outputs, op->n_outputs, i, n->n_outputs);
        count = count == 1 && !is_output_there(n, i) ? 0 : count;
        if (name != NULL && oribi_attrs_find(attrs, name) == NULL) {
            ok = oribi_attrs_set_int(attrs, &n->graph->arena, name, count) ||
                 oribi_fail_memory(n->status);
        }
    }
    n->failed = n->failed || !ok;
    return !n->failed;
}

bool oribi_onnx_bind_open(oribi_onnx_node *n, const oribi_op_def *op, const oribi_node *node)
{
    int32_t flat = 0;
    for (int32_t i = 0; i < op->n_outputs; i++) {
        int32_t count = span(op->outputs, op->n_outputs, i, n->n_outputs);
        if (is_list(&op->outputs[i]) && count == 1 && !is_output_there(n, i)) {
            continue;
        }
        for (int32_t k = 0; k < count && flat < node->n_outputs; k++, flat++) {
            ORIBI_TRY(oribi_emit_bind(n, i + k, node->outputs[flat]));
        }
    }
    const bool takes_all = op->n_outputs > 0 && is_list(&op->outputs[op->n_outputs - 1]);
    if (n->n_outputs > op->n_outputs && !takes_all) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "the node has %d outputs; op '%s' has %d",
                               (int)n->n_outputs, op->name, (int)op->n_outputs);
    }
    return true;
}
