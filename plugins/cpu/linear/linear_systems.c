/* SPDX-License-Identifier: Apache-2.0 */
/* MatrixInverse, MatrixSolve, MatrixTriangularSolve, Cholesky, MatrixDeterminant: of many square
 * matrices each, in double.
 */
#include "cpu/base/cpu_shape.h"
#include "cpu/base/families.h"

#include <math.h>
#include <string.h>

typedef struct system_state {
    bool adjoint, lower;
} system_state;

static void adjoint_read(oribi_kit_setup *setup, system_state *state)
{
    oribi_kit_attr_bool(setup, "adjoint", &state->adjoint);
}
ORIBI_KIT_CREATE(adjoint, system_state)

static void triangle_read(oribi_kit_setup *setup, system_state *state)
{
    adjoint_read(setup, state);
    oribi_kit_attr_bool(setup, "lower", &state->lower);
}
ORIBI_KIT_CREATE(triangle, system_state)

/* --- One system ------------------------------------------------------------------------------- */

/* a [n, n] and b [n, k], which becomes the solution; a is destroyed. */
typedef struct linear {
    oribi_kit_run *run;
    double *a, *b;
    double determinant; /* of a, once it is eliminated */
    int64_t n, k, patience;
} linear;

static bool refuse(oribi_kit_run *run, const char *what)
{
    return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "%s", what);
}

static void exchange(double *a, double *b, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        const double swap = a[i];
        a[i] = b[i];
        b[i] = swap;
    }
}

/* Row r of a and b less so much of row k. */
static void take_away(linear *s, int64_t r, int64_t k, double factor)
{
    for (int64_t c = k; c < s->n; c++) {
        s->a[r * s->n + c] -= factor * s->a[k * s->n + c];
    }
    for (int64_t c = 0; c < s->k; c++) {
        s->b[r * s->k + c] -= factor * s->b[k * s->k + c];
    }
}

/* Substitution, from the first row where the triangle is a lower one, else from the last. */
static bool substitute(linear *s, bool is_lower)
{
    for (int64_t i = 0; i < s->n; i++) {
        const int64_t r = is_lower ? i : s->n - 1 - i;
        const double pivot = s->a[r * s->n + r];
        if (pivot == 0) {
            return refuse(s->run, "Input matrix is not invertible.");
        }
        for (int64_t c = 0; c < s->k; c++) {
            double sum = s->b[r * s->k + c];
            for (int64_t j = is_lower ? 0 : r + 1; j < (is_lower ? r : s->n); j++) {
                sum -= s->a[r * s->n + j] * s->b[j * s->k + c];
            }
            s->b[r * s->k + c] = sum / pivot;
        }
        if (oribi_kit_stops(s->run, &s->patience, s->n * s->k + 10)) {
            return false;
        }
    }
    return true;
}

/* An elimination with row exchanges: a becomes an upper triangle. False: the run stops. */
static bool eliminate(linear *s)
{
    s->determinant = 1;
    for (int64_t k = 0; k < s->n; k++) {
        int64_t top = k;
        for (int64_t r = k + 1; r < s->n; r++) {
            top = fabs(s->a[r * s->n + k]) > fabs(s->a[top * s->n + k]) ? r : top;
        }
        if (top != k) {
            exchange(s->a + top * s->n, s->a + k * s->n, s->n);
            exchange(s->b + top * s->k, s->b + k * s->k, s->k);
            s->determinant = -s->determinant;
        }
        const double pivot = s->a[k * s->n + k];
        s->determinant *= pivot;
        for (int64_t r = k + 1; pivot != 0 && r < s->n; r++) {
            take_away(s, r, k, s->a[r * s->n + k] / pivot);
            if (oribi_kit_stops(s->run, &s->patience, s->n + s->k + 10)) {
                return false;
            }
        }
    }
    return true;
}

/* b becomes the lower triangle whose product with its transpose is a. */
static bool decompose(linear *s)
{
    const int64_t n = s->n;
    memset(s->b, 0, (size_t)(n * n) * sizeof *s->b);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j <= i; j++) {
            double sum = s->a[i * n + j];
            for (int64_t k = 0; k < j; k++) {
                sum -= s->b[i * n + k] * s->b[j * n + k];
            }
            if (i == j && !(sum > 0)) {
                return refuse(s->run, "Cholesky decomposition was not successful. The input might "
                                      "not be valid.");
            }
            s->b[i * n + j] = i == j ? sqrt(sum) : sum / s->b[j * n + j];
            if (oribi_kit_stops(s->run, &s->patience, j + 10)) {
                return false;
            }
        }
    }
    return true;
}

/* --- Many of them ------------------------------------------------------------------------------
 */

typedef enum kind { INVERSE, SOLVE, TRIANGLE, CHOLESKY, DETERMINANT } kind;

/* Shapes: the matrices, what stands on the right of them, the batch of both, the result. */
typedef struct systems {
    oribi_cpu_shape a, b, batch, out;
    int64_t n, k, count;
} systems;

static bool square(oribi_kit_run *run, const oribi_cpu_shape *shape)
{
    return (shape->n >= 2 && shape->at[shape->n - 1] == shape->at[shape->n - 2]) ||
           oribi_kit_fail(run, TF_INVALID_ARGUMENT, "shape %s has no square matrices",
                          oribi_cpu_shape_text(shape).chars);
}

static bool read_shapes(oribi_kit_run *run, kind what, systems *out)
{
    if (!oribi_cpu_input_shape(run, 0, &out->a) || !square(run, &out->a)) {
        return false;
    }
    oribi_cpu_shape batch = out->a;
    out->n = out->a.at[out->a.n - 1];
    out->k = out->n;
    out->out = out->b = out->a;
    batch.n -= 2;
    out->batch = batch;
    if (what == DETERMINANT) {
        out->k = 0;
        out->out = batch;
    }
    if (what == SOLVE || what == TRIANGLE) {
        if (!oribi_cpu_input_shape(run, 1, &out->b)) {
            return false;
        }
        oribi_cpu_shape other = out->b;
        other.n -= 2;
        if (out->b.n < 2 || out->b.at[out->b.n - 2] != out->n ||
            (what == SOLVE && !oribi_cpu_shape_equal(&batch, &other))) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                  "right-hand sides of shape %s do not fit matrices of shape %s",
                                  oribi_cpu_shape_text(&out->b).chars,
                                  oribi_cpu_shape_text(&out->a).chars);
        }
        if (!oribi_cpu_broadcast(run, &batch, &other, &out->batch)) {
            return false;
        }
        out->k = out->b.at[out->b.n - 1];
        out->out = out->batch;
        out->out.at[out->out.n++] = out->n;
        out->out.at[out->out.n++] = out->k;
    }
    out->count = oribi_cpu_product(out->batch.at, out->batch.n);
    return true;
}

typedef double (*element_at)(const void *data, int64_t i);

/* Matrix i of those that broadcast to the batch. */
static int64_t place_of(int64_t i, const oribi_cpu_shape *batch, const oribi_cpu_shape *of)
{
    oribi_cpu_shape own = *of;
    oribi_dims strides;
    own.n -= 2;
    oribi_cpu_broadcast_strides(&own, batch, &strides);
    return oribi_cpu_broadcast_place(i, batch, &strides);
}

static void load(oribi_kit_run *run, const systems *s, const system_state *state, kind what,
                 int64_t i, element_at get, linear *out)
{
    const int64_t n = s->n, a = place_of(i, &s->batch, &s->a) * n * n;
    for (int64_t r = 0; r < n; r++) {
        for (int64_t c = 0; c < n; c++) {
            const int64_t at = state->adjoint ? c * n + r : r * n + c;
            out->a[r * n + c] = get(TF_TensorData(run->in[0]), a + at);
        }
    }
    if (what == INVERSE) {
        for (int64_t k = 0; k < n * n; k++) {
            out->b[k] = k / n == k % n;
        }
    } else if (what == SOLVE || what == TRIANGLE) {
        const int64_t b = place_of(i, &s->batch, &s->b) * n * s->k;
        for (int64_t k = 0; k < n * s->k; k++) {
            out->b[k] = get(TF_TensorData(run->in[1]), b + k);
        }
    }
}

/* False: it has no answer, or the run stops. */
static bool compute_one(const system_state *state, kind what, linear *one)
{
    if (oribi_kit_stops(one->run, &one->patience, one->n * (one->n + one->k) + 10)) {
        return false;
    }
    switch (what) {
    case CHOLESKY:
        return decompose(one);
    case TRIANGLE:
        return substitute(one, state->lower != state->adjoint);
    case DETERMINANT:
        return eliminate(one);
    default:
        return eliminate(one) && substitute(one, false);
    }
}

static bool compute_all(const system_state *state, oribi_kit_run *run, kind what, element_at get,
                        void (*put)(void *data, int64_t i, double value))
{
    systems s;
    TF_Tensor *scratch = NULL;
    int64_t left = 0, right = 0;
    if (!read_shapes(run, what, &s) ||
        !oribi_cpu_count(run, (const int64_t[]){s.n, s.n, sizeof(double)}, 3, &left) ||
        !oribi_cpu_count(run, (const int64_t[]){s.n, s.k, sizeof(double)}, 3, &right)) {
        return false;
    }
    void *out = oribi_kit_output(run, 0, s.out.at, s.out.n);
    double *room = out == NULL ? NULL : oribi_kit_scratch(run, left + right + 1, &scratch);
    bool good = room != NULL;
    linear one = {.run = run, .a = room, .b = good ? room + s.n * s.n : NULL, .n = s.n, .k = s.k};
    const double *results = what == DETERMINANT ? &one.determinant : one.b;
    const int64_t n_results = what == DETERMINANT ? 1 : s.n * s.k;
    /* Matrices that give no elements may be any number, which none of them limits. */
    for (int64_t i = 0; good && n_results > 0 && i < s.count; i++) {
        load(run, &s, state, what, i, get, &one);
        good = compute_one(state, what, &one);
        for (int64_t k = 0; good && k < n_results; k++) {
            put(out, i * n_results + k, results[k]);
        }
    }
    TF_DeleteTensor(scratch);
    return good;
}

/* --- Rows ---------------------------------------------------------------------------------------
 */

#define OF_TYPE(T)                                                                                 \
    static double get_##T(const void *data, int64_t i)                                             \
    {                                                                                              \
        return (double)((const T *)data)[i];                                                       \
    }                                                                                              \
    static void put_##T(void *data, int64_t i, double value)                                       \
    {                                                                                              \
        ((T *)data)[i] = (T)value;                                                                 \
    }
OF_TYPE(float)
OF_TYPE(double)

#define COMPUTE(name, kind, T, n_inputs)                                                           \
    static bool name##_##T##_run(const void *state, oribi_kit_run *run)                            \
    {                                                                                              \
        static const system_state plain;                                                           \
        return compute_all(state != NULL ? state : &plain, run, kind, get_##T, put_##T);           \
    }                                                                                              \
    ORIBI_KIT_COMPUTE(name##_##T, n_inputs)
#define BOTH(name, kind, n_inputs)                                                                 \
    COMPUTE(name, kind, float, n_inputs)                                                           \
    COMPUTE(name, kind, double, n_inputs)
BOTH(inverse, INVERSE, 1)
BOTH(solve, SOLVE, 2)
BOTH(triangle, TRIANGLE, 2)
BOTH(cholesky, CHOLESKY, 1)
BOTH(determinant, DETERMINANT, 1)

#define ROW(op, make, name, T, dtype)                                                              \
    ORIBI_CPU_ROW(op, name##_##T, "in double, matrix by matrix", ORIBI_CPU_OF(dtype),              \
                  .create = make, .destroy = oribi_kit_free)
#define ROWS(op, make, name)                                                                       \
    ROW(op, make, name, float, TF_FLOAT), ROW(op, make, name, double, TF_DOUBLE)

const oribi_cpu_kernel oribi_cpu_linear_systems_kernels[] = {
    ROWS("MatrixInverse", adjoint_create, inverse),
    ROWS("MatrixSolve", adjoint_create, solve),
    ROWS("MatrixTriangularSolve", triangle_create, triangle),
    ROWS("Cholesky", NULL, cholesky),
    ROWS("MatrixDeterminant", NULL, determinant),
    {.op_name = NULL},
};
