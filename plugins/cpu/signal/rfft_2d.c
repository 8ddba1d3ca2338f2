/* SPDX-License-Identifier: Apache-2.0 */
/* RFFT2D, RFFT, which is that of planes of one row, and the parts of complex numbers: Real, Imag,
 * ComplexAbs. A plane is transformed in double (fourier.h): its rows, of which half is kept, then
 * the columns of that half.
 */
#include "cpu/base/cpu_shape.h"
#include "cpu/base/families.h"
#include "cpu/signal/fourier.h"

#include <math.h>
#include <string.h>

enum { MOST_WORKERS = 64, LOOK = 1000000 };

typedef struct plane_call {
    oribi_fourier row, column;
    const void *x;
    void *y;
    bool is_double;
    int64_t have[2], n[2], half; /* given and transformed rows and columns; n[1] / 2 + 1 */
    int64_t planes, first, end;  /* all, and of the share that is being done */
    int64_t workers, room, cost;
    double *rooms;
} plane_call;

static void read_row(const plane_call *c, int64_t from, double *out)
{
    const int64_t known = c->have[1] < c->n[1] ? c->have[1] : c->n[1];
    memset(out, 0, (size_t)c->n[1] * 2 * sizeof(double));
    for (int64_t i = 0; i < known; i++) {
        out[2 * i] = c->is_double ? ((const double *)c->x)[from + i]
                                  : (double)((const float *)c->x)[from + i];
    }
}

static void put(const plane_call *c, int64_t at, const double *value)
{
    if (c->is_double) {
        memcpy((double *)c->y + 2 * at, value, 2 * sizeof(double));
    } else {
        ((float *)c->y)[2 * at] = (float)value[0];
        ((float *)c->y)[2 * at + 1] = (float)value[1];
    }
}

/* memory: the half plane, a line, and what a transform needs. */
static void transform_plane(const plane_call *c, int64_t plane, double *memory)
{
    double *line = memory + 2 * c->n[0] * c->half;
    const int64_t longer = c->n[0] > c->n[1] ? c->n[0] : c->n[1];
    double *room = line + 2 * longer;
    for (int64_t i = 0; i < c->n[0]; i++) {
        double *kept = memory + 2 * i * c->half;
        if (i >= c->have[0]) {
            memset(kept, 0, (size_t)c->half * 2 * sizeof(double));
            continue;
        }
        read_row(c, (plane * c->have[0] + i) * c->have[1], line);
        oribi_fourier_run(&c->row, false, line, room);
        memcpy(kept, line, (size_t)c->half * 2 * sizeof(double));
    }
    for (int64_t k = 0; k < c->half; k++) {
        for (int64_t i = 0; i < c->n[0]; i++) {
            memcpy(line + 2 * i, memory + 2 * (i * c->half + k), 2 * sizeof(double));
        }
        oribi_fourier_run(&c->column, false, line, room);
        for (int64_t i = 0; i < c->n[0]; i++) {
            put(c, (plane * c->n[0] + i) * c->half + k, line + 2 * i);
        }
    }
}

/* Worker w does each plane number w of `workers`: each has memory of its own. */
static void work(void *object, int64_t begin, int64_t end)
{
    const plane_call *c = object;
    for (int64_t worker = begin; worker < end; worker++) {
        for (int64_t i = c->first + worker; i < c->end; i += c->workers) {
            transform_plane(c, i, c->rooms + worker * c->room);
        }
    }
}

static bool find_room(oribi_kit_run *run, plane_call *c, TF_Tensor **out_memory)
{
    const int64_t longer = c->n[0] > c->n[1] ? c->n[0] : c->n[1];
    const int64_t a = oribi_fourier_room(&c->row), b = oribi_fourier_room(&c->column);
    int64_t grid = 0, bytes = 0;
    c->workers = 4 * TF_ThreadPool_NumThreads(run->context);
    c->workers = c->workers > MOST_WORKERS ? MOST_WORKERS : c->workers;
    c->workers = c->workers > c->planes ? c->planes : c->workers;
    if (!oribi_cpu_count(run, (const int64_t[]){c->n[0], c->half, 2}, 3, &grid)) {
        return false;
    }
    c->room = grid + 2 * longer + (a > b ? a : b); /* at most 2^62: each is below 2^60 */
    const int64_t sizes[] = {c->workers, c->room, (int64_t)sizeof(double)};
    return oribi_cpu_count(run, sizes, 3, &bytes) &&
           (c->rooms = oribi_kit_scratch(run, bytes, out_memory)) != NULL;
}

static bool transform(oribi_kit_run *run, plane_call *c)
{
    TF_Tensor *tables[2] = {NULL, NULL}, *memory = NULL;
    int64_t patience = 0;
    bool good = oribi_fourier_make(run, c->n[1], &c->row, &tables[0]) &&
                oribi_fourier_make(run, c->n[0], &c->column, &tables[1]) &&
                find_room(run, c, &memory);
    c->cost = good ? c->n[0] * c->row.cost + c->half * c->column.cost : 1;
    /* A share at a time, so that a long run can be stopped between two. */
    for (c->end = 0; good && c->end < c->planes;) {
        const int64_t each = LOOK / c->cost + 1, left = c->planes - c->end;
        c->first = c->end;
        c->end += left < each * c->workers ? left : each * c->workers;
        oribi_kit_parallel(run, c->workers, c->cost * each, c, work);
        good = oribi_kit_is_ok(run) && !oribi_kit_stops(run, &patience, c->cost * each);
    }
    TF_DeleteTensor(memory);
    TF_DeleteTensor(tables[1]);
    TF_DeleteTensor(tables[0]);
    return good;
}

/* Transforms the last `axes` dimensions, one or two. */
static bool rfft(oribi_kit_run *run, int axes)
{
    oribi_cpu_shape x;
    oribi_dims lengths;
    int64_t count = 0;
    plane_call c = {.x = TF_TensorData(run->in[0]),
                    .is_double = TF_TensorType(run->in[0]) == TF_DOUBLE,
                    .have = {1, 1},
                    .n = {1, 1}};
    if (!oribi_cpu_input_shape(run, 0, &x) ||
        !oribi_cpu_read_dims(run, 1, "fft_length", &lengths)) {
        return false;
    }
    if (x.n < axes || lengths.n != axes || lengths.at[0] < 1 || lengths.at[axes - 1] < 1) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "input %s and fft_length %s: at least %d dimensions and as many "
                              "lengths as that of at least 1 are wanted",
                              oribi_cpu_shape_text(&x).chars, oribi_cpu_shape_text(&lengths).chars,
                              axes);
    }
    c.planes = oribi_cpu_product(x.at, x.n - axes);
    c.half = lengths.at[axes - 1] / 2 + 1;
    for (int i = 0; i < axes; i++) {
        const int axis = 2 - axes + i; /* of the plane */
        c.have[axis] = x.at[x.n - axes + i];
        c.n[axis] = lengths.at[i];
        x.at[x.n - axes + i] = axis == 0 ? c.n[0] : c.half;
    }
    if (!oribi_cpu_count(run, x.at, x.n, &count)) {
        return false;
    }
    c.y = oribi_kit_output(run, 0, x.at, x.n);
    return c.y != NULL && (count == 0 || transform(run, &c));
}

static bool rfft_2d_run(const void *state, oribi_kit_run *run)
{
    (void)state;
    return rfft(run, 2);
}
ORIBI_KIT_COMPUTE(rfft_2d, 2)

static bool rfft_1d_run(const void *state, oribi_kit_run *run)
{
    (void)state;
    return rfft(run, 1);
}
ORIBI_KIT_COMPUTE(rfft_1d, 2)

/* --- Parts ------------------------------------------------------------------------------------ */

#define PART(name, T, expr)                                                                        \
    static void name##_##T##_loop(void *object, int64_t begin, int64_t end)                        \
    {                                                                                              \
        const oribi_kit_elements *e = object;                                                      \
        for (int64_t i = begin; i < end; i++) {                                                    \
            const T *z = (const T *)e->x + 2 * i;                                                  \
            ((T *)e->y)[i] = (expr);                                                               \
        }                                                                                          \
    }                                                                                              \
    static void name##_##T##_compute(void *state, TF_OpKernelContext *context)                     \
    {                                                                                              \
        oribi_kit_unary(context, state, name##_##T##_loop, 4);                                     \
    }
PART(real, float, z[0])
PART(real, double, z[0])
PART(imag, float, z[1])
PART(imag, double, z[1])
PART(abs, float, (float)hypot((double)z[0], (double)z[1]))
PART(abs, double, hypot(z[0], z[1]))

#define PLANE_ROW(op, fn, real, complex)                                                           \
    ORIBI_CPU_ROW(                                                                                 \
        op, fn, "rows, then columns, in double",                                                   \
        .types = {{"Treal", ORIBI_KIT_TYPE(real)}, {"Tcomplex", ORIBI_KIT_TYPE(complex)}})
#define PART_ROW(op, fn, T, real, complex)                                                         \
    ORIBI_CPU_ROW(op, fn##_##T, "a part of each complex number",                                   \
                  .types = {{"T", ORIBI_KIT_TYPE(complex)}, {"Tout", ORIBI_KIT_TYPE(real)}})
const oribi_cpu_kernel oribi_cpu_rfft_2d_kernels[] = {
    PLANE_ROW("RFFT2D", rfft_2d, TF_FLOAT, TF_COMPLEX64),
    PLANE_ROW("RFFT2D", rfft_2d, TF_DOUBLE, TF_COMPLEX128),
    PLANE_ROW("RFFT", rfft_1d, TF_FLOAT, TF_COMPLEX64),
    PLANE_ROW("RFFT", rfft_1d, TF_DOUBLE, TF_COMPLEX128),
    PART_ROW("Real", real, float, TF_FLOAT, TF_COMPLEX64),
    PART_ROW("Real", real, double, TF_DOUBLE, TF_COMPLEX128),
    PART_ROW("Imag", imag, float, TF_FLOAT, TF_COMPLEX64),
    PART_ROW("Imag", imag, double, TF_DOUBLE, TF_COMPLEX128),
    PART_ROW("ComplexAbs", abs, float, TF_FLOAT, TF_COMPLEX64),
    PART_ROW("ComplexAbs", abs, double, TF_DOUBLE, TF_COMPLEX128),
    {.op_name = NULL},
};
