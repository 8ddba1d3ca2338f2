/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of a trial: what a case of a file says, what the kernel is constrained to, and random
 * values of the kinds that ops of TensorFlow's vocabulary want. Not here: shapes and values
 * (trial_make.c).
 */
#include <string.h>

#include "base/alloc.h"
#include "author/trial.h"

enum { MAX_LIST = 16 };

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
    if (t->kind == ORIBI_TRIAL_HOSTILE && oribi__trial_chance(t, 30)) {
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

/* One shape, or a list of n. */
static bool set_shapes(oribi_trial *t, const char *name, bool is_list, int n)
{
    int64_t dims[MAX_LIST][4];
    oribi_shape shapes[MAX_LIST];
    for (int i = 0; i < n; i++) {
        shapes[i] = (oribi_shape){.rank = (int32_t)oribi__trial_random(t, 5), .dims = dims[i]};
        for (int k = 0; k < shapes[i].rank; k++) {
            dims[i][k] = 1 + (int64_t)oribi__trial_random(t, 4);
        }
    }
    const oribi_attr value = {
        .name = name, .kind = TF_ATTR_SHAPE, .is_list = is_list, .count = n, .u.shape = shapes};
    return oribi_attrs_set(&t->attrs, &t->arena, &value);
}

/* As long as the op asks for, as windows of images want (2, 4 or 5), or anything short. */
static int list_length(oribi_trial *t, const oribi_attr_def *attr)
{
    static const int usual[] = {4, 4, 2, 5};
    const int64_t least =
        attr->has_minimum && attr->minimum > 0 && attr->minimum <= MAX_LIST ? attr->minimum : 0;
    int64_t n = least + (int64_t)oribi__trial_random(t, 4);
    if (attr->kind == TF_ATTR_INT && oribi__trial_chance(t, 60)) {
        n = usual[oribi__trial_random(t, 4)];
    }
    if (attr->kind != TF_ATTR_INT && oribi__trial_chance(t, 60)) {
        n = t->common_length; /* lists that go together are as long */
    }
    if (n < least || (least > 1 && oribi__trial_chance(t, 60))) {
        n = least;
    }
    return (int)(n < MAX_LIST ? n : MAX_LIST);
}

static bool set_list(oribi_trial *t, const oribi_attr_def *attr)
{
    int64_t ints[MAX_LIST];
    TF_DataType types[MAX_LIST];
    const char *strings[MAX_LIST];
    float floats[MAX_LIST];
    uint8_t bools[MAX_LIST];
    const int n = list_length(t, attr);
    const TF_DataType fixed = constrained_type(t, attr->name);
    const bool is_window = oribi__trial_chance(t, 50); /* batch and channels stay */
    for (int i = 0; i < n; i++) {
        const bool is_end = n >= 4 && (i == 0 || i == n - 1);
        ints[i] = is_window && is_end ? 1 : 1 + (int64_t)oribi__trial_random(t, 3);
        types[i] = fixed ? fixed : random_type(t, attr);
        strings[i] = random_string(t, attr);
        floats[i] = (float)oribi__trial_random(t, 9) - 4;
        bools[i] = oribi__trial_chance(t, 50);
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
        return attr->kind != TF_ATTR_SHAPE || set_shapes(t, attr->name, true, n);
        /* others are left out: the op's definition must have a default */
    }
}

/* Sets a tensor of the type that another attribute names, of the shape and values of `given`. */
static bool set_tensor(oribi_trial *t, const char *name, const oribi_json_value *given)
{
    oribi_dims dims = {0};
    const oribi_json_value *shape = oribi_json_find(given, "shape");
    size_t bytes = 0;
    TF_DataType type = (TF_DataType)0;
    for (int32_t i = 0; i < t->op->n_attrs && type == 0; i++) {
        const oribi_attr *known = oribi_attrs_find(&t->attrs, t->op->attrs[i].name);
        if (t->op->attrs[i].kind == TF_ATTR_TYPE && !t->op->attrs[i].is_list && known) {
            type = known->u.type[0];
        }
    }
    for (uint64_t n = oribi__trial_random(t, 4); n > 0; n--) {
        oribi_dims_add(&dims, 1 + (int64_t)oribi__trial_random(t, 4));
    }
    if (shape && shape->count <= ORIBI_MAX_RANK) {
        dims.n = 0;
        for (const oribi_json_value *v = shape->child; v; v = v->next) {
            oribi_dims_add(&dims, v->integer);
        }
    }
    type = type == 0 ? TF_FLOAT : type;
    const oribi_json_value *said = oribi_json_find(given, "type");
    const oribi_json_value *recorded = oribi_json_find(given, "bytes");
    type = said && said->text ? oribi_dtype_parse(said->text, said->length) : type;
    if (oribi_dtype_bytes(type) == 0 || type == TF_RESOURCE || type == TF_VARIANT ||
        t->n_attr_tensors == ORIBI_TRIAL_MAX_INPUTS ||
        !oribi_size_of_dims(dims.at, dims.n, oribi_dtype_bytes(type), &bytes) ||
        (recorded ? !oribi__trial_bytes_fit(recorded, type, bytes) : bytes > 1 << 22)) {
        return true; /* left out: the op will say so */
    }
    TF_Tensor *tensor = TF_AllocateTensor(type, dims.at, dims.n, bytes);
    if (!tensor) {
        return false;
    }
    t->attr_tensors[t->n_attr_tensors++] = tensor;
    memset(tensor->data, 0, bytes);
    if (recorded) {
        oribi__trial_fill_bytes(tensor, recorded);
    } else if (oribi_json_find(given, "values")) {
        oribi__trial_fill_given(tensor, oribi_json_find(given, "values"));
    } else {
        oribi__trial_fill(t, tensor, oribi_json_find(given, "range"));
    }
    const oribi_attr value = {
        .name = name, .kind = TF_ATTR_TENSOR, .count = 1, .u.tensor = &tensor};
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
        return oribi_attrs_set_bool(&t->attrs, &t->arena, attr->name, oribi__trial_chance(t, 50));
    case TF_ATTR_TYPE:
        return oribi_attrs_set_type(&t->attrs, &t->arena, attr->name, random_type(t, attr));
    case TF_ATTR_STRING:
        return oribi_attrs_set_string(&t->attrs, &t->arena, attr->name, random_string(t, attr));
    case TF_ATTR_SHAPE:
        return set_shapes(t, attr->name, false, 1);
    case TF_ATTR_TENSOR:
        return set_tensor(t, attr->name, NULL);
    default:
        return true;
    }
}

/* A list of lists of numbers; null: of unknown rank. */
static bool set_given_shapes(oribi_trial *t, const char *name, const oribi_json_value *given)
{
    oribi_shape *shapes = oribi_arena_array(&t->arena, (size_t)given->count + 1, sizeof(*shapes));
    int n = 0;
    for (const oribi_json_value *one = given->child; shapes && one; one = one->next) {
        int64_t *dims = oribi_arena_array(&t->arena, (size_t)one->count + 1, sizeof(*dims));
        if (!dims) {
            return false;
        }
        shapes[n] = (oribi_shape){.rank = one->kind == ORIBI_JSON_NULL ? -1 : 0, .dims = dims};
        for (const oribi_json_value *v = one->child; v; v = v->next) {
            if (shapes[n].rank == ORIBI_MAX_TENSOR_RANK) {
                break;
            }
            dims[shapes[n].rank++] = v->integer;
        }
        n++;
    }
    const oribi_attr value = {
        .name = name, .kind = TF_ATTR_SHAPE, .is_list = true, .count = n, .u.shape = shapes};
    return shapes && oribi_attrs_set(&t->attrs, &t->arena, &value);
}

static bool set_given(oribi_trial *t, const oribi_attr_def *attr, const oribi_json_value *given)
{
    if (attr->kind == TF_ATTR_SHAPE && attr->is_list) {
        return set_given_shapes(t, attr->name, given);
    }
    if (attr->kind == TF_ATTR_TENSOR && !attr->is_list) {
        return set_tensor(t, attr->name, given);
    }
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
        floats[i] = (float)oribi__trial_number(v);
        bools[i] = v->number != 0;
        const bool is_name = attr->kind == TF_ATTR_FUNC && v->text;
        if (!oribi__trial_text(t, v, &strings[i]) ||
            (is_name && !oribi_func_make(&t->arena, &strings[i], &strings[i]))) {
            return false;
        }
        types[i] = v->text ? oribi_dtype_parse(v->text, v->length) : (TF_DataType)v->integer;
    }
    oribi_attr value = {
        .name = attr->name, .kind = attr->kind, .is_list = attr->is_list, .count = n};
    const int32_t rank = n < ORIBI_MAX_TENSOR_RANK ? n : ORIBI_MAX_TENSOR_RANK;
    oribi_shape shape = {.rank = given->kind == ORIBI_JSON_NULL ? -1 : rank, .dims = ints};
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
    case TF_ATTR_FUNC:
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

static bool make_attr(oribi_trial *t, const oribi_attr_def *attr)
{
    const oribi_json_value *value = oribi_json_find(oribi_json_find(t->given, "attrs"), attr->name);
    const TF_DataType fixed = constrained_type(t, attr->name);
    if (value) {
        return set_given(t, attr, value);
    }
    if (t->is_recorded) {
        return true; /* a default, or the op says what is missing */
    }
    if (fixed && !attr->is_list) {
        return oribi_attrs_set_type(&t->attrs, &t->arena, attr->name, fixed);
    }
    if (!attr->default_value || (!t->given && oribi__trial_chance(t, 35))) {
        return set_random(t, attr);
    }
    return true;
}

/* Does what a case says go with what the kernel is for? */
static bool is_of_kernel(oribi_trial *t, TF_Status *status)
{
    for (const oribi_kernel_constraint *c = t->def ? t->def->constraints : NULL; c; c = c->next) {
        const oribi_attr *attr = oribi_attrs_find(&t->attrs, c->attr);
        const TF_DataType wanted = constrained_type(t, c->attr);
        for (int32_t i = 0; attr && attr->kind == TF_ATTR_TYPE && wanted && i < attr->count; i++) {
            if (!c->allowed && attr->u.type[i] != wanted) {
                t->is_other = true;
                return oribi_fail(status, TF_INVALID_ARGUMENT,
                                  "the case says %s=%s, but this kernel is for %s", c->attr,
                                  oribi_dtype_name(attr->u.type[i]), oribi_dtype_name(wanted));
            }
        }
    }
    return true;
}

bool oribi__trial_make_attrs(oribi_trial *t, TF_Status *status)
{
    t->common_length = (int)oribi__trial_random(t, 4);
    for (int pass = 0; pass < 2; pass++) { /* tensors after the types that they are of */
        for (int32_t i = 0; i < t->op->n_attrs; i++) {
            const bool is_tensor = t->op->attrs[i].kind == TF_ATTR_TENSOR;
            if (is_tensor == (pass == 1) && !make_attr(t, &t->op->attrs[i])) {
                return oribi_fail_memory(status);
            }
        }
    }
    if (t->def && t->def->label[0] != '\0' &&
        !oribi_attrs_set_string(&t->attrs, &t->arena, "_kernel", t->def->label)) {
        return oribi_fail_memory(status);
    }
    return is_of_kernel(t, status);
}
