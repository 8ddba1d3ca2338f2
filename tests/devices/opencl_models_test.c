/* SPDX-License-Identifier: Apache-2.0 */
/* The ONNX models of HOST on a device of OpenCL, with their own weights and with random ones,
 * against the CPU. A whole model stays on the device: placement is strict, the inputs go there and
 * the outputs come back, nothing else is copied, and a run waits once. The three with the most
 * weights (two thirds of the time, 4 GB) run where ORIBI_TEST_ALL_MODELS is set, as every night.
 */
#include "models/model_test_support.h"
#include "models/random_model.h"

#include "devices/on_plugin.h"

typedef struct reference { /* as tests/models/random_weights_test.c reads it */
    const char *name;
    float factor;
    uint64_t digest;
    int n_outputs;
    float samples[64];
} reference;

static const reference references[] = {
#include "models/random_references.inc"
};

/* Of the largest element of the output: sums in another order, other roundings of exp. */
static const double tolerance = 2e-4;

static void fill_numbers(float *to, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        to[i] = uniform_at(7, (uint64_t)i) * 2.0F - 1.0F;
    }
}

typedef struct opened {
    oribi_model *model;
    oribi_session *session;
    oribi_run *run;
} opened;

/* From the file, or from random weights in memory (bytes > 0). device: NULL for the CPU. */
static opened open_on(const char *path, const random_model *random, const char *device)
{
    TF_Status *status = TF_NewStatus();
    oribi_options *options = oribi_options_create(status);
    opened o = {0};
    oribi_options_set_threads(options, 2);
    if (device != NULL) {
        oribi_options_set_device(options, device, status);
        oribi_options_set_soft_placement(options, false);
    }
    expect_ok(status);
    o.model = random != NULL
                  ? oribi_model_from_memory(random->data, random->bytes, path, options, status)
                  : oribi_model_open(path, options, status);
    expect_ok(status);
    o.session = oribi_session_create(o.model, options, status);
    expect_ok(status);
    o.run = oribi_run_create(o.session, status);
    expect_ok(status);
    oribi_options_destroy(options);
    TF_DeleteStatus(status);
    return o;
}

static void close_all(opened *o)
{
    oribi_run_destroy(o->run);
    oribi_session_destroy(o->session);
    oribi_model_destroy(o->model);
}

static void bind_input(opened *o)
{
    TF_Status *status = TF_NewStatus();
    int64_t dims[8];
    int rank = 0;
    assert_int_equal(oribi_model_num_inputs(o->model), 1);
    const int64_t count = input_dims(o->model, dims, &rank);
    TF_Tensor *input = TF_AllocateTensor(TF_FLOAT, dims, rank, (size_t)count * sizeof(float));
    assert_non_null(input);
    fill_numbers(TF_TensorData(input), count);
    oribi_run_set_input(o->run, 0, input, status);
    TF_DeleteTensor(input);
    expect_ok(status);
    TF_DeleteStatus(status);
}

static int count_in(oribi_session *session, const char *what, const char *text)
{
    TF_Status *status = TF_NewStatus();
    TF_Buffer *json = TF_NewBuffer();
    int n = 0;
    oribi_session_describe(session, what, json, status);
    expect_ok(status);
    const char *at = json->data, *end = at + json->length;
    while ((at = memmem(at, (size_t)(end - at), text, strlen(text))) != NULL) {
        n++;
        at += strlen(text);
    }
    TF_DeleteBuffer(json);
    TF_DeleteStatus(status);
    return n;
}

/* Largest difference over the largest expected value; NaN counts as different. */
static double difference(const TF_Tensor *expected, const TF_Tensor *found)
{
    const float *p = TF_TensorData(expected), *q = TF_TensorData(found);
    double worst = 0.0, scale = 0.0;
    assert_int_equal(TF_TensorElementCount(expected), TF_TensorElementCount(found));
    assert_true(TF_TensorElementCount(expected) > 0);
    for (int64_t i = 0; i < TF_TensorElementCount(expected); i++) {
        const double error = fabs((double)p[i] - (double)q[i]);
        worst = error > worst || isnan(error) ? error : worst;
        scale = fabs((double)p[i]) > scale ? fabs((double)p[i]) : scale;
    }
    assert_true(scale > 0.0);
    return worst / scale;
}

static void execute(opened *o)
{
    TF_Status *status = TF_NewStatus();
    oribi_run_execute(o->run, status);
    expect_ok(status);
    TF_DeleteStatus(status);
}

static void compare(opened *cpu, opened *other, const char *name)
{
    TF_Status *status = TF_NewStatus();
    for (int i = 0; i < oribi_model_num_outputs(cpu->model); i++) {
        TF_Tensor *expected = oribi_run_output(cpu->run, i, status);
        expect_ok(status);
        TF_Tensor *found = oribi_run_output(other->run, i, status);
        expect_ok(status);
        const double worst = difference(expected, found);
        print_message("%s, output %d: largest difference %.2g of the scale\n", name, i, worst);
        assert_true(worst <= tolerance);
        TF_DeleteTensor(expected);
        TF_DeleteTensor(found);
    }
    TF_DeleteStatus(status);
}

static void run_model(const char *path, const random_model *random, const char *name)
{
    opened cpu = open_on(path, random, NULL), other = open_on(path, random, plugin_type);
    bind_input(&cpu);
    bind_input(&other);
    execute(&cpu);
    for (int i = 0; i < 2; i++) {
        execute(&other);
        assert_int_equal(oribi_run_num_waits(other.run), 1);
    }
    compare(&cpu, &other, name);
    assert_int_equal(count_in(other.session, "copies", "\"kind\":\"to device\""), 1);
    assert_int_equal(count_in(other.session, "copies", "\"kind\":\"to host\""),
                     oribi_model_num_outputs(other.model));
    assert_int_equal(count_in(other.session, "copies", "\"kind\":\"between devices\""), 0);
    close_all(&cpu);
    close_all(&other);
}

static bool is_large(const char *name)
{
    return strstr(name, "vgg19") != NULL || strstr(name, "zfnet") != NULL ||
           strstr(name, "alexnet") != NULL;
}

static void skip_where_large(const char *name)
{
    if (is_large(name) && getenv("ORIBI_TEST_ALL_MODELS") == NULL) {
        print_message("skipped: %s is large; ORIBI_TEST_ALL_MODELS=1 runs it\n", name);
        skip();
    }
}

static void the_model_gives_what_the_cpu_gives(void **state)
{
    char path[4096];
    skip_where_large(*state);
    oribi_file_map map = open_shared(*state, ".onnx"); /* skips where it is not there */
    oribi_file_map_close(&map);
    snprintf(path, sizeof path, "%s%s.onnx", MODELS_FOLDER, (const char *)*state);
    run_model(path, NULL, *state);
}

static void with_random_weights_it_does_too(void **state)
{
    const char *name = *state;
    const reference *found = NULL;
    for (size_t i = 0; i < sizeof references / sizeof *references; i++) {
        found = strcmp(references[i].name, name) == 0 ? &references[i] : found;
    }
    assert_non_null(found);
    skip_where_large(name);
    oribi_file_map map = open_shared(name, ".onnx");
    random_model file =
        random_model_make((wire_span){map.data, map.bytes}, found->factor, FAULT_NONE);
    oribi_file_map_close(&map);
    if (file.block == NULL) {
        print_message("skipped: no memory for the weights of %s\n", name);
        skip();
    }
    assert_int_equal(file.digest, found->digest);
    run_model(name, &file, name);
    random_model_free(&file);
}

#define TEST(function, name)                                                                       \
    {                                                                                              \
#function " " #name, function, NULL, NULL, (void *)#name                                   \
    }
#define OWN(name)  TEST(the_model_gives_what_the_cpu_gives, name)
#define BOTH(name) OWN(name), TEST(with_random_weights_it_does_too, name)

int main(void)
{
    const struct CMUnitTest tests[] = {
        OWN(mnist),
        OWN(ultraface_rfb320),
        BOTH(light_squeezenet),
        BOTH(light_shufflenet),
        BOTH(light_mobilenetv2),
        BOTH(light_inception_v1),
        BOTH(light_inception_v2),
        BOTH(light_resnet50),
        BOTH(light_densenet121),
        BOTH(light_bvlc_alexnet),
        BOTH(light_zfnet512),
        BOTH(light_vgg19),
    };
    const int result = plugin_setup();
    if (result != 0) {
        return result;
    }
    return cmocka_run_group_tests(tests, NULL, plugin_remove_cache);
}
