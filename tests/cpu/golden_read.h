/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the cases of golden.txt and its kin (made by scripts in tests/peer): a node with attributes
 * and inputs (`constant`: known when the kernel is made; `all X`: the rest of the values are X),
 * what must come out, and how near, or `error`. A word of `%` is a text whose odd bytes are %XX.
 * Include after harness.h.
 */
#ifndef ORIBI_TESTS_CPU_GOLDEN_READ_H_
#define ORIBI_TESTS_CPU_GOLDEN_READ_H_

#include <stdlib.h>

#include "tensor/tensor.h"
#include "tensorflow/c/tf_tstring.h"

/* One case, the reader's and the visitor's. */
typedef struct golden {
    harness h;
    TF_Tensor *want[HARNESS_MOST];
    int n_want;
    double tolerance, scale;
    int line, n_cases, n_runs, n_failures;
    bool is_open;                    /* between "op" and "end" */
    bool is_error;                   /* nothing comes out of it */
    void (*visit)(struct golden *g); /* once for each case; the reader ends it afterwards */
} golden;

static inline char *golden_word(void)
{
    return strtok(NULL, " \n");
}

static inline int64_t golden_number(void)
{
    const char *text = golden_word();
    assert_non_null(text);
    return strtoll(text, NULL, 10);
}

/* The text of a word behind its first `%`, in place; returns its bytes. */
static inline size_t golden_decode(char *word)
{
    size_t n = 0;
    for (const char *at = word; *at != '\0'; at++) {
        char digits[3] = {at[0], '\0', '\0'};
        if (*at == '%') {
            memcpy(digits, at + 1, 2);
            word[n++] = (char)strtol(digits, NULL, 16);
            at += 2;
        } else {
            word[n++] = *at;
        }
    }
    word[n] = '\0';
    return n;
}

/* One element from its word. */
static inline void golden_put(TF_DataType dtype, void *data, int64_t i, const char *text)
{
    switch (dtype) {
    case TF_STRING: {
        char copy[2048];
        assert_true(*text == '%' && strlen(text) < sizeof copy);
        (void)snprintf(copy, sizeof copy, "%s", text + 1);
        TF_StringInit((TF_TString *)data + i);
        TF_StringCopy((TF_TString *)data + i, copy, golden_decode(copy));
        break;
    }
    case TF_FLOAT:
        ((float *)data)[i] = strtof(text, NULL);
        break;
    case TF_DOUBLE:
        ((double *)data)[i] = strtod(text, NULL);
        break;
    case TF_INT64:
        ((int64_t *)data)[i] = strtoll(text, NULL, 10);
        break;
    case TF_UINT64:
        ((uint64_t *)data)[i] = strtoull(text, NULL, 10);
        break;
    case TF_INT32:
    case TF_UINT32:
        ((uint32_t *)data)[i] = (uint32_t)strtoll(text, NULL, 10);
        break;
    case TF_INT16:
    case TF_UINT16:
    case TF_HALF:
    case TF_BFLOAT16:
        ((uint16_t *)data)[i] = (uint16_t)strtol(text, NULL, 10);
        break;
    default:
        ((uint8_t *)data)[i] = (uint8_t)strtol(text, NULL, 10);
    }
}

static inline TF_Tensor *golden_tensor(void)
{
    int64_t dims[16];
    const char *name = golden_word();
    TF_DataType dtype = oribi_dtype_parse(name, strlen(name));
    int rank = (int)golden_number();
    for (int i = 0; i < rank; i++) {
        dims[i] = golden_number();
    }
    TF_Tensor *tensor = harness_tensor(dtype, dims, rank);
    assert_non_null(tensor);
    int64_t n = TF_TensorElementCount(tensor);
    for (int64_t i = 0; i < n; i++) {
        const char *text = golden_word();
        assert_non_null(text);
        if (strcmp(text, "all") == 0) {
            const char *same = golden_word();
            for (; i < n; i++) {
                golden_put(dtype, TF_TensorData(tensor), i, same);
            }
            break;
        }
        golden_put(dtype, TF_TensorData(tensor), i, text);
    }
    return tensor;
}

static inline void golden_attr(harness *h)
{
    const char *name = golden_word(), *kind = golden_word();
    if (strcmp(kind, "ints") == 0) {
        int64_t values[256];
        int n = (int)golden_number();
        for (int i = 0; i < n; i++) {
            values[i] = golden_number();
        }
        assert_true(oribi_attrs_set_ints(&h->attrs, &h->arena, name, values, n));
    } else if (strcmp(kind, "bools") == 0) {
        uint8_t values[8];
        oribi_attr attr = {
            .name = name, .kind = TF_ATTR_BOOL, .is_list = true, .count = (int32_t)golden_number()};
        for (int i = 0; i < attr.count; i++) {
            values[i] = golden_number() != 0;
        }
        attr.u.b = values;
        assert_true(oribi_attrs_set(&h->attrs, &h->arena, &attr));
    } else if (strcmp(kind, "floats") == 0) {
        float values[8];
        oribi_attr attr = {.name = name,
                           .kind = TF_ATTR_FLOAT,
                           .is_list = true,
                           .count = (int32_t)golden_number()};
        for (int i = 0; i < attr.count; i++) {
            values[i] = strtof(golden_word(), NULL);
        }
        attr.u.f = values;
        assert_true(oribi_attrs_set(&h->attrs, &h->arena, &attr));
    } else if (strcmp(kind, "int") == 0) {
        assert_true(oribi_attrs_set_int(&h->attrs, &h->arena, name, golden_number()));
    } else if (strcmp(kind, "float") == 0) {
        assert_true(oribi_attrs_set_float(&h->attrs, &h->arena, name, strtof(golden_word(), NULL)));
    } else if (strcmp(kind, "bool") == 0) {
        assert_true(oribi_attrs_set_bool(&h->attrs, &h->arena, name, golden_number() != 0));
    } else if (strcmp(kind, "strings") == 0) {
        const char *values[8];
        int n = (int)golden_number();
        for (int i = 0; i < n; i++) {
            values[i] = golden_word();
        }
        assert_true(oribi_attrs_set_strings(&h->attrs, &h->arena, name, values, n));
    } else if (strcmp(kind, "string") == 0) {
        char *word = golden_word();
        if (*word == '%') {
            (void)golden_decode(++word);
        }
        assert_true(oribi_attrs_set_string(&h->attrs, &h->arena, name, word));
    } else if (strcmp(kind, "types") == 0) {
        TF_DataType values[16];
        oribi_attr attr = {
            .name = name, .kind = TF_ATTR_TYPE, .is_list = true, .count = (int32_t)golden_number()};
        for (int i = 0; i < attr.count; i++) {
            const char *type = golden_word();
            values[i] = oribi_dtype_parse(type, strlen(type));
        }
        attr.u.type = values;
        assert_true(oribi_attrs_set(&h->attrs, &h->arena, &attr));
    } else if (strcmp(kind, "shapes") == 0) {
        oribi_shape values[16];
        oribi_attr attr = {.name = name,
                           .kind = TF_ATTR_SHAPE,
                           .is_list = true,
                           .count = (int32_t)golden_number()};
        for (int i = 0; i < attr.count; i++) {
            int64_t dims[16];
            const int32_t rank = (int32_t)golden_number();
            for (int k = 0; k < rank; k++) {
                dims[k] = golden_number();
            }
            assert_true(oribi_shape_copy(&h->arena, dims, rank, &values[i]));
        }
        attr.u.shape = values;
        assert_true(oribi_attrs_set(&h->attrs, &h->arena, &attr));
    } else {
        const char *type = golden_word();
        assert_string_equal(kind, "type");
        assert_true(oribi_attrs_set_type(&h->attrs, &h->arena, name,
                                         oribi_dtype_parse(type, strlen(type))));
    }
}

static inline void golden_end_case(golden *g)
{
    g->n_cases++;
    g->visit(g);
    for (int i = 0; i < g->n_want; i++) {
        TF_DeleteTensor(g->want[i]);
    }
    g->n_want = 0;
    g->is_error = false;
    harness_destroy(&g->h);
}

static inline void golden_line(golden *g, char *text, char *op, size_t op_size)
{
    char *key = strtok(text, " \n");
    if (key == NULL || *key == '#') {
        return;
    }
    if (strcmp(key, "op") == 0) {
        assert_false(g->is_open); /* a case ends with "end" */
        g->is_open = true;
        (void)snprintf(op, op_size, "%s", golden_word());
        harness_init(&g->h, op);
    } else if (strcmp(key, "attr") == 0) {
        golden_attr(&g->h);
    } else if (strcmp(key, "in") == 0 || strcmp(key, "constant") == 0) {
        g->h.constants |= *key == 'c' ? 1U << g->h.n_inputs : 0;
        g->h.inputs[g->h.n_inputs++] = golden_tensor();
    } else if (strcmp(key, "out") == 0) {
        g->want[g->n_want++] = golden_tensor();
    } else if (strcmp(key, "tol") == 0) {
        g->tolerance = strtod(golden_word(), NULL);
        g->scale = strtod(golden_word(), NULL);
    } else if (strcmp(key, "error") == 0) {
        g->is_error = true;
    } else {
        assert_string_equal(key, "end");
        g->is_open = false;
        golden_end_case(g);
    }
}

/* Visits every case of a file. */
static inline void golden_read(const char *name, golden *g)
{
    enum { LINE_BYTES = 1 << 17 };
    char op[64];
    char *text = malloc(LINE_BYTES);
    FILE *file = fopen(name, "r");
    assert_non_null(text);
    assert_non_null(file);
    while (fgets(text, LINE_BYTES, file) != NULL) {
        g->line++;
        golden_line(g, text, op, sizeof op);
    }
    (void)fclose(file);
    free(text);
}

#endif
