/* SPDX-License-Identifier: Apache-2.0 */
/* What are the constants that layers read? However a model writes them (raw bytes, lists, a Reshape
 * of an initializer), the library evaluates them: a model of the constant nodes alone, whose
 * outputs they are. Then sums, products and batch normalisations of each channel behind a
 * convolution go into its weights and its bias, before these are quantised.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "quantise/quantise.h"

/* --- Evaluation ------------------------------------------------------------------------------ */

static bool reads_weights(const quantise_node *n)
{
    static const char *const ops[] = {"Conv", "Gemm", "MatMul", "Add", "Mul", "BatchNormalization"};
    for (size_t i = 0; i < sizeof ops / sizeof ops[0] && !n->is_constant; i++) {
        if (strcmp(n->op, ops[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Values to evaluate, each once; how many. */
static int list_wanted(const quantise *q, int *out)
{
    bool *is_listed = cli_alloc((size_t)q->n_values + 1);
    int n = 0;
    for (int i = 0; i < q->n_nodes; i++) {
        for (int k = 0; k < q->nodes[i].n_inputs && reads_weights(&q->nodes[i]); k++) {
            const int v = q->nodes[i].inputs[k];
            if (v >= 0 && q->values[v].is_constant && !is_listed[v]) {
                is_listed[v] = true;
                out[n++] = v;
            }
        }
    }
    free(is_listed);
    return n;
}

static const char prefix[] = "oribi constant ";

static void put_identity(oribi_text *graph, const char *from)
{
    oribi_text node = {0}, to = {0};
    oribi_text_append(&to, prefix);
    oribi_text_append(&to, from);
    oribi_proto_string(&node, 1, from);
    oribi_proto_string(&node, 2, oribi_text_string(&to));
    oribi_proto_string(&node, 4, "Identity");
    oribi_proto_message(graph, 1, &node);
    quantise_put_output(graph, oribi_text_string(&to));
    oribi_text_destroy(&to);
}

/* Field 7 of the file with the constant nodes alone. */
static void put_graph(const quantise *q, const oribi_wire_field *old, const int *wanted, int n,
                      oribi_text *out)
{
    TF_Status *status = TF_NewStatus();
    oribi_wire wire = oribi_wire_over(old->data, old->bytes);
    oribi_wire_field f;
    oribi_text graph = {0};
    int at = 0;

    while (oribi_wire_next(&wire, &f, status)) {
        if (f.type != ORIBI_WIRE_BYTES || f.number == 11 || f.number == 12 || f.number == 13) {
            continue;
        }
        if (f.number == 1) {
            const quantise_node *node = &q->nodes[at++];
            if (node->is_constant) {
                oribi_proto_bytes(&graph, 1, f.data, f.bytes);
            }
        } else {
            oribi_proto_bytes(&graph, f.number, f.data, f.bytes);
        }
    }
    for (int i = 0; i < n; i++) {
        put_identity(&graph, q->values[wanted[i]].name);
    }
    oribi_proto_message(out, 7, &graph);
    TF_DeleteStatus(status);
}

static void put_model(const quantise *q, const int *wanted, int n, oribi_text *out)
{
    TF_Status *status = TF_NewStatus();
    oribi_wire wire = oribi_wire_over(q->file, q->bytes);
    oribi_wire_field f;

    oribi_proto_number(out, 1, (uint64_t)(q->ir < 4 ? 4 : q->ir));
    while (oribi_wire_next(&wire, &f, status)) {
        if (f.number == 7 && f.type == ORIBI_WIRE_BYTES) {
            put_graph(q, &f, wanted, n, out);
        } else if (f.number == 8 && f.type == ORIBI_WIRE_BYTES) {
            oribi_proto_bytes(out, 8, f.data, f.bytes);
        }
    }
    if (out->failed) {
        cli_no_memory(out->length);
    }
    TF_DeleteStatus(status);
}

static void run_constants(quantise *q, const oribi_text *text, const int *wanted, int n,
                          TF_Status *status)
{
    oribi_model *model = oribi_model_from_memory(text->data, text->length, q->path, NULL, status);
    oribi_session *session = model == NULL ? NULL : oribi_session_create(model, NULL, status);
    oribi_run *run = session == NULL ? NULL : oribi_run_create(session, status);

    if (run != NULL) {
        oribi_run_execute(run, status);
    }
    for (int i = 0; i < n && TF_GetCode(status) == TF_OK; i++) {
        TF_Tensor *made = oribi_run_output(run, i, status);
        const size_t bytes = made == NULL ? 0 : TF_TensorByteSize(made);
        cli_dims dims = {0};
        for (int d = 0; made != NULL && d < TF_NumDims(made); d++) {
            (void)cli_dims_add(&dims, TF_Dim(made, d));
        }
        TF_Tensor *copy = made == NULL || cli_type_bytes(TF_TensorType(made)) == 0
                              ? NULL
                              : cli_tensor(TF_TensorType(made), &dims);
        if (copy != NULL && bytes > 0 && bytes == TF_TensorByteSize(copy)) {
            memcpy(TF_TensorData(copy), TF_TensorData(made), bytes);
        }
        q->values[wanted[i]].constant = copy;
        TF_DeleteTensor(made);
    }
    oribi_run_destroy(run);
    oribi_session_destroy(session);
    oribi_model_destroy(model);
}

int quantise_evaluate(quantise *q)
{
    TF_Status *status = TF_NewStatus();
    int *wanted = cli_alloc(((size_t)q->n_values + 1) * sizeof *wanted);
    const int n = list_wanted(q, wanted);
    oribi_text text = {0};
    int code = CLI_OK;

    if (n > 0) {
        put_model(q, wanted, n, &text);
        run_constants(q, &text, wanted, n, status);
        code = TF_GetCode(status) == TF_OK ? CLI_OK : cli_fail(status);
    }
    oribi_text_destroy(&text);
    free(wanted);
    TF_DeleteStatus(status);
    return code;
}

/* --- What a convolution takes along ---------------------------------------------------------- */

/* The constant as a number for each of so many channels of dimension 1 behind `rank` - 2 others;
 * false: it is none. */
static bool of_channels(const TF_Tensor *t, int rank, int64_t channels, double *out)
{
    if (t == NULL || TF_TensorType(t) != TF_FLOAT) {
        return false;
    }
    const int64_t count = TF_TensorElementCount(t);
    const int at = TF_NumDims(t) - (rank - 1); /* which dimension is that of the channels */
    if (count != 1 && (count != channels || at < 0 || TF_Dim(t, at) != channels)) {
        return false;
    }
    const float *numbers = TF_TensorData(t);
    for (int64_t c = 0; c < channels; c++) {
        out[c] = numbers[count == 1 ? 0 : c];
    }
    return true;
}

/* factor and term of a BatchNormalization: scale, bias, mean, variance of each channel. */
static bool read_normalisation(const quantise *q, const quantise_node *n, int64_t channels,
                               double *factor, double *term)
{
    const float *of[4];
    for (int k = 0; k < 4; k++) {
        const TF_Tensor *t =
            n->n_inputs < 5 || n->inputs[k + 1] < 0 ? NULL : q->values[n->inputs[k + 1]].constant;
        if (t == NULL || TF_TensorType(t) != TF_FLOAT || TF_TensorElementCount(t) != channels) {
            return false;
        }
        of[k] = TF_TensorData(t);
    }
    const double epsilon = (double)quantise_attr_float(n, "epsilon", 1e-5F);
    for (int64_t c = 0; c < channels; c++) {
        factor[c] = (double)of[0][c] / sqrt((double)of[3][c] + epsilon);
        term[c] = (double)of[1][c] - factor[c] * (double)of[2][c];
        if (!isfinite(factor[c]) || !isfinite(term[c])) {
            return false;
        }
    }
    return true;
}

static bool read_affine(const quantise *q, const quantise_node *n, int rank, int64_t channels,
                        double *factor, double *term)
{
    const bool is_add = strcmp(n->op, "Add") == 0, is_mul = strcmp(n->op, "Mul") == 0;
    for (int64_t c = 0; c < channels; c++) {
        factor[c] = 1;
        term[c] = 0;
    }
    if (strcmp(n->op, "BatchNormalization") == 0) {
        return n->n_outputs == 1 && read_normalisation(q, n, channels, factor, term);
    }
    if ((!is_add && !is_mul) || n->n_inputs != 2 || n->inputs[0] < 0 || n->inputs[1] < 0) {
        return false;
    }
    const int constant = q->values[n->inputs[0]].is_constant ? 0 : 1;
    return of_channels(q->values[n->inputs[constant]].constant, rank, channels,
                       is_add ? term : factor);
}

static void absorb_into(quantise *q, quantise_node *layer, int rank)
{
    double *factor = cli_alloc((size_t)layer->channels * sizeof *factor);
    double *term = cli_alloc((size_t)layer->channels * sizeof *term);

    for (quantise_node *next = quantise_sole_reader(q, layer->result);
         next != NULL && next->n_outputs > 0 && next->outputs[0] >= 0 &&
         read_affine(q, next, rank, layer->channels, factor, term);
         next = quantise_sole_reader(q, layer->result)) {
        if (layer->factor == NULL) {
            layer->factor = cli_alloc((size_t)layer->channels * sizeof *factor);
            layer->term = cli_alloc((size_t)layer->channels * sizeof *term);
            for (int64_t c = 0; c < layer->channels; c++) {
                layer->factor[c] = 1;
            }
        }
        for (int64_t c = 0; c < layer->channels; c++) {
            layer->factor[c] *= factor[c];
            layer->term[c] = layer->term[c] * factor[c] + term[c];
        }
        next->is_gone = true;
        layer->result = next->outputs[0];
    }
    free(factor);
    free(term);
}

void quantise_absorb(quantise *q)
{
    for (int i = 0; i < q->n_nodes && !q->has_graphs; i++) {
        quantise_node *n = &q->nodes[i];
        if (strcmp(n->op, "Conv") != 0 || n->is_constant || n->n_inputs < 2 || n->inputs[1] < 0 ||
            n->n_outputs < 1 || n->outputs[0] < 0) {
            continue;
        }
        const TF_Tensor *w = q->values[n->inputs[1]].constant;
        const bool has_bias = n->n_inputs > 2 && n->inputs[2] >= 0;
        const TF_Tensor *bias = has_bias ? q->values[n->inputs[2]].constant : NULL;
        if (w == NULL || TF_TensorType(w) != TF_FLOAT || TF_NumDims(w) < 3 ||
            (has_bias && (bias == NULL || TF_TensorType(bias) != TF_FLOAT ||
                          TF_TensorElementCount(bias) != TF_Dim(w, 0)))) {
            continue;
        }
        n->channels = TF_Dim(w, 0);
        n->result = n->outputs[0];
        absorb_into(q, n, TF_NumDims(w));
    }
}
