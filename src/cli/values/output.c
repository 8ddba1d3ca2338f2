/* SPDX-License-Identifier: Apache-2.0 */
/* Outputs on stdout: the k best classes, or type, shape, range and the first values. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { MANY_BYTES = 1 << 16 }; /* of text that is written at once */

/* JSON has no numbers for "nan", "inf" and "-inf"; they are strings there. */
static void put_number(oribi_json *json, const char *text, bool is_strict)
{
    if (is_strict && strpbrk(text, "ni") != NULL) {
        oribi_json_string(json, text);
    } else {
        oribi_json_raw(json, text, strlen(text));
    }
}

/* A string as it stands in JSON, a complex number as its two parts. */
static void put_element(oribi_json *json, const TF_Tensor *tensor, int64_t index, bool is_strict)
{
    const TF_DataType type = TF_TensorType(tensor);
    char text[64];

    if (type == TF_STRING) {
        const TF_TString *string = (const TF_TString *)TF_TensorData(tensor) + index;
        oribi_json_string_n(json, TF_StringGetDataPointer(string), TF_StringGetSize(string));
    } else if (type == TF_COMPLEX64 || type == TF_COMPLEX128) {
        const bool is_wide = type == TF_COMPLEX128;
        oribi_json_open(json, '[');
        for (int i = 0; i < 2; i++) {
            const void *at =
                (const char *)TF_TensorData(tensor) + (index * 2 + i) * (is_wide ? 8 : 4);
            cli_real_format(is_wide ? *(const double *)at : (double)*(const float *)at, is_wide,
                            text, sizeof text);
            put_number(json, text, is_strict);
        }
        oribi_json_close(json, ']');
    } else {
        cli_element_format(tensor, index, text, sizeof text);
        put_number(json, text, is_strict);
    }
}

/* Is element a before b in an order by size? What is no number comes behind those that are. */
static bool is_better(const TF_Tensor *tensor, int64_t a, int64_t b)
{
    const bool a_is_nan = isnan(cli_element(tensor, a));
    return a_is_nan || isnan(cli_element(tensor, b)) ? !a_is_nan && isnan(cli_element(tensor, b))
                                                     : cli_element_is_less(tensor, b, a);
}

/* Indices of the k largest elements, ties by index. */
static int find_best(const TF_Tensor *tensor, int k, int64_t *out)
{
    int64_t n = TF_TensorElementCount(tensor);
    int found = 0;

    for (int64_t i = 0; i < n; i++) {
        int at = found;
        while (at > 0 && is_better(tensor, i, out[at - 1])) {
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

/* A score: six digits behind the point are enough to compare those of one model. */
static bool is_score(const TF_Tensor *tensor, int64_t index)
{
    const TF_DataType type = TF_TensorType(tensor);
    const bool is_narrow = type == TF_FLOAT || type == TF_HALF || type == TF_BFLOAT16;
    return is_narrow && fabs(cli_element(tensor, index)) < 1e9;
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

static const char *label_of(int64_t index, char **labels, int n_labels)
{
    return index < n_labels ? labels[index] : NULL;
}

static void print_best(const TF_Tensor *tensor, int top_k, char **labels, int n_labels)
{
    int64_t *best = cli_alloc(((size_t)top_k + 1) * sizeof *best);
    const int n = find_best(tensor, top_k, best);

    for (int i = 0; i < n; i++) {
        const char *label = label_of(best[i], labels, n_labels);
        print_place(tensor, best[i]);
        if (is_score(tensor, best[i])) {
            printf("  %10.6f", cli_element(tensor, best[i]));
        } else {
            oribi_text text = {0};
            put_element(&(oribi_json){.text = &text}, tensor, best[i], false);
            printf("  %*s", text.length < 10 ? 10 - (int)text.length : 0, "");
            cli_text_print(&text);
        }
        cli_print("  %s\n", label == NULL ? "" : label);
    }
    free(best);
}

static void put_best(oribi_json *json, const TF_Tensor *tensor, int top_k, char **labels,
                     int n_labels)
{
    int64_t *best = cli_alloc(((size_t)top_k + 1) * sizeof *best);
    const int n = find_best(tensor, top_k, best);

    oribi_json_key(json, "top");
    oribi_json_open(json, '[');
    for (int i = 0; i < n; i++) {
        const char *label = label_of(best[i], labels, n_labels);
        oribi_json_open(json, '{');
        oribi_json_put_int(json, "index", best[i]);
        oribi_json_key(json, "value");
        put_element(json, tensor, best[i], true);
        if (label != NULL) {
            oribi_json_put_string(json, "label", label);
        }
        oribi_json_close(json, '}');
    }
    oribi_json_close(json, ']');
    free(best);
}

static void put_values(oribi_json *json, const TF_Tensor *tensor)
{
    oribi_json_key(json, "values");
    oribi_json_open(json, '[');
    for (int64_t i = 0; i < TF_TensorElementCount(tensor); i++) {
        put_element(json, tensor, i, true);
        if (json->text->length > MANY_BYTES) {
            cli_text_print(json->text);
        }
    }
    oribi_json_close(json, ']');
}

static void print_json(const char *name, const TF_Tensor *tensor, int top_k, char **labels,
                       int n_labels)
{
    oribi_text text = {0};
    oribi_json json = {.text = &text};

    oribi_json_open(&json, '{');
    oribi_json_put_string(&json, "name", name);
    oribi_json_put_string(&json, "type", cli_type_name(TF_TensorType(tensor)));
    oribi_json_key(&json, "shape");
    oribi_json_open(&json, '[');
    for (int i = 0; i < TF_NumDims(tensor); i++) {
        oribi_json_int(&json, TF_Dim(tensor, i));
    }
    oribi_json_close(&json, ']');
    if (top_k > 0) {
        put_best(&json, tensor, top_k, labels, n_labels);
    } else {
        put_values(&json, tensor);
    }
    oribi_json_close(&json, '}');
    oribi_text_append(&text, "\n");
    cli_text_print(&text);
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

typedef struct of_list {
    int top_k, n_labels;
    char **labels;
    bool json;
} of_list;

static void print_element(void *arg, const char *name, TF_Tensor *element)
{
    const of_list *all = arg;

    cli_output_print(name, element, all->top_k, all->labels, all->n_labels, all->json);
    TF_DeleteTensor(element);
}

/* In JSON a list has a line of its own, before those of its elements. */
static void print_list(const char *name, const TF_Tensor *list, const of_list *all)
{
    const bool is_sequence = TF_NumDims(list) > 0;
    const bool is_none = !is_sequence && *(void *const *)TF_TensorData(list) == NULL;
    const int64_t n = is_none ? 0 : TF_TensorElementCount(list);
    oribi_text text = {0};
    oribi_json json = {.text = &text};

    if (all->json) {
        oribi_json_open(&json, '{');
        oribi_json_put_string(&json, "name", name);
        oribi_json_put_string(&json, "type", is_sequence ? "sequence" : "optional");
        oribi_json_put_int(&json, "length", n);
        oribi_json_close(&json, '}');
        oribi_text_append(&text, "\n");
        cli_text_print(&text);
    } else if (is_sequence) {
        cli_print("%s: sequence of %lld\n", name, (long long)n);
    } else if (is_none) {
        cli_print("%s: none\n", name);
    }
    cli_list_each(name, list, print_element, (void *)(uintptr_t)all);
}

void cli_output_print(const char *name, const TF_Tensor *tensor, int top_k, char **labels,
                      int n_labels, bool json)
{
    char shape[512];
    int64_t n = TF_TensorElementCount(tensor);

    if (TF_TensorType(tensor) == TF_VARIANT) {
        print_list(name, tensor, &(of_list){top_k, n_labels, labels, json});
        return;
    }
    if (json) {
        print_json(name, tensor, top_k, labels, n_labels);
        return;
    }
    cli_print_shape(tensor, shape, sizeof shape);
    cli_print("%s: %s %s\n", name, cli_type_name(TF_TensorType(tensor)), shape);
    if (top_k > 0) {
        print_best(tensor, top_k, labels, n_labels);
        return;
    }
    print_range(tensor, n);
    fputs(n > 0 ? "  " : "", stdout);
    for (int64_t i = 0; i < n && i < 8; i++) {
        oribi_text text = {0};
        put_element(&(oribi_json){.text = &text}, tensor, i, false);
        fputs(i == 0 ? "" : ", ", stdout);
        cli_text_print(&text);
    }
    printf("%s\n", n > 8 ? ", ..." : "");
}
