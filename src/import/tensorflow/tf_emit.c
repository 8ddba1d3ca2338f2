/* SPDX-License-Identifier: Apache-2.0 */
/* How a node of TensorFlow's becomes nodes of other ops: see tf_emit.h. */
#include "import/tensorflow/tf_emit.h"

#include <stdatomic.h>
#include <string.h>

#include "plugin/plugin.h"

enum { MOST_INT = 1 << 30 }; /* of numbers that a formula calculates with */

oribi_node *oribi_tf_emit_node(const oribi_tf_maker *m, const char *op,
                               const oribi_value_id *inputs, int32_t n_inputs,
                               const oribi_emit_attr *attrs, int32_t n_attrs, int32_t n_outputs)
{
    bool failed = !oribi_ok(m->status), wants_shapes = false;
    const oribi_emit_from from = {.graph = m->tf->graph,
                                  .label = m->name,
                                  .origin = op,
                                  .status = m->status,
                                  .failed = &failed,
                                  .wants_shapes = &wants_shapes};
    for (int32_t i = 0; !failed && i < n_inputs; i++) {
        failed = inputs[i] < 0 && !oribi_fail(m->status, TF_UNIMPLEMENTED,
                                              "an input is a variable, table or list, which the op "
                                              "does not take here");
    }
    return failed ? NULL
                  : oribi_emit_make(&from, op, inputs, n_inputs, attrs, n_attrs, NULL, n_outputs);
}

oribi_value_id oribi_tf_emit(const oribi_tf_maker *m, const char *op, const oribi_value_id *inputs,
                             int32_t n_inputs, const oribi_emit_attr *attrs, int32_t n_attrs)
{
    const oribi_node *node = oribi_tf_emit_node(m, op, inputs, n_inputs, attrs, n_attrs, 1);
    return node != NULL ? node->outputs[0] : -1;
}

oribi_value_id oribi_tf_emit1(const oribi_tf_maker *m, const char *op, oribi_value_id x)
{
    return oribi_tf_emit(m, op, &x, 1, NO_ATTRS);
}

oribi_value_id oribi_tf_emit2(const oribi_tf_maker *m, const char *op, oribi_value_id a,
                              oribi_value_id b)
{
    return oribi_tf_emit(m, op, INPUTS(a, b), NO_ATTRS);
}

oribi_value_id oribi_tf_emit3(const oribi_tf_maker *m, const char *op, oribi_value_id a,
                              oribi_value_id b, oribi_value_id c)
{
    return oribi_tf_emit(m, op, INPUTS(a, b, c), NO_ATTRS);
}

/* --- Constants ------------------------------------------------------------------------------ */

static oribi_value_id constant(const oribi_tf_maker *m, TF_DataType dtype, const int64_t *dims,
                               int32_t rank, const void *data)
{
    return oribi_ok(m->status) ? oribi_graph_add_constant_copy(m->tf->graph, m->name, dtype, dims,
                                                               rank, data, m->status)
                               : -1;
}

oribi_value_id oribi_tf_int(const oribi_tf_maker *m, int32_t value)
{
    return constant(m, TF_INT32, NULL, 0, &value);
}

oribi_value_id oribi_tf_ints(const oribi_tf_maker *m, const int32_t *values, int32_t n)
{
    const int64_t dims[] = {n};
    return constant(m, TF_INT32, dims, 1, values);
}

oribi_value_id oribi_tf_number(const oribi_tf_maker *m, TF_DataType dtype, double value)
{
    const float f = (float)value;
    if (dtype == TF_FLOAT) {
        return constant(m, TF_FLOAT, NULL, 0, &f);
    }
    if (dtype == TF_INT32 && value >= INT32_MIN && value <= INT32_MAX) {
        return oribi_tf_int(m, (int32_t)value);
    }
    return oribi_tf_cast(m, constant(m, TF_DOUBLE, NULL, 0, &value), dtype);
}

/* --- What is known -------------------------------------------------------------------------- */

TF_DataType oribi_tf_dtype(const oribi_tf_maker *m, oribi_value_id value)
{
    return value >= 0 ? m->tf->graph->values[value]->dtype : (TF_DataType)0;
}

int32_t oribi_tf_rank(const oribi_tf_maker *m, oribi_value_id value)
{
    const int32_t rank = value >= 0 ? m->tf->graph->values[value]->shape.rank : -1;
    return rank <= ORIBI_MAX_RANK ? rank : -1;
}

int32_t oribi_tf_need_rank(const oribi_tf_maker *m, oribi_value_id value)
{
    const int32_t rank = oribi_tf_rank(m, value);
    if (rank < 0 && oribi_ok(m->status)) {
        oribi_fail(m->status, TF_UNIMPLEMENTED,
                   "the rank of an input is not known; give the shapes of the model's inputs "
                   "(--shape)");
    }
    return rank;
}

/* --- Shapes --------------------------------------------------------------------------------- */

oribi_value_id oribi_tf_cast(const oribi_tf_maker *m, oribi_value_id x, TF_DataType dtype)
{
    return x >= 0 && oribi_tf_dtype(m, x) == dtype
               ? x
               : oribi_tf_emit(m, "Cast", &x, 1, ATTRS(ATTR_TYPE("DstT", dtype)));
}

oribi_value_id oribi_tf_reshape(const oribi_tf_maker *m, oribi_value_id x, const int32_t *dims,
                                int32_t n)
{
    return oribi_tf_emit2(m, "Reshape", x, oribi_tf_ints(m, dims, n));
}

oribi_value_id oribi_tf_as_vector(const oribi_tf_maker *m, oribi_value_id number)
{
    static const int32_t one[] = {1};
    return oribi_tf_reshape(m, number, one, 1);
}

oribi_value_id oribi_tf_joined(const oribi_tf_maker *m, oribi_value_id a, oribi_value_id b)
{
    return oribi_tf_emit3(m, "ConcatV2", a, b, oribi_tf_int(m, 0));
}

oribi_value_id oribi_tf_rest(const oribi_tf_maker *m, oribi_value_id vector, int32_t begin)
{
    static const int32_t all[] = {-1};
    return oribi_tf_emit3(m, "Slice", vector, oribi_tf_ints(m, &begin, 1),
                          oribi_tf_ints(m, all, 1));
}

oribi_value_id oribi_tf_take(const oribi_tf_maker *m, oribi_value_id from, oribi_value_id index)
{
    return oribi_tf_gather(m, from, index, 0);
}

oribi_value_id oribi_tf_gather(const oribi_tf_maker *m, oribi_value_id x, oribi_value_id places,
                               int32_t axis)
{
    return oribi_tf_emit3(m, "GatherV2", x, places, oribi_tf_int(m, axis));
}

oribi_value_id oribi_tf_count_to(const oribi_tf_maker *m, oribi_value_id number)
{
    return oribi_tf_emit3(m, "Range", oribi_tf_int(m, 0), number, oribi_tf_int(m, 1));
}

oribi_value_id oribi_tf_expand(const oribi_tf_maker *m, oribi_value_id x, int32_t axis)
{
    return oribi_tf_emit2(m, "ExpandDims", x, oribi_tf_int(m, axis));
}

oribi_value_id oribi_tf_shape(const oribi_tf_maker *m, oribi_value_id x)
{
    return oribi_tf_emit1(m, "Shape", x);
}

oribi_value_id oribi_tf_scalar(const oribi_tf_maker *m, oribi_value_id x)
{
    return oribi_tf_reshape(m, x, NULL, 0);
}

oribi_value_id oribi_tf_reduce(const oribi_tf_maker *m, const char *op, oribi_value_id x,
                               oribi_value_id axes, bool keeps)
{
    return oribi_tf_emit(m, op, INPUTS(x, axes), ATTRS(ATTR_BOOL("keep_dims", keeps)));
}

bool oribi_tf_known_real(const oribi_tf_maker *m, oribi_value_id x, float *out)
{
    const bool is_constant =
        x >= 0 && oribi_ok(m->status) && m->tf->graph->values[x]->constant != NULL;
    TF_Tensor *tensor =
        is_constant ? oribi_graph_constant_tensor(m->tf->graph, x, m->status) : NULL;
    const bool is_one =
        tensor != NULL && TF_TensorType(tensor) == TF_FLOAT && TF_TensorElementCount(tensor) == 1;
    if (is_one) {
        memcpy(out, TF_TensorData(tensor), sizeof *out);
    }
    TF_DeleteTensor(tensor);
    return is_one;
}

bool oribi_tf_known_ints(const oribi_tf_maker *m, oribi_value_id x, const char *what,
                         oribi_dims *out)
{
    if (x < 0 || !oribi_ok(m->status)) {
        return false;
    }
    if (!oribi_graph_known_ints(m->tf->graph, x, out)) {
        return oribi_fail(m->status, TF_UNIMPLEMENTED, "%s is not constant", what);
    }
    for (int32_t i = 0; i < out->n; i++) {
        if (out->at[i] < -MOST_INT || out->at[i] > MOST_INT) {
            return oribi_fail(m->status, TF_INVALID_ARGUMENT, "%s is %lld", what,
                              (long long)out->at[i]);
        }
    }
    return true;
}

oribi_value_id oribi_tf_complex(const oribi_tf_maker *m, oribi_value_id re, oribi_value_id im)
{
    const oribi_value_id both =
        oribi_tf_emit(m, "Pack", INPUTS(re, im), ATTRS(ATTR_INT("axis", -1)));
    return oribi_tf_emit(m, "Bitcast", &both, 1, ATTRS(ATTR_TYPE("type", TF_COMPLEX64)));
}

oribi_value_id oribi_tf_size_of(const oribi_tf_maker *m, oribi_value_id x, int32_t axis)
{
    const int32_t rank = oribi_tf_rank(m, x);
    const int64_t known = axis >= 0 && axis < rank ? m->tf->graph->values[x]->shape.dims[axis] : -1;
    return known >= 0 && known <= INT32_MAX
               ? oribi_tf_int(m, (int32_t)known)
               : oribi_tf_take(m, oribi_tf_emit1(m, "Shape", x), oribi_tf_int(m, axis));
}

oribi_value_id oribi_tf_zeros(const oribi_tf_maker *m, TF_DataType dtype, oribi_value_id dims)
{
    static const uint64_t zero[2];
    if (oribi_ok(m->status) &&
        (oribi_dtype_bytes(dtype) == 0 || oribi_dtype_bytes(dtype) > sizeof zero)) {
        oribi_fail(m->status, TF_UNIMPLEMENTED, "nought of type %s", oribi_dtype_name(dtype));
    }
    return oribi_tf_emit2(m, "Fill", dims, constant(m, dtype, NULL, 0, zero));
}

/* --- Attributes ----------------------------------------------------------------------------- */

/* NULL: it is absent or spoiled. */
static const oribi_attr *list_of(const oribi_tf_maker *m, const oribi_graphdef_node *node,
                                 const char *name, uint8_t kind, oribi_attrs *attrs)
{
    const oribi_attr_def def = {.name = name, .kind = kind, .is_list = true};
    oribi_wire value;
    return oribi_ok(m->status) && oribi_graphdef_attr(node->message, name, &value, m->status) &&
                   oribi_graphdef_read_attr(m->tf->graph, attrs, name, &def, value, m->status) &&
                   attrs->count > 0
               ? &attrs->items[0]
               : NULL;
}

const int64_t *oribi_tf_attr_ints(const oribi_tf_maker *m, const oribi_graphdef_node *node,
                                  const char *name, int32_t *out_n)
{
    oribi_attrs attrs = {0};
    const oribi_attr *attr = list_of(m, node, name, TF_ATTR_INT, &attrs);
    *out_n = attr != NULL ? attr->count : 0;
    return attr != NULL ? attr->u.i : NULL;
}

const float *oribi_tf_attr_floats(const oribi_tf_maker *m, const oribi_graphdef_node *node,
                                  const char *name, int32_t *out_n)
{
    oribi_attrs attrs = {0};
    const oribi_attr *attr = list_of(m, node, name, TF_ATTR_FLOAT, &attrs);
    *out_n = attr != NULL ? attr->count : 0;
    return attr != NULL ? attr->u.f : NULL;
}

bool oribi_tf_attr_is(const oribi_graphdef_node *node, const char *name, const char *text)
{
    oribi_wire_field field;
    return oribi_graphdef_attr_field(node->message, name, 2, &field) &&
           field.type == ORIBI_WIRE_BYTES &&
           oribi_string_is((oribi_string){(const char *)field.data, field.bytes}, text);
}

int64_t oribi_tf_attr_int(const oribi_graphdef_node *node, const char *name, int64_t absent)
{
    oribi_wire_field field;
    const int64_t value =
        oribi_graphdef_attr_field(node->message, name, 3, &field) ? (int64_t)field.value : absent;
    return value < -MOST_INT ? -MOST_INT : value > MOST_INT ? MOST_INT : value;
}

bool oribi_tf_attr_bool(const oribi_graphdef_node *node, const char *name, bool absent)
{
    oribi_wire_field field;
    return oribi_graphdef_attr_field(node->message, name, 5, &field) ? field.value != 0 : absent;
}

float oribi_tf_attr_float(const oribi_graphdef_node *node, const char *name, float absent)
{
    oribi_wire_field field;
    float value;
    if (!oribi_graphdef_attr_field(node->message, name, 4, &field) || field.type != ORIBI_WIRE_32) {
        return absent;
    }
    const uint32_t bits = (uint32_t)field.value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

TF_DataType oribi_tf_attr_type(const oribi_graphdef_node *node, const char *name,
                               TF_DataType absent)
{
    oribi_wire_field field;
    return oribi_graphdef_attr_field(node->message, name, 6, &field) ? (TF_DataType)field.value
                                                                     : absent;
}

/* How many inputs the formula reads: one more than the last that it names. */
static int32_t inputs_of(const char *formula)
{
    int32_t n = 0;
    for (const char *at = strchr(formula, '$'); at != NULL; at = strchr(at + 1, '$')) {
        n = at[1] - '0' >= n ? at[1] - '0' + 1 : n;
    }
    return n;
}

/* In this program, or in a file that lies beside the library; without it these ops are unknown. */
static const oribi_tf_formula_row *formula_rows(void)
{
    static const oribi_tf_formula_row none[] = {{NULL, NULL, NULL}};
    static const oribi_tf_formula_row *_Atomic known;
    const oribi_tf_formula_row *rows = atomic_load_explicit(&known, memory_order_acquire);
    if (rows == NULL) {
        rows = oribi_tf_formula_rows != NULL
                   ? oribi_tf_formula_rows
                   : oribi_plugin_own_data("oribi_kernel_texts.so", "oribi_tf_formula_rows");
        rows = rows != NULL ? rows : none;
        atomic_store_explicit(&known, rows, memory_order_release);
    }
    return rows;
}

bool oribi_tf_row_of(oribi_string op, oribi_tf_row *out)
{
    static const oribi_tf_row *const tables[] = {
        oribi_tf_list_rows,    oribi_tf_image_rows,  oribi_tf_array_rows,  oribi_tf_math_rows,
        oribi_tf_fourier_rows, oribi_tf_chosen_rows, oribi_tf_random_rows, oribi_tf_network_rows,
        oribi_tf_audio_rows,   oribi_tf_window_rows};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        for (const oribi_tf_row *row = tables[i]; row->op != NULL; row++) {
            if (oribi_string_is(op, row->op)) {
                *out = *row;
                return true;
            }
        }
    }
    for (const oribi_tf_formula_row *row = formula_rows(); row->op != NULL; row++) {
        if (oribi_string_is(op, row->op)) {
            *out = (oribi_tf_row){.op = row->op,
                                  .least = inputs_of(row->formula),
                                  .outputs = row->outputs,
                                  .formula = row->formula};
            return true;
        }
    }
    return false;
}
