/* SPDX-License-Identifier: Apache-2.0 */
/* The flow of a compilation: bytes, graph, calls, plan, files. Read next: compile_internal.h,
 * options.c, files.c. */
#include "compile/compile_internal.h"
#include "compile/names.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/thread.h"
#include "import/import.h"
#include "pass/pass.h"
#include "plugin/plugin.h"
#include "tensor/status.h"

/* --- Life ------------------------------------------------------------------------------------ */

oribi_compile *oribi_compile_create(TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    oribi_compile *compile = oribi_alloc_zero(1, sizeof *compile);
    if (compile == NULL) {
        oribi_fail_memory(status);
    }
    return compile;
}

void oribi_compile_destroy(oribi_compile *compile)
{
    if (compile != NULL) {
        for (int32_t i = 0; i < compile->n_models; i++) {
            oribi_compile_destroy(compile->models[i]);
        }
        oribi_compile_drop_files(compile);
        oribi_compile_destroy_devices(&compile->devices);
        oribi_graph_destroy(compile->graph);
        oribi_arena_destroy(&compile->arena);
        oribi_free(compile);
    }
}

/* --- Model ----------------------------------------------------------------------------------- */

static bool import(oribi_compile *c, const char *path, TF_Status *status)
{
    const uint64_t max_bytes = oribi_memory_limit_bytes() / 2;
    char *folder = oribi_path_folder(path);
    const uint8_t *data = NULL;
    size_t bytes = 0;
    if (folder == NULL) {
        return oribi_fail_memory(status);
    }
    oribi_source *source =
        oribi_source_open(path, c->options.reads_files, max_bytes, &data, &bytes, status);
    if (source != NULL) {
        oribi_sha256_hex(data, bytes, c->sha256);
        const oribi_import_options options = {
            .folder = folder,
            .reads_files = c->options.reads_files,
            .max_bytes = max_bytes,
            .held_bytes = c->options.reads_files ? bytes : 0,
            .rounds_as_tflite = c->options.tflite_variant == ORIBI_VARIANT_TFLITE,
        };
        c->graph = oribi_import(data, bytes, source, path, &options, status);
    }
    oribi_free(folder);
    return c->graph != NULL;
}

/* "digits_int8" of "x/digits_int8.tflite". */
static bool choose_name(oribi_compile *c, const char *path, const char *given, TF_Status *status)
{
    c->source_name = oribi_arena_strdup(&c->arena, oribi_path_name(path));
    if (c->source_name == NULL) {
        return oribi_fail_memory(status);
    }
    const char *dot = strrchr(c->source_name, '.');
    const size_t length = dot != NULL ? (size_t)(dot - c->source_name) : strlen(c->source_name);
    const char *stem = oribi_arena_strndup(&c->arena, c->source_name, length);
    c->name = given != NULL  ? given
              : stem != NULL ? oribi_compile_identifier(&c->arena, stem)
                             : NULL;
    c->macro = c->name != NULL ? oribi_compile_upper(&c->arena, c->name) : NULL;
    return c->macro != NULL || oribi_fail_memory(status);
}

/* --- Sizes ------------------------------------------------------------------------------------ */

static void count_constants(oribi_compile *c)
{
    c->constants_bytes = 0;
    for (int32_t i = 0; i < c->n_calls; i++) {
        c->constants_bytes += oribi_call_flash(&c->calls[i]);
    }
    for (int32_t i = 0; i < c->n_constants; i++) {
        c->constants_bytes += c->constants[i].count * oribi_element_bytes(c->constants[i].kind);
    }
}

/* --- Flow ------------------------------------------------------------------------------------ */

/* The files of one model. What several models share is made when all are done: files.c. */
static bool emit(oribi_compile *c, TF_Status *status)
{
    return oribi_emit_header(c, status) && oribi_emit_operators(c, status) &&
           oribi_emit_weights(c, status) && oribi_emit_self_test(c, status) &&
           oribi_emit_report(c, status);
}

/* A batch that is not fixed is 1 in compiled code. */
static bool fix_batch(oribi_graph *graph, TF_Status *status)
{
    for (int32_t i = 0; i < graph->n_inputs; i++) {
        oribi_shape *shape = &graph->values[graph->inputs[i]]->shape;
        if (shape->rank > 0 && shape->dims[0] < 0) {
            if (!oribi_shape_copy(&graph->arena, shape->dims, shape->rank, shape)) {
                return oribi_fail_memory(status);
            }
            shape->dims[0] = 1;
        }
    }
    return true;
}

static bool compile(oribi_compile *c, const char *path, const char *name, TF_Status *status)
{
    const oribi_pass_options options = {.plain_activations = true,
                                        .label = "micro", /* for evaluate.c */
                                        .keep_names = c->options.no_fuse};
    oribi_pass_report report = {0};
    c->ports_in_workspace = c->options.io == ORIBI_IO_POOL;
    ORIBI_TRY(choose_name(c, path, name, status));
    c->kernels = c->kernels != NULL ? c->kernels : c->name;
    ORIBI_TRY(import(c, path, status));
    ORIBI_TRY(fix_batch(c->graph, status));
    ORIBI_TRY(oribi_pass_run_all(c->graph, &options, &report, status));
    ORIBI_TRY(oribi_compile_add_devices(c, status));
    oribi_lowering lowering = {.graph = c->graph,
                               .arena = &c->arena,
                               .options = &c->options,
                               .devices = &c->devices,
                               .status = status};
    ORIBI_TRY(oribi_lower_graph(&lowering, &c->calls, &c->n_calls));
    ORIBI_TRY(oribi_compile_ports(c, status));
    ORIBI_TRY(oribi_compile_pools(c, status));
    ORIBI_TRY(oribi_compile_check_names(c, status));
    ORIBI_TRY(oribi_compile_choose(c, &lowering, status));
    if (!oribi_instances_choose(c->calls, c->n_calls, c->options.optimize, &c->arena,
                                &c->instances)) {
        return oribi_fail_memory(status);
    }
    ORIBI_TRY(oribi_lower_check_fields(&lowering, c->name));
    ORIBI_TRY(oribi_compile_place_constants(c, status));
    ORIBI_TRY(oribi_compile_list_arrays(c, status));
    ORIBI_TRY(oribi_compile_check_outputs(c, status));
    ORIBI_TRY(oribi_compile_order_states(c, status));
    count_constants(c);
    ORIBI_TRY(oribi_compile_check_budget(c, status));
    return emit(c, status);
}

/* One more model, with the options of all. */
static oribi_compile *add_model(oribi_compile *all, int32_t n, TF_Status *status)
{
    oribi_compile *model = oribi_compile_create(status);
    if (model != NULL) {
        model->options = all->options;
        model->has_siblings = n > 1;
        all->models[all->n_models++] = model;
    }
    return model;
}

/* Two models whose symbols would be the same. */
static bool check_model_name(const oribi_compile *all, const oribi_compile *model,
                             TF_Status *status)
{
    for (int32_t i = 0; i < all->n_models; i++) {
        if (all->models[i] != model && strcmp(all->models[i]->macro, model->macro) == 0) {
            return oribi_fail(status, TF_INVALID_ARGUMENT,
                              "two models would both be called '%s' in C; name them apart with "
                              "--name, once for each",
                              model->name);
        }
    }
    return true;
}

static bool compile_all(oribi_compile *all, const char *const *paths, int32_t n, TF_Status *status)
{
    const oribi_option_list *names = &all->options.names;
    if (names->n > n) {
        return oribi_fail(status, TF_INVALID_ARGUMENT, "%d names for %d models", (int)names->n,
                          (int)n);
    }
    all->models = oribi_arena_array(&all->arena, (size_t)n, sizeof(oribi_compile *));
    if (all->models == NULL) {
        return oribi_fail_memory(status);
    }
    ORIBI_TRY(oribi_plugin_load_built_ins(status));
    for (int32_t i = 0; i < n; i++) {
        oribi_compile *model = add_model(all, n, status);
        if (model == NULL) {
            return false;
        }
        model->kernels = i > 0 ? all->models[0]->name : NULL;
        ORIBI_TRY(compile(model, paths[i], i < names->n ? names->items[i] : NULL, status));
        ORIBI_TRY(check_model_name(all, model, status));
    }
    return oribi_compile_finish(all, status);
}

static bool are_given(const char *const *paths, int n_paths, TF_Status *status)
{
    for (int i = 0; i < n_paths; i++) {
        if (paths[i] == NULL) {
            return oribi_fail(status, TF_INVALID_ARGUMENT, "path %d of %d is NULL", i, n_paths);
        }
    }
    return true;
}

void oribi_compile_models(oribi_compile *compile, const char *const *paths, int n_paths,
                          TF_Status *status)
{
    const uint64_t failures = oribi_alloc_failures();
    if (!ORIBI_GIVEN(status, compile, paths)) {
        return;
    }
    if (compile->n_models > 0) {
        oribi_fail(status, TF_FAILED_PRECONDITION,
                   "this compilation has its models already; make another one");
    } else if (n_paths < 1 || n_paths > ORIBI_COMPILE_MODELS) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "1 to %d models, not %d", ORIBI_COMPILE_MODELS,
                   n_paths);
    } else if (!are_given(paths, n_paths, status)) {
        return;
    } else if (!compile_all(compile, paths, n_paths, status)) {
        oribi_compile_drop_files(compile);
    } else if (oribi_alloc_failures() != failures) {
        /* A pass that ran out of memory leaves a node as it is, which gives other files. */
        oribi_compile_drop_files(compile);
        oribi_fail_memory(status);
    }
}

void oribi_compile_model(oribi_compile *compile, const char *path, TF_Status *status)
{
    if (!ORIBI_GIVEN(status, compile, path)) {
        return;
    }
    oribi_compile_models(compile, &path, 1, status);
}
