/* SPDX-License-Identifier: Apache-2.0 */
/* `oribi compare`: the same inputs through two sides; which outputs agree, and with --per-node the
 * first value that does not. Read next: compare.h.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare.h"

const cli_option cmd_compare_options[] = {
    {"--input", 'i', "NAME=VALUE", "an input of both, as `oribi run` takes them"},
    {"--runs", 0, "N", "runs on random inputs, where none is given (default 1)"},
    {"--a", 0, "OPTIONS", "session options of the first side alone: --a \"--kernels micro\""},
    {"--b", 0, "OPTIONS", "and of the second"},
    CLI_LIMIT_OPTIONS,
    {"--per-node", 0, NULL,
     "compare what the nodes compute, too, and name the first that does not agree; passes that "
     "make one node of several are off then"},
    {"--python", 0, "PYTHON", "of the side `onnxruntime` (default: python3)"},
    {"--json", 0, NULL, "print everything that was compared as JSON"},
    CLI_DEVICE_OPTION,
    CLI_PLACE_OPTIONS,
    CLI_SESSION_OPTIONS,
    {NULL, 0, NULL, NULL},
};

typedef struct comparison {
    const cli_args *args;
    compare_limits limits;
    compare_side a, b;
    bool per_node;
    int n_bad; /* outputs that do not agree */
    oribi_text text;
    oribi_json json;
} comparison;

/* --- Inputs ---------------------------------------------------------------------------------- */

static bool is_input_given(const cli_args *args, const oribi_model *model, int index,
                           cli_input *out)
{
    const char *text;
    for (int k = 0; (text = cli_value_at(args, "--input", k)) != NULL; k++) {
        if (cli_input_parse(model, text, out) && out->index == index) {
            return true;
        }
    }
    return false;
}

static bool are_inputs_good(const cli_args *args, const oribi_model *model)
{
    const char *text;
    cli_input input;
    for (int k = 0; (text = cli_value_at(args, "--input", k)) != NULL; k++) {
        if (!cli_input_parse(model, text, &input)) {
            return false;
        }
    }
    return true;
}

/* What is given, else what the file of the other side has under that name, else random numbers. */
static int make_inputs(const comparison *c, const compare_side *model, const compare_side *other,
                       int seed, compare_values *out)
{
    const oribi_model *m = model->session.model;
    const cli_image_options images = {.show = false};

    if (!are_inputs_good(c->args, m)) {
        return CLI_USAGE;
    }
    cli_input_begin(&model->session, 0, 0);
    for (int i = 0; i < oribi_model_num_inputs(m); i++) {
        const char *name = oribi_model_input_name(m, i);
        char random[32];
        cli_input input = {i, random, name};
        const compare_value *stored =
            other->is_model || other->is_python ? NULL : compare_values_find(&other->outputs, name);
        TF_Tensor *tensor;
        (void)snprintf(random, sizeof random, "rand:%d", seed * 1000 + i);
        if (!is_input_given(c->args, m, i, &input) && stored != NULL) {
            tensor = cli_npz_read(other->path, name);
        } else {
            tensor = cli_input_make(m, &input, &images);
        }
        if (tensor == NULL) {
            return cli_budget_code();
        }
        compare_values_add(out, name, NULL, tensor);
    }
    return CLI_OK;
}

/* --- Judging --------------------------------------------------------------------------------- */

static void put_verdict(comparison *c, const char *kind, const compare_value *value,
                        const compare_verdict *v, bool agrees)
{
    oribi_json *json = &c->json;

    oribi_json_open(json, '{');
    oribi_json_put_string(json, "kind", kind);
    oribi_json_put_string(json, "name", value->name);
    if (value->node != NULL) {
        oribi_json_put_string(json, "node", value->node);
    }
    oribi_json_put_bool(json, "agrees", agrees);
    if (v->unlike != NULL) {
        oribi_json_put_string(json, "unlike", v->unlike);
    } else {
        oribi_json_put_int(json, "elements", v->n);
        oribi_json_put_int(json, "differing", v->n_bad);
        oribi_json_key(json, "max_abs");
        oribi_json_double(json, v->max_abs);
        oribi_json_key(json, "max_rel");
        oribi_json_double(json, v->max_rel);
        oribi_json_put_int(json, "max_ulp", v->max_ulp);
        oribi_json_put_int(json, "worst", v->worst);
        oribi_json_put_string(json, "a", v->a);
        oribi_json_put_string(json, "b", v->b);
    }
    oribi_json_close(json, '}');
}

static bool is_json(const comparison *c)
{
    return cli_has(c->args, "--json");
}

static void print_verdict(const char *kind, const compare_value *value, const compare_verdict *v)
{
    char words[400], shape[80];

    compare_verdict_print(v, words, sizeof words);
    cli_print_shape(value->tensor, shape, sizeof shape);
    cli_print("%s '%s' %s %s %s\n", kind, value->name, cli_type_name(TF_TensorType(value->tensor)),
              shape, words);
}

/* The other side's value of that name; of outputs, where no name is shared, of that number. */
static const compare_value *find_other(const comparison *c, int index)
{
    const compare_values *a = &c->a.outputs, *b = &c->b.outputs;
    bool is_shared = false;

    for (int i = 0; i < a->n; i++) {
        is_shared = is_shared || compare_values_find(b, a->at[i].name) != NULL;
    }
    if (is_shared) {
        return compare_values_find(b, a->at[index].name);
    }
    return a->n == b->n ? &b->at[index] : NULL;
}

static int judge_outputs(comparison *c)
{
    int n_compared = 0;

    for (int i = 0; i < c->a.outputs.n; i++) {
        const compare_value *a = &c->a.outputs.at[i], *b = find_other(c, i);
        compare_verdict v;
        if (b == NULL) {
            cli_note("output '%s' is in %s alone", a->name, c->a.path);
            continue;
        }
        const bool agrees = compare_judge(a->tensor, b->tensor, &c->limits, &v);
        n_compared++;
        c->n_bad += !agrees;
        if (is_json(c)) {
            put_verdict(c, "output", a, &v, agrees);
        } else {
            print_verdict("output", a, &v);
        }
    }
    if (n_compared == 0) {
        cli_error("compare: %s and %s have no output in common", c->a.path, c->b.path);
        return CLI_BAD_INPUT;
    }
    return CLI_OK;
}

/* Goes through the values in the order in which A computed them. What has another shape on the two
 * sides has only its name in common (another layout), and does not count. */
static void judge_nodes(comparison *c)
{
    const compare_value *first = NULL, *before = NULL;
    compare_verdict first_verdict = {0};
    int n = 0, n_bad = 0;

    for (int i = 0; i < c->a.nodes.n; i++) {
        const compare_value *a = &c->a.nodes.at[i];
        const compare_value *b = compare_values_find(&c->b.nodes, a->name);
        compare_verdict v;
        if (b == NULL) {
            continue;
        }
        const bool agrees = compare_judge(a->tensor, b->tensor, &c->limits, &v);
        if (v.unlike != NULL) {
            continue;
        }
        n++;
        n_bad += !agrees;
        if (is_json(c)) {
            put_verdict(c, "node", a, &v, agrees);
        }
        if (!agrees && first == NULL) {
            first = a;
            first_verdict = v;
        }
        before = agrees && first == NULL ? a : before;
    }
    if (is_json(c)) {
        return;
    }
    cli_print("nodes: %d values compared, %d differ\n", n, n_bad);
    if (first != NULL) {
        print_verdict("first divergence: value", first, &first_verdict);
        if (first->node != NULL) {
            cli_print("  of node '%s'", first->node);
        }
        cli_print("%s%s%s\n", before == NULL ? "  nothing before it was compared" : "  after '",
                  before == NULL ? "" : before->name, before == NULL ? "" : "', which agrees");
    }
}

/* --- Command --------------------------------------------------------------------------------- */

static int run_side(const comparison *c, compare_side *side, const compare_values *inputs)
{
    if (side->is_python) {
        return compare_python_run(c->args, c->a.path, inputs, c->per_node, side);
    }
    return side->is_model ? compare_side_run(side, inputs, c->per_node) : CLI_OK;
}

static int compare_once(comparison *c, int seed)
{
    compare_values inputs = {NULL, 0};
    int code = CLI_OK;

    if (c->a.is_model || c->b.is_model) {
        const compare_side *model = c->a.is_model ? &c->a : &c->b;
        code = make_inputs(c, model, model == &c->a ? &c->b : &c->a, seed, &inputs);
    }
    code = code == CLI_OK ? run_side(c, &c->a, &inputs) : code;
    code = code == CLI_OK ? run_side(c, &c->b, &inputs) : code;
    code = code == CLI_OK ? judge_outputs(c) : code;
    if (code == CLI_OK && c->per_node) {
        judge_nodes(c);
    }
    compare_values_free(&inputs);
    return code;
}

/* With one argument the model is both sides, which differ by their options. */
static int open_sides(comparison *c)
{
    const cli_args *args = c->args;
    const int n = args->n_positional;

    if (n < 1 || n > 2 ||
        (n == 1 && cli_value(args, "--a") == NULL && cli_value(args, "--b") == NULL)) {
        cli_error("compare: wants two of a model, an .npz and `onnxruntime`, or one model and --a "
                  "or --b; see `oribi help compare`");
        return CLI_USAGE;
    }
    int code = compare_side_open(args, 'a', args->positional[0], &c->a);
    code = code == CLI_OK ? compare_side_open(args, 'b', args->positional[n - 1], &c->b) : code;
    if (code == CLI_OK && (c->a.is_python || (c->b.is_python && !c->a.is_model))) {
        cli_error("compare: `onnxruntime` runs the model that the first argument names");
        code = CLI_USAGE;
    }
    const bool has_nodes = c->a.is_model && (c->b.is_model || c->b.is_python);
    if (code == CLI_OK && c->per_node && !has_nodes) {
        cli_error("compare: --per-node wants two models, or a model and `onnxruntime`");
        code = CLI_USAGE;
    }
    return code;
}

static int compare_all(comparison *c, int n_runs)
{
    int code = open_sides(c);

    c->json = (oribi_json){.text = &c->text};
    oribi_json_open(&c->json, '[');
    for (int k = 0; code == CLI_OK && k < n_runs; k++) {
        code = compare_once(c, k + 1);
    }
    oribi_json_close(&c->json, ']');
    oribi_text_append(&c->text, "\n");
    if (code == CLI_OK && is_json(c)) {
        cli_text_print(&c->text);
    }
    oribi_text_destroy(&c->text);
    compare_side_close(&c->a);
    compare_side_close(&c->b);
    return code == CLI_OK && c->n_bad > 0 ? CLI_MISMATCH : code;
}

int cmd_compare(const cli_args *args)
{
    comparison c = {.args = args, .per_node = cli_has(args, "--per-node")};
    bool bad = false, has_limits;
    const int n_runs = (int)cli_number(args, "--runs", 1, 1, 100000, &bad);

    if (!compare_limits_read(args, &c.limits, &has_limits) || bad) {
        return CLI_USAGE;
    }
    return compare_all(&c, n_runs);
}
