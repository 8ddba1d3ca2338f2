/* SPDX-License-Identifier: Apache-2.0 */
/* Ops of texts and of what is learned from tables: ONNX's operators of strings, and those of
 * ai.onnx.ml, whose attributes the importer makes inputs of.
 */
#include <inttypes.h>

#include "ops_core/ops_core.h"
#include "ops_core/shape_functions.h"

static void string_split(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape x;
    const int64_t unknown = -1;
    if (oribi_ops_input(ctx, 0, &x, status) && oribi_ops_output(ctx, 1, &x, status)) {
        if (x.n >= 0 && !oribi_ops_append(&x, &unknown, 1, status)) {
            return;
        }
        oribi_ops_output(ctx, 0, &x, status);
    }
}

/* Words may go: of the last dimension nothing is known. */
static void string_normalizer(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape x;
    if (oribi_ops_input(ctx, 0, &x, status)) {
        if (x.n > 0) {
            x.at[x.n - 1] = -1;
        }
        oribi_ops_output(ctx, 0, &x, status);
    }
}

static void tf_idf(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape x;
    int64_t length;
    if (!oribi_ops_input(ctx, 0, &x, status) ||
        !oribi_ops_attr_int(ctx, "length", &length, status)) {
        return;
    }
    if (x.n > 2) {
        oribi_ops_fail(status, "The input must have one or two dimensions, not %d", (int)x.n);
        return;
    }
    if (x.n >= 0) {
        const int64_t dims[2] = {x.n == 2 ? x.at[0] : length, length};
        oribi_ops_output_dims(ctx, 0, x.n == 2 ? 2 : 1, dims, status);
    }
}

static void tree_ensemble(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape x;
    int64_t targets;
    if (oribi_ops_input_rank(ctx, 0, 2, &x, status) &&
        oribi_ops_attr_int(ctx, "n_targets", &targets, status)) {
        oribi_ops_output_dims(ctx, 0, 2, (const int64_t[]){x.at[0], targets}, status);
    }
}

const oribi_ops_row oribi_ops_text[] = {
    {.name = "ONNX>StringConcat",
     .inputs = "x: string; y: string",
     .outputs = "z: string",
     .attrs = "since_version: int = 0",
     .traits = "elementwise",
     .shape = oribi_ops_shape_broadcast},
    {.name = "ONNX>StringSplit",
     .inputs = "x: string",
     .outputs = "substrings: string; length: int64",
     .attrs = "delimiter: string = ''; maxsplit: int = -1; since_version: int = 0",
     .shape = string_split},
    {.name = "ONNX>StringNormalizer",
     .inputs = "x: string; stopwords: string",
     .outputs = "y: string",
     .attrs = "case_change_action: {'NONE', 'LOWER', 'UPPER'} = 'NONE'; "
              "is_case_sensitive: bool = false",
     .shape = string_normalizer},
    {.name = "ONNX>RegexFullMatch",
     .inputs = "x: string",
     .outputs = "y: bool",
     .attrs = "pattern: string = ''; since_version: int = 0",
     .traits = "elementwise",
     .shape = oribi_ops_shape_unchanged},
    {.name = "ONNX>LabelEncoder", /* values[i] for what equals keys[i], else `otherwise` */
     .inputs = "x: Tin; keys: Tin; values: Tout; otherwise: Tout",
     .outputs = "y: Tout",
     .attrs = "Tin: {string, int64, float, int32, int16, double}; "
              "Tout: {string, int64, float, int32, int16, double}",
     .traits = "elementwise(x)",
     .shape = oribi_ops_shape_unchanged},
    {.name = "ONNX>TfIdfVectorizer",
     .inputs = "x: T; pool: T; counts: int64; indexes: int64; weights: float",
     .outputs = "y: float",
     .attrs = "T: {string, int64}; length: int >= 0; min_gram_length: int; "
              "max_gram_length: int; max_skip_count: int; mode: {'TF', 'IDF', 'TFIDF'}",
     .shape = tf_idf},
    {.name = "ONNX>TreeEnsemble",
     .inputs = "x: T; roots: int64; nodes: int64; modes: uint8; splits: T; targets: int64; "
               "weights: T; members: T",
     .outputs = "y: T",
     .attrs = "T: {float, double}; n_targets: int >= 1; aggregate_function: int = 1",
     .shape = tree_ensemble},
    {.name = NULL},
};
