/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs of a trial: shapes and tensors, from a case of a file where it says them and random
 * otherwise. A sample may well not go together: the shape function decides, and the next one is
 * drawn. Not here: attributes (trial_attrs.c), elements (trial_value.c), computing (trial_run.c).
 */
#include <string.h>

#include "base/alloc.h"
#include "author/trial.h"

uint64_t oribi__trial_random(oribi_trial *trial, uint64_t below)
{
    uint64_t z = trial->random += 0x9e3779b97f4a7c15u; /* splitmix64 */
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return below ? z % below : z;
}

bool oribi__trial_chance(oribi_trial *t, unsigned percent)
{
    return oribi__trial_random(t, 100) < percent;
}

/* --- Shapes ------------------------------------------------------------------------------------
 */

typedef struct plan {
    int strategy;
    int32_t rank;
    int64_t dims[6];
} plan;

static int64_t random_dim(oribi_trial *t)
{
    if (t->kind == ORIBI_TRIAL_LARGE) {
        return 1 + (int64_t)oribi__trial_random(t, 24);
    }
    if (t->kind == ORIBI_TRIAL_EMPTY && oribi__trial_chance(t, 10)) {
        return 0;
    }
    return 1 + (int64_t)oribi__trial_random(t, 5);
}

static void shape_of_input(oribi_trial *t, const plan *p, int32_t i, TF_DataType type,
                           oribi_shape *shape)
{
    static const int64_t patterns[][2][4] = {{{0, 1, 0, 0}, {1, 2, 0, 0}},  /* [a, b] x [b, c] */
                                             {{0, 1, 2, 3}, {4, 4, 3, 5}}}; /* images and filters */
    const bool is_index = i > 0 && (type == TF_INT32 || type == TF_INT64);
    shape->rank = p->rank;
    for (int k = 0; k < p->rank; k++) {
        shape->dims[k] = p->dims[k];
    }
    if (p->strategy >= 4 && i < 2) { /* products */
        shape->rank = p->strategy == 4 ? 2 : 4;
        for (int k = 0; k < shape->rank; k++) {
            const int64_t from = patterns[p->strategy - 4][i][k];
            shape->dims[k] = from == 4 ? 1 + (int64_t)oribi__trial_random(t, 3) : p->dims[from];
        }
    } else if (is_index && oribi__trial_chance(t, 60)) { /* axes, sizes, places */
        shape->rank = (int32_t)oribi__trial_random(t, 3);
        shape->dims[0] = shape->rank == 2 || oribi__trial_chance(t, 50) ? p->rank : 1;
        shape->dims[1] = 2;                 /* before and after */
    } else if (i > 0 && p->strategy == 1) { /* broadcasting */
        const int32_t cut = (int32_t)oribi__trial_random(t, (uint64_t)p->rank + 1);
        shape->rank = p->rank - cut;
        for (int k = 0; k < shape->rank; k++) {
            shape->dims[k] = oribi__trial_chance(t, 25) ? 1 : p->dims[k + cut];
        }
    } else if (i > 0 && p->strategy == 2) { /* one vector per row or column */
        shape->rank = p->rank > 0 ? 1 : 0;
        shape->dims[0] = p->rank > 0 ? p->dims[oribi__trial_chance(t, 80) ? p->rank - 1 : 0] : 1;
    } else if (p->strategy == 3) { /* anything */
        shape->rank = (int32_t)oribi__trial_random(t, 5);
        for (int k = 0; k < shape->rank; k++) {
            shape->dims[k] = random_dim(t);
        }
    }
}

static bool make_shapes(oribi_trial *t)
{
    const oribi_json_value *given = oribi_json_find(t->given, "inputs");
    const oribi_json_value *input = given && given->kind == ORIBI_JSON_ARRAY ? given->child : NULL;
    plan p = {.strategy = (int)oribi__trial_random(t, 6)};
    p.rank = (int32_t)oribi__trial_random(t, t->kind == ORIBI_TRIAL_LARGE ? 4 : 6);
    for (int k = 0; k < 6; k++) {
        p.dims[k] = random_dim(t);
    }
    if (t->kind == ORIBI_TRIAL_EMPTY) {
        p.rank = p.rank > 0 ? p.rank : 1;
        p.dims[oribi__trial_random(t, (uint64_t)p.rank)] = 0;
    }
    for (int32_t i = 0; i < t->signature.n_inputs; i++) {
        const oribi_json_value *shape = oribi_json_find(input, "shape");
        const int32_t most = t->is_recorded ? ORIBI_MAX_TENSOR_RANK : ORIBI_MAX_RANK;
        t->input_shapes[i].dims = oribi_arena_array(&t->arena, (size_t)most, sizeof(int64_t));
        if (!t->input_shapes[i].dims) {
            return false;
        }
        if (t->is_recorded && oribi_json_find(input, "absent")) {
            t->input_shapes[i].rank = -1;
        } else if (t->signature.input_types[i] == TF_RESOURCE) {
            t->input_shapes[i].rank = 0;
        } else if (shape && shape->count <= most) {
            t->input_shapes[i].rank = shape->count;
            int k = 0;
            for (const oribi_json_value *v = shape->child; v; v = v->next) {
                t->input_shapes[i].dims[k++] = v->integer;
            }
        } else {
            shape_of_input(t, &p, i, t->signature.input_types[i], &t->input_shapes[i]);
        }
        input = input ? input->next : NULL;
    }
    return true;
}

/* --- Inputs ------------------------------------------------------------------------------------
 */

/* New tensor of a type that has test values. */
static TF_Tensor *make_tensor(oribi_trial *t, TF_DataType type, const oribi_shape *shape,
                              const oribi_json_value *given, TF_Status *status)
{
    size_t bytes = 0;
    const size_t element = oribi_dtype_bytes(type);
    const oribi_json_value *recorded = oribi_json_find(given, "bytes");
    if (element == 0 || type == TF_RESOURCE || type == TF_VARIANT || type > 100 ||
        !oribi_size_of_dims(shape->dims, shape->rank, element, &bytes) ||
        (!recorded && bytes > 1 << 22)) {
        oribi_fail(status, TF_UNIMPLEMENTED, "there are no test values of type %s",
                   oribi_dtype_name(type));
        return NULL;
    }
    if (recorded && !oribi__trial_bytes_fit(recorded, type, bytes)) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "\"bytes\" are not the %zu bytes, two digits each, that type and shape want",
                   bytes);
        return NULL;
    }
    TF_Tensor *tensor = TF_AllocateTensor(type, shape->dims, shape->rank, bytes);
    if (!tensor) {
        oribi_fail_memory(status);
        return NULL;
    }
    memset(tensor->data, 0, bytes);
    const oribi_json_value *values = oribi_json_find(given, "values");
    if (recorded) {
        oribi__trial_fill_bytes(tensor, recorded);
    } else if (values) {
        oribi__trial_fill_given(tensor, values);
    } else {
        oribi__trial_fill(t, tensor, oribi_json_find(given, "range"));
    }
    return tensor;
}

/* Makes the value of resource input i's variable: of the attribute `dtype` or `T` where the op has
 * one, as large as a neighbour of that type where there is one. */
static TF_Tensor *make_variable(oribi_trial *t, int32_t i, const oribi_json_value *given,
                                TF_Status *status)
{
    oribi_dims dims = {.n = (int32_t)oribi__trial_random(t, 4)};
    const oribi_attr *dtype = oribi_attrs_find(&t->attrs, "dtype");
    dtype = dtype ? dtype : oribi_attrs_find(&t->attrs, "T");
    const TF_DataType type =
        dtype && dtype->kind == TF_ATTR_TYPE && !dtype->is_list ? dtype->u.type[0] : TF_FLOAT;
    const oribi_json_value *wanted = oribi_json_find(given, "shape");
    for (int k = 0; k < dims.n; k++) {
        dims.at[k] = 1 + (int64_t)oribi__trial_random(t, 4);
    }
    oribi_shape shape = {.rank = dims.n, .dims = dims.at};
    for (int32_t k = t->signature.n_inputs - 1; k > i; k--) {
        if (t->signature.input_types[k] == type) {
            shape = t->input_shapes[k];
        }
    }
    if (wanted && wanted->count <= ORIBI_MAX_RANK) {
        dims.n = 0;
        for (const oribi_json_value *v = wanted->child; v; v = v->next) {
            oribi_dims_add(&dims, v->integer);
        }
        shape = (oribi_shape){.rank = dims.n, .dims = dims.at};
    }
    return make_tensor(t, type, &shape, given, status);
}

/* A recorded input says all of itself, or that it is not there. */
static bool check_recorded(const oribi_json_value *given, TF_DataType type, TF_Status *status)
{
    const oribi_json_value *said = oribi_json_find(given, "type");
    if (!oribi_json_find(given, "bytes") || !oribi_json_find(given, "shape") || !said ||
        !said->text || oribi_dtype_parse(said->text, said->length) != type) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "its type is not %s, or one of \"type\", \"shape\", \"bytes\" is missing",
                          oribi_dtype_name(type));
    }
    return true;
}

static bool make_input(oribi_trial *t, int32_t i, const oribi_json_value *given, TF_Status *status)
{
    const TF_DataType type = t->signature.input_types[i];
    if (t->is_recorded && oribi_json_find(given, "absent")) {
        return true;
    }
    if (t->is_recorded && !check_recorded(given, type, status)) {
        oribi_status_prefix(status, "input %d: ", i);
        return false;
    }
    if (type == TF_RESOURCE) { /* the handle is written in each run */
        t->inputs[i] = TF_AllocateTensor(type, NULL, 0, sizeof(uint64_t));
        t->variables[i] = t->inputs[i] ? make_variable(t, i, given, status) : NULL;
        return t->variables[i] || !oribi_ok(status) ? t->variables[i] != NULL
                                                    : oribi_fail_memory(status);
    }
    t->inputs[i] = make_tensor(t, type, &t->input_shapes[i], given, status);
    if (!t->inputs[i]) {
        oribi_status_prefix(status, "input %d: ", i);
    }
    return t->inputs[i] != NULL;
}

bool oribi__trial_make(oribi_trial *t, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    ORIBI_TRY(oribi__trial_make_attrs(t, status));
    ORIBI_TRY(oribi_op_resolve(t->op, t->name ? t->name : "trial", &t->attrs, NULL, 0, &t->arena,
                               &t->signature, status));
    const size_t n = (size_t)t->signature.n_inputs;
    t->input_shapes = oribi_arena_array(&t->arena, n + 1, sizeof(*t->input_shapes));
    t->output_shapes =
        oribi_arena_array(&t->arena, (size_t)t->signature.n_outputs + 1, sizeof(*t->output_shapes));
    t->inputs = oribi_arena_array(&t->arena, n + 1, sizeof(*t->inputs));
    t->variables = oribi_arena_array(&t->arena, n + 1, sizeof(*t->variables));
    if (!t->input_shapes || !t->output_shapes || !t->inputs || !t->variables ||
        (!t->is_recorded && n > ORIBI_TRIAL_MAX_INPUTS) || !make_shapes(t)) {
        return oribi_fail(status, TF_RESOURCE_EXHAUSTED,
                          "there are too many inputs, or there is no memory");
    }
    const oribi_json_value *given = oribi_json_find(t->given, "inputs");
    given = given && given->kind == ORIBI_JSON_ARRAY ? given->child : NULL;
    for (size_t i = 0; i < n; i++) {
        ORIBI_TRY(make_input(t, (int32_t)i, given, status));
        given = given ? given->next : NULL;
    }
    return true;
}

void oribi__trial_clear(oribi_trial *t)
{
    for (int32_t i = 0; t->inputs && t->variables && i < t->signature.n_inputs; i++) {
        TF_DeleteTensor(t->inputs[i]);
        TF_DeleteTensor(t->variables[i]);
    }
    for (int i = 0; i < t->n_attr_tensors; i++) {
        TF_DeleteTensor(t->attr_tensors[i]);
    }
    t->inputs = t->variables = NULL;
    t->n_attr_tensors = 0;
    t->attrs = (oribi_attrs){0};
    t->signature = (oribi_signature){0};
    oribi_arena_destroy(&t->arena);
    oribi_arena_init(&t->arena);
}

void oribi__trial_print(const oribi_trial *t, oribi_text *text)
{
    for (int32_t i = 0; i < t->attrs.count; i++) {
        oribi_text_printf(text, "%s=", t->attrs.items[i].name);
        oribi_attr_print(&t->attrs.items[i], text);
        oribi_text_append(text, " ");
    }
    for (int32_t i = 0; t->inputs && i < t->signature.n_inputs; i++) {
        oribi_text_printf(text, "input %d: %s", i, oribi_dtype_name(t->signature.input_types[i]));
        oribi_shape_print(&t->input_shapes[i], text);
        oribi_text_append(text, " ");
    }
}
