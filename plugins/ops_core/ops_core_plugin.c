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

/* Copies a part of a text. One that is too long comes out cut, and the op is refused. */
static void copy_part(const char *from, size_t length, char *out, size_t out_bytes)
{
    const size_t kept = length < out_bytes ? length : out_bytes - 1;
    memcpy(out, from, kept);
    out[kept] = '\0';
}

/* Adds each of what stands between separators. */
static void add_each(TF_OpDefinitionBuilder *builder, const char *specs, const char *separator,
                     void (*add)(TF_OpDefinitionBuilder *builder, const char *spec))
{
    while (specs != NULL && *specs != '\0') {
        char spec[256];
        const char *end = strstr(specs, separator);
        const size_t length = end != NULL ? (size_t)(end - specs) : strlen(specs);
        copy_part(specs, length, spec, sizeof spec);
        add(builder, spec);
        specs += length + (end != NULL ? strlen(separator) : 0);
    }
}

static void register_as(const char *name, const oribi_ops_row *row, TF_Status *status)
{
    TF_OpDefinitionBuilder *builder = TF_NewOpDefinitionBuilder(name);
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

/* Copies the next name into the cursor. */
static const oribi_ops_row *next(oribi_ops_cursor *cursor)
{
    while (cursor->table < N_TABLES) {
        const oribi_ops_row *row = &tables[cursor->table][cursor->row];
        if (row->name != NULL) {
            const char *name = row->name + cursor->at;
            name += *name == ' ';
            const size_t length = strcspn(name, " ");
            copy_part(name, length, cursor->name, sizeof cursor->name);
            cursor->at = name[length] != '\0' ? (int)(name + length - row->name) : 0;
            cursor->row += name[length] == '\0';
            return row;
        }
        *cursor = (oribi_ops_cursor){.table = cursor->table + 1};
    }
    return NULL;
}

const char *oribi_ops_core_next(oribi_ops_cursor *cursor, bool *out_fuses)
{
    const oribi_ops_row *row = next(cursor);
    *out_fuses = row != NULL && row->fuses != NULL;
    return row != NULL ? cursor->name : NULL;
}

/* Is it among names with a space before each? It has none itself. */
static bool is_among(const char *names, const char *name, size_t length)
{
    while (names != NULL && (names[1] != name[0] || strncmp(names + 1, name, length) != 0 ||
                             (names[1 + length] != ' ' && names[1 + length] != '\0'))) {
        names = strchr(names + 1, ' ');
    }
    return names != NULL;
}

static const oribi_ops_row *find(const char *name)
{
    const size_t length = strcspn(name, " ");
    for (int t = 0; length > 0 && name[length] == '\0' && t < N_TABLES; t++) {
        for (const oribi_ops_row *row = tables[t]; row->name != NULL; row++) {
            if (row->name[0] == ' ' ? is_among(row->name, name, length)
                                    : row->name[0] == name[0] && strcmp(row->name, name) == 0) {
                return row;
            }
        }
    }
    return NULL;
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
        register_as(name, row, status);
    }
    TF_DeleteStatus(status);
}

void oribi_ops_core_init(void)
{
    TF_Status *status = TF_NewStatus();
    oribi_ops_cursor cursor = {0};
    const oribi_ops_row *row = NULL;
    while (status != NULL && (row = next(&cursor)) != NULL) {
        register_as(cursor.name, row, status);
    }
    TF_DeleteStatus(status);
}
