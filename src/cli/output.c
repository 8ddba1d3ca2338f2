/* SPDX-License-Identifier: Apache-2.0 */
/* Outputs on stdout: the k best classes, or type, shape, range and the first values. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static void print_json_string(const char *text)
{
    fputc('"', stdout);
    for (const unsigned char *c = (const unsigned char *)text; *c != 0; c++) {
        if (*c == '"' || *c == '\\') {
            printf("\\%c", *c);
        } else if (*c < 32) {
            printf("\\u%04x", *c);
        } else {
            fputc(*c, stdout);
        }
    }
    fputc('"', stdout);
}

/* Nine digits tell any two floats apart; integers up to 2^53 come out whole. */
static void print_number(double value)
{
    printf(value == nearbyint(value) && fabs(value) < 9007199254740992.0 ? "%.0f" : "%.9g", value);
}

static void print_json_number(double value)
{
    if (isfinite(value)) {
        print_number(value);
    } else {
        fputs("null", stdout);
    }
}

/* Indices of the k largest elements, ties by index. */
static int find_best(const TF_Tensor *tensor, int k, int64_t *out)
{
    int64_t n = TF_TensorElementCount(tensor);
    int found = 0;

    for (int64_t i = 0; i < n; i++) {
        double value = cli_element(tensor, i);
        int at = found;
        while (at > 0 && value > cli_element(tensor, out[at - 1])) {
            at--;
        }
        if (at < k) {
            found += found < k;
            memmove(out + at + 1, out + at, (size_t)(found - at - 1) * sizeof *out);
            out[at] = i;
        }
    }
    return found;
}

static void print_best(const TF_Tensor *tensor, int top_k, char **labels, int n_labels, bool json)
{
    int64_t *best = cli_alloc(((size_t)top_k + 1) * sizeof *best);
    int n = find_best(tensor, top_k, best);

    if (json) {
        printf(",\"top\":[");
    }
    for (int i = 0; i < n; i++) {
        const char *label = best[i] < n_labels ? labels[best[i]] : NULL;
        double value = cli_element(tensor, best[i]);
        if (json) {
            printf("%s{\"index\":%lld,\"value\":", i == 0 ? "" : ",", (long long)best[i]);
            print_json_number(value);
            if (label != NULL) {
                printf(",\"label\":");
                print_json_string(label);
            }
            printf("}");
        } else {
            printf("  %6lld  %10.6f  %s\n", (long long)best[i], value, label == NULL ? "" : label);
        }
    }
    if (json) {
        printf("]");
    }
    free(best);
}

static void print_json(const char *name, const TF_Tensor *tensor, int top_k, char **labels,
                       int n_labels)
{
    printf("{\"name\":");
    print_json_string(name);
    printf(",\"type\":\"%s\",\"shape\":[", cli_type_name(TF_TensorType(tensor)));
    for (int i = 0; i < TF_NumDims(tensor); i++) {
        printf("%s%lld", i == 0 ? "" : ",", (long long)TF_Dim(tensor, i));
    }
    printf("]");
    if (top_k > 0) {
        print_best(tensor, top_k, labels, n_labels, true);
    } else {
        printf(",\"values\":[");
        for (int64_t i = 0; i < TF_TensorElementCount(tensor); i++) {
            fputs(i == 0 ? "" : ",", stdout);
            print_json_number(cli_element(tensor, i));
        }
        printf("]");
    }
    printf("}\n");
}

void cli_output_print(const char *name, const TF_Tensor *tensor, int top_k, char **labels,
                      int n_labels, bool json)
{
    char shape[512];
    double low = INFINITY, high = -INFINITY, sum = 0;
    int64_t n = TF_TensorElementCount(tensor);

    if (json) {
        print_json(name, tensor, top_k, labels, n_labels);
        return;
    }
    cli_print_shape(tensor, shape, sizeof shape);
    printf("%s: %s %s\n", name, cli_type_name(TF_TensorType(tensor)), shape);
    if (top_k > 0) {
        print_best(tensor, top_k, labels, n_labels, false);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        double value = cli_element(tensor, i);
        low = value < low ? value : low;
        high = value > high ? value : high;
        sum += value;
    }
    if (n > 0) {
        printf("  min %.9g  max %.9g  mean %.9g\n  ", low, high, sum / (double)n);
    }
    for (int64_t i = 0; i < n && i < 8; i++) {
        fputs(i == 0 ? "" : ", ", stdout);
        print_number(cli_element(tensor, i));
    }
    printf("%s\n", n > 8 ? ", ..." : "");
}
