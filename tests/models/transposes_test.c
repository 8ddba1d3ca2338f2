/* SPDX-License-Identifier: Apache-2.0 */
/* Structure of the planned light models: at most one transpose for each input and output of four
 * dimensions (channel shuffles are an op of their own), no batch normalization that a layer
 * could take, no activation left alone behind a convolution. Skipped where the models are absent.
 */
#include "base/text.h"
#include "import/import.h"
#include "models/model_test_support.h"
#include "pass/pass.h"
#include "plugin/plugin.h"
#include "support/graph_check.h"

typedef struct expectation {
    const char *name;
    int n_shuffles, max_normalizations;
} expectation;

static int count(const oribi_graph *graph, const char *op)
{
    int n = 0;
    for (int32_t i = 0; i < graph->n_nodes; i++) {
        n += !graph->nodes[i]->is_dead && strcmp(graph->nodes[i]->op_name, op) == 0;
    }
    return n;
}

static int ends_of_four_dims(const oribi_graph *graph)
{
    int n = 0;
    for (int32_t i = 0; i < graph->n_inputs; i++) {
        n += graph->values[graph->inputs[i]]->shape.rank == 4;
    }
    for (int32_t i = 0; i < graph->n_outputs; i++) {
        n += graph->values[graph->outputs[i]]->shape.rank == 4;
    }
    return n;
}

static void no_release(oribi_source *source)
{
    (void)source;
}

static void planned_model_has_few_transposes(void **state)
{
    const expectation *expected = *state;
    oribi_file_map map = open_shared(expected->name, ".onnx");
    oribi_source source = {.release = no_release};
    atomic_init(&source.references, 1);
    TF_Status *status = TF_NewStatus();
    oribi_plugin_load_built_ins(status);
    expect_ok(status);
    oribi_import_options import_options = {0};
    oribi_graph *graph =
        oribi_import(map.data, map.bytes, &source, expected->name, &import_options, status);
    expect_ok(status);
    oribi_pass_options options = {0};
    oribi_pass_report report = {0};
    oribi_pass_run_all(graph, &options, &report, status);
    expect_ok(status);
    oribi_graph_check(graph, status);
    expect_ok(status);
    if (getenv("ORIBI_TEST_PRINT") != NULL) {
        oribi_text text = {0};
        oribi_graph_print(graph, &text);
        print_message("%s\n", oribi_text_string(&text));
        oribi_text_destroy(&text);
    }
    int transposes = count(graph, "Transpose"),
        normalizations = count(graph, "FusedBatchNormV3") + count(graph, "_FusedBatchNormEx");
    print_message("%s: %d nodes, %d transposes, %d normalizations, %d Mul, %d AddV2, %d Relu\n",
                  expected->name, (int)graph->n_order, transposes, normalizations,
                  count(graph, "Mul"), count(graph, "AddV2"), count(graph, "Relu"));
    assert_true(transposes <= ends_of_four_dims(graph));
    assert_int_equal(count(graph, "Oribi>ChannelShuffle"), expected->n_shuffles);
    assert_true(normalizations <= expected->max_normalizations);
    oribi_graph_destroy(graph);
    TF_DeleteStatus(status);
    oribi_file_map_close(&map);
}

#define MODEL(name, shuffles, normalizations)                                                      \
    {                                                                                              \
#name, planned_model_has_few_transposes, NULL, NULL, &(expectation)                        \
        {                                                                                          \
#name, shuffles, normalizations                                                        \
        }                                                                                          \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        MODEL(mnist, 0, 0),
        MODEL(ultraface_rfb320, 0, 0),
        MODEL(light_squeezenet, 0, 0),
        MODEL(light_shufflenet, 16, 0),
        MODEL(light_mobilenetv2, 0, 0),
        MODEL(light_inception_v1, 0, 0),
        MODEL(light_inception_v2, 0, 0),
        MODEL(light_resnet50, 0, 0),
        MODEL(light_densenet121, 0, 62),
        MODEL(light_bvlc_alexnet, 0, 0),
        MODEL(light_zfnet512, 0, 0),
        MODEL(light_vgg19, 0, 0),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
