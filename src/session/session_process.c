/* SPDX-License-Identifier: Apache-2.0 */
/* The part of oribi.h that is about the process: version, hooks, plugins, and what is registered,
 * as JSON. Not here: models and sessions.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "format/json.h"
#include "base/log.h"
#include "device/device.h"
#include "kernel/resource.h"
#include "import/import.h"
#include "op/fusion.h"
#include "op/traits.h"
#include "oribi/oribi.h"
#include "plugin/plugin.h"
#include "session/session_internal.h"
#include "target/target.h"
#include "tensor/handle.h"

#define TEXT_OF(x)      #x
#define DOTTED(a, b, c) TEXT_OF(a) "." TEXT_OF(b) "." TEXT_OF(c)

const char *oribi_version(void)
{
    return DOTTED(ORIBI_VERSION_MAJOR, ORIBI_VERSION_MINOR, ORIBI_VERSION_PATCH);
}

void oribi_set_allocator(void *self, void *(*allocate)(void *self, size_t bytes, size_t alignment),
                         void (*release)(void *self, void *block))
{
    oribi_alloc_hooks hooks = {self, allocate, release};
    oribi_alloc_set_hooks(allocate && release ? &hooks : NULL);
}

static atomic_int n_in_use;

void oribi__in_use(int change)
{
    atomic_fetch_add_explicit(&n_in_use, change, memory_order_acq_rel);
}

void oribi_shutdown(TF_Status *status)
{
    const int n = atomic_load_explicit(&n_in_use, memory_order_acquire);
    TF_SetStatus(status, TF_OK, "");
    if (n > 0) {
        oribi_fail(status, TF_FAILED_PRECONDITION,
                   "oribi_shutdown: %d models and sessions are still there; destroy them, and the "
                   "runs that keep sessions alive, first",
                   n);
        return;
    }
    oribi_resources_forget_process();
    oribi_plugin_forget_all();
    oribi_target_forget_kernels();
    oribi_target_forget_all();
    oribi_handle_trim();
}

void oribi_set_log(void (*hook)(void *arg, int level, const char *message), void *arg)
{
    oribi_log_set_hook(hook, arg);
}

void oribi_plugin_load_file(const char *spec, TF_Status *status)
{
    if (!ORIBI_GIVEN(status, spec)) {
        return;
    }
    oribi_plugin_load(spec, status);
}

void oribi_plugin_load_search_path(TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    oribi_plugin_load_found(status);
}

static void field(oribi_json *json, const char *key, const char *value)
{
    oribi_json_put_string(json, key, value ? value : "");
}

static void print_arguments(const oribi_arg_def *args, int32_t n, oribi_text *text)
{
    for (int32_t i = 0; i < n; i++) {
        const oribi_arg_def *arg = &args[i];
        oribi_text_printf(text, "%s%s: ", i ? ", " : "", arg->name);
        if (arg->number_attr) {
            oribi_text_printf(text, "%s * ", arg->number_attr);
        }
        oribi_text_printf(text, "%s%s%s", arg->is_ref ? "Ref(" : "",
                          arg->type_list_attr ? arg->type_list_attr
                          : arg->type_attr    ? arg->type_attr
                                              : oribi_dtype_name(arg->type),
                          arg->is_ref ? ")" : "");
    }
}

/* "(x: T, y: T) -> (z: T)" */
static void signature_field(oribi_json *json, const oribi_op_def *op)
{
    oribi_text text = {0};
    oribi_text_append(&text, "(");
    print_arguments(op->inputs, op->n_inputs, &text);
    oribi_text_append(&text, ") -> (");
    print_arguments(op->outputs, op->n_outputs, &text);
    oribi_text_append(&text, ")");
    json->text->failed = json->text->failed || text.failed;
    field(json, "signature", oribi_text_string(&text));
    oribi_text_destroy(&text);
}

/* As they were declared, also as lines of the definition. */
static void traits_field(oribi_json *json, const oribi_op_def *op, oribi_text *definition)
{
    oribi_json_key(json, "traits");
    oribi_json_open(json, '[');
    for (int32_t i = 0; i < op->n_traits; i++) {
        oribi_json_string(json, op->traits[i].spec);
        oribi_text_printf(definition, "  trait %s\n", op->traits[i].spec);
    }
    oribi_json_close(json, ']');
}

static void fusions_field(oribi_json *json, const oribi_op_def *op, oribi_text *definition)
{
    oribi_json_key(json, "fuses");
    oribi_json_open(json, '[');
    for (const oribi_fusion *f = op->fusions; f != NULL; f = f->next) {
        oribi_json_string(json, f->text);
        oribi_text_printf(definition, "  fuses %s\n", f->text);
    }
    oribi_json_close(json, ']');
}

static bool describe_op(void *arg, const oribi_op_def *op)
{
    oribi_json *json = arg;
    oribi_text definition = {0};
    oribi_op_print(op, &definition);
    oribi_json_open(json, '{');
    field(json, "name", op->name);
    signature_field(json, op);
    traits_field(json, op, &definition);
    fusions_field(json, op, &definition);
    json->text->failed = json->text->failed || definition.failed;
    field(json, "definition", oribi_text_string(&definition));
    field(json, "summary", op->summary);
    field(json, "description", op->description);
    field(json, "provider", op->provider);
    oribi_json_put_bool(json, "stateful", op->is_stateful);
    oribi_json_close(json, '}');
    oribi_text_destroy(&definition);
    return true;
}

static bool describe_kernel(void *arg, const oribi_kernel_def *kernel)
{
    oribi_json *json = arg;
    oribi_text constraints = {0};
    for (const oribi_kernel_constraint *c = kernel->constraints; c; c = c->next) {
        oribi_text_printf(&constraints, "%s%s=%s", constraints.length ? "," : "", c->attr,
                          oribi_dtype_name(c->type));
    }
    json->text->failed = json->text->failed || constraints.failed;
    oribi_json_open(json, '{');
    field(json, "op", kernel->op_name);
    field(json, "name", kernel->kernel_name);
    field(json, "device", kernel->device_type);
    oribi_json_put_int(json, "priority", kernel->priority);
    field(json, "constraints", oribi_text_string(&constraints));
    field(json, "label", kernel->label);
    field(json, "provider", kernel->provider);
    oribi_json_close(json, '}');
    oribi_text_destroy(&constraints);
    return true;
}

static bool describe_plugin(void *arg, const oribi_plugin_info *plugin)
{
    oribi_json *json = arg;
    oribi_json_open(json, '{');
    field(json, "name", plugin->name);
    field(json, "path", plugin->path);
    oribi_json_put_bool(json, "built_in", plugin->is_built_in);
    field(json, "options", plugin->options);
    oribi_json_put_int(json, "ops", plugin->n_ops);
    oribi_json_put_int(json, "kernels", plugin->n_kernels);
    field(json, "entry_points", plugin->entry_points);
    oribi_json_close(json, '}');
    return true;
}

/* "Conv2D, or Cast, Sub": names begin with a capital, words do not. Ops that are not registered are
 * for a plugin to bring. */
static void print_targets(const char *from, oribi_text *out)
{
    while (*from != '\0') {
        char name[128];
        const size_t length = strcspn(from, " ,;"), gap = strspn(from + length, " ,;");
        snprintf(name, sizeof name, "%.*s", (int)length, from);
        const bool is_name = name[0] >= 'A' && name[0] <= 'Z' && strchr(name, '<') == NULL;
        oribi_text_printf(out, "%.*s%s%.*s", (int)length, from,
                          is_name && oribi_op_find(name) == NULL ? " (of a plugin)" : "", (int)gap,
                          from + length);
        from += length + gap;
    }
}

/* One line "ONNX Conv 1-22 -> Conv2D, ..." of the importer's map. */
static void describe_map_line(oribi_json *json, char *line)
{
    char *arrow = strstr(line, " -> ");
    char *from = strncmp(line, "ONNX ", 5) == 0 ? line + 5 : line;
    if (!arrow) {
        return;
    }
    *arrow = '\0';
    char *versions = strchr(from, ' ');
    oribi_json_open(json, '{');
    if (versions) {
        *versions++ = '\0';
    }
    field(json, "onnx", from);
    if (versions) {
        char *end;
        long since = strtol(versions, &end, 10);
        oribi_json_put_int(json, "since", since);
        oribi_json_put_int(json, "until", *end == '-' ? strtol(end + 1, NULL, 10) : since);
    }
    oribi_text to = {0};
    print_targets(arrow + 4, &to);
    json->text->failed = json->text->failed || to.failed;
    field(json, "to", oribi_text_string(&to));
    oribi_json_close(json, '}');
    oribi_text_destroy(&to);
}

static void describe_map(oribi_json *json)
{
    oribi_text map = {0};
    oribi_import_onnx_print_map(&map);
    json->text->failed = json->text->failed || map.failed;
    for (char *line = map.data; line && *line;) {
        char *end = strchr(line, '\n');
        if (end) {
            *end = '\0';
        }
        describe_map_line(json, line);
        line = end ? end + 1 : NULL;
    }
    oribi_text_destroy(&map);
}

static void describe_list(oribi_json *json, const char *what)
{
    oribi_kernel_call_reserve();
    oribi_json_open(json, '{');
    field(json, "version", oribi_version());
    oribi_json_key(json, what);
    oribi_json_open(json, '[');
    if (strcmp(what, "ops") == 0) {
        oribi_op_each(describe_op, json);
    } else if (strcmp(what, "kernels") == 0) {
        oribi_kernel_each(describe_kernel, json);
    } else if (strcmp(what, "devices") == 0) {
        oribi_device_describe_all(json);
    } else if (strcmp(what, "plugins") == 0) {
        oribi_plugin_each(describe_plugin, json);
    } else {
        describe_map(json);
    }
    oribi_json_close(json, ']');
    oribi_json_close(json, '}');
}

typedef struct filter {
    oribi_json *json;
    const char *provider;
} filter;

static bool describe_op_of(void *arg, const oribi_op_def *op)
{
    const filter *wanted = arg;
    return strcmp(op->provider, wanted->provider) != 0 || describe_op(wanted->json, op);
}

static bool describe_kernel_of(void *arg, const oribi_kernel_def *kernel)
{
    const filter *wanted = arg;
    return strcmp(kernel->provider, wanted->provider) != 0 || describe_kernel(wanted->json, kernel);
}

static bool find_built_in(void *arg, const oribi_plugin_info *plugin)
{
    oribi_plugin_info *wanted = arg;
    const bool is_it = plugin->is_built_in && strcmp(plugin->name, wanted->name) == 0;
    if (is_it) {
        *wanted = *plugin;
    }
    return !is_it;
}

/* Registrations of the built-ins share a provider; each of those has either ops or kernels. */
static void describe_plugin_in_full(oribi_json *json, const char *path)
{
    filter wanted = {json, path};
    oribi_kernel_call_reserve();
    oribi_plugin_info built_in = {.name = path, .n_ops = 1, .n_kernels = 1};
    oribi_plugin_each(find_built_in, &built_in);
    if (built_in.is_built_in) {
        wanted.provider = "built-in";
    }
    oribi_json_open(json, '{');
    oribi_json_key(json, "ops");
    oribi_json_open(json, '[');
    if (built_in.n_ops > 0) {
        oribi_op_each(describe_op_of, &wanted);
    }
    oribi_json_close(json, ']');
    oribi_json_key(json, "kernels");
    oribi_json_open(json, '[');
    if (built_in.n_kernels > 0) {
        oribi_kernel_each(describe_kernel_of, &wanted);
    }
    oribi_json_close(json, ']');
    oribi_json_close(json, '}');
}

typedef struct name_list {
    const char **names;
    size_t n, capacity;
} name_list;

static bool collect_name(void *arg, const oribi_op_def *op)
{
    name_list *list = arg;
    if (list->n == list->capacity) {
        size_t more = list->capacity ? list->capacity * 2 : 256;
        const char **grown = oribi_realloc_array(list->names, more, sizeof(*grown));
        if (!grown) {
            return false; /* fewer names to guess from */
        }
        list->names = grown;
        list->capacity = more;
    }
    list->names[list->n++] = op->name;
    return true;
}

/* What the importer makes of the newest form of an ONNX operator, up to the end of the line. */
static const char *find_onnx(oribi_text *map, const char *name)
{
    const size_t length = strlen(name);
    const char *found = NULL;
    oribi_import_onnx_print_map(map);
    for (const char *at = oribi_text_string(map); *at != '\0'; at += strcspn(at, "\n") + 1) {
        const char *arrow = strstr(at, " -> ");
        if (strncmp(at, "ONNX ", 5) == 0 && strncmp(at + 5, name, length) == 0 &&
            at[5 + length] == ' ' && arrow != NULL) {
            found = arrow + 4;
        }
        if (at[strcspn(at, "\n")] == '\0') {
            break;
        }
    }
    return found;
}

static bool describe_one_op(oribi_json *json, const char *name, TF_Status *status)
{
    const oribi_op_def *op = oribi_op_find(name);
    if (op) {
        describe_op(json, op);
        return true;
    }
    name_list list = {0};
    oribi_text map = {0};
    oribi_op_each(collect_name, &list);
    const char *near = oribi_text_did_you_mean(name, list.names, list.n);
    const char *onnx = find_onnx(&map, name);
    if (onnx != NULL) {
        oribi_fail(status, TF_NOT_FOUND,
                   "there is no op '%s'; the ONNX operator of that name becomes: %.*s", name,
                   (int)strcspn(onnx, "\n"), onnx);
    } else {
        oribi_fail(status, TF_NOT_FOUND, "there is no op '%s'%s%s%s", name,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    oribi_text_destroy(&map);
    oribi_free(list.names);
    return false;
}

static void release_json(void *data, size_t length)
{
    (void)length;
    oribi_free(data);
}

void oribi_describe(const char *what, TF_Buffer *buffer, TF_Status *status)
{
    static const char *const lists[] = {"ops", "kernels", "plugins", "devices", "map"};
    oribi_text text = {0};
    oribi_json json = {.text = &text};
    bool ok = false;
    if (!ORIBI_GIVEN(status, what, buffer)) {
        return;
    }
    if (buffer->data) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "oribi_describe: the buffer is not empty");
        return;
    }
    if (!oribi_plugin_load_built_ins(status)) {
        return;
    }
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]) && !ok; i++) {
        if (strcmp(what, lists[i]) == 0) {
            describe_list(&json, what);
            ok = true;
        }
    }
    if (!ok && strcmp(what, "devices:try") == 0) {
        ok = oribi_device_try_all(status);
        describe_list(&json, "devices");
    } else if (!ok && strncmp(what, "plugin:", 7) == 0) {
        describe_plugin_in_full(&json, what + 7);
        ok = true;
    } else if (!ok && strncmp(what, "op:", 3) == 0) {
        ok = describe_one_op(&json, what + 3, status);
    } else if (!ok) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "oribi_describe: '%s' is not one of ops, op:NAME, kernels, plugins, "
                   "devices, devices:try, plugin:PATH, map",
                   what);
    }
    if (ok && text.failed) {
        ok = oribi_fail_memory(status);
    }
    if (!ok) {
        oribi_text_destroy(&text);
        return;
    }
    buffer->data = text.data;
    buffer->length = text.length;
    buffer->data_deallocator = release_json;
}
