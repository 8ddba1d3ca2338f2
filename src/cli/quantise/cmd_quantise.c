/* SPDX-License-Identifier: Apache-2.0 */
/* `oribi quantise`: read, choose, calibrate, write, compare. Read next: quantise.h. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "quantise/quantise.h"

const cli_option cmd_quantise_options[] = {
    {"--data", 0, "FOLDER", "files of samples: those that calibrate, and those that are compared"},
    {"--output", 'o', "FILE", "the quantised model"},
    {"--calibrate", 0, "mse|minmax|percentile:P",
     "a value's span: least mean square error (default), all that is seen, or P per cent of it"},
    {"--samples", 0, "N", "calibrate with the first N files (default 256)"},
    {"--min-agreement", 0, "PERCENT", "exit 1 when the top-1 of an output agrees less often"},
    {"--layout", 0, "nchw|nhwc", "of pictures (default: what the shape looks like)"},
    {"--mean", 0, "M[,M,M]", "of pictures: subtracted from pixels"},
    {"--scale", 0, "S[,S,S]", "of pictures: pixels are multiplied by it then"},
    {"--force", 'f', NULL, "overwrite the file"},
    {"--json", 0, NULL, "as JSON"},
    CLI_SESSION_OPTIONS,
    {NULL, 0, NULL, NULL},
};

typedef struct settings {
    const char *model, *folder, *path;
    quantise_method method;
    double percentile;
    int n_samples;
    double min_agreement; /* per cent; 0: none */
} settings;

/* A number from 0 to 100; false: it is none. */
static bool read_percent(const char *text, double *out)
{
    char *end = NULL;
    errno = 0;
    *out = strtod(text, &end);
    return end != text && *end == 0 && errno == 0 && *out >= 0 && *out <= 100;
}

static bool read_method(const char *text, settings *s)
{
    s->method = QUANTISE_MSE;
    s->percentile = 99.99;
    if (text == NULL || strcmp(text, "mse") == 0) {
        return true;
    }
    if (strcmp(text, "minmax") == 0) {
        s->method = QUANTISE_MIN_MAX;
        return true;
    }
    s->method = QUANTISE_PERCENTILE;
    if (strcmp(text, "percentile") == 0 ||
        (strncmp(text, "percentile:", 11) == 0 && read_percent(text + 11, &s->percentile))) {
        return true;
    }
    cli_error("quantise: --calibrate is mse, minmax, percentile or percentile:99.9, not '%s'",
              text);
    return false;
}

static bool read_settings(const cli_args *args, settings *out)
{
    const char *least = cli_value(args, "--min-agreement");
    bool bad = false;

    *out = (settings){.folder = cli_value(args, "--data"), .path = cli_value(args, "--output")};
    out->n_samples = (int)cli_number(args, "--samples", 256, 1, INT32_MAX, &bad);
    if (args->n_positional != 1 || out->folder == NULL || out->path == NULL) {
        cli_error("quantise: wants a model, --data FOLDER and -o FILE; see `oribi help quantise`");
        return false;
    }
    out->model = args->positional[0];
    if (least != NULL && !read_percent(least, &out->min_agreement)) {
        cli_error("quantise: --min-agreement needs a number from 0 to 100, not '%s'", least);
        return false;
    }
    return !bad && read_method(cli_value(args, "--calibrate"), out);
}

/* --- Report ---------------------------------------------------------------------------------- */

static double agreement(const quantise_output *o)
{
    return o->rows == 0 ? 100 : 100 * (double)o->agreeing / (double)o->rows;
}

static void put_double(oribi_json *json, const char *key, double value)
{
    oribi_json_key(json, key);
    oribi_json_double(json, value);
}

static void put_layers(oribi_json *json, const quantise *q)
{
    oribi_json_key(json, "values");
    oribi_json_open(json, '[');
    for (int i = 0; i < q->n_values; i++) {
        const quantise_value *v = &q->values[i], *g = &q->values[quantise_group(q, i)];
        if (v->is_taken) {
            oribi_json_open(json, '{');
            oribi_json_put_string(json, "value", v->name);
            oribi_json_put_string(json, "op", v->producer < 0 ? "" : q->nodes[v->producer].op);
            put_double(json, "scale", (double)g->scale);
            oribi_json_put_int(json, "zero_point", g->zero);
            if (v->is_compared) {
                put_double(json, "snr_db", quantise_decibels(v->signal, v->noise));
                put_double(json, "max_error", v->worst);
            }
            oribi_json_close(json, '}');
        }
    }
    oribi_json_close(json, ']');
}

static void print_json(const quantise *q, const quantise_output *outputs, int n, size_t bytes)
{
    oribi_text text = {0};
    oribi_json json = {.text = &text};

    oribi_json_open(&json, '{');
    oribi_json_put_uint(&json, "bytes_before", q->bytes);
    oribi_json_put_uint(&json, "bytes", bytes);
    put_layers(&json, q);
    oribi_json_key(&json, "outputs");
    oribi_json_open(&json, '[');
    for (int i = 0; i < n; i++) {
        oribi_json_open(&json, '{');
        oribi_json_put_string(&json, "output", outputs[i].name);
        oribi_json_put_int(&json, "rows", outputs[i].rows);
        oribi_json_put_int(&json, "agreeing", outputs[i].agreeing);
        put_double(&json, "snr_db", quantise_decibels(outputs[i].signal, outputs[i].noise));
        put_double(&json, "max_error", outputs[i].worst);
        oribi_json_close(&json, '}');
    }
    oribi_json_close(&json, ']');
    oribi_json_close(&json, '}');
    oribi_text_append(&text, "\n");
    cli_text_print(&text);
    oribi_text_destroy(&text);
}

static void print_text(const quantise *q, const quantise_output *outputs, int n, size_t bytes)
{
    printf("%12s %6s %9s %12s  %s\n", "scale", "zero", "SNR dB", "max error", "op: value");
    for (int i = 0; i < q->n_values; i++) {
        const quantise_value *v = &q->values[i], *g = &q->values[quantise_group(q, i)];
        if (!v->is_taken) {
            continue;
        }
        const char *op = v->producer < 0 ? "input" : q->nodes[v->producer].op;
        if (v->is_compared) {
            cli_print("%12.6g %6d %9.1f %12.4g  %s: %s\n", (double)g->scale, g->zero,
                      quantise_decibels(v->signal, v->noise), v->worst, op, v->name);
        } else {
            cli_print("%12.6g %6d %9s %12s  %s: %s\n", (double)g->scale, g->zero, "-", "-", op,
                      v->name);
        }
    }
    for (int i = 0; i < n; i++) {
        const quantise_output *o = &outputs[i];
        cli_print("output '%s': SNR %.1f dB, largest error %.4g", o->name,
                  quantise_decibels(o->signal, o->noise), o->worst);
        if (o->rows > 0) {
            cli_print(", top-1 agrees in %lld of %lld (%.2f %%)", (long long)o->agreeing,
                      (long long)o->rows, agreement(o));
        }
        printf("\n");
    }
    printf("%zu bytes of %zu\n", bytes, q->bytes);
}

/* --- Command --------------------------------------------------------------------------------- */

static int count_taken(const quantise *q)
{
    int n = 0;
    for (int i = 0; i < q->n_nodes; i++) {
        n += q->nodes[i].is_core;
    }
    return n;
}

static int compare_and_report(quantise *q, const cli_args *args, const settings *s,
                              quantise_runner *runner, const quantise_data *data, size_t bytes)
{
    quantise_output *outputs = NULL;
    int n = 0, code = quantise_check(q, args, runner, s->path, data, &outputs, &n);

    if (code == CLI_OK) {
        (cli_has(args, "--json") ? print_json : print_text)(q, outputs, n, bytes);
    }
    for (int i = 0; i < n && code == CLI_OK; i++) {
        code = agreement(&outputs[i]) < s->min_agreement ? CLI_MISMATCH : CLI_OK;
    }
    free(outputs);
    return code;
}

static int choose(quantise *q, const settings *s)
{
    const int code = quantise_evaluate(q);
    if (code != CLI_OK) {
        return code;
    }
    quantise_absorb(q);
    quantise_choose(q);
    if (count_taken(q) == 0) {
        cli_error("%s: no operator of floats that can be quantised", s->model);
        return CLI_UNSUPPORTED;
    }
    return CLI_OK;
}

static int make(quantise *q, const cli_args *args, const settings *s, quantise_runner *runner,
                const quantise_data *data)
{
    const int n_samples = s->n_samples < data->n ? s->n_samples : data->n;
    oribi_text text = {0};

    int code = quantise_calibrate(q, runner, data, n_samples, s->method, s->percentile);
    if (code != CLI_OK) {
        return code;
    }
    quantise_write(q, &text);
    const size_t bytes = text.length;
    code = cli_write_file(s->path, text.data, text.length, cli_has(args, "--force"));
    oribi_text_destroy(&text);
    return code == CLI_OK ? compare_and_report(q, args, s, runner, data, bytes) : code;
}

/* The library opens the model first: it says what is wrong with one. */
static int try_model(quantise *q, const cli_args *args, const char *path)
{
    quantise_runner runner;
    const int code = quantise_runner_open(q, args, path, false, &runner);
    quantise_runner_close(&runner);
    return code;
}

int cmd_quantise(const cli_args *args)
{
    settings s;
    quantise q = {.path = NULL};
    quantise_data data = {NULL, 0};
    quantise_runner runner = {.q = NULL};

    if (!read_settings(args, &s)) {
        return CLI_USAGE;
    }
    int code = cli_check_writable(s.path, cli_has(args, "--force"));
    if (code == CLI_OK) {
        code = quantise_data_read(s.folder, &data) ? CLI_OK : CLI_BAD_INPUT;
    }
    code = code == CLI_OK ? try_model(&q, args, s.model) : code;
    code = code == CLI_OK ? quantise_read(&q, s.model) : code;
    code = code == CLI_OK ? choose(&q, &s) : code;
    code = code == CLI_OK ? quantise_runner_open(&q, args, s.model, true, &runner) : code;
    code = code == CLI_OK ? make(&q, args, &s, &runner, &data) : code;
    quantise_runner_close(&runner);
    quantise_data_free(&data);
    quantise_free(&q);
    return code;
}
