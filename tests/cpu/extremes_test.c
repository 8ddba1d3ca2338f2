/* SPDX-License-Identifier: Apache-2.0 */
/* Every built-in op with extreme attributes, values and shapes: cases of the golden files and of
 * extremes.txt, once for each number of them (an attribute, an element of a small input) that is
 * put to an extreme, and with its inputs blown up. Shape function and all rows answer with a result
 * or with an error in words; what is undefined, uninitialised or out of bounds is for the
 * sanitizers to see.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cpu/harness.h"

#include "cpu/golden_read.h"
#include "op/op.h"

#include <time.h>

enum {
    MOST_BYTES = 1 << 22, /* of a tensor: more is refused as a full machine would */
    FEW = 16,             /* elements of an input that is taken for a parameter */
    FEW_DATA = 2,         /* elements of any input that are put to extremes */
    CASES = 4,            /* of one op and type, one after the other */
    SHAPE_MOST = 16,      /* outputs */
};

static const int64_t extreme_ints[] = {INT64_MIN,
                                       INT64_MIN + 1,
                                       INT32_MIN,
                                       -2,
                                       -1,
                                       0,
                                       1,
                                       2,
                                       7,
                                       255,
                                       INT32_MAX,
                                       INT64_C(1) << 31,
                                       INT64_C(1) << 32,
                                       INT64_C(1) << 62,
                                       INT64_MAX - 1,
                                       INT64_MAX};
static const double extreme_reals[] = {NAN,  INFINITY, -INFINITY, 0.0,  -0.0,  1e-45, 1e-300, 0.5,
                                       -1.0, 1e10,     -1e10,     1e38, -1e38, 1e300, 9.3e18};

/* --- Memory: what is too large is refused, not tried ------------------------------------------ */

static void *allocate(void *self, size_t bytes, size_t alignment)
{
    void *block = NULL;
    (void)self;
    if (bytes > MOST_BYTES ||
        posix_memalign(&block, alignment < 16 ? 16 : alignment, bytes == 0 ? 1 : bytes) != 0) {
        return NULL;
    }
    return block;
}

static void release(void *self, void *block)
{
    (void)self;
    free(block);
}

/* --- One run ---------------------------------------------------------------------------------- */

static bool is_clean(TF_Code code)
{
    return code == TF_OK || code == TF_INVALID_ARGUMENT || code == TF_UNIMPLEMENTED ||
           code == TF_RESOURCE_EXHAUSTED || code == TF_OUT_OF_RANGE;
}

static void judge(golden *g, const char *who)
{
    const TF_Code code = TF_GetCode(g->h.status);
    if (!is_clean(code) || (code != TF_OK && TF_Message(g->h.status)[0] == '\0')) {
        print_error("line %d: %s of %s: code %d '%s'\n", g->line, who, g->h.op, (int)code,
                    TF_Message(g->h.status));
        g->n_failures++;
    }
}

static void run_row(void *arg, const oribi_cpu_kernel *row)
{
    golden *g = arg;
    const bool good = harness_run(&g->h, row);
    judge(g, "a row");
    for (int i = 0; i < g->h.n_outputs; i++) {
        if (good != (g->h.outputs[i] != NULL)) {
            print_error("line %d: output %d of %s after '%s'\n", g->line, i, g->h.op,
                        TF_Message(g->h.status));
            g->n_failures++;
        }
    }
    g->n_runs++;
}

static void infer(golden *g, bool knows_values)
{
    harness *h = &g->h;
    oribi_shape shapes[HARNESS_MOST], outputs[SHAPE_MOST];
    TF_Tensor *constants[HARNESS_MOST] = {NULL};
    oribi_arena arena = {0};
    for (int i = 0; i < h->n_inputs; i++) {
        shapes[i] = (oribi_shape){h->inputs[i]->rank, h->inputs[i]->dims};
        constants[i] = knows_values ? h->inputs[i] : NULL;
    }
    TF_SetStatus(h->status, TF_OK, "");
    (void)oribi_op_infer_shapes(h->view.op, "test", &h->attrs, &h->signature, shapes, constants,
                                NULL, &arena, outputs, h->status);
    judge(g, "the shape function");
    oribi_arena_destroy(&arena);
}

/* The node as it is now; one whose attributes break the op's definition goes no further. */
static void run_all(golden *g)
{
    harness *h = &g->h;
    TF_DataType types[HARNESS_MOST];
    oribi_signature signature;
    for (int i = 0; i < h->n_inputs; i++) {
        types[i] = TF_TensorType(h->inputs[i]);
    }
    TF_SetStatus(h->status, TF_OK, "");
    if (!oribi_op_resolve(h->view.op, "test", &h->attrs, types, h->n_inputs, &h->arena, &signature,
                          h->status)) {
        judge(g, "the definition");
        return;
    }
    if (signature.n_outputs != h->signature.n_outputs) {
        return; /* outputs by an attribute: the kernel was made for another number */
    }
    infer(g, true);
    infer(g, false);
    (void)harness_each_row(h, run_row, g);
}

/* --- Attributes ------------------------------------------------------------------------------- */

static void vary_attr(golden *g, const oribi_attr *attr)
{
    if (attr->kind == TF_ATTR_INT) {
        int64_t *values = (int64_t *)(uintptr_t)attr->u.i;
        for (int32_t k = 0; k < attr->count; k++) {
            const int64_t before = values[k];
            for (size_t e = 0; e < sizeof extreme_ints / sizeof extreme_ints[0]; e++) {
                values[k] = extreme_ints[e];
                run_all(g);
            }
            values[k] = before;
        }
    } else if (attr->kind == TF_ATTR_FLOAT) {
        float *values = (float *)(uintptr_t)attr->u.f;
        for (int32_t k = 0; k < attr->count; k++) {
            const float before = values[k];
            for (size_t e = 0; e < sizeof extreme_reals / sizeof extreme_reals[0]; e++) {
                const double real = extreme_reals[e];
                values[k] = real > 1e38 && real < (double)INFINITY ? 3e38f : (float)real;
                run_all(g);
            }
            values[k] = before;
        }
    }
}

/* --- Values ----------------------------------------------------------------------------------- */

static bool is_real(TF_DataType dtype)
{
    return dtype == TF_FLOAT || dtype == TF_DOUBLE;
}

/* Extreme e as an element; integers wrap. */
static void put_extreme(TF_DataType dtype, char *at, size_t e)
{
    const int64_t integer = extreme_ints[e % (sizeof extreme_ints / sizeof extreme_ints[0])];
    const double real = extreme_reals[e % (sizeof extreme_reals / sizeof extreme_reals[0])];
    const float single = real > 1e38 && real < (double)INFINITY ? 3e38f : (float)real;
    if (dtype == TF_DOUBLE) {
        memcpy(at, &real, sizeof real);
    } else if (dtype == TF_FLOAT) {
        memcpy(at, &single, sizeof single);
    } else if (dtype == TF_BOOL) {
        *at = (char)(integer & 1);
    } else {
        memcpy(at, &integer, TF_DataTypeSize(dtype)); /* little endian: the low bytes */
    }
}

static void vary_values(golden *g, TF_Tensor *tensor)
{
    const TF_DataType dtype = TF_TensorType(tensor);
    const size_t width = TF_DataTypeSize(dtype);
    const int64_t count = TF_TensorElementCount(tensor);
    const int64_t most = !is_real(dtype) && count <= FEW ? count : FEW_DATA;
    if (width == 0 || width > 8 || dtype == TF_STRING) {
        return;
    }
    for (int64_t i = 0; i < count && i < most; i++) {
        char before[8], *at = (char *)TF_TensorData(tensor) + (size_t)i * width;
        memcpy(before, at, width);
        for (size_t e = 0; e < sizeof extreme_ints / sizeof extreme_ints[0]; e++) {
            put_extreme(dtype, at, e);
            run_all(g);
        }
        memcpy(at, before, width);
    }
}

/* All elements of a small integer input at once: a shape of 2^62 by 2^62, all axes -1. */
static void vary_all_values(golden *g, TF_Tensor *tensor)
{
    const TF_DataType dtype = TF_TensorType(tensor);
    const size_t width = TF_DataTypeSize(dtype);
    const int64_t count = TF_TensorElementCount(tensor);
    char before[8 * FEW];
    if (count < 2 || count > FEW || width == 0 || width > 8 || dtype == TF_STRING) {
        return;
    }
    memcpy(before, TF_TensorData(tensor), (size_t)count * width);
    for (size_t e = 0; e < sizeof extreme_ints / sizeof extreme_ints[0]; e++) {
        for (int64_t i = 0; i < count; i++) {
            put_extreme(dtype, (char *)TF_TensorData(tensor) + (size_t)i * width, e);
        }
        run_all(g);
    }
    memcpy(TF_TensorData(tensor), before, (size_t)count * width);
}

/* --- Shapes ----------------------------------------------------------------------------------- */

/* Input i with other dims, zeros in it, in the node's place for a run. */
static void run_with_dims(golden *g, int i, const int64_t *dims, int rank)
{
    TF_Tensor *before = g->h.inputs[i];
    const TF_DataType dtype = TF_TensorType(before);
    size_t bytes = TF_DataTypeSize(dtype);
    bool is_empty = false;
    for (int k = 0; k < rank; k++) {
        is_empty = is_empty || dims[k] == 0;
    }
    for (int k = 0; k < rank && !is_empty; k++) {
        bytes *= (size_t)dims[k];
    }
    TF_Tensor *tensor = TF_DataTypeSize(dtype) == 0
                            ? NULL
                            : TF_AllocateTensor(dtype, dims, rank, is_empty ? 0 : bytes);
    if (tensor == NULL) {
        return;
    }
    if (!is_empty) {
        memset(TF_TensorData(tensor), 0, bytes);
    }
    g->h.inputs[i] = tensor;
    run_all(g);
    g->h.inputs[i] = before;
    TF_DeleteTensor(tensor);
}

static void vary_shape(golden *g, int i)
{
    static const int64_t sizes[] = {0,        1, 3, INT32_MAX, INT64_C(1) << 32, INT64_C(1) << 62,
                                    INT64_MAX};
    int64_t dims[ORIBI_MAX_TENSOR_RANK];
    const int rank = TF_NumDims(g->h.inputs[i]);
    for (int k = 0; k < rank; k++) {
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            for (int d = 0; d < rank; d++) {
                dims[d] = TF_Dim(g->h.inputs[i], d);
            }
            dims[k] = sizes[s];
            if (sizes[s] > 3) { /* only what is empty can be so large */
                dims[k == 0 ? rank - 1 : 0] = 0;
            }
            run_with_dims(g, i, dims, rank);
        }
    }
    for (int s = 1; s <= 2 && rank > 2; s++) { /* all but one at once */
        for (int d = 0; d < rank; d++) {
            dims[d] = s == 1 ? INT64_C(1) << 40 : INT32_MAX;
        }
        dims[rank / 2] = 0;
        run_with_dims(g, i, dims, rank);
    }
}

/* Leading dims of 1 up to these ranks, values kept. */
static void vary_rank(golden *g, int i)
{
    static const int ranks[] = {0, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 64, ORIBI_MAX_TENSOR_RANK};
    int64_t dims[ORIBI_MAX_TENSOR_RANK];
    TF_Tensor *before = g->h.inputs[i];
    const int rank = TF_NumDims(before);
    if (TF_DataTypeSize(TF_TensorType(before)) == 0 || TF_TensorType(before) == TF_STRING) {
        return;
    }
    for (size_t r = 0; r < sizeof ranks / sizeof ranks[0]; r++) {
        for (int d = 0; d < ranks[r]; d++) {
            const int from = d - (ranks[r] - rank);
            dims[d] = from < 0 ? 1 : TF_Dim(before, from);
        }
        if (ranks[r] == rank) {
            continue;
        }
        if (ranks[r] > rank) {
            TF_Tensor *tensor =
                TF_AllocateTensor(TF_TensorType(before), dims, ranks[r], TF_TensorByteSize(before));
            assert_non_null(tensor);
            memcpy(TF_TensorData(tensor), TF_TensorData(before), TF_TensorByteSize(before));
            g->h.inputs[i] = tensor;
            run_all(g);
            g->h.inputs[i] = before;
            TF_DeleteTensor(tensor);
        } else {
            run_with_dims(g, i, dims, ranks[r]);
        }
    }
}

/* Without an extreme the case is a good one, or the others tell nothing. */
static void run_plain(void *arg, const oribi_cpu_kernel *row)
{
    golden *g = arg;
    if (!harness_run(&g->h, row)) {
        print_error("line %d: %s without extremes: '%s'\n", g->line, g->h.op,
                    TF_Message(g->h.status));
        g->n_failures++;
    }
}

/* Are there enough cases of this op and type already? */
static bool is_repetition(const harness *h)
{
    static char last_op[64];
    static TF_DataType last_type;
    static int n_cases;
    const TF_DataType type = h->n_inputs > 0 ? TF_TensorType(h->inputs[0]) : TF_FLOAT;
    if (strcmp(h->op, last_op) != 0 || type != last_type) {
        (void)snprintf(last_op, sizeof last_op, "%s", h->op);
        last_type = type;
        n_cases = 0;
    }
    return n_cases++ >= CASES;
}

static void vary(golden *g)
{
    harness *h = &g->h;
    if (is_repetition(h)) {
        return;
    }
    if (!harness_resolve(h)) {
        g->n_failures++;
        return;
    }
    if (harness_each_row(h, run_plain, g) == 0) {
        print_error("line %d: no kernel takes %s\n", g->line, h->op);
        g->n_failures++;
    }
    for (int32_t k = 0; k < h->attrs.count; k++) {
        vary_attr(g, &h->attrs.items[k]);
    }
    for (int i = 0; i < h->n_inputs; i++) {
        vary_values(g, h->inputs[i]);
        vary_all_values(g, h->inputs[i]);
        vary_shape(g, i);
        vary_rank(g, i);
    }
}

/* An extreme is no reason to count to 2^31: all variations of a case take milliseconds. */
static void vary_in_time(golden *g)
{
    enum { MOST_SECONDS = 5 };
    const clock_t before = clock();
    vary(g);
    if ((clock() - before) / CLOCKS_PER_SEC >= MOST_SECONDS) {
        print_error("line %d: %s took more than %d s\n", g->line, g->h.op, MOST_SECONDS);
        g->n_failures++;
    }
}

static void run_file(const char *name)
{
    golden g = {.visit = vary_in_time};
    golden_read(name, &g);
    print_message("%d cases, %d runs\n", g.n_cases, g.n_runs);
    assert_int_equal(g.n_failures, 0);
}

static void ops_of_tensorflow_bear_extremes(void **state)
{
    (void)state;
    run_file(TEST_SOURCE "/tests/cpu/golden.txt");
}

static void ops_of_onnx_bear_extremes(void **state)
{
    (void)state;
    run_file(TEST_SOURCE "/tests/cpu/golden_onnx.txt");
}

static void convolutions_and_products_bear_extremes(void **state)
{
    (void)state;
    run_file(TEST_SOURCE "/tests/cpu/golden_heavy.txt");
}

static void quantised_ops_bear_extremes(void **state)
{
    (void)state;
    run_file(TEST_SOURCE "/tests/cpu/extremes.txt");
}

int main(void)
{
    static const oribi_alloc_hooks hooks = {NULL, allocate, release};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ops_of_tensorflow_bear_extremes),
        cmocka_unit_test(ops_of_onnx_bear_extremes),
        cmocka_unit_test(convolutions_and_products_bear_extremes),
        cmocka_unit_test(quantised_ops_bear_extremes),
    };
    oribi_alloc_set_hooks(&hooks);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
