/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes that are made of others by a formula, which a table of the program has: nothing of it comes
 * from a file.
 *
 *   MulNoNan(Log($1), $0)         ops of inputs; $0 is the first
 *   a = Real($0); Neg(a)          what has a letter is used again
 *   Sum{keep_dims=1}($0, [1, 2])  attributes that are whole numbers; vectors
 *   Equal($0, 0.0)                0.0 has the type of the first input, if that is of floats; 0.f is
 * a float, 0 an int32 Less(a, @tolerance)           an attribute of the node that is a float
 *   Sum{keep_dims=#keep_dims:0}(a)  one that is a whole number, a truth, a type, or 0
 *   TopKV2.1($0, 2)               an output that is not the first
 *   Cast{DstT=3}($0), like($1)    to a type by its number, to that of the first input
 *   complex(a, b)                 complex numbers of their parts
 *   a, b                          several outputs
 * An op may be another row's, of which the first output is taken.
 */
#include <stdarg.h>
#include <string.h>

#include "import/tensorflow/tf_emit.h"

enum { MOST_INPUTS = 8, MOST_ATTRS = 5, MOST_NAME = 32, N_LETTERS = 26 };

typedef struct formula {
    const oribi_tf_maker *m;
    const oribi_graphdef_node *node;
    const char *at;
    oribi_value_id letters[N_LETTERS];
} formula;

static oribi_value_id read_value(formula *f);

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static void skip(formula *f)
{
    f->at += strspn(f->at, " ");
}

static bool take(formula *f, char c)
{
    skip(f);
    const bool is_there = *f->at == c;
    f->at += is_there;
    return is_there;
}

/* A number as the digits stand there, whatever the locale; *out_real: it has a point. */
static double read_digits(formula *f, bool *out_real)
{
    const bool is_negative = take(f, '-');
    double digits = 0, scale = 1;
    *out_real = false;
    for (; *f->at == '.' || (*f->at >= '0' && *f->at <= '9'); f->at++) {
        if (*f->at == '.') {
            *out_real = true;
        } else {
            digits = digits * 10 + (*f->at - '0');
            scale *= *out_real ? 10 : 1;
        }
    }
    return (is_negative ? -digits : digits) / scale;
}

static int32_t read_int(formula *f)
{
    bool is_real;
    return (int32_t)read_digits(f, &is_real);
}

static oribi_value_id read_number(formula *f)
{
    bool is_real;
    const double number = read_digits(f, &is_real);
    const TF_DataType first = f->node->n_inputs > 0 ? oribi_tf_dtype(f->m, f->node->inputs[0]) : 0;
    const bool is_other = first == TF_DOUBLE || first == TF_HALF || first == TF_BFLOAT16;
    if (!is_real) {
        return oribi_tf_int(f->m, (int32_t)number);
    }
    const bool is_float = *f->at == 'f' || !is_other;
    f->at += *f->at == 'f';
    return oribi_tf_number(f->m, is_float ? TF_FLOAT : first, number);
}

static oribi_value_id read_vector(formula *f)
{
    int32_t numbers[MOST_INPUTS], n = 0;
    while (!take(f, ']') && n < MOST_INPUTS) {
        skip(f);
        numbers[n++] = read_int(f);
        take(f, ',');
    }
    return oribi_tf_ints(f->m, numbers, n);
}

static size_t read_word(formula *f, char out[MOST_NAME])
{
    size_t length = 0;
    while (is_letter(f->at[length]) || f->at[length] == '_' || f->at[length] == '>' ||
           (f->at[length] >= '0' && f->at[length] <= '9')) {
        length++;
    }
    memcpy(out, f->at, length);
    out[length] = '\0';
    f->at += length;
    return length;
}

/* A number, or an attribute of the node and what it is where it is absent: "#keep_dims:0". */
static int64_t read_setting(formula *f)
{
    static const uint32_t fields[] = {3, 5, 6}; /* integers, truths, types */
    char name[MOST_NAME];
    oribi_wire_field field;
    if (*f->at != '#') {
        return read_int(f);
    }
    f->at++;
    read_word(f, name);
    f->at++;
    int64_t setting = read_int(f);
    for (int i = 0; i < 3; i++) {
        if (oribi_graphdef_attr_field(f->node->message, name, fields[i], &field)) {
            setting = (int64_t)field.value;
        }
    }
    return setting;
}

static int32_t read_attrs(formula *f, char names[][MOST_NAME], oribi_emit_attr *out)
{
    int32_t n = 0;
    while (!take(f, '}') && n < MOST_ATTRS) {
        skip(f);
        const size_t length = strcspn(f->at, "=");
        memcpy(names[n], f->at, length);
        names[n][length] = '\0';
        f->at += length + 1;
        out[n] = (oribi_emit_attr){.name = names[n], .count = -1, .i = read_setting(f)};
        n++;
        take(f, ',');
    }
    return n;
}

/* As many as the op has, or as the attribute says that counts those of its only one. */
static int32_t n_outputs_of(const oribi_op_def *def, const oribi_emit_attr *attrs, int32_t n_attrs)
{
    const char *counts = def != NULL && def->n_outputs == 1 ? def->outputs[0].number_attr : NULL;
    for (int32_t i = 0; counts != NULL && i < n_attrs; i++) {
        if (strcmp(attrs[i].name, counts) == 0) {
            return (int32_t)attrs[i].i;
        }
    }
    return def != NULL ? def->n_outputs : 1;
}

/* Kinds are what the op says of its attributes. */
static oribi_value_id call(formula *f, const char *op, int32_t output, oribi_emit_attr *attrs,
                           int32_t n_attrs)
{
    oribi_value_id inputs[MOST_INPUTS];
    int32_t n = 0;
    const oribi_op_def *def = oribi_op_find(op);
    while (!take(f, ')') && n < MOST_INPUTS) {
        inputs[n++] = read_value(f);
        take(f, ',');
    }
    for (int32_t i = 0; i < n_attrs; i++) {
        const oribi_attr_def *attr = def != NULL ? oribi_op_find_attr(def, attrs[i].name) : NULL;
        attrs[i].kind = attr != NULL ? attr->kind : (uint8_t)TF_ATTR_INT;
    }
    oribi_tf_row row = {.formula = NULL};
    if (def == NULL && oribi_tf_row_of((oribi_string){op, strlen(op)}, &row) &&
        row.formula != NULL) {
        const oribi_graphdef_node node = {
            .inputs = inputs, .n_inputs = n, .message = f->node->message};
        return oribi_tf_formula(f->m, &node, row.formula);
    }
    const int32_t n_outputs = n_outputs_of(def, attrs, n_attrs);
    const oribi_node *made = oribi_tf_emit_node(f->m, op, inputs, n, attrs, n_attrs, n_outputs);
    return made != NULL ? made->outputs[output] : -1;
}

static oribi_value_id read_name(formula *f)
{
    char name[MOST_NAME], names[MOST_ATTRS][MOST_NAME];
    oribi_emit_attr attrs[MOST_ATTRS];
    int32_t output = 0, n_attrs = 0;
    const size_t length = read_word(f, name);
    if (length == 1 && *f->at != '(') {
        return f->letters[name[0] - 'a'];
    }
    if (*f->at == '.') {
        f->at++;
        output = read_int(f);
    }
    if (take(f, '{')) {
        n_attrs = read_attrs(f, names, attrs);
    }
    take(f, '(');
    if (strcmp(name, "like") == 0) {
        const oribi_value_id x = read_value(f);
        take(f, ')');
        return oribi_tf_cast(f->m, x, oribi_tf_dtype(f->m, f->node->inputs[0]));
    }
    if (strcmp(name, "complex") == 0) {
        const oribi_value_id re = read_value(f);
        take(f, ',');
        const oribi_value_id im = read_value(f);
        take(f, ')');
        return oribi_tf_complex(f->m, re, im);
    }
    return call(f, name, output, attrs, n_attrs);
}

static oribi_value_id read_value(formula *f)
{
    skip(f);
    if (*f->at == '$') {
        f->at++;
        const int32_t i = read_int(f);
        return i < f->node->n_inputs ? f->node->inputs[i] : -1;
    }
    if (*f->at == '@') {
        char name[MOST_NAME];
        f->at++;
        read_word(f, name);
        bool is_real;
        const float absent = *f->at == ':' ? (f->at++, (float)read_digits(f, &is_real)) : 0;
        return oribi_tf_number(f->m, TF_FLOAT, (double)oribi_tf_attr_float(f->node, name, absent));
    }
    if (*f->at == '#') {
        return oribi_tf_int(f->m, (int32_t)read_setting(f));
    }
    if (take(f, '[')) {
        return read_vector(f);
    }
    return is_letter(*f->at) ? read_name(f) : read_number(f);
}

oribi_value_id oribi_tf_formula(const oribi_tf_maker *m, const oribi_graphdef_node *node,
                                const char *text)
{
    formula f = {.m = m, .node = node, .at = text};
    oribi_value_id first = -1;
    while (text != NULL && oribi_ok(m->status)) {
        skip(&f);
        if (!is_letter(f.at[0]) || f.at[1] != ' ' || f.at[2] != '=') {
            break;
        }
        oribi_value_id *letter = &f.letters[f.at[0] - 'a'];
        f.at += 3;
        *letter = read_value(&f);
        take(&f, ';');
    }
    for (int32_t i = 0; i == 0 || (take(&f, ',') && i < m->max); i++) {
        const oribi_value_id made = read_value(&f);
        first = i == 0 ? made : first;
        m->out[i] = made;
    }
    return oribi_ok(m->status) ? first : -1;
}

oribi_value_id oribi_tf_formula_of(const oribi_tf_maker *m, const oribi_graphdef_node *node,
                                   const oribi_value_id *inputs, int32_t n_inputs,
                                   const char *format, ...)
{
    const oribi_graphdef_node of = {
        .inputs = inputs, .n_inputs = n_inputs, .message = node->message};
    va_list args;
    va_start(args, format);
    const char *text = oribi_arena_vprintf(&m->tf->kept, format, args);
    va_end(args);
    if (text == NULL) {
        oribi_fail_memory(m->status);
        return -1;
    }
    return oribi_tf_formula(m, &of, text);
}
