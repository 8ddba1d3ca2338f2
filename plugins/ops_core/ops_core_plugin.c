/* SPDX-License-Identifier: Apache-2.0 */
/* Registers the rows of all tables: the one place that calls the builder. A failed registration is
 * remembered by the loader's transaction, which then refuses the plugin as a whole.
 */
#include "built_in.h"
#include "ops_core/ops_core.h"

#include <string.h>

/* clang-format off */
static const oribi_ops_row *const tables[] = {
    oribi_ops_source,
    oribi_ops_unary,
    oribi_ops_binary,
    oribi_ops_select,
    oribi_ops_conv,
    oribi_ops_pool,
    oribi_ops_matmul,
    oribi_ops_einsum,
    oribi_ops_normalize,
    oribi_ops_reshape,
    oribi_ops_join,
    oribi_ops_slice,
    oribi_ops_gather,
    oribi_ops_pad,
    oribi_ops_space,
    oribi_ops_reduce,
    oribi_ops_index,
    oribi_ops_image,
    oribi_ops_variable,
    oribi_ops_onnx,
    oribi_ops_quantized,
    oribi_ops_device,
    oribi_ops_qlinear,
    oribi_ops_recurrent,
    oribi_ops_qlinear_elements,
    oribi_ops_onnx_index,
    oribi_ops_onnx_axes,
    oribi_ops_picture,
    oribi_ops_detection,
    oribi_ops_audio,
    oribi_ops_signal,
    oribi_ops_control,
    oribi_ops_segment,
    oribi_ops_text,
    oribi_ops_tensorflow_text,
    oribi_ops_example,
    oribi_ops_list,
};
/* clang-format on */
enum { N_TABLES = sizeof tables / sizeof tables[0] };

/* Adds each of what stands between separators. What is longer than a spec may be comes out cut, and
 * the op is refused. */
static void add_each(TF_OpDefinitionBuilder *builder, const char *specs, const char *separator,
                     void (*add)(TF_OpDefinitionBuilder *builder, const char *spec))
{
    while (specs != NULL && *specs != '\0') {
        char spec[256];
        const char *end = strstr(specs, separator);
        const size_t length = end != NULL ? (size_t)(end - specs) : strlen(specs);
        const size_t kept = length < sizeof spec ? length : sizeof spec - 1;
        memcpy(spec, specs, kept);
        spec[kept] = '\0';
        add(builder, spec);
        specs += length + (end != NULL ? strlen(separator) : 0);
    }
}

static void register_row(const oribi_ops_row *row, TF_Status *status)
{
    TF_OpDefinitionBuilder *builder = TF_NewOpDefinitionBuilder(row->name);
    add_each(builder, row->inputs, "; ", TF_OpDefinitionBuilderAddInput);
    add_each(builder, row->outputs, "; ", TF_OpDefinitionBuilderAddOutput);
    add_each(builder, row->attrs, "; ", TF_OpDefinitionBuilderAddAttr);
    add_each(builder, row->traits, "; ", TF_OpDefinitionBuilderAddTrait);
    add_each(builder, row->fuses, "\n", TF_OpDefinitionBuilderAddFusion);
    TF_OpDefinitionBuilderSetIsCommutative(builder, (row->flags & ORIBI_OPS_COMMUTATIVE) != 0);
    TF_OpDefinitionBuilderSetIsAggregate(builder, (row->flags & ORIBI_OPS_AGGREGATE) != 0);
    TF_OpDefinitionBuilderSetIsStateful(builder, (row->flags & ORIBI_OPS_STATEFUL) != 0);
    TF_OpDefinitionBuilderSetShapeInferenceFunction(builder, row->shape);
    TF_RegisterOpDefinition(builder, status);
}

static const oribi_ops_row *next(oribi_ops_cursor *cursor)
{
    while (cursor->table < N_TABLES) {
        const oribi_ops_row *row = &tables[cursor->table][cursor->row++];
        if (row->name != NULL) {
            return row;
        }
        *cursor = (oribi_ops_cursor){cursor->table + 1, 0};
    }
    return NULL;
}

const char *oribi_ops_core_next(oribi_ops_cursor *cursor, bool *out_fuses)
{
    const oribi_ops_row *row = next(cursor);
    *out_fuses = row != NULL && row->fuses != NULL;
    return row != NULL ? row->name : NULL;
}

static const oribi_ops_row *find(const char *name)
{
    oribi_ops_cursor cursor = {0};
    const oribi_ops_row *row;
    while ((row = next(&cursor)) != NULL && (row->name[0] != name[0] || strcmp(row->name, name))) {
    }
    return row;
}

bool oribi_ops_core_has(const char *name)
{
    return find(name) != NULL;
}

void oribi_ops_core_register(const char *name)
{
    TF_Status *status = TF_NewStatus();
    const oribi_ops_row *row = find(name);
    if (row != NULL && status != NULL) {
        register_row(row, status);
    }
    TF_DeleteStatus(status);
}

void oribi_ops_core_init(void)
{
    TF_Status *status = TF_NewStatus();
    oribi_ops_cursor cursor = {0};
    const oribi_ops_row *row = NULL;
    while (status != NULL && (row = next(&cursor)) != NULL) {
        register_row(row, status);
    }
    TF_DeleteStatus(status);
}
