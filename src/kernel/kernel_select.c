/* SPDX-License-Identifier: Apache-2.0 */
/* Choice of a kernel for a node: device type, label, constraints, priority.
 * Not here: which device a node goes to (src/pass). Read next: kernel_registry.c.
 */
#include <string.h>

#include "base/text.h"
#include "kernel/kernel.h"
#include "kernel/registry_internal.h"

/* --- Limits of instruction sets: nothing here asks the processor. Whoever registered the built-in
 * kernels has, and left out what it lacks. --- */

static const struct {
    oribi_instruction_set set;
    const char *processor;
} rows[] = {
#define HOST_ISA(name, processor, priority, flags, test) {{#name, priority}, #processor},
#include "micro/isa_list.inc"
};
enum { N_ROWS = sizeof rows / sizeof *rows, BEST_BUILT_IN = -900 };

bool oribi_kernel_exceeds(const oribi_kernel_def *kernel, const oribi_instruction_set *limit)
{
    return limit != NULL && kernel->priority > limit->priority && kernel->priority <= BEST_BUILT_IN;
}

typedef struct priority_search {
    int32_t priority;
    bool is_found;
} priority_search;

static bool find_priority(void *arg, const oribi_kernel_def *kernel)
{
    priority_search *search = arg;
    search->is_found = kernel->priority == search->priority;
    return !search->is_found;
}

static bool is_here(const oribi_instruction_set *set)
{
    priority_search search = {set->priority, false};
    oribi_kernel_each(find_priority, &search);
    return search.is_found;
}

static void fail_set(const char *name, bool is_known, TF_Status *status)
{
    oribi_text here = {0};
    for (int i = 0; i < N_ROWS; i++) {
        if (is_here(&rows[i].set)) {
            oribi_text_printf(&here, ", %s", rows[i].set.name);
        }
    }
    oribi_fail(status, is_known ? TF_UNIMPLEMENTED : TF_INVALID_ARGUMENT,
               is_known ? "this processor has no instruction set '%s'; choose any%s"
                        : "there is no instruction set '%s'; this processor has any%s",
               name, oribi_text_string(&here));
    oribi_text_destroy(&here);
}

const oribi_instruction_set *oribi_instruction_set_find(const char *name, TF_Status *status)
{
    const bool is_any = strcmp(name, "any") == 0;
    bool is_known = false;
    for (int i = 0; i < N_ROWS; i++) {
        if (strcmp(is_any ? rows[i].processor : rows[i].set.name, name) == 0) {
            is_known = true;
            if (is_here(&rows[i].set)) {
                return &rows[i].set;
            }
        }
    }
    fail_set(name, is_known, status);
    return NULL;
}

/* --- Choice --- */

typedef struct choice {
    const oribi_node_view *node;
    const char *device_type;
    oribi_string label; /* of the node, "" when it has none */
    oribi_text *log;    /* one line for each kernel considered; NULL while nobody reads it */
    const oribi_kernel_def *best, *tie;
    const char *missing_attr; /* a kernel constrains an attribute that the node has not */
    const oribi_kernel_def *missing_in;
    bool attrs_mismatch; /* some kernel of this device type failed its constraints only */
} choice;

static void note(const choice *search, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void note(const choice *search, const char *format, ...)
{
    if (search->log != NULL) {
        va_list args;
        va_start(args, format);
        oribi_text_vprintf(search->log, format, args);
        va_end(args);
    }
}

static void print_constraint(const oribi_kernel_constraint *constraint, oribi_text *text)
{
    const oribi_attr one = {
        .kind = TF_ATTR_TYPE, .is_list = true, .count = 1, .u.type = &constraint->type};
    oribi_text_printf(text, "%s in ", constraint->attr);
    oribi_attr_print(constraint->allowed != NULL ? constraint->allowed : &one, text);
}

static void print_kernel(const oribi_kernel_def *def, oribi_text *text)
{
    if (text == NULL) {
        return;
    }
    oribi_text_printf(text, "\n  kernel '%s' of %s: device='%s'", def->kernel_name, def->provider,
                      def->device_type);
    if (def->label[0] != '\0') {
        oribi_text_printf(text, ", label='%s'", def->label);
    }
    for (const oribi_kernel_constraint *c = def->constraints; c != NULL; c = c->next) {
        oribi_text_append(text, ", ");
        print_constraint(c, text);
    }
    oribi_text_printf(text, ", priority=%d", (int)def->priority);
}

/* Is element k of the attribute among the allowed values? */
static bool element_matches(const oribi_attr *attr, int32_t k,
                            const oribi_kernel_constraint *constraint)
{
    if (constraint->allowed == NULL) {
        return attr->kind == TF_ATTR_TYPE && attr->u.type[k] == constraint->type;
    }
    const oribi_attr *allowed = constraint->allowed;
    if (allowed->kind != attr->kind) {
        return false;
    }
    for (int32_t i = 0; i < allowed->count; i++) {
        bool same = false;
        switch ((TF_AttrType)attr->kind) {
        case TF_ATTR_TYPE:
            same = allowed->u.type[i] == attr->u.type[k];
            break;
        case TF_ATTR_INT:
            same = allowed->u.i[i] == attr->u.i[k];
            break;
        case TF_ATTR_BOOL:
            same = (allowed->u.b[i] != 0) == (attr->u.b[k] != 0);
            break;
        case TF_ATTR_STRING:
            same = allowed->u.s[i].length == attr->u.s[k].length &&
                   memcmp(allowed->u.s[i].data, attr->u.s[k].data, attr->u.s[k].length) == 0;
            break;
        default:
            break;
        }
        if (same) {
            return true;
        }
    }
    return false;
}

static bool constraint_holds(choice *search, const oribi_kernel_def *def,
                             const oribi_kernel_constraint *constraint)
{
    const oribi_attr *attr = oribi_attrs_find(search->node->attrs, constraint->attr);
    if (attr == NULL) {
        search->missing_attr = constraint->attr;
        search->missing_in = def;
        note(search, ": refused, the node has no attribute '%s'", constraint->attr);
        return false;
    }
    for (int32_t k = 0; k < attr->count; k++) {
        if (!element_matches(attr, k, constraint)) {
            if (search->log != NULL) {
                oribi_text_printf(search->log, ": refused, %s is ", constraint->attr);
                oribi_attr_print(attr, search->log);
            }
            return false;
        }
    }
    return true;
}

static bool host_memory_exists(choice *search, const oribi_kernel_def *def)
{
    const oribi_op_def *op = search->node->op;
    for (int32_t i = 0; op != NULL && i < def->n_host_memory_args; i++) {
        bool found = false;
        for (int32_t k = 0; k < op->n_inputs; k++) {
            found |= strcmp(op->inputs[k].name, def->host_memory_args[i]) == 0;
        }
        for (int32_t k = 0; k < op->n_outputs; k++) {
            found |= strcmp(op->outputs[k].name, def->host_memory_args[i]) == 0;
        }
        if (!found) {
            note(search, ": refused, op %s has no argument '%s' for host memory", op->name,
                 def->host_memory_args[i]);
            return false;
        }
    }
    return true;
}

static bool consider(void *arg, const oribi_kernel_def *def)
{
    choice *search = arg;
    print_kernel(def, search->log);
    if (strcmp(def->device_type, search->device_type) != 0) {
        note(search, ": refused, the device is '%s'", search->device_type);
        return true;
    }
    if (strlen(def->label) != search->label.length ||
        memcmp(def->label, search->label.data, search->label.length) != 0) {
        note(search, ": refused, the node's label is '%s'", search->label.data);
        return true;
    }
    if (oribi_kernel_exceeds(def, search->node->isa)) {
        note(search, ": refused, instruction sets end with '%s'", search->node->isa->name);
        return true;
    }
    for (const oribi_kernel_constraint *c = def->constraints; c != NULL; c = c->next) {
        if (!constraint_holds(search, def, c)) {
            search->attrs_mismatch = true;
            return true;
        }
    }
    if (!host_memory_exists(search, def)) {
        return true;
    }
    note(search, ": fits");
    if (search->best == NULL || def->priority > search->best->priority) {
        search->best = def;
        search->tie = NULL;
    } else if (def->priority == search->best->priority) {
        search->tie = def;
    }
    return true;
}

static const char *op_name_of(const oribi_node_view *node)
{
    return node->op != NULL ? node->op->name : "";
}

static const oribi_kernel_def *fail_missing(const choice *search, TF_Status *status)
{
    oribi_fail(status, TF_INVALID_ARGUMENT,
               "node '%s': kernel '%s' of %s constrains attribute '%s', which op %s does not have",
               search->node->name, search->missing_in->kernel_name, search->missing_in->provider,
               search->missing_attr, op_name_of(search->node));
    return NULL;
}

static void search_all(choice *search)
{
    const char *op = op_name_of(search->node);
    if (search->label.length > 0) {
        oribi_kernel_call_reserve(); /* an op that has kernels may have labelled ones there */
    }
    oribi_kernel_each_of_op(op, consider, search);
    if (search->best != NULL || search->missing_attr != NULL ||
        strcmp(search->device_type, "DEFAULT") == 0) {
        return;
    }
    oribi_text log = {0};
    choice fallback = *search;
    fallback.device_type = "DEFAULT";
    fallback.log = search->log != NULL ? &log : NULL;
    oribi_kernel_each_of_op(op, consider, &fallback);
    if (fallback.best != NULL || fallback.missing_attr != NULL) {
        note(search, "\n fallback to device type 'DEFAULT':%s", oribi_text_string(&log));
        search->best = fallback.best;
        search->tie = fallback.tie;
        search->missing_attr = fallback.missing_attr;
        search->missing_in = fallback.missing_in;
    }
    oribi_text_destroy(&log);
}

/* Why there is no choice; the kernels are gone through once more, for the text. */
static void fail_choice(choice search, TF_Status *status)
{
    const oribi_node_view *node = search.node;
    oribi_text log = {0};
    search.log = &log;
    search.best = search.tie = NULL;
    search.attrs_mismatch = false;
    search_all(&search);
    const char *considered = oribi_text_string(&log);
    if (search.tie != NULL) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "Multiple OpKernel registrations match NodeDef at the same priority %d: node "
                   "'%s', op %s. Give one a higher priority or a label. Considered:%s",
                   (int)search.best->priority, node->name, op_name_of(node), considered);
    } else {
        oribi_fail(
            status, TF_NOT_FOUND,
            "No registered '%s' OpKernel for '%s' devices compatible with node '%s'%s. "
            "Load a plugin that provides one%s. Considered:%s",
            op_name_of(node), search.device_type, node->name,
            search.attrs_mismatch ? " (OpKernel was found, but attributes didn't match)" : "",
            oribi_kernel_absent(), considered[0] != '\0' ? considered : " <no registered kernels>");
    }
    oribi_text_destroy(&log);
}

const oribi_kernel_def *oribi_kernel_select(const oribi_node_view *node, const char *device_type,
                                            struct oribi_text *explain, TF_Status *status)
{
    choice search = {.node = node, .device_type = device_type, .label = {"", 0}, .log = explain};
    const oribi_attr *label = oribi_attrs_find(node->attrs, "_kernel");
    if (label != NULL && label->kind == TF_ATTR_STRING && label->count == 1) {
        search.label = label->u.s[0];
    }
    search_all(&search);
    if (search.missing_attr != NULL) {
        return fail_missing(&search, status);
    }
    if (search.best == NULL || search.tie != NULL) {
        fail_choice(search, status);
        return NULL;
    }
    note(&search, "\n chosen: kernel '%s' of %s", search.best->kernel_name, search.best->provider);
    return search.best;
}
