/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi>QResizeBilinear by micro/'s kernels. */
#include "cpu/families.h"
#include "cpu/quantized.h"

#include "micro/resize_bilinear_q.h"
#include "micro/resize_bilinear_u8.h"
#include "micro/resize_prepare.h"

typedef struct resize_state {
    bool align_corners, half_pixel_centers;
} resize_state;

static void *resize_create(TF_OpKernelConstruction *construction)
{
    oribi_cpu_setup setup;
    resize_state *state = oribi_cpu_setup_begin(&setup, construction, sizeof *state);
    if (state != NULL) {
        oribi_cpu_attr_bool(&setup, "align_corners", &state->align_corners);
        oribi_cpu_attr_bool(&setup, "half_pixel_centers", &state->half_pixel_centers);
    }
    return oribi_cpu_setup_end(&setup);
}

typedef struct resize_job {
    struct oribi_micro_resize_spec y, x;
    int32_t batch, channels;
    int32_t *tables; /* 3 words for each row and each column of the result */
} resize_job;

/* Places and weights in float32; false: failed. */
static bool resize_bytes(oribi_cpu_run *run, const resize_job *job, void *output)
{
    int32_t *rows = job->tables, *columns = rows + 2 * (int64_t)job->y.out;
    float *row_weights = (float *)(columns + 2 * (int64_t)job->x.out);
    float *column_weights = row_weights + job->y.out;
    const struct oribi_micro_resize_bilinear_u8_args args = {
        job->batch,    job->y.in, job->x.in, job->y.out,  job->x.out,
        job->channels, rows,      columns,   row_weights, column_weights};
    if (!oribi_quantized_check(run,
                               oribi_micro_resize_bilinear_weights(&job->y, rows, row_weights)) ||
        !oribi_quantized_check(
            run, oribi_micro_resize_bilinear_weights(&job->x, columns, column_weights))) {
        return false;
    }
    oribi_micro_resize_bilinear_u8(&args, TF_TensorData(run->in[0]), output);
    return true;
}

static bool resize_integers(oribi_cpu_run *run, const resize_job *job, TF_DataType type,
                            void *output)
{
    int32_t *rows = job->tables, *columns = rows + 3 * (int64_t)job->y.out;
    const struct oribi_micro_resize_bilinear_q_args args = {
        job->batch, job->y.in, job->x.in, job->y.out, job->x.out, job->channels, rows, columns};
    if (!oribi_quantized_check(run, oribi_micro_resize_bilinear_places(&job->y, rows)) ||
        !oribi_quantized_check(run, oribi_micro_resize_bilinear_places(&job->x, columns))) {
        return false;
    }
    if (type == TF_INT16) {
        oribi_micro_resize_bilinear_s16(&args, TF_TensorData(run->in[0]), output);
    } else {
        oribi_micro_resize_bilinear_s8(&args, TF_TensorData(run->in[0]), output);
    }
    return true;
}

static bool resize_run(const resize_state *state, oribi_cpu_run *run)
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
        return oribi_cpu_fail(run, TF_INVALID_ARGUMENT, "the new size must be two positive values");
    }
    const int64_t dims[4] = {in[0], sizes[0], sizes[1], in[3]};
    int64_t count = 0;
    if (!oribi_cpu_count(run, dims, 4, &count)) {
        return false;
    }
    if (count > INT32_MAX || TF_TensorElementCount(run->in[0]) > INT32_MAX) {
        return oribi_cpu_fail(run, TF_INVALID_ARGUMENT, "images of 2^31 values or more");
    }
    if (count == 0) { /* its loops would count the batch, however long */
        return oribi_cpu_output(run, 0, dims, 4) != NULL;
    }
    const resize_job job = {{in[1], sizes[0], state->align_corners, state->half_pixel_centers},
                            {in[2], sizes[1], state->align_corners, state->half_pixel_centers},
                            in[0],
                            in[3],
                            oribi_cpu_scratch(run, 12 * ((int64_t)sizes[0] + sizes[1]), &scratch)};
    void *output = job.tables != NULL ? oribi_cpu_output(run, 0, dims, 4) : NULL;
    const bool good =
        output != NULL && (type == TF_UINT8 ? resize_bytes(run, &job, output)
                                            : resize_integers(run, &job, type, output));
    if (scratch != NULL) {
        TF_DeleteTensor(scratch);
    }
    return good;
}
ORIBI_CPU_COMPUTE(resize, 2)

const oribi_cpu_kernel oribi_cpu_quantized_resize_kernels[] = {
    {.op_name = "Oribi>QResizeBilinear",
     .types = {{"T", ORIBI_QUANTIZED_TYPES}},
     .priority = ORIBI_CPU_REFERENCE,
     .create = resize_create,
     .compute = resize_compute,
     .destroy = oribi_cpu_free,
     .why = "the arithmetic of micro/, bit for bit"},
    {.op_name = NULL},
};
