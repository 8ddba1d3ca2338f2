/* SPDX-License-Identifier: Apache-2.0 */
/* Einsum: operands are taken two at a time, from the left. Two become a matrix product (a product
 * of elements where nothing is summed), one a sum and a transpose; what is neither, because a label
 * is repeated or the product has no kernel for the type, stays an Einsum of one or two operands.
 */
#include <string.h>

#include "import/onnx/onnx_emit.h"

enum { LETTERS = 52, LABELS = LETTERS + ORIBI_MAX_RANK };

/* A value and what its dimensions are called: letters first, then the dimensions of the ellipsis,
 * counted from the last. */
typedef struct term {
    oribi_value_id value;
    oribi_dims labels;
} term;

typedef struct equation {
    const char *text, *end;
    int32_t ellipsis; /* dimensions of the longest */
    int32_t uses[LABELS];
} equation;

static int32_t label_of(char c)
{
    return c >= 'a' && c <= 'z' ? c - 'a' : c >= 'A' && c <= 'Z' ? 26 + c - 'A' : -1;
}

static bool has(const oribi_dims *labels, int64_t label)
{
    for (int32_t i = 0; i < labels->n; i++) {
        if (labels->at[i] == label) {
            return true;
        }
    }
    return false;
}

/* Reads one term; rank -1: that of the output. */
static bool read_term(oribi_onnx_node *n, equation *e, int32_t rank, oribi_dims *out)
{
    const char *c = e->text;
    int32_t n_letters = 0;
    out->n = 0;
    for (; c < e->end && *c != ',' && *c != '-'; c++) {
        n_letters += label_of(*c) >= 0;
    }
    const int32_t more = rank < 0 ? e->ellipsis : rank - n_letters;
    bool fits = more >= 0;
    for (; fits && e->text < c; e->text++) {
        if (label_of(*e->text) >= 0) {
            fits = oribi_dims_add(out, label_of(*e->text));
        } else if (c - e->text >= 3 && memcmp(e->text, "...", 3) == 0) {
            for (int32_t i = 0; fits && i < more; i++) {
                fits = oribi_dims_add(out, LABELS - more + i);
            }
            e->ellipsis = more > e->ellipsis ? more : e->ellipsis;
            e->text += 2;
        } else {
            fits = false;
        }
    }
    for (int32_t i = 0; fits && i < out->n; i++) {
        e->uses[out->at[i]]++;
    }
    return (fits && (rank < 0 || out->n == rank)) ||
           oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                           "a term of the equation does not fit an operand of rank %d", (int)rank);
}

/* Without an arrow: the ellipsis, then the letters that are there once, in their order. */
static bool read_output(oribi_onnx_node *n, equation *e, oribi_dims *out)
{
    bool fits = true;
    if (e->end - e->text >= 2 && memcmp(e->text, "->", 2) == 0) {
        e->text += 2;
        ORIBI_TRY(read_term(n, e, -1, out));
        for (int32_t i = 0; fits && i < out->n; i++) {
            fits = e->uses[out->at[i]] > 1; /* this use counts as well */
        }
        return (fits && e->text == e->end) ||
               oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                               "the output of the equation is not of its "
                               "operands");
    }
    out->n = 0;
    for (int32_t i = 0; fits && i < e->ellipsis; i++) {
        fits = oribi_dims_add(out, LABELS - e->ellipsis + i);
    }
    for (int32_t i = 0; fits && i < LETTERS; i++) {
        fits = e->uses[i] != 1 || oribi_dims_add(out, i);
    }
    return (fits && e->text == e->end) ||
           oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "the equation does not fit its operands");
}

/* --- What stays an Einsum ----------------------------------------------------------------------
 */

static void write_term(oribi_text *text, const oribi_dims *labels)
{
    for (int32_t i = 0; i < labels->n; i++) {
        const char label = (char)labels->at[i];
        if (label < LETTERS) {
            oribi_text_printf(text, "%c", label < 26 ? 'a' + label : 'A' + label - 26);
        } else if (i == 0 || labels->at[i - 1] < LETTERS) {
            oribi_text_append(text, "...");
        }
    }
}

static oribi_value_id plain(oribi_onnx_node *n, const term *a, const term *b,
                            const oribi_dims *output)
{
    oribi_text text = {0};
    const oribi_value_id inputs[] = {a->value, b == NULL ? -1 : b->value};
    write_term(&text, &a->labels);
    if (b != NULL) {
        oribi_text_append(&text, ",");
        write_term(&text, &b->labels);
    }
    oribi_text_append(&text, "->");
    write_term(&text, output);
    oribi_value_id y = -1;
    if (text.failed) {
        (void)oribi_onnx_no_memory(n);
    } else {
        y = oribi_emit(n, "Einsum", inputs, b == NULL ? 1 : 2,
                       ATTRS(ATTR_TEXT("equation", text.data)));
    }
    oribi_text_destroy(&text);
    return y;
}

/* --- One operand -------------------------------------------------------------------------------
 */

static bool repeats(const oribi_dims *labels)
{
    for (int32_t i = 1; i < labels->n; i++) {
        for (int32_t k = 0; k < i; k++) {
            if (labels->at[k] == labels->at[i]) {
                return true;
            }
        }
    }
    return false;
}

/* Sums over the labels that `kept` does not have. */
static void sum_rest(oribi_onnx_node *n, term *t, const oribi_dims *kept, const oribi_dims *also)
{
    oribi_dims axes = {0}, left = {0};
    for (int32_t i = 0; i < t->labels.n; i++) {
        const int64_t label = t->labels.at[i];
        const bool stays = has(kept, label) || (also != NULL && has(also, label));
        (void)oribi_dims_add(stays ? &left : &axes, stays ? label : i);
    }
    if (axes.n > 0) {
        t->value = oribi_emit2(n, "Sum", t->value, oribi_emit_vector(n, axes.at, axes.n));
        t->labels = left;
    }
}

/* The same labels in another order. */
static void arrange(oribi_onnx_node *n, term *t, const oribi_dims *order)
{
    oribi_dims perm = {0};
    for (int32_t i = 0; i < order->n; i++) {
        for (int32_t k = 0; k < t->labels.n; k++) {
            if (t->labels.at[k] == order->at[i]) {
                (void)oribi_dims_add(&perm, k);
            }
        }
    }
    t->value = oribi_emit_transpose(n, t->value, &perm);
    t->labels = *order;
}

static oribi_value_id of_one(oribi_onnx_node *n, term a, const oribi_dims *output)
{
    if (repeats(&a.labels) || repeats(output)) {
        return plain(n, &a, NULL, output);
    }
    sum_rest(n, &a, output, NULL);
    arrange(n, &a, output);
    return a.value;
}

/* --- Two operands ------------------------------------------------------------------------------
 */

/* Labels by where they are: in both operands and the output, in both, in one and the output. */
typedef struct groups {
    oribi_dims batch, summed, left, right;
} groups;

static groups group(const oribi_dims *a, const oribi_dims *b, const oribi_dims *output)
{
    groups g = {0};
    for (int32_t i = 0; i < a->n; i++) {
        const int64_t label = a->at[i];
        oribi_dims *to = !has(b, label) ? &g.left : has(output, label) ? &g.batch : &g.summed;
        (void)oribi_dims_add(to, label);
    }
    for (int32_t i = 0; i < b->n; i++) {
        if (!has(a, b->at[i])) {
            (void)oribi_dims_add(&g.right, b->at[i]);
        }
    }
    return g;
}

static oribi_dims joined(const oribi_dims *a, const oribi_dims *b, const oribi_dims *c)
{
    oribi_dims all = *a; /* the labels of one operand: they fit */
    for (int32_t i = 0; i < b->n; i++) {
        (void)oribi_dims_add(&all, b->at[i]);
    }
    for (int32_t i = 0; i < c->n; i++) {
        (void)oribi_dims_add(&all, c->at[i]);
    }
    return all;
}

static oribi_value_id size_of_group(oribi_onnx_node *n, oribi_value_id shape, int64_t begin,
                                    int64_t count)
{
    const int64_t zero = 0;
    return oribi_emit(
        n, "Prod",
        INPUTS(oribi_emit_range_of(n, shape, begin, begin + count), oribi_emit_vector(n, &zero, 1)),
        ATTRS(ATTR_BOOL("keep_dims", true)));
}

/* [batch.., first.., second..] as [batch.., first, second]. */
static oribi_value_id as_matrices(oribi_onnx_node *n, const term *t, int32_t batch, int32_t first)
{
    const int32_t second = t->labels.n - batch - first;
    if (first == 1 && second == 1) {
        return t->value;
    }
    oribi_value_id shape = oribi_emit_shape_of(n, t->value, TF_INT64);
    const oribi_value_id parts[] = {
        oribi_emit_range_of(n, shape, 0, batch), size_of_group(n, shape, batch, first),
        size_of_group(n, shape, batch + first, second), oribi_emit_int(n, 0)};
    return oribi_emit2(n, "Reshape", t->value, oribi_emit(n, "ConcatV2", parts, 4, NO_ATTRS));
}

/* What follows an operand's batch and `skipped` dimensions, of its sizes. */
static oribi_value_id sizes_after(oribi_onnx_node *n, const term *t, int32_t skipped, int32_t count)
{
    return oribi_emit_range_of(n, oribi_emit_shape_of(n, t->value, TF_INT64), skipped,
                               (int64_t)skipped + count);
}

/* Could it be a matrix product, a, b and output? Sizes that broadcast, of the ellipsis alone, do so
 * where both operands have all of them. */
static bool is_product(const oribi_onnx_node *n, const term *a, const term *b,
                       const oribi_dims *output, const groups *g)
{
    const TF_DataType dtype = oribi_emit_dtype(n, a->value);
    int32_t in_a = 0, in_b = 0;
    for (int32_t i = LETTERS; i < LABELS; i++) {
        in_a += has(&a->labels, i);
        in_b += has(&b->labels, i);
        if (has(&g->summed, i)) {
            return false;
        }
    }
    return !repeats(&a->labels) && !repeats(&b->labels) && !repeats(output) &&
           (in_a == in_b || in_a == 0 || in_b == 0) && (g->summed.n == 0 || dtype == TF_FLOAT) &&
           a->labels.n + 2 <= ORIBI_MAX_RANK && b->labels.n + 2 <= ORIBI_MAX_RANK;
}

static oribi_value_id of_two(oribi_onnx_node *n, term a, term b, const oribi_dims *output)
{
    if (!repeats(&a.labels) && !repeats(&b.labels)) {
        sum_rest(n, &a, output, &b.labels);
        sum_rest(n, &b, output, &a.labels);
    }
    const groups g = group(&a.labels, &b.labels, output);
    if (!is_product(n, &a, &b, output, &g)) {
        return plain(n, &a, &b, output);
    }
    const oribi_dims order_a = joined(&g.batch, &g.left, &g.summed);
    const oribi_dims order_b = joined(&g.batch, &g.summed, &g.right);
    arrange(n, &a, &order_a);
    arrange(n, &b, &order_b);
    const int32_t batch = g.batch.n;
    const bool is_of_elements = g.summed.n == 0 && g.left.n == 0 && g.right.n == 0;
    oribi_value_id y;
    if (is_of_elements) {
        y = oribi_emit2(n, "Mul", a.value, b.value);
    } else {
        y = oribi_emit2(n, g.summed.n == 0 ? "Mul" : "BatchMatMulV2",
                        as_matrices(n, &a, batch, g.left.n), as_matrices(n, &b, batch, g.summed.n));
    }
    if (!is_of_elements && (g.left.n != 1 || g.right.n != 1)) {
        const oribi_value_id parts[] = {
            oribi_emit_range_of(n, oribi_emit_shape_of(n, y, TF_INT64), 0, batch),
            sizes_after(n, &a, batch, g.left.n), sizes_after(n, &b, batch + g.summed.n, g.right.n),
            oribi_emit_int(n, 0)};
        y = oribi_emit2(n, "Reshape", y, oribi_emit(n, "ConcatV2", parts, 4, NO_ATTRS));
    }
    term result = {y, joined(&g.batch, &g.left, &g.right)};
    arrange(n, &result, output);
    return result.value;
}

/* --- Any number --------------------------------------------------------------------------------
 */

/* Of a and b, what later operands or the output have: the ellipsis first, as a text has it. */
static bool labels_left(oribi_onnx_node *n, const term *a, const term *b, const term *later,
                        int32_t n_later, const oribi_dims *output, oribi_dims *out)
{
    out->n = 0;
    bool fits = true;
    for (int32_t i = 0; fits && i < LABELS; i++) {
        const int32_t label = i < ORIBI_MAX_RANK ? LETTERS + i : i - ORIBI_MAX_RANK;
        bool is_wanted = has(output, label);
        for (int32_t k = 0; !is_wanted && k < n_later; k++) {
            is_wanted = has(&later[k].labels, label);
        }
        if (is_wanted && (has(&a->labels, label) || has(&b->labels, label))) {
            fits = oribi_dims_add(out, label);
        }
    }
    return fits ||
           oribi_onnx_fail(n, TF_UNIMPLEMENTED, "a product on the way has more than %d dimensions",
                           ORIBI_MAX_RANK);
}

/* Without its spaces, in the scratch arena. */
static bool read_equation(oribi_onnx_node *n, equation *e)
{
    oribi_onnx_attr attr;
    oribi_string given = {"", 0};
    if (oribi_onnx_find_attr(n, "equation", &attr)) {
        (void)oribi_onnx_read_string(n, &attr, &given);
    }
    char *to = oribi_arena_array(&n->onnx->scratch, given.length + 1, 1);
    if (to == NULL && !n->failed) {
        (void)oribi_onnx_no_memory(n);
    }
    e->text = e->end = to;
    for (size_t i = 0; !n->failed && i < given.length; i++) {
        if (given.data[i] != ' ') {
            *to++ = given.data[i];
        }
    }
    e->end = to;
    return !n->failed;
}

static bool einsum(oribi_onnx_node *n)
{
    equation e = {0};
    oribi_dims output;
    ORIBI_TRY(read_equation(n, &e));
    term *terms = oribi_arena_array(&n->onnx->scratch, (size_t)n->n_inputs, sizeof *terms);
    ORIBI_TRY(terms != NULL || oribi_onnx_no_memory(n));
    for (int32_t i = 0; i < n->n_inputs; i++) {
        terms[i].value = oribi_emit_input(n, i);
        const int32_t rank = oribi_emit_rank(n, terms[i].value);
        ORIBI_TRY(!n->failed && read_term(n, &e, rank, &terms[i].labels));
        if (i + 1 < n->n_inputs && (e.text == e.end || *e.text++ != ',')) {
            return oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                                   "the equation has fewer than %d operands", (int)n->n_inputs);
        }
    }
    ORIBI_TRY(read_output(n, &e, &output));
    for (int32_t i = 1; i + 1 < n->n_inputs; i++) {
        term product = {0};
        ORIBI_TRY(labels_left(n, &terms[i - 1], &terms[i], &terms[i + 1], n->n_inputs - i - 1,
                              &output, &product.labels));
        product.value = of_two(n, terms[i - 1], terms[i], &product.labels);
        terms[i] = product;
    }
    const term *last = &terms[n->n_inputs - 1];
    return oribi_emit_bind(
        n, 0, n->n_inputs == 1 ? of_one(n, *last, &output) : of_two(n, last[-1], *last, &output));
}

/* clang-format off */
const oribi_onnx_row oribi_onnx_einsum_rows[] = {
    {"Einsum", 12, 28, einsum, 1, -1, "BatchMatMulV2, Mul, Sum, Transpose, Reshape; Einsum"},
    {NULL, 0, 0, NULL, 0, 0, NULL}};
/* clang-format on */
