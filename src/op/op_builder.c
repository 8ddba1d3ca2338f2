/* SPDX-License-Identifier: Apache-2.0 */
/* TF_OpDefinitionBuilder: gathers what a plugin says about an op; registering parses it all and
 * reports every mistake at once. Not here: the grammar (spec_*.c), the registry (op_registry.c).
 */
#include <string.h>

#include "base/alloc.h"
#include "op/op_serves.h"
#include "op/spec.h"
#include "tensorflow/c/op_traits.h"
#include "tensorflow/c/shape_inference.h"

typedef struct spec_line {
    const char *text;
    struct spec_line *next;
} spec_line;

typedef struct spec_lines {
    spec_line *first, **last; /* last is NULL while empty */
    int32_t count;
} spec_lines;

struct TF_OpDefinitionBuilder {
    oribi_op_entry *entry; /* flags, texts and the shape function are set in it directly */
    spec_lines attrs, inputs, outputs, traits, fusions;
    const char *doc;
    int n_deprecated, n_shape_functions;
    bool no_memory;
};

TF_OpDefinitionBuilder *TF_NewOpDefinitionBuilder(const char *op_name)
{
    TF_OpDefinitionBuilder *builder = oribi_alloc_zero(1, sizeof *builder);
    oribi_op_entry *entry = oribi_alloc_zero(1, sizeof *entry);
    if (builder == NULL || entry == NULL) {
        goto fail;
    }
    oribi_arena_init(&entry->arena);
    entry->def = (oribi_op_def){.summary = "", .description = "", .deprecation_explanation = ""};
    entry->def.name = oribi_arena_strdup(&entry->arena, op_name);
    if (entry->def.name == NULL) {
        goto fail;
    }
    builder->entry = entry;
    return builder;
fail:
    oribi_op_entry_destroy(entry);
    oribi_free(builder);
    return NULL;
}

void oribi_op_entry_destroy(oribi_op_entry *entry)
{
    if (entry == NULL) {
        return;
    }
    for (oribi_held_tensor *held = entry->tensors; held != NULL; held = held->next) {
        TF_DeleteTensor(held->tensor);
    }
    if (entry->delete_data != NULL) {
        entry->delete_data(entry->def.shape_data);
    }
    oribi_arena_destroy(&entry->arena);
    oribi_free(entry);
}

void TF_DeleteOpDefinitionBuilder(TF_OpDefinitionBuilder *builder)
{
    if (builder != NULL) {
        oribi_op_entry_destroy(builder->entry);
        oribi_free(builder);
    }
}

static void add_line(TF_OpDefinitionBuilder *builder, spec_lines *lines, const char *text)
{
    spec_line *line = oribi_arena_array(&builder->entry->arena, 1, sizeof *line);
    char *copy = oribi_arena_strdup(&builder->entry->arena, text);
    if (line == NULL || copy == NULL) {
        builder->no_memory = true;
        return;
    }
    line->text = copy;
    if (lines->last == NULL) {
        lines->first = line;
    } else {
        *lines->last = line;
    }
    lines->last = &line->next;
    lines->count++;
}

#define ADDS(what, lines)                                                                          \
    void TF_OpDefinitionBuilderAdd##what(TF_OpDefinitionBuilder *builder, const char *spec)        \
    {                                                                                              \
        if (builder != NULL) {                                                                     \
            add_line(builder, &builder->lines, spec);                                              \
        }                                                                                          \
    }
ADDS(Attr, attrs)
ADDS(Input, inputs)
ADDS(Output, outputs)
ADDS(Trait, traits)
ADDS(Fusion, fusions)

void TF_OpDefinitionBuilderServes(TF_OpDefinitionBuilder *builder, const char *domain,
                                  const char *operator_name, int since, int until)
{
    if (builder == NULL) {
        return;
    }
    oribi_arena *arena = &builder->entry->arena;
    oribi_service *made = oribi_arena_array(arena, 1, sizeof *made);
    const char *own_domain = oribi_arena_strdup(arena, domain != NULL ? domain : "");
    const char *own_name = oribi_arena_strdup(arena, operator_name != NULL ? operator_name : "");
    if (made == NULL || own_domain == NULL || own_name == NULL) {
        builder->no_memory = true;
        return;
    }
    *made = (oribi_service){own_domain, own_name, since, until, builder->entry->def.services};
    builder->entry->def.services = made;
}

#define SETS(what, member)                                                                         \
    void TF_OpDefinitionBuilderSet##what(TF_OpDefinitionBuilder *builder, bool member)             \
    {                                                                                              \
        if (builder != NULL) {                                                                     \
            builder->entry->def.member = member;                                                   \
        }                                                                                          \
    }
SETS(IsCommutative, is_commutative)
SETS(IsAggregate, is_aggregate)
SETS(IsStateful, is_stateful)
SETS(AllowsUninitializedInput, allows_uninitialized_input)

void TF_OpDefinitionBuilderDeprecated(TF_OpDefinitionBuilder *builder, int version,
                                      const char *explanation)
{
    if (builder == NULL) {
        return;
    }
    if (++builder->n_deprecated > 1) {
        return;
    }
    builder->entry->def.deprecation_version = version;
    builder->entry->def.deprecation_explanation =
        oribi_arena_strdup(&builder->entry->arena, explanation);
    if (builder->entry->def.deprecation_explanation == NULL) {
        builder->no_memory = true;
    }
}

void TF_OpDefinitionBuilderSetShapeInferenceFunction(
    TF_OpDefinitionBuilder *builder,
    void (*shape_inference_func)(TF_ShapeInferenceContext *ctx, TF_Status *status))
{
    if (builder != NULL && ++builder->n_shape_functions == 1) {
        builder->entry->def.shape_fn = shape_inference_func;
    }
}

void TF_OpDefinitionBuilderSetShapeInferenceFunctionWithData(
    TF_OpDefinitionBuilder *builder,
    void (*shape_inference_func)(void *data, TF_ShapeInferenceContext *ctx, TF_Status *status),
    void *data, void (*delete_data)(void *data))
{
    if (builder == NULL || ++builder->n_shape_functions > 1) {
        if (delete_data != NULL) { /* not kept: what came with the call ends here */
            delete_data(data);
        }
        return;
    }
    builder->entry->def.shape_fn_data = shape_inference_func;
    builder->entry->def.shape_data = data;
    builder->entry->delete_data = delete_data;
}

void TF_OpDefinitionBuilderDoc(TF_OpDefinitionBuilder *builder, const char *text)
{
    if (builder == NULL) {
        return;
    }
    builder->doc = oribi_arena_strdup(&builder->entry->arena, text);
    if (builder->doc == NULL) {
        builder->no_memory = true;
    }
}

static bool parse_attrs(oribi_spec *spec, const spec_lines *lines)
{
    oribi_op_def *def = &spec->entry->def;
    bool ok = true;
    def->attrs =
        oribi_arena_array(&spec->entry->arena, (size_t)lines->count + 1, sizeof *def->attrs);
    if (def->attrs == NULL) {
        return oribi_spec_no_memory(spec);
    }
    spec->what = "Attr";
    for (const spec_line *line = lines->first; line != NULL; line = line->next) {
        spec->text = line->text;
        ok = oribi_spec_parse_attr(spec, &def->attrs[def->n_attrs]) && ok;
        def->n_attrs++;
    }
    return ok;
}

static bool parse_args(oribi_spec *spec, const spec_lines *lines, const char *what,
                       oribi_arg_def **out_args, int32_t *out_count)
{
    bool ok = true;
    oribi_arg_def *args =
        oribi_arena_array(&spec->entry->arena, (size_t)lines->count + 1, sizeof *args);
    if (args == NULL) {
        return oribi_spec_no_memory(spec);
    }
    spec->what = what;
    for (const spec_line *line = lines->first; line != NULL; line = line->next) {
        spec->text = line->text;
        ok = oribi_spec_parse_arg(spec, &args[(*out_count)++]) && ok;
    }
    *out_args = args;
    return ok;
}

static bool parse_traits(oribi_spec *spec, const spec_lines *lines)
{
    oribi_op_def *def = &spec->entry->def;
    bool ok = true;
    oribi_trait_def *traits =
        oribi_arena_array(&spec->entry->arena, (size_t)lines->count + 1, sizeof *traits);
    if (traits == NULL) {
        return oribi_spec_no_memory(spec);
    }
    def->traits = traits;
    spec->what = "Trait";
    for (const spec_line *line = lines->first; line != NULL; line = line->next) {
        spec->text = line->text;
        ok = oribi_spec_parse_trait(spec, &traits[def->n_traits]) && ok;
        def->n_traits++;
    }
    return ok;
}

/* What is behind a resource is neither input nor output, so that such an op is stateful without a
 * word of its author's; as in TensorFlow. */
static bool has_resource(const oribi_arg_def *args, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        if (args[i].type == TF_RESOURCE) {
            return true;
        }
    }
    return false;
}

/* Attributes first, then inputs, outputs, traits, docs, whatever the order of the calls. */
static bool parse_all(TF_OpDefinitionBuilder *builder, oribi_spec *spec)
{
    oribi_op_def *def = &builder->entry->def;
    bool ok = parse_attrs(spec, &builder->attrs);
    if (def->attrs == NULL) {
        return false;
    }
    ok = parse_args(spec, &builder->inputs, "Input", &def->inputs, &def->n_inputs) && ok;
    ok = parse_args(spec, &builder->outputs, "Output", &def->outputs, &def->n_outputs) && ok;
    def->is_stateful = def->is_stateful || has_resource(def->inputs, def->n_inputs) ||
                       has_resource(def->outputs, def->n_outputs);
    ok = parse_traits(spec, &builder->traits) && ok;
    spec->what = "Fusion";
    for (const spec_line *line = builder->fusions.first; line != NULL; line = line->next) {
        spec->text = line->text;
        ok = oribi_spec_parse_fusion(spec) && ok;
    }
    spec->text = NULL;
    ok = oribi_op_check_services(spec) && ok;
    if (builder->doc != NULL && !spec->no_memory) {
        ok = oribi_spec_parse_doc(spec, builder->doc) && ok;
    }
    if (builder->n_deprecated > 1) {
        ok = oribi_spec_fail(spec, "Deprecated called twice");
    }
    if (builder->n_shape_functions > 1) {
        ok = oribi_spec_fail(spec, "SetShapeFn called twice");
    }
    return ok && oribi_op_check(spec);
}

static bool build(TF_OpDefinitionBuilder *builder, TF_Status *status)
{
    oribi_text errors = {0};
    oribi_spec spec = {.entry = builder->entry, .errors = &errors};
    bool ok = !builder->no_memory && parse_all(builder, &spec);
    if (!ok && (builder->no_memory || spec.no_memory || errors.failed)) {
        oribi_fail_memory(status);
    } else if (!ok) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "%s", oribi_text_string(&errors));
    }
    oribi_text_destroy(&errors);
    return ok;
}

void TF_RegisterOpDefinition(TF_OpDefinitionBuilder *builder, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    if (builder == NULL) { /* TF_NewOpDefinitionBuilder found no memory */
        oribi_fail_memory(status);
        oribi_op_note_failure(status);
        return;
    }
    if (build(builder, status)) {
        oribi_op_entry *entry = builder->entry;
        builder->entry = NULL;
        (void)oribi_op_register(entry, status);
    } else {
        oribi_op_note_failure(status);
    }
    TF_DeleteOpDefinitionBuilder(builder);
}
