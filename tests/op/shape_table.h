/* SPDX-License-Identifier: Apache-2.0 */
/* Reads tables of shape inference, whose lines tests/peer/shapes.py describes, and asks each. */
#ifndef ORIBI_TESTS_OP_SHAPE_TABLE_H_
#define ORIBI_TESTS_OP_SHAPE_TABLE_H_

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "op/op.h"
#include "op/spec.h"

enum { MAX_INPUTS = 16, MAX_LINE = 8192, MAX_OUTPUTS = 512, MAX_WRONG_SHOWN = 400 };

typedef struct node { /* one line */
    char *op_name, *inputs, *attrs, *want;
    oribi_op_entry entry; /* holds what attribute values need */
    oribi_arena *arena;
    oribi_attrs values;
    TF_DataType types[MAX_INPUTS];
    oribi_shape shapes[MAX_INPUTS], partial[MAX_INPUTS];
    TF_Tensor *constants[MAX_INPUTS];
    oribi_handle_data handles[MAX_INPUTS];
    oribi_handle_part behind[MAX_INPUTS];
    int32_t n_inputs;
} node;

static char *trim(char *text)
{
    while (isspace((unsigned char)*text)) {
        text++;
    }
    for (char *end = text + strlen(text); end > text && isspace((unsigned char)end[-1]);) {
        *--end = '\0';
    }
    return text;
}

/* "1,?,3" into dims, -1 for a question mark; the number of them. */
static int32_t parse_numbers(char *text, int64_t *out)
{
    int32_t count = 0;
    char *rest = text;
    for (char *one = strtok_r(rest, ",", &rest); one != NULL; one = strtok_r(NULL, ",", &rest)) {
        out[count++] = strcmp(one, "?") == 0 ? -1 : strtoll(one, NULL, 10);
    }
    return count;
}

static TF_Tensor *make_tensor(TF_DataType type, const oribi_shape *shape, char *values)
{
    char *rest = values;
    size_t n = 1, bytes = TF_DataTypeSize(type);
    for (int32_t i = 0; i < shape->rank; i++) {
        n *= (size_t)shape->dims[i];
    }
    TF_Tensor *tensor = TF_AllocateTensor(type, shape->dims, shape->rank, n * bytes);
    char *data = TF_TensorData(tensor);
    for (size_t i = 0; i < n; i++) {
        char *one = strtok_r(i == 0 ? values : NULL, ",", &rest);
        assert_non_null(one);
        double number = strtod(one, NULL);
        int32_t as_int32 = (int32_t)number;
        int64_t as_int64 = (int64_t)number;
        float as_float = (float)number;
        const void *from = type == TF_INT32   ? (const void *)&as_int32
                           : type == TF_INT64 ? (const void *)&as_int64
                                              : (const void *)&as_float;
        memcpy(data + i * bytes, from, bytes);
    }
    return tensor;
}

/* dtype[dims] or dtype? of what input i, a resource, leads to */
static void parse_behind(node *n, int32_t i, char *text)
{
    size_t length = strcspn(text, "[?");
    int64_t numbers[16];
    oribi_handle_part *part = &n->behind[i];
    n->handles[i] = (oribi_handle_data){.parts = part, .count = 1};
    part->dtype = oribi_dtype_parse(text, length);
    part->shape.rank = -1;
    assert_int_not_equal(part->dtype, 0);
    if (text[length] == '[') {
        *strchr(text, ']') = '\0';
        int32_t rank = parse_numbers(text + length + 1, numbers);
        assert_true(oribi_shape_copy(n->arena, numbers, rank, &part->shape));
    }
}

/* dtype[dims]{values}, resource[]->dtype[dims] */
static void parse_input(node *n, char *text)
{
    int32_t i = n->n_inputs++;
    size_t length = strcspn(text, "[?");
    int64_t numbers[16];
    assert_true(i < MAX_INPUTS);
    char *arrow = strstr(text, "->");
    if (arrow != NULL) {
        *arrow = '\0';
        parse_behind(n, i, arrow + 2);
    }
    n->types[i] = oribi_dtype_parse(text, length);
    assert_int_not_equal(n->types[i], 0);
    n->partial[i].rank = -1;
    if (text[length] == '?') {
        n->shapes[i].rank = -1;
        return;
    }
    char *end = strchr(text, ']'), *values = strchr(text, '{');
    *end = '\0';
    int32_t rank = parse_numbers(text + length + 1, numbers);
    assert_true(oribi_shape_copy(n->arena, numbers, rank, &n->shapes[i]));
    if (values == NULL) {
        return;
    }
    *strchr(values, '}') = '\0';
    if (strchr(values, '?') != NULL) {
        rank = parse_numbers(values + 1, numbers);
        assert_true(oribi_shape_copy(n->arena, numbers, rank, &n->partial[i]));
    } else {
        n->constants[i] = make_tensor(n->types[i], &n->shapes[i], values + 1);
    }
}

static void parse_attr(node *n, const oribi_op_def *op, char *text)
{
    oribi_text errors = {0};
    oribi_spec spec = {.entry = &n->entry, .errors = &errors};
    const oribi_attr *value = NULL;
    char *equals = strchr(text, '=');
    *equals = '\0';
    const oribi_attr_def *def = oribi_op_find_attr(op, text);
    if (def == NULL ||
        !oribi_value_parse(&spec, equals + 1, def->kind, def->is_list, def->name, &value)) {
        fail_msg("bad attribute %s of %s", text, op->name);
    }
    assert_true(oribi_attrs_set(&n->values, n->arena, value));
}

/* Where an argument is a list of types that no attribute gives: those of the inputs. */
static void complete_types(node *n, const oribi_op_def *op)
{
    if (op->n_inputs == 1 && op->inputs[0].type_list_attr != NULL &&
        oribi_attrs_find(&n->values, op->inputs[0].type_list_attr) == NULL) {
        assert_true(oribi_attrs_set_types(&n->values, n->arena, op->inputs[0].type_list_attr,
                                          n->types, n->n_inputs));
    }
}

static void parse_line(node *n, char *line)
{
    char *rest = line, *more;
    memset(n, 0, sizeof *n);
    n->arena = &n->entry.arena;
    n->op_name = trim(strsep(&rest, "|"));
    n->inputs = trim(strsep(&rest, "|"));
    n->attrs = trim(strsep(&rest, "|"));
    n->want = trim(strsep(&rest, "|"));
    if (rest != NULL) { /* where we answer otherwise than TensorFlow: "ours OUTPUTS: why" */
        rest = trim(rest);
        assert_memory_equal(rest, "ours ", 5);
        n->want = strsep(&rest, ":") + 5;
    }
    const oribi_op_def *op = oribi_op_find(n->op_name);
    assert_non_null(op);
    n->entry.def.name = n->op_name;
    more = n->inputs;
    for (char *one = strtok_r(more, " ", &more); one != NULL; one = strtok_r(NULL, " ", &more)) {
        parse_input(n, one);
    }
    for (char *one = n->attrs; one != NULL && *one != '\0';) {
        char *next = strstr(one, "; ");
        if (next != NULL) {
            *next = '\0';
            next += 2;
        }
        parse_attr(n, op, one);
        one = next;
    }
    complete_types(n, op);
}

static void destroy(node *n)
{
    for (int32_t i = 0; i < n->n_inputs; i++) {
        TF_DeleteTensor(n->constants[i]);
    }
    for (oribi_held_tensor *held = n->entry.tensors; held != NULL; held = held->next) {
        TF_DeleteTensor(held->tensor);
    }
    oribi_arena_destroy(n->arena);
}

/* The outputs as the table writes them, or "error". */
static void infer(node *n, oribi_text *out, TF_Status *status)
{
    const oribi_op_def *op = oribi_op_find(n->op_name);
    oribi_signature signature;
    oribi_shape outputs[MAX_OUTPUTS];
    if (!oribi_op_resolve(op, "n", &n->values, n->types, n->n_inputs, n->arena, &signature,
                          status) ||
        !oribi_op_infer_handles(op, "n", &n->values, &signature, n->shapes, n->handles,
                                n->constants, n->partial, n->arena, outputs, NULL, status)) {
        oribi_text_append(out, "error");
        return;
    }
    for (int32_t i = 0; i < signature.n_outputs; i++) {
        oribi_text_append(out, i > 0 ? " " : "");
        oribi_shape_print(&outputs[i], out);
    }
}

static bool run_line(char *line)
{
    char copy[MAX_LINE];
    node n;
    oribi_text got = {0};
    TF_Status *status = TF_NewStatus();
    snprintf(copy, sizeof copy, "%s", line);
    parse_line(&n, copy);
    infer(&n, &got, status);
    bool same = strcmp(oribi_text_string(&got), n.want) == 0;
    if (!same) {
        print_error("%s  got %s %s\n", line, oribi_text_string(&got), TF_Message(status));
    }
    oribi_text_destroy(&got);
    destroy(&n);
    TF_DeleteStatus(status);
    return same;
}

/* Every line of a table; at most MAX_WRONG_SHOWN wrong ones. */
static int run_table(const char *path)
{
    char line[MAX_LINE];
    int count = 0, wrong = 0;
    FILE *file = fopen(path, "r");
    assert_non_null(file);

    while (fgets(line, sizeof line, file) != NULL) {
        if (line[0] == '#' || line[0] == '\n') {
            continue;
        }
        count++;
        wrong += !run_line(line);
        assert_true(wrong <= MAX_WRONG_SHOWN);
    }
    fclose(file);

    assert_int_equal(wrong, 0);
    return count;
}

#endif
