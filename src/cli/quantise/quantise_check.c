/* SPDX-License-Identifier: Apache-2.0 */
/* How far is the quantised model from the float one? Both run over the data, the quantised one from
 * its file and with its integer kernels. Values, layer by layer, are compared on the first samples.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "quantise/quantise.h"

enum { LAYER_SAMPLES = 16 };

double quantise_decibels(double signal, double noise)
{
    const double most = 120;
    const double ratio = noise > 0 && signal > 0 ? 10 * log10(signal / noise) : most;
    return signal <= 0 && noise > 0 ? 0 : ratio > most ? most : ratio;
}

/* --- Layers ---------------------------------------------------------------------------------- */

static void add_errors(double *signal, double *noise, double *worst, const float *real,
                       const float *other, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const double error = (double)other[i] - (double)real[i];
        *signal += (double)real[i] * (double)real[i];
        *noise += error * error;
        *worst = fabs(error) > *worst ? fabs(error) : *worst;
    }
}

/* Keeps what the float model has. */
static void keep_real(quantise *q, int value, const TF_Tensor *tensor)
{
    const int64_t count = TF_TensorElementCount(tensor);
    const size_t bytes = TF_TensorByteSize(tensor);

    TF_DeleteTensor(q->values[value].real);
    q->values[value].real = TF_AllocateTensor(TF_FLOAT, &count, 1, bytes);
    if (q->values[value].real == NULL) {
        cli_no_memory(bytes);
    }
    if (bytes > 0) {
        memcpy(TF_TensorData(q->values[value].real), TF_TensorData(tensor), bytes);
    }
}

static void compare_real(quantise *q, int value, const TF_Tensor *tensor)
{
    quantise_value *v = &q->values[value];
    if (v->producer >= 0 && v->real != NULL &&
        TF_TensorByteSize(v->real) == TF_TensorByteSize(tensor)) {
        add_errors(&v->signal, &v->noise, &v->worst, TF_TensorData(v->real), TF_TensorData(tensor),
                   (size_t)TF_TensorElementCount(tensor));
        v->is_compared = true;
    }
}

/* --- Outputs --------------------------------------------------------------------------------- */

static int64_t largest(const float *row, int64_t n)
{
    int64_t best = 0;
    for (int64_t i = 1; i < n; i++) {
        best = row[i] > row[best] ? i : best;
    }
    return best;
}

/* Elements of a row: those of the last dimension that has more than one. */
static int64_t row_of(const TF_Tensor *t)
{
    int d = TF_NumDims(t) - 1;
    while (d >= 0 && TF_Dim(t, d) <= 1) {
        d--;
    }
    return d < 0 ? 1 : TF_Dim(t, d);
}

static void compare_output(quantise_output *o, const TF_Tensor *a, const TF_Tensor *b)
{
    if (a == NULL || b == NULL || TF_TensorType(a) != TF_FLOAT || TF_TensorType(b) != TF_FLOAT ||
        TF_TensorByteSize(a) != TF_TensorByteSize(b)) {
        return;
    }
    const float *x = TF_TensorData(a), *y = TF_TensorData(b);
    const int64_t n = row_of(a), count = TF_TensorElementCount(a);
    add_errors(&o->signal, &o->noise, &o->worst, x, y, (size_t)count);
    for (int64_t i = 0; n > 1 && i + n <= count; i += n) {
        o->rows++;
        o->agreeing += largest(x + i, n) == largest(y + i, n);
    }
}

static int compare_outputs(quantise_runner *real, quantise_runner *made, quantise_output *outputs,
                           int n)
{
    TF_Status *status = TF_NewStatus();
    for (int i = 0; i < n && TF_GetCode(status) == TF_OK; i++) {
        TF_Tensor *a = oribi_run_output(real->run, i, status);
        TF_Tensor *b = a == NULL ? NULL : oribi_run_output(made->run, i, status);
        compare_output(&outputs[i], a, b);
        TF_DeleteTensor(a);
        TF_DeleteTensor(b);
    }
    const int code = TF_GetCode(status) == TF_OK ? CLI_OK : cli_fail(status);
    TF_DeleteStatus(status);
    return code;
}

/* --- Both ------------------------------------------------------------------------------------ */

typedef struct pair {
    quantise_runner *real, made, watched; /* the float model; the other, as it is, and with its
                                             values as outputs */
} pair;

static int compare_sample(pair *p, const char *file, bool with_layers, quantise_output *outputs,
                          int n)
{
    int code = quantise_runner_run(p->real, file, with_layers ? keep_real : NULL);

    code = code == CLI_OK ? quantise_runner_run(&p->made, file, NULL) : code;
    code =
        code == CLI_OK && with_layers ? quantise_runner_run(&p->watched, file, compare_real) : code;
    return code == CLI_OK ? compare_outputs(p->real, &p->made, outputs, n) : code;
}

int quantise_check(quantise *q, const cli_args *args, quantise_runner *real, const char *path,
                   const quantise_data *data, quantise_output **outputs, int *n_outputs)
{
    pair p = {.real = real};
    int code = quantise_runner_open(q, args, path, false, &p.made);

    code = code == CLI_OK ? quantise_runner_open(q, args, path, true, &p.watched) : code;
    const int n = code == CLI_OK ? oribi_model_num_outputs(p.made.session.model) : 0;
    *outputs = cli_alloc(((size_t)n + 1) * sizeof **outputs);
    *n_outputs = n;
    for (int i = 0; i < n; i++) { /* those of the float model come first there */
        (*outputs)[i].name = oribi_model_output_name(real->session.model, i);
    }
    for (int i = 0; i < data->n && code == CLI_OK; i++) {
        cli_progress("compare", i, data->n);
        code = compare_sample(&p, data->files[i], i < LAYER_SAMPLES, *outputs, n);
    }
    cli_progress("compare", 0, 0);
    quantise_runner_close(&p.made);
    quantise_runner_close(&p.watched);
    return code;
}
