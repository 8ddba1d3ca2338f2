/* SPDX-License-Identifier: Apache-2.0 */
/* ResizeBilinear and Oribi>QResizeBilinear by micro/'s kernels. */
#include "cpu/base/families.h"
#include "cpu/quantised/quantized.h"

#include "micro/resize/resize_bilinear_q.h"
#include "micro/resize/resize_bilinear_real.h"
#include "micro/resize/resize_prepare.h"

typedef struct resize_state {
    bool align_corners, half_pixel_centers;
} resize_state;

static void resize_read(oribi_kit_setup *setup, resize_state *state)
{
    oribi_kit_attr_bool(setup, "align_corners", &state->align_corners);
    oribi_kit_attr_bool(setup, "half_pixel_centers", &state->half_pixel_centers);
}
ORIBI_KIT_CREATE(resize, resize_state)

typedef struct resize_job {
    struct oribi_micro_resize_spec y, x;
    int32_t batch, channels;
    int32_t *tables; /* 3 words for each row and each column of the result */
} resize_job;

typedef struct resize_call {
    union {
        struct oribi_micro_resize_bilinear_real_args real; /* of bytes and of floats */
        struct oribi_micro_resize_bilinear_q_args integers;
    } u;
    const char *input;
    char *output;
    int64_t image, row; /* bytes of an image that is read, of a row that is written */
    int32_t out_h;
    TF_DataType type;
    float *lines; /* of floats: for each share of the rows LINES of in_w pixels and BESIDE */
    int64_t rows, shares;
} resize_call;

enum { LINES = 2, SHARES = 32, VECTOR = 4, BESIDE = VECTOR };

/* Weights are float32; else they are integers. */
static bool is_real(TF_DataType type)
{
    return type == TF_FLOAT || type == TF_UINT8;
}

/* A unit is one row of the result. */
static void resize_rows(void *object, int64_t begin, int64_t end)
{
    const resize_call *call = object;
    for (int64_t unit = begin; unit < end; unit++) {
        const int64_t y = unit % call->out_h;
        const void *input = call->input + unit / call->out_h * call->image;
        void *output = call->output + unit * call->row;
        if (is_real(call->type)) {
            struct oribi_micro_resize_bilinear_real_args args = call->u.real;
            args.batch = args.out_h = 1;
            args.rows += 2 * y;
            args.row_weights += y;
            if (call->type == TF_FLOAT) {
                oribi_micro_resize_bilinear_f32(&args, input, output);
            } else {
                oribi_micro_resize_bilinear_u8(&args, input, output);
            }
            continue;
        }
        struct oribi_micro_resize_bilinear_q_args args = call->u.integers;
        args.batch = args.out_h = 1;
        args.rows += 3 * y;
        if (call->type == TF_INT16) {
            oribi_micro_resize_bilinear_s16(&args, input, output);
        } else {
            oribi_micro_resize_bilinear_s8(&args, input, output);
        }
    }
}

/* Values from `at` on of one pixel. */
#define BLEND(at)                                                                                  \
    to[at] = left[at] * back + left[below + (at)] * back + right[at] * across +                    \
             right[below + (at)] * across + 0.0F

/* One row from two that their weights were multiplied by, `below` values apart. Whole vectors are
 * written: what is too much, the next pixel overwrites. */
static void blend_row(const struct oribi_micro_resize_bilinear_real_args *args,
                      const float *restrict line, int64_t below, float *restrict output)
{
    const int64_t channels = args->channels;
    const int64_t last = args->out_w - 1 - (VECTOR - 1) / channels; /* no vector passes the end */
    for (int32_t x = 0; x < args->out_w; x++) {
        const float *restrict left = line + args->columns[2 * x] * channels;
        const float *restrict right = line + args->columns[2 * x + 1] * channels;
        const float across = args->column_weights[x], back = 1.0F - across;
        float *restrict to = output + x * channels;
        const int64_t n = x < last ? channels : channels & -VECTOR;
        int64_t i = 0;
        for (; i < n; i += VECTOR) {
            for (int64_t k = 0; k < VECTOR; k++) {
                BLEND(i + k);
            }
        }
        for (; i < channels; i++) {
            BLEND(i);
        }
    }
}

/* A unit is a share of the rows: the same bits as micro/'s, with fewer products. */
static void resize_floats(void *object, int64_t begin, int64_t end)
{
    const resize_call *call = object;
    const struct oribi_micro_resize_bilinear_real_args *args = &call->u.real;
    const int64_t width = (int64_t)args->in_w * args->channels, below = width + BESIDE;
    float *restrict line = call->lines + begin * LINES * below;
    for (int64_t row = call->rows * begin / call->shares; row < call->rows * end / call->shares;
         row++) {
        const int64_t y = row % call->out_h;
        const float *image =
            (const float *)(const void *)(call->input + row / call->out_h * call->image);
        const float *restrict top = image + args->rows[2 * y] * width;
        const float *restrict bottom = image + args->rows[2 * y + 1] * width;
        const float down = args->row_weights[y], up = 1.0F - down;
        for (int64_t i = 0; i < width; i++) {
            line[i] = top[i] * up;
            line[below + i] = bottom[i] * down;
        }
        blend_row(args, line, below, (float *)(void *)(call->output + row * call->row));
    }
}

/* Places and weights in float32; false: failed. */
static bool prepare_real(oribi_kit_run *run, const resize_job *job, resize_call *call)
{
    int32_t *rows = job->tables, *columns = rows + 2 * (int64_t)job->y.out;
    float *row_weights = (float *)(columns + 2 * (int64_t)job->x.out);
    float *column_weights = row_weights + job->y.out;
    call->u.real = (struct oribi_micro_resize_bilinear_real_args){
        job->batch,    job->y.in, job->x.in, job->y.out,  job->x.out,
        job->channels, rows,      columns,   row_weights, column_weights};
    return oribi_quantized_check(run,
                                 oribi_micro_resize_bilinear_weights(&job->y, rows, row_weights)) &&
           oribi_quantized_check(
               run, oribi_micro_resize_bilinear_weights(&job->x, columns, column_weights));
}

static bool prepare_integers(oribi_kit_run *run, const resize_job *job, resize_call *call)
{
    int32_t *rows = job->tables, *columns = rows + 3 * (int64_t)job->y.out;
    call->u.integers = (struct oribi_micro_resize_bilinear_q_args){
        job->batch, job->y.in, job->x.in, job->y.out, job->x.out, job->channels, rows, columns};
    return oribi_quantized_check(run, oribi_micro_resize_bilinear_places(&job->y, rows)) &&
           oribi_quantized_check(run, oribi_micro_resize_bilinear_places(&job->x, columns));
}

static bool resize_image(oribi_kit_run *run, const resize_job *job, TF_DataType type, void *output)
{
    const int64_t pixel = (int64_t)job->channels * (int64_t)TF_DataTypeSize(type);
    resize_call call = {.input = TF_TensorData(run->in[0]),
                        .output = output,
                        .image = (int64_t)job->y.in * job->x.in * pixel,
                        .row = job->x.out * pixel,
                        .out_h = job->y.out,
                        .type = type};
    if (!(is_real(type) ? prepare_real : prepare_integers)(run, job, &call)) {
        return false;
    }
    call.rows = (int64_t)job->batch * job->y.out;
    call.shares = call.rows < SHARES ? call.rows : SHARES;
    const int64_t values = (int64_t)job->x.in * job->channels + BESIDE;
    TF_Tensor *scratch = NULL;
    if (type == TF_FLOAT && job->x.in <= 2 * (int64_t)job->x.out) {
        call.lines = oribi_kit_scratch(
            run, call.shares * LINES * values * (int64_t)sizeof *call.lines, &scratch);
        if (call.lines == NULL) {
            return false;
        }
        oribi_kit_parallel(run, call.shares, call.rows / call.shares * 2 * job->x.out * pixel,
                           &call, resize_floats);
        TF_DeleteTensor(scratch);
    } else {
        oribi_kit_parallel(run, call.rows, 8 * job->x.out * pixel, &call, resize_rows);
    }
    return true;
}

static bool resize_run(const resize_state *state, oribi_kit_run *run)
{
    const int32_t *sizes = TF_TensorData(run->in[1]);
    const TF_DataType type = TF_TensorType(run->in[0]);
    TF_Tensor *scratch = NULL;
    int32_t in[4];
    int rank;
    if (!oribi_quantized_dims(run, 0, 4, 4, in, &rank)) {
        return false;
    }
    if (TF_TensorElementCount(run->in[1]) != 2 || sizes[0] < 1 || sizes[1] < 1) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "the new size must be two positive integers");
    }
    const int64_t dims[4] = {in[0], sizes[0], sizes[1], in[3]};
    int64_t count = 0;
    if (!oribi_cpu_count(run, dims, 4, &count)) {
        return false;
    }
    if (count > INT32_MAX || TF_TensorElementCount(run->in[0]) > INT32_MAX) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "the images have 2^31 values or more");
    }
    if (count == 0) { /* its loops would count the batch, however long */
        return oribi_kit_output(run, 0, dims, 4) != NULL;
    }
    const resize_job job = {{in[1], sizes[0], state->align_corners, state->half_pixel_centers},
                            {in[2], sizes[1], state->align_corners, state->half_pixel_centers},
                            in[0],
                            in[3],
                            oribi_kit_scratch(run, 12 * ((int64_t)sizes[0] + sizes[1]), &scratch)};
    void *output = job.tables != NULL ? oribi_kit_output(run, 0, dims, 4) : NULL;
    const bool good = output != NULL && resize_image(run, &job, type, output);
    if (scratch != NULL) {
        TF_DeleteTensor(scratch);
    }
    return good;
}
ORIBI_KIT_COMPUTE(resize, 2)

const oribi_cpu_kernel oribi_cpu_quantized_resize_kernels[] = {
    ORIBI_QUANTIZED_ROW("ResizeBilinear", resize, resize, {"T", ORIBI_KIT_TYPE(TF_FLOAT)}),
    ORIBI_QUANTIZED_ROW("Oribi>QResizeBilinear", resize, resize, {"T", ORIBI_QUANTIZED_TYPES}),
    {.op_name = NULL},
};
