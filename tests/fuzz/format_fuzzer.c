/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer target of src/format: the first byte says what the rest is read as. JSON that is
 * understood can be written and read again, and is the same; a walk through any protobuf ends, and
 * counts agree with elements; text of anything is fit for a terminal. See
 * docs/reference/fuzzing.md.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "format/json.h"
#include "format/json_read.h"
#include "format/utf8.h"
#include "format/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void expect(bool holds)
{
    if (!holds) {
        abort();
    }
}

/* --- JSON ------------------------------------------------------------------------------------ */

static void write_value(oribi_json *json, const oribi_json_value *value)
{
    if (value->key != NULL) {
        oribi_json_key(json, value->key);
    }
    if (value->kind == ORIBI_JSON_STRING) {
        oribi_json_string_n(json, value->text, value->length);
    } else if (value->kind == ORIBI_JSON_NUMBER) {
        oribi_json_double(json, value->number);
    } else if (value->kind == ORIBI_JSON_BOOL) {
        oribi_json_bool(json, value->integer != 0);
    } else if (value->kind == ORIBI_JSON_NULL) {
        oribi_json_null(json);
    } else {
        const bool is_array = value->kind == ORIBI_JSON_ARRAY;
        oribi_json_open(json, is_array ? '[' : '{');
        for (const oribi_json_value *child = value->child; child != NULL; child = child->next) {
            write_value(json, child);
        }
        oribi_json_close(json, is_array ? ']' : '}');
    }
}

static void expect_same(const oribi_json_value *a, const oribi_json_value *b)
{
    expect(a->kind == b->kind && a->count == b->count && a->length == b->length);
    expect(a->kind != ORIBI_JSON_STRING || memcmp(a->text, b->text, a->length) == 0);
    expect(memcmp(&a->number, &b->number, sizeof a->number) == 0);
    expect((a->key == NULL) == (b->key == NULL) && (a->key == NULL || strcmp(a->key, b->key) == 0));
    const oribi_json_value *x = a->child, *y = b->child;
    for (; x != NULL; x = x->next, y = y->next) {
        expect(y != NULL);
        expect_same(x, y);
    }
}

static void read_json(const char *text, size_t bytes)
{
    oribi_arena arena = {0};
    oribi_text error = {0}, written = {0};
    const oribi_json_value *root = oribi_json_read(text, bytes, &arena, &error);
    expect((root == NULL) == (error.length > 0));
    if (root != NULL) {
        write_value(&(oribi_json){.text = &written}, root);
        const oribi_json_value *again =
            oribi_json_read(written.data, written.length, &arena, &error);
        expect(again != NULL);
        expect_same(root, again);
    }
    oribi_arena_destroy(&arena);
    oribi_text_destroy(&error);
    oribi_text_destroy(&written);
}

/* --- Protobuf -------------------------------------------------------------------------------- */

static void count_elements(const oribi_wire *wire, const oribi_wire_field *field, uint8_t type,
                           TF_Status *status)
{
    size_t n, position = 0, found = 0;
    uint64_t value;
    if (!oribi_wire_count(wire, field, type, &n, status)) {
        expect(TF_GetCode(status) != TF_OK);
        TF_SetStatus(status, TF_OK, "");
        return;
    }
    while (oribi_wire_element(wire, field, type, &position, &value, status)) {
        found++;
    }
    expect(found == n || TF_GetCode(status) != TF_OK);
    TF_SetStatus(status, TF_OK, "");
}

static void walk(oribi_wire wire, TF_Status *status)
{
    oribi_wire_field field;
    oribi_wire inner;
    while (oribi_wire_next(&wire, &field, status)) {
        count_elements(&wire, &field, ORIBI_WIRE_VARINT, status);
        count_elements(&wire, &field, ORIBI_WIRE_32, status);
        if (oribi_wire_enter(&wire, &field, &inner, status)) {
            walk(inner, status);
        }
        TF_SetStatus(status, TF_OK, "");
    }
}

/* --- Text ------------------------------------------------------------------------------------ */

static void show(const char *text, size_t bytes)
{
    oribi_text shown = {0}, again = {0};
    oribi_utf8_show(&shown, text, bytes);
    oribi_utf8_show(&again, oribi_text_string(&shown), shown.length);
    expect(shown.length == again.length &&
           memcmp(oribi_text_string(&shown), oribi_text_string(&again), shown.length) == 0);
    oribi_text_destroy(&shown);
    oribi_text_destroy(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    if (bytes == 0) {
        return 0;
    }
    const char *text = (const char *)data + 1;
    if (data[0] % 3 == 0) {
        read_json(text, bytes - 1);
    } else if (data[0] % 3 == 1) {
        TF_Status *status = TF_NewStatus();
        walk(oribi_wire_over(data + 1, bytes - 1), status);
        TF_DeleteStatus(status);
    } else {
        show(text, bytes - 1);
    }
    return 0;
}
