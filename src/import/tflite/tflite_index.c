/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that find elements by indices, and those that see bytes as another type. */
#include "import/tflite/tflite.h"

static bool reverse_sequence(oribi_tflite_node *n)
{
    oribi_value_id x = oribi_tflite_input(n, 0), lengths = oribi_tflite_input(n, 1);
    oribi_value_id y = oribi_tflite_emit(n, "ReverseSequence", INPUTS(x, lengths),
                                         ATTRS(ATTR_INT("seq_dim", oribi_tflite_int(n, 0, 0)),
                                               ATTR_INT("batch_dim", oribi_tflite_int(n, 1, 0))));
    return oribi_tflite_bind(n, 0, y);
}

/* Inputs: indices, then the rows. */
static bool embedding_lookup(oribi_tflite_node *n)
{
    const bool widens = n->outputs[0]->dtype == TF_FLOAT && oribi_tflite_is_quantised(n, 1);
    oribi_value_id ids = oribi_tflite_input(n, 0);
    oribi_value_id rows = widens ? oribi_tflite_weights_in(n, 1) : oribi_tflite_input(n, 1);
    oribi_value_id y =
        oribi_tflite_emit(n, "GatherV2", INPUTS(rows, ids, oribi_tflite_scalar(n, 0)), NO_ATTRS);
    return oribi_tflite_bind(n, 0, y);
}

/* Inputs: indices (one, a list, or rows of them), the sizes, one value or a list, the rest. */
static bool sparse_to_dense(oribi_tflite_node *n)
{
    oribi_value_id at = oribi_tflite_input(n, 0), sizes = oribi_tflite_input(n, 1);
    oribi_value_id values = oribi_tflite_input(n, 2), rest = oribi_tflite_input(n, 3);
    const int32_t rank = oribi_tflite_rank(n, at);
    const int64_t count = rank == 0 ? 1 : oribi_tflite_dim(n, at, 0);
    if (n->failed || rank < 0 || count < 0) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED, "the number of indices must be known");
    }
    if (rank < 2) { /* of one dimension */
        const oribi_dims rows = {.n = 2, .at = {count, 1}};
        at = oribi_tflite_reshape(n, at, &rows);
    }
    if (oribi_tflite_rank(n, values) == 0) {
        const oribi_dims list = {.n = 1, .at = {count}};
        oribi_value_id to = oribi_tflite_reshape(n, values, &(oribi_dims){.n = 1, .at = {1}});
        oribi_value_id times = oribi_tflite_scalar(n, list.at[0]);
        times = oribi_tflite_reshape(n, times, &(oribi_dims){.n = 1, .at = {1}});
        values = oribi_tflite_emit(n, "Tile", INPUTS(to, times), NO_ATTRS);
    }
    oribi_value_id y = oribi_tflite_emit(n, "Fill", INPUTS(sizes, rest), NO_ATTRS);
    y = oribi_tflite_emit(n, "TensorScatterUpdate", INPUTS(y, at, values), NO_ATTRS);
    return oribi_tflite_bind(n, 0, y);
}

static bool bitcast(oribi_tflite_node *n)
{
    oribi_value_id x = oribi_tflite_input(n, 0);
    const TF_DataType from = oribi_tflite_dtype_in(n, 0), to = n->outputs[0]->dtype;
    oribi_value_id y;
    if (from == to) {
        y = oribi_tflite_emit(n, "Identity", INPUTS(x), NO_ATTRS);
    } else if (from == TF_BOOL) { /* whose bytes are 0 and 1 */
        y = oribi_tflite_emit(n, "Cast", INPUTS(x), ATTRS(ATTR_TYPE("DstT", to)));
    } else {
        y = oribi_tflite_emit(n, "Bitcast", INPUTS(x), ATTRS(ATTR_TYPE("type", to)));
    }
    return oribi_tflite_bind(n, 0, y);
}

const oribi_tflite_row oribi_tflite_index_rows[] = {
    /* operator, options, inputs at least and at most, outputs */
    {124, 0, 1, 1, 1, oribi_tflite_translate_copy, "Identity"}, /* DENSIFY: it was read dense */
    {112, 87, 2, 2, 1, reverse_sequence, NULL},
    {122, 0, 3, 3, 1, oribi_tflite_translate_copy, "ScatterNd"},
    {7, 0, 2, 2, 1, embedding_lookup, NULL},
    {68, 0, 4, 4, 1, sparse_to_dense, NULL},
    {159, 0, 1, 1, 1, bitcast, NULL},
    {0, 0, 0, 0, 0, NULL, NULL},
};
