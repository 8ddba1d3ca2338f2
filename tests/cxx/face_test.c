/* SPDX-License-Identifier: Apache-2.0 */
/* Plugins written in the style of TensorFlow's C++ interface, loaded and computed with. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cxx/run_session.h"
#include "plugin/plugin.h"

/* One of each compiler and standard that this build has. */
static const char *const flavours[] = {"GCC_14", "GCC_17", "CLANG_14", "CLANG_17"};
enum { N_FLAVOURS = sizeof flavours / sizeof flavours[0] };

static bool exists(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file != NULL) {
        fclose(file);
    }
    return file != NULL;
}

static void load(const char *path)
{
    TF_Status *status = TF_NewStatus();
    oribi_plugin_load_built_ins(status);
    oribi_plugin_load(path, status);
    assert_string_equal(TF_Message(status), "");
    TF_DeleteStatus(status);
}

static TF_Tensor *ints(const int32_t *values, int64_t n)
{
    TF_Tensor *tensor = TF_AllocateTensor(TF_INT32, &n, 1, (size_t)n * 4);
    memcpy(TF_TensorData(tensor), values, (size_t)n * 4);
    return tensor;
}

/* A list that two of them shared would register the first one's kernels twice: a tie. */
static void smallest_plugins_compute_side_by_side_whatever_compiled_them(void **state)
{
    (void)state;
    int done = 0;
    for (int k = 0; k < 2 * N_FLAVOURS; k++) { /* all are loaded before any computes */
        const int round = k / N_FLAVOURS, i = k % N_FLAVOURS;
        char path[512], op[64];
        snprintf(path, sizeof path, "%s/first_%s.so", CXX_PLUGINS, flavours[i]);
        if (!exists(path)) {
            continue;
        }
        if (round == 0) {
            load(path);
            continue;
        }
        snprintf(op, sizeof op, "CxxFirst%s", flavours[i]);
        memmove(strchr(op, '_'), strchr(op, '_') + 1, strlen(strchr(op, '_')));
        TF_Tensor *x = ints((int32_t[]){7, 8, 9}, 3);
        TF_Status *status = TF_NewStatus();
        run_op run;

        assert_true(run_op_begin(&run, op, "", &x, 1, NULL, status));

        const int32_t *y = TF_TensorData(run.outputs[0]);
        assert_int_equal(y[0], 7);
        assert_int_equal(y[1], 0);
        assert_int_equal(y[2], 0);
        run_op_end(&run);
        TF_DeleteTensor(x);
        TF_DeleteStatus(status);
        done++;
    }
    assert_true(done >= 2);
}

/* --- The plugin of two files ------------------------------------------------------------------ */

static const char *const prefixes[] = {"Plain", "Eigen"};
enum { N_PREFIXES = 2 };

static bool load_many(const char *prefix)
{
    char path[512];
    snprintf(path, sizeof path, "%s/many_%s.so", CXX_PLUGINS,
             strcmp(prefix, "Plain") == 0 ? "plain" : "eigen");
    if (!exists(path)) {
        return false;
    }
    load(path);
    return true;
}

static TF_Tensor *tensor_of(TF_DataType type, const int64_t *dims, int rank, const void *data)
{
    size_t bytes = TF_DataTypeSize(type);
    for (int i = 0; i < rank; i++) {
        bytes *= (size_t)dims[i];
    }
    TF_Tensor *tensor = TF_AllocateTensor(type, dims, rank, bytes);
    memcpy(TF_TensorData(tensor), data, bytes);
    return tensor;
}

static TF_Tensor *text_of(const char *text)
{
    TF_Tensor *tensor = TF_AllocateTensor(TF_STRING, NULL, 0, sizeof(TF_TString));
    TF_TString_Init(TF_TensorData(tensor));
    TF_TString_Copy(TF_TensorData(tensor), text, strlen(text));
    return tensor;
}

typedef enum setting { BY_ITSELF, IN_A_SESSION_TOO } setting;

/* Calls check on the run of prefix + op for each plugin that is there; takes the inputs. */
static void with_each_where(setting where, const char *op, const char *attrs, TF_Tensor **inputs,
                            int n_inputs, void (*check)(const run_op *run, const char *message))
{
    TF_Status *status = TF_NewStatus();
    oribi_pool *pool = oribi_pool_create(3, status);
    for (int i = 0; i < N_PREFIXES; i++) {
        char name[64];
        run_op run;
        if (!load_many(prefixes[i])) {
            assert_int_equal(i, 1); /* the one with Eigen may be missing */
            continue;
        }
        snprintf(name, sizeof name, "%s%s", prefixes[i], op);
        TF_SetStatus(status, TF_OK, "");
        (void)run_op_begin(&run, name, attrs, inputs, n_inputs, pool, status);
        check(&run, TF_Message(status));
        if (where == IN_A_SESSION_TOO) {
            TF_SetStatus(status, TF_OK, "");
            (void)run_session(&run, name, inputs, n_inputs, status);
            check(&run, TF_Message(status));
        }
        run_op_end(&run);
    }
    oribi_pool_release(pool);
    for (int i = 0; i < n_inputs; i++) {
        TF_DeleteTensor(inputs[i]);
    }
    TF_DeleteStatus(status);
}

static void with_each(const char *op, const char *attrs, TF_Tensor **inputs, int n_inputs,
                      void (*check)(const run_op *run, const char *message))
{
    with_each_where(IN_A_SESSION_TOO, op, attrs, inputs, n_inputs, check);
}

static void check_squares(const run_op *run, const char *message)
{
    assert_string_equal(message, "");
    const float *y = TF_TensorData(run->outputs[0]);
    for (int i = 0; i < 10000; i++) {
        assert_true(y[i] >= (float)i * (float)i && y[i] <= (float)i * (float)i);
    }
}

static void elementwise_kernel_squares(void **state)
{
    (void)state;
    static float values[10000];
    for (int i = 0; i < 10000; i++) {
        values[i] = (float)i;
    }
    TF_Tensor *x = tensor_of(TF_FLOAT, (int64_t[]){100, 100}, 2, values);
    with_each("Square", "", &x, 1, check_squares);
}

static void check_row_sums(const run_op *run, const char *message)
{
    assert_string_equal(message, "");
    const float *y = TF_TensorData(run->outputs[0]);
    for (int r = 0; r < 500; r++) {
        assert_int_equal((int)y[r], 2 * 4 * r);
    }
}

static void sharded_reduction_sums_rows(void **state)
{
    (void)state;
    static float values[500][4];
    for (int r = 0; r < 500; r++) {
        for (int c = 0; c < 4; c++) {
            values[r][c] = (float)r;
        }
    }
    TF_Tensor *x = tensor_of(TF_FLOAT, (int64_t[]){500, 4}, 2, values);
    with_each("RowSum", "scale=2.0", &x, 1, check_row_sums);
}

static void check_bad_scale(const run_op *run, const char *message)
{
    (void)run;
    assert_non_null(strstr(message, "scale must be > 0, is -1"));
}

static void failed_constructor_says_why(void **state)
{
    (void)state;
    TF_Tensor *x = tensor_of(TF_FLOAT, (int64_t[]){1, 1}, 2, &(float){1});
    with_each("RowSum", "scale=-1.0", &x, 1, check_bad_scale);
}

static void check_description(const run_op *run, const char *message)
{
    assert_string_equal(message, "");
    const TF_TString *text = TF_TensorData(run->outputs[0]);
    char got[512];
    snprintf(got, sizeof got, "%.*s", (int)TF_TString_GetSize(text),
             TF_TString_GetDataPointer(text));
    char *op = strrchr(got, '|');
    assert_non_null(strstr(op, "Describe"));
    *op = '\0';
    assert_string_equal(got, "-7|1099511627776|0.5|1|hi|int8|[2,3]|[1,?]|4 5|1,2|0.25|2|one,two|"
                             "float, string|[[2], [4]]|node");
}

static void attributes_of_each_kind_arrive(void **state)
{
    (void)state;
    with_each("Describe",
              "i=-7;wide=1099511627776;f=0.5;b=true;s=\"hi\";type=DT_INT8;"
              "shape={dim{size:2}dim{size:3}};partial={dim{size:1}dim{size:-1}};"
              "tensor={dtype:DT_INT32 tensor_shape{dim{size:2}} int_val:4 int_val:5};is=[1,2];"
              "fs=[0.25];bs=[true,false];ss=[\"one\",\"two\"];types=[DT_FLOAT,DT_STRING];"
              "shapes=[{dim{size:2}},{dim{size:4}}]",
              NULL, 0, check_description);
}

static void check_words(const run_op *run, const char *message)
{
    assert_string_equal(message, "");
    const TF_TString *words = TF_TensorData(run->outputs[0]);
    assert_int_equal(TF_Dim(run->outputs[0], 0), 3);
    assert_memory_equal(TF_TString_GetDataPointer(&words[2]), "a-word-longer-than-22-bytes", 27);
    assert_int_equal(*(const int32_t *)TF_TensorData(run->outputs[1]), 3);
}

static void text_goes_in_and_out(void **state)
{
    (void)state;
    TF_Tensor *x = text_of("two  words a-word-longer-than-22-bytes");
    with_each("Words", "", &x, 1, check_words);
}

static void check_running_sum(const run_op *run, const char *message)
{
    assert_string_equal(message, "");
    assert_int_equal(run->n_outputs, 4);
    assert_int_equal(((const int32_t *)TF_TensorData(run->outputs[1]))[1], 22);
    assert_int_equal(((const int32_t *)TF_TensorData(run->outputs[3]))[1], 222);
}

static void lists_come_and_go_by_name(void **state)
{
    (void)state;
    TF_Tensor *xs[] = {ints((int32_t[]){1, 2}, 2), ints((int32_t[]){10, 20}, 2),
                       ints((int32_t[]){100, 200}, 2)};
    with_each("RunningSum", "N=3", xs, 3, check_running_sum);
}

static void check_row(const run_op *run, const char *message)
{
    assert_string_equal(message, "");
    assert_int_equal((int)((const float *)TF_TensorData(run->outputs[0]))[1], 3);
}

static void check_no_row(const run_op *run, const char *message)
{
    (void)run;
    /* of the shape function, or in a session, where the row is not known before, of the kernel */
    assert_true(strstr(message, "row 7 of [3,2]") != NULL || strstr(message, "no row 7") != NULL);
}

static void slice_of_an_input_is_an_output_and_a_shape_function_reads_values(void **state)
{
    (void)state;
    for (int32_t row = 1; row <= 7; row += 6) {
        TF_Tensor *inputs[] = {
            tensor_of(TF_FLOAT, (int64_t[]){3, 2}, 2, (float[]){0, 1, 2, 3, 4, 5}),
            tensor_of(TF_INT32, NULL, 0, &row)};
        with_each("Row", "", inputs, 2, row == 1 ? check_row : check_no_row);
    }
}

static void check_later(const run_op *run, const char *message)
{
    assert_string_equal(message, "");
    assert_int_equal(*(const int32_t *)TF_TensorData(run->outputs[0]), 42);
}

static void asynchronous_kernel_answers_from_its_thread(void **state)
{
    (void)state;
    TF_Tensor *x = tensor_of(TF_INT32, NULL, 0, &(int32_t){41});
    with_each("Later", "", &x, 1, check_later);
}

static void check_count(const run_op *run, const char *message)
{
    assert_string_equal(message, "");
    static int64_t calls[N_PREFIXES];
    const int which = run->node.op->name[0] == 'E';
    assert_int_equal(*(const int64_t *)TF_TensorData(run->outputs[0]), ++calls[which]);
}

/* Each plugin counts for itself, although names and classes are the same in both. */
static void resources_of_two_plugins_are_apart_and_outlive_kernels(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        with_each_where(BY_ITSELF, "Count", "shared_name=\"one\"", NULL, 0, check_count);
    }
}

static void check_arithmetic(const run_op *run, const char *message)
{
    const int64_t want[] = {12, 2, 21, 3, 5, 7, 9, 10};
    (void)message; /* there is no kernel: only the shape function runs */
    assert_int_equal(run->inferred[0].rank, 8);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(run->inferred[0].dims[i], want[i]);
    }
}

static void dimensions_are_computed_with(void **state)
{
    (void)state;
    TF_Tensor *inputs[] = {ints((int32_t[7]){0}, 7), ints((int32_t[5]){0}, 5)};
    with_each("Arithmetic", "", inputs, 2, check_arithmetic);
}

static bool count_provider(void *arg, const oribi_op_def *op)
{
    int *counts = arg;
    counts[0] += strstr(op->provider, "many_plain.so") != NULL;
    counts[1] += strstr(op->provider, "many_eigen.so") != NULL;
    return true;
}

static void plugin_with_a_real_abseil_computes(void **state)
{
    (void)state;
    static const char *const want[] = {"one;two;", "no word for 7"};
    if (!exists(CXX_PLUGINS "/abseil.so")) {
        skip();
    }
    load(CXX_PLUGINS "/abseil.so");
    for (int i = 0; i < 2; i++) {
        TF_Tensor *x = ints((int32_t[]){1, i == 0 ? 2 : 7}, 2);
        TF_Status *status = TF_NewStatus();
        run_op run;

        const bool ok = run_op_begin(&run, "AbseilWords", "", &x, 1, NULL, status);

        assert_int_equal(ok, i == 0);
        if (ok) {
            const TF_TString *text = TF_TensorData(run.outputs[0]);
            assert_int_equal(TF_TString_GetSize(text), strlen(want[0]));
            assert_memory_equal(TF_TString_GetDataPointer(text), want[0], strlen(want[0]));
        } else {
            assert_int_equal(TF_GetCode(status), TF_NOT_FOUND);
            assert_non_null(strstr(TF_Message(status), want[1]));
        }
        run_op_end(&run);
        TF_DeleteTensor(x);
        TF_DeleteStatus(status);
    }
}

static void two_plugins_in_a_process_do_not_share_their_lists(void **state)
{
    (void)state;
    int counts[2] = {0};
    if (!load_many("Plain") || !load_many("Eigen")) {
        skip();
    }

    oribi_op_each(count_provider, counts);

    assert_int_equal(counts[0], 9);
    assert_int_equal(counts[1], 9);
}

int main(void)
{
    setenv("ORIBI_PLUGIN_PROBE", TEST_PROBE, 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smallest_plugins_compute_side_by_side_whatever_compiled_them),
        cmocka_unit_test(elementwise_kernel_squares),
        cmocka_unit_test(sharded_reduction_sums_rows),
        cmocka_unit_test(failed_constructor_says_why),
        cmocka_unit_test(attributes_of_each_kind_arrive),
        cmocka_unit_test(text_goes_in_and_out),
        cmocka_unit_test(lists_come_and_go_by_name),
        cmocka_unit_test(slice_of_an_input_is_an_output_and_a_shape_function_reads_values),
        cmocka_unit_test(asynchronous_kernel_answers_from_its_thread),
        cmocka_unit_test(resources_of_two_plugins_are_apart_and_outlive_kernels),
        cmocka_unit_test(dimensions_are_computed_with),
        cmocka_unit_test(plugin_with_a_real_abseil_computes),
        cmocka_unit_test(two_plugins_in_a_process_do_not_share_their_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
