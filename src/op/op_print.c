/* SPDX-License-Identifier: Apache-2.0 */
/* A definition as text in the spec language (it parses back), and the comparison of two. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "op/op.h"

static void print_arg(const oribi_arg_def *arg, oribi_text *text)
{
    oribi_text_printf(text, "%s: %s", arg->name, arg->is_ref ? "Ref(" : "");
    if (arg->number_attr != NULL) {
        oribi_text_printf(text, "%s * ", arg->number_attr);
    }
    if (arg->type_attr != NULL) {
        oribi_text_append(text, arg->type_attr);
    } else if (arg->type_list_attr != NULL) {
        oribi_text_append(text, arg->type_list_attr);
    } else {
        oribi_text_append(text, oribi_dtype_name(arg->type));
    }
    oribi_text_append(text, arg->is_ref ? ")" : "");
}

static void print_allowed(const oribi_attr *allowed, oribi_text *text)
{
    oribi_text_append(text, "{");
    for (int32_t i = 0; i < allowed->count; i++) {
        oribi_text_append(text, i > 0 ? ", " : "");
        if (allowed->kind == TF_ATTR_TYPE) {
            oribi_text_append(text, oribi_dtype_name(allowed->u.type[i]));
        } else {
            oribi_attr one = *allowed;
            one.is_list = false;
            one.count = 1;
            one.u.s += i;
            oribi_attr_print(&one, text);
        }
    }
    oribi_text_append(text, "}");
}

static void print_attr(const oribi_attr_def *attr, oribi_text *text)
{
    oribi_text_printf(text, "%s: %s", attr->name, attr->is_list ? "list(" : "");
    if (attr->allowed != NULL) {
        print_allowed(attr->allowed, text);
    } else {
        oribi_text_append(text, oribi_attr_kind_name(attr->kind, false));
    }
    oribi_text_append(text, attr->is_list ? ")" : "");
    if (attr->has_minimum) {
        oribi_text_printf(text, " >= %" PRId64, attr->minimum);
    }
    if (attr->default_value != NULL) {
        oribi_text_append(text, " = ");
        oribi_attr_print(attr->default_value, text);
    }
}

static void print_flags(const oribi_op_def *op, oribi_text *text)
{
    oribi_text_append(text, op->is_commutative ? "  commutative\n" : "");
    oribi_text_append(text, op->is_aggregate ? "  aggregate\n" : "");
    oribi_text_append(text, op->is_stateful ? "  stateful\n" : "");
    oribi_text_append(text, op->allows_uninitialized_input ? "  allows_uninitialized_input\n" : "");
    if (op->deprecation_version != 0) {
        oribi_text_printf(text, "  deprecated %" PRId32 " %s\n", op->deprecation_version,
                          op->deprecation_explanation);
    }
}

void oribi_op_print(const oribi_op_def *op, oribi_text *text)
{
    oribi_text_printf(text, "%s\n", op->name);
    for (int32_t i = 0; i < op->n_inputs; i++) {
        oribi_text_append(text, "  input ");
        print_arg(&op->inputs[i], text);
        oribi_text_append(text, "\n");
    }
    for (int32_t i = 0; i < op->n_outputs; i++) {
        oribi_text_append(text, "  output ");
        print_arg(&op->outputs[i], text);
        oribi_text_append(text, "\n");
    }
    for (int32_t i = 0; i < op->n_attrs; i++) {
        oribi_text_append(text, "  attr ");
        print_attr(&op->attrs[i], text);
        oribi_text_append(text, "\n");
    }
    print_flags(op, text);
}

static bool name_equal(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static bool arg_equal(const oribi_arg_def *a, const oribi_arg_def *b)
{
    return strcmp(a->name, b->name) == 0 && a->type == b->type && a->is_ref == b->is_ref &&
           name_equal(a->type_attr, b->type_attr) && name_equal(a->number_attr, b->number_attr) &&
           name_equal(a->type_list_attr, b->type_list_attr);
}

static bool attr_equal(const oribi_attr_def *a, const oribi_attr_def *b)
{
    return strcmp(a->name, b->name) == 0 && a->kind == b->kind && a->is_list == b->is_list &&
           a->has_minimum == b->has_minimum && (!a->has_minimum || a->minimum == b->minimum) &&
           oribi_attr_equal(a->default_value, b->default_value) &&
           oribi_attr_equal(a->allowed, b->allowed);
}

static bool args_equal(const char *what, const oribi_arg_def *a, int32_t n_a,
                       const oribi_arg_def *b, int32_t n_b, oribi_text *difference)
{
    if (n_a != n_b) {
        oribi_text_printf(difference, "%" PRId32 " %ss against %" PRId32, n_a, what, n_b);
        return false;
    }
    for (int32_t i = 0; i < n_a; i++) {
        if (!arg_equal(&a[i], &b[i])) {
            oribi_text_printf(difference, "%s %" PRId32 ": '", what, i);
            print_arg(&a[i], difference);
            oribi_text_append(difference, "' against '");
            print_arg(&b[i], difference);
            oribi_text_append(difference, "'");
            return false;
        }
    }
    return true;
}

static bool attrs_equal(const oribi_op_def *a, const oribi_op_def *b, oribi_text *difference)
{
    if (a->n_attrs != b->n_attrs) {
        oribi_text_printf(difference, "%" PRId32 " attrs against %" PRId32, a->n_attrs, b->n_attrs);
        return false;
    }
    for (int32_t i = 0; i < a->n_attrs; i++) {
        if (!attr_equal(&a->attrs[i], &b->attrs[i])) {
            oribi_text_append(difference, "attr '");
            print_attr(&a->attrs[i], difference);
            oribi_text_append(difference, "' against '");
            print_attr(&b->attrs[i], difference);
            oribi_text_append(difference, "'");
            return false;
        }
    }
    return true;
}

static bool flags_equal(const oribi_op_def *a, const oribi_op_def *b)
{
    return a->is_commutative == b->is_commutative && a->is_aggregate == b->is_aggregate &&
           a->is_stateful == b->is_stateful &&
           a->allows_uninitialized_input == b->allows_uninitialized_input &&
           a->deprecation_version == b->deprecation_version;
}

bool oribi_op_equal(const oribi_op_def *a, const oribi_op_def *b, oribi_text *difference)
{
    if (!args_equal("input", a->inputs, a->n_inputs, b->inputs, b->n_inputs, difference) ||
        !args_equal("output", a->outputs, a->n_outputs, b->outputs, b->n_outputs, difference) ||
        !attrs_equal(a, b, difference)) {
        return false;
    }
    if (!flags_equal(a, b)) {
        oribi_text_append(difference, "flags differ");
        return false;
    }
    return true;
}
