/* SPDX-License-Identifier: Apache-2.0 */
/* What the gradient of each op is: a formula (binding_texts.c), or a function where there are as
 * many inputs or outputs as an attribute says.
 */
#include <stdio.h>
#include <string.h>

#include "binding/binding_gradient.h"
#include "binding/binding_texts.h"

/* --- As many as there are -------------------------------------------------------------------- */

static bool add_n(oribi_gradient *g)
{
    for (int i = 0; i < g->of->n_inputs; i++) {
        g->out[i] = g->given[0];
    }
    return true;
}

/* Its outputs are the inputs' gradients. */
static bool spread(oribi_gradient *g, TF_Output made)
{
    for (int i = 0; made.oper != NULL && i < made.oper->n_outputs; i++) {
        g->out[i] = (TF_Output){made.oper, i};
    }
    return oribi_ok(g->status);
}

static bool pack(oribi_gradient *g)
{
    char attrs[64];
    snprintf(attrs, sizeof attrs, "axis=#, num=%d}", (int)g->of->n_inputs);
    return spread(g, oribi_gradient_make(g, "Unpack", g->given, 1, attrs));
}

/* Lengths along the axis, which is the last input; then the gradient is cut there. */
static bool concat(oribi_gradient *g)
{
    const int n = g->of->n_inputs - 1;
    TF_Output *sizes = oribi_arena_array(g->scratch, (size_t)n, sizeof *sizes), result;
    char attrs[64];
    ORIBI_TRY(sizes != NULL || oribi_fail_memory(g->status));
    for (int i = 0; i < n; i++) {
        TF_Output ends[] = {g->of->inputs[i], g->of->inputs[n]};
        TF_Operation two = {.graph = g->graph, .inputs = ends, .n_inputs = 2};
        oribi_gradient part = *g;
        const bool wanted[] = {true, false};
        part.of = &two;
        part.wanted = wanted;
        part.out = (TF_Output[2]){{NULL, 0}};
        ORIBI_TRY(oribi_gradient_formula(
            &part, "GatherV2(Shape($0), FloorMod(cast($1, Size($0)), Rank($0)), 0), -"));
        sizes[i] = part.out[0];
    }
    snprintf(attrs, sizeof attrs, "N=%d}", n);
    const TF_Output lengths = oribi_gradient_make(g, "Pack", sizes, n, attrs);
    snprintf(attrs, sizeof attrs, "num_split=%d}", n);
    result = oribi_gradient_make(
        g, "SplitV", (const TF_Output[]){g->given[0], lengths, g->of->inputs[n]}, 3, attrs);
    return spread(g, result);
}

/* The outputs' gradients, nought where there is none, in a list with `last` behind them. */
static TF_Output joined(oribi_gradient *g, const char *op, const char *attrs, const TF_Output *last)
{
    const int n = g->of->n_outputs;
    TF_Output *parts = oribi_arena_array(g->scratch, (size_t)n + 1, sizeof *parts);
    if (parts == NULL) {
        oribi_fail_memory(g->status);
        return (TF_Output){NULL, 0};
    }
    for (int i = 0; i < n; i++) {
        const TF_Output output = {g->of, i};
        parts[i] = g->given[i].oper != NULL ? g->given[i]
                                            : oribi_gradient_make(g, "ZerosLike", &output, 1, "}");
    }
    if (last != NULL) {
        parts[n] = *last;
    }
    return oribi_gradient_make(g, op, parts, last != NULL ? n + 1 : n, attrs);
}

static bool unpack(oribi_gradient *g)
{
    g->out[0] = joined(g, "Pack", "axis=#}", NULL);
    return oribi_ok(g->status);
}

static bool split(oribi_gradient *g)
{
    g->out[1] = joined(g, "ConcatV2", "}", &g->of->inputs[0]);
    return oribi_ok(g->status);
}

static bool split_v(oribi_gradient *g)
{
    g->out[0] = joined(g, "ConcatV2", "}", &g->of->inputs[2]);
    return oribi_ok(g->status);
}

/* --- By labels ------------------------------------------------------------------------------- */

/* The gradient of one of an Einsum's factors: what the output and the other factor make of its
 * labels, which are all among theirs. */
static bool einsum(oribi_gradient *g)
{
    char text[128] = {0}, made[160];
    TF_OperationGetAttrString(g->of, "equation", text, sizeof text - 1, g->status);
    ORIBI_TRY(oribi_ok(g->status));
    char *output = strstr(text, "->"), *second = strchr(text, ',');
    const char *parts[2] = {text, second != NULL ? second + 1 : ""};
    bool is_known = output != NULL && strchr(text, '.') == NULL && g->of->n_inputs <= 2;
    if (is_known) {
        *output = '\0';
        output += 2;
    }
    if (second != NULL) {
        *second = '\0';
    }
    for (int i = 0; is_known && i < g->of->n_inputs; i++) {
        const char *own = parts[i], *other = parts[1 - i];
        for (const char *c = own; *c != '\0'; c++) {
            is_known = is_known && strchr(c + 1, *c) == NULL &&
                       (strchr(output, *c) != NULL || strchr(other, *c) != NULL);
        }
        const bool is_alone = g->of->n_inputs == 1;
        snprintf(made, sizeof made, "equation='%s%s%s->%s', N=%d}", output, is_alone ? "" : ",",
                 is_alone ? "" : other, own, g->of->n_inputs);
        const TF_Output inputs[] = {g->given[0], g->of->inputs[is_alone ? 0 : 1 - i]};
        if (is_known && g->wanted[i]) {
            g->out[i] = oribi_gradient_make(g, "Einsum", inputs, g->of->n_inputs, made);
        }
    }
    return is_known ? oribi_ok(g->status)
                    : oribi_fail(g->status, TF_UNIMPLEMENTED,
                                 "the gradient of Einsum is known of equations without an ellipsis "
                                 "whose labels are each in two of its parts");
}

/* --- Where each part went --------------------------------------------------------------------- */

static bool dynamic_partition(oribi_gradient *g)
{
    TF_Output *parts = oribi_arena_array(g->scratch, (size_t)g->of->n_outputs, sizeof *parts);
    ORIBI_TRY(parts != NULL || oribi_fail_memory(g->status));
    const bool *const wanted = g->wanted;
    int n = 0;
    for (int i = 0; i < g->of->n_outputs && wanted[0]; i++) {
        oribi_gradient part = *g;
        part.given = &g->given[i];
        const char *formula = oribi_arena_printf(
            g->scratch, "w = Where(Equal($1, %d)); ScatterNd(w, d, cast(Shape($0), w))", i);
        ORIBI_TRY(formula != NULL || oribi_fail_memory(g->status));
        if (g->given[i].oper != NULL) {
            ORIBI_TRY(oribi_gradient_formula(&part, formula));
            parts[n++] = g->out[0];
        }
    }
    const char *attrs = oribi_arena_printf(g->scratch, "N=%d}", n);
    ORIBI_TRY(attrs != NULL || oribi_fail_memory(g->status));
    g->out[0] = n > 1 ? oribi_gradient_make(g, "AddN", parts, n, attrs) : parts[0];
    return oribi_ok(g->status);
}

static bool dynamic_stitch(oribi_gradient *g)
{
    const int n = g->of->n_inputs / 2;
    for (int i = 0; i < n; i++) {
        if (g->wanted[n + i]) {
            oribi_gradient part = *g;
            TF_Operation one = {.graph = g->graph, .inputs = &g->of->inputs[i], .n_inputs = 1};
            const bool wanted = true;
            part.of = &one;
            part.wanted = &wanted;
            part.out = &g->out[n + i];
            ORIBI_TRY(oribi_gradient_formula(&part, "GatherV2(d, $0, 0)"));
        }
    }
    return true;
}

/* clang-format off */
static const struct {
    const char *op;
    bool (*make)(oribi_gradient *g);
} functions[] = {
    {"AddN", add_n}, {"ConcatV2", concat}, {"DynamicPartition", dynamic_partition}, {"DynamicStitch", dynamic_stitch},
    {"Einsum", einsum}, {"Pack", pack}, {"ParallelDynamicStitch", dynamic_stitch}, {"Split", split}, {"SplitV", split_v},
    {"Unpack", unpack},
};
/* clang-format on */

/* --- Formulas ----------------------------------------------------------------------------------
 */

/* Has the operation the attributes that stand at the text, each behind a ?: true, or NCHW?
 * *out_end: behind them. */
static bool has_all(oribi_gradient *g, const char *at, const char **out_end)
{
    bool has = true;
    while (*at == '?') {
        char name[32], value[8] = {0};
        const size_t length = strcspn(++at, "?\t");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        TF_Status *status = TF_NewStatus();
        TF_OperationGetAttrString(g->of, name, value, sizeof value, status);
        TF_DeleteStatus(status);
        has = has && (oribi_gradient_truth(g, name) || strcmp(value, "NCHW") == 0);
        at += length;
    }
    *out_end = at;
    return has;
}

bool oribi_gradient_of(oribi_gradient *g)
{
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (strcmp(functions[i].op, g->of->type) == 0) {
            return functions[i].make(g);
        }
    }
    const oribi_binding_texts *known = oribi_binding_texts_find();
    ORIBI_TRY(known != NULL ||
              oribi_fail(g->status, TF_FAILED_PRECONDITION,
                         "the formulas of gradients are in " ORIBI_BINDING_TEXTS_FILE
                         ", which is not there; install it beside Oribi's "
                         "library, in the folder oribi"));
    const size_t length = strlen(g->of->type);
    for (const char *const *row = known->formulas; *row != NULL; row++) {
        const char *end = *row + length;
        if (strncmp(*row, g->of->type, length) == 0 && has_all(g, end, &end) && *end == '\t') {
            return oribi_gradient_formula(g, end + 1);
        }
    }
    return oribi_fail(g->status, TF_NOT_FOUND, "No gradient defined for op: %s", g->of->type);
}
