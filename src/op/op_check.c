/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of a whole definition after its specs parsed: names, kinds, minimums, allowed values,
 * defaults. oribi_attr_def_accepts serves node attributes too (resolve.c).
 */
#include <inttypes.h>
#include <string.h>

#include "base/ascii.h"
#include "op/spec.h"

/* Every failure ends with the definition, as TensorFlow's does. */
static bool check_fail(oribi_spec *spec, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static bool check_fail(oribi_spec *spec, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    oribi_spec_error(spec->errors, format, args);
    va_end(args);
    oribi_text_append(spec->errors, "; in OpDef: ");
    oribi_op_print(&spec->entry->def, spec->errors);
    return false;
}

/* [A-Z][A-Za-z0-9_]* segments joined by '>', or an internal name that starts with '_'. */
static bool is_op_name(const char *name)
{
    if (*name == '_') {
        for (name++; *name != '\0'; name++) {
            if (!(oribi_is_letter(*name) || oribi_is_digit(*name)) && *name != '_' &&
                *name != '>') {
                return false;
            }
        }
        return true;
    }
    for (;;) {
        if (!oribi_is_upper(*name)) {
            return false;
        }
        while ((oribi_is_letter(*name) || oribi_is_digit(*name)) || *name == '_') {
            name++;
        }
        if (*name == '\0') {
            return true;
        }
        if (*name++ != '>') {
            return false;
        }
    }
}

static bool type_allowed(const oribi_attr *allowed, TF_DataType type)
{
    for (int32_t i = 0; i < allowed->count; i++) {
        if (allowed->u.type[i] == type) {
            return true;
        }
    }
    return false;
}

static bool string_allowed(const oribi_attr *allowed, const oribi_string *string)
{
    for (int32_t i = 0; i < allowed->count; i++) {
        const oribi_string *s = &allowed->u.s[i];
        if (s->length == string->length && memcmp(s->data, string->data, s->length) == 0) {
            return true;
        }
    }
    return false;
}

static void append_allowed(const oribi_attr *allowed, oribi_text *why)
{
    for (int32_t i = 0; i < allowed->count; i++) {
        const char *comma = i > 0 ? ", " : "";
        if (allowed->kind == TF_ATTR_TYPE) {
            oribi_text_printf(why, "%s%s", comma, oribi_dtype_name(allowed->u.type[i]));
        } else {
            oribi_text_printf(why, "%s\"%s\"", comma, allowed->u.s[i].data);
        }
    }
}

static bool accepts_allowed(const oribi_attr_def *def, const oribi_attr *value, oribi_text *why)
{
    const oribi_attr *allowed = def->allowed;
    for (int32_t i = 0; allowed != NULL && i < value->count; i++) {
        if (def->kind == TF_ATTR_TYPE && !type_allowed(allowed, value->u.type[i])) {
            oribi_text_printf(why, "Value for attr '%s' of %s", def->name,
                              oribi_dtype_name(value->u.type[i]));
        } else if (def->kind == TF_ATTR_STRING && !string_allowed(allowed, &value->u.s[i])) {
            oribi_text_printf(why, "Value for attr '%s' of \"%.*s\"", def->name,
                              (int)(value->u.s[i].length < 200 ? value->u.s[i].length : 200),
                              value->u.s[i].data);
        } else {
            continue;
        }
        oribi_text_append(why, " is not in the list of allowed values: ");
        append_allowed(allowed, why);
        return false;
    }
    return true;
}

bool oribi_attr_def_accepts(const oribi_attr_def *def, const oribi_attr *value, oribi_text *why)
{
    if (value->kind != def->kind || value->is_list != def->is_list) {
        oribi_text_printf(why,
                          "AttrValue had value with type '%s' when '%s' expected for attr '%s'",
                          oribi_attr_kind_name(value->kind, value->is_list),
                          oribi_attr_kind_name(def->kind, def->is_list), def->name);
        return false;
    }
    if (def->has_minimum && def->is_list && value->count < def->minimum) {
        oribi_text_printf(why,
                          "Length for attr '%s' of %" PRId32 " must be at least minimum %" PRId64,
                          def->name, value->count, def->minimum);
        return false;
    }
    if (def->has_minimum && !def->is_list && value->u.i[0] < def->minimum) {
        oribi_text_printf(why,
                          "Value for attr '%s' of %" PRId64 " must be at least minimum %" PRId64,
                          def->name, value->u.i[0], def->minimum);
        return false;
    }
    return accepts_allowed(def, value, why);
}

static bool check_attr(oribi_spec *spec, const oribi_attr_def *attr)
{
    if (oribi_dtype_parse(attr->name, strlen(attr->name)) != 0) {
        return check_fail(spec, "Attr can't have name %s that matches a data type", attr->name);
    }
    if (attr->has_minimum && !attr->is_list && attr->kind != TF_ATTR_INT) {
        return check_fail(spec, "Attr '%s' with minimum for unsupported type %s", attr->name,
                          oribi_attr_kind_name(attr->kind, attr->is_list));
    }
    if (attr->has_minimum && attr->is_list && attr->minimum < 0) {
        return check_fail(spec,
                          "Attr '%s' with list type must have a non-negative minimum, not %" PRId64,
                          attr->name, attr->minimum);
    }
    if (attr->default_value != NULL) {
        oribi_text why = {0};
        bool ok = oribi_attr_def_accepts(attr, attr->default_value, &why);
        if (!ok) {
            check_fail(spec, "%s", oribi_text_string(&why));
            spec->no_memory = spec->no_memory || why.failed;
        }
        oribi_text_destroy(&why);
        return ok;
    }
    return true;
}

/* Name number k of attributes, then inputs, then outputs: one namespace. */
static const char *name_at(const oribi_op_def *def, int32_t k)
{
    if (k < def->n_attrs) {
        return def->attrs[k].name;
    }
    k -= def->n_attrs;
    return k < def->n_inputs ? def->inputs[k].name : def->outputs[k - def->n_inputs].name;
}

static bool check_names(oribi_spec *spec)
{
    const oribi_op_def *def = &spec->entry->def;
    int32_t n = def->n_attrs + def->n_inputs + def->n_outputs;
    for (int32_t i = 0; i < n; i++) {
        for (int32_t k = 0; k < i; k++) {
            if (strcmp(name_at(def, i), name_at(def, k)) == 0) {
                return check_fail(spec, "Duplicate name: %s", name_at(def, i));
            }
        }
    }
    return true;
}

bool oribi_op_check(oribi_spec *spec)
{
    const oribi_op_def *def = &spec->entry->def;
    if (!is_op_name(def->name)) {
        return check_fail(spec, "Invalid name: %s (Did you use CamelCase?)", def->name);
    }
    bool ok = check_names(spec);
    for (int32_t i = 0; i < def->n_attrs; i++) {
        ok = check_attr(spec, &def->attrs[i]) && ok;
    }
    return ok;
}
