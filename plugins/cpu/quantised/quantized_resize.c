/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi>QResizeBilinear by micro/'s kernels. */
#include "cpu/base/families.h"
#include "cpu/quantised/quantized.h"

#include "micro/resize/resize_bilinear_q.h"
#include "micro/resize/resize_bilinear_u8.h"
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
        struct oribi_micro_resize_bilinear_u8_args bytes;
        struct oribi_micro_resize_bilinear_q_args integers;
    } u;
    const char *input;
    char *output;
    int64_t image, row; /* bytes of an image that is read, of a row that is written */
    int32_t out_h;
    TF_DataType type;
} resize_call;

/* A unit is one row of the result. */
static void resize_rows(void *object, int64_t begin, int64_t end)
{
    const resize_call *call = object;
    for (int64_t unit = begin; unit < end; unit++) {
        const int64_t y = unit % call->out_h;
        const void *input = call->input + unit / call->out_h * call->image;
        void *output = call->output + unit * call->row;
        if (call->type == TF_UINT8) {
            struct oribi_micro_resize_bilinear_u8_args args = call->u.bytes;
            args.batch = args.out_h = 1;
            args.rows += 2 * y;
            args.row_weights += y;
            oribi_micro_resize_bilinear_u8(&args, input, output);
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

/* Places and weights in float32; false: failed. */
static bool prepare_bytes(oribi_kit_run *run, const resize_job *job, resize_call *call)
{
    int32_t *rows = job->tables, *columns = rows + 2 * (int64_t)job->y.out;
    float *row_weights = (float *)(columns + 2 * (int64_t)job->x.out);
    float *column_weights = row_weights + job->y.out;
    call->u.bytes = (struct oribi_micro_resize_bilinear_u8_args){
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
    const int64_t pixel = (int64_t)job->channels * (type == TF_INT16 ? 2 : 1);
    resize_call call = {.input = TF_TensorData(run->in[0]),
                        .output = output,
                        .image = (int64_t)job->y.in * job->x.in * pixel,
                        .row = job->x.out * pixel,
                        .out_h = job->y.out,
                        .type = type};
    if (!(type == TF_UINT8 ? prepare_bytes : prepare_integers)(run, job, &call)) {
        return false;
    }
    oribi_kit_parallel(run, (int64_t)job->batch * job->y.out, 8 * job->x.out * pixel, &call,
                       resize_rows);
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
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "the new size must be two positive values");
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
    ORIBI_QUANTIZED_ROW("Oribi>QResizeBilinear", resize, resize, {"T", ORIBI_QUANTIZED_TYPES}),
    {.op_name = NULL},
};
