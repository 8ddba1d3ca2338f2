/* SPDX-License-Identifier: Apache-2.0 */
/* One trait spec: word ["(" names ")"] ["if" conditions]. Inputs, outputs and attributes are parsed
 * before. What the words mean: include/tensorflow/c/op_traits.h; for a node: traits.c.
 */
#include <string.h>

#include "op/spec.h"

enum {
    MOVES = ORIBI_TRAIT_MOVES,
    REARRANGES = ORIBI_TRAIT_REARRANGES | MOVES,
    VIEW = ORIBI_TRAIT_VIEW | REARRANGES
};

/* Places, a letter for each name in the parentheses; those behind '?' may be left out:
 * d data, D data inputs, i axes, s more and l last of those that tell a shape, m more, A an axis,
 * k keep_dims, w weights; lists to the end: V vectors, P parameters, K packed, B batch; of their
 * own words: c cost, f formula, t told; h where vectors lie. */
static const struct {
    const char *word, *places;
    uint32_t is;
} words[] = {
    {"elementwise", "?D", ORIBI_TRAIT_ELEMENTWISE},
    {"identity", "?d", ORIBI_TRAIT_IDENTITY | ORIBI_TRAIT_ELEMENTWISE | VIEW},
    {"view", "?d", VIEW},
    {"rearranges", "?d", REARRANGES},
    {"moves", "?D", MOVES},
    {"permutes", "di", ORIBI_TRAIT_PERMUTES | REARRANGES},
    {"reduces", "di?k", ORIBI_TRAIT_REDUCES},
    {"along", "dA", ORIBI_TRAIT_ALONG},
    {"vectors", "hV", ORIBI_TRAIT_VECTORS},
    {"pads", "di?m", ORIBI_TRAIT_PADS},
    {"tiles", "di", ORIBI_TRAIT_TILES | MOVES},
    {"slices", "dis", ORIBI_TRAIT_SLICES | MOVES},
    {"strides", "disl", ORIBI_TRAIT_STRIDES | MOVES},
    {"joins", "dA", ORIBI_TRAIT_JOINS | MOVES},
    {"splits", "dA", ORIBI_TRAIT_SPLITS | MOVES},
    {"stacks", "dA", ORIBI_TRAIT_STACKS | MOVES},
    {"gathers", "dmA", ORIBI_TRAIT_GATHERS | MOVES},
    {"fills", "id", ORIBI_TRAIT_FILLS | MOVES},
    {"tells", "dt", ORIBI_TRAIT_TELLS},
    {"computes", "f", ORIBI_TRAIT_COMPUTES},
    {"packs", "K", ORIBI_TRAIT_PACKS},
    {"cost", "cw", ORIBI_TRAIT_COST},
    {"parameters", "P", ORIBI_TRAIT_PARAMETERS},
    {"batch", "B", ORIBI_TRAIT_BATCH},
};
enum { N_WORDS = sizeof words / sizeof words[0] };
_Static_assert(N_WORDS == (int)ORIBI_TRAIT_COUNT, "a word for each trait, in the order of its bit");

static const char *const costs[] = {"conv", "matmul", NULL};
static const char *const formulas[] = {"sum",  "difference", "product", "quotient",
                                       "relu", "relu6",      "clip",    NULL};
static const char *const told[] = {"shape", "size", "rank", NULL};

const char *oribi_trait_name(oribi_trait trait)
{
    return words[__builtin_ctz((unsigned)trait)].word;
}

static int32_t find_input(const oribi_spec *spec, oribi_span name)
{
    const oribi_op_def *def = &spec->entry->def;
    for (int32_t i = 0; i < def->n_inputs; i++) {
        if (oribi_span_is(name, def->inputs[i].name)) {
            return i;
        }
    }
    return -1;
}

static bool scan_word(oribi_spec *spec, const char **at, oribi_span *out)
{
    oribi_scan_spaces(at);
    if (!oribi_scan_name(at, false, out)) {
        return oribi_spec_fail(spec, "A name is missing at '%s'", *at);
    }
    oribi_scan_spaces(at);
    return true;
}

static bool read_input(oribi_spec *spec, oribi_span name, int32_t *out)
{
    enum { MOST = 64 }; /* bits of a set */
    *out = find_input(spec, name);
    if (*out >= MOST) {
        return oribi_spec_fail(spec, "'%.*s' is not among the first %d inputs", (int)name.length,
                               name.data, (int)MOST);
    }
    return *out >= 0 ||
           oribi_spec_fail(spec, "No input is called '%.*s'", (int)name.length, name.data);
}

static bool read_attr(oribi_spec *spec, oribi_span name, uint8_t kind, const char **out)
{
    const oribi_attr_def *attr = oribi_spec_find_attr(spec, name);
    if (attr == NULL || attr->kind != kind || attr->is_list) {
        return oribi_spec_fail(spec, "No attribute of type %s is called '%.*s'",
                               oribi_attr_kind_name(kind, false), (int)name.length, name.data);
    }
    *out = attr->name;
    return true;
}

/* Index in the list, counted from 1. */
static bool read_choice(oribi_spec *spec, oribi_span name, const char *const *choices, int *out)
{
    for (int i = 0; choices[i] != NULL; i++) {
        if (oribi_span_is(name, choices[i])) {
            *out = i + 1;
            return true;
        }
    }
    oribi_text *errors = spec->errors;
    oribi_spec_fail(spec, "'%.*s' is not one of the words allowed there", (int)name.length,
                    name.data);
    for (int i = 0; choices[i] != NULL; i++) {
        oribi_text_printf(errors, "%s%s", i == 0 ? ": " : ", ", choices[i]);
    }
    return false;
}

static bool read_bit(oribi_spec *spec, oribi_span name, uint64_t *bits)
{
    int32_t input = -1;
    ORIBI_TRY(read_input(spec, name, &input));
    *bits |= UINT64_C(1) << input;
    return true;
}

static bool read_parameter(oribi_spec *spec, oribi_span name, oribi_trait_def *out, int32_t *place)
{
    return read_input(spec, name, place) && read_bit(spec, name, &out->parameters);
}

/* An input, or else an attribute. */
static bool read_axis(oribi_spec *spec, oribi_span name, oribi_trait_def *out)
{
    if (find_input(spec, name) >= 0) {
        return read_parameter(spec, name, out, &out->axes);
    }
    return read_attr(spec, name, TF_ATTR_INT, &out->axis_attr);
}

static bool read_where(oribi_spec *spec, oribi_span name, oribi_trait_def *out)
{
    const oribi_attr_def *attr = oribi_spec_find_attr(spec, name);
    return attr != NULL && attr->kind == TF_ATTR_STRING
               ? read_attr(spec, name, TF_ATTR_STRING, &out->format_attr)
               : read_attr(spec, name, TF_ATTR_INT, &out->axis_attr);
}

static bool read_data(oribi_spec *spec, oribi_span name, oribi_trait_def *out)
{
    int32_t input = -1;
    ORIBI_TRY(read_input(spec, name, &input));
    if (out->n_data > 0 && input != out->data + out->n_data) {
        return oribi_spec_fail(spec, "'%.*s' does not follow the input named before it",
                               (int)name.length, name.data);
    }
    out->data = out->n_data == 0 ? input : out->data;
    out->n_data++;
    return true;
}

static bool read_name(oribi_spec *spec, char place, oribi_span name, oribi_trait_def *out)
{
    int choice = 0;
    bool ok = true;
    switch (place) {
    case 'd':
    case 'D':
        return read_data(spec, name, out);
    case 'i':
        return read_parameter(spec, name, out, &out->axes);
    case 's':
        return read_parameter(spec, name, out, &out->more);
    case 'l':
        return read_parameter(spec, name, out, &out->last);
    case 'm':
        return read_input(spec, name, &out->more);
    case 'A':
        return read_axis(spec, name, out);
    case 'k':
        return read_attr(spec, name, TF_ATTR_BOOL, &out->keep_attr);
    case 'w':
        return read_input(spec, name, &out->weights);
    case 'V':
        return read_bit(spec, name, &out->vectors);
    case 'P':
        return read_bit(spec, name, &out->parameters);
    case 'K':
        return read_bit(spec, name, &out->packed);
    case 'B':
        return read_bit(spec, name, &out->batch);
    case 'h':
        return read_where(spec, name, out);
    case 'c':
        ok = read_choice(spec, name, costs, &choice);
        out->cost = (oribi_cost)choice;
        return ok;
    case 'f':
        ok = read_choice(spec, name, formulas, &choice);
        out->formula = (oribi_formula)choice;
        return ok;
    default:
        ok = read_choice(spec, name, told, &choice);
        out->told = (oribi_told)choice;
        return ok;
    }
}

/* The names between the parentheses, of which `at` stands behind the first one. */
static bool parse_names(oribi_spec *spec, const char **at, const char *places, oribi_trait_def *out)
{
    for (;;) {
        oribi_span name;
        places += *places == '?' ? 1 : 0;
        oribi_scan_spaces(at);
        if (*places == '\0') {
            return oribi_spec_fail(spec, "There is one name too many at '%s'", *at);
        }
        if (*places == 'A' && oribi_scan_integer(at, &out->axis)) {
            oribi_scan_spaces(at);
        } else {
            ORIBI_TRY(scan_word(spec, at, &name) && read_name(spec, *places, name, out));
        }
        places += strchr("DVPKB", *places) != NULL ? 0 : 1;
        if (!oribi_scan_literal(at, ",")) {
            break;
        }
    }
    if (!oribi_scan_literal(at, ")")) {
        return oribi_spec_fail(spec, "A ')' is missing at '%s'", *at);
    }
    if (*places != '\0' && *places != '?' && strchr("DVPKB", *places) == NULL) {
        return oribi_spec_fail(spec, "A name is missing before '%s'", *at - 1);
    }
    return true;
}

static bool parse_sizes(oribi_spec *spec, const char **at, const char **out)
{
    oribi_span name;
    oribi_scan_spaces(at);
    if (!oribi_scan_literal(at, "(")) {
        return oribi_spec_fail(spec, "A '(' is missing at '%s'", *at);
    }
    ORIBI_TRY(scan_word(spec, at, &name) && read_attr(spec, name, TF_ATTR_TYPE, out));
    if (!oribi_scan_literal(at, ")")) {
        return oribi_spec_fail(spec, "A ')' is missing at '%s'", *at);
    }
    oribi_scan_spaces(at);
    return true;
}

static bool parse_other_sizes(oribi_spec *spec, const char **at, oribi_trait_condition *out)
{
    oribi_scan_spaces(at);
    return (oribi_scan_literal(at, "size") ||
            oribi_spec_fail(spec, "size(..) is missing at '%s'", *at)) &&
           parse_sizes(spec, at, &out->other);
}

/* A number, true, false, 'text', type or attribute, of the kind of the attribute before it. */
static bool parse_value(oribi_spec *spec, const char **at, const oribi_attr_def *attr,
                        oribi_trait_condition *out)
{
    union {
        int64_t i;
        uint8_t b;
        TF_DataType type;
        oribi_string s;
    } value = {0};
    oribi_span name = {0};
    bool fits = false;
    oribi_scan_spaces(at);
    if (attr->kind == TF_ATTR_INT && oribi_scan_integer(at, &value.i)) {
        fits = true;
    } else if (attr->kind == TF_ATTR_STRING && oribi_scan_quoted(at, spec, &value.s)) {
        fits = true;
    } else if (oribi_scan_name(at, false, &name)) {
        const oribi_attr_def *other = oribi_spec_find_attr(spec, name);
        if (other != NULL && other->kind == attr->kind && !other->is_list) {
            out->other = other->name;
            return true;
        }
        value.b = oribi_span_is(name, "true");
        fits = attr->kind == TF_ATTR_BOOL && (value.b != 0 || oribi_span_is(name, "false"));
        if (attr->kind == TF_ATTR_TYPE) {
            value.type = oribi_dtype_parse(name.data, name.length);
            fits = value.type != 0;
        }
    }
    if (!fits) {
        return spec->no_memory
                   ? false
                   : oribi_spec_fail(spec,
                                     "Attribute '%s' is compared with something that is neither a "
                                     "value of its type nor an attribute of it",
                                     attr->name);
    }
    oribi_attr made = {.kind = attr->kind, .count = 1};
    const void *copy =
        oribi_arena_memdup(&spec->entry->arena, &value, oribi_attr_element_bytes(attr->kind));
    memcpy(&made.u, &copy, sizeof copy);
    out->value = oribi_arena_memdup(&spec->entry->arena, &made, sizeof made);
    return (copy != NULL && out->value != NULL) || oribi_spec_no_memory(spec);
}

static bool parse_condition(oribi_spec *spec, const char **at, oribi_trait_condition *out)
{
    oribi_span name;
    *out = (oribi_trait_condition){.attr = NULL};
    ORIBI_TRY(scan_word(spec, at, &name));
    const oribi_attr_def *attr = oribi_spec_find_attr(spec, name);
    out->is_of_sizes = attr == NULL && oribi_span_is(name, "size");
    if (out->is_of_sizes) {
        ORIBI_TRY(parse_sizes(spec, at, &out->attr));
    } else if (attr == NULL || attr->is_list) {
        return oribi_spec_fail(spec, "No attribute with one value is called '%.*s'",
                               (int)name.length, name.data);
    } else {
        out->attr = attr->name;
    }
    out->is_different = oribi_scan_literal(at, "!=");
    if (!out->is_different && !oribi_scan_literal(at, "=")) {
        return oribi_spec_fail(spec, "'=' or '!=' is missing at '%s'", *at);
    }
    ORIBI_TRY(out->is_of_sizes ? parse_other_sizes(spec, at, out)
                               : parse_value(spec, at, attr, out));
    oribi_scan_spaces(at);
    return true;
}

static bool parse_conditions(oribi_spec *spec, const char **at, oribi_trait_def *out)
{
    enum { MOST = 8 };
    oribi_trait_condition found[MOST];
    do {
        if (out->n_conditions == MOST) {
            return oribi_spec_fail(spec, "There are more than %d conditions", (int)MOST);
        }
        ORIBI_TRY(parse_condition(spec, at, &found[out->n_conditions++]));
    } while (oribi_scan_literal(at, "and "));
    out->conditions =
        oribi_arena_memdup(&spec->entry->arena, found, (size_t)out->n_conditions * sizeof found[0]);
    return out->conditions != NULL || oribi_spec_no_memory(spec);
}

static bool parse_word(oribi_spec *spec, const char **at, oribi_trait_def *out)
{
    oribi_span word;
    ORIBI_TRY(scan_word(spec, at, &word));
    int i = 0;
    while (i < N_WORDS && !oribi_span_is(word, words[i].word)) {
        i++;
    }
    if (i == N_WORDS) {
        return oribi_spec_fail(spec, "No trait is called '%.*s'", (int)word.length, word.data);
    }
    out->is = words[i].is;
    if (oribi_scan_literal(at, "(")) {
        ORIBI_TRY(parse_names(spec, at, words[i].places, out));
    } else if (words[i].places[0] != '?') {
        return oribi_spec_fail(spec, "'%s' needs names in parentheses", words[i].word);
    } else {
        out->data = 0;
        out->n_data = words[i].places[1] == 'D' ? spec->entry->def.n_inputs : 1;
    }
    oribi_scan_spaces(at);
    return true;
}

/* All words of an op mean the same data and the same axes. */
static bool check_same(oribi_spec *spec, const oribi_trait_def *one)
{
    const oribi_op_def *def = &spec->entry->def;
    if (one->data + one->n_data > def->n_inputs) {
        return oribi_spec_fail(spec, "There is no input that could be the data");
    }
    for (const oribi_trait_def *other = def->traits; other < one; other++) {
        if (other->n_data > 0 && one->n_data > 0 &&
            (other->data != one->data || other->n_data != one->n_data)) {
            return oribi_spec_fail(spec, "'%s' names other data: name the inputs in both",
                                   other->spec);
        }
        if (other->axes >= 0 && one->axes >= 0 && other->axes != one->axes) {
            return oribi_spec_fail(spec, "'%s' names another input for axes", other->spec);
        }
    }
    return true;
}

bool oribi_spec_parse_trait(oribi_spec *spec, oribi_trait_def *out)
{
    const char *at = spec->text;
    *out = (oribi_trait_def){.spec = spec->text, .axes = -1, .more = -1, .last = -1, .weights = -1};
    ORIBI_TRY(parse_word(spec, &at, out));
    if (oribi_scan_literal(&at, "if ")) {
        ORIBI_TRY(parse_conditions(spec, &at, out));
    }
    if (*at != '\0') {
        return oribi_spec_fail(spec, "Extra '%s' unparsed at the end", at);
    }
    return check_same(spec, out);
}
