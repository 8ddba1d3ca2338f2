/* SPDX-License-Identifier: Apache-2.0 */
/* Outputs on stdout: the k best classes, or type, shape, range and the first values. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static void print_json_string(const char *text, size_t length)
{
    char *escaped = cli_json_text(text, length);

    printf("\"%s\"", escaped);
    free(escaped);
}

/* What is no number of JSON is a string there: "nan", "inf", "-inf". */
static void print_number(const char *text, bool json)
{
    printf(json && strpbrk(text, "ni") != NULL ? "\"%s\"" : "%s", text);
}

/* A string as it stands in JSON, a complex number as its two parts. */
static void print_element(const TF_Tensor *tensor, int64_t index, bool json)
{
    const TF_DataType type = TF_TensorType(tensor);
    char text[64];

    if (type == TF_STRING) {
        const TF_TString *string = (const TF_TString *)TF_TensorData(tensor) + index;
        print_json_string(TF_StringGetDataPointer(string), TF_StringGetSize(string));
        return;
    }
    if (type == TF_COMPLEX64 || type == TF_COMPLEX128) {
        const bool is_wide = type == TF_COMPLEX128;
        for (int i = 0; i < 2; i++) {
            const void *at =
                (const char *)TF_TensorData(tensor) + (index * 2 + i) * (is_wide ? 8 : 4);
            cli_real_format(is_wide ? *(const double *)at : (double)*(const float *)at, is_wide,
                            text, sizeof text);
            fputc(i == 0 ? '[' : ',', stdout);
            print_number(text, json);
        }
        fputc(']', stdout);
        return;
    }
    cli_element_format(tensor, index, text, sizeof text);
    print_number(text, json);
}

/* Indices of the k largest elements, ties by index. */
static int find_best(const TF_Tensor *tensor, int k, int64_t *out)
{
    int64_t n = TF_TensorElementCount(tensor);
    int found = 0;

    for (int64_t i = 0; i < n; i++) {
        int at = found;
        while (at > 0 && cli_element_is_less(tensor, out[at - 1], i)) {
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

static bool is_float(const TF_Tensor *tensor)
{
    const TF_DataType type = TF_TensorType(tensor);
    return type == TF_FLOAT || type == TF_DOUBLE || type == TF_HALF || type == TF_BFLOAT16;
}

/* "29", or "[0, 9, 2]" where more than one dimension has elements to tell apart. */
static void print_place(const TF_Tensor *tensor, int64_t index)
{
    int64_t below = TF_TensorElementCount(tensor);
    int n_wide = 0;

    for (int i = 0; i < TF_NumDims(tensor); i++) {
        n_wide += TF_Dim(tensor, i) > 1;
    }
    if (n_wide < 2) {
        printf("  %6lld", (long long)index);
        return;
    }
    for (int i = 0; i < TF_NumDims(tensor); i++) {
        below /= TF_Dim(tensor, i);
        printf("%s%lld", i == 0 ? "  [" : ", ", (long long)(index / below % TF_Dim(tensor, i)));
    }
    printf("]");
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
            print_element(tensor, best[i], true);
            if (label != NULL) {
                printf(",\"label\":");
                print_json_string(label, strlen(label));
            }
            printf("}");
        } else {
            print_place(tensor, best[i]);
            printf(is_float(tensor) ? "  %10.6f  %s\n" : "  %10.0f  %s\n", value,
                   label == NULL ? "" : label);
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
    print_json_string(name, strlen(name));
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
            print_element(tensor, i, true);
        }
        printf("]");
    }
    printf("}\n");
}

/* Smallest, largest, mean. */
static void print_range(const TF_Tensor *tensor, int64_t n)
{
    int64_t low = 0, high = 0;
    double sum = 0;
    char text[2][64];

    const TF_DataType type = TF_TensorType(tensor);
    if (n == 0 || type == TF_STRING || type == TF_COMPLEX64 || type == TF_COMPLEX128) {
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        double value = cli_element(tensor, i);
        bool is_first = isnan(cli_element(tensor, low)); /* of those that are numbers */
        low = is_first || cli_element_is_less(tensor, i, low) ? i : low;
        high = is_first || cli_element_is_less(tensor, high, i) ? i : high;
        sum += value;
    }
    cli_element_format(tensor, low, text[0], sizeof text[0]);
    cli_element_format(tensor, high, text[1], sizeof text[1]);
    printf("  min %s  max %s  mean %.9g\n", text[0], text[1], sum / (double)n);
}

void cli_output_print(const char *name, const TF_Tensor *tensor, int top_k, char **labels,
                      int n_labels, bool json)
{
    char shape[512];
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
    print_range(tensor, n);
    fputs(n > 0 ? "  " : "", stdout);
    for (int64_t i = 0; i < n && i < 8; i++) {
        fputs(i == 0 ? "" : ", ", stdout);
        print_element(tensor, i, false);
    }
    printf("%s\n", n > 8 ? ", ..." : "");
}
