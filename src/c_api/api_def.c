/* SPDX-License-Identifier: Apache-2.0 */
/* What generators of bindings read: of each op its ApiDef, which texts change; and a graph as text.
 * Source   core/framework/op_gen_lib.cc of TensorFlow 2.16.1 says what a text may change.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/thread.h"
#include "c_api/text_format.h"
#include "format/proto.h"
#include "op/op_proto.h"
#include "tensor/status.h"
#include "tensorflow/c/c_api.h"

enum { IN, OUT, ATTR, N_LISTS }; /* fields 4, 5, 6 */
enum { VISIBLE = 1 };

typedef struct part {
    oribi_string name, rename_to, description;
    oribi_wire_field value; /* of an attribute; bytes NULL: none */
} part;

typedef struct api_def {
    oribi_string name, summary, description;
    int64_t visibility;
    oribi_text endpoints; /* fields, whole */
    part *lists[N_LISTS];
    int32_t n[N_LISTS];
    oribi_string *order; /* as many as there are inputs */
} api_def;

struct TF_ApiDefMap {
    oribi_arena arena;
    oribi_mutex lock;
    api_def *defs;
    int32_t n;
    bool was_read;
};

/* --- Making ----------------------------------------------------------------------------------- */

/* How often the message has the field. */
static int32_t count(oribi_wire wire, uint32_t number, TF_Status *status)
{
    oribi_wire_field field;
    int32_t n = 0;
    while (oribi_wire_next(&wire, &field, status)) {
        n += field.number == number;
    }
    return n;
}

/* The texts in fields 1 and so on, kept; what is absent stays as it is. */
static bool read_texts(TF_ApiDefMap *map, oribi_wire wire, oribi_string *const texts[4],
                       TF_Status *status)
{
    oribi_wire_field field;
    while (oribi_wire_next(&wire, &field, status)) {
        oribi_string *text =
            field.number >= 1 && field.number <= 4 ? texts[field.number - 1] : NULL;
        if (text != NULL && field.bytes > 0) {
            ORIBI_TRY(oribi_wire_string(&field, "a text", text, status));
            text->data = oribi_arena_memdup(&map->arena, text->data, text->length);
            ORIBI_TRY(text->data != NULL || oribi_fail_memory(status));
        }
    }
    return oribi_ok(status);
}

/* An argument or an attribute of an OpDef. */
static bool read_part(TF_ApiDefMap *map, oribi_wire wire, bool is_attr, part *out,
                      TF_Status *status)
{
    const oribi_wire whole = wire;
    oribi_wire_field field;
    oribi_string *const texts[4] = {&out->name, is_attr ? NULL : &out->description, NULL,
                                    is_attr ? &out->description : NULL};
    ORIBI_TRY(read_texts(map, wire, texts, status));
    out->rename_to = out->name;
    while (is_attr && oribi_wire_next(&wire, &field, status)) {
        if (field.number == 3) {
            oribi_wire inner;
            ORIBI_TRY(oribi_wire_enter(&whole, &field, &inner, status));
            field.data = oribi_arena_memdup(&map->arena, field.data, field.bytes);
            ORIBI_TRY(field.data != NULL || oribi_fail_memory(status));
            out->value = field;
        }
    }
    return oribi_ok(status);
}

static bool read_op(TF_ApiDefMap *map, oribi_wire wire, api_def *out, TF_Status *status)
{
    static const uint32_t fields[N_LISTS] = {2, 3, 4};
    oribi_string *const name[4] = {&out->name, NULL, NULL, NULL};
    const oribi_wire whole = wire;
    oribi_wire inner;
    oribi_wire_field field;
    oribi_text endpoint = {0};
    ORIBI_TRY(read_texts(map, wire, name, status));
    out->visibility = VISIBLE;
    oribi_proto_bytes(&endpoint, 1, out->name.data, out->name.length);
    oribi_proto_message(&out->endpoints, 3, &endpoint);
    for (int i = 0; i < N_LISTS; i++) {
        const int32_t n = count(wire, fields[i], status);
        out->lists[i] = oribi_arena_array(&map->arena, (size_t)n + 1, sizeof(part));
        ORIBI_TRY(out->lists[i] != NULL || oribi_fail_memory(status));
    }
    while (oribi_wire_next(&wire, &field, status)) {
        const int i = (int)field.number - 2;
        if (i >= 0 && i < N_LISTS) {
            ORIBI_TRY(oribi_wire_enter(&whole, &field, &inner, status) &&
                      read_part(map, inner, i == ATTR, &out->lists[i][out->n[i]++], status));
        } else if (field.number == 5 || field.number == 6) {
            oribi_string *text = field.number == 5 ? &out->summary : &out->description;
            ORIBI_TRY(oribi_wire_string(&field, "a text", text, status));
            text->data = oribi_arena_memdup(&map->arena, text->data, text->length);
            ORIBI_TRY(text->data != NULL || oribi_fail_memory(status));
        }
    }
    out->order = oribi_arena_array(&map->arena, (size_t)out->n[IN] + 1, sizeof *out->order);
    for (int32_t i = 0; out->order != NULL && i < out->n[IN]; i++) {
        out->order[i] = out->lists[IN][i].name;
    }
    return (out->order != NULL && !out->endpoints.failed) || oribi_fail_memory(status);
}

TF_ApiDefMap *TF_NewApiDefMap(TF_Buffer *op_list_buffer, TF_Status *status)
{
    TF_ApiDefMap *map = oribi_alloc_zero(1, sizeof *map);
    oribi_wire wire = oribi_wire_over(op_list_buffer->data, op_list_buffer->length), op;
    oribi_wire_field field;
    TF_SetStatus(status, TF_OK, "");
    if (map == NULL) {
        oribi_fail_memory(status);
        return NULL;
    }
    oribi_mutex_init(&map->lock);
    const oribi_wire whole = wire;
    const int32_t n = count(wire, 1, status);
    map->defs = oribi_arena_array(&map->arena, (size_t)n + 1, sizeof *map->defs);
    bool ok = map->defs != NULL ? oribi_ok(status) : oribi_fail_memory(status);
    while (ok && oribi_wire_next(&wire, &field, status)) {
        ok = field.number != 1 || (oribi_wire_enter(&whole, &field, &op, status) &&
                                   read_op(map, op, &map->defs[map->n++], status));
    }
    if (!oribi_ok(status)) {
        oribi_status_prefix(status, "Unparseable OpList: ");
        TF_DeleteApiDefMap(map);
        return NULL;
    }
    return map;
}

void TF_DeleteApiDefMap(TF_ApiDefMap *apimap)
{
    if (apimap != NULL) {
        for (int32_t i = 0; i < apimap->n; i++) {
            oribi_text_destroy(&apimap->defs[i].endpoints);
        }
        oribi_mutex_destroy(&apimap->lock);
        oribi_arena_destroy(&apimap->arena);
        oribi_free(apimap);
    }
}

static api_def *find(TF_ApiDefMap *map, oribi_string name)
{
    for (int32_t i = 0; i < map->n; i++) {
        if (oribi_string_same(map->defs[i].name, name)) {
            return &map->defs[i];
        }
    }
    return NULL;
}

/* --- Changing --------------------------------------------------------------------------------- */

static bool change_part(TF_ApiDefMap *map, api_def *def, int list, oribi_wire wire,
                        TF_Status *status)
{
    part change = {.name = {"", 0}}, *found = NULL;
    const bool is_attr = list == ATTR;
    oribi_string *const texts[4] = {&change.name, &change.rename_to,
                                    is_attr ? NULL : &change.description,
                                    is_attr ? &change.description : NULL};
    oribi_wire_field field;
    ORIBI_TRY(read_texts(map, wire, texts, status));
    for (int32_t i = 0; i < def->n[list] && found == NULL; i++) {
        found =
            oribi_string_same(def->lists[list][i].name, change.name) ? &def->lists[list][i] : NULL;
    }
    if (found == NULL) {
        return oribi_fail(status, TF_FAILED_PRECONDITION,
                          "%s %.*s not defined in base api for %.*s",
                          is_attr ? "Attribute" : "Argument", (int)change.name.length,
                          change.name.data, (int)def->name.length, def->name.data);
    }
    found->rename_to = change.rename_to.length > 0 ? change.rename_to : found->rename_to;
    found->description = change.description.length > 0 ? change.description : found->description;
    while (is_attr && oribi_wire_next(&wire, &field, status)) {
        if (field.number == 3) {
            field.data = oribi_arena_memdup(&map->arena, field.data, field.bytes);
            ORIBI_TRY(field.data != NULL || oribi_fail_memory(status));
            found->value = field;
        }
    }
    return oribi_ok(status);
}

static void append_names(oribi_text *out, const oribi_string *names, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        oribi_text_append(out, i > 0 ? ", " : "");
        oribi_text_append_n(out, names[i].data, names[i].length);
    }
}

/* The same names in another order. */
static bool is_permutation(const oribi_string *a, const oribi_string *b, int32_t n)
{
    bool is_one = true;
    for (int32_t i = 0; i < n; i++) {
        int32_t in_a = 0, in_b = 0;
        for (int32_t k = 0; k < n; k++) {
            in_a += oribi_string_same(a[i], a[k]);
            in_b += oribi_string_same(a[i], b[k]);
        }
        is_one = is_one && in_a == in_b;
    }
    return is_one;
}

static bool change_order(TF_ApiDefMap *map, api_def *def, oribi_wire wire, TF_Status *status)
{
    const int32_t n = count(wire, 11, status);
    oribi_string *order = oribi_arena_array(&map->arena, (size_t)n + 1, sizeof *order);
    oribi_wire_field field;
    ORIBI_TRY(order != NULL || oribi_fail_memory(status));
    if (n == 0) {
        return oribi_ok(status);
    }
    if (n != def->n[IN]) {
        return oribi_fail(status, TF_FAILED_PRECONDITION,
                          "Invalid number of arguments %d for %.*s. Expected: %d", (int)n,
                          (int)def->name.length, def->name.data, (int)def->n[IN]);
    }
    for (int32_t i = 0; oribi_wire_next(&wire, &field, status);) {
        if (field.number == 11) {
            const char *kept = oribi_arena_memdup(&map->arena, field.data, field.bytes);
            ORIBI_TRY(kept != NULL || oribi_fail_memory(status));
            order[i++] = (oribi_string){kept, field.bytes};
        }
    }
    if (!is_permutation(order, def->order, n)) {
        oribi_text given = {0}, base = {0};
        append_names(&given, order, n);
        append_names(&base, def->order, n);
        oribi_fail(status, TF_FAILED_PRECONDITION,
                   "Invalid arg_order: %s for %.*s. All elements in arg_order override must match "
                   "base arg_order: %s",
                   oribi_text_string(&given), (int)def->name.length, def->name.data,
                   oribi_text_string(&base));
        oribi_text_destroy(&given);
        oribi_text_destroy(&base);
        return false;
    }
    def->order = order;
    return oribi_ok(status);
}

/* before, between, behind: a new text of three. */
static bool join(TF_ApiDefMap *map, oribi_string *text, oribi_string before, oribi_string behind,
                 TF_Status *status)
{
    const char *made =
        oribi_arena_printf(&map->arena, "%.*s%s%.*s%s%.*s", (int)before.length, before.data,
                           before.length > 0 ? "\n" : "", (int)text->length, text->data,
                           behind.length > 0 ? "\n" : "", (int)behind.length, behind.data);
    ORIBI_TRY(made != NULL || oribi_fail_memory(status));
    *text = (oribi_string){made, strlen(made)};
    return true;
}

static bool change_def(TF_ApiDefMap *map, oribi_wire wire, TF_Status *status)
{
    const oribi_wire whole = wire;
    oribi_wire rest = wire, inner;
    oribi_wire_field field;
    oribi_string name = {"", 0}, before = {"", 0}, behind = {"", 0};
    while (oribi_wire_next(&rest, &field, status)) {
        if (field.number == 1) {
            name = (oribi_string){(const char *)field.data, field.bytes};
        }
    }
    api_def *def = find(map, name);
    if (def == NULL) {
        return oribi_ok(status); /* an op of another build */
    }
    bool has_endpoints = false;
    for (rest = wire; oribi_wire_next(&rest, &field, status);) {
        oribi_string text = {(const char *)field.data, field.bytes};
        if (field.number == 7 || field.number == 8) {
            text.data = oribi_arena_memdup(&map->arena, text.data, text.length);
            ORIBI_TRY(text.data != NULL || oribi_fail_memory(status));
            *(field.number == 7 ? &def->summary : &def->description) = text;
        } else if (field.number == 9 || field.number == 10) {
            *(field.number == 9 ? &before : &behind) = text;
        } else if (field.number == 2 && field.value != 0) {
            def->visibility = (int64_t)field.value;
        } else if (field.number == 3) {
            if (!has_endpoints) {
                oribi_text_destroy(&def->endpoints);
            }
            has_endpoints = true;
            oribi_proto_bytes(&def->endpoints, 3, field.data, field.bytes);
        }
    }
    for (int list = IN; list < N_LISTS; list++) {
        for (rest = wire; oribi_wire_next(&rest, &field, status);) {
            ORIBI_TRY(field.number != (uint32_t)(4 + list) ||
                      (oribi_wire_enter(&whole, &field, &inner, status) &&
                       change_part(map, def, list, inner, status)));
        }
    }
    return change_order(map, def, wire, status) &&
           (before.length + behind.length == 0 ||
            join(map, &def->description, before, behind, status));
}

void TF_ApiDefMapPut(TF_ApiDefMap *api_def_map, const char *text, size_t text_len,
                     TF_Status *status)
{
    oribi_text message = {0};
    oribi_wire_field field;
    TF_SetStatus(status, TF_OK, "");
    oribi_mutex_lock(&api_def_map->lock);
    if (api_def_map->was_read) {
        oribi_fail(status, TF_FAILED_PRECONDITION,
                   "TF_ApiDefMapPut cannot be called after TF_ApiDefMapGet has been called.");
    } else if (oribi_text_format_read(ORIBI_TEXT_API_DEFS, (oribi_string){text, text_len}, &message,
                                      status)) {
        oribi_wire wire = oribi_wire_over((const uint8_t *)message.data, message.length), def;
        const oribi_wire whole = wire;
        bool ok = true;
        while (ok && oribi_wire_next(&wire, &field, status)) {
            ok = oribi_wire_enter(&whole, &field, &def, status) &&
                 change_def(api_def_map, def, status);
        }
    }
    oribi_mutex_unlock(&api_def_map->lock);
    oribi_text_destroy(&message);
}

/* --- Reading ---------------------------------------------------------------------------------- */

/* `from` in backquotes becomes `to`. */
static bool rename_in(TF_ApiDefMap *map, oribi_string from, oribi_string to, oribi_string *text,
                      TF_Status *status)
{
    oribi_text made = {0};
    if (text->length == 0) {
        return true;
    }
    const char *end = text->data + text->length;
    for (const char *at = text->data; at < end;) {
        const bool is_it = *at == '`' && (size_t)(end - at) >= from.length + 2 &&
                           memcmp(at + 1, from.data, from.length) == 0 &&
                           at[from.length + 1] == '`';
        oribi_text_append_n(&made, at, 1);
        at++;
        if (is_it) {
            oribi_text_append_n(&made, to.data, to.length);
            oribi_text_append(&made, "`");
            at += from.length + 1;
        }
    }
    const char *kept = oribi_arena_memdup(&map->arena, oribi_text_string(&made), made.length);
    const bool ok = !made.failed && kept != NULL;
    *text = ok ? (oribi_string){kept, made.length} : *text;
    oribi_text_destroy(&made);
    return ok || oribi_fail_memory(status);
}

static bool rename_all(TF_ApiDefMap *map, api_def *def, oribi_string from, oribi_string to,
                       TF_Status *status)
{
    bool ok = oribi_string_same(from, to);
    if (!ok) {
        ok = rename_in(map, from, to, &def->summary, status) &&
             rename_in(map, from, to, &def->description, status);
        for (int list = IN; list < N_LISTS; list++) {
            for (int32_t i = 0; ok && i < def->n[list]; i++) {
                ok = rename_in(map, from, to, &def->lists[list][i].description, status);
            }
        }
    }
    return ok;
}

/* In what is told of an op its parts have the names that they were given. */
static bool update(TF_ApiDefMap *map, api_def *def, TF_Status *status)
{
    oribi_wire wire = oribi_wire_over((const uint8_t *)def->endpoints.data, def->endpoints.length);
    const oribi_wire whole = wire;
    oribi_wire first;
    oribi_wire_field field;
    oribi_string name = {"", 0};
    ORIBI_TRY(oribi_wire_next(&wire, &field, status) &&
              oribi_wire_enter(&whole, &field, &first, status));
    while (oribi_wire_next(&first, &field, status)) {
        if (field.number == 1) {
            name = (oribi_string){(const char *)field.data, field.bytes};
        }
    }
    ORIBI_TRY(oribi_ok(status) && rename_all(map, def, def->name, name, status));
    for (int list = IN; list < N_LISTS; list++) {
        for (int32_t i = 0; i < def->n[list]; i++) {
            const part *p = &def->lists[list][i];
            ORIBI_TRY(rename_all(map, def, p->name, p->rename_to, status));
        }
    }
    return true;
}

static void put_text(oribi_text *out, unsigned field, oribi_string text)
{
    if (text.length > 0) {
        oribi_proto_bytes(out, field, text.data, text.length);
    }
}

static TF_Buffer *message_of(const api_def *def)
{
    oribi_text out = {0};
    put_text(&out, 1, def->name);
    oribi_proto_number(&out, 2, (uint64_t)def->visibility);
    oribi_text_append_n(&out, def->endpoints.data, def->endpoints.length);
    for (int list = IN; list < N_LISTS; list++) {
        for (int32_t i = 0; i < def->n[list]; i++) {
            const part *p = &def->lists[list][i];
            oribi_text inner = {0};
            put_text(&inner, 1, p->name);
            put_text(&inner, 2, p->rename_to);
            if (list == ATTR && p->value.data != NULL) {
                oribi_proto_bytes(&inner, 3, p->value.data, p->value.bytes);
            }
            put_text(&inner, list == ATTR ? 4 : 3, p->description);
            oribi_proto_message(&out, 4 + (unsigned)list, &inner);
        }
    }
    put_text(&out, 7, def->summary);
    put_text(&out, 8, def->description);
    for (int32_t i = 0; i < def->n[IN]; i++) {
        oribi_proto_bytes(&out, 11, def->order[i].data, def->order[i].length);
    }
    return oribi_proto_finish(&out);
}

TF_Buffer *TF_ApiDefMapGet(TF_ApiDefMap *api_def_map, const char *name, size_t name_len,
                           TF_Status *status)
{
    TF_Buffer *out = NULL;
    bool ok = true;
    TF_SetStatus(status, TF_OK, "");
    oribi_mutex_lock(&api_def_map->lock);
    for (int32_t i = 0; i < api_def_map->n && ok && !api_def_map->was_read; i++) {
        ok = update(api_def_map, &api_def_map->defs[i], status);
    }
    api_def_map->was_read = true;
    const api_def *def = find(api_def_map, (oribi_string){name, name_len});
    if (ok && def != NULL) {
        out = message_of(def);
        (void)(out != NULL || oribi_fail_memory(status));
    }
    oribi_mutex_unlock(&api_def_map->lock);
    return out;
}

/* --- A graph as text ---------------------------------------------------------------------------
 */

const char *TF_GraphDebugString(TF_Graph *graph, size_t *len)
{
    oribi_text text = {0};
    TF_Status *status = TF_NewStatus();
    TF_Buffer *buffer = status != NULL ? TF_NewBuffer() : NULL;
    if (buffer != NULL) {
        TF_GraphToGraphDef(graph, buffer, status);
        oribi_wire wire = oribi_wire_over(buffer->data, buffer->length);
        oribi_text whole = {0}; /* with a library, which TensorFlow's has even where it is empty */
        oribi_text_append_n(&whole, buffer->data, buffer->length);
        if (count(wire, 2, status) == 0) {
            oribi_proto_bytes(&whole, 2, "", 0);
        }
        if (oribi_ok(status) && !whole.failed) {
            wire = oribi_wire_over((const uint8_t *)whole.data, whole.length);
            oribi_text_format_write(ORIBI_TEXT_GRAPH_DEF, wire, &text);
        }
        oribi_text_destroy(&whole);
    }
    TF_DeleteBuffer(buffer);
    TF_DeleteStatus(status);
    char *out = text.failed ? NULL : malloc(text.length + 1); /* C heap: the caller frees it */
    *len = out != NULL ? text.length : 0;
    if (out != NULL) {
        memcpy(out, oribi_text_string(&text), text.length + 1);
    }
    oribi_text_destroy(&text);
    return out;
}
