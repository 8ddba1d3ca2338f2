/* SPDX-License-Identifier: Apache-2.0 */
/* TensorFlow's ops that read tf.train.Example: each feature is sparse, dense or ragged. */
#include "ops_core/ops_core.h"
#include "ops_core/shape_functions.h"

static int length_of(oribi_ops_ctx *ctx, const char *attr, TF_Status *status)
{
    int32_t n = 0, total = 0;
    TF_ShapeInferenceContext_GetAttrSize(ctx, attr, &n, &total, status);
    return n;
}

/* The examples' dimensions, then those of the feature in one example. */
static bool dense_outputs(oribi_ops_ctx *ctx, int first, int n, TF_Status *status)
{
    TF_ShapeHandle *examples = TF_NewShapeHandle(), *shape = TF_NewShapeHandle();
    TF_ShapeInferenceContextGetInput(ctx, 0, examples, status);
    for (int i = 0; i < n && TF_GetCode(status) == TF_OK; i++) {
        TF_ShapeInferenceContext_GetAttrShapeListItem(ctx, "dense_shapes", i, shape, status);
        if (TF_GetCode(status) == TF_OK) {
            TF_ShapeInferenceContextConcatenateShapes(ctx, examples, shape, shape, status);
        }
        if (TF_GetCode(status) == TF_OK) {
            TF_ShapeInferenceContextSetOutput(ctx, first + i, shape, status);
        }
    }
    TF_DeleteShapeHandle(examples);
    TF_DeleteShapeHandle(shape);
    return TF_GetCode(status) == TF_OK;
}

static void parse(oribi_ops_ctx *ctx, const oribi_ops_shape *examples, int n_ragged,
                  TF_Status *status)
{
    const int n_sparse = length_of(ctx, "sparse_types", status);
    const int n_dense = length_of(ctx, "Tdense", status);
    const int64_t unknown = -1, width = examples->n < 0 ? -1 : examples->n + 1;
    bool ok = TF_GetCode(status) == TF_OK;
    for (int i = 0; ok && i < n_sparse; i++) {
        ok = oribi_ops_output_dims(ctx, i, 2, (const int64_t[]){-1, width}, status) &&
             oribi_ops_output_dims(ctx, n_sparse + i, 1, &unknown, status) &&
             oribi_ops_output_dims(ctx, 2 * n_sparse + i, 1, &width, status);
    }
    const int first = 3 * n_sparse + n_dense;
    const int64_t splits = examples->n == 1 && examples->at[0] >= 0 ? examples->at[0] + 1 : -1;
    ok = ok && dense_outputs(ctx, 3 * n_sparse, n_dense, status);
    for (int i = 0; ok && i < n_ragged; i++) {
        ok = oribi_ops_output_dims(ctx, first + i, 1, &unknown, status) &&
             oribi_ops_output_dims(ctx, first + n_ragged + i, 1, &splits, status);
    }
}

static void parse_any(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape examples;
    const int n_ragged = length_of(ctx, "ragged_value_types", status);
    if (TF_GetCode(status) == TF_OK && oribi_ops_input(ctx, 0, &examples, status) &&
        oribi_ops_at_most(&examples, 1, status)) {
        parse(ctx, &examples, n_ragged, status);
    }
}

static void parse_vector(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape examples;
    if (oribi_ops_input_rank(ctx, 0, 1, &examples, status)) {
        parse(ctx, &examples, 0, status);
    }
}

static void parse_one(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape example;
    if (oribi_ops_input_rank(ctx, 0, 0, &example, status)) {
        parse(ctx, &example, 0, status);
    }
}

#define LISTED(name) name ": list({float, int64, string}) >= 0; "
#define DENSE_SHAPES "dense_shapes: list(shape) >= 0"
#define SPARSE(count)                                                                              \
    "sparse_indices: " count " * int64; sparse_values: sparse_types; sparse_shapes: " count        \
    " * int64"

const oribi_ops_row oribi_ops_example[] = {
    {.name = "ParseExampleV2",
     .inputs = "serialized: string; names: string; sparse_keys: string; dense_keys: string; "
               "ragged_keys: string; dense_defaults: Tdense",
     .outputs = SPARSE("num_sparse") "; dense_values: Tdense; ragged_values: ragged_value_types; "
                                     "ragged_row_splits: ragged_split_types",
     .attrs = LISTED("Tdense") "num_sparse: int >= 0; " LISTED("sparse_types") LISTED(
         "ragged_value_types") "ragged_split_types: list({int32, int64}) >= 0; " DENSE_SHAPES,
     .shape = parse_any},
    {.name = "ParseExample",
     .inputs = "serialized: string; names: string; sparse_keys: Nsparse * string; "
               "dense_keys: Ndense * string; dense_defaults: Tdense",
     .outputs = SPARSE("Nsparse") "; dense_values: Tdense",
     .attrs = "Nsparse: int >= 0; Ndense: int >= 0; " LISTED("sparse_types") LISTED("Tdense")
         DENSE_SHAPES,
     .shape = parse_vector},
    {.name = "ParseSingleExample",
     .inputs = "serialized: string; dense_defaults: Tdense",
     .outputs = SPARSE("num_sparse") "; dense_values: Tdense",
     .attrs =
         "num_sparse: int >= 0; sparse_keys: list(string) >= 0; "
         "dense_keys: list(string) >= 0; " LISTED("sparse_types") LISTED("Tdense") DENSE_SHAPES,
     .shape = parse_one},
    {.name = NULL},
};
