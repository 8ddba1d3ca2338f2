/* SPDX-License-Identifier: Apache-2.0 */
/* The flow of a compilation: bytes, graph, calls, plan, files.
 *
 * The rooms of this folder, each of which sees those before it and none behind it:
 *   common    what was asked for; names, elements and files, without a model
 *   lower     nodes become calls of kernels
 *   plan      the program: what C calls its parts, where its values lie
 *   schedule  when things happen: the order of calls, the hooks of devices, as steps
 *   emit      C of a program, which is const   (does not see report)
 *   report    what is told of a program        (does not see emit)
 * and last this folder itself. Read next: plan/program.h, compile_finish.c.
 */
#include "compile/common/checksum.h"
#include "compile/emit/emit_parts.h"
#include "compile/finish.h"
#include "compile/lower_control.h"
#include "compile/plan/names.h"
#include "compile/report/report.h"
#include "compile/schedule/compile_steps.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "base/thread.h"
#include "import/open.h"
#include "pass/pass.h"
#include "plugin/plugin.h"
#include "tensor/patience.h"
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

static void destroy_program(oribi_program *program)
{
    oribi_devices_destroy(&program->devices);
    oribi_graph_destroy(program->graph);
    oribi_arena_destroy(&program->arena);
    oribi_free(program);
}

void oribi_compile_destroy(oribi_compile *compile)
{
    if (compile != NULL) {
        for (int32_t i = 0; i < compile->n_programs; i++) {
            destroy_program(compile->programs[i]);
        }
        oribi_files_drop(&compile->files);
        oribi_arena_destroy(&compile->files.arena);
        oribi_arena_destroy(&compile->arena);
        oribi_free(compile);
    }
}

void oribi_compile_set_option(oribi_compile *compile, const char *key, const char *value,
                              TF_Status *status)
{
    if (!ORIBI_GIVEN(status, compile, key)) {
        return;
    }
    if (compile->n_programs > 0) {
        oribi_fail(status, TF_FAILED_PRECONDITION,
                   "options must be set before the model is compiled");
        return;
    }
    (void)oribi_compile_options_set(&compile->options, &compile->arena, key, value, status);
}

/* --- Model ----------------------------------------------------------------------------------- */

/* The shapes of --shape, the last one first: it is the one that counts. */
static bool list_shapes(oribi_program *c, const oribi_input_shape **out, TF_Status *status)
{
    const oribi_option_list *list = &c->options->shapes;
    for (int32_t i = 0; i < list->n; i++) {
        oribi_dims dims;
        int32_t length = 0;
        (void)oribi_option_split(list->items[i], '=', &length);
        (void)oribi_option_shape(list->items[i], &dims); /* checked when it was set */
        oribi_input_shape *shape = oribi_arena_array(&c->arena, 1, sizeof *shape);
        const char *input = oribi_arena_strndup(&c->arena, list->items[i], (size_t)length);
        if (shape == NULL || input == NULL ||
            !oribi_shape_copy(&c->arena, dims.at, dims.n, &shape->shape)) {
            return oribi_fail_memory(status);
        }
        shape->input = input;
        shape->next = *out;
        *out = shape;
    }
    return true;
}

static bool import(oribi_program *c, const char *path, TF_Status *status)
{
    oribi_import_options options = {
        .max_bytes = oribi_memory_limit_bytes() / 2,
        .tflite_variant = (enum oribi_tflite_variant)c->options->tflite_variant,
        .batch_is_one = true,
        .is_one_of_several = c->has_siblings,
    };
    oribi_model_file file;
    ORIBI_TRY(list_shapes(c, &options.shapes, status));
    ORIBI_TRY(
        oribi_model_file_open(path, c->options->reads_files, options.max_bytes, &file, status));
    oribi_sha256_hex(file.data, file.bytes, c->sha256);
    c->graph = oribi_model_file_import(&file, options, status);
    oribi_model_file_close(&file);
    return c->graph != NULL;
}

/* "digits_int8" of "x/digits_int8.tflite". */
static bool choose_name(oribi_program *c, const char *path, const char *given, TF_Status *status)
{
    c->source_name = oribi_arena_strdup(&c->arena, oribi_path_name(path));
    ORIBI_TRY(c->source_name != NULL || oribi_fail_memory(status));
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

static void count_constants(oribi_program *c)
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

/* The files of one model. What several models share is made when all are done: compile_finish.c. */
static bool emit(const oribi_program *c, oribi_files *files, TF_Status *status)
{
    return oribi_emit_header(c, files, status) && oribi_emit_operators(c, files, status) &&
           oribi_emit_weights(c, files, status) && oribi_emit_self_test(c, files, status) &&
           oribi_emit_report(c, files, status);
}

/* A model of a file becomes a program. */
static bool plan(oribi_program *c, const char *path, const char *name, TF_Status *status)
{
    const oribi_pass_options options = {.plain_activations = true,
                                        .label =
                                            oribi_compile_kernels(c->options), /* for evaluate.c */
                                        .keep_names = c->options->no_fuse};
    oribi_pass_report report = {0};
    c->ports_in_workspace = c->options->io == ORIBI_IO_POOL;
    ORIBI_TRY(choose_name(c, path, name, status));
    c->kernels = c->kernels != NULL ? c->kernels : c->name;
    ORIBI_TRY(import(c, path, status));
    ORIBI_TRY(!oribi_target_has_open_states(c->graph) ||
              (oribi_pass_infer(c->graph, status) && oribi_target_open_states(c->graph, status)));
    ORIBI_TRY(oribi_pass_run_all(c->graph, &options, &report, status) &&
              oribi_compile_lower_control(c->graph, &options, &c->arena, status) &&
              oribi_lower_narrow_indices(c->graph, status));
    ORIBI_TRY(oribi_program_add_devices(c, status));
    oribi_lowering lowering = {.graph = c->graph,
                               .arena = &c->arena,
                               .options = c->options,
                               .partition = &c->devices.partition,
                               .status = status};
    ORIBI_TRY(oribi_lower_graph(&lowering, &c->calls, &c->n_calls) &&
              oribi_program_find_loops(c, status));
    ORIBI_TRY(oribi_program_ports(c, status));
    ORIBI_TRY(oribi_program_pools(c, status));
    ORIBI_TRY(oribi_program_check_names(c, status));
    ORIBI_TRY(oribi_program_choose(c, &lowering, status));
    ORIBI_TRY(oribi_instances_choose(c->calls, c->n_calls, c->options->optimize, &c->arena,
                                     &c->instances) ||
              oribi_fail_memory(status));
    ORIBI_TRY(oribi_program_place_constants(c, status));
    ORIBI_TRY(oribi_program_list_arrays(c, status));
    ORIBI_TRY(oribi_program_check_outputs(c, status));
    ORIBI_TRY(oribi_program_order_states(c, status));
    count_constants(c);
    return oribi_program_check_budget(c, status);
}

/* One more model, with the options of all. */
static oribi_program *add_program(oribi_compile *all, int32_t n, TF_Status *status)
{
    oribi_program *program = oribi_claim_zero(1, sizeof *program, status);
    if (program == NULL) {
        return NULL;
    }
    program->options = &all->options;
    program->has_siblings = n > 1;
    program->devices.overfull = -1;
    all->programs[all->n_programs++] = program;
    return program;
}

static bool add_kept_off(oribi_compile *all, const oribi_program *c, int32_t call,
                         oribi_kept_off *out)
{
    const oribi_region *region = c->calls[call].region;
    const oribi_device_instance *device = &c->devices.partition.devices[region->device];
    *out = (oribi_kept_off){
        .node = oribi_arena_strdup(&all->arena, region->nodes[0]->name),
        .n_nodes = region->n_nodes,
        .target = device->target,
        .why = oribi_arena_printf(&all->arena,
                                  "the memory of '%s' (%" PRId64
                                  " bytes) is too small for it beside what is there",
                                  device->name, device->target->memory_bytes),
    };
    return out->node != NULL && out->why != NULL;
}

/* The plan of the program failed since a device's memory is too small: all that it has kept off
 * that device, and the largest operators after each other until the schedule fits. The program is
 * of no further use. NULL: no operator can go, or no memory. */
static const oribi_kept_off *keep_off(oribi_compile *all, oribi_program *c, int32_t *out_n,
                                      TF_Status *status)
{
    int32_t n = c->n_kept_off, call = c->devices.overfull;
    const bool can_go = TF_GetCode(status) == TF_RESOURCE_EXHAUSTED && call >= 0;
    oribi_kept_off *more =
        can_go ? oribi_arena_array(&all->arena, (size_t)n + (size_t)c->n_calls + 1, sizeof *more)
               : NULL;
    if (more == NULL) {
        return NULL;
    }
    if (n > 0) {
        memcpy(more, c->kept_off, (size_t)n * sizeof *more);
    }
    for (bool fits = false; call >= 0 && !fits; call = c->devices.overfull) {
        if (!add_kept_off(all, c, call, &more[n++])) {
            return NULL;
        }
        c->calls[call].device = 0;
        fits = oribi_program_schedule(c, status);
    }
    *out_n = n;
    return more;
}

/* Operators that do not fit into a device's memory are the CPU's, as many of the largest as it
 * takes. Returns the program, a new one perhaps in place of the given; NULL: it has failed. */
static oribi_program *plan_within_devices(oribi_compile *all, oribi_program *program,
                                          const char *path, const char *name, TF_Status *status)
{
    const bool has_siblings = program->has_siblings;
    const int32_t index = all->n_programs - 1;
    program->kernels = index > 0 ? all->programs[0]->name : NULL;
    while (!plan(program, path, name, status)) {
        int32_t n;
        const int32_t n_before = program->n_kept_off;
        const oribi_kept_off *kept_off = keep_off(all, program, &n, status);
        if (kept_off == NULL) {
            return NULL;
        }
        for (int32_t i = n_before; i < n; i++) {
            const bool is_one = kept_off[i].n_nodes == 1;
            oribi_log(ORIBI_LOG_WARNING, "%s: node '%s'%s: %s", path, kept_off[i].node,
                      is_one ? " stays on the CPU"
                             : " and those behind it are no operator of the device",
                      kept_off[i].why);
        }
        destroy_program(program);
        all->n_programs = index;
        TF_SetStatus(status, TF_OK, "");
        program = add_program(all, has_siblings ? 2 : 1, status);
        if (program == NULL) {
            return NULL;
        }
        program->kernels = index > 0 ? all->programs[0]->name : NULL;
        program->kept_off = kept_off;
        program->n_kept_off = n;
    }
    return program;
}

/* Two models whose symbols would be the same. */
static bool check_name(const oribi_compile *all, const oribi_program *program, TF_Status *status)
{
    for (int32_t i = 0; i < all->n_programs; i++) {
        if (all->programs[i] != program && strcmp(all->programs[i]->macro, program->macro) == 0) {
            return oribi_fail(status, TF_INVALID_ARGUMENT,
                              "two models would both be called '%s' in C; name them apart with "
                              "--name, once for each",
                              program->name);
        }
    }
    return true;
}

/* Of several models, each --shape must be for an input of one. */
static bool check_shapes(const oribi_compile *all, TF_Status *status)
{
    const oribi_option_list *list = &all->options.shapes;
    for (int32_t i = 0; i < list->n; i++) {
        int32_t length = 0;
        bool is_found = false;
        (void)oribi_option_split(list->items[i], '=', &length);
        for (int32_t p = 0; p < all->n_programs; p++) {
            const oribi_graph *graph = all->programs[p]->graph;
            for (int32_t k = 0; k < graph->n_inputs; k++) {
                const char *name = graph->input_names[k];
                is_found |= strlen(name) == (size_t)length &&
                            memcmp(name, list->items[i], (size_t)length) == 0;
            }
        }
        if (!is_found) {
            return oribi_fail(status, TF_INVALID_ARGUMENT,
                              "--shape %s: none of the models has such an input", list->items[i]);
        }
    }
    return true;
}

static bool compile_now(oribi_compile *all, const char *const *paths, int32_t n, TF_Status *status)
{
    const oribi_option_list *names = &all->options.names;
    if (names->n > n) {
        return oribi_fail(status, TF_INVALID_ARGUMENT, "there are %d names for %d models",
                          (int)names->n, (int)n);
    }
    all->programs = oribi_claim_array(&all->arena, (size_t)n, sizeof(oribi_program *), status);
    ORIBI_TRY(all->programs != NULL);
    ORIBI_TRY(oribi_plugin_load_built_ins(status));
    for (int32_t i = 0; i < n; i++) {
        oribi_program *program = add_program(all, n, status);
        if (program == NULL) {
            return false;
        }
        const char *name = i < names->n ? names->items[i] : NULL;
        program = plan_within_devices(all, program, paths[i], name, status);
        ORIBI_TRY(program != NULL && emit(program, &all->files, status) &&
                  check_name(all, program, status));
    }
    return check_shapes(all, status) && oribi_compile_finish(all, status);
}

/* The same within the time that the options allow. */
static bool compile_all(oribi_compile *all, const char *const *paths, int32_t n, TF_Status *status)
{
    oribi_patience patience;
    oribi_compile_patience(&all->options, "compiling", &patience);
    oribi_patience_begin(&patience);
    const bool ok = compile_now(all, paths, n, status);
    oribi_patience_end(&patience);
    return ok;
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
    if (compile->n_programs > 0) {
        oribi_fail(status, TF_FAILED_PRECONDITION,
                   "this compilation already has its models; make another one");
    } else if (n_paths < 1 || n_paths > ORIBI_COMPILE_MODELS) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "a compilation takes 1 to %d models, not %d",
                   ORIBI_COMPILE_MODELS, n_paths);
    } else if (!are_given(paths, n_paths, status)) {
        return;
    } else if (!compile_all(compile, paths, n_paths, status)) {
        oribi_files_drop(&compile->files);
    } else if (oribi_alloc_failures() != failures) {
        /* A pass that ran out of memory leaves a node as it is, which gives other files. */
        oribi_files_drop(&compile->files);
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
