/* SPDX-License-Identifier: Apache-2.0 */
/* TensorFlow's ops of strings, and of what strings become when they are split: ragged and sparse
 * tensors, counts.
 */
#include <inttypes.h>

#include "ops_core/ops_core.h"
#include "ops_core/shape_functions.h"

/* The shape of input 0; the inputs behind it are scalars. */
static void given_scalars(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape shape;
    for (int i = 1; i < (int)TF_ShapeInferenceContextNumInputs(ctx); i++) {
        if (!oribi_ops_input_rank(ctx, i, 0, &shape, status)) {
            return;
        }
    }
    if (oribi_ops_input(ctx, 0, &shape, status)) {
        oribi_ops_output(ctx, 0, &shape, status);
    }
}

static void string_split(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape shape;
    if (oribi_ops_input_rank(ctx, 0, 1, &shape, status) &&
        oribi_ops_input_rank(ctx, 1, 0, &shape, status) &&
        oribi_ops_output_dims(ctx, 0, 2, (const int64_t[]){-1, 2}, status) &&
        oribi_ops_output_dims(ctx, 1, 1, (const int64_t[]){-1}, status)) {
        oribi_ops_output_dims(ctx, 2, 1, (const int64_t[]){2}, status);
    }
}

static void substr(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape pos, len;
    if (!oribi_ops_input(ctx, 1, &pos, status) || !oribi_ops_input(ctx, 2, &len, status) ||
        (len.n >= 0 && !oribi_ops_with_rank(&pos, len.n, status))) {
        return;
    }
    for (int i = 0; pos.n >= 0 && i < len.n; i++) {
        if (pos.at[i] >= 0 && len.at[i] >= 0 && pos.at[i] != len.at[i]) {
            oribi_ops_fail(status, "pos and len have different sizes: %" PRId64 " and %" PRId64,
                           pos.at[i], len.at[i]);
            return;
        }
    }
    oribi_ops_shape_broadcast(ctx, status);
}

/* A count for each number below `size`; of each row, where there are rows. */
static void bincount(oribi_ops_ctx *ctx, bool has_rows, TF_Status *status)
{
    oribi_ops_shape input, size;
    int64_t n = -1;
    bool is_known = false;
    if (!oribi_ops_input(ctx, 0, &input, status) ||
        (has_rows && !oribi_ops_at_most(&input, 2, status)) ||
        !oribi_ops_input_rank(ctx, 1, 0, &size, status) ||
        !oribi_ops_input_int(ctx, 1, &n, &is_known, status)) {
        return;
    }
    if (is_known && n < 0) {
        oribi_ops_fail(status, "size (%" PRId64 ") must be non-negative", n);
        return;
    }
    n = is_known ? n : -1;
    if (!has_rows) {
        oribi_ops_output_dims(ctx, 0, 1, &n, status);
    } else if (input.n == 2) {
        const int64_t rows = is_known ? input.at[0] : -1;
        oribi_ops_output_dims(ctx, 0, 2, (const int64_t[]){rows, n}, status);
    } else if (input.n == 1) {
        oribi_ops_output_dims(ctx, 0, 1, &n, status);
    } else {
        oribi_ops_output(ctx, 0, oribi_ops_set_unknown(&input), status);
    }
}

static void dense_bincount(oribi_ops_ctx *ctx, TF_Status *status)
{
    bincount(ctx, true, status);
}

static void plain_bincount(oribi_ops_ctx *ctx, TF_Status *status)
{
    bincount(ctx, false, status);
}

static void sparse_to_dense(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape shape;
    if (oribi_ops_input_as_shape(ctx, 1, &shape, status)) {
        oribi_ops_output(ctx, 0, &shape, status);
    }
}

/* How many dimensions the partitions make of the first one of the values: one each, and one more,
 * unless the first of them only says how many rows there are. -1 after failing. */
static int64_t ragged_dims(oribi_ops_ctx *ctx, TF_Status *status)
{
    enum { MOST = 16 };
    char *words[MOST] = {NULL};
    size_t lengths[MOST] = {0};
    char storage[MOST * 32];
    int32_t n = 0, total = 0;
    TF_ShapeInferenceContext_GetAttrSize(ctx, "row_partition_types", &n, &total, status);
    if (TF_GetCode(status) == TF_OK && (n < 1 || n > MOST)) {
        oribi_ops_fail(status, "there are %d row partitions; they must be 1 to %d", (int)n,
                       (int)MOST);
    }
    if (TF_GetCode(status) == TF_OK) {
        TF_ShapeInferenceContext_GetAttrStringList(ctx, "row_partition_types", words, lengths, n,
                                                   storage, sizeof storage, status);
    }
    if (TF_GetCode(status) != TF_OK) {
        return -1;
    }
    const bool is_size = lengths[0] > 0 && words[0][0] == 'F'; /* FIRST_DIM_SIZE */
    return n + (is_size ? 0 : 1);
}

static void ragged_to_tensor(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape wanted, values, out;
    const int64_t n = ragged_dims(ctx, status);
    if (n < 0 || !oribi_ops_input_as_shape(ctx, 0, &wanted, status) ||
        !oribi_ops_input(ctx, 1, &values, status)) {
        return;
    }
    out = wanted;
    if (values.n == 0) {
        oribi_ops_fail(status, "values must not be a scalar");
        return;
    }
    if (values.n > 0 && wanted.n < 0) {
        const int64_t unknown = -1;
        oribi_ops_set_unknown_dims(&out, 0);
        for (int64_t i = 0; i < n; i++) {
            if (!oribi_ops_append(&out, &unknown, 1, status)) {
                return;
            }
        }
        if (!oribi_ops_append(&out, values.at + 1, values.n - 1, status)) {
            return;
        }
    } else if (values.n > 0) {
        if (!oribi_ops_with_rank(&out, n + values.n - 1, status)) {
            return;
        }
        for (int64_t i = n; i < out.n; i++) {
            if (!oribi_ops_merge_dim(&out.at[i], values.at[i - n + 1], status)) {
                return;
            }
        }
    }
    oribi_ops_output(ctx, 0, &out, status);
}

/* Splits of all texts, and what they have become: as many as the texts say, for each output. */
static void unicode_decode(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape texts;
    int64_t n = -1;
    if (!oribi_ops_input(ctx, 0, &texts, status)) {
        return;
    }
    if (oribi_ops_is_full(&texts)) {
        n = 1;
        for (int64_t i = 0; i < texts.n; i++) {
            if (!oribi_ops_multiply(n, texts.at[i], &n, status)) {
                return;
            }
        }
        if (!oribi_ops_add(n, 1, &n, status)) {
            return;
        }
    }
    bool ok = oribi_ops_output_dims(ctx, 0, 1, &n, status);
    for (int i = 1; ok && i < (int)TF_ShapeInferenceContextNumOutputs(ctx); i++) {
        ok = oribi_ops_output_dims(ctx, i, 1, (const int64_t[]){-1}, status);
    }
}

static void unicode_encode(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape values, splits;
    int64_t n = -1;
    if (oribi_ops_input_rank(ctx, 0, 1, &values, status) &&
        oribi_ops_input_rank(ctx, 1, 1, &splits, status) &&
        (splits.at[0] < 0 || oribi_ops_subtract(splits.at[0], 1, &n, status))) {
        oribi_ops_output_dims(ctx, 0, 1, &n, status);
    }
}

static void string_ngrams(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape data, splits;
    if (oribi_ops_input_rank(ctx, 0, 1, &data, status) &&
        oribi_ops_input_rank(ctx, 1, 1, &splits, status) &&
        oribi_ops_output_dims(ctx, 0, 1, (const int64_t[]){-1}, status)) {
        oribi_ops_output(ctx, 1, &splits, status);
    }
}

/* The elements of each text along a new last axis. */
static void decode_raw(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape shape;
    const int64_t unknown = -1;
    if (oribi_ops_input(ctx, 0, &shape, status) &&
        (shape.n < 0 || oribi_ops_append(&shape, &unknown, 1, status))) {
        oribi_ops_output(ctx, 0, &shape, status);
    }
}

#define COUNTED             "{int32, int64, float, double}"
#define UNICODE_IN          "input_encoding: string; "
#define UNICODE_OUT         "output_encoding: {'UTF-8', 'UTF-16-BE', 'UTF-32-BE'}; "
#define UNICODE_REPLACEMENT "replacement_char: int = 65533; "
#define UNICODE_ERRORS      "errors: {'strict', 'replace', 'ignore'} = 'replace'; " UNICODE_REPLACEMENT
#define UNICODE_CONTROLS    "replace_control_characters: bool = false"
#define UNICODE_SPLITS      "Tsplits: {int32, int64} = DT_INT64"
#define UNIT                "unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'"

const oribi_ops_row oribi_ops_tensorflow_text[] = {
    {.name = " StringLower StringUpper",
     .inputs = "input: string",
     .outputs = "output: string",
     .attrs = "encoding: string = ''",
     .traits = "elementwise",
     .shape = oribi_ops_shape_unchanged},
    {.name = " StringStrip DecodeBase64",
     .inputs = "input: string",
     .outputs = "output: string",
     .traits = "elementwise",
     .shape = oribi_ops_shape_unchanged},
    {.name = "StringLength",
     .inputs = "input: string",
     .outputs = "output: int32",
     .attrs = UNIT,
     .traits = "elementwise",
     .shape = oribi_ops_shape_unchanged},
    {.name = "StaticRegexReplace",
     .inputs = "input: string",
     .outputs = "output: string",
     .attrs = "pattern: string; rewrite: string; replace_global: bool = true",
     .traits = "elementwise",
     .shape = oribi_ops_shape_unchanged},
    {.name = "RegexReplace",
     .inputs = "input: string; pattern: string; rewrite: string",
     .outputs = "output: string",
     .attrs = "replace_global: bool = true",
     .traits = "elementwise(input)",
     .shape = given_scalars},
    {.name = "StaticRegexFullMatch",
     .inputs = "input: string",
     .outputs = "output: bool",
     .attrs = "pattern: string",
     .traits = "elementwise",
     .shape = oribi_ops_shape_unchanged},
    {.name = "RegexFullMatch",
     .inputs = "input: string; pattern: string",
     .outputs = "output: bool",
     .traits = "elementwise(input)",
     .shape = given_scalars},
    {.name = "StringSplitV2",
     .inputs = "input: string; sep: string",
     .outputs = "indices: int64; values: string; shape: int64",
     .attrs = "maxsplit: int = -1",
     .shape = string_split},
    {.name = "Substr",
     .inputs = "input: string; pos: T; len: T",
     .outputs = "output: string",
     .attrs = "T: {int32, int64}; " UNIT,
     .traits = "elementwise",
     .shape = substr},
    {.name = "AsString",
     .inputs = "input: T",
     .outputs = "output: string",
     .attrs = "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, "
              "uint32, uint64, complex64, complex128, bool, variant, string}; "
              "precision: int = -1; scientific: bool = false; shortest: bool = false; "
              "width: int = -1; fill: string = ''",
     .traits = "elementwise",
     .shape = oribi_ops_shape_unchanged},
    {.name = "StringToNumber",
     .inputs = "string_tensor: string",
     .outputs = "output: out_type",
     .attrs = "out_type: {float, double, int32, int64} = DT_FLOAT",
     .traits = "elementwise",
     .shape = oribi_ops_shape_unchanged},
    {.name = "StringToHashBucketFast",
     .inputs = "input: string",
     .outputs = "output: int64",
     .attrs = "num_buckets: int >= 1",
     .traits = "elementwise",
     .shape = oribi_ops_shape_unchanged},
    {.name = "UnicodeDecode",
     .inputs = "input: string",
     .outputs = "row_splits: Tsplits; char_values: int32",
     .attrs = UNICODE_IN UNICODE_ERRORS UNICODE_CONTROLS "; " UNICODE_SPLITS,
     .shape = unicode_decode},
    {.name = "UnicodeDecodeWithOffsets",
     .inputs = "input: string",
     .outputs = "row_splits: Tsplits; char_values: int32; char_to_byte_starts: int64",
     .attrs = UNICODE_IN UNICODE_ERRORS UNICODE_CONTROLS "; " UNICODE_SPLITS,
     .shape = unicode_decode},
    {.name = "UnicodeEncode",
     .inputs = "input_values: int32; input_splits: Tsplits",
     .outputs = "output: string",
     .attrs =
         "errors: {'ignore', 'replace', 'strict'} = 'replace'; " UNICODE_OUT UNICODE_REPLACEMENT
             UNICODE_SPLITS,
     .shape = unicode_encode},
    {.name = "UnicodeTranscode",
     .inputs = "input: string",
     .outputs = "output: string",
     .attrs = UNICODE_IN UNICODE_OUT UNICODE_ERRORS UNICODE_CONTROLS,
     .traits = "elementwise",
     .shape = oribi_ops_shape_unchanged},
    {.name = "StringSplit",
     .inputs = "input: string; delimiter: string",
     .outputs = "indices: int64; values: string; shape: int64",
     .attrs = "skip_empty: bool = true",
     .shape = string_split},
    {.name = "StringNGrams",
     .inputs = "data: string; data_splits: Tsplits",
     .outputs = "ngrams: string; ngrams_splits: Tsplits",
     .attrs = "separator: string; ngram_widths: list(int) >= 0; left_pad: string; "
              "right_pad: string; pad_width: int; preserve_short_sequences: bool; " UNICODE_SPLITS,
     .shape = string_ngrams},
    {.name = "StringToHashBucketStrong",
     .inputs = "input: string",
     .outputs = "output: int64",
     .attrs = "num_buckets: int >= 1; key: list(int)",
     .traits = "elementwise",
     .shape = oribi_ops_shape_unchanged},
    {.name = "StringToHashBucket",
     .inputs = "string_tensor: string",
     .outputs = "output: int64",
     .attrs = "num_buckets: int >= 1",
     .traits = "elementwise",
     .shape = oribi_ops_shape_unchanged},
    {.name = "EncodeBase64",
     .inputs = "input: string",
     .outputs = "output: string",
     .attrs = "pad: bool = false",
     .traits = "elementwise",
     .shape = oribi_ops_shape_unchanged},
    {.name = "DecodeRaw",
     .inputs = "bytes: string",
     .outputs = "output: out_type",
     .attrs = "out_type: {half, float, double, int32, uint16, uint8, int16, int8, int64, "
              "complex64, complex128, bool, bfloat16}; little_endian: bool = true",
     .shape = decode_raw},
    {.name = "DecodePaddedRaw",
     .inputs = "input_bytes: string; fixed_length: int32",
     .outputs = "output: out_type",
     .attrs = "out_type: {half, float, double, int32, uint16, uint8, int16, int8, int64, "
              "bfloat16}; little_endian: bool = true",
     .shape = decode_raw},
    {.name = "Bincount",
     .inputs = "arr: int32; size: int32; weights: T",
     .outputs = "bins: T",
     .attrs = "T: " COUNTED,
     .traits = "parameters(size)",
     .shape = plain_bincount},
    {.name = "DenseBincount",
     .inputs = "input: Tidx; size: Tidx; weights: T",
     .outputs = "output: T",
     .attrs = "Tidx: {int32, int64}; T: " COUNTED "; binary_output: bool = false",
     .traits = "parameters(size)",
     .shape = dense_bincount},
    {.name = "SparseToDense",
     .inputs = "sparse_indices: Tindices; output_shape: Tindices; sparse_values: T; "
               "default_value: T",
     .outputs = "dense: T",
     .attrs = "validate_indices: bool = true; T: type; Tindices: {int32, int64}",
     .traits = "parameters(output_shape)",
     .shape = sparse_to_dense},
    {.name = "RaggedTensorToTensor",
     .inputs = "shape: Tshape; values: T; default_value: T; "
               "row_partition_tensors: num_row_partition_tensors * Tindex",
     .outputs = "result: T",
     .attrs = "T: type; Tindex: {int64, int32}; Tshape: {int64, int32}; "
              "num_row_partition_tensors: int >= 1; row_partition_types: list(string)",
     .shape = ragged_to_tensor},
    {.name = NULL},
};
