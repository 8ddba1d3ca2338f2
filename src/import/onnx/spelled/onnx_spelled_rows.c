/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of what is spelled out, and of ai.onnx.ml. */
#include "import/onnx/spelled/onnx_spelled.h"

/* 1 above the threshold, 0 below. */
static bool binarizer(oribi_onnx_node *n)
{
    const oribi_value_id x = n->inputs[0];
    const TF_DataType dtype = oribi_emit_dtype(n, x);
    const double threshold = (double)oribi_onnx_float(n, "threshold", 0.0F);
    const oribi_value_id wide = oribi_emit_is_float(n, x) ? x : oribi_emit_cast(n, x, TF_DOUBLE);
    const oribi_value_id is_above =
        oribi_emit2(n, "Greater", wide, oribi_emit_scalar_like(n, wide, threshold));
    return oribi_emit_bind(n, 0, oribi_emit_cast(n, is_above, dtype));
}

/* Columns of x, of which a vector has one row. */
static bool array_feature_extractor(oribi_onnx_node *n)
{
    oribi_value_id x = n->inputs[0];
    int32_t rank = oribi_emit_rank(n, x);
    if (rank == 1) {
        x = oribi_emit2(n, "ExpandDims", x, oribi_emit_int(n, 0));
        rank = 2;
    }
    if (!n->failed && rank == 0) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "input 0 is a scalar");
    }
    const oribi_value_id columns = oribi_emit_reshape(n, n->inputs[1], (int64_t[]){-1}, 1);
    return oribi_emit_bind(n, 0,
                           oribi_emit3(n, "GatherV2", x, columns, oribi_emit_int(n, rank - 1)));
}

/* clang-format off */
const oribi_onnx_row oribi_onnx_ml_rows[] = {
    {"ArrayFeatureExtractor", 1, 1, array_feature_extractor, 2, 2, "ExpandDims, Reshape, GatherV2"},
    {"Binarizer", 1, 1, binarizer, 1, 1, "Greater, Cast"},
    {"LabelEncoder", 2, 4, oribi_onnx_label_encoder, 1, 1, "ONNX>LabelEncoder"},
    {"TreeEnsemble", 5, 5, oribi_onnx_tree_ensemble, 1, 1, "ONNX>TreeEnsemble, Sigmoid, Softmax"},
    {NULL, 0, 0, NULL, 0, 0, NULL}};

const oribi_onnx_row oribi_onnx_preview_rows[] = {
    {"FlexAttention", 1, 1, oribi_onnx_flex_attention, 3, 3, "BatchMatMulV2, Mul, Softmax"},
    {NULL, 0, 0, NULL, 0, 0, NULL}};

const oribi_onnx_row oribi_onnx_spelled_rows[] = {
    {"CausalConvWithState", 27, 28, oribi_onnx_causal_conv, 2, 4, "Pad, ConcatV2, DepthwiseConv2dNative, BiasAdd, Sigmoid, Mul, SplitV"},
    {"LinearAttention", 27, 28, oribi_onnx_translate_custom, 3, 6, "ONNX>LinearAttention"},
    {"RegexFullMatch", 20, 28, oribi_onnx_translate_custom, 1, 1, "ONNX>RegexFullMatch"},
    {"RotaryEmbedding", 23, 28, oribi_onnx_rotary_embedding, 3, 4, "GatherV2, SplitV, Mul, Sub, AddV2, ConcatV2"},
    {"StringConcat", 20, 28, oribi_onnx_translate_custom, 2, 2, "ONNX>StringConcat"},
    {"StringNormalizer", 10, 28, oribi_onnx_string_normalizer, 1, 1, "ONNX>StringNormalizer"},
    {"StringSplit", 20, 28, oribi_onnx_translate_custom, 1, 1, "ONNX>StringSplit"},
    {"TfIdfVectorizer", 9, 28, oribi_onnx_tf_idf, 1, 1, "ONNX>TfIdfVectorizer, Cast"},
    {NULL, 0, 0, NULL, 0, 0, NULL}};
/* clang-format on */
