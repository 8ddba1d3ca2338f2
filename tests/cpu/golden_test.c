/* SPDX-License-Identifier: Apache-2.0 */
/* Every row of the kernel list against what TensorFlow and ONNX Runtime answer (golden.txt and
 * golden_onnx.txt, golden_heavy.txt, made by scripts in tests/peer): one case after the other, each
 * through all rows that fit it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cpu/harness.h"
#include "tensor/tensor.h"

typedef struct golden {
    harness h;
    TF_Tensor *want[HARNESS_MOST];
    int n_want;
    double tolerance, scale;
    int line, n_cases, n_runs, n_failures;
} golden;

static char *word(void)
{
    return strtok(NULL, " \n");
}

static int64_t number(void)
{
    const char *text = word();
    assert_non_null(text);
    return strtoll(text, NULL, 10);
}

/* One element from its word. */
static void put(TF_DataType dtype, void *data, int64_t i, const char *text)
{
    switch (dtype) {
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

static TF_Tensor *read_tensor(void)
{
    int64_t dims[16];
    const char *name = word();
    TF_DataType dtype = oribi_dtype_parse(name, strlen(name));
    int rank = (int)number();
    for (int i = 0; i < rank; i++) {
        dims[i] = number();
    }
    TF_Tensor *tensor = harness_tensor(dtype, dims, rank);
    assert_non_null(tensor);
    int64_t n = TF_TensorElementCount(tensor);
    for (int64_t i = 0; i < n; i++) {
        const char *text = word();
        assert_non_null(text);
        put(dtype, TF_TensorData(tensor), i, text);
    }
    return tensor;
}

static void read_attr(harness *h)
{
    const char *name = word(), *kind = word();
    if (strcmp(kind, "ints") == 0) {
        int64_t values[32];
        int n = (int)number();
        for (int i = 0; i < n; i++) {
            values[i] = number();
        }
        assert_true(oribi_attrs_set_ints(&h->attrs, &h->arena, name, values, n));
    } else if (strcmp(kind, "bools") == 0) {
        uint8_t values[8];
        oribi_attr attr = {
            .name = name, .kind = TF_ATTR_BOOL, .is_list = true, .count = (int32_t)number()};
        for (int i = 0; i < attr.count; i++) {
            values[i] = number() != 0;
        }
        attr.u.b = values;
        assert_true(oribi_attrs_set(&h->attrs, &h->arena, &attr));
    } else if (strcmp(kind, "int") == 0) {
        assert_true(oribi_attrs_set_int(&h->attrs, &h->arena, name, number()));
    } else if (strcmp(kind, "float") == 0) {
        assert_true(oribi_attrs_set_float(&h->attrs, &h->arena, name, strtof(word(), NULL)));
    } else if (strcmp(kind, "bool") == 0) {
        assert_true(oribi_attrs_set_bool(&h->attrs, &h->arena, name, number() != 0));
    } else if (strcmp(kind, "strings") == 0) {
        const char *values[8];
        int n = (int)number();
        for (int i = 0; i < n; i++) {
            values[i] = word();
        }
        assert_true(oribi_attrs_set_strings(&h->attrs, &h->arena, name, values, n));
    } else if (strcmp(kind, "string") == 0) {
        assert_true(oribi_attrs_set_string(&h->attrs, &h->arena, name, word()));
    } else {
        const char *type = word();
        assert_string_equal(kind, "type");
        assert_true(oribi_attrs_set_type(&h->attrs, &h->arena, name,
                                         oribi_dtype_parse(type, strlen(type))));
    }
}

static void check_row(void *arg, const oribi_cpu_kernel *row)
{
    golden *g = arg;
    char what[160];
    (void)snprintf(what, sizeof what, "line %d: %s (%s, %d)", g->line, row->op_name,
                   oribi_cpu_isa_name(row->isa), (int)row->priority);
    g->n_runs++;
    bool good = harness_run(&g->h, row);
    if (!good) {
        print_error("%s: %s\n", what, TF_Message(g->h.status));
    }
    for (int i = 0; good && i < g->n_want; i++) {
        good = harness_close(g->h.outputs[i], g->want[i], g->tolerance, g->scale, what);
    }
    g->n_failures += good ? 0 : 1;
}

static void finish_case(golden *g)
{
    g->n_cases++;
    if (!harness_resolve(&g->h) || harness_each_row(&g->h, check_row, g) == 0) {
        print_error("line %d: no row runs %s\n", g->line, g->h.op);
        g->n_failures++;
    }
    for (int i = 0; i < g->n_want; i++) {
        TF_DeleteTensor(g->want[i]);
    }
    g->n_want = 0;
    harness_destroy(&g->h);
}

static void read_line(golden *g, char *text, char *op, size_t op_size)
{
    char *key = strtok(text, " \n");
    if (key == NULL || *key == '#') {
        return;
    }
    if (strcmp(key, "op") == 0) {
        (void)snprintf(op, op_size, "%s", word());
        harness_init(&g->h, op);
    } else if (strcmp(key, "attr") == 0) {
        read_attr(&g->h);
    } else if (strcmp(key, "in") == 0) {
        g->h.inputs[g->h.n_inputs++] = read_tensor();
    } else if (strcmp(key, "out") == 0) {
        g->want[g->n_want++] = read_tensor();
    } else if (strcmp(key, "tol") == 0) {
        g->tolerance = strtod(word(), NULL);
        g->scale = strtod(word(), NULL);
    } else {
        assert_string_equal(key, "end");
        finish_case(g);
    }
}

static int run_file(const char *name)
{
    enum { LINE_BYTES = 1 << 17 };
    golden g = {0};
    char op[64];
    char *text = malloc(LINE_BYTES);
    FILE *file = fopen(name, "r");
    assert_non_null(text);
    assert_non_null(file);
    while (fgets(text, LINE_BYTES, file) != NULL) {
        g.line++;
        read_line(&g, text, op, sizeof op);
    }
    (void)fclose(file);
    free(text);
    print_message("%d cases, %d runs\n", g.n_cases, g.n_runs);
    assert_int_equal(g.n_failures, 0);
    return g.n_cases;
}

static void every_row_answers_as_tensorflow_does(void **state)
{
    (void)state;
    assert_true(run_file(TEST_SOURCE "/tests/cpu/golden.txt") > 600);
}

static void ops_of_onnx_answer_as_onnx_runtime_does(void **state)
{
    (void)state;
    assert_true(run_file(TEST_SOURCE "/tests/cpu/golden_onnx.txt") > 40);
}

static void convolutions_and_products_answer_as_tensorflow_does(void **state)
{
    (void)state;
    assert_true(run_file(TEST_SOURCE "/tests/cpu/golden_heavy.txt") > 45);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_answers_as_tensorflow_does),
        cmocka_unit_test(ops_of_onnx_answer_as_onnx_runtime_does),
        cmocka_unit_test(convolutions_and_products_answer_as_tensorflow_does)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
