/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of a graph: from its ends back, each operation between them and what they are wanted of
 * adds to the gradients of its inputs. What is added to the graph are operations like any other.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "binding/binding_gradient.h"

typedef struct part {
    TF_Output gradient;
    struct part *next;
} part;

enum way { NEW, OPEN, DONE };

/* One operation of the graph as it was. */
typedef struct item {
    TF_Operation *op;
    bool is_reached; /* something that gradients are wanted of leads to it */
    uint8_t way;
    int32_t next_input; /* while it is OPEN */
    struct item *below; /* that it was reached from, while it is OPEN */
    part **parts;       /* by output; NULL: none came */
} item;

typedef struct search {
    TF_Graph *graph;
    item *items;  /* by address of the operation */
    item **order; /* inputs before those who read them */
    int32_t n, n_order;
    oribi_arena scratch;
    const char *scope;
    TF_Status *status;
} search;

/* --- What lies between ----------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const uintptr_t x = (uintptr_t)((const item *)a)->op, y = (uintptr_t)((const item *)b)->op;
    return x < y ? -1 : x > y;
}

static item *find(const search *s, const TF_Operation *op)
{
    int32_t low = 0, high = s->n;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if ((uintptr_t)s->items[middle].op < (uintptr_t)op) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < s->n && s->items[low].op == op ? &s->items[low] : NULL;
}

static bool list_items(search *s)
{
    oribi_mutex_lock(&s->graph->lock);
    s->n = s->graph->n_ops;
    s->items = oribi_arena_array(&s->scratch, (size_t)s->n + 1, sizeof *s->items);
    s->order = oribi_arena_array(&s->scratch, (size_t)s->n + 1, sizeof *s->order);
    for (int32_t i = 0; s->items != NULL && i < s->n; i++) {
        s->items[i] = (item){.op = s->graph->ops[i]};
    }
    oribi_mutex_unlock(&s->graph->lock);
    ORIBI_TRY((s->items != NULL && s->order != NULL) || oribi_fail_memory(s->status));
    qsort(s->items, (size_t)s->n, sizeof *s->items, compare);
    return true;
}

/* Puts what the operation needs into order, and itself behind it. */
static bool visit(search *s, const TF_Operation *op)
{
    item *top = find(s, op);
    ORIBI_TRY(top != NULL || oribi_fail(s->status, TF_INVALID_ARGUMENT,
                                        "an output is of no operation of the graph"));
    top->below = NULL;
    while (top != NULL) {
        if (top->way == NEW) {
            top->way = OPEN;
        }
        item *next = NULL;
        while (top->way == OPEN && next == NULL && top->next_input < top->op->n_inputs) {
            next = find(s, top->op->inputs[top->next_input++].oper);
            if (next != NULL && next->way == OPEN) {
                return oribi_fail(s->status, TF_UNIMPLEMENTED,
                                  "node '%s' (%s): loops have no gradients", top->op->name,
                                  top->op->type);
            }
            next = next != NULL && next->way == NEW ? next : NULL;
        }
        if (next != NULL) {
            next->below = top;
            top = next;
            continue;
        }
        if (top->way == OPEN) {
            top->way = DONE;
            for (int32_t i = 0; i < top->op->n_inputs && !top->is_reached; i++) {
                const item *input = find(s, top->op->inputs[i].oper);
                top->is_reached = input != NULL && input->is_reached;
            }
            s->order[s->n_order++] = top;
        }
        top = top->below;
    }
    return true;
}

/* --- Gradients that come together ------------------------------------------------------------ */

static bool add_part(search *s, TF_Output to, TF_Output gradient)
{
    item *of = find(s, to.oper);
    part *more = oribi_arena_array(&s->scratch, 1, sizeof *more);
    if (of->parts == NULL) {
        of->parts = oribi_arena_array(&s->scratch, (size_t)of->op->n_outputs, sizeof *of->parts);
    }
    ORIBI_TRY((more != NULL && of->parts != NULL) || oribi_fail_memory(s->status));
    *more = (part){gradient, NULL};
    part **last = &of->parts[to.index];
    while (*last != NULL) {
        last = &(*last)->next;
    }
    *last = more;
    return true;
}

/* Their sum, made once. {NULL, -1}: there are none. */
static TF_Output sum_of(search *s, oribi_gradient *g, const item *of, int index)
{
    part *parts = of->parts != NULL ? of->parts[index] : NULL;
    int n = 0;
    for (const part *p = parts; p != NULL; p = p->next) {
        n++;
    }
    if (n == 0) {
        return (TF_Output){NULL, -1};
    }
    if (n > 1) {
        TF_Output *all = oribi_arena_array(&s->scratch, (size_t)n, sizeof *all);
        const char *attrs = oribi_arena_printf(&s->scratch, "N=%d}", n);
        if (all == NULL || attrs == NULL) {
            oribi_fail_memory(s->status);
            return (TF_Output){NULL, -1};
        }
        n = 0;
        for (const part *p = parts; p != NULL; p = p->next) {
            all[n++] = p->gradient;
        }
        *parts = (part){oribi_gradient_make(g, "AddN", all, n, attrs), NULL};
    }
    return parts->gradient;
}

/* --- Going back ------------------------------------------------------------------------------ */

/* From the gradients of the operation's outputs to those of its inputs. */
static bool go_back(search *s, item *at)
{
    TF_Operation *op = at->op;
    const size_t n_in = (size_t)op->n_inputs, n_out = (size_t)op->n_outputs;
    TF_Output *given = oribi_arena_array(&s->scratch, n_out + 1, sizeof *given);
    TF_Output *out = oribi_arena_array(&s->scratch, n_in + 1, sizeof *out);
    bool *wanted = oribi_arena_array(&s->scratch, n_in + 1, sizeof *wanted);
    ORIBI_TRY((given != NULL && out != NULL && wanted != NULL) || oribi_fail_memory(s->status));
    oribi_gradient g = {s->graph, s->scope, op, given, wanted, out, &s->scratch, s->status};
    bool is_any = false, is_wanted = false;
    for (size_t i = 0; i < n_out; i++) {
        given[i] = sum_of(s, &g, at, (int)i);
        is_any = is_any || given[i].oper != NULL;
    }
    for (size_t i = 0; i < n_in; i++) {
        wanted[i] = find(s, op->inputs[i].oper)->is_reached;
        is_wanted = is_wanted || wanted[i];
    }
    if (!is_any || !is_wanted) {
        return oribi_ok(s->status);
    }
    if (given[0].oper == NULL && strncmp(op->type, "Split", 5) != 0 &&
        strcmp(op->type, "Unpack") != 0 && strcmp(op->type, "DynamicPartition") != 0) {
        return oribi_fail(s->status, TF_UNIMPLEMENTED,
                          "node '%s' (%s): the gradient of an output that is not the first",
                          op->name, op->type);
    }
    if (!oribi_gradient_of(&g)) {
        oribi_status_prefix(s->status, "node '%s' (%s): ", op->name, op->type);
        return false;
    }
    for (size_t i = 0; i < n_in; i++) {
        ORIBI_TRY(!wanted[i] || out[i].oper == NULL || add_part(s, op->inputs[i], out[i]));
    }
    return true;
}

static bool is_output(const search *s, TF_Output output)
{
    return (output.oper != NULL && output.oper->graph == s->graph && output.index >= 0 &&
            output.index < output.oper->n_outputs) ||
           oribi_fail(s->status, TF_INVALID_ARGUMENT, "an output is none of the graph");
}

static bool begin(search *s, const TF_Output *y, int ny, const TF_Output *x, int nx,
                  const TF_Output *dx)
{
    for (int i = 0; i < nx; i++) {
        ORIBI_TRY(is_output(s, x[i]));
        find(s, x[i].oper)->is_reached = true;
    }
    for (int i = 0; i < ny; i++) {
        ORIBI_TRY(is_output(s, y[i]) && (dx == NULL || is_output(s, dx[i])) && visit(s, y[i].oper));
    }
    for (int i = 0; i < ny; i++) {
        oribi_gradient g = {
            .graph = s->graph, .scope = s->scope, .scratch = &s->scratch, .status = s->status};
        const TF_Output begun =
            dx != NULL ? dx[i] : oribi_gradient_make(&g, "OnesLike", &y[i], 1, "}");
        ORIBI_TRY(oribi_ok(s->status) && add_part(s, y[i], begun));
    }
    return true;
}

/* Is there an operation of the name, or one whose name begins with it and a slash? */
static const char *taken(const TF_Graph *graph, const char *prefix)
{
    const size_t length = strlen(prefix);
    for (int32_t i = 0; i < graph->n_ops; i++) {
        const char *name = graph->ops[i]->name;
        if (strncmp(name, prefix, length) == 0 && (name[length] == '\0' || name[length] == '/')) {
            return name;
        }
    }
    return NULL;
}

static bool choose_scope(search *s, const char *prefix)
{
    oribi_mutex_lock(&s->graph->lock);
    s->scope = prefix != NULL ? prefix : "gradients";
    const char *other = taken(s->graph, s->scope);
    for (int i = 1; prefix == NULL && other != NULL && s->scope != NULL; i++) {
        s->scope = oribi_arena_printf(&s->scratch, "gradients_%d", i);
        other = s->scope != NULL ? taken(s->graph, s->scope) : NULL;
    }
    oribi_mutex_unlock(&s->graph->lock);
    ORIBI_TRY(s->scope != NULL || oribi_fail_memory(s->status));
    return other == NULL ||
           oribi_fail(s->status, TF_INVALID_ARGUMENT,
                      "prefix [%s] conflicts with existing node in the graph named [%s]", prefix,
                      other);
}

void TF_AddGradientsWithPrefix(TF_Graph *g, const char *prefix, TF_Output *y, int ny, TF_Output *x,
                               int nx, TF_Output *dx, TF_Status *status, TF_Output *dy)
{
    search s = {.graph = g, .status = status};
    TF_SetStatus(status, TF_OK, "");
    bool ok = choose_scope(&s, prefix) && list_items(&s) && begin(&s, y, ny, x, nx, dx);
    for (int32_t i = s.n_order; ok && i > 0; i--) {
        ok = !s.order[i - 1]->is_reached || go_back(&s, s.order[i - 1]);
    }
    for (int i = 0; ok && i < nx; i++) {
        oribi_gradient made = {
            .graph = g, .scope = s.scope, .scratch = &s.scratch, .status = status};
        dy[i] = sum_of(&s, &made, find(&s, x[i].oper), x[i].index);
        ok = dy[i].oper != NULL ||
             (oribi_ok(status) &&
              oribi_fail(status, TF_INVALID_ARGUMENT,
                         "Cannot compute the partial derivative for node '%s' as it's unreachable "
                         "from the output node(s).",
                         x[i].oper->name));
    }
    oribi_arena_destroy(&s.scratch);
}

void TF_AddGradients(TF_Graph *g, TF_Output *y, int ny, TF_Output *x, int nx, TF_Output *dx,
                     TF_Status *status, TF_Output *dy)
{
    TF_AddGradientsWithPrefix(g, NULL, y, ny, x, nx, dx, status, dy);
}
