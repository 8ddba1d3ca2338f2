/* SPDX-License-Identifier: Apache-2.0 */
/* Which numbers do the 256 steps of a value span? Samples run through the float model. The first
 * walk over them finds the least and the largest number of each group, the second counts how often
 * numbers lie where; then the span is all of it, all but what lies outermost, or what makes the
 * mean square of the error the least.
 */
#include <math.h>
#include <stdlib.h>

#include "quantise/quantise.h"

/* The first walk. */
static void see_range(quantise *q, int value, const TF_Tensor *tensor)
{
    quantise_value *g = &q->values[quantise_group(q, value)];
    const float *numbers = TF_TensorData(tensor);

    for (int64_t i = 0; i < TF_TensorElementCount(tensor); i++) {
        const double x = (double)numbers[i];
        q->is_broken = q->is_broken || !isfinite(x);
        g->low = !g->is_seen || x < g->low ? x : g->low;
        g->high = !g->is_seen || x > g->high ? x : g->high;
        g->is_seen = true;
    }
}

/* The second. */
static void count_bins(quantise *q, int value, const TF_Tensor *tensor)
{
    quantise_value *g = &q->values[quantise_group(q, value)];
    const float *numbers = TF_TensorData(tensor);
    const double step = (g->high - g->low) / QUANTISE_BINS;

    for (int64_t i = 0; g->bins != NULL && step > 0 && i < TF_TensorElementCount(tensor); i++) {
        const double at = ((double)numbers[i] - g->low) / step;
        g->bins[!(at > 0) ? 0 : at >= QUANTISE_BINS ? QUANTISE_BINS - 1 : (int)at]++;
    }
}

static int walk(quantise *q, quantise_runner *runner, const quantise_data *data, int n_samples,
                quantise_hook *hook)
{
    int code = CLI_OK;
    for (int i = 0; i < n_samples && code == CLI_OK; i++) {
        cli_progress(hook == see_range ? "ranges" : "calibrate", i, n_samples);
        code = quantise_runner_run(runner, data->files[i], hook);
        if (code == CLI_OK && q->is_broken) {
            cli_error("%s: a value of the model is infinite or not a number", data->files[i] + 1);
            code = CLI_BAD_INPUT;
        }
    }
    cli_progress("calibrate", 0, 0);
    return code;
}

/* --- Spans ----------------------------------------------------------------------------------- */

/* Zero is always one of the steps: padding and rectifiers give it. */
static void set_span(quantise_value *g, double low, double high)
{
    low = low > 0 ? 0 : low;
    high = high < 0 ? 0 : high;
    const double scale = high > low ? (high - low) / 255 : 1;
    g->scale = (float)scale > 0 ? (float)scale : 1;
    const double zero = rint(-128 - low / (double)g->scale);
    g->zero = zero < -128 ? -128 : zero > 127 ? 127 : (int)zero;
}

/* Both ends lose as many numbers, of `keep` per cent that stay. */
static void set_percentile(quantise_value *g, double keep)
{
    const double step = (g->high - g->low) / QUANTISE_BINS;
    uint64_t all = 0, seen = 0;
    int first = 0, last = QUANTISE_BINS - 1;

    for (int i = 0; i < QUANTISE_BINS; i++) {
        all += g->bins[i];
    }
    const double lost = (double)all * (1 - keep / 100) / 2;
    while (first < last && (double)(seen + g->bins[first]) <= lost) {
        seen += g->bins[first++];
    }
    seen = 0;
    while (last > first && (double)(seen + g->bins[last]) <= lost) {
        seen += g->bins[last--];
    }
    set_span(g, g->low + first * step, g->low + (last + 1) * step);
}

static double square_error(const quantise_value *g)
{
    const double step = (g->high - g->low) / QUANTISE_BINS, scale = (double)g->scale;
    double sum = 0;

    for (int i = 0; i < QUANTISE_BINS; i++) {
        if (g->bins[i] > 0) {
            const double x = g->low + (i + 0.5) * step;
            double q = rint(x / scale) + g->zero;
            q = q < -128 ? -128 : q > 127 ? 127 : q;
            const double error = x - (q - g->zero) * scale;
            sum += error * error * (double)g->bins[i];
        }
    }
    return sum;
}

/* The least error among spans that are shorter at both ends by the same share. */
static void set_least_error(quantise_value *g)
{
    enum { TRIES = 80 };
    quantise_value best = *g;
    double least = -1;

    for (int i = 0; i < TRIES; i++) {
        const double share = 1 - i * 0.0125; /* down to an eightieth */
        set_span(g, g->low * share, g->high * share);
        const double error = square_error(g);
        if (least < 0 || error < least) {
            least = error;
            best = *g;
        }
    }
    *g = best;
}

static void set_spans(quantise *q, quantise_method method, double percentile)
{
    for (int i = 0; i < q->n_values; i++) {
        quantise_value *g = &q->values[i];
        if (!g->is_seen) {
            continue;
        }
        set_span(g, g->low, g->high);
        if (method != QUANTISE_MIN_MAX && g->high > g->low) {
            if (method == QUANTISE_PERCENTILE) {
                set_percentile(g, percentile);
            } else {
                set_least_error(g);
            }
        }
    }
}

int quantise_calibrate(quantise *q, quantise_runner *runner, const quantise_data *data,
                       int n_samples, quantise_method method, double percentile)
{
    int code = walk(q, runner, data, n_samples, see_range);

    if (code == CLI_OK && method != QUANTISE_MIN_MAX) {
        for (int i = 0; i < q->n_values; i++) {
            if (q->values[i].is_seen) {
                q->values[i].bins = cli_alloc(QUANTISE_BINS * sizeof(uint64_t));
            }
        }
        code = walk(q, runner, data, n_samples, count_bins);
    }
    if (code == CLI_OK) {
        set_spans(q, method, percentile);
    }
    return code;
}
