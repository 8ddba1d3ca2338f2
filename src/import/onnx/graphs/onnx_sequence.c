/* SPDX-License-Identifier: Apache-2.0 */
/* Sequences and optionals: lists, of which the ops Oribi>List... read and make others. What their
 * elements are of is known of each value (oribi_onnx_list_type). SequenceMap is a loop that puts
 * what it makes at the ends of lists.
 */
#include "import/onnx/graphs/onnx_control.h"

/* The type of the elements of an input that must be a list; 0 and a failure: it is none. */
static TF_DataType list_of(oribi_onnx_node *n, int32_t index)
{
    const oribi_value_id value = oribi_emit_input(n, index);
    const TF_DataType element = value < 0 ? 0 : oribi_onnx_list_type(n->graph, value);
    if (element == 0 && !n->failed) {
        (void)oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                              "input %d must be a sequence or an optional; it is %s", (int)index,
                              value < 0 ? "absent" : oribi_dtype_name(oribi_emit_dtype(n, value)));
    }
    return element;
}

static bool is_list(const oribi_onnx_node *n, int32_t index)
{
    return oribi_emit_dtype(n, oribi_emit_input(n, index)) == TF_VARIANT;
}

static bool check_element(oribi_onnx_node *n, oribi_value_id value, TF_DataType element)
{
    const TF_DataType dtype = oribi_emit_dtype(n, value);
    return n->failed || dtype == element ||
           oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                           "the tensor is %s, but the sequence holds %s: there are no sequences of "
                           "several types or of sequences",
                           oribi_dtype_name(dtype), oribi_dtype_name(element));
}

static oribi_value_id list_from(oribi_onnx_node *n, const oribi_value_id *values, int32_t count,
                                TF_DataType element, bool is_optional)
{
    return oribi_emit(n, "Oribi>List", values, count,
                      ATTRS(ATTR_INT("N", count), ATTR_TYPE("T", element),
                            ATTR_BOOL("is_optional", is_optional)));
}

static oribi_value_id with_type(oribi_onnx_node *n, const char *op, oribi_value_id list,
                                oribi_value_id position, TF_DataType element)
{
    return oribi_emit(n, op, INPUTS(list, position), ATTRS(ATTR_TYPE("T", element)));
}

/* A position that is absent: of no element, or -1. */
static oribi_value_id end_of(oribi_onnx_node *n, int32_t index)
{
    const oribi_value_id given = oribi_emit_input(n, index);
    return given >= 0 ? given : oribi_emit_empty(n, TF_INT64);
}

/* --- Sequences ---------------------------------------------------------------------------------
 */

static bool construct(oribi_onnx_node *n)
{
    const TF_DataType element = oribi_emit_dtype(n, n->inputs[0]);
    for (int32_t i = 0; i < n->n_inputs; i++) {
        ORIBI_TRY(check_element(n, n->inputs[i], element == TF_VARIANT ? 0 : element));
    }
    return oribi_emit_bind(n, 0, list_from(n, n->inputs, n->n_inputs, element, false));
}

static bool empty(oribi_onnx_node *n)
{
    const int64_t type = oribi_onnx_int(n, "dtype", 1);
    const TF_DataType element = oribi_onnx_dtype(type);
    if (element == 0 && !n->failed) {
        return oribi_onnx_fail(n, TF_UNIMPLEMENTED, "there is no element type %lld",
                               (long long)type);
    }
    return oribi_emit_bind(n, 0, list_from(n, NULL, 0, element, false));
}

static oribi_value_id inserted(oribi_onnx_node *n, oribi_value_id list, oribi_value_id tensor,
                               oribi_value_id position)
{
    return oribi_emit3(n, "Oribi>ListInsert", list, tensor, position);
}

static bool insert(oribi_onnx_node *n)
{
    const TF_DataType element = list_of(n, 0);
    return check_element(n, n->inputs[1], element) &&
           oribi_emit_bind(n, 0, inserted(n, n->inputs[0], n->inputs[1], end_of(n, 2)));
}

static bool erase(oribi_onnx_node *n)
{
    const TF_DataType element = list_of(n, 0);
    const oribi_value_id given = oribi_emit_input(n, 1);
    const oribi_value_id position = given >= 0 ? given : oribi_emit_scalar(n, TF_INT64, -1);
    return oribi_emit_bind(n, 0, with_type(n, "Oribi>ListErase", n->inputs[0], position, element));
}

static bool at(oribi_onnx_node *n)
{
    const TF_DataType element = list_of(n, 0);
    return oribi_emit_bind(n, 0, with_type(n, "Oribi>ListAt", n->inputs[0], n->inputs[1], element));
}

static bool length(oribi_onnx_node *n)
{
    (void)list_of(n, 0);
    return oribi_emit_bind(
        n, 0, oribi_emit(n, "Size", INPUTS(n->inputs[0]), ATTRS(ATTR_TYPE("out_type", TF_INT64))));
}

/* Without sizes each element is one slice, whose axis keepdims keeps; with them it always stays. */
static bool split(oribi_onnx_node *n)
{
    const oribi_value_id given = oribi_emit_input(n, 1);
    const bool keeps_dims = oribi_onnx_flag(n, "keepdims", true) || given >= 0;
    const oribi_value_id sizes = given >= 0 ? given : oribi_emit_scalar(n, TF_INT64, 1);
    return oribi_emit_bind(n, 0,
                           oribi_emit(n, "Oribi>ListSplit", INPUTS(n->inputs[0], sizes),
                                      ATTRS(ATTR_INT("axis", oribi_onnx_int(n, "axis", 0)),
                                            ATTR_BOOL("keepdims", keeps_dims))));
}

static bool concat(oribi_onnx_node *n)
{
    const TF_DataType element = list_of(n, 0);
    if (!oribi_onnx_has_attr(n, "axis") && !n->failed) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "the attribute axis is required");
    }
    return oribi_emit_bind(
        n, 0,
        oribi_emit(n, "Oribi>ListConcat", INPUTS(n->inputs[0]),
                   ATTRS(ATTR_TYPE("T", element), ATTR_INT("axis", oribi_onnx_int(n, "axis", 0)),
                         ATTR_BOOL("new_axis", oribi_onnx_flag(n, "new_axis", false)))));
}

/* --- Optionals ---------------------------------------------------------------------------------
 */

/* What the attribute `type` says; dtype is 0 where it is absent. */
static bool read_type(oribi_onnx_node *n, oribi_onnx_info *out)
{
    oribi_onnx_attr attr;
    oribi_wire_field f;
    *out = (oribi_onnx_info){.name = {"type", 4}};
    if (!oribi_onnx_find_attr(n, "type", &attr)) {
        return !n->failed;
    }
    oribi_wire body = attr.body;
    while (!n->failed && oribi_wire_next(&body, &f, n->status)) {
        n->failed = f.number == 14 && !oribi_onnx_type_read(&attr.body, &f, out, n->status);
    }
    n->failed = n->failed || !oribi_ok(n->status);
    return !n->failed;
}

static bool optional(oribi_onnx_node *n)
{
    oribi_onnx_info type;
    const oribi_value_id given = oribi_emit_input(n, 0);
    ORIBI_TRY(read_type(n, &type));
    if (given >= 0) {
        const TF_DataType dtype = oribi_emit_dtype(n, given);
        return oribi_emit_bind(n, 0,
                               dtype == TF_VARIANT ? oribi_emit1(n, "Identity", given)
                                                   : list_from(n, &given, 1, dtype, true));
    }
    if (type.dtype == 0) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                               "without an input the attribute type is required");
    }
    return oribi_emit_bind(
        n, 0,
        type.dtype == TF_VARIANT
            ? oribi_emit(n, "Oribi>NoList", NULL, 0, ATTRS(ATTR_TYPE("T", type.element)))
            : list_from(n, NULL, 0, type.dtype, true));
}

static bool has_element(oribi_onnx_node *n)
{
    const oribi_value_id given = oribi_emit_input(n, 0);
    return oribi_emit_bind(n, 0,
                           is_list(n, 0) ? oribi_emit1(n, "Oribi>ListHas", given)
                                         : oribi_emit_scalar(n, TF_BOOL, given >= 0));
}

/* An optional tensor has no axes; anything else is a sequence, or an optional one. */
static bool get_element(oribi_onnx_node *n)
{
    const oribi_value_id x = n->inputs[0];
    if (!is_list(n, 0)) {
        return oribi_emit_bind(n, 0, oribi_emit1(n, "Identity", x));
    }
    const TF_DataType element = list_of(n, 0);
    return oribi_emit_bind(
        n, 0,
        n->graph->values[x]->shape.rank == 0
            ? with_type(n, "Oribi>ListAt", x, oribi_emit_scalar(n, TF_INT64, 0), element)
            : oribi_emit(n, "Oribi>ListGet", INPUTS(x), ATTRS(ATTR_TYPE("T", element))));
}

/* --- SequenceMap -------------------------------------------------------------------------------
 */

static bool fill_map(oribi_onnx_body *b, const oribi_onnx_loop *l, oribi_value_id *inputs)
{
    const oribi_onnx_node *around = l->node;
    oribi_onnx_node *n = &b->node;
    oribi_value_id *own = oribi_emit_parts(n, around->n_inputs);
    oribi_value_id *made = oribi_emit_parts(n, l->n_carried);
    ORIBI_TRY(own != NULL && made != NULL);
    for (int32_t i = 0; i < around->n_inputs; i++) {
        const oribi_value_id outer = around->inputs[i];
        const TF_DataType element = oribi_onnx_list_type(around->graph, outer);
        own[i] = oribi_onnx_body_take(b, outer);
        if (element != 0) {
            own[i] = with_type(n, "Oribi>ListAt", own[i], inputs[0], element);
        }
    }
    if (n->failed || !oribi_onnx_graph_apply(n, "element", &l->graph, own, around->n_inputs, made,
                                             l->n_carried, &b->is_missing)) {
        return b->is_missing;
    }
    ORIBI_TRY(oribi_onnx_body_output(b, inputs[1], "condition"));
    for (int32_t i = 0; i < l->n_carried; i++) {
        const oribi_value_id list = inputs[2 + i];
        ORIBI_TRY(check_element(n, made[i], oribi_onnx_list_type(n->graph, list)) &&
                  oribi_onnx_body_output(
                      b, inserted(n, list, made[i], oribi_emit_empty(n, TF_INT64)), "list"));
    }
    return true;
}

/* Empty lists of what the graph declares of its outputs. */
static bool begin_lists(oribi_onnx_node *n, oribi_wire graph, oribi_value_id *out)
{
    oribi_wire_field f;
    oribi_onnx_info port;
    int32_t count = 0;
    while (oribi_wire_next(&graph, &f, n->status)) {
        if (f.number != 12 || count >= n->n_outputs) {
            continue;
        }
        if (!oribi_onnx_info_read(&graph, &f, &port, n->status)) {
            n->failed = true;
            return false;
        }
        if (port.dtype == 0 || port.dtype == TF_VARIANT) {
            return oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                                   "its body does not declare output %d as a tensor of a type",
                                   (int)count);
        }
        out[count++] = list_from(n, NULL, 0, port.dtype, false);
    }
    n->failed = n->failed || !oribi_ok(n->status);
    return !n->failed &&
           (count == n->n_outputs ||
            oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "there are %d outputs; its body makes %d",
                            (int)n->n_outputs, (int)count));
}

static bool map(oribi_onnx_node *n)
{
    static const uint8_t yes = 1;
    oribi_value_id *lists = oribi_emit_parts(n, n->n_outputs);
    (void)list_of(n, 0);
    for (int32_t i = 0; i < n->n_inputs; i++) {
        if (n->inputs[i] < 0) {
            return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "input %d is required", (int)i);
        }
    }
    oribi_onnx_loop l = {.node = n,
                         .initial = lists,
                         .n_carried = n->n_outputs,
                         .first_declared = -1,
                         .fill = fill_map};
    ORIBI_TRY(lists != NULL && !n->failed && oribi_onnx_read_graph(n, "body", &l.graph) &&
              begin_lists(n, l.graph, lists));
    l.trips = oribi_emit(n, "Size", INPUTS(n->inputs[0]), ATTRS(ATTR_TYPE("out_type", TF_INT64)));
    l.condition = oribi_onnx_loop_constant(n, TF_BOOL, &yes);
    return oribi_onnx_loop_translate(&l);
}

/* clang-format off */
const oribi_onnx_row oribi_onnx_sequence_rows[] = {
    {"ConcatFromSequence", 11, 28, concat, 1, 1, "Oribi>ListConcat"},
    {"Optional", 15, 28, optional, 0, 1, "Oribi>List, Oribi>NoList, Identity"},
    {"OptionalGetElement", 15, 28, get_element, 1, 1, "Oribi>ListAt, Oribi>ListGet, Identity"},
    {"OptionalHasElement", 15, 28, has_element, 0, 1, "Oribi>ListHas"},
    {"SequenceAt", 11, 28, at, 2, 2, "Oribi>ListAt"},
    {"SequenceConstruct", 11, 28, construct, 1, -1, "Oribi>List"},
    {"SequenceEmpty", 11, 28, empty, 0, 0, "Oribi>List"},
    {"SequenceErase", 11, 28, erase, 1, 2, "Oribi>ListErase"},
    {"SequenceInsert", 11, 28, insert, 2, 3, "Oribi>ListInsert"},
    {"SequenceLength", 11, 28, length, 1, 1, "Size"},
    {"SequenceMap", 17, 28, map, 1, -1, "Oribi>Loop, Oribi>ListAt, Oribi>ListInsert"},
    {"SplitToSequence", 11, 28, split, 1, 2, "Oribi>ListSplit"},
    {NULL, 0, 0, NULL, 0, 0, NULL},
};
/* clang-format on */
