/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of the TFLite schema: operators to names and rows, element types. */
#include "import/tflite/tflite.h"

#include <string.h>

static const oribi_tflite_row *const families[] = {
    oribi_tflite_conv_rows,    oribi_tflite_elementwise_rows, oribi_tflite_join_rows,
    oribi_tflite_pool_rows,    oribi_tflite_quant_rows,       oribi_tflite_reduce_rows,
    oribi_tflite_shape_rows,   oribi_tflite_variable_rows,    oribi_tflite_recurrent_rows,
    oribi_tflite_lstm_rows,    oribi_tflite_index_rows,       oribi_tflite_norm_rows,
    oribi_tflite_control_rows, oribi_tflite_find_rows,        oribi_tflite_detection_rows,
    oribi_tflite_rnn_rows,     oribi_tflite_random_rows,
};

/* by number */
static const char *const builtin_names[] = {"ADD",
                                            "AVERAGE_POOL_2D",
                                            "CONCATENATION",
                                            "CONV_2D",
                                            "DEPTHWISE_CONV_2D",
                                            "DEPTH_TO_SPACE",
                                            "DEQUANTIZE",
                                            "EMBEDDING_LOOKUP",
                                            "FLOOR",
                                            "FULLY_CONNECTED",
                                            "HASHTABLE_LOOKUP",
                                            "L2_NORMALIZATION",
                                            "L2_POOL_2D",
                                            "LOCAL_RESPONSE_NORMALIZATION",
                                            "LOGISTIC",
                                            "LSH_PROJECTION",
                                            "LSTM",
                                            "MAX_POOL_2D",
                                            "MUL",
                                            "RELU",
                                            "RELU_N1_TO_1",
                                            "RELU6",
                                            "RESHAPE",
                                            "RESIZE_BILINEAR",
                                            "RNN",
                                            "SOFTMAX",
                                            "SPACE_TO_DEPTH",
                                            "SVDF",
                                            "TANH",
                                            "CONCAT_EMBEDDINGS",
                                            "SKIP_GRAM",
                                            "CALL",
                                            "CUSTOM",
                                            "EMBEDDING_LOOKUP_SPARSE",
                                            "PAD",
                                            "UNIDIRECTIONAL_SEQUENCE_RNN",
                                            "GATHER",
                                            "BATCH_TO_SPACE_ND",
                                            "SPACE_TO_BATCH_ND",
                                            "TRANSPOSE",
                                            "MEAN",
                                            "SUB",
                                            "DIV",
                                            "SQUEEZE",
                                            "UNIDIRECTIONAL_SEQUENCE_LSTM",
                                            "STRIDED_SLICE",
                                            "BIDIRECTIONAL_SEQUENCE_RNN",
                                            "EXP",
                                            "TOPK_V2",
                                            "SPLIT",
                                            "LOG_SOFTMAX",
                                            "DELEGATE",
                                            "BIDIRECTIONAL_SEQUENCE_LSTM",
                                            "CAST",
                                            "PRELU",
                                            "MAXIMUM",
                                            "ARG_MAX",
                                            "MINIMUM",
                                            "LESS",
                                            "NEG",
                                            "PADV2",
                                            "GREATER",
                                            "GREATER_EQUAL",
                                            "LESS_EQUAL",
                                            "SELECT",
                                            "SLICE",
                                            "SIN",
                                            "TRANSPOSE_CONV",
                                            "SPARSE_TO_DENSE",
                                            "TILE",
                                            "EXPAND_DIMS",
                                            "EQUAL",
                                            "NOT_EQUAL",
                                            "LOG",
                                            "SUM",
                                            "SQRT",
                                            "RSQRT",
                                            "SHAPE",
                                            "POW",
                                            "ARG_MIN",
                                            "FAKE_QUANT",
                                            "REDUCE_PROD",
                                            "REDUCE_MAX",
                                            "PACK",
                                            "LOGICAL_OR",
                                            "ONE_HOT",
                                            "LOGICAL_AND",
                                            "LOGICAL_NOT",
                                            "UNPACK",
                                            "REDUCE_MIN",
                                            "FLOOR_DIV",
                                            "REDUCE_ANY",
                                            "SQUARE",
                                            "ZEROS_LIKE",
                                            "FILL",
                                            "FLOOR_MOD",
                                            "RANGE",
                                            "RESIZE_NEAREST_NEIGHBOR",
                                            "LEAKY_RELU",
                                            "SQUARED_DIFFERENCE",
                                            "MIRROR_PAD",
                                            "ABS",
                                            "SPLIT_V",
                                            "UNIQUE",
                                            "CEIL",
                                            "REVERSE_V2",
                                            "ADD_N",
                                            "GATHER_ND",
                                            "COS",
                                            "WHERE",
                                            "RANK",
                                            "ELU",
                                            "REVERSE_SEQUENCE",
                                            "MATRIX_DIAG",
                                            "QUANTIZE",
                                            "MATRIX_SET_DIAG",
                                            "ROUND",
                                            "HARD_SWISH",
                                            "IF",
                                            "WHILE",
                                            "NON_MAX_SUPPRESSION_V4",
                                            "NON_MAX_SUPPRESSION_V5",
                                            "SCATTER_ND",
                                            "SELECT_V2",
                                            "DENSIFY",
                                            "SEGMENT_SUM",
                                            "BATCH_MATMUL",
                                            "PLACEHOLDER",
                                            "CUMSUM",
                                            "CALL_ONCE",
                                            "BROADCAST_TO",
                                            "RFFT2D",
                                            "CONV_3D",
                                            "IMAG",
                                            "REAL",
                                            "COMPLEX_ABS",
                                            "HASHTABLE",
                                            "HASHTABLE_FIND",
                                            "HASHTABLE_IMPORT",
                                            "HASHTABLE_SIZE",
                                            "REDUCE_ALL",
                                            "CONV_3D_TRANSPOSE",
                                            "VAR_HANDLE",
                                            "READ_VARIABLE",
                                            "ASSIGN_VARIABLE",
                                            "BROADCAST_ARGS",
                                            "RANDOM_STANDARD_NORMAL",
                                            "BUCKETIZE",
                                            "RANDOM_UNIFORM",
                                            "MULTINOMIAL",
                                            "GELU",
                                            "DYNAMIC_UPDATE_SLICE",
                                            "RELU_0_TO_1",
                                            "UNSORTED_SEGMENT_PROD",
                                            "UNSORTED_SEGMENT_MAX",
                                            "UNSORTED_SEGMENT_SUM",
                                            "ATAN2",
                                            "UNSORTED_SEGMENT_MIN",
                                            "SIGN",
                                            "BITCAST",
                                            "BITWISE_XOR",
                                            "RIGHT_SHIFT"};
static const char *const type_names[] = {"FLOAT32", "FLOAT16",    "INT32",  "UINT8",     "INT64",
                                         "STRING",  "BOOL",       "INT16",  "COMPLEX64", "INT8",
                                         "FLOAT64", "COMPLEX128", "UINT64", "RESOURCE",  "VARIANT",
                                         "UINT32",  "UINT16",     "INT4"};

/* by TensorType; 0 where the graph has none */
static const TF_DataType types[] = {
    TF_FLOAT,  TF_HALF,        TF_INT32,       TF_UINT8,  TF_INT64,  (TF_DataType)0,
    TF_BOOL,   TF_INT16,       TF_COMPLEX64,   TF_INT8,   TF_DOUBLE, TF_COMPLEX128,
    TF_UINT64, (TF_DataType)0, (TF_DataType)0, TF_UINT32, TF_UINT16,
};

#define COUNT(array) ((int64_t)(sizeof(array) / sizeof((array)[0])))

const oribi_tflite_row *oribi_tflite_find_row(int64_t builtin)
{
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        for (const oribi_tflite_row *row = families[i]; row->translate != NULL; row++) {
            if (row->builtin == builtin) {
                return row;
            }
        }
    }
    return NULL;
}

const char *oribi_tflite_builtin_name(int64_t builtin)
{
    return builtin >= 0 && builtin < COUNT(builtin_names) ? builtin_names[builtin] : NULL;
}

const char *oribi_tflite_type_name(int64_t type)
{
    return type >= 0 && type < COUNT(type_names) ? type_names[type] : NULL;
}

TF_DataType oribi_tflite_dtype(int64_t type)
{
    return type >= 0 && type < COUNT(types) ? types[type] : (TF_DataType)0;
}
