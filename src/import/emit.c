/* SPDX-License-Identifier: Apache-2.0 */
/* See emit.h. */
#include "import/emit.h"

bool oribi_emit_set_attr(oribi_graph *graph, oribi_node *node, const oribi_emit_attr *a)
{
    oribi_arena *arena = &graph->arena;
    const oribi_attr floats = {.name = a->name,
                               .kind = TF_ATTR_FLOAT,
                               .is_list = true,
                               .count = a->count,
                               .u.f = a->floats};
    switch (a->kind) {
    case TF_ATTR_INT:
        return a->count >= 0 ? oribi_attrs_set_ints(&node->attrs, arena, a->name, a->ints, a->count)
                             : oribi_attrs_set_int(&node->attrs, arena, a->name, a->i);
    case TF_ATTR_BOOL:
        return oribi_attrs_set_bool(&node->attrs, arena, a->name, a->i != 0);
    case TF_ATTR_TYPE:
        return oribi_attrs_set_type(&node->attrs, arena, a->name, (TF_DataType)a->i);
    case TF_ATTR_FLOAT:
        return a->count >= 0 ? oribi_attrs_set(&node->attrs, arena, &floats)
                             : oribi_attrs_set_float(&node->attrs, arena, a->name, a->f);
    default:
        return oribi_attrs_set_string(&node->attrs, arena, a->name, a->s);
    }
}

const char *oribi_import_text(oribi_arena *arena, const oribi_string *string)
{
    size_t length = string->length < 4096 ? string->length : 4096;
    char *text = oribi_arena_strndup(arena, string->data, length);
    for (size_t i = 0; text != NULL && i < length && text[i] != '\0'; i++) {
        text[i] = (unsigned char)text[i] < 0x20 || text[i] == 0x7f ? '?' : text[i];
    }
    return text;
}
