/* SPDX-License-Identifier: Apache-2.0 */
/* Models: open bytes, import them, tell their inputs and outputs; sessions of a model. */
#include "session/model_internal.h"

#include <string.h>

#include "base/alloc.h"
#include "plugin/plugin.h"
#include "session/pack/pack_write.h"
#include "session/pack/packs.h"
#include "session/session.h"

/* --- Import ---------------------------------------------------------------------------------- */

static oribi_import_options import_options(const oribi_model *model, const oribi_options *options)
{
    return (oribi_import_options){
        .follow_links = model->follow_links || (options != NULL && options->follow_links),
        .max_bytes =
            options != NULL && options->max_bytes > 0 ? options->max_bytes : model->max_bytes,
        .tflite_variant = options != NULL && options->tflite_variant != ORIBI_VARIANT_TFLM
                              ? options->tflite_variant
                              : model->tflite_variant,
        .shapes = options != NULL && options->shapes != NULL ? options->shapes : model->shapes,
        .signature = model->signature,
        .ends = model->ends,
        .may_be_open = true,
        .may_be_packed = true,
    };
}

static oribi_graph *import(const oribi_model *model, const oribi_options *options,
                           TF_Status *status)
{
    return oribi_model_file_import(&model->file, import_options(model, options), status);
}

/* --- Descriptions ---------------------------------------------------------------------------- */

static bool copy_ports(oribi_arena *arena, const oribi_graph *graph, const oribi_value_id *ids,
                       const char *const *names, const oribi_quantisation *units, int32_t n,
                       const char ***out_names, TF_DataType **out_types, oribi_shape **out_shapes,
                       oribi_quantisation **out_units)
{
    *out_units = oribi_arena_memdup(arena, units, (size_t)n * sizeof *units);
    *out_names = oribi_arena_array(arena, (size_t)n + 1, sizeof(char *));
    *out_types = oribi_arena_array(arena, (size_t)n + 1, sizeof(TF_DataType));
    *out_shapes = oribi_arena_array(arena, (size_t)n + 1, sizeof(oribi_shape));
    if (*out_names == NULL || *out_types == NULL || *out_shapes == NULL ||
        (n > 0 && *out_units == NULL)) {
        return false;
    }
    for (int32_t i = 0; i < n; i++) {
        const oribi_value *value = graph->values[ids[i]];
        (*out_names)[i] = oribi_arena_strdup(arena, names[i]);
        (*out_types)[i] = value->dtype;
        if ((*out_names)[i] == NULL ||
            !oribi_shape_copy(arena, value->shape.dims, value->shape.rank, &(*out_shapes)[i])) {
            return false;
        }
    }
    return true;
}

static bool copy_metadata(oribi_model *model, const oribi_graph *graph)
{
    const oribi_metadata **end = &model->metadata;
    for (const oribi_metadata *m = graph->metadata; m != NULL; m = m->next) {
        oribi_metadata *made = oribi_arena_memdup(&model->arena, m, sizeof *m);
        if (made == NULL) {
            return false;
        }
        made->key = oribi_arena_strdup(&model->arena, m->key);
        made->value = oribi_arena_strdup(&model->arena, m->value);
        made->next = NULL;
        if (made->key == NULL || made->value == NULL) {
            return false;
        }
        *end = made;
        end = (const oribi_metadata **)&made->next;
    }
    return true;
}

static bool describe_ports(oribi_model *model, const oribi_graph *graph)
{
    model->n_inputs = graph->n_inputs - graph->n_states;
    model->n_outputs = graph->n_outputs - graph->n_states;
    return copy_ports(&model->arena, graph, graph->inputs, graph->input_names,
                      graph->input_quantisation, model->n_inputs, &model->input_names,
                      &model->input_types, &model->input_shapes, &model->input_units) &&
           copy_ports(&model->arena, graph, graph->outputs, graph->output_names,
                      graph->output_quantisation, model->n_outputs, &model->output_names,
                      &model->output_types, &model->output_shapes, &model->output_units);
}

/* --- Life ------------------------------------------------------------------------------------ */

/* Takes over the file, also when it fails. */
static oribi_model *model_new(oribi_model_file *file, const oribi_import_ends *ends,
                              const oribi_options *options, TF_Status *status)
{
    oribi_model *model = oribi_alloc_zero(1, sizeof *model);
    if (model == NULL || !oribi_mutex_init(&model->lock)) {
        oribi_free(model);
        oribi_model_file_close(file);
        oribi_fail_memory(status);
        return NULL;
    }
    oribi__in_use(1);
    model->file = *file;
    model->ends = ends;
    model->max_bytes = oribi_options_max_bytes(options);
    model->follow_links = options != NULL && options->follow_links;
    model->tflite_variant = options != NULL ? options->tflite_variant : ORIBI_VARIANT_TFLM;
    if (options != NULL && options->signature != NULL) {
        model->signature = oribi_arena_strdup(&model->arena, options->signature);
        if (model->signature == NULL) {
            oribi_fail_memory(status);
            goto failed;
        }
    }
    if (!oribi_input_shapes_copy(&model->arena, options != NULL ? options->shapes : NULL,
                                 &model->shapes)) {
        oribi_fail_memory(status);
        goto failed;
    }
    model->packs = oribi_packs_create(file->source, file->data, file->bytes, status);
    if (model->packs == NULL) {
        goto failed;
    }
    model->first = oribi_plugin_load_built_ins(status) ? import(model, options, status) : NULL;
    if (model->first == NULL) {
        goto failed;
    }
    model->n_states = model->first->n_states;
    if (!describe_ports(model, model->first) || !copy_metadata(model, model->first)) {
        oribi_fail_memory(status);
        goto failed;
    }
    return model;
failed:
    oribi_model_destroy(model);
    return NULL;
}

void oribi_model_destroy(oribi_model *model)
{
    if (model != NULL) {
        oribi_graph_destroy(model->first);
        oribi_packs_release(model->packs);
        oribi_model_file_close(&model->file);
        oribi_arena_destroy(&model->arena);
        oribi_mutex_destroy(&model->lock);
        oribi_free(model);
        oribi__in_use(-1);
    }
}

oribi_model *oribi_model_between(oribi_model_file *file, const oribi_import_ends *ends,
                                 const oribi_options *options, TF_Status *status)
{
    oribi_patience patience;
    oribi_options_begin(options, "opening the model", &patience);
    oribi_model *model = model_new(file, ends, options, status);
    oribi_patience_end(&patience);
    return model;
}

oribi_model *oribi_model_open(const char *path, const oribi_options *options, TF_Status *status)
{
    oribi_model_file file;
    const bool is_read = options != NULL && options->reads_files;
    if (!ORIBI_GIVEN(status, path) ||
        !oribi_model_file_open(path, is_read, oribi_options_max_bytes(options), &file, status)) {
        return NULL;
    }
    return oribi_model_between(&file, NULL, options, status);
}

oribi_model *oribi_model_from_memory(const void *data, size_t bytes, const char *name,
                                     const oribi_options *options, TF_Status *status)
{
    oribi_model_file file;
    if (!ORIBI_GIVEN(status, data) ||
        !oribi_model_file_borrow(data, bytes, name != NULL ? name : "model", &file, status)) {
        return NULL;
    }
    return oribi_model_between(&file, NULL, options, status);
}

/* Takes the graph over. */
static oribi_session *make_session(const oribi_model *model, oribi_graph *graph,
                                   const oribi_options *options, TF_Status *status)
{
    const bool is_open = graph->is_open || graph->input_limits != NULL;
    oribi_session *session = oribi_session_make(graph, options, NULL, model->packs, status);
    if (session == NULL || !is_open) {
        return session;
    }
    const oribi_import_options how = import_options(model, options);
    session->specials = oribi_specials_create(&model->file, &how, options, status);
    if (session->specials == NULL) {
        oribi_session_destroy(session);
        return NULL;
    }
    return session;
}

oribi_session *oribi_session_create(oribi_model *model, const oribi_options *options,
                                    TF_Status *status)
{
    if (!ORIBI_GIVEN(status, model)) {
        return NULL;
    }
    oribi_graph *graph = NULL;
    oribi_session *session = NULL;
    oribi_patience patience;
    oribi_options_begin(options, "making the session", &patience);
    if (oribi_patience_left(status)) {
        if (options == NULL || options->shapes == NULL) {
            oribi_mutex_lock(&model->lock);
            graph = model->first;
            model->first = NULL;
            oribi_mutex_unlock(&model->lock);
        }
        graph = graph != NULL ? graph : import(model, options, status);
        session = graph != NULL ? make_session(model, graph, options, status) : NULL;
    }
    oribi_patience_end(&patience);
    return session;
}

/* Takes the graph over. */
static void pack(const oribi_model *model, oribi_graph *graph, const oribi_options *options,
                 TF_Buffer *file, TF_Status *status)
{
    if (graph->is_packed || graph->is_open) {
        oribi_fail(status, graph->is_packed ? TF_INVALID_ARGUMENT : TF_UNIMPLEMENTED,
                   graph->is_packed
                       ? "%s is a packed file already"
                       : "%s leaves shapes open that its translation wants: give them, --shape "
                         "NAME=1x3x224x224 (oribi_options_set_input_shape)",
                   model->file.name);
        oribi_graph_destroy(graph);
        return;
    }
    graph->keeps_constants = true;
    oribi_session *session = make_session(model, graph, options, status);
    if (session != NULL) {
        (void)oribi_pack_write(session, model->file.name, file, status);
        oribi_session_destroy(session);
    }
}

void oribi_model_pack(oribi_model *model, const oribi_options *options, TF_Buffer *file,
                      TF_Status *status)
{
    if (!ORIBI_GIVEN(status, model, file)) {
        return;
    }
    oribi_patience patience;
    oribi_options_begin(options, "packing the model", &patience);
    oribi_graph *graph = oribi_patience_left(status) ? import(model, options, status) : NULL;
    if (graph != NULL) {
        pack(model, graph, options, file, status);
    }
    oribi_patience_end(&patience);
}

/* --- Ports ----------------------------------------------------------------------------------- */

int oribi_model_num_inputs(const oribi_model *model)
{
    return model != NULL ? model->n_inputs : 0;
}

int oribi_model_num_outputs(const oribi_model *model)
{
    return model != NULL ? model->n_outputs : 0;
}

static bool has_input(const oribi_model *model, int index)
{
    return model != NULL && index >= 0 && index < model->n_inputs;
}

static bool has_output(const oribi_model *model, int index)
{
    return model != NULL && index >= 0 && index < model->n_outputs;
}

const char *oribi_model_input_name(const oribi_model *model, int index)
{
    return has_input(model, index) ? model->input_names[index] : NULL;
}

const char *oribi_model_output_name(const oribi_model *model, int index)
{
    return has_output(model, index) ? model->output_names[index] : NULL;
}

TF_DataType oribi_model_input_type(const oribi_model *model, int index)
{
    return has_input(model, index) ? model->input_types[index] : (TF_DataType)0;
}

TF_DataType oribi_model_output_type(const oribi_model *model, int index)
{
    return has_output(model, index) ? model->output_types[index] : (TF_DataType)0;
}

static int write_shape(const oribi_shape *shape, int64_t *dims, int max_dims)
{
    for (int k = 0; dims != NULL && k < shape->rank && k < max_dims; k++) {
        dims[k] = shape->dims[k];
    }
    return shape->rank;
}

int oribi_model_input_shape(const oribi_model *model, int index, int64_t *dims, int max_dims)
{
    return has_input(model, index) ? write_shape(&model->input_shapes[index], dims, max_dims) : -1;
}

int oribi_model_output_shape(const oribi_model *model, int index, int64_t *dims, int max_dims)
{
    return has_output(model, index) ? write_shape(&model->output_shapes[index], dims, max_dims)
                                    : -1;
}

static int write_units(const oribi_quantisation *units, float *scale, int32_t *zero_point)
{
    if (units->n_scales == 1 && scale != NULL && zero_point != NULL) {
        *scale = units->scale;
        *zero_point = units->zero;
    }
    return units->n_scales;
}

int oribi_model_input_quantisation(const oribi_model *model, int index, float *scale,
                                   int32_t *zero_point)
{
    return has_input(model, index) ? write_units(&model->input_units[index], scale, zero_point)
                                   : -1;
}

int oribi_model_output_quantisation(const oribi_model *model, int index, float *scale,
                                    int32_t *zero_point)
{
    return has_output(model, index) ? write_units(&model->output_units[index], scale, zero_point)
                                    : -1;
}

/* --- What else a file says ------------------------------------------------------------------- */

int oribi_model_num_states(const oribi_model *model)
{
    return model != NULL ? model->n_states : 0;
}

const char *oribi_model_metadata(const oribi_model *model, const char *key)
{
    const oribi_metadata *m = model != NULL && key != NULL ? model->metadata : NULL;
    while (m != NULL && strcmp(m->key, key) != 0) {
        m = m->next;
    }
    return m != NULL ? m->value : NULL;
}

const char *oribi_model_metadata_key(const oribi_model *model, int index)
{
    const oribi_metadata *m = model != NULL && index >= 0 ? model->metadata : NULL;
    for (int i = 0; m != NULL && i < index; i++) {
        m = m->next;
    }
    return m != NULL ? m->key : NULL;
}
