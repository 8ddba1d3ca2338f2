/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs of a trial: attributes, types, shapes and values, from a case of a file where it says them
 * and random otherwise. A sample may well not go together: the shape function decides, and the next
 * one is drawn. Not here: computing (trial_run.c).
 */
#include <string.h>

#include "base/alloc.h"
#include "plugin/trial.h"

uint64_t oribi__trial_random(oribi_trial *trial, uint64_t below)
{
    uint64_t z = trial->random += 0x9e3779b97f4a7c15u; /* splitmix64 */
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return below ? z % below : z;
}

static bool chance(oribi_trial *t, unsigned percent)
{
    return oribi__trial_random(t, 100) < percent;
}

/* --- Attributes ------------------------------------------------------------------------------- */

static const TF_DataType usual_types[] = {TF_FLOAT, TF_FLOAT, TF_INT32, TF_INT64, TF_DOUBLE,
                                          TF_BOOL,  TF_UINT8, TF_INT8,  TF_HALF};

static TF_DataType random_type(oribi_trial *t, const oribi_attr_def *attr)
{
    if (attr->allowed && attr->allowed->kind == TF_ATTR_TYPE && attr->allowed->count > 0) {
        return attr->allowed->u.type[oribi__trial_random(t, (uint64_t)attr->allowed->count)];
    }
    return usual_types[oribi__trial_random(t, sizeof(usual_types) / sizeof(usual_types[0]))];
}

static TF_DataType constrained_type(const oribi_trial *t, const char *attr)
{
    for (const oribi_kernel_constraint *c = t->def ? t->def->constraints : NULL; c; c = c->next) {
        if (strcmp(c->attr, attr) == 0) {
            return c->allowed && c->allowed->kind == TF_ATTR_TYPE ? c->allowed->u.type[0] : c->type;
        }
    }
    return (TF_DataType)0;
}

static int64_t random_int(oribi_trial *t, const oribi_attr_def *attr)
{
    static const int64_t strange[] = {-1, 0, INT32_MAX, INT64_MIN, INT64_MAX, 1000000};
    if (t->kind == ORIBI_TRIAL_HOSTILE && chance(t, 30)) {
        return strange[oribi__trial_random(t, 6)];
    }
    const int64_t low = attr->has_minimum ? attr->minimum : 0;
    return low + (int64_t)oribi__trial_random(t, 4);
}

static const char *random_string(oribi_trial *t, const oribi_attr_def *attr)
{
    static const char *const some[] = {"", "a", "SAME", "VALID", "NHWC", "ij,jk->ik"};
    if (attr->allowed && attr->allowed->kind == TF_ATTR_STRING && attr->allowed->count > 0) {
        return attr->allowed->u.s[oribi__trial_random(t, (uint64_t)attr->allowed->count)].data;
    }
    return some[oribi__trial_random(t, 6)];
}

static bool set_list(oribi_trial *t, const oribi_attr_def *attr)
{
    int64_t ints[8];
    TF_DataType types[8];
    const char *strings[8];
    float floats[8];
    uint8_t bools[8];
    const int n = (int)((attr->has_minimum && attr->minimum < 5 ? attr->minimum : 0) +
                        (int64_t)oribi__trial_random(t, 4));
    const TF_DataType fixed = constrained_type(t, attr->name);
    for (int i = 0; i < n; i++) {
        ints[i] = 1 + (int64_t)oribi__trial_random(t, 3);
        types[i] = fixed ? fixed : random_type(t, attr);
        strings[i] = random_string(t, attr);
        floats[i] = (float)oribi__trial_random(t, 9) - 4;
        bools[i] = chance(t, 50);
    }
    oribi_attr value = {.name = attr->name, .kind = attr->kind, .is_list = true, .count = n};
    switch ((TF_AttrType)attr->kind) {
    case TF_ATTR_INT:
        return oribi_attrs_set_ints(&t->attrs, &t->arena, attr->name, ints, n);
    case TF_ATTR_TYPE:
        return oribi_attrs_set_types(&t->attrs, &t->arena, attr->name, types, n);
    case TF_ATTR_STRING:
        return oribi_attrs_set_strings(&t->attrs, &t->arena, attr->name, strings, n);
    case TF_ATTR_FLOAT:
        value.u.f = floats;
        return oribi_attrs_set(&t->attrs, &t->arena, &value);
    case TF_ATTR_BOOL:
        value.u.b = bools;
        return oribi_attrs_set(&t->attrs, &t->arena, &value);
    default:
        return true; /* left out: the op's definition must have a default */
    }
}

static bool set_shape(oribi_trial *t, const char *name)
{
    int64_t dims[4];
    oribi_shape shape = {.rank = (int32_t)oribi__trial_random(t, 5), .dims = dims};
    for (int i = 0; i < shape.rank; i++) {
        dims[i] = 1 + (int64_t)oribi__trial_random(t, 4);
    }
    const oribi_attr value = {.name = name, .kind = TF_ATTR_SHAPE, .count = 1, .u.shape = &shape};
    return oribi_attrs_set(&t->attrs, &t->arena, &value);
}

static bool set_random(oribi_trial *t, const oribi_attr_def *attr)
{
    if (attr->is_list) {
        return set_list(t, attr);
    }
    switch ((TF_AttrType)attr->kind) {
    case TF_ATTR_INT:
        return oribi_attrs_set_int(&t->attrs, &t->arena, attr->name, random_int(t, attr));
    case TF_ATTR_FLOAT:
        return oribi_attrs_set_float(&t->attrs, &t->arena, attr->name,
                                     (float)oribi__trial_random(t, 17) / 4 - 2);
    case TF_ATTR_BOOL:
        return oribi_attrs_set_bool(&t->attrs, &t->arena, attr->name, chance(t, 50));
    case TF_ATTR_TYPE:
        return oribi_attrs_set_type(&t->attrs, &t->arena, attr->name, random_type(t, attr));
    case TF_ATTR_STRING:
        return oribi_attrs_set_string(&t->attrs, &t->arena, attr->name, random_string(t, attr));
    case TF_ATTR_SHAPE:
        return set_shape(t, attr->name);
    default:
        return true;
    }
}

static bool set_given(oribi_trial *t, const oribi_attr_def *attr, const oribi_json_value *given)
{
    const oribi_json_value *first = given->kind == ORIBI_JSON_ARRAY ? given->child : given;
    const int n = given->kind == ORIBI_JSON_ARRAY ? given->count : 1;
    int64_t *ints = oribi_arena_array(&t->arena, (size_t)n + 1, sizeof(*ints));
    float *floats = oribi_arena_array(&t->arena, (size_t)n + 1, sizeof(*floats));
    uint8_t *bools = oribi_arena_array(&t->arena, (size_t)n + 1, sizeof(*bools));
    TF_DataType *types = oribi_arena_array(&t->arena, (size_t)n + 1, sizeof(*types));
    oribi_string *strings = oribi_arena_array(&t->arena, (size_t)n + 1, sizeof(*strings));
    if (!ints || !floats || !bools || !types || !strings) {
        return false;
    }
    int i = 0;
    for (const oribi_json_value *v = first; v && i < n; v = v->next, i++) {
        ints[i] = v->integer;
        floats[i] = (float)v->number;
        bools[i] = v->number != 0;
        strings[i] = (oribi_string){v->text ? v->text : "", v->length};
        types[i] = v->text ? oribi_dtype_parse(v->text, v->length) : (TF_DataType)v->integer;
    }
    oribi_attr value = {
        .name = attr->name, .kind = attr->kind, .is_list = attr->is_list, .count = n};
    oribi_shape shape = {.rank = n, .dims = ints};
    switch ((TF_AttrType)attr->kind) {
    case TF_ATTR_INT:
        value.u.i = ints;
        break;
    case TF_ATTR_FLOAT:
        value.u.f = floats;
        break;
    case TF_ATTR_BOOL:
        value.u.b = bools;
        break;
    case TF_ATTR_TYPE:
        value.u.type = types;
        break;
    case TF_ATTR_STRING:
        value.u.s = strings;
        break;
    case TF_ATTR_SHAPE:
        value.u.shape = &shape;
        value.count = 1;
        break;
    default:
        return true;
    }
    return oribi_attrs_set(&t->attrs, &t->arena, &value);
}

static bool make_attrs(oribi_trial *t)
{
    const oribi_json_value *given = oribi_json_find(t->given, "attrs");
    for (int32_t i = 0; i < t->op->n_attrs; i++) {
        const oribi_attr_def *attr = &t->op->attrs[i];
        const oribi_json_value *value = oribi_json_find(given, attr->name);
        const TF_DataType fixed = constrained_type(t, attr->name);
        bool ok = true;
        if (value) {
            ok = set_given(t, attr, value);
        } else if (fixed && !attr->is_list) {
            ok = oribi_attrs_set_type(&t->attrs, &t->arena, attr->name, fixed);
        } else if (!attr->default_value || (!t->given && chance(t, 35))) {
            ok = set_random(t, attr);
        }
        if (!ok) {
            return false;
        }
    }
    return !t->def || t->def->label[0] == '\0' ||
           oribi_attrs_set_string(&t->attrs, &t->arena, "_kernel", t->def->label);
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
    if (t->kind == ORIBI_TRIAL_EMPTY && chance(t, 10)) {
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
    } else if (is_index && chance(t, 60)) { /* axes, sizes, places */
        shape->rank = (int32_t)oribi__trial_random(t, 2);
        shape->dims[0] = chance(t, 50) ? p->rank : 1;
    } else if (i > 0 && p->strategy == 1) { /* broadcasting */
        const int32_t cut = (int32_t)oribi__trial_random(t, (uint64_t)p->rank + 1);
        shape->rank = p->rank - cut;
        for (int k = 0; k < shape->rank; k++) {
            shape->dims[k] = chance(t, 25) ? 1 : p->dims[k + cut];
        }
    } else if (i > 0 && p->strategy == 2) { /* one vector per row or column */
        shape->rank = p->rank > 0 ? 1 : 0;
        shape->dims[0] = p->rank > 0 ? p->dims[chance(t, 80) ? p->rank - 1 : 0] : 1;
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
        t->input_shapes[i].dims = oribi_arena_array(&t->arena, 16, sizeof(int64_t));
        if (!t->input_shapes[i].dims) {
            return false;
        }
        if (shape && shape->count <= 16) {
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

/* --- Values ------------------------------------------------------------------------------------
 */

static uint16_t half_of(float value) /* of a small number with few bits: exact */
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    if (value == 0) {
        return 0;
    }
    return (uint16_t)(((bits >> 16) & 0x8000u) | ((((bits >> 23) & 0xffu) - 112u) << 10) |
                      ((bits >> 13) & 0x3ffu));
}

static void put_element(TF_Tensor *tensor, int64_t i, double value, const char *text)
{
    void *data = tensor->data;
    const float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof(bits));
    switch (tensor->dtype) {
    case TF_FLOAT:
        ((float *)data)[i] = single;
        break;
    case TF_DOUBLE:
        ((double *)data)[i] = value;
        break;
    case TF_HALF:
        ((uint16_t *)data)[i] = half_of(single);
        break;
    case TF_BFLOAT16:
        ((uint16_t *)data)[i] = (uint16_t)(bits >> 16);
        break;
    case TF_BOOL:
        ((uint8_t *)data)[i] = value > 0;
        break;
    case TF_STRING:
        TF_TString_Copy((TF_TString *)data + i, text, strlen(text));
        break;
    case TF_COMPLEX64:
        ((float *)data)[2 * i] = single;
        ((float *)data)[2 * i + 1] = -single;
        break;
    case TF_COMPLEX128:
        ((double *)data)[2 * i] = value;
        ((double *)data)[2 * i + 1] = -value;
        break;
    default:
        break;
    }
    const int64_t integer = (int64_t)value;
    switch (oribi_dtype_bytes(tensor->dtype)) {
    case 1:
        if (tensor->dtype != TF_BOOL) {
            ((uint8_t *)data)[i] = (uint8_t)integer;
        }
        break;
    case 2:
        if (tensor->dtype != TF_HALF && tensor->dtype != TF_BFLOAT16) {
            ((uint16_t *)data)[i] = (uint16_t)integer;
        }
        break;
    case 4:
        if (tensor->dtype != TF_FLOAT) {
            ((uint32_t *)data)[i] = (uint32_t)integer;
        }
        break;
    case 8:
        if (tensor->dtype == TF_INT64 || tensor->dtype == TF_UINT64) {
            ((uint64_t *)data)[i] = (uint64_t)integer;
        }
        break;
    default:
        break;
    }
}

static double random_value(oribi_trial *t, TF_DataType type, int mode)
{
    static const double steps[] = {0, 1, 2, 3, 0.5, 0.25, -1, -0.75, 1.5, -2};
    switch (type) {
    case TF_FLOAT:
    case TF_DOUBLE:
    case TF_COMPLEX64:
    case TF_COMPLEX128:
        return (double)oribi__trial_random(t, 4001) / 1000 - 2;
    case TF_HALF:
    case TF_BFLOAT16:
        return steps[oribi__trial_random(t, 10)];
    case TF_BOOL:
        return chance(t, 50);
    default:
        return mode == 0   ? 0
               : mode == 1 ? 1
               : mode == 2 ? (double)oribi__trial_random(t, 3)
                           : (double)oribi__trial_random(t, 9) - (type == TF_UINT8 ? 0 : 3);
    }
}

static void fill_random(oribi_trial *t, TF_Tensor *tensor, const oribi_json_value *range)
{
    static const char *const words[] = {"", "a", "oribi", "a text longer than what fits inline"};
    const int mode = (int)oribi__trial_random(t, 4);
    const bool is_index = tensor->dtype == TF_INT32 || tensor->dtype == TF_INT64;
    /* A vector of integers as long as the first input's rank is often a size or an order. */
    const oribi_shape *first = &t->input_shapes[0];
    const bool is_size =
        is_index && tensor->rank == 1 && tensor->dims[0] == first->rank && chance(t, 40);
    const bool is_order = is_index && tensor->rank == 1 && chance(t, 30);
    for (int64_t i = 0; i < TF_TensorElementCount(tensor); i++) {
        double value = random_value(t, tensor->dtype, mode);
        if (range && range->count == 2) {
            const double low = range->child->number;
            const double span = range->child->next->number - low;
            value = low + (is_index || oribi_dtype_bytes(tensor->dtype) == 1
                               ? (double)oribi__trial_random(t, (uint64_t)span + 1)
                               : span * (double)oribi__trial_random(t, 4097) / 4096);
        } else if (is_size) {
            value = (double)first->dims[i];
        } else if (is_order) {
            value = (double)i;
        }
        put_element(tensor, i, value, words[oribi__trial_random(t, 4)]);
    }
}

static void fill_given(TF_Tensor *tensor, const oribi_json_value *values)
{
    const int64_t n = TF_TensorElementCount(tensor);
    const oribi_json_value *v = values->child;
    for (int64_t i = 0; i < n && v; i++) { /* too few: the last one is repeated */
        put_element(tensor, i, v->number, v->text ? v->text : "");
        v = v->next ? v->next : v;
    }
}

static TF_Tensor *make_input(oribi_trial *t, int32_t i, const oribi_json_value *given,
                             TF_Status *status)
{
    const TF_DataType type = t->signature.input_types[i];
    const oribi_shape *shape = &t->input_shapes[i];
    size_t bytes = 0;
    const size_t element = oribi_dtype_bytes(type);
    if (element == 0 || type == TF_RESOURCE || type == TF_VARIANT || type > 100 ||
        !oribi_size_of_dims(shape->dims, shape->rank, element, &bytes) || bytes > 1 << 22) {
        oribi_fail(status, TF_UNIMPLEMENTED, "input %d: no test values of type %s", i,
                   oribi_dtype_name(type));
        return NULL;
    }
    TF_Tensor *tensor = TF_AllocateTensor(type, shape->dims, shape->rank, bytes);
    if (!tensor) {
        oribi_fail_memory(status);
        return NULL;
    }
    memset(tensor->data, 0, bytes);
    const oribi_json_value *values = oribi_json_find(given, "values");
    if (values) {
        fill_given(tensor, values);
    } else {
        fill_random(t, tensor, oribi_json_find(given, "range"));
    }
    return tensor;
}

bool oribi__trial_make(oribi_trial *t, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    if (!make_attrs(t)) {
        return oribi_fail_memory(status);
    }
    ORIBI_TRY(
        oribi_op_resolve(t->op, "trial", &t->attrs, NULL, 0, &t->arena, &t->signature, status));
    const size_t n = (size_t)t->signature.n_inputs;
    t->input_shapes = oribi_arena_array(&t->arena, n + 1, sizeof(*t->input_shapes));
    t->output_shapes =
        oribi_arena_array(&t->arena, (size_t)t->signature.n_outputs + 1, sizeof(*t->output_shapes));
    t->inputs = oribi_arena_array(&t->arena, n + 1, sizeof(*t->inputs));
    if (!t->input_shapes || !t->output_shapes || !t->inputs || n > ORIBI_TRIAL_MAX_INPUTS ||
        !make_shapes(t)) {
        return oribi_fail(status, TF_RESOURCE_EXHAUSTED, "too many inputs, or no memory");
    }
    const oribi_json_value *given = oribi_json_find(t->given, "inputs");
    given = given && given->kind == ORIBI_JSON_ARRAY ? given->child : NULL;
    for (size_t i = 0; i < n; i++) {
        t->inputs[i] = make_input(t, (int32_t)i, given, status);
        if (!t->inputs[i]) {
            return false;
        }
        given = given ? given->next : NULL;
    }
    return true;
}

void oribi__trial_clear(oribi_trial *t)
{
    for (int32_t i = 0; t->inputs && i < t->signature.n_inputs; i++) {
        TF_DeleteTensor(t->inputs[i]);
    }
    t->inputs = NULL;
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
