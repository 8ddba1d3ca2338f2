/* SPDX-License-Identifier: Apache-2.0 */
/* What an application asks of options and of a model before it makes a session. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "format/proto.h"
#include "oribi/oribi.h"

enum { ONNX_FLOAT = 1, ONNX_UINT8 = 2, ONNX_INT8 = 3, ONNX_INT64 = 7 };

/* --- A model of one node, written here ------------------------------------------------------- */

static void put_port(oribi_text *graph, unsigned field, const char *name, uint64_t type)
{
    oribi_text port = {0}, kind = {0}, tensor = {0}, shape = {0}, dim = {0};
    oribi_proto_string(&dim, 2, "batch");
    oribi_proto_message(&shape, 1, &dim);
    oribi_proto_number(&dim, 1, 3);
    oribi_proto_message(&shape, 1, &dim);
    oribi_proto_number(&tensor, 1, type);
    oribi_proto_message(&tensor, 2, &shape);
    oribi_proto_message(&kind, 1, &tensor);
    oribi_proto_string(&port, 1, name);
    oribi_proto_message(&port, 2, &kind);
    oribi_proto_message(graph, field, &port);
}

/* weights [3], of which the bytes lie in file "w.bin". */
static void put_weights(oribi_text *graph)
{
    static const char *const entries[2][2] = {{"location", "w.bin"}, {"length", "12"}};
    oribi_text tensor = {0};
    oribi_proto_number(&tensor, 1, 3);
    oribi_proto_number(&tensor, 2, ONNX_FLOAT);
    oribi_proto_string(&tensor, 8, "w");
    for (int i = 0; i < 2; i++) {
        oribi_text entry = {0};
        oribi_proto_string(&entry, 1, entries[i][0]);
        oribi_proto_string(&entry, 2, entries[i][1]);
        oribi_proto_message(&tensor, 13, &entry);
    }
    oribi_proto_number(&tensor, 14, 1);
    oribi_proto_message(graph, 5, &tensor);
}

/* y = op(x) or op(x, w); x, y: float [batch, 3] */
static void write_model(oribi_text *model, const char *op, bool has_weights, uint64_t y_type,
                        const char *cast_to)
{
    oribi_text node = {0}, graph = {0}, opset = {0};
    oribi_proto_string(&node, 1, "x");
    if (has_weights) {
        oribi_proto_string(&node, 1, "w");
    }
    oribi_proto_string(&node, 2, "y");
    oribi_proto_string(&node, 3, "the_node");
    oribi_proto_string(&node, 4, op);
    if (cast_to != NULL) {
        oribi_text attr = {0};
        oribi_proto_string(&attr, 1, cast_to);
        oribi_proto_number(&attr, 3, y_type);
        oribi_proto_number(&attr, 20, 2);
        oribi_proto_message(&node, 5, &attr);
    }
    oribi_proto_message(&graph, 1, &node);
    oribi_proto_string(&graph, 2, "small");
    if (has_weights) {
        put_weights(&graph);
    }
    put_port(&graph, 11, "x", ONNX_FLOAT);
    put_port(&graph, 12, "y", y_type);
    oribi_proto_number(model, 1, 8);
    oribi_proto_number(&opset, 2, 13);
    oribi_proto_message(model, 7, &graph);
    oribi_proto_message(model, 8, &opset);
    assert_false(model->failed);
}

static void expect(const TF_Status *status, TF_Code code)
{
    if (TF_GetCode(status) != code) {
        fail_msg("code %d, not %d: %s", TF_GetCode(status), code, TF_Message(status));
    }
}

static void a_model_tells_what_its_file_says_about_itself(void **state)
{
    (void)state;
    oribi_text bytes = {0}, entry = {0};
    TF_Status *status = TF_NewStatus();
    static const char *const keys[] = {"author", "author", "empty"}, *const values[] = {"Ann", "Bo",
                                                                                        ""};
    for (int i = 0; i < 3; i++) {
        oribi_proto_string(&entry, 1, keys[i]);
        oribi_proto_string(&entry, 2, values[i]);
        oribi_proto_message(&bytes, 14, &entry);
    }
    oribi_proto_string(&bytes, 2, "maker");
    oribi_proto_string(&bytes, 6, "what it is for");
    oribi_proto_number(&bytes, 5, 42);
    write_model(&bytes, "Relu", false, ONNX_FLOAT, NULL);
    oribi_model *model = oribi_model_from_memory(bytes.data, bytes.length, "m", NULL, status);
    expect(status, TF_OK);

    assert_string_equal(oribi_model_metadata(model, "author"), "Ann");
    assert_string_equal(oribi_model_metadata(model, "empty"), "");
    assert_string_equal(oribi_model_metadata(model, "producer_name"), "maker");
    assert_string_equal(oribi_model_metadata(model, "doc_string"), "what it is for");
    assert_string_equal(oribi_model_metadata(model, "model_version"), "42");
    assert_string_equal(oribi_model_metadata(model, "graph_name"), "small");
    assert_null(oribi_model_metadata(model, "domain"));
    assert_string_equal(oribi_model_metadata_key(model, 0), "author");
    int n = 0;
    while (oribi_model_metadata_key(model, n) != NULL) {
        n++;
    }
    assert_int_equal(n, 7);
    assert_null(oribi_model_metadata_key(model, -1));
    assert_int_equal(oribi_model_num_states(model), 0);

    oribi_model_destroy(model);
    oribi_text_destroy(&bytes);
    TF_DeleteStatus(status);
}

static void a_model_tells_names_types_and_shapes_of_its_ports(void **state)
{
    (void)state;
    oribi_text bytes = {0};
    TF_Status *status = TF_NewStatus();
    int64_t dims[3] = {7, 7, 7};
    write_model(&bytes, "Cast", false, ONNX_INT64, "to");
    oribi_model *model = oribi_model_from_memory(bytes.data, bytes.length, "m", NULL, status);
    expect(status, TF_OK);

    assert_int_equal(oribi_model_num_inputs(model), 1);
    assert_int_equal(oribi_model_num_outputs(model), 1);
    assert_string_equal(oribi_model_input_name(model, 0), "x");
    assert_string_equal(oribi_model_output_name(model, 0), "y");
    assert_int_equal(oribi_model_input_type(model, 0), TF_FLOAT);
    assert_int_equal(oribi_model_output_type(model, 0), TF_INT64);
    assert_int_equal(oribi_model_input_shape(model, 0, dims, 1), 2);
    assert_int_equal(dims[0], -1);
    assert_int_equal(dims[1], 7); /* not more than asked for */
    assert_int_equal(oribi_model_input_shape(model, 0, dims, 3), 2);
    assert_int_equal(dims[1], 3);
    assert_int_equal(dims[2], 7);
    assert_int_equal(oribi_model_output_shape(model, 0, dims, 3), 2);
    assert_int_equal(dims[1], 3);
    for (int i = -1; i < 2; i += 2) {
        assert_null(oribi_model_input_name(model, i));
        assert_null(oribi_model_output_name(model, i));
        assert_int_equal(oribi_model_input_type(model, i), 0);
        assert_int_equal(oribi_model_output_type(model, i), 0);
        assert_int_equal(oribi_model_input_shape(model, i, dims, 3), -1);
        assert_int_equal(oribi_model_output_shape(model, i, dims, 3), -1);
    }
    oribi_model_destroy(model);
    oribi_text_destroy(&bytes);
    TF_DeleteStatus(status);
}

static void put_number(oribi_text *graph, const char *name, uint64_t type, const void *data,
                       size_t bytes)
{
    oribi_text tensor = {0}, raw = {0};
    oribi_text_append_n(&raw, data, bytes);
    oribi_proto_number(&tensor, 2, type);
    oribi_proto_string(&tensor, 8, name);
    oribi_proto_message(&tensor, 9, &raw);
    oribi_proto_message(graph, 5, &tensor);
}

static void put_node(oribi_text *graph, const char *op, const char *const *inputs, const char *y)
{
    oribi_text node = {0};
    for (; *inputs != NULL; inputs++) {
        oribi_proto_string(&node, 1, *inputs);
    }
    oribi_proto_string(&node, 2, y);
    oribi_proto_string(&node, 4, op);
    oribi_proto_message(graph, 1, &node);
}

static void expect_units(int n, float scale, int32_t zero, int found, float has, int32_t has_zero)
{
    assert_int_equal(found, n);
    assert_memory_equal(&has, &scale, sizeof scale);
    assert_int_equal(has_zero, zero);
}

/* Only elements are moved between a port and the operator that says what they stand for. */
static void a_model_tells_the_quantisation_of_its_ports(void **state)
{
    (void)state;
    static const float scales[2] = {0.1F, 0.75F};
    static const int8_t zeros[2] = {7, -3};
    oribi_text model_bytes = {0}, graph = {0}, opset = {0};
    TF_Status *status = TF_NewStatus();
    put_node(&graph, "Transpose", (const char *[]){"x", NULL}, "moved");
    put_node(&graph, "DequantizeLinear", (const char *[]){"moved", "s0", "z0", NULL}, "real");
    put_node(&graph, "QuantizeLinear", (const char *[]){"real", "s1", "z1", NULL}, "stored");
    put_node(&graph, "Transpose", (const char *[]){"stored", NULL}, "y");
    put_number(&graph, "s0", ONNX_FLOAT, &scales[0], 4);
    put_number(&graph, "z0", ONNX_UINT8, &zeros[0], 1);
    put_number(&graph, "s1", ONNX_FLOAT, &scales[1], 4);
    put_number(&graph, "z1", ONNX_INT8, &zeros[1], 1);
    put_port(&graph, 11, "x", ONNX_UINT8);
    put_port(&graph, 12, "y", ONNX_INT8);
    put_port(&graph, 12, "real", ONNX_FLOAT);
    oribi_proto_number(&model_bytes, 1, 8);
    oribi_proto_number(&opset, 2, 13);
    oribi_proto_message(&model_bytes, 7, &graph);
    oribi_proto_message(&model_bytes, 8, &opset);
    oribi_model *model =
        oribi_model_from_memory(model_bytes.data, model_bytes.length, "m", NULL, status);
    expect(status, TF_OK);

    float scale = 5;
    int32_t zero = 5;
    int n = oribi_model_output_quantisation(model, 1, &scale, &zero);
    expect_units(0, 5, 5, n, scale, zero); /* a float; nothing is written */
    n = oribi_model_input_quantisation(model, 1, &scale, &zero);
    expect_units(-1, 5, 5, n, scale, zero);
    n = oribi_model_output_quantisation(model, -1, &scale, &zero);
    expect_units(-1, 5, 5, n, scale, zero);
    n = oribi_model_input_quantisation(model, 0, &scale, &zero);
    expect_units(1, scales[0], zeros[0], n, scale, zero);
    n = oribi_model_output_quantisation(model, 0, &scale, &zero);
    expect_units(1, scales[1], zeros[1], n, scale, zero);
    oribi_model_destroy(model);
    oribi_text_destroy(&model_bytes);
    TF_DeleteStatus(status);
}

/* A run of the session with x [rows, 3] of ones; the code of binding. */
static TF_Code bind_rows(oribi_session *session, int64_t rows)
{
    TF_Status *status = TF_NewStatus();
    const int64_t dims[2] = {rows, 3};
    oribi_run *run = oribi_run_create(session, status);
    TF_Tensor *x = TF_AllocateTensor(TF_FLOAT, dims, 2, (size_t)rows * 12);
    memset(TF_TensorData(x), 0, (size_t)rows * 12);
    oribi_run_set_input(run, 0, x, status);
    const TF_Code code = TF_GetCode(status);
    if (code == TF_OK) {
        oribi_run_execute(run, status);
        expect(status, TF_OK);
    }
    TF_DeleteTensor(x);
    oribi_run_destroy(run);
    TF_DeleteStatus(status);
    return code;
}

static void a_shape_that_is_fixed_binds_no_other(void **state)
{
    (void)state;
    oribi_text bytes = {0};
    TF_Status *status = TF_NewStatus();
    const int64_t dims[2] = {4, 3};
    const int64_t negative[2] = {4, -3};
    oribi_options *options = oribi_options_create(status);
    write_model(&bytes, "Relu", false, ONNX_FLOAT, NULL);
    oribi_model *model = oribi_model_from_memory(bytes.data, bytes.length, "m", NULL, status);
    expect(status, TF_OK);
    oribi_session *open = oribi_session_create(model, NULL, status);
    assert_int_equal(bind_rows(open, 2), TF_OK);
    assert_int_equal(bind_rows(open, 4), TF_OK);

    oribi_options_set_input_shape(options, "x", negative, 2, status);
    expect(status, TF_INVALID_ARGUMENT);
    oribi_options_set_input_shape(options, "x", dims, 2, status);
    expect(status, TF_OK);
    oribi_session *fixed = oribi_session_create(model, options, status);
    expect(status, TF_OK);

    assert_int_equal(bind_rows(fixed, 2), TF_INVALID_ARGUMENT);
    assert_int_equal(bind_rows(fixed, 4), TF_OK);
    oribi_session_destroy(fixed);
    oribi_session_destroy(open);
    oribi_model_destroy(model);
    oribi_options_destroy(options);
    oribi_text_destroy(&bytes);
    TF_DeleteStatus(status);
}

static void passes_are_switched_off_by_name(void **state)
{
    static const char *const names[5] = {"fold", "fuse", "layout", "batch_norm", "qdq"};
    TF_Status *status = TF_NewStatus();
    oribi_options *options = oribi_options_create(status);
    (void)state;
    for (int i = 0; i < 5; i++) {
        oribi_options_disable_pass(options, names[i], status);
        expect(status, TF_OK);
    }
    oribi_options_disable_pass(options, "fuze", status);
    expect(status, TF_INVALID_ARGUMENT);
    assert_non_null(strstr(TF_Message(status), "'fuze'"));
    assert_non_null(strstr(TF_Message(status), "fuse"));
    oribi_options_destroy(options);
    TF_DeleteStatus(status);
}

static void tflite_variants_are_chosen_by_name(void **state)
{
    TF_Status *status = TF_NewStatus();
    oribi_options *options = oribi_options_create(status);
    (void)state;
    oribi_options_set_tflite_variant(options, "tflite", status);
    expect(status, TF_OK);
    oribi_options_set_tflite_variant(options, "tflm", status);
    expect(status, TF_OK);
    oribi_options_set_tflite_variant(options, "litert", status);
    expect(status, TF_OK);
    oribi_options_set_tflite_variant(options, "tfl", status);
    expect(status, TF_INVALID_ARGUMENT);
    assert_non_null(strstr(TF_Message(status), "'tfl'"));
    oribi_options_destroy(options);
    TF_DeleteStatus(status);
}

static void kernels_are_chosen_by_name(void **state)
{
    TF_Status *status = TF_NewStatus();
    oribi_options *options = oribi_options_create(status);
    (void)state;
    oribi_options_set_kernels(options, "micro", status);
    expect(status, TF_OK);
    oribi_options_set_kernels(options, "micro-fma", status);
    expect(status, TF_OK);
    oribi_options_set_kernels(options, "fast", status);
    expect(status, TF_OK);
    oribi_options_set_kernels(options, "slow", status);
    expect(status, TF_INVALID_ARGUMENT);
    assert_non_null(strstr(TF_Message(status), "'slow'"));
    oribi_options_destroy(options);
    TF_DeleteStatus(status);
}

static void an_instruction_set_is_chosen_by_name(void **state)
{
    TF_Status *status = TF_NewStatus();
    oribi_options *options = oribi_options_create(status);
    (void)state;
    oribi_options_set_instruction_set(options, "any", status);
    expect(status, TF_OK);
    oribi_options_set_instruction_set(options, "mmx", status);
    expect(status, TF_INVALID_ARGUMENT);
    assert_non_null(strstr(TF_Message(status), "'mmx'"));
#if defined(__x86_64__)
    oribi_options_set_instruction_set(options, "neon", status);
    expect(status, TF_UNIMPLEMENTED);
#endif
    oribi_options_destroy(options);
    TF_DeleteStatus(status);
}

static void external_data_follows_a_link_out_only_when_allowed(void **state)
{
    (void)state;
    char folder[] = "/tmp/oribi-model-test-XXXXXX";
    char path[80], inside[80], outside[80];
    const float weights[3] = {1, 2, 3};
    oribi_text bytes = {0};
    TF_Status *status = TF_NewStatus();
    oribi_options *options = oribi_options_create(status);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/in", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/in/m.onnx", folder);
    snprintf(inside, sizeof inside, "%s/in/w.bin", folder);
    snprintf(outside, sizeof outside, "%s/w.bin", folder);
    write_model(&bytes, "Add", true, ONNX_FLOAT, NULL);
    assert_int_equal(oribi_file_write(path, bytes.data, bytes.length, true), 0);
    assert_int_equal(oribi_file_write(outside, weights, sizeof weights, true), 0);
    assert_int_equal(symlink("../w.bin", inside), 0);

    oribi_model *model = oribi_model_open(path, NULL, status);
    assert_null(model);
    assert_int_not_equal(TF_GetCode(status), TF_OK);
    assert_non_null(strstr(TF_Message(status), "w.bin"));
    oribi_options_set_follow_links(options, true);
    model = oribi_model_open(path, options, status);
    expect(status, TF_OK);
    oribi_session *session = oribi_session_create(model, NULL, status);
    expect(status, TF_OK);
    assert_int_equal(bind_rows(session, 2), TF_OK);

    oribi_session_destroy(session);
    oribi_model_destroy(model);
    oribi_options_destroy(options);
    oribi_text_destroy(&bytes);
    TF_DeleteStatus(status);
    unlink(path);
    unlink(inside);
    unlink(outside);
    snprintf(path, sizeof path, "%s/in", folder);
    rmdir(path);
    rmdir(folder);
}

/* What the model is made of may be cut to nothing once it is open. */
static void files_that_are_read_serve_after_they_were_truncated(void **state)
{
    (void)state;
    char folder[] = "/tmp/oribi-model-test-XXXXXX";
    char path[80], weights_path[80];
    const float weights[3] = {1, 2, 3};
    oribi_text bytes = {0};
    TF_Status *status = TF_NewStatus();
    oribi_options *options = oribi_options_create(status);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/m.onnx", folder);
    snprintf(weights_path, sizeof weights_path, "%s/w.bin", folder);
    write_model(&bytes, "Add", true, ONNX_FLOAT, NULL);
    assert_int_equal(oribi_file_write(path, bytes.data, bytes.length, true), 0);
    assert_int_equal(oribi_file_write(weights_path, weights, sizeof weights, true), 0);
    oribi_options_set_read_files(options, true);

    oribi_model *model = oribi_model_open(path, options, status);
    expect(status, TF_OK);
    assert_int_equal(truncate(path, 0), 0);
    assert_int_equal(truncate(weights_path, 0), 0);
    oribi_session *session = oribi_session_create(model, options, status);
    expect(status, TF_OK);
    assert_int_equal(bind_rows(session, 2), TF_OK);

    oribi_session_destroy(session);
    oribi_model_destroy(model);
    oribi_options_destroy(options);
    oribi_text_destroy(&bytes);
    TF_DeleteStatus(status);
    unlink(path);
    unlink(weights_path);
    rmdir(folder);
}

static void a_file_that_is_read_counts_against_the_limit(void **state)
{
    (void)state;
    char path[] = "/tmp/oribi-model-test-XXXXXX";
    TF_Status *status = TF_NewStatus();
    oribi_options *options = oribi_options_create(status);
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, 1 << 20), 0);
    assert_int_equal(close(fd), 0);
    oribi_options_set_max_bytes(options, 1 << 19);

    oribi_options_set_read_files(options, true);
    assert_null(oribi_model_open(path, options, status));
    expect(status, TF_RESOURCE_EXHAUSTED);
    oribi_options_set_read_files(options, false);
    assert_null(oribi_model_open(path, options, status));
    expect(status, TF_INVALID_ARGUMENT); /* mapped, it counts nothing: zeros are no model */

    oribi_options_destroy(options);
    TF_DeleteStatus(status);
    unlink(path);
}

static void opening_and_making_a_session_obey_the_options_limit_and_word_to_stop(void **state)
{
    (void)state;
    oribi_text bytes = {0};
    TF_Status *status = TF_NewStatus();
    oribi_options *options = oribi_options_create(status);
    write_model(&bytes, "Relu", false, ONNX_FLOAT, NULL);

    oribi_options_set_time_limit(options, 1);
    assert_null(oribi_model_from_memory(bytes.data, bytes.length, "m", options, status));
    expect(status, TF_DEADLINE_EXCEEDED);
    oribi_options_set_time_limit(options, 0);
    oribi_model *model = oribi_model_from_memory(bytes.data, bytes.length, "m", options, status);
    expect(status, TF_OK);
    oribi_options_set_time_limit(options, 1);
    assert_null(oribi_session_create(model, options, status));
    expect(status, TF_DEADLINE_EXCEEDED);
    oribi_options_set_time_limit(options, UINT64_MAX);
    oribi_session *session = oribi_session_create(model, options, status);
    expect(status, TF_OK);
    oribi_session_destroy(session);
    oribi_options_cancel(options);
    assert_null(oribi_session_create(model, options, status));
    expect(status, TF_CANCELLED);

    oribi_model_destroy(model);
    oribi_options_destroy(options);
    oribi_text_destroy(&bytes);
    TF_DeleteStatus(status);
}

static int n_lines;

static void count_line(void *arg, int level, const char *text)
{
    (void)level;
    n_lines += strstr(text, arg) != NULL;
}

/* A file that is no plugin is a line in the log; a folder of none is nothing. */
static void the_search_path_warns_and_never_fails(void **state)
{
    (void)state;
    char folder[] = "/tmp/oribi-model-test-XXXXXX";
    char path[80];
    TF_Status *status = TF_NewStatus();
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/text.so", folder);
    setenv("ORIBI_PLUGIN_PATH", folder, 1);
    n_lines = 0;
    oribi_set_log(count_line, "text.so");

    oribi_plugin_load_search_path(status);
    expect(status, TF_OK);
    assert_int_equal(n_lines, 0);
    assert_int_equal(oribi_file_write(path, "text", 4, true), 0);
    oribi_plugin_load_search_path(status);
    expect(status, TF_OK);
    assert_true(n_lines > 0);

    oribi_set_log(NULL, NULL);
    unlink(path);
    rmdir(folder);
    TF_DeleteStatus(status);
}

static void a_signature_is_for_models_that_have_some(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    oribi_options *options = oribi_options_create(status);

    oribi_options_set_signature(options, NULL, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    oribi_options_set_signature(options, "less", status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    oribi_model *model =
        oribi_model_open(TEST_SOURCE "/examples/digits/digits.onnx", options, status);
    assert_int_equal(TF_GetCode(status), TF_OK);

    oribi_model_destroy(model);
    oribi_options_destroy(options);
    TF_DeleteStatus(status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_signature_is_for_models_that_have_some),
        cmocka_unit_test(a_model_tells_what_its_file_says_about_itself),
        cmocka_unit_test(a_model_tells_names_types_and_shapes_of_its_ports),
        cmocka_unit_test(a_model_tells_the_quantisation_of_its_ports),
        cmocka_unit_test(a_shape_that_is_fixed_binds_no_other),
        cmocka_unit_test(passes_are_switched_off_by_name),
        cmocka_unit_test(tflite_variants_are_chosen_by_name),
        cmocka_unit_test(kernels_are_chosen_by_name),
        cmocka_unit_test(an_instruction_set_is_chosen_by_name),
        cmocka_unit_test(external_data_follows_a_link_out_only_when_allowed),
        cmocka_unit_test(files_that_are_read_serve_after_they_were_truncated),
        cmocka_unit_test(a_file_that_is_read_counts_against_the_limit),
        cmocka_unit_test(opening_and_making_a_session_obey_the_options_limit_and_word_to_stop),
        cmocka_unit_test(the_search_path_warns_and_never_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
