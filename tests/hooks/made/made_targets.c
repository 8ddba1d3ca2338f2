/* SPDX-License-Identifier: Apache-2.0 */
/* Targets for tests of `oribi compile`: kinds that differ from the examples in what the contract
 * lets a target say. Their driver is made_device.c.
 *   quick, medium, slow  fully connected layers; 0 us, 20 ms and 10 s from Activate until they work
 *   cached, queued       convolutions in the host's memory, behind a cache, under addresses of
 *                        their own; queued is asynchronous
 *   kept                 as queued, and keeps params
 *   whole                as kept, but regions by a compiler of its own, of three operators at most
 *   shared, peer         convolutions in the host's memory, as it is
 *   wide                 as cached, with lines of 64 bytes and an alignment of 128
 *   npu1, npu2, twin-a, twin_a   as shared; their names are what matters
 *   own                  fully connected layers, by a call that it writes itself
 *   tight                as walled, with 1,200 bytes
 *   walled               convolutions in a memory of their own, without CopyPeer
 *   al16, al64, al128, al4096   as quick, in the host's memory, params and tensors at such places
 *   every                any operator that C has, one at a time
 */
#define TF_InitKernel made_example_init
#include "../../../examples/accelerators/woofles/target.c"
#undef TF_InitKernel

static void write_nothing(void *user, const oribi_region *region, oribi_target_code *code,
                          TF_Status *status)
{
    (void)user;
    (void)region;
    (void)status;
    oribi_target_set_op(code, 100);
}

/* A call that the target writes itself, of a device with hooks. */
static void write_own(void *user, const oribi_region *region, oribi_target_code *code,
                      TF_Status *status)
{
    static const uint8_t first[3] = {1, 2, 3}, second[5] = {4, 5, 6, 7, 8};
    char body[200];
    (void)user;
    (void)region;
    const size_t at = oribi_target_add_constant(code, first, sizeof first, 1, status);
    const size_t far = oribi_target_add_constant(code, second, sizeof second, 256, status);
    snprintf(body, sizeof body, "    return made_launch(resource_handle, call, %zuu, %zuu);", at,
             far);
    oribi_target_set_scratch(code, 40);
    oribi_target_set_body(code,
                          "extern int32_t made_launch(void *dev, const struct tvm_device_call "
                          "*call, uint32_t first, uint32_t second);",
                          body, status);
}

static const char *const dense[] = {"Oribi>QFullyConnected"};
static const oribi_target_pattern own_patterns[] = {
    {sizeof(oribi_target_pattern), "fully_connected", dense, 1, NULL, NULL, write_own, NULL},
};
static const oribi_target_pattern dense_patterns[] = {
    {sizeof(oribi_target_pattern), "fully_connected", dense, 1, NULL, NULL, write_nothing, NULL},
};

static const char *const any[] = {"Oribi>QConv2D",
                                  "Oribi>QDepthwiseConv2D",
                                  "Oribi>QFullyConnected",
                                  "Oribi>QAdd",
                                  "Oribi>QSub",
                                  "Oribi>QMul",
                                  "Oribi>QAveragePool",
                                  "Oribi>QMaxPool",
                                  "Oribi>QSoftmax",
                                  "Oribi>QUnary",
                                  "Oribi>QMean",
                                  "Oribi>QSum",
                                  "Oribi>QPRelu",
                                  "Oribi>QBatchMatMul",
                                  "Oribi>QTransposeConv",
                                  "Oribi>QWideConv2D",
                                  "Oribi>QResizeBilinear",
                                  "Oribi>QWideTransposeConv",
                                  "Oribi>QQuantize",
                                  "Oribi>QDequantize",
                                  "Oribi>QRequantize",
                                  "Oribi>QSvdf",
                                  "Oribi>Svdf",
                                  "Oribi>QLstm",
                                  "Oribi>LstmFull",
                                  "Maximum",
                                  "Minimum",
                                  "Cast",
                                  "Transpose",
                                  "Slice",
                                  "StridedSlice",
                                  "ConcatV2",
                                  "Pack",
                                  "Split",
                                  "SplitV",
                                  "Unpack",
                                  "GatherV2",
                                  "Pad",
                                  "PadV2",
                                  "MirrorPad",
                                  "ResizeNearestNeighbor",
                                  "ONNX>QLinearConv2D",
                                  "ONNX>QLinearMatMul",
                                  "ONNX>QLinearAveragePool",
                                  "ONNX>QLinearMaxPool",
                                  "ONNX>QLinearAdd",
                                  "ONNX>QLinearMul",
                                  "ONNX>QLinearMean",
                                  "ONNX>QLinearSoftmax",
                                  "ONNX>QLinearTable",
                                  "ONNX>QuantizeLinear",
                                  "ONNX>DequantizeLinear",
                                  "Reshape"};
enum { ANY = sizeof any / sizeof any[0] };
static oribi_target_pattern any_patterns[ANY];

static const oribi_target every = {.struct_size = sizeof(oribi_target),
                                   .name = "every",
                                   .device_type = 12,
                                   .device_api = 1,
                                   .patterns = any_patterns,
                                   .n_patterns = ANY};

/* Params at a place of the alignment that `user` points to. */
static void write_aligned(void *user, const oribi_region *region, oribi_target_code *code,
                          TF_Status *status)
{
    static const uint8_t data[5] = {1, 2, 3, 4, 5};
    (void)region;
    oribi_target_set_op(code, 1);
    oribi_target_set_params(code, data, sizeof data, *(const size_t *)user, status);
    oribi_target_set_scratch(code, 40);
}
static const size_t places[4] = {16, 64, 128, 4096};
#define ALIGNED(i)                                                                                 \
    {                                                                                              \
        sizeof(oribi_target_pattern), "fully_connected", dense, 1, NULL, NULL, write_aligned,      \
            (void *)(uintptr_t)&places[i]                                                          \
    }
static const oribi_target_pattern aligned_patterns[4] = {ALIGNED(0), ALIGNED(1), ALIGNED(2),
                                                         ALIGNED(3)};
#define ALIGNED_TARGET(i, bytes)                                                                   \
    {                                                                                              \
        .struct_size = sizeof(oribi_target), .name = "al" #bytes, .device_type = 12,               \
        .device_api = 1, .memory_alignment = bytes, .patterns = &aligned_patterns[i],              \
        .n_patterns = 1                                                                            \
    }

/* A tape of the names of its operators. */
static void compile_names(void *compiler, const oribi_region *region, oribi_target_code *code,
                          TF_Status *status)
{
    char names[400] = "";
    const int32_t n = oribi_region_num_nodes(region);
    (void)compiler;
    for (int32_t i = 0; i < n && i < 3; i++) {
        snprintf(names + strlen(names), sizeof names - strlen(names), "%.100s\n",
                 oribi_region_node_name(region, i));
    }
    if (n > 3) {
        oribi_target_refuse(code, ORIBI_REGION_CALL, "three operators at most", status);
        return;
    }
    oribi_target_set_op(code, n);
    oribi_target_set_params(code, names, strlen(names), 4, status);
    oribi_target_set_scratch(code, 24);
    oribi_target_set_cost_us(code, 10 * n);
}

static int32_t takes_sums(void *compiler, const oribi_region *region, char *why, size_t why_bytes)
{
    const char *op = oribi_region_op(region, 0);
    (void)compiler;
    snprintf(why, why_bytes, "it convolves and adds");
    return strcmp(op, "Oribi>QConv2D") == 0 || strcmp(op, "Oribi>QDepthwiseConv2D") == 0 ||
           strcmp(op, "Oribi>QAdd") == 0 || strcmp(op, "Oribi>QMaxPool") == 0;
}

#define DENSE_TARGET(us)                                                                           \
    .struct_size = sizeof(oribi_target), .device_type = 12, .device_api = 1, .activate_us = (us),  \
    .patterns = dense_patterns, .n_patterns = 1
#define CONV_TARGET                                                                                \
    .struct_size = sizeof(oribi_target), .device_type = 12, .device_api = 1, .patterns = patterns, \
    .n_patterns = 2

static const oribi_target made[] = {
    {DENSE_TARGET(0), .name = "quick"},
    {DENSE_TARGET(20000), .name = "medium"},
    {DENSE_TARGET(10000000), .name = "slow"},
    {CONV_TARGET, .name = "cached", .has_cache_hooks = 1, .has_address = 1},
    {CONV_TARGET, .name = "queued", .has_cache_hooks = 1, .has_address = 1, .is_asynchronous = 1},
    {CONV_TARGET, .name = "wide", .has_cache_hooks = 1, .has_address = 1, .cache_line = 64,
     .memory_alignment = 128},
    {CONV_TARGET, .name = "kept", .has_cache_hooks = 1, .has_address = 1, .is_asynchronous = 1,
     .has_load = 1},
    {.struct_size = sizeof(oribi_target),
     .name = "whole",
     .device_type = 12,
     .device_api = 1,
     .has_cache_hooks = 1,
     .has_address = 1,
     .is_asynchronous = 1,
     .has_load = 1,
     .compile_region = compile_names,
     .takes = takes_sums},
    {CONV_TARGET, .name = "shared"},
    {CONV_TARGET, .name = "peer"},
    {CONV_TARGET, .name = "npu1"},
    {CONV_TARGET, .name = "npu2"},
    {CONV_TARGET, .name = "twin-a"},
    {CONV_TARGET, .name = "twin_a"},
    {.struct_size = sizeof(oribi_target),
     .name = "own",
     .device_type = 12,
     .device_api = 1,
     .patterns = own_patterns,
     .n_patterns = 1},
    {CONV_TARGET, .name = "walled", .memory_bytes = 1 << 20},
    {CONV_TARGET, .name = "tight", .memory_bytes = 1200},
    ALIGNED_TARGET(0, 16),
    ALIGNED_TARGET(1, 64),
    ALIGNED_TARGET(2, 128),
    ALIGNED_TARGET(3, 4096),
};

TF_CAPI_EXPORT void TF_InitKernel(void);
void TF_InitKernel(void)
{
    TF_Status *status = TF_NewStatus();
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++) {
        oribi_target_register(&made[i], status);
    }
    for (int i = 0; i < ANY; i++) {
        any_patterns[i] = (oribi_target_pattern){
            sizeof(oribi_target_pattern), any[i], &any[i], 1, NULL, NULL, write_nothing, NULL};
    }
    oribi_target_register(&every, status);
    TF_DeleteStatus(status);
}
