/* SPDX-License-Identifier: Apache-2.0 */
/* From a node's attributes and input types to a full set of attributes and the flat signature.
 * Order: what is there is checked, lengths are inferred, types are inferred, defaults are filled.
 */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "op/spec.h"

enum { REF_TYPES = 100, MAX_FLAT_ARGS = 1 << 20 };

typedef struct resolution {
    const oribi_op_def *op;
    const char *node;
    oribi_attrs *attrs;
    const TF_DataType *types; /* or NULL */
    int32_t n_types;
    oribi_arena *arena;
    TF_Status *status;
} resolution;

static TF_DataType base_type(TF_DataType type)
{
    return (int)type > REF_TYPES ? (TF_DataType)((int)type - REF_TYPES) : type;
}

static bool check_present(const resolution *r)
{
    for (int32_t i = 0; i < r->attrs->count; i++) {
        oribi_attr *attr = &r->attrs->items[i];
        if (attr->name[0] == '_') {
            continue; /* notes of other rooms and of TensorFlow: _kernel, _class, ... */
        }
        const oribi_attr_def *def = oribi_op_find_attr(r->op, attr->name);
        if (def == NULL) {
            return oribi_fail(r->status, TF_INVALID_ARGUMENT,
                              "node '%s': op %s has no attr '%s'; remove it, or load the plugin "
                              "whose definition has it",
                              r->node, r->op->name, attr->name);
        }
        if (attr->is_list && def->is_list && attr->count == 0) {
            attr->kind = def->kind; /* an empty list does not say of what */
        }
        oribi_text why = {0};
        bool ok = oribi_attr_def_accepts(def, attr, &why);
        if (!ok) {
            oribi_fail(r->status, TF_INVALID_ARGUMENT, "node '%s' (op %s): %s", r->node,
                       r->op->name, oribi_text_string(&why));
        }
        oribi_text_destroy(&why);
        ORIBI_TRY(ok);
    }
    return true;
}

/* The attribute that gives an argument's length, or NULL for a single tensor. */
static const char *length_attr(const oribi_arg_def *arg)
{
    return arg->number_attr != NULL ? arg->number_attr : arg->type_list_attr;
}

/* Length of an argument; -1 when its attribute is absent. */
static int64_t arg_length(const resolution *r, const oribi_arg_def *arg)
{
    const char *name = length_attr(arg);
    if (name == NULL) {
        return 1;
    }
    const oribi_attr *attr = oribi_attrs_find(r->attrs, name);
    if (attr == NULL) {
        return -1;
    }
    return arg->number_attr != NULL ? attr->u.i[0] : attr->count;
}

static bool set_copy(const resolution *r, const oribi_attr *value)
{
    return oribi_attrs_set(r->attrs, r->arena, value) || oribi_fail_memory(r->status);
}

/* With more than one unknown length, those that have a default take it, the first of all stays. */
static bool default_spare_lengths(const resolution *r, const char **out_unknown)
{
    const char *unknown = NULL;
    for (int32_t pass = 0; pass < 2; pass++) {
        for (int32_t i = 0; i < r->op->n_inputs; i++) {
            const oribi_arg_def *arg = &r->op->inputs[i];
            if (arg_length(r, arg) >= 0) {
                continue;
            }
            const char *name = length_attr(arg);
            const oribi_attr *value = oribi_op_find_attr(r->op, name)->default_value;
            if (unknown == NULL && (pass == 1 || value == NULL)) {
                unknown = name;
            } else if (unknown != NULL && strcmp(unknown, name) != 0) {
                if (value == NULL) {
                    return oribi_fail(r->status, TF_INVALID_ARGUMENT,
                                      "node '%s' (op %s): %" PRId32
                                      " inputs do not tell attrs '%s' and '%s' apart; set one",
                                      r->node, r->op->name, r->n_types, unknown, name);
                }
                ORIBI_TRY(set_copy(r, value));
            }
        }
    }
    *out_unknown = unknown;
    return true;
}

static bool fail_count(const resolution *r, int64_t expected)
{
    return oribi_fail(r->status, TF_INVALID_ARGUMENT,
                      "node '%s': op %s takes %" PRId64 " inputs here, %" PRId32 " are given",
                      r->node, r->op->name, expected, r->n_types);
}

/* Sets a list(type) attribute from the inputs that its argument covers. */
static bool set_type_list(const resolution *r, const char *name, int64_t length)
{
    int64_t start = 0;
    for (int32_t i = 0; i < r->op->n_inputs; i++) {
        const oribi_arg_def *arg = &r->op->inputs[i];
        if (arg->type_list_attr != NULL && strcmp(arg->type_list_attr, name) == 0) {
            break;
        }
        start += arg_length(r, arg);
    }
    TF_DataType *types =
        oribi_arena_array(r->arena, length > 0 ? (size_t)length : 1, sizeof *types);
    if (types == NULL) {
        return oribi_fail_memory(r->status);
    }
    for (int64_t k = 0; k < length; k++) {
        types[k] = base_type(r->types[start + k]);
    }
    oribi_attr value = {.name = name,
                        .kind = TF_ATTR_TYPE,
                        .is_list = true,
                        .count = (int32_t)length,
                        .u.type = types};
    return set_copy(r, &value);
}

static bool set_length(const resolution *r, const char *name, int64_t length)
{
    oribi_attr value = {.name = name, .kind = TF_ATTR_INT, .count = 1, .u.i = &length};
    return set_copy(r, &value);
}

static bool check_inferred(const resolution *r, const char *name)
{
    oribi_text why = {0};
    bool ok = oribi_attr_def_accepts(oribi_op_find_attr(r->op, name),
                                     oribi_attrs_find(r->attrs, name), &why);
    if (!ok) {
        oribi_fail(r->status, TF_INVALID_ARGUMENT, "node '%s' (op %s), from its inputs: %s",
                   r->node, r->op->name, oribi_text_string(&why));
    }
    oribi_text_destroy(&why);
    return ok;
}

/* One unknown length is what the other arguments leave over. */
static bool infer_lengths(const resolution *r)
{
    const char *unknown = NULL;
    int64_t known = 0, uses = 0;
    bool is_number = false;
    ORIBI_TRY(default_spare_lengths(r, &unknown));
    for (int32_t i = 0; i < r->op->n_inputs; i++) {
        const oribi_arg_def *arg = &r->op->inputs[i];
        int64_t length = arg_length(r, arg);
        if (length >= 0) {
            known = length <= INT32_MAX ? known + length : INT32_MAX;
        } else {
            uses++;
            is_number = arg->number_attr != NULL;
        }
    }
    int64_t left = r->n_types - known;
    if (unknown == NULL ? left != 0 : left < 0 || left % uses != 0) {
        return fail_count(r, known);
    }
    if (unknown == NULL) {
        return true;
    }
    ORIBI_TRY(is_number ? set_length(r, unknown, left / uses)
                        : set_type_list(r, unknown, left / uses));
    return check_inferred(r, unknown);
}

static bool fail_type(const resolution *r, const oribi_arg_def *arg, int64_t input,
                      TF_DataType found, TF_DataType wanted, const char *attr)
{
    return oribi_fail(r->status, TF_INVALID_ARGUMENT,
                      "node '%s' (op %s): input %" PRId64 " ('%s') is %s, expected %s%s%s%s",
                      r->node, r->op->name, input, arg->name, oribi_dtype_name(found),
                      oribi_dtype_name(wanted), attr != NULL ? " (attr '" : "",
                      attr != NULL ? attr : "", attr != NULL ? "')" : "");
}

/* Declared type of element k of an argument; 0 when its attribute is absent. */
static TF_DataType declared_type(const resolution *r, const oribi_arg_def *arg, int64_t k)
{
    const char *name = arg->type_attr != NULL ? arg->type_attr : arg->type_list_attr;
    if (name == NULL) {
        return base_type(arg->type);
    }
    const oribi_attr *attr = oribi_attrs_find(r->attrs, name);
    return attr == NULL ? 0 : attr->u.type[arg->type_attr != NULL ? 0 : k];
}

/* Type attributes from the inputs, and every input's type against its declaration. */
static bool infer_types(const resolution *r)
{
    int64_t input = 0;
    for (int32_t i = 0; i < r->op->n_inputs; i++) {
        const oribi_arg_def *arg = &r->op->inputs[i];
        int64_t length = arg_length(r, arg);
        for (int64_t k = 0; k < length; k++, input++) {
            TF_DataType found = base_type(r->types[input]);
            TF_DataType wanted = declared_type(r, arg, k);
            if (found == 0) {
                continue; /* the caller does not know it */
            }
            if (wanted == 0) {
                oribi_attr value = {
                    .name = arg->type_attr, .kind = TF_ATTR_TYPE, .count = 1, .u.type = &found};
                ORIBI_TRY(set_copy(r, &value));
                ORIBI_TRY(check_inferred(r, arg->type_attr));
            } else if (found != wanted) {
                const char *attr = arg->type_attr != NULL ? arg->type_attr : arg->type_list_attr;
                return fail_type(r, arg, input, found, wanted, attr);
            }
        }
    }
    return true;
}

static bool fill_defaults(const resolution *r)
{
    for (int32_t i = 0; i < r->op->n_attrs; i++) {
        const oribi_attr_def *def = &r->op->attrs[i];
        if (oribi_attrs_find(r->attrs, def->name) != NULL) {
            continue;
        }
        if (def->default_value == NULL) {
            return oribi_fail(r->status, TF_INVALID_ARGUMENT,
                              "node '%s': attr '%s' (%s) of op %s is missing and has no default",
                              r->node, def->name, oribi_attr_kind_name(def->kind, def->is_list),
                              r->op->name);
        }
        ORIBI_TRY(set_copy(r, def->default_value));
    }
    return true;
}

/* Flat types of inputs or outputs; all attributes are there. */
static bool expand(const resolution *r, const oribi_arg_def *args, int32_t n_args,
                   int32_t *out_count, TF_DataType **out_types, int32_t **out_start)
{
    int64_t total = 0;
    for (int32_t i = 0; i < n_args; i++) {
        int64_t length = arg_length(r, &args[i]);
        if (length < 0 || length > MAX_FLAT_ARGS - total) {
            return oribi_fail(r->status, TF_INVALID_ARGUMENT,
                              "node '%s' (op %s): length %" PRId64 " of '%s' is out of range",
                              r->node, r->op->name, length, args[i].name);
        }
        total += length;
    }
    TF_DataType *types = oribi_claim_array(r->arena, (size_t)total + 1, sizeof *types, r->status);
    int32_t *start = oribi_claim_array(r->arena, (size_t)n_args + 1, sizeof *start, r->status);
    ORIBI_TRY(types != NULL && start != NULL);
    int32_t at = 0;
    for (int32_t i = 0; i < n_args; i++) {
        int64_t length = arg_length(r, &args[i]);
        start[i] = at;
        for (int64_t k = 0; k < length; k++) {
            types[at++] = declared_type(r, &args[i], k);
        }
    }
    start[n_args] = at;
    *out_count = at;
    *out_types = types;
    *out_start = start;
    return true;
}

bool oribi_op_resolve(const oribi_op_def *op, const char *node_name, oribi_attrs *attrs,
                      const TF_DataType *input_types, int32_t n_inputs, oribi_arena *arena,
                      oribi_signature *out_signature, TF_Status *status)
{
    resolution r = {op, node_name, attrs, input_types, n_inputs, arena, status};
    oribi_signature s = {0};
    ORIBI_TRY(check_present(&r));
    if (input_types != NULL) {
        ORIBI_TRY(infer_lengths(&r) && infer_types(&r));
    }
    ORIBI_TRY(fill_defaults(&r));
    ORIBI_TRY(
        expand(&r, op->inputs, op->n_inputs, &s.n_inputs, &s.input_types, &s.input_arg_start));
    ORIBI_TRY(
        expand(&r, op->outputs, op->n_outputs, &s.n_outputs, &s.output_types, &s.output_arg_start));
    *out_signature = s;
    return true;
}
