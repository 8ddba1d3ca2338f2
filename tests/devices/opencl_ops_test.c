/* SPDX-License-Identifier: Apache-2.0 */
/* Every op of plugins/device_ops on a device (OpenCL unless TEST_DEVICE_TYPE says otherwise)
 * against the CPU's kernel, with odd shapes, broadcasting, empty tensors, NaN and infinities.
 * Placement is strict, so nothing is compared with itself. Windows and products have tests of their
 * own in opencl_test.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "devices/op_case.h"

/* --- Elements -------------------------------------------------------------------------------- */

static void functions_of_one_operand(void **state)
{
    static const char *const plain[] = {
        "Relu",  "Relu6",    "Elu",      "Selu",      "Sigmoid",
        "Tanh",  "Softplus", "Softsign", "ONNX>Mish", "ONNX>HardSwish",
        "Exp",   "Expm1",    "Log",      "Log1p",     "Neg",
        "Abs",   "Sqrt",     "Rsqrt",    "Square",    "Reciprocal",
        "Floor", "Ceil",     "Round",    "Rint",      "Sign",
        "Sin",   "Cos",      "Erf"};
    static const op_case with_attrs[] = {
        {"LeakyRelu", "3x5x7", "alpha=f0.3", 0},
        {"ONNX>Celu", "3x5x7", "alpha=f1.5", 0},
        {"ONNX>ThresholdedRelu", "3x5x7", "alpha=f0.6", 0},
        {"ONNX>HardSigmoid", "3x5x7", "alpha=f0.3 beta=f0.4", 0},
        {"Tanh", "0x3", NULL, 0},
        {"Tanh", "1", NULL, 0},
        {"Tanh", "-", NULL, 0},
        {"Tanh", "67x129", NULL, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        run_case(&(op_case){plain[i], "3x5x7", NULL, 0}, true);
    }
    RUN_ALL(with_attrs, true)
    run_case(&(op_case){"ONNX>Gelu", "3x5x7", "approximate=stanh", 0}, false);
    run_case(&(op_case){"ONNX>Gelu", "3x5x7", "approximate=snone", 0}, false);
}

static void functions_of_two_operands_broadcast(void **state)
{
    static const char *const ops[] = {
        "AddV2", "Add", "Sub", "Mul", "RealDiv", "Div", "Maximum", "Minimum", "SquaredDifference"};
    static const char *const shapes[] = {"2x3x5x4 c2x3x5x4",
                                         "2x3x5x4 c4",
                                         "2x3x5x4 c5x1",
                                         "2x3x5x4 c3x1x1",
                                         "2x1x5x1 c3x1x4",
                                         "c2x3x5x4 3x1x4",
                                         "2x3x5x4 c2x1x5x1",
                                         "1 c2x3",
                                         "- c3x2",
                                         "0x4 c4",
                                         "3x2x1x2x1x3x2 c3x1x4x1x2x1x2"};
    static const op_case more[] = {
        {"Pow", "c7x5 5", NULL, 0},
        {"Pow", "7x5 f2", NULL, 0},
        {"Pow", "7x5 f3", NULL, 0},
        {"ONNX>PRelu", "2x5x3 c3", NULL, 0},
        {"ONNX>PRelu", "2x5x3 c5x1", NULL, 0},
        {"ClipByValue", "3x5x7 f-1 f1.25", NULL, 0},
        {"ClipByValue", "3x5x7 f0.5 c3x5x7", NULL, 0},
        {"ClipByValue", "0x5 f0.5 f1", NULL, 0},
        {"BiasAdd", "2x3x5x4 c4", "data_format=sNHWC", 0},
        {"BiasAdd", "2x3x5x4 c3", "data_format=sNCHW", 0},
        {"BiasAdd", "7x5 c5", "data_format=sNHWC", 0},
        {"BiasAdd", "0x5 c5", "data_format=sNHWC", 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
            run_case(&(op_case){ops[i], shapes[k], NULL, 0}, true);
        }
    }
    RUN_ALL(more, true)
}

/* --- Moves ----------------------------------------------------------------------------------- */

static void elements_in_another_order(void **state)
{
    static const op_case cases[] = {
        {"Transpose", "2x3x5x4 i0,2,3,1", NULL, 0},
        {"Transpose", "2x3x5x4 i0,3,1,2", NULL, 0},
        {"Transpose", "2x3x5x4 i3,2,1,0", NULL, 0},
        {"Transpose", "2x3x5x4 i0,1,2,3", NULL, 0},
        {"Transpose", "1x7x1x9 i3,0,2,1", NULL, 0},
        {"Transpose", "33x65 i1,0", NULL, 0},
        {"Transpose", "2x3x2x2x3x2 i5,1,3,0,4,2", NULL, 0},
        {"Transpose", "7 i0", NULL, 0},
        {"Transpose", "0x3 i1,0", NULL, 0},
        {"Transpose", "2x3x4 i-1,0,1", NULL, 0},
        {"ReverseV2", "3x4x5 i1", NULL, 0},
        {"ReverseV2", "3x4x5 i0,-1", NULL, 0},
        {"Tile", "2x3x4 i2,1,3", NULL, 0},
        {"Tile", "2x3 i1,1", NULL, 0},
        {"Tile", "2x3 i0,2", NULL, 0},
        {"BroadcastTo", "3x1 i2,3,4", NULL, 0},
        {"BroadcastTo", "1 i5", NULL, 0},
        {"Oribi>ChannelShuffle", "2x3x5x12", "groups=i3", 0},
        {"Oribi>ChannelShuffle", "2x10", "groups=i5", 0},
        {"DepthToSpace", "2x3x5x8", "block_size=i2", 0},
        {"DepthToSpace", "1x2x2x27", "block_size=i3", 0},
        {"SpaceToDepth", "2x4x6x3", "block_size=i2", 0},
        {"SpaceToDepth", "1x9x3x2", "block_size=i3", 0},
    };
    (void)state;
    RUN_ALL(cases, false)
}

static void boxes_of_a_tensor(void **state)
{
    static const op_case cases[] = {
        {"Slice", "3x5x7 i1,0,2 i2,5,3", NULL, 0},
        {"Slice", "3x5x7 i0,0,0 i-1,-1,-1", NULL, 0},
        {"Slice", "3x5x7 i1,2,3 i-1,0,2", NULL, 0},
        {"StridedSlice", "3x5x7 i0,1,0 i3,4,7 i1,2,3", NULL, 0},
        {"StridedSlice", "3x5x7 i2,-1,6 i-4,-6,0 i-1,-2,-3", NULL, 0},
        {"StridedSlice", "3x5x7 i1,1 i2,2 i1,1", "shrink_axis_mask=i1", 0},
        {"StridedSlice", "3x5x7 i1,0,2 i2,0,5 i1,1,2", "ellipsis_mask=i2", 0},
        {"StridedSlice", "3x5x7 i0,1,0 i0,3,0 i1,1,1", "new_axis_mask=i1 end_mask=i4", 0},
        {"StridedSlice", "3x5x7 i1,9,1 i2,1,3 i1,-2,1", "begin_mask=i5 end_mask=i2", 0},
        {"StridedSlice", "3x5x7 i2,0,0 i1,5,7 i1,1,1", NULL, 0}, /* empty */
        {"Pad", "3x5 m1,2,0,3", NULL, 0},
        {"Pad", "1x3x4x2 m0,0,1,1,2,0,0,0", NULL, 0},
        {"Pad", "0x2 m1,1,1,0", NULL, 0},
        {"PadV2", "3x5 m1,2,0,3 f-1.5", NULL, 0},
        {"MirrorPad", "3x5 m2,1,3,4", "mode=sREFLECT", 0},
        {"MirrorPad", "3x5 m2,3,3,5", "mode=sSYMMETRIC", 0},
    };
    (void)state;
    RUN_ALL(cases, false)
}

static void joins_and_splits(void **state)
{
    static const op_case cases[] = {
        {"ConcatV2", "2x3x4 c2x3x5 s2", NULL, 0},
        {"ConcatV2", "c2x1x4 2x3x4 c2x5x4 s-2", NULL, 0},
        {"ConcatV2", "3x4 c1x4 c2x4 c0x4 s0", NULL, 0},
        {"ConcatV2", "0x4 c0x4 s0", NULL, 0},
        {"Concat", "s1 2x3x4 c2x2x4", NULL, 0},
        {"Pack", "3x4 c3x4 c3x4", "axis=i0", 0},
        {"Pack", "3x4 c3x4", "axis=i1", 0},
        {"Pack", "3x4 c3x4", "axis=i-1", 0},
        {"Pack", "-", "axis=i0", 0},
        {"Split", "s1 2x6x4", "num_split=i3", 3},
        {"Split", "s-1 2x6x4", "num_split=i2", 2},
        {"Split", "s0 7x2", "num_split=i7", 7},
        {"SplitV", "2x7x3 i1,4,2 s1", "num_split=i3", 3},
        {"SplitV", "2x7x3 i3,-1 s1", "num_split=i2", 2},
        {"SplitV", "2x7x3 i0,7 s1", "num_split=i2", 2},
        {"Unpack", "3x4x2", "num=i3 axis=i0", 3},
        {"Unpack", "3x4x2", "num=i4 axis=i1", 4},
    };
    (void)state;
    RUN_ALL(cases, false)
}

/* Threads of a processor make 1024 elements each (code/strips.c): their ends lie within rows. */
static void tensors_longer_than_a_strip(void **state)
{
    static const op_case cases[] = {
        {"AddV2", "3x13x17x5 c3x13x17x5", NULL, 0},
        {"Sub", "3x13x17x11 c11", NULL, 0},
        {"Sub", "c13x1x1 3x13x17x11", NULL, 0},
        {"Mul", "3x13x17x11 c17x1", NULL, 0},
        {"Mul", "3x1x17x11 c13x1x11", NULL, 0},
        {"Maximum", "c1 3x13x17x11", NULL, 0},
        {"Transpose", "3x13x17x11 i0,2,3,1", NULL, 0},
        {"Transpose", "3x13x17x11 i0,3,1,2", NULL, 0},
        {"Transpose", "3x13x17x11 i3,2,1,0", NULL, 0},
        {"Transpose", "3x13x17x11 i2,0,3,1", NULL, 0},
        {"Transpose", "2x3x40x41 i0,2,3,1", NULL, 0},
        {"Slice", "3x13x17x11 i1,2,3,4 i2,11,13,7", NULL, 0},
        {"Pad", "3x13x17x11 m0,0,1,2,0,3,2,0", NULL, 0},
        {"PadV2", "3x13x17x11 m1,0,0,0,2,1,3,2 f7", NULL, 0},
        {"ConcatV2", "3x13x17x11 c3x13x17x6 s3", NULL, 0},
        {"ConcatV2", "c3x2x17x11 3x13x17x11 s1", NULL, 0},
        {"Split", "s1 3x14x17x11", "num_split=i2", 2},
        {"FusedBatchNormV3", "3x13x17x11 c11 c11 c11 c11",
         "is_training=b0 epsilon=f1.5 data_format=sNHWC", 6},
        {"FusedBatchNormV3", "3x13x17x11 c13 c13 c13 c13",
         "is_training=b0 epsilon=f1.5 data_format=sNCHW", 6},
    };
    (void)state;
    RUN_ALL(cases, false)
}

/* --- Views ----------------------------------------------------------------------------------- */

/* x's memory under other shapes, and its shape: no kernel of the device runs, nothing is copied but
 * the input and the outputs. */
static void views(void **state)
{
    static const op_case cases[] = {
        {"Reshape", "2x3x4 i4,-1", NULL, 0},
        {"Reshape", "2x3x4 i24", NULL, 0},
        {"Reshape", "0x3 i-1,3", NULL, 0},
        {"ExpandDims", "2x3 s1", NULL, 0},
        {"ExpandDims", "2x3 s-1", NULL, 0},
        {"Squeeze", "1x3x1x4", NULL, 0},
        {"Squeeze", "1x3x1x4", "squeeze_dims=l2", 0},
        {"Squeeze", "1x3x1x4", "squeeze_dims=l-4,2", 0},
        {"Identity", "2x3", NULL, 0},
        {"StopGradient", "2x3", NULL, 0},
        {"PreventGradient", "2x3", NULL, 0},
        {"Snapshot", "2x3", NULL, 0},
    };
    (void)state;
    RUN_ALL(cases, false)
}

/* Shapes that only a run knows: nothing is folded, and the shape is written to the host's memory.
 */
static void shapes_of_a_run(void **state)
{
    static const op_case cases[] = {
        {"Shape", "?2x3x5", NULL, 0},
        {"Size", "?2x3x5", NULL, 0},
        {"Rank", "?2x3x5", NULL, 0},
        {"Shape", "?0x3", NULL, 0},
        {"Relu", "?2x3x5", NULL, 0},
        {"Mul", "?2x3x5 c3x1", NULL, 0},
        {"Transpose", "?2x3x5 i2,0,1", NULL, 0},
        {"Mean", "?2x3x5 i1", NULL, 0},
        {"ConcatV2", "?2x3 c2x4 s1", NULL, 0},
        {"Reshape", "?2x6 i-1,3", NULL, 0},
        {"Split", "s1 ?2x6", "num_split=i3", 3},
        {"Softmax", "?4x70", NULL, 0},
    };
    (void)state;
    RUN_ALL(cases, false)
}

/* --- Reductions, normalisations -------------------------------------------------------------- */

static void reductions(void **state)
{
    static const char *const ops[] = {"Sum", "Mean", "Max", "Min", "Prod"};
    static const char *const shapes[] = {"2x3x5x4 i1,2", "2x3x5x4 i3",    "2x3x5x4 i0",
                                         "2x3x5x4 i0,2", "2x3x5x4 i-1,1", "3x4 i0,1",
                                         "7 i0",         "3x4 i1",        "1x6x1x3 i0,1"};
    static const op_case more[] = {
        {"Sum", "3x700 i1", NULL, 0},         {"Mean", "2x40x9 i1,2", "keep_dims=b1", 0},
        {"Max", "2x40x9 i0,1", NULL, 0},      {"Min", "5x513 i1", NULL, 0},
        {"Sum", "0x3 i0", NULL, 0},           {"Max", "0x3 i0", NULL, 0},
        {"Prod", "0x3 i0", NULL, 0},          {"Sum", "3x0 i0", NULL, 0},
        {"Mean", "1x13x17x70 i1,2", NULL, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
            run_case(&(op_case){ops[i], shapes[k], k % 2 == 0 ? "keep_dims=b1" : NULL, 0}, false);
        }
        run_case(&(op_case){ops[i], "3x5x7 i1", NULL, 0}, true);
    }
    RUN_ALL(more, false)
}

/* Rows and columns shorter and longer than vectors, groups that are not full, every set of axes;
 * the last two with NaN and infinities. */
static void rows_by_several_threads(void **state)
{
    static const char *const ops[] = {"Softmax", "LogSoftmax", "Sum", "Mean", "Max", "Min", "Prod"};
    static const char *const rows[] = {"3x15",   "300x16", "300x17", "31x63",    "5x7x64",
                                       "9x112",  "7x1000", "2x4099", "1x100003", "2x100000",
                                       "1031x1", "2x0",    "3x21",   "2x90"};
    static const char *const axes[] = {
        "5x17 i1",        "9x129 i1",       "1031x31 i1",       "1x100003 i1",
        "100003x1 i0",    "31x1031 i0",     "129x67 i0",        "16x16 i0",
        "700x3 i0",       "40x33x19 i1",    "2x33x65 i0,1",     "2x33x79 i0,2",
        "2x33x19 i0,1,2", "3x17x5x23 i1,3", "3x17x5x23 i0,3",   "3x17x5x23 i0,1,3",
        "17x3x16x3 i0,2", "2x20x7x2 i1,3",  "3x17x5x23 i0,1,2", "17x0x5 i1",
        "0x17x20 i1",     "16x66000 i0",    "5x7x31 i1",        "3x77 i1",
        "37x17 i0"};
    (void)state;
    /* The others differ in a function of two values: sanitizers have Softmax and Sum. */
    const size_t step = TEST_SANITIZED ? 2 : 1,
                 n_ops = TEST_SANITIZED ? 3 : sizeof ops / sizeof *ops;
    for (size_t i = 0; i < n_ops; i += step) {
        const size_t n = (i < 2 ? sizeof rows : sizeof axes) / sizeof *rows;
        for (size_t k = 0; k < n; k++) {
            run_case(&(op_case){ops[i], (i < 2 ? rows : axes)[k], NULL, 0}, k + 2 >= n);
        }
    }
}

static void normalisations(void **state)
{
    static const op_case cases[] = {
        {"FusedBatchNormV3", "2x3x5x4 c4 c4 c4 c4", "is_training=b0 epsilon=f0.01", 6},
        {"FusedBatchNormV3", "2x3x5x4 c3 c3 c3 c3", "is_training=b0 data_format=sNCHW", 6},
        {"FusedBatchNorm", "1x3x3x5 c5 c5 c5 c5", "is_training=b0", 5},
        {"_FusedBatchNormEx", "2x3x5x4 c4 c4 c4 c4",
         "is_training=b0 activation_mode=sRelu num_side_inputs=i0", 6},
        {"_FusedBatchNormEx", "2x3x5x4 c4 c4 c4 c4 c2x3x5x4",
         "is_training=b0 activation_mode=sRelu num_side_inputs=i1", 6},
        {"LRN", "2x3x5x9", "depth_radius=i2 bias=f1.5 alpha=f0.3 beta=f0.75", 0},
        {"LRN", "1x2x2x4", "depth_radius=i5 bias=f1 alpha=f0.5 beta=f0.5", 0},
        {"LRN", "1x2x2x7", "depth_radius=i1 bias=f2 alpha=f0.5 beta=f1", 0},
        {"LRN", "1x2x2x7", "depth_radius=i1 bias=f2 alpha=f0.5 beta=f0.6", 0},
        {"Softmax", "3x7", NULL, 0},
        {"Softmax", "2x3x300", NULL, 0},
        {"Softmax", "5", NULL, 0},
        {"Softmax", "0x5", NULL, 0},
        {"Softmax", "1x1", NULL, 0},
        {"LogSoftmax", "3x7", NULL, 0},
        {"LogSoftmax", "2x129", NULL, 0},
    };
    (void)state;
    RUN_ALL(cases, false)
    run_case(&(op_case){"Softmax", "4x40", NULL, 0}, true);
    run_case(&(op_case){"Softmax", "4x80", NULL, 0}, true);
}

static void pictures_in_another_size(void **state)
{
    static const char *const sizes[] = {"2x3x5x4 i7,11", "1x8x6x3 i4,3", "1x3x5x1 i1,1",
                                        "1x1x1x2 i3,4", "0x3x5x4 i2,2"};
    static const char *const ways[] = {"align_corners=b0", "align_corners=b1",
                                       "half_pixel_centers=b1"};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
            run_case(&(op_case){"ResizeNearestNeighbor", sizes[i], ways[k], 0}, false);
            run_case(&(op_case){"ResizeBilinear", sizes[i], ways[k], 0}, false);
        }
    }
}

/* What the device's code does not compute is an error that says how many are too many. */
static void more_than_eight_dimensions_are_refused(void **state)
{
    static const op_case fits[] = {
        {"Relu", "1x2x1x2x1x2x1x3", NULL, 0},
        {"Add", "3 c2x1x2x1x2x1x2x1", NULL, 0},
        {"Transpose", "1x2x1x2x1x2x1x3 i7,6,5,4,3,2,1,0", NULL, 0},
        {"Sum", "1x2x1x2x1x2x1x3 i1,-1", "keep_dims=b1", 0},
        {"Pad", "1x2x1x2x1x2x1x3 m0,1,0,0,1,0,0,0,0,0,0,0,0,0,2,1", NULL, 0},
    };
    static const op_case cases[] = {
        {"Relu", "1x2x1x2x1x2x1x2x3", NULL, 0},
        {"Add", "3 c2x1x2x1x2x1x2x1x3", NULL, 0},
        {"Add", "1x2x1x2x1x2x1x2x3 c3", NULL, 0},
        {"Transpose", "1x2x1x2x1x2x1x2x3 i8,7,6,5,4,3,2,1,0", NULL, 0},
        {"Sum", "1x2x1x2x1x2x1x2x3 i1,8", "keep_dims=b0", 0},
        {"Pad", "1x1x1x1x1x1x1x1x2 m0,1,0,0,1,0,0,0,0,0,0,0,0,0,0,0,2,1", NULL, 0},
        {"Tile", "1x1x1x1x1x1x1x1x2 i1,2,1,1,1,1,1,1,1", NULL, 0},
        {"BroadcastTo", "3 i2,1,1,1,1,1,1,1,3", NULL, 0},
        {"Pack", "1x2x1x2x1x2x1x3", "axis=i0", 0},
        {"ConcatV2", "1x2x1x2x1x2x1x2x3 c1x2x1x2x1x2x1x2x3 s0", NULL, 0},
        {"Split", "s0 2x2x1x2x1x2x1x2x3", "num_split=i2", 2},
        {"Reshape", "6 i1,1,1,1,1,1,1,2,3", NULL, 0},
        {"Squeeze", "1x2x1x2x1x2x1x2x3", NULL, 0},
        {"Shape", "?1x2x1x2x1x2x1x2x3", NULL, 0},
        {"StridedSlice", "1x2x1x2x1x2x1x3 i0,0 i1,1 i1,1", "new_axis_mask=i1", 0},
    };
    (void)state;
    RUN_ALL(fits, false)
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        TF_Status *status = TF_NewStatus();
        current = &cases[i];
        oribi_session *session = open_case(plugin_type);
        oribi_run *run = small_run_of(session);
        bind(run, false);
        oribi_run_execute(run, status);
        if (TF_GetCode(status) == TF_OK || strstr(TF_Message(status), "limit of 8") == NULL) {
            fail_msg("%s %s: %s", current->op, current->inputs, TF_Message(status));
        }
        oribi_run_destroy(run);
        oribi_session_destroy(session);
        TF_DeleteStatus(status);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_of_one_operand),
        cmocka_unit_test(functions_of_two_operands_broadcast),
        cmocka_unit_test(elements_in_another_order),
        cmocka_unit_test(boxes_of_a_tensor),
        cmocka_unit_test(joins_and_splits),
        cmocka_unit_test(tensors_longer_than_a_strip),
        cmocka_unit_test(views),
        cmocka_unit_test(shapes_of_a_run),
        cmocka_unit_test(reductions),
        cmocka_unit_test(rows_by_several_threads),
        cmocka_unit_test(normalisations),
        cmocka_unit_test(pictures_in_another_size),
        cmocka_unit_test(more_than_eight_dimensions_are_refused),
    };
    const int result = plugin_setup();
    if (result != 0) {
        return result;
    }
    cmocka_set_test_filter(getenv("TEST_ONLY"));
    return cmocka_run_group_tests(tests, NULL, plugin_remove_cache);
}
