/* SPDX-License-Identifier: Apache-2.0 */
/* Options of models and sessions. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/thread.h"
#include "check/check.h"
#include "kernel/kernel.h"
#include "plugin/plugin.h"
#include "session/session_internal.h"

oribi_options *oribi_options_create(TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    oribi_options *options = oribi_alloc_zero(1, sizeof *options);
    if (options == NULL) {
        oribi_fail_memory(status);
    }
    return options;
}

static bool copy_places(oribi_arena *arena, const oribi_node_place *from, oribi_node_place **out)
{
    *out = NULL;
    for (; from != NULL; from = from->next, out = &(*out)->next) {
        oribi_node_place *place = oribi_arena_array(arena, 1, sizeof *place);
        char *node = oribi_arena_strdup(arena, from->node);
        char *device = oribi_arena_strdup(arena, from->device);
        if (place == NULL || node == NULL || device == NULL) {
            return false;
        }
        *place = (oribi_node_place){node, device, NULL};
        *out = place;
    }
    return true;
}

/* NULL stays NULL. */
static bool copy_text(oribi_arena *arena, const char *from, const char **out)
{
    *out = from != NULL ? oribi_arena_strdup(arena, from) : NULL;
    return from == NULL || *out != NULL;
}

oribi_options *oribi_options_copy(const oribi_options *options, TF_Status *status)
{
    oribi_options *copy = oribi_options_create(status);
    if (copy == NULL || options == NULL) {
        return copy;
    }
    copy->threads = options->threads;
    copy->max_bytes = options->max_bytes;
    copy->follow_links = options->follow_links;
    copy->tflite_variant = options->tflite_variant;
    copy->reads_files = options->reads_files;
    copy->disabled_passes = options->disabled_passes;
    copy->kernels = options->kernels;
    copy->isa = options->isa;
    copy->has_thread_pool = options->has_thread_pool;
    copy->thread_pool = options->thread_pool;
    copy->is_strict = options->is_strict;
    copy->keeps_islands = options->keeps_islands;
    copy->device_max_bytes = options->device_max_bytes;
    copy->has_unified_memory = options->has_unified_memory;
    copy->check = options->check;
    if (!copy_text(&copy->arena, options->device, &copy->device) ||
        !copy_text(&copy->arena, options->signature, &copy->signature) ||
        !copy_text(&copy->arena, options->record_file, &copy->record_file) ||
        !copy_text(&copy->arena, options->record_node, &copy->record_node) ||
        !copy_places(&copy->arena, options->places, &copy->places)) {
        oribi_options_destroy(copy);
        oribi_fail_memory(status);
        return NULL;
    }
    return copy;
}

void oribi_options_destroy(oribi_options *options)
{
    if (options != NULL) {
        oribi_arena_destroy(&options->arena);
        oribi_free(options);
    }
}

void oribi_options_set_threads(oribi_options *options, int threads)
{
    if (options == NULL) {
        return;
    }
    options->threads = threads > 0 ? threads : 0;
}

void oribi_options_set_thread_pool(oribi_options *options, const oribi_thread_pool *pool,
                                   TF_Status *status)
{
    if (!ORIBI_GIVEN(status, options)) {
        return;
    }
    if (pool == NULL) {
        options->has_thread_pool = false;
        return;
    }
    if (pool->struct_size < TF_OFFSET_OF_END(oribi_thread_pool, schedule)) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "thread pool: struct_size is %zu; set it to sizeof(oribi_thread_pool)",
                   pool->struct_size);
    } else if (pool->schedule == NULL || pool->num_threads < 0) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "thread pool: %s",
                   pool->schedule == NULL ? "the function schedule is missing"
                                          : "num_threads is negative");
    } else {
        options->thread_pool = *pool;
        options->has_thread_pool = true;
    }
}

oribi_pool *oribi_options_make_pool(const oribi_options *options, TF_Status *status)
{
    const int threads = options != NULL ? options->threads : 0;
    if (options == NULL || !options->has_thread_pool) {
        return oribi_pool_create(threads, status);
    }
    const oribi_thread_pool *own = &options->thread_pool;
    const oribi_pool_outside outside = {own->object, own->schedule};
    const int most = own->num_threads < INT_MAX ? own->num_threads + 1 : INT_MAX;
    return oribi_pool_create_outside(threads > 0 && threads < most ? threads : most, &outside,
                                     status);
}

void oribi_options_set_max_bytes(oribi_options *options, uint64_t bytes)
{
    if (options == NULL) {
        return;
    }
    options->max_bytes = bytes;
}

uint64_t oribi_options_max_bytes(const oribi_options *options)
{
    return options != NULL && options->max_bytes > 0 ? options->max_bytes
                                                     : oribi_memory_limit_bytes() / 2;
}

void oribi_options_set_follow_links(oribi_options *options, bool follow)
{
    if (options == NULL) {
        return;
    }
    options->follow_links = follow;
}

void oribi_options_set_time_limit(oribi_options *options, uint64_t nanoseconds)
{
    if (options == NULL) {
        return;
    }
    const uint64_t now = oribi_now_ns();
    options->deadline_ns = nanoseconds == 0                 ? 0
                           : nanoseconds > UINT64_MAX - now ? UINT64_MAX
                                                            : now + nanoseconds;
}

void oribi_options_cancel(oribi_options *options)
{
    if (options != NULL) {
        atomic_store(&options->stop, ORIBI_STOP_CANCELLED);
    }
}

void oribi_options_begin(const oribi_options *options, const char *what, oribi_patience *patience)
{
    *patience = (oribi_patience){.what = what};
    if (options != NULL) {
        patience->deadline_ns = options->deadline_ns;
        patience->stop = (atomic_int *)&options->stop;
    }
    oribi_patience_begin(patience);
}

void oribi_options_set_read_files(oribi_options *options, bool read)
{
    if (options != NULL) {
        options->reads_files = read;
    }
}

void oribi_options_set_tflite_variant(oribi_options *options, const char *variant,
                                      TF_Status *status)
{
    if (!ORIBI_GIVEN(status, options, variant)) {
        return;
    }
    const int32_t found = oribi_tflite_variant_find(variant);
    if (found < 0) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "there is no TFLite variant '%s'; choose tflm, tflite or litert", variant);
        return;
    }
    options->tflite_variant = (enum oribi_tflite_variant)found;
}

void oribi_options_set_signature(oribi_options *options, const char *signature, TF_Status *status)
{
    if (ORIBI_GIVEN(status, options, signature)) {
        options->signature = oribi_arena_strdup(&options->arena, signature);
        (void)(options->signature != NULL || oribi_fail_memory(status));
    }
}

void oribi_options_set_kernels(oribi_options *options, const char *kernels, TF_Status *status)
{
    if (!ORIBI_GIVEN(status, options, kernels)) {
        return;
    }
    if (strcmp(kernels, "fast") == 0) {
        options->kernels = NULL;
    } else if (strcmp(kernels, "micro") == 0) {
        options->kernels = "micro";
    } else if (strcmp(kernels, "micro-fma") == 0) {
        options->kernels = "micro-fma";
    } else {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "there are no kernels '%s'; choose fast, micro or micro-fma", kernels);
    }
}

void oribi_options_set_instruction_set(oribi_options *options, const char *name, TF_Status *status)
{
    if (!ORIBI_GIVEN(status, options, name) || !oribi_plugin_load_built_ins(status)) {
        return;
    }
    const oribi_instruction_set *set = oribi_instruction_set_find(name, status);
    options->isa = set != NULL ? set : options->isa;
}

void oribi_options_disable_pass(oribi_options *options, const char *pass, TF_Status *status)
{
    static const struct {
        const char *name;
        uint32_t bit;
    } passes[] = {{"fold", ORIBI_PASS_FOLD},
                  {"fuse", ORIBI_PASS_FUSE},
                  {"layout", ORIBI_PASS_LAYOUT},
                  {"batch_norm", ORIBI_PASS_BATCH_NORM},
                  {"qdq", ORIBI_PASS_QDQ}};
    if (!ORIBI_GIVEN(status, options, pass)) {
        return;
    }
    for (size_t i = 0; i < sizeof passes / sizeof passes[0]; i++) {
        if (strcmp(pass, passes[i].name) == 0) {
            options->disabled_passes |= passes[i].bit;
            return;
        }
    }
    oribi_fail(status, TF_INVALID_ARGUMENT,
               "there is no pass '%s' to switch off; the passes are fold, fuse, layout, batch_norm "
               "and qdq",
               pass);
}

static bool shape_is_fine(const char *input, const int64_t *dims, int num_dims, TF_Status *status)
{
    if (num_dims > 0 && dims == NULL) {
        return oribi_fail(status, TF_INVALID_ARGUMENT, "input '%s': dims is NULL", input);
    }
    if (num_dims < 0 || num_dims > ORIBI_MAX_TENSOR_RANK) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "input '%s': the rank is %d, but at most %d is supported", input,
                          num_dims, ORIBI_MAX_TENSOR_RANK);
    }
    for (int i = 0; i < num_dims; i++) {
        if (dims[i] < 0) {
            return oribi_fail(status, TF_INVALID_ARGUMENT, "input '%s': dimension %d is negative",
                              input, i);
        }
    }
    return true;
}

static oribi_input_shape *copy_shape(oribi_arena *arena, const oribi_input_shape *given)
{
    oribi_input_shape *copy = oribi_arena_array(arena, 1, sizeof *copy);
    const char *name = oribi_arena_strdup(arena, given->input);
    if (copy == NULL || name == NULL ||
        !oribi_shape_copy(arena, given->shape.dims, given->shape.rank, &copy->shape)) {
        return NULL;
    }
    copy->input = name;
    return copy;
}

void oribi_options_set_input_shape(oribi_options *options, const char *input, const int64_t *dims,
                                   int num_dims, TF_Status *status)
{
    if (!ORIBI_GIVEN(status, options, input)) {
        return;
    }
    if (!shape_is_fine(input, dims, num_dims, status)) {
        return;
    }
    const oribi_input_shape given = {input, {num_dims, (int64_t *)dims}, NULL};
    oribi_input_shape *copy = copy_shape(&options->arena, &given);
    if (copy == NULL) {
        oribi_fail_memory(status);
        return;
    }
    copy->next = options->shapes; /* a later one is found first */
    options->shapes = copy;
}

bool oribi_input_shapes_copy(oribi_arena *arena, const oribi_input_shape *shapes,
                             const oribi_input_shape **out)
{
    *out = NULL;
    for (; shapes != NULL; shapes = shapes->next) {
        oribi_input_shape *copy = copy_shape(arena, shapes);
        if (copy == NULL) {
            return false;
        }
        *out = copy;
        out = &copy->next;
    }
    return true;
}

/* --- Where nodes run; whether the devices are there shows when a session is made ----------------
 */

static bool check_form(const char *device, TF_Status *status)
{
    const size_t length = strcspn(device, ":");
    char *end = NULL;
    bool ok = length > 0;
    if (ok && device[length] == ':') {
        const long number = strtol(device + length + 1, &end, 10);
        ok = end != device + length + 1 && *end == '\0' && number >= 0;
    }
    return ok || oribi_fail(status, TF_INVALID_ARGUMENT,
                            "device '%s': write NAME or NAME:N, N from 0", device);
}

void oribi_options_set_device(oribi_options *options, const char *device, TF_Status *status)
{
    if (!ORIBI_GIVEN(status, options, device)) {
        return;
    }
    if (!check_form(device, status)) {
        return;
    }
    const char *copy = oribi_arena_strdup(&options->arena, device);
    if (copy == NULL) {
        oribi_fail_memory(status);
        return;
    }
    options->device = copy;
}

void oribi_options_place_node(oribi_options *options, const char *node, const char *device,
                              TF_Status *status)
{
    if (!ORIBI_GIVEN(status, options, node, device)) {
        return;
    }
    if (!check_form(device, status)) {
        return;
    }
    oribi_node_place *place = oribi_arena_array(&options->arena, 1, sizeof *place);
    char *name = oribi_arena_strdup(&options->arena, node);
    char *where = oribi_arena_strdup(&options->arena, device);
    if (place == NULL || name == NULL || where == NULL) {
        oribi_fail_memory(status);
        return;
    }
    *place = (oribi_node_place){name, where, NULL};
    oribi_node_place **last = &options->places;
    while (*last != NULL) {
        last = &(*last)->next;
    }
    *last = place;
}

void oribi_options_set_soft_placement(oribi_options *options, bool soft)
{
    if (options == NULL) {
        return;
    }
    options->is_strict = !soft;
}

void oribi_options_set_device_max_bytes(oribi_options *options, uint64_t bytes)
{
    if (options == NULL) {
        return;
    }
    options->device_max_bytes = bytes;
}

/* What the caller said of the host counts for devices too; else the device itself is the limit. */
uint64_t oribi_options_device_max_bytes(const oribi_options *options)
{
    const uint64_t own = options != NULL ? options->device_max_bytes : 0;
    const uint64_t host = options != NULL ? options->max_bytes : 0;
    return own > 0 ? own : host > 0 ? host : UINT64_MAX;
}

void oribi_options_set_unified_memory(oribi_options *options, bool unified)
{
    if (options == NULL) {
        return;
    }
    options->has_unified_memory = unified;
}

void oribi_options_set_keep_islands(oribi_options *options, bool keep)
{
    if (options == NULL) {
        return;
    }
    options->keeps_islands = keep;
}

/* --- Checks and records (src/check) ---------------------------------------------------------- */

void oribi_options_set_check(oribi_options *options, const char *kernels, TF_Status *status)
{
    oribi_check_whose whose;
    if (!ORIBI_GIVEN(status, options, kernels) || !oribi_check_parse(kernels, &whose, status)) {
        return;
    }
    options->check = whose == ORIBI_CHECK_ALL       ? "all"
                     : whose == ORIBI_CHECK_PLUGINS ? "plugins"
                                                    : "off";
}

void oribi_options_set_record(oribi_options *options, const char *file, const char *node,
                              TF_Status *status)
{
    if (!ORIBI_GIVEN(status, options, file)) {
        return;
    }
    const char *own_file = oribi_arena_strdup(&options->arena, file);
    const char *own_node = node != NULL ? oribi_arena_strdup(&options->arena, node) : NULL;
    if (own_file == NULL || (node != NULL && own_node == NULL)) {
        oribi_fail_memory(status);
        return;
    }
    options->record_file = own_file;
    options->record_node = own_node;
}

bool oribi_session_check_begin(oribi_session *session, const oribi_options *options,
                               TF_Status *status)
{
    oribi_check_whose whose = ORIBI_CHECK_NONE;
    const char *text = options != NULL ? options->check : NULL;
    if (text == NULL) {
        text = secure_getenv("ORIBI_CHECK");
        if (text != NULL && !oribi_check_parse(text, &whose, status)) {
            oribi_status_prefix(status, "ORIBI_CHECK: ");
            return false;
        }
    } else {
        ORIBI_TRY(oribi_check_parse(text, &whose, status));
    }
    const char *file = options != NULL ? options->record_file : NULL;
    if (whose == ORIBI_CHECK_NONE && file == NULL) {
        return true;
    }
    oribi_check *check = oribi_claim_array(&session->arena, 1, sizeof *check, status);
    ORIBI_TRY(check != NULL);
    *check = (oribi_check){.whose = whose};
    check->file = file != NULL ? oribi_arena_strdup(&session->arena, file) : NULL;
    check->node = file != NULL && options->record_node != NULL
                      ? oribi_arena_strdup(&session->arena, options->record_node)
                      : NULL;
    if ((file != NULL && check->file == NULL) ||
        (file != NULL && options->record_node != NULL && check->node == NULL)) {
        return oribi_fail_memory(status);
    }
    session->check = check;
    return true;
}

bool oribi_session_check_found(const oribi_session *session, TF_Status *status)
{
    const oribi_check *check = session->check;
    if (check == NULL || check->node == NULL || check->has_node || session->graph->is_open) {
        return true;
    }
    for (int32_t s = 0; s < session->n_steps; s++) {
        if (strcmp(session->steps[s].node->name, check->node) == 0) {
            return oribi_fail(status, TF_UNIMPLEMENTED,
                              "node '%s' runs on %s; calls on the CPU alone are recorded",
                              check->node, session->devices[session->steps[s].device].name);
        }
    }
    return oribi_fail(status, TF_NOT_FOUND,
                      "no step runs a node '%s' whose call could be recorded; `oribi inspect "
                      "--steps` lists them",
                      check->node);
}
