/* SPDX-License-Identifier: Apache-2.0 */
/* Which ops have one kernel for host and emitted C, and which of their descriptors is a node's? The
 * registry, and what it refuses. Nothing is taken out before the end. */
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/thread.h"
#include "kernel/registry_internal.h"
#include "target/target.h"
#include "tensor/status.h"

typedef struct entry {
    struct entry *next;
    const oribi_target_kernel *kernel;
} entry;

static oribi_mutex mutex = ORIBI_MUTEX_INIT;
static entry *first, **last = &first;

/* --- Text ------------------------------------------------------------------------------------ */

static const char mark[] = "/* emit: ";

/* The next line that begins with the mark; NULL: none. */
static const char *find_mark(const char *text)
{
    const size_t length = sizeof mark - 1;
    while (text != NULL && strncmp(text, mark, length) != 0) {
        text = strchr(text, '\n');
        text = text != NULL ? text + 1 : NULL;
    }
    return text;
}

bool oribi_target_next_file(const char **source, oribi_target_file *out)
{
    for (const char *at = find_mark(*source); at != NULL; at = find_mark(at)) {
        at += sizeof mark - 1;
        const size_t length = strcspn(at, " *\n");
        const char *line = strchr(at, '\n');
        const char *end = line != NULL ? find_mark(line + 1) : NULL;
        if (length == 3 && memcmp(at, "end", 3) == 0) {
            continue;
        }
        if (length == 0 || length >= sizeof out->name || end == NULL) {
            return false; /* registration has refused such a source */
        }
        memcpy(out->name, at, length);
        out->name[length] = '\0';
        out->text = line + 1;
        out->bytes = (size_t)(end - out->text);
        *source = end;
        return true;
    }
    return false;
}

/* --- Checks ---------------------------------------------------------------------------------- */

/* Small letters, digits and '_', a letter first. */
static bool is_small(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const char c = text[i];
        const bool is_letter = c >= 'a' && c <= 'z';
        if (!is_letter && (i == 0 || !((c >= '0' && c <= '9') || c == '_'))) {
            return false;
        }
    }
    return length > 0;
}

static bool is_prefix(const char *prefix)
{
    const size_t length = prefix != NULL ? strlen(prefix) : 0;
    return length > 1 && length <= 64 && is_small(prefix, length) && prefix[length - 1] == '_' &&
           strncmp(prefix, "oribi_", 6) != 0;
}

static bool fail(const oribi_target_kernel *k, const char *what, TF_Status *status)
{
    return oribi_fail(status, TF_INVALID_ARGUMENT, "kernel '%s' of op '%s': %s",
                      k->name != NULL ? k->name : "", k->op != NULL ? k->op : "", what);
}

/* A member of the arguments has a type and lies in the struct, behind the one before. */
static bool check_member(const oribi_args *args, size_t index, size_t *end)
{
    static const uint8_t types[] = {TF_INT8, TF_UINT8, TF_INT16, TF_UINT16, TF_INT32, TF_FLOAT};
    const oribi_args_member *m = &args->members[index];
    const bool is_array = m->kind == ORIBI_ARGS_IS_ARRAY;
    const size_t bytes =
        is_array ? sizeof(void *) : m->count * oribi_dtype_bytes((TF_DataType)m->dtype);
    const bool is_good = m->dtype != 0 && !(is_array && m->dtype == TF_UINT16) &&
                         memchr(types, m->dtype, sizeof types) != NULL &&
                         m->kind <= ORIBI_ARGS_IS_ARRAY && m->count > 0 && m->counter == -1 &&
                         m->offset >= *end && m->offset + bytes <= args->bytes;
    *end = m->offset + bytes;
    return is_good;
}

static bool check_args(const oribi_target_kernel *k, TF_Status *status)
{
    const oribi_args *args = k->args;
    size_t end = 0;
    if (args->struct_size < sizeof *args || args->name == NULL || args->header == NULL ||
        args->names == NULL || args->members == NULL || args->n_members == 0 ||
        args->n_members > 64 || strcmp(args->name, k->name) != 0) {
        return fail(k, "its arguments are described by no ORIBI_ARGS_TABLE of the kernel's name",
                    status);
    }
    for (size_t i = 0; i < args->n_members; i++) {
        if (!check_member(args, i, &end)) {
            return fail(k,
                        "a member of its arguments has no type that emitted C has, or the members "
                        "are not in the order of the struct",
                        status);
        }
    }
    return true;
}

/* A source without a mark, with one that names no file, or that does not end. */
static bool check_source(const oribi_target_kernel *k, const char *source, bool *has_header,
                         TF_Status *status)
{
    const char *at = source, *left;
    oribi_target_file file;
    int32_t n = 0;
    while (at != NULL && oribi_target_next_file(&at, &file)) {
        const size_t length = strlen(file.name), stem = length > 2 ? length - 2 : 0;
        const bool is_file = is_small(file.name, stem) && file.name[stem] == '.' &&
                             strchr("hc", file.name[stem + 1]) != NULL &&
                             strncmp(file.name, k->prefix, strlen(k->prefix)) == 0;
        if (!is_file) {
            return oribi_fail(status, TF_INVALID_ARGUMENT,
                              "kernel '%s' of op '%s': '%s' is no name of an emitted file; it must "
                              "begin with '%s' and end with .h or .c",
                              k->name, k->op, file.name, k->prefix);
        }
        *has_header = *has_header || (file.name[stem + 1] == 'h' &&
                                      strncmp(file.name + strlen(k->prefix), k->name,
                                              stem - strlen(k->prefix)) == 0 &&
                                      strlen(k->name) == stem - strlen(k->prefix));
        n++;
    }
    left = find_mark(at);
    left = left != NULL && strncmp(left + sizeof mark - 1, "end", 3) == 0
               ? find_mark(left + sizeof mark - 1)
               : left;
    return (n > 0 && left == NULL) ||
           fail(k,
                "a source has no `/* emit: FILE */` ... `/* emit: end */`, or one without an end",
                status);
}

static bool check(const oribi_target_kernel *k, TF_Status *status)
{
    bool has_header = false;
    if (k == NULL || k->struct_size < sizeof *k) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "a kernel is NULL or has no struct_size; set it to "
                          "sizeof(oribi_target_kernel)");
    }
    const char *missing = k->op == NULL                             ? "op"
                          : k->name == NULL                         ? "name"
                          : k->args == NULL                         ? "args"
                          : k->prepare == NULL                      ? "prepare"
                          : k->licence == NULL                      ? "licence"
                          : k->sources == NULL || k->n_sources <= 0 ? "sources"
                          : k->n_types > 0 && k->types == NULL      ? "types"
                                                                    : NULL;
    if (missing != NULL) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "kernel '%s' of op '%s' has no %s; fill in oribi_target_kernel",
                          k->name != NULL ? k->name : "", k->op != NULL ? k->op : "", missing);
    }
    if (!is_small(k->name, strlen(k->name)) || strlen(k->name) > 32 || !is_prefix(k->prefix)) {
        return fail(k,
                    "name and prefix must be small letters, digits and '_', the prefix with '_' at "
                    "its end and not 'oribi_'",
                    status);
    }
    if (strchr(k->licence, '\n') != NULL || strstr(k->licence, "*/") != NULL) {
        return fail(k, "its licence is no SPDX expression", status);
    }
    for (int32_t i = 0; i < k->n_sources; i++) {
        ORIBI_TRY(check_source(k, k->sources[i], &has_header, status));
    }
    ORIBI_TRY(has_header || fail(k, "no text is its header, PREFIX NAME .h", status));
    const oribi_op_def *op = oribi_op_find(k->op);
    if (op == NULL || op->is_built_in) {
        return fail(k,
                    "register the definition of an op of your own first (TF_RegisterOpDefinition)",
                    status);
    }
    if (k->n_states < 0 || k->n_states > op->n_inputs || k->n_states > op->n_outputs) {
        return fail(k, "the op has fewer inputs or outputs than n_states", status);
    }
    for (int32_t i = op->n_inputs - k->n_states; i < op->n_inputs; i++) {
        if (op->inputs[i].number_attr != NULL || op->inputs[i].type_list_attr != NULL) {
            return fail(k, "a state is one input of the op, no list of them", status);
        }
    }
    return check_args(k, status);
}

/* --- Registry -------------------------------------------------------------------------------- */

static bool same_types(const oribi_target_kernel *a, const oribi_target_kernel *b)
{
    bool is_same = a->n_types == b->n_types;
    for (int32_t i = 0; is_same && i < a->n_types; i++) {
        is_same =
            strcmp(a->types[i].attr, b->types[i].attr) == 0 && a->types[i].type == b->types[i].type;
    }
    return is_same;
}

static bool insert(const oribi_target_kernel *kernel, TF_Status *status)
{
    entry *made = oribi_claim_zero(1, sizeof *made, status);
    ORIBI_TRY(made != NULL);
    made->kernel = kernel;
    const oribi_target_kernel *there = NULL;
    oribi_mutex_lock(&mutex);
    for (const entry *e = first; e != NULL && there == NULL; e = e->next) {
        const bool is_same =
            strcmp(e->kernel->op, kernel->op) == 0 && same_types(e->kernel, kernel);
        there = is_same ? e->kernel : NULL;
    }
    if (there == NULL) {
        *last = made;
        last = &made->next;
    }
    oribi_mutex_unlock(&mutex);
    if (there != NULL) { /* the same one: of a plugin that was refused, and is loaded again */
        oribi_free(made);
        return there == kernel ||
               oribi_fail(status, TF_ALREADY_EXISTS,
                          "op '%s' has a kernel for host and emitted C of these types already",
                          kernel->op);
    }
    return true;
}

void oribi_target_register_kernel(const oribi_target_kernel *kernel, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    if (!check(kernel, status) || !insert(kernel, status)) {
        oribi_kernel_note_failure(status); /* the plugin is refused with it */
        oribi_log(ORIBI_LOG_ERROR, "%s", TF_Message(status));
    } else if (kernel->run != NULL) {
        oribi_target_kernel_host(kernel, status);
    }
}

static bool matches(const oribi_target_kernel *kernel, const oribi_attrs *attrs)
{
    bool all = true;
    for (int32_t i = 0; all && i < kernel->n_types; i++) {
        const oribi_attr *attr = oribi_attrs_find(attrs, kernel->types[i].attr);
        all = attr != NULL && attr->kind == TF_ATTR_TYPE && !attr->is_list &&
              attr->u.type[0] == kernel->types[i].type;
    }
    return all;
}

const oribi_target_kernel *oribi_target_kernel_find(const char *op, const oribi_attrs *attrs)
{
    const oribi_target_kernel *found = NULL;
    oribi_mutex_lock(&mutex);
    for (const entry *e = first; e != NULL && found == NULL; e = e->next) {
        found = strcmp(e->kernel->op, op) == 0 && matches(e->kernel, attrs) ? e->kernel : NULL;
    }
    oribi_mutex_unlock(&mutex);
    return found;
}

int32_t oribi_target_kernel_states(const char *op)
{
    int32_t n = 0;
    oribi_mutex_lock(&mutex);
    for (const entry *e = first; e != NULL && n == 0; e = e->next) {
        n = strcmp(e->kernel->op, op) == 0 ? e->kernel->n_states : 0;
    }
    oribi_mutex_unlock(&mutex);
    return n;
}

void oribi_target_forget_kernels(void)
{
    oribi_mutex_lock(&mutex);
    for (entry *next; first != NULL; first = next) {
        next = first->next;
        oribi_free(first);
    }
    last = &first;
    oribi_mutex_unlock(&mutex);
}
