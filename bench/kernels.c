/* SPDX-License-Identifier: Apache-2.0 */
/* oribi-bench-kernels: the heavy kernels against what the machine can do. First the multiply-add
 * peak and the read bandwidth of one core, both measured; then each convolution of ResNet-50 and
 * MobileNetV2, depthwise ones, dense layers at batch 1, as a share of it. One thread unless told.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_run.h"
#include "machine.h"

typedef struct conv_layer {
    int size, channels, taps, stride, outputs, count; /* count: how often the network has it */
} conv_layer;

/* clang-format off */
static const conv_layer resnet50[] = { /* "SAME" padding but the sizes of the v1 network */
    {224, 3, 7, 2, 64, 1}, {56, 64, 1, 1, 64, 1}, {56, 64, 3, 1, 64, 3}, {56, 64, 1, 1, 256, 4},
    {56, 256, 1, 1, 64, 2}, {56, 256, 1, 1, 128, 1}, {56, 128, 3, 2, 128, 1}, {28, 128, 1, 1, 512, 4},
    {56, 256, 1, 2, 512, 1}, {28, 512, 1, 1, 128, 3}, {28, 128, 3, 1, 128, 3}, {28, 512, 1, 1, 256, 1},
    {28, 256, 3, 2, 256, 1}, {14, 256, 1, 1, 1024, 6}, {28, 512, 1, 2, 1024, 1}, {14, 1024, 1, 1, 256, 5},
    {14, 256, 3, 1, 256, 5}, {14, 1024, 1, 1, 512, 1}, {14, 512, 3, 2, 512, 1}, {7, 512, 1, 1, 2048, 3},
    {14, 1024, 1, 2, 2048, 1}, {7, 2048, 1, 1, 512, 2}, {7, 512, 3, 1, 512, 2}, {0}};
static const conv_layer mobilenetv2[] = {
    {224, 3, 3, 2, 32, 1}, {112, 32, 1, 1, 16, 1}, {112, 16, 1, 1, 96, 1}, {56, 96, 1, 1, 24, 1},
    {56, 24, 1, 1, 144, 2}, {56, 144, 1, 1, 24, 1}, {28, 144, 1, 1, 32, 1}, {28, 32, 1, 1, 192, 3},
    {28, 192, 1, 1, 32, 2}, {14, 192, 1, 1, 64, 1}, {14, 64, 1, 1, 384, 4}, {14, 384, 1, 1, 64, 3},
    {14, 384, 1, 1, 96, 1}, {14, 96, 1, 1, 576, 3}, {14, 576, 1, 1, 96, 2}, {7, 576, 1, 1, 160, 1},
    {7, 160, 1, 1, 960, 3}, {7, 960, 1, 1, 160, 2}, {7, 960, 1, 1, 320, 1}, {7, 320, 1, 1, 1280, 1}, {0}};
static const conv_layer depthwise[] = { /* MobileNetV2; outputs: the multiplier */
    {112, 32, 3, 1, 1, 1}, {56, 144, 3, 1, 1, 1}, {28, 192, 3, 1, 1, 2}, {14, 384, 3, 1, 1, 4},
    {14, 576, 3, 1, 1, 2}, {7, 960, 3, 1, 1, 3}, {112, 96, 3, 2, 1, 1}, {56, 144, 3, 2, 1, 1},
    {28, 192, 3, 2, 1, 1}, {14, 576, 3, 2, 1, 1}, {0}};
static const int dense[][2] = {{2048, 1000}, {1280, 1000}, {4096, 1000}, {4096, 4096}, {25088, 4096}, {0}};
/* clang-format on */

enum { COLD_MIB = 98 };

typedef struct totals { /* limit: the time that the peak would take */
    double time, limit;
} totals;

typedef struct settings {
    oribi_pool *pool;
    const char *isa;
    const char *only; /* a section to run, or NULL */
    int threads;
    size_t sweep_bytes; /* --cold */
} settings;

static void set_conv_attrs(bench_node *node, const conv_layer *layer)
{
    const int64_t strides[4] = {1, layer->stride, layer->stride, 1}, ones[4] = {1, 1, 1, 1};
    (void)oribi_attrs_set_ints(&node->attrs, &node->arena, "strides", strides, 4);
    (void)oribi_attrs_set_ints(&node->attrs, &node->arena, "dilations", ones, 4);
    (void)oribi_attrs_set_string(&node->attrs, &node->arena, "padding", "SAME");
    (void)oribi_attrs_set_string(&node->attrs, &node->arena, "data_format", "NHWC");
    const char *words[2] = {"BiasAdd", "Relu"};
    (void)oribi_attrs_set_strings(&node->attrs, &node->arena, "fused_ops", words, 2);
}

/* Time of one computation, and the peak of a core meanwhile; false: no kernel. */
static bool bench_layer(const char *op, const conv_layer *layer, const settings *with,
                        bool is_depthwise, double *out_time, double *out_peak)
{
    bench_node node = {.n_inputs = 0};
    const oribi_cpu_kernel *row = bench_row(op, with->isa);
    const int64_t image[4] = {1, layer->size, layer->size, layer->channels};
    const int64_t filter[4] = {layer->taps, layer->taps, layer->channels, layer->outputs};
    const int64_t bias = is_depthwise ? layer->channels * layer->outputs : layer->outputs;
    set_conv_attrs(&node, layer);
    bench_input_add(&node, image, 4, false);
    bench_input_add(&node, filter, 4, true);
    bench_input_add(&node, &bias, 1, true);
    const bool ok = row != NULL && bench_begin(&node, row, with->pool);
    if (ok) {
        bench_measure(&node, with->sweep_bytes > 0 ? 0.6 : 0.15, with->sweep_bytes, out_time,
                      out_peak);
    }
    bench_end(&node);
    return ok;
}

static totals bench_layers(const char *title, const conv_layer *layers, bool is_depthwise,
                           const settings *with)
{
    if (with->only != NULL && strcmp(with->only, title) != 0) {
        return (totals){0.0, 0.0};
    }
    const char *op = is_depthwise ? "_FusedDepthwiseConv2dNative" : "_FusedConv2D";
    totals all = {0.0, 0.0};
    const oribi_cpu_kernel *row = bench_row(op, with->isa);
    printf("\n%s (%s)\n%-46s %9s %9s %8s%s\n", title, row != NULL ? row->why : "no kernel", "layer",
           "ms", "GFLOP/s", "of peak", is_depthwise ? "  moved alone" : "");
    for (const conv_layer *layer = layers; layer->size != 0; layer++) {
        const int out = (layer->size + layer->stride - 1) / layer->stride;
        const int depth = is_depthwise ? 1 : layer->channels;
        const int outputs = is_depthwise ? layer->channels * layer->outputs : layer->outputs;
        const double work = 2.0 * out * out * layer->taps * layer->taps * depth * (double)outputs;
        double time = 0.0, peak = 0.0;
        char name[64];
        if (!bench_layer(op, layer, with, is_depthwise, &time, &peak)) {
            continue;
        }
        const double limit = work / (peak * with->threads);
        (void)snprintf(name, sizeof name, "%dx%dx%d -> %d, %dx%d, stride %d, K %d", layer->size,
                       layer->size, layer->channels, outputs, layer->taps, layer->taps,
                       layer->stride, depth * layer->taps * layer->taps);
        printf("%-46s %9.3f %9.1f %7.1f%%", name, time * 1e3, work / time * 1e-9,
               100.0 * limit / time);
        if (is_depthwise) { /* the share if nothing were computed */
            const size_t read = (size_t)layer->size * (size_t)layer->size * (size_t)outputs;
            const size_t written = (size_t)out * (size_t)out * (size_t)outputs;
            printf(" %11.1f%%", 100.0 * limit / machine_stream_seconds(read, written));
        }
        printf("\n");
        all.time += time * layer->count;
        all.limit += limit * layer->count;
    }
    printf("%-46s %9.3f %9s %7.1f%%\n", "all, weighted by work", all.time * 1e3, "",
           100.0 * all.limit / all.time);
    return all;
}

static void bench_dense(const settings *with)
{
    if (with->only != NULL && strcmp(with->only, "dense") != 0) {
        return;
    }
    printf("\ndense layers at batch 1: share of what one core reads of that many bytes\n");
    for (int i = 0; dense[i][0] != 0; i++) {
        bench_node node = {.n_inputs = 0};
        const int64_t left[2] = {1, dense[i][0]}, right[2] = {dense[i][0], dense[i][1]};
        const size_t bytes = (size_t)right[0] * (size_t)right[1] * sizeof(float);
        const oribi_cpu_kernel *row = bench_row("MatMul", with->isa);
        (void)oribi_attrs_set_bool(&node.attrs, &node.arena, "transpose_a", false);
        (void)oribi_attrs_set_bool(&node.attrs, &node.arena, "transpose_b", false);
        bench_input_add(&node, left, 2, false);
        bench_input_add(&node, right, 2, true);
        if (row != NULL && bench_begin(&node, row, with->pool)) {
            const double limit = machine_read_bandwidth(bytes);
            double time = 0.0, peak = 0.0;
            bench_measure(&node, 0.3, with->sweep_bytes, &time, &peak);
            printf("%6lld x %-6lld %8.1f MiB %9.3f ms %7.2f GB/s of %7.2f %6.1f%%\n",
                   (long long)right[0], (long long)right[1], (double)bytes / 1048576.0, time * 1e3,
                   (double)bytes / time * 1e-9, limit * 1e-9, 100.0 * (double)bytes / time / limit);
        }
        bench_end(&node);
    }
}

int main(int argc, char **argv)
{
    settings with = {.threads = 1};
    const char *name = "";
    TF_Status *status = TF_NewStatus();
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--threads") == 0 && i + 1 < argc) {
            with.threads = atoi(argv[++i]);
        } else if (strcmp(argv[i], "--isa") == 0 && i + 1 < argc) {
            with.isa = argv[++i];
        } else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc) {
            with.only = argv[++i];
        } else if (strcmp(argv[i], "--cold") == 0) {
            with.sweep_bytes = (size_t)COLD_MIB << 20;
        } else {
            fprintf(stderr,
                    "usage: oribi-bench-kernels [--threads N] [--isa NAME] [--cold]\n"
                    "           [--only ResNet-50|MobileNetV2|depthwise|dense]\n"
                    "--cold: %d MiB are written before each computation, as many as\n"
                    "        ResNet-50 has weights\nNAME:",
                    COLD_MIB);
            for (int set = 0; set < ORIBI_ISA_COUNT; set++) {
                fprintf(stderr, " %s", oribi_cpu_isa_name((oribi_cpu_isa)set));
            }
            fprintf(stderr, "\n");
            return 2;
        }
    }
    with.pool = oribi_pool_create(with.threads, status);
    if (with.pool == NULL) {
        fprintf(stderr, "%s\n", TF_Message(status));
        return 1;
    }
    machine_limit(with.isa);
    const double peak = machine_peak_flops(&name);
    printf("multiply-add peak of one core, %s: %.1f GFLOP/s\n", name, peak * 1e-9);
    printf("read bandwidth of one core, 512 MiB: %.2f GB/s\n",
           machine_read_bandwidth((size_t)512 << 20) * 1e-9);
    printf("threads: %d%s\n", with.threads,
           with.sweep_bytes > 0 ? "; weights, inputs and outputs evicted before each run" : "");
    const totals a = bench_layers("ResNet-50", resnet50, false, &with);
    const totals b = bench_layers("MobileNetV2", mobilenetv2, false, &with);
    if (with.only == NULL) {
        printf("\nboth networks, weighted by work: %.1f%% of peak\n",
               100.0 * (a.limit + b.limit) / (a.time + b.time));
    }
    (void)bench_layers("depthwise", depthwise, true, &with);
    bench_dense(&with);
    oribi_pool_release(with.pool);
    TF_DeleteStatus(status);
    return 0;
}
