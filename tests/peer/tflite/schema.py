# SPDX-License-Identifier: Apache-2.0
"""Numbers of the TFLite schema, version 3: operators with the options that they take."""

TYPES = {"f32": 0, "f16": 1, "i32": 2, "u8": 3, "i64": 4, "bool": 6, "i16": 7, "i8": 9, "resource": 13,
         "i4": 17}
PADDINGS = {"SAME": 0, "VALID": 1}
ACTIVATIONS = {"NONE": 0, "RELU": 1, "RELU_N1_TO_1": 2, "RELU6": 3, "TANH": 4}
MIRRORS = {"REFLECT": 0, "SYMMETRIC": 1}

_WINDOW = ["padding:i8", "stride_w:i32", "stride_h:i32"]
_MATH = ["activation:i8", "pot_scale_int16:bool"]

# name: (operator, kind of options, fields in the order of their numbers; "-" is left out)
OPERATORS = {
    "ADD": (0, 11, _MATH),
    "AVERAGE_POOL_2D": (1, 5, _WINDOW + ["filter_w:i32", "filter_h:i32", "activation:i8"]),
    "CONCATENATION": (2, 10, ["axis:i32", "activation:i8"]),
    "CONV_2D": (3, 1, _WINDOW + ["activation:i8", "dilation_w:i32", "dilation_h:i32"]),
    "DEPTHWISE_CONV_2D": (4, 2, _WINDOW + ["depth_multiplier:i32", "activation:i8", "dilation_w:i32",
                                           "dilation_h:i32"]),
    "DEQUANTIZE": (6, 38, []),
    "FULLY_CONNECTED": (9, 8, ["activation:i8", "weights_format:i8", "keep_num_dims:bool"]),
    "LOGISTIC": (14, 0, []),
    "MAX_POOL_2D": (17, 5, _WINDOW + ["filter_w:i32", "filter_h:i32", "activation:i8"]),
    "MUL": (18, 21, ["activation:i8"]),
    "RELU": (19, 0, []),
    "RELU6": (21, 0, []),
    "RELU_N1_TO_1": (20, 0, []),
    "RESHAPE": (22, 17, ["new_shape:i32s"]),
    "RESIZE_BILINEAR": (23, 15, ["-", "-", "align_corners:bool", "half_pixel_centers:bool"]),
    "SOFTMAX": (25, 9, ["beta:f32"]),
    "SVDF": (27, 6, ["rank:i32", "activation:i8", "asymmetric:bool"]),
    "TANH": (28, 0, []),
    "CUSTOM": (32, 0, []),
    "PAD": (34, 22, []),
    "GATHER": (36, 23, ["axis:i32", "batch_dims:i32"]),
    "TRANSPOSE": (39, 26, []),
    "MEAN": (40, 27, ["keep_dims:bool"]),
    "SUB": (41, 28, _MATH),
    "SQUEEZE": (43, 30, ["squeeze_dims:i32s"]),
    "UNIDIRECTIONAL_SEQUENCE_LSTM": (44, 71, ["activation:i8", "cell_clip:f32", "proj_clip:f32",
                                              "time_major:bool", "asymmetric:bool"]),
    "STRIDED_SLICE": (45, 32, ["begin_mask:i32", "end_mask:i32", "ellipsis_mask:i32",
                               "new_axis_mask:i32", "shrink_axis_mask:i32"]),
    "SPLIT": (49, 35, ["num_splits:i32"]),
    "CAST": (53, 37, ["in_type:i8", "out_type:i8"]),
    "PRELU": (54, 0, []),
    "MAXIMUM": (55, 39, []),
    "MINIMUM": (57, 39, []),
    "PADV2": (60, 43, []),
    "SLICE": (65, 48, []),
    "TRANSPOSE_CONV": (67, 49, _WINDOW + ["activation:i8"]),
    "EXPAND_DIMS": (70, 52, []),
    "SUM": (74, 27, ["keep_dims:bool"]),
    "PACK": (83, 59, ["count:i32", "axis:i32"]),
    "UNPACK": (88, 64, ["count:i32", "axis:i32"]),
    "RESIZE_NEAREST_NEIGHBOR": (97, 74, ["align_corners:bool", "half_pixel_centers:bool"]),
    "LEAKY_RELU": (98, 75, ["alpha:f32"]),
    "MIRROR_PAD": (100, 77, ["mode:i8"]),
    "SPLIT_V": (102, 79, ["num_splits:i32"]),
    "QUANTIZE": (114, 89, []),
    "HARD_SWISH": (117, 91, []),
    "BATCH_MATMUL": (126, 101, ["adj_x:bool", "adj_y:bool", "asymmetric:bool"]),
    "CALL_ONCE": (129, 103, ["init_subgraph:i32"]),
    "VAR_HANDLE": (142, 111, ["container:string", "shared_name:string"]),
    "READ_VARIABLE": (143, 112, []),
    "ASSIGN_VARIABLE": (144, 113, []),
}
