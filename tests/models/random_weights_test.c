/* SPDX-License-Identifier: Apache-2.0 */
/* Each light topology with seeded random weights against ONNX Runtime: the light models' own
 * weights are all equal, which hides swapped channels and shifted windows. Sixty-four values of the
 * output are committed for each, and a digest of the weights (random_references.inc, made by
 * tests/peer/random_weights.py). Two faults are planted in the file to see that this gate closes.
 */
#include "models/model_test_support.h"
#include "models/random_model.h"

enum { N_SAMPLES = 64 };

typedef struct reference {
    const char *name;
    float factor;    /* on the weights of the last layer */
    uint64_t digest; /* of the weights */
    int n_outputs;
    float samples[N_SAMPLES];
} reference;

static const reference references[] = {
#include "models/random_references.inc"
};

static void fill_random(float *to, int64_t count)
{
    uint64_t seed = fnv1a(UINT64_C(0xCBF29CE484222325), "input", 5);
    for (int64_t i = 0; i < count; i++) {
        to[i] = uniform_at(seed, (uint64_t)i) * 2.0F - 1.0F;
    }
}

static const reference *find(const char *name)
{
    for (size_t i = 0; i < sizeof references / sizeof *references; i++) {
        if (strcmp(references[i].name, name) == 0) {
            return &references[i];
        }
    }
    fail_msg("no reference for %s", name);
    return NULL;
}

/* Largest difference over the largest expected value. */
static double difference(const reference *ref, const TF_Tensor *output)
{
    assert_int_equal(TF_TensorElementCount(output), ref->n_outputs);
    const float *found = TF_TensorData(output);
    double worst = 0.0, scale = 0.0;
    for (int i = 0; i < N_SAMPLES; i++) {
        double expected = (double)ref->samples[i];
        double error = fabs((double)found[i * (ref->n_outputs / N_SAMPLES)] - expected);
        worst = error > worst || isnan(error) ? error : worst;
        scale = fabs(expected) > scale ? fabs(expected) : scale;
    }
    return worst / scale;
}

/* Skips where the model is absent or memory is short. */
static double run_with_fault(const reference *ref, planted_fault fault)
{
    oribi_file_map map = open_shared(ref->name, ".onnx");
    random_model file = random_model_make((wire_span){map.data, map.bytes}, ref->factor, fault);
    oribi_file_map_close(&map);
    if (file.block == NULL) {
        print_message("skipped: no memory for the weights of %s\n", ref->name);
        skip();
    }
    assert_int_equal(file.digest, ref->digest);
    assert_int_equal(file.n_faults, fault == FAULT_NONE ? 0 : 1);
    TF_Status *status = TF_NewStatus();
    model_run r =
        model_run_open(oribi_model_from_memory(file.data, file.bytes, ref->name, NULL, status),
                       status, fill_random);
    TF_Tensor *output = oribi_run_output(r.run, 0, status);
    expect_ok(status);
    double worst = difference(ref, output);
    TF_DeleteTensor(output);
    model_run_close(&r);
    random_model_free(&file);
    return worst;
}

/* A fifth of what the goal asks: float sums in another order stay below 3e-5 here. */
static const double tolerance = 2e-4;

static void topology_with_random_weights_agrees_with_the_peer(void **state)
{
    double worst = run_with_fault(find(*state), FAULT_NONE);
    print_message("%s: largest difference %.2g of the scale\n", (const char *)*state, worst);
    assert_true(worst <= tolerance);
}

static void swapped_channels_are_noticed(void **state)
{
    assert_true(run_with_fault(find(*state), FAULT_CHANNELS) > tolerance);
}

static void shifted_padding_is_noticed(void **state)
{
    assert_true(run_with_fault(find(*state), FAULT_PADDING) > tolerance);
}

#define TEST(function, name)                                                                       \
    {                                                                                              \
#function " " #name, function, NULL, NULL, (void *)#name                                   \
    }
#define AGREES(name) TEST(topology_with_random_weights_agrees_with_the_peer, name)

int main(void)
{
    const struct CMUnitTest tests[] = {
        AGREES(light_squeezenet),
        AGREES(light_shufflenet),
        AGREES(light_mobilenetv2),
        AGREES(light_inception_v1),
#if !TEST_SANITIZED /* these have the same operators, only larger */
        AGREES(light_inception_v2),
        AGREES(light_resnet50),
        AGREES(light_densenet121),
        AGREES(light_bvlc_alexnet),
        AGREES(light_zfnet512),
        AGREES(light_vgg19),
        TEST(swapped_channels_are_noticed, light_mobilenetv2),
        TEST(shifted_padding_is_noticed, light_mobilenetv2),
        TEST(swapped_channels_are_noticed, light_resnet50),
        TEST(shifted_padding_is_noticed, light_resnet50),
#endif
        TEST(swapped_channels_are_noticed, light_squeezenet),
        TEST(shifted_padding_is_noticed, light_squeezenet),
        TEST(swapped_channels_are_noticed, light_shufflenet),
        TEST(shifted_padding_is_noticed, light_shufflenet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
