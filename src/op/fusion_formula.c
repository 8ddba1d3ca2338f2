/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the formulas that an op stands for: "(x, alpha) = Mul(x, Sigmoid(Mul(x, @alpha)))". What
 * the words mean: tensorflow/c/op_traits.h. */
#include "op/fusion.h"

#include <math.h>
#include <string.h>

#include "op/spec.h"

/* Words that stand for whatever computes the same; ops that compute powers. */
static const struct word {
    const char *name;
    oribi_term_role role;
    double power;
    bool inverts, turns;
} words[] = {
    {"Add", ORIBI_ROLE_SUM, 1.0, false, false},
    {"Sub", ORIBI_ROLE_SUM, 1.0, true, false},
    {"Mul", ORIBI_ROLE_PRODUCT, 1.0, false, false},
    {"Div", ORIBI_ROLE_PRODUCT, 1.0, true, false},
    {"Square", ORIBI_ROLE_PRODUCT, 2.0, false, false},
    {"Sqrt", ORIBI_ROLE_PRODUCT, 0.5, false, false},
    {"Rsqrt", ORIBI_ROLE_PRODUCT, -0.5, false, false},
    {"Reciprocal", ORIBI_ROLE_PRODUCT, -1.0, false, false},
    {"Pow", ORIBI_ROLE_OTHER, NAN, false, false},
    {"Maximum", ORIBI_ROLE_OTHER, 1.0, false, true},
    {"Minimum", ORIBI_ROLE_OTHER, 1.0, false, true},
};

static const struct word *find_word(const char *name)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(words[i].name, name) == 0) {
            return &words[i];
        }
    }
    return NULL;
}

bool oribi_formula_power(const char *op, double *out)
{
    const struct word *word = find_word(op);
    *out = word != NULL ? word->power : 1.0;
    return *out != 1.0;
}

typedef struct reader {
    oribi_spec *spec;
    const char *at;
    oribi_fusion *out;
    oribi_span inputs[ORIBI_FORMULA_INPUTS];
    const char *attrs[ORIBI_FORMULA_INPUTS];
} reader;

static bool expect(reader *r, const char *literal)
{
    oribi_scan_spaces(&r->at);
    return oribi_scan_literal(&r->at, literal) ||
           oribi_spec_fail(r->spec, "a formula has '%s' before '%s'", literal, r->at);
}

static bool sees(reader *r, const char *literal)
{
    oribi_scan_spaces(&r->at);
    return oribi_scan_literal(&r->at, literal);
}

static const char *keep(reader *r, oribi_span span)
{
    const char *text = oribi_arena_strndup(&r->spec->entry->arena, span.data, span.length);
    r->spec->no_memory |= text == NULL;
    return text;
}

/* (name, name) */
static bool read_inputs(reader *r)
{
    int32_t *n = &r->out->n_inputs;
    if (!expect(r, "(")) {
        return false;
    }
    do {
        oribi_scan_spaces(&r->at);
        if (*n == ORIBI_FORMULA_INPUTS || !oribi_scan_name(&r->at, true, &r->inputs[*n])) {
            return oribi_spec_fail(r->spec, "a formula has 1 to %d inputs, of small letters",
                                   (int)ORIBI_FORMULA_INPUTS);
        }
        ++*n;
    } while (sees(r, ","));
    return expect(r, ")");
}

static bool read_input(reader *r, oribi_span name, oribi_term *out)
{
    out->kind = ORIBI_TERM_INPUT;
    for (out->index = 0; out->index < r->out->n_inputs; out->index++) {
        const oribi_span *input = &r->inputs[out->index];
        if (input->length == name.length && memcmp(input->data, name.data, name.length) == 0) {
            return true;
        }
    }
    return oribi_spec_fail(r->spec, "'%.*s' is no input of the formula", (int)name.length,
                           name.data);
}

/* Behind the '@'. */
static bool read_attr(reader *r, oribi_term *out)
{
    oribi_span name;
    if (!oribi_scan_name(&r->at, false, &name)) {
        return oribi_spec_fail(r->spec, "a name follows '@'");
    }
    out->kind = ORIBI_TERM_ATTR;
    out->name = keep(r, name);
    const oribi_attr_def *def =
        out->name != NULL ? oribi_op_find_attr(&r->spec->entry->def, out->name) : NULL;
    if (def == NULL || def->kind != TF_ATTR_FLOAT || def->is_list) {
        return oribi_spec_fail(r->spec, "'@%.*s' is no attribute of this op that is a float",
                               (int)name.length, name.data);
    }
    for (out->index = 0; out->index < r->out->n_attrs; out->index++) {
        if (strcmp(r->attrs[out->index], out->name) == 0) {
            return true;
        }
    }
    if (out->index == ORIBI_FORMULA_INPUTS) {
        return oribi_spec_fail(r->spec, "more than %d attributes", (int)ORIBI_FORMULA_INPUTS);
    }
    r->attrs[r->out->n_attrs++] = out->name;
    return true;
}

static oribi_term *read_term(reader *r, int depth);

/* Behind the name of an op: (term, term) */
static bool read_arguments(reader *r, oribi_span name, oribi_term *out, int depth)
{
    oribi_term **last = &out->first;
    out->kind = ORIBI_TERM_CALL;
    out->name = keep(r, name);
    const struct word *word = out->name != NULL ? find_word(out->name) : NULL;
    out->power = 1.0;
    if (word != NULL) {
        out->role = word->role;
        out->power = word->power;
        out->inverts = word->inverts;
        out->turns = word->turns;
    }
    do {
        *last = read_term(r, depth);
        if (*last == NULL) {
            return false;
        }
        last = &(*last)->next;
    } while (sees(r, ","));
    return expect(r, ")");
}

/* The op's name may have a vendor's in front: Vendor>Op. */
static bool read_name(reader *r, oribi_span *out)
{
    const char *begin = r->at;
    if (!oribi_scan_name(&r->at, false, out)) {
        return false;
    }
    if (oribi_scan_literal(&r->at, ">")) {
        if (!oribi_scan_name(&r->at, false, out)) {
            return false;
        }
        out->data = begin;
        out->length = (size_t)(r->at - begin);
    }
    return true;
}

static oribi_term *read_term(reader *r, int depth)
{
    oribi_span name;
    oribi_term *term = oribi_arena_array(&r->spec->entry->arena, 1, sizeof *term);
    if (term == NULL) {
        (void)oribi_spec_no_memory(r->spec);
        return NULL;
    }
    *term = (oribi_term){.kind = ORIBI_TERM_NUMBER};
    oribi_scan_spaces(&r->at);
    bool ok;
    if (depth == 0) {
        ok = oribi_spec_fail(r->spec, "a formula of more than %d levels", ORIBI_FORMULA_DEPTH);
    } else if (oribi_scan_literal(&r->at, "@")) {
        ok = read_attr(r, term);
    } else if (read_name(r, &name)) {
        ok = sees(r, "(") ? read_arguments(r, name, term, depth - 1) : read_input(r, name, term);
    } else {
        ok = oribi_value_double(&r->at, &term->number) ||
             oribi_spec_fail(r->spec, "'%s' is neither a name nor a number", r->at);
    }
    return ok ? term : NULL;
}

/* ; attribute = word */
static bool read_says(reader *r)
{
    oribi_span name, what;
    oribi_scan_spaces(&r->at);
    bool ok = oribi_scan_name(&r->at, false, &name) && expect(r, "=");
    oribi_scan_spaces(&r->at);
    ok = ok && oribi_scan_name(&r->at, false, &what);
    if (ok) {
        r->out->says = keep(r, name);
        r->out->says_what = keep(r, what);
    }
    const oribi_attr_def *def =
        ok && r->out->says != NULL ? oribi_op_find_attr(&r->spec->entry->def, r->out->says) : NULL;
    return (def != NULL && def->kind == TF_ATTR_STRING && !def->is_list) ||
           oribi_spec_fail(r->spec, "behind ';' stands a text attribute of this op, '=', a word");
}

bool oribi_spec_parse_formula(oribi_spec *spec, const char *at, oribi_fusion *out)
{
    reader r = {.spec = spec, .at = at, .out = out};
    out->text = spec->text;
    if (!read_inputs(&r) || !expect(&r, "=")) {
        return false;
    }
    out->formula = read_term(&r, ORIBI_FORMULA_DEPTH);
    if (out->formula == NULL) {
        return false;
    }
    if (out->formula->kind != ORIBI_TERM_CALL) {
        return oribi_spec_fail(spec, "a formula computes something");
    }
    out->first = out->formula->name;
    if (sees(&r, ";") && !read_says(&r)) {
        return false;
    }
    oribi_scan_spaces(&r.at);
    return *r.at == '\0' || oribi_spec_fail(spec, "'%s' follows the formula", r.at);
}
