/* SPDX-License-Identifier: Apache-2.0 */
/* How is one op made from a line of a table, and its result on a device compared with the CPU's? */
#ifndef ORIBI_TESTS_DEVICES_OP_CASE_H_
#define ORIBI_TESTS_DEVICES_OP_CASE_H_

#include "devices/on_plugin.h"

/* inputs, separated by blanks: "2x3" the model's input x, of that shape (one for each case);
 * "?2x3" the same, but the model does not say it; "c2x3" a constant; "i1,2" a vector of int32, "s1"
 * one int32; "m1,2,3,4" pairs [n, 2]; "f0.5" one float. attrs: "name=i1", "=b0", "=f0.5", "=sTEXT",
 * "=l1,2" (a list).
 */
typedef struct op_case {
    const char *op, *inputs, *attrs;
    int n_outputs; /* 0: one */
} op_case;

enum { MAX_INPUTS = 8, MAX_RANK = 16, MAX_CONSTANT = 4096 };

static const op_case *current;
static int64_t x_dims[MAX_RANK];
static int x_rank;

/* --- Building -------------------------------------------------------------------------------- */

static int parse_list(const char *text, char separator, int64_t *values, int most)
{
    int n = 0;
    while (*text != '\0' && *text != ' ') {
        char *end;
        assert_true(n < most);
        values[n++] = strtoll(text, &end, 10);
        text = *end == separator ? end + 1 : end;
    }
    return n;
}

static oribi_value_id constant(small_graph *g, const char *name, TF_DataType type, int rank,
                               const int64_t *dims, const void *data)
{
    const oribi_value_id id =
        oribi_graph_add_constant_copy(g->graph, name, type, dims, rank, data, g->status);
    assert_true(id >= 0);
    return id;
}

static oribi_value_id float_constant(small_graph *g, const char *name, const char *text)
{
    static float data[MAX_CONSTANT];
    int64_t dims[MAX_RANK], n = 1;
    const int rank = parse_list(text, 'x', dims, MAX_RANK);
    for (int i = 0; i < rank; i++) {
        n *= dims[i];
    }
    assert_true(n <= MAX_CONSTANT);
    for (int64_t i = 0; i < n; i++) {
        data[i] = (float)((i * 11) % 17) * 0.25f + 0.5f; /* above 0: divisors, variances */
    }
    return constant(g, name, TF_FLOAT, rank, dims, data);
}

static oribi_value_id int_constant(small_graph *g, const char *name, const char *text)
{
    int64_t values[64];
    int32_t data[64];
    const int n = parse_list(text + 1, ',', values, 64);
    for (int i = 0; i < n; i++) {
        data[i] = (int32_t)values[i];
    }
    return constant(g, name, TF_INT32,
                    *text == 's'   ? 0
                    : *text == 'm' ? 2
                                   : 1,
                    (int64_t[]){*text == 'm' ? n / 2 : n, 2}, data);
}

static oribi_value_id add_input(small_graph *g, int index, const char *text)
{
    char name[16];
    snprintf(name, sizeof name, "in%d", index);
    if (*text >= '0' && *text <= '9') {
        x_rank = parse_list(text, 'x', x_dims, MAX_RANK);
        return small_input(g, name, x_rank, x_dims);
    } else if (*text == '?') { /* of dimensions that are known at run time only */
        int64_t unknown[MAX_RANK];
        x_rank = parse_list(text + 1, 'x', x_dims, MAX_RANK);
        for (int i = 0; i < x_rank; i++) {
            unknown[i] = -1;
        }
        return small_input(g, name, x_rank, unknown);
    } else if (*text == '-') { /* a scalar */
        x_rank = 0;
        return small_input(g, name, 0, x_dims);
    } else if (*text == 'c') {
        return float_constant(g, name, text + 1);
    } else if (*text == 'f') {
        const float value = strtof(text + 1, NULL);
        return constant(g, name, TF_FLOAT, 0, NULL, &value);
    }
    return int_constant(g, name, text);
}

static void set_attr(small_graph *g, oribi_node *node, const char *text)
{
    char name[32], value[32];
    int64_t list[16];
    oribi_arena *arena = &g->graph->arena;
    oribi_attrs *attrs = &node->attrs;
    assert_int_equal(sscanf(text, "%31[^=]=%31[^ ]", name, value), 2);
    switch (value[0]) {
    case 'i':
        assert_true(oribi_attrs_set_int(attrs, arena, name, atoi(value + 1)));
        break;
    case 'b':
        assert_true(oribi_attrs_set_bool(attrs, arena, name, value[1] == '1'));
        break;
    case 'f':
        assert_true(oribi_attrs_set_float(attrs, arena, name, strtof(value + 1, NULL)));
        break;
    case 'l':
        assert_true(
            oribi_attrs_set_ints(attrs, arena, name, list, parse_list(value + 1, ',', list, 16)));
        break;
    default:
        assert_true(oribi_attrs_set_string(attrs, arena, name, value + 1));
    }
}

static small_graph build(void)
{
    small_graph g = small_begin();
    oribi_value_id inputs[MAX_INPUTS];
    int n = 0;
    const int n_outputs = current->n_outputs > 0 ? current->n_outputs : 1;
    for (const char *at = current->inputs; at != NULL; at = strchr(at, ' ')) {
        at += *at == ' ';
        assert_true(n < MAX_INPUTS);
        inputs[n] = add_input(&g, n, at);
        n++;
    }
    oribi_node *node =
        oribi_graph_add_node(g.graph, current->op, "node", inputs, n, n_outputs, g.status);
    assert_non_null(node);
    for (const char *at = current->attrs; at != NULL; at = strchr(at, ' ')) {
        at += *at == ' ';
        set_attr(&g, node, at);
    }
    if (!oribi_graph_resolve(g.graph, node, g.status)) {
        fail_msg("%s %s: %s", current->op, current->inputs, TF_Message(g.status));
    }
    for (int i = 0; i < n_outputs; i++) {
        char name[16];
        snprintf(name, sizeof name, "z%d", i);
        small_output(&g, node->outputs[i], name);
    }
    return g;
}

/* --- Comparing ------------------------------------------------------------------------------- */

static void bind(oribi_run *run, bool has_specials)
{
    TF_Tensor *x = small_tensor(x_rank, x_dims, 0);
    float *data = TF_TensorData(x);
    const int64_t n = TF_TensorElementCount(x);
    for (int64_t i = 0; i < n; i++) {
        data[i] = (float)((i * 37) % 61) * 0.125f - 3.0f;
    }
    if (has_specials && n > 10) {
        data[4] = NAN;
        data[7] = INFINITY;
        data[9] = -INFINITY;
        data[n - 1] = -0.0f;
    }
    small_bind(run, 0, x);
}

static bool is_near(float p, float q)
{
    const float least = strcmp(current->op, "Softmax") == 0 ? 0.0f : 1.0f; /* its rows sum to 1 */
    const float scale = fabsf(p) > least ? fabsf(p) : least;
    return p == q || (isnan(p) && isnan(q)) || fabsf(p - q) <= 2e-5f * scale;
}

static void expect_same(oribi_run *expected, oribi_run *run, int index)
{
    TF_Tensor *p = small_result(expected, index), *q = small_result(run, index);
    assert_int_equal(TF_TensorType(p), TF_TensorType(q));
    assert_int_equal(TF_NumDims(p), TF_NumDims(q));
    for (int i = 0; i < TF_NumDims(p); i++) {
        assert_int_equal(TF_Dim(p, i), TF_Dim(q, i));
    }
    assert_int_equal(TF_TensorByteSize(p), TF_TensorByteSize(q));
    if (TF_TensorType(p) != TF_FLOAT) {
        assert_memory_equal(TF_TensorData(p), TF_TensorData(q), TF_TensorByteSize(p));
    }
    for (int64_t i = 0; TF_TensorType(p) == TF_FLOAT && i < TF_TensorElementCount(p); i++) {
        const float a = ((const float *)TF_TensorData(p))[i];
        const float b = ((const float *)TF_TensorData(q))[i];
        if (!is_near(a, b)) {
            fail_msg("%s %s %s: element %d of output %d is %g on the device, %g on the CPU",
                     current->op, current->inputs, current->attrs != NULL ? current->attrs : "",
                     (int)i, index, (double)b, (double)a);
        }
    }
    TF_DeleteTensor(p);
    TF_DeleteTensor(q);
}

static oribi_session *open_case(const char *device)
{
    TF_Status *status = TF_NewStatus();
    small_graph g = build();
    oribi_session *session = device_try_session(&g, device, NULL, device == NULL, status);
    if (TF_GetCode(status) != TF_OK) {
        fail_msg("%s %s: %s", current->op, current->inputs, TF_Message(status));
    }
    TF_DeleteStatus(status);
    return session;
}

static void run_case(const op_case *c, bool has_specials)
{
    current = c;
    oribi_session *cpu = open_case(NULL), *other = open_case(plugin_type);
    oribi_run *expected = small_run_of(cpu), *run = small_run_of(other);
    bind(expected, has_specials);
    bind(run, has_specials);
    small_execute(expected);
    for (int i = 0; i < 2; i++) {
        small_execute(run);
        for (int k = 0; k < (c->n_outputs > 0 ? c->n_outputs : 1); k++) {
            expect_same(expected, run, k);
        }
        assert_true(oribi_run_num_waits(run) <= 1);
    }
    oribi_run_destroy(expected);
    oribi_run_destroy(run);
    oribi_session_destroy(cpu);
    oribi_session_destroy(other);
}

#define RUN_ALL(cases, has_specials)                                                               \
    for (size_t i = 0; i < sizeof(cases) / sizeof *(cases); i++) {                                 \
        run_case(&(cases)[i], has_specials);                                                       \
    }

#endif
