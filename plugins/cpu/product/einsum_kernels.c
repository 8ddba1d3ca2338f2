/* SPDX-License-Identifier: Apache-2.0 */
/* Einsum of one or two operands, as the equation says it: each label is an axis, along which an
 * operand steps by what its dimensions of that label step together, so that a label that is
 * repeated walks a diagonal. The output's axes are walked, and for each of its elements the others
 * are summed. Importers make matrix products of what can be one.
 */
#include "cpu/base/families.h"
#include "cpu/base/numbers.h"
#include "cpu/base/walk.h"

#include <string.h>

enum {
    MAX_EQUATION = 1024,
    LETTERS = 52,
    LABELS = LETTERS + ORIBI_MAX_RANK, /* of the ellipsis: its dimensions, counted from the last */
    MAX_OPERANDS = 2
};

typedef struct einsum_state {
    char equation[MAX_EQUATION];
} einsum_state;

typedef struct einsum_axis {
    int64_t size, steps[MAX_OPERANDS];
    bool is_used, is_kept;
} einsum_axis;

typedef struct einsum_work {
    einsum_axis axes[LABELS];
    int n_operands, ellipsis; /* dimensions of the longest */
    oribi_cpu_walk kept, summed;
    oribi_cpu_shape out;
    const void *operands[MAX_OPERANDS];
    void *target;
} einsum_work;

static void einsum_read(oribi_kit_setup *setup, einsum_state *state)
{
    oribi_kit_attr_string(setup, "equation", state->equation, sizeof state->equation);
    char *to = state->equation;
    for (const char *from = state->equation; *from != '\0'; from++) {
        if (*from != ' ') {
            *to++ = *from;
        }
    }
    *to = '\0';
}
ORIBI_KIT_CREATE(einsum, einsum_state)

static int letter_label(char c)
{
    return c >= 'a' && c <= 'z' ? c - 'a' : c >= 'A' && c <= 'Z' ? 26 + c - 'A' : -1;
}

/* The labels of a term up to its end; the ellipsis stands for as many as make the term `rank` long,
 * where that is not negative, else for those of the longest. */
static bool read_term(oribi_kit_run *run, const char **at, int rank, einsum_work *work,
                      oribi_dims *out)
{
    const char *term = *at;
    int n_letters = 0;
    out->n = 0;
    for (const char *c = term; letter_label(*c) >= 0 || *c == '.'; c++) {
        n_letters += *c != '.';
    }
    const int more = rank < 0 ? work->ellipsis : rank - n_letters;
    bool fits = more >= 0 && more <= ORIBI_MAX_RANK;
    for (; fits && (letter_label(*term) >= 0 || *term == '.'); term++) {
        if (*term != '.') {
            fits = oribi_dims_add(out, letter_label(*term));
            continue;
        }
        fits = strncmp(term, "...", 3) == 0;
        for (int i = 0; fits && i < more; i++) {
            fits = oribi_dims_add(out, LABELS - more + i);
        }
        work->ellipsis = more > work->ellipsis ? more : work->ellipsis;
        term += 2;
    }
    if (!fits || (rank >= 0 && out->n != rank)) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "an operand of rank %d does not fit '%.30s' of the equation", rank,
                              *at);
    }
    *at = term;
    return true;
}

static bool take_operand(oribi_kit_run *run, int k, const char **at, einsum_work *work)
{
    oribi_cpu_shape shape;
    oribi_dims labels, steps;
    if (!oribi_cpu_input_shape(run, k, &shape) || !read_term(run, at, shape.n, work, &labels)) {
        return false;
    }
    work->operands[k] = TF_TensorData(run->in[k]);
    oribi_cpu_strides(&shape, &steps);
    for (int i = 0; i < shape.n; i++) {
        einsum_axis *axis = &work->axes[labels.at[i]];
        const bool may_repeat = labels.at[i] >= LETTERS;
        if (!axis->is_used || (may_repeat && axis->size == 1)) {
            axis->size = shape.at[i];
        } else if (axis->size != shape.at[i] && !(may_repeat && shape.at[i] == 1)) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                  "a label stands for %lld and for %lld, dimension %d of %s",
                                  (long long)axis->size, (long long)shape.at[i], i,
                                  oribi_cpu_shape_text(&shape).chars);
        }
        axis->is_used = true;
        axis->steps[k] += may_repeat && shape.at[i] == 1 ? 0 : steps.at[i];
    }
    return true;
}

static bool add_axis(oribi_kit_run *run, oribi_cpu_walk *walk, const einsum_axis *axis)
{
    const int64_t strides[ORIBI_CPU_WALK_OPERANDS] = {axis->steps[0], axis->steps[1]};
    return oribi_geometry_walk_add(walk, axis->size, strides) ||
           oribi_kit_fail(run, TF_UNIMPLEMENTED, "the equation has more than %d labels",
                          ORIBI_GEOMETRY_WALK_RANK);
}

/* Those of the output in its order, the others in any. */
static bool plan_walks(oribi_kit_run *run, const oribi_dims *output, einsum_work *work)
{
    oribi_geometry_walk_open(&work->kept, MAX_OPERANDS);
    oribi_geometry_walk_open(&work->summed, MAX_OPERANDS);
    work->out.n = 0;
    for (int i = 0; i < output->n; i++) {
        einsum_axis *axis = &work->axes[output->at[i]];
        if (!axis->is_used || axis->is_kept) {
            return oribi_kit_fail(run, TF_UNIMPLEMENTED, "output label %d is %s", i,
                                  axis->is_kept ? "there twice" : "in no operand");
        }
        axis->is_kept = true;
        (void)oribi_dims_add(&work->out, axis->size); /* as many as output has labels */
        if (!add_axis(run, &work->kept, axis)) {
            return false;
        }
    }
    for (int i = 0; i < LABELS; i++) {
        if (work->axes[i].is_used && !work->axes[i].is_kept &&
            !add_axis(run, &work->summed, &work->axes[i])) {
            return false;
        }
    }
    int64_t count = 0;
    if (!oribi_cpu_count(run, work->out.at, work->out.n, &count)) {
        return false;
    }
    oribi_geometry_walk_close(&work->kept);
    oribi_geometry_walk_close(&work->summed);
    oribi_geometry_walk_collapse(&work->kept);
    oribi_geometry_walk_collapse(&work->summed);
    return true;
}

static bool einsum_run(const einsum_state *state, oribi_kit_run *run, oribi_kit_range loop)
{
    einsum_work work = {.n_operands = run->n_in};
    const char *at = state->equation;
    oribi_dims output;
    int64_t cost = 0;
    for (int k = 0; k < work.n_operands; k++) {
        if (!take_operand(run, k, &at, &work)) {
            return false;
        }
        const char *next = k + 1 < work.n_operands ? "," : "->";
        if (strncmp(at, next, strlen(next)) != 0) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                  "the equation '%.100s' is not one of %d operands",
                                  state->equation, work.n_operands);
        }
        at += strlen(next);
    }
    if (!read_term(run, &at, -1, &work, &output) || !plan_walks(run, &output, &work) ||
        !oribi_cpu_count(run, (const int64_t[]){work.summed.count, 5}, 2, &cost)) {
        return false;
    }
    work.target = oribi_kit_output(run, 0, work.out.at, work.out.n);
    if (work.target != NULL && work.kept.count > 0) {
        oribi_kit_parallel(run, work.kept.count, cost < INT64_MAX - 20 ? cost + 20 : cost, &work,
                           loop);
    }
    return work.target != NULL;
}

/* A: what sums are kept in. */
#define EINSUM(T, A)                                                                               \
    typedef struct sum_##T {                                                                       \
        const T *a, *b;                                                                            \
        A sum;                                                                                     \
    } sum_##T;                                                                                     \
    static void sum_line_##T(void *object, const oribi_cpu_walk *walk, const int64_t *offsets,     \
                             int64_t at, int64_t count)                                            \
    {                                                                                              \
        sum_##T *s = object;                                                                       \
        const int64_t *steps = walk->axes[walk->rank - 1].strides;                                 \
        const T *a = s->a + offsets[0], *b = s->b == NULL ? NULL : s->b + offsets[1];              \
        (void)at;                                                                                  \
        for (int64_t i = 0; i < count; i++) {                                                      \
            s->sum += (A)a[i * steps[0]] * (b == NULL ? 1 : (A)b[i * steps[1]]);                   \
        }                                                                                          \
    }                                                                                              \
    static void kept_line_##T(void *object, const oribi_cpu_walk *walk, const int64_t *offsets,    \
                              int64_t at, int64_t count)                                           \
    {                                                                                              \
        const einsum_work *work = object;                                                          \
        const int64_t *steps = walk->axes[walk->rank - 1].strides;                                 \
        const T *a = work->operands[0], *b = work->operands[1];                                    \
        for (int64_t i = 0; i < count; i++) {                                                      \
            sum_##T s = {a + offsets[0] + i * steps[0],                                            \
                         b == NULL ? NULL : b + offsets[1] + i * steps[1], 0};                     \
            oribi_cpu_walk_run(&work->summed, 0, work->summed.count, &s, sum_line_##T);            \
            ((T *)work->target)[at + i] = (T)s.sum;                                                \
        }                                                                                          \
    }                                                                                              \
    static void units_##T(void *object, int64_t begin, int64_t end)                                \
    {                                                                                              \
        oribi_cpu_walk_run(&((einsum_work *)object)->kept, begin, end, object, kept_line_##T);     \
    }                                                                                              \
    static void einsum_##T##_compute(void *state, TF_OpKernelContext *context)                     \
    {                                                                                              \
        oribi_kit_run run;                                                                         \
        const int n_inputs = TF_NumInputs(context);                                                \
        if (oribi_kit_begin(&run, context, n_inputs < MAX_OPERANDS ? n_inputs : MAX_OPERANDS)) {   \
            (void)einsum_run(state, &run, units_##T);                                              \
        }                                                                                          \
        oribi_kit_end(&run);                                                                       \
    }
EINSUM(float, double)
EINSUM(double, double)
EINSUM(int8_t, uint64_t)
EINSUM(int16_t, uint64_t)
EINSUM(int32_t, uint64_t)
EINSUM(int64_t, uint64_t)
EINSUM(uint8_t, uint64_t)
EINSUM(uint16_t, uint64_t)
EINSUM(uint32_t, uint64_t)
EINSUM(uint64_t, uint64_t)

#define ROW(T, dtype)                                                                              \
    ORIBI_CPU_STATE_ROW("Einsum", einsum, einsum_##T, "a sum for each element",                    \
                        ORIBI_CPU_OF(dtype)),
/* clang-format off */
const oribi_cpu_kernel oribi_cpu_einsum_kernels[] = {
    ORIBI_CPU_NUMBERS(ROW)
    {.op_name = NULL},
};
/* clang-format on */
