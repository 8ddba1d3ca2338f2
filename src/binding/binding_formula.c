/* SPDX-License-Identifier: Apache-2.0 */
/* Operations that a formula makes: see binding_gradient.h. The formulas are the program's, nothing
 * of them comes from a file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "binding/binding_gradient.h"
#include "tensor/tensor.h"

enum { MOST_INPUTS = 8, MOST_NAME = 32, N_LETTERS = 26 };

typedef struct formula {
    oribi_gradient *g;
    const char *at;
    TF_Output letters[N_LETTERS];
} formula;

static const TF_Output none = {NULL, 0};

static TF_Output read_value(formula *f);

/* --- Making ---------------------------------------------------------------------------------- */

/* One attribute of the new operation from the one that has the gradient; absent: the op's own. */
static void copy_attr(oribi_gradient *g, TF_OperationDescription *desc, const char *name)
{
    oribi_mutex_lock(&g->graph->lock);
    const oribi_binding_attr *attr = oribi_binding_find_attr(g->of, name);
    oribi_mutex_unlock(&g->graph->lock);
    if (attr != NULL) {
        TF_SetAttrValueProto(desc, name, attr->value.at, (size_t)(attr->value.end - attr->value.at),
                             g->status);
    }
}

bool oribi_gradient_truth(const oribi_gradient *g, const char *name)
{
    unsigned char value = 0;
    TF_Status *status = name != NULL ? TF_NewStatus() : NULL;
    if (status != NULL) {
        TF_OperationGetAttrBool(g->of, name, &value, status);
    }
    TF_DeleteStatus(status);
    return value != 0;
}

/* "name=1, other=#}": up to the brace. */
static void set_attrs(oribi_gradient *g, TF_OperationDescription *desc, const oribi_op_def *op,
                      const char *text)
{
    char name[MOST_NAME];
    while (*text != '}' && *text != '\0') {
        text += strspn(text, ", ");
        const size_t length = strcspn(text, "=},");
        snprintf(name, sizeof name, "%.*s", (int)length, text);
        text += length;
        if (name[0] == '*') {
            const oribi_op_def *from = op != NULL ? op : g->of->op;
            for (int32_t i = 0; i < from->n_attrs; i++) {
                copy_attr(g, desc, from->attrs[i].name);
            }
            continue;
        }
        const char *value = text + 1;
        const oribi_attr_def *def = op != NULL ? oribi_op_find_attr(op, name) : NULL;
        const long number = strtol(value, NULL, 10);
        text += strcspn(text, ",}");
        if (*value == '\'') { /* a text */
            const size_t size = strcspn(value + 1, "'");
            TF_SetAttrString(desc, name, value + 1, size);
            text = value + size + 2;
        } else if (*value == '#') {
            copy_attr(g, desc, name);
        } else if (*value == '!') {
            TF_SetAttrBool(desc, name, !oribi_gradient_truth(g, name));
        } else if (def != NULL && def->kind == TF_ATTR_BOOL) {
            TF_SetAttrBool(desc, name, number != 0);
        } else if (def != NULL && def->kind == TF_ATTR_TYPE) {
            TF_SetAttrType(desc, name, (TF_DataType)number);
        } else {
            TF_SetAttrInt(desc, name, number);
        }
    }
}

TF_Output oribi_gradient_make(oribi_gradient *g, const char *type, const TF_Output *inputs, int n,
                              const char *attrs)
{
    for (int i = 0; i < n; i++) {
        if (inputs[i].oper == NULL) {
            return none;
        }
    }
    oribi_mutex_lock(&g->graph->lock);
    const char *name = oribi_arena_printf(g->scratch, "%s/%s", g->scope, type);
    name = oribi_binding_free_name(g->graph, NULL, g->scratch, name);
    oribi_mutex_unlock(&g->graph->lock);
    TF_OperationDescription *desc = name != NULL ? TF_NewOperation(g->graph, type, name) : NULL;
    if (desc == NULL || !oribi_ok(g->status)) {
        (void)(!oribi_ok(g->status) || oribi_fail_memory(g->status));
        return none;
    }
    TF_AddInputList(desc, inputs, n);
    const oribi_op_def *op = oribi_op_find(type);
    set_attrs(g, desc, op, attrs);
    if (op == NULL) { /* nothing registers it: nothing infers its type */
        TF_SetAttrType(desc, "T", TF_OperationOutputType(g->given[0]));
    }
    return (TF_Output){oribi_ok(g->status) ? TF_FinishOperation(desc, g->status) : NULL, 0};
}

static TF_Output constant(oribi_gradient *g, TF_DataType dtype, const int64_t *dims, int rank,
                          const void *data, size_t bytes)
{
    oribi_mutex_lock(&g->graph->lock);
    const char *name = oribi_arena_printf(g->scratch, "%s/Const", g->scope);
    name = oribi_binding_free_name(g->graph, NULL, g->scratch, name);
    oribi_mutex_unlock(&g->graph->lock);
    TF_OperationDescription *desc = name != NULL ? TF_NewOperation(g->graph, "Const", name) : NULL;
    TF_Tensor *tensor = TF_AllocateTensor(dtype, dims, rank, bytes);
    TF_Output out = none;
    if (desc == NULL || tensor == NULL) {
        oribi_fail_memory(g->status);
    } else if (oribi_ok(g->status)) {
        if (bytes > 0) {
            memcpy(TF_TensorData(tensor), data, bytes);
        }
        TF_SetAttrTensor(desc, "value", tensor, g->status);
        TF_SetAttrType(desc, "dtype", dtype);
        out.oper = TF_FinishOperation(desc, g->status);
    }
    TF_DeleteTensor(tensor);
    return out;
}

static TF_Output ints(oribi_gradient *g, const int32_t *values, int64_t n)
{
    return constant(g, TF_INT32, &n, 1, values, (size_t)n * sizeof *values);
}

static TF_Output cast(oribi_gradient *g, TF_Output x, TF_DataType dtype)
{
    char attrs[MOST_NAME];
    if (x.oper == NULL || TF_OperationOutputType(x) == dtype) {
        return x;
    }
    snprintf(attrs, sizeof attrs, "DstT=%d}", (int)dtype);
    return oribi_gradient_make(g, "Cast", &x, 1, attrs);
}

/* --- Broadcasts ------------------------------------------------------------------------------ */

/* The axes along which x of the one shape was repeated; -1: shapes do not tell it. */
static int repeated(TF_Graph *graph, TF_Output v, TF_Output x, oribi_wide_dims *axes)
{
    int n = 0;
    oribi_mutex_lock(&graph->lock);
    const oribi_shape *of = &graph->known->values[v.oper->outputs[v.index]]->shape;
    const oribi_shape *to = &graph->known->values[x.oper->outputs[x.index]]->shape;
    if (of->rank < 0 || to->rank < 0 || to->rank > of->rank) {
        n = -1;
    }
    for (int i = 0; n >= 0 && i < of->rank; i++) {
        const int k = i - (of->rank - to->rank);
        const int64_t was = k >= 0 ? to->dims[k] : 1;
        if (was == 1 && (k < 0 || of->dims[i] != 1)) {
            axes->at[n++] = i;
        } else if (was < 0 || of->dims[i] < 0) { /* the same, or one of them is repeated */
            n = was > 1 ? n : -1;
        }
    }
    oribi_mutex_unlock(&graph->lock);
    return n;
}

static TF_Output fit(oribi_gradient *g, TF_Output v, TF_Output x)
{
    oribi_wide_dims axes;
    if (v.oper == NULL || x.oper == NULL) {
        return none;
    }
    const int64_t n = repeated(g->graph, v, x, &axes);
    if (n == 0) {
        return v;
    }
    const TF_Output shape = oribi_gradient_make(g, "Shape", &x, 1, "}");
    TF_Output along =
        n > 0 ? constant(g, TF_INT64, &n, 1, axes.at, (size_t)n * sizeof axes.at[0]) : none;
    if (n < 0) { /* those of size 1, behind as many as it lacks */
        formula ones = {.g = g,
                        .at = "Reshape(Where(Equal(ConcatV2(Fill(Reshape(Sub(Rank(v), Rank(x)), "
                              "[1]), 1), s, 0), 1)), [-1])"};
        ones.letters['v' - 'a'] = v;
        ones.letters['x' - 'a'] = x;
        ones.letters['s' - 'a'] = shape;
        along = read_value(&ones);
    }
    const TF_Output sum = oribi_gradient_make(g, "Sum", (const TF_Output[]){v, along}, 2, "}");
    return oribi_gradient_make(g, "Reshape", (const TF_Output[]){sum, shape}, 2, "}");
}

/* --- Reading --------------------------------------------------------------------------------- */

static bool take(formula *f, char c)
{
    f->at += strspn(f->at, " ");
    const bool is_there = *f->at == c;
    f->at += is_there;
    return is_there;
}

/* 2: an int32; 2.5: of the first input's type. Digits are read whatever the locale. */
static TF_Output read_number(formula *f)
{
    const bool is_negative = take(f, '-');
    bool is_real = false;
    double digits = 0, scale = 1;
    for (; *f->at == '.' || (*f->at >= '0' && *f->at <= '9'); f->at++) {
        if (*f->at == '.') {
            is_real = true;
        } else {
            digits = digits * 10 + (*f->at - '0');
            scale *= is_real ? 10 : 1;
        }
    }
    const double number = (is_negative ? -digits : digits) / scale;
    const int32_t whole = (int32_t)number;
    if (!is_real) {
        return constant(f->g, TF_INT32, NULL, 0, &whole, sizeof whole);
    }
    const TF_Output made = constant(f->g, TF_DOUBLE, NULL, 0, &number, sizeof number);
    return cast(f->g, made, TF_OperationOutputType(f->g->of->inputs[0]));
}

static TF_Output read_vector(formula *f)
{
    int32_t numbers[MOST_INPUTS];
    int64_t n = 0;
    while (!take(f, ']') && n < MOST_INPUTS) {
        char *end;
        numbers[n++] = (int32_t)strtol(f->at, &end, 10);
        f->at = end;
        take(f, ',');
    }
    return ints(f->g, numbers, n);
}

/* An attribute of the operation that is a number, as its kind is. */
static TF_Output read_attr(formula *f)
{
    char name[MOST_NAME];
    float real;
    int64_t whole;
    const size_t length = strcspn(f->at, " ,;.(){}[]\n");
    snprintf(name, sizeof name, "%.*s", (int)length, f->at);
    f->at += length;
    TF_Status *status = TF_NewStatus();
    TF_OperationGetAttrFloat(f->g->of, name, &real, status);
    const bool is_real = oribi_ok(status);
    TF_DeleteStatus(status);
    if (is_real) {
        const TF_Output made = constant(f->g, TF_FLOAT, NULL, 0, &real, sizeof real);
        return cast(f->g, made, TF_OperationOutputType(f->g->of->inputs[0]));
    }
    TF_OperationGetAttrInt(f->g->of, name, &whole, f->g->status);
    const int32_t number = (int32_t)whole;
    return oribi_ok(f->g->status) ? constant(f->g, TF_INT32, NULL, 0, &number, sizeof number)
                                  : none;
}

static TF_Output read_call(formula *f, const char *name)
{
    TF_Output inputs[MOST_INPUTS];
    int n = 0, port = 0;
    if (take(f, '.')) {
        port = *f->at++ - '0';
    }
    const char *attrs = take(f, '{') ? f->at : "}";
    f->at = *attrs == '}' ? f->at : strchr(f->at, '}') + 1;
    take(f, '(');
    while (!take(f, ')') && n < MOST_INPUTS) {
        inputs[n++] = read_value(f);
        take(f, ',');
    }
    if (strcmp(name, "fit") == 0) {
        return fit(f->g, inputs[0], inputs[1]);
    }
    if (strcmp(name, "cast") == 0) {
        return cast(f->g, inputs[0], TF_OperationOutputType(inputs[1]));
    }
    TF_Output made = oribi_gradient_make(f->g, name, inputs, n, attrs);
    made.index = made.oper != NULL ? port : 0;
    return made;
}

static TF_Output read_value(formula *f)
{
    char name[MOST_NAME];
    f->at += strspn(f->at, " ");
    if (*f->at == '$') {
        const int i = f->at[1] - '0';
        f->at += 2;
        return i < f->g->of->n_inputs ? f->g->of->inputs[i] : none;
    }
    if (take(f, '[')) {
        return read_vector(f);
    }
    if (take(f, '@')) {
        return read_attr(f);
    }
    const size_t length = strcspn(f->at, " ,;.(){}[]\n");
    const bool is_number = *f->at == '-' || (*f->at >= '0' && *f->at <= '9');
    if (is_number) {
        return read_number(f);
    }
    snprintf(name, sizeof name, "%.*s", (int)length, f->at);
    f->at += length;
    if (length > 1) {
        return read_call(f, name);
    }
    TF_Output letter = f->letters[name[0] - 'a'];
    if (take(f, '.')) {
        letter.index = *f->at++ - '0';
    }
    return letter;
}

/* Behind one result, whose operations nobody wants. */
static void skip_result(formula *f)
{
    for (int depth = 0; *f->at >= ' ' && (depth > 0 || *f->at != ','); f->at++) {
        depth += strchr("([{", *f->at) != NULL;
        depth -= strchr(")]}", *f->at) != NULL;
    }
}

bool oribi_gradient_formula(oribi_gradient *g, const char *text)
{
    formula f = {.g = g, .at = text};
    f.letters['d' - 'a'] = g->given[0];
    f.letters['y' - 'a'] = (TF_Output){g->of, 0};
    for (f.at += strspn(f.at, " "); f.at[1] == ' ' && f.at[2] == '='; f.at += strspn(f.at, " ")) {
        TF_Output *letter = &f.letters[f.at[0] - 'a'];
        f.at += 3;
        *letter = read_value(&f);
        take(&f, ';');
    }
    for (int i = 0; i < g->of->n_inputs && oribi_ok(g->status); i++) {
        if (take(&f, '-') || *f.at < ' ') { /* its end */
            g->out[i] = none;
        } else if (!g->wanted[i]) {
            skip_result(&f);
        } else {
            g->out[i] = read_value(&f);
        }
        take(&f, ',');
    }
    return oribi_ok(g->status);
}
