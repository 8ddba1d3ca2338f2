/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices seen from a diagonal: ONNX>Trilu keeps what lies on one side of it, MatrixBandPart what
 * lies near it, ONNX>EyeLike has ones on it. A unit of work is a row.
 */
#include "cpu/base/families.h"
#include "cpu/base/walk.h"

#include <string.h>

typedef struct triangle_state {
    bool upper;
    int64_t k;
} triangle_state;

/* Rows of matrices of which a band of diagonals is kept: `below` and `above` the main one. */
typedef struct band_work {
    const char *source;
    char *target;
    int64_t rows, columns, below, above;
    size_t width;
} band_work;

static int64_t within(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

static void band_rows(void *object, int64_t begin, int64_t end)
{
    const band_work *work = object;
    const size_t bytes = (size_t)work->columns * work->width;
    for (int64_t row = begin; row < end; row++) {
        const int64_t at = row % work->rows;
        const size_t from = (size_t)within(at - work->below, 0, work->columns) * work->width;
        const size_t to = (size_t)within(at + work->above + 1, 0, work->columns) * work->width;
        char *out = work->target + (size_t)row * bytes;
        if (out != work->source + (size_t)row * bytes) {
            memcpy(out, work->source + (size_t)row * bytes, bytes);
        }
        memset(out, 0, from);
        memset(out + to, 0, bytes - to);
    }
}

/* The matrices of input 0; the band is still to be said. */
static bool band_begin(oribi_kit_run *run, oribi_cpu_shape *shape, band_work *work)
{
    *work = (band_work){.source = TF_TensorData(run->in[0]),
                        .width = oribi_cpu_width(run, TF_TensorType(run->in[0]))};
    if (work->width == 0 || !oribi_cpu_input_shape(run, 0, shape)) {
        return false;
    }
    if (shape->n < 2) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "shape %s has no matrices",
                              oribi_cpu_shape_text(shape).chars);
    }
    work->rows = shape->at[shape->n - 2];
    work->columns = shape->at[shape->n - 1];
    return true;
}

static bool band_keep(oribi_kit_run *run, const oribi_cpu_shape *shape, band_work *work)
{
    static const int candidate = 0;
    work->target = oribi_kit_output_in_place(run, &candidate, 1, shape->at, shape->n);
    if (work->target != NULL && oribi_cpu_product(shape->at, shape->n) > 0) {
        oribi_kit_parallel(run, oribi_cpu_product(shape->at, shape->n - 1),
                           work->columns * (int64_t)work->width / 8 + 10, work, band_rows);
    }
    return work->target != NULL;
}

/* --- ONNX>Trilu: all that lies on one side of diagonal k ------------------------------------- */

static void trilu_read(oribi_kit_setup *setup, triangle_state *state)
{
    oribi_kit_attr_bool(setup, "upper", &state->upper);
}
ORIBI_KIT_CREATE(trilu, triangle_state)

static bool trilu_run(const triangle_state *state, oribi_kit_run *run)
{
    oribi_cpu_shape shape;
    band_work work;
    int64_t k = 0;
    if (!band_begin(run, &shape, &work) || !oribi_cpu_read_int(run, 1, "k", &k)) {
        return false;
    }
    k = within(k, -work.rows, work.columns);
    work.below = state->upper ? -k : work.rows;
    work.above = state->upper ? work.columns : k;
    return band_keep(run, &shape, &work);
}
ORIBI_KIT_COMPUTE(trilu, 2)

/* --- MatrixBandPart -------------------------------------------------------------------------- */

/* How many diagonals on one side are kept; below 0: all. */
static bool read_band(oribi_kit_run *run, int index, const char *what, int64_t most, int64_t *out)
{
    if (!oribi_cpu_read_int(run, index, what, out)) {
        return false;
    }
    if (*out > most) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "%s is %lld; it must be at most %lld", what,
                              (long long)*out, (long long)most);
    }
    *out = *out < 0 ? most : *out;
    return true;
}

static bool band_run(const void *state, oribi_kit_run *run)
{
    oribi_cpu_shape shape;
    band_work work;
    (void)state;
    return band_begin(run, &shape, &work) &&
           read_band(run, 1, "num_lower", work.rows, &work.below) &&
           read_band(run, 2, "num_upper", work.columns, &work.above) &&
           band_keep(run, &shape, &work);
}
ORIBI_KIT_COMPUTE(band, 3)

/* --- ONNX>EyeLike --------------------------------------------------------------------------- */

typedef struct eye_work {
    char *target;
    int64_t rows, columns, k; /* k lies within [-rows, columns] */
    size_t width;
    const void *one;
} eye_work;

static void eye_rows(void *object, int64_t begin, int64_t end)
{
    const eye_work *work = object;
    const size_t bytes = (size_t)work->columns * work->width;
    for (int64_t row = begin; row < end; row++) {
        char *to = work->target + (size_t)row * bytes;
        const int64_t at = row + work->k;
        memset(to, 0, bytes);
        if (at >= 0 && at < work->columns) {
            memcpy(to + (size_t)at * work->width, work->one, work->width);
        }
    }
}

/* The bytes of 1; NULL: the type has none. */
static const void *one_of(TF_DataType dtype)
{
    static const float of_float = 1;
    static const double of_double = 1;
    static const uint16_t of_half = 0x3c00, of_bfloat16 = 0x3f80, of_16 = 1;
    static const uint8_t of_8 = 1;
    static const uint32_t of_32 = 1;
    static const uint64_t of_64 = 1;
    switch (dtype) {
    case TF_FLOAT:
        return &of_float;
    case TF_DOUBLE:
        return &of_double;
    case TF_HALF:
        return &of_half;
    case TF_BFLOAT16:
        return &of_bfloat16;
    case TF_BOOL:
    case TF_INT8:
    case TF_UINT8:
        return &of_8;
    case TF_INT16:
    case TF_UINT16:
        return &of_16;
    case TF_INT32:
    case TF_UINT32:
        return &of_32;
    case TF_INT64:
    case TF_UINT64:
        return &of_64;
    default:
        return NULL;
    }
}

static void eye_read(oribi_kit_setup *setup, triangle_state *state)
{
    oribi_kit_attr_int(setup, "k", &state->k);
}
ORIBI_KIT_CREATE(eye, triangle_state)

static bool eye_run(const triangle_state *state, oribi_kit_run *run)
{
    oribi_cpu_shape shape;
    const TF_DataType dtype = TF_ExpectedOutputDataType(run->context, 0);
    eye_work work = {.one = one_of(dtype), .width = TF_DataTypeSize(dtype)};
    if (!oribi_cpu_input_shape(run, 0, &shape)) {
        return false;
    }
    if (work.one == NULL || shape.n != 2) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "shape %s and type %d are not those of a matrix of ones and zeros",
                              oribi_cpu_shape_text(&shape).chars, (int)dtype);
    }
    work.rows = shape.at[0];
    work.columns = shape.at[1];
    work.k = within(state->k, -work.rows, work.columns);
    work.target = oribi_kit_output(run, 0, shape.at, shape.n);
    if (work.target != NULL && work.rows > 0 && work.columns > 0) {
        oribi_kit_parallel(run, work.rows, work.columns * (int64_t)work.width / 8 + 10, &work,
                           eye_rows);
    }
    return work.target != NULL;
}
ORIBI_KIT_COMPUTE(eye, 1)

const oribi_cpu_kernel oribi_cpu_triangle_kernels[] = {
    ORIBI_CPU_STATE_ROW("ONNX>Trilu", trilu, trilu, "rows, copied and cut"),
    ORIBI_CPU_ROW("MatrixBandPart", band, "rows, copied and cut on both sides"),
    ORIBI_CPU_STATE_ROW("ONNX>EyeLike", eye, eye, "rows of zeros and a one"),
    {.op_name = NULL},
};
