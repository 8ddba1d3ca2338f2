/* SPDX-License-Identifier: Apache-2.0 */
/* SpaceToBatchND, BatchToSpaceND and ReverseSequence: each output run comes from one computed place
 * of the input, or is zero.
 */
#include "cpu/base/families.h"
#include "cpu/base/walk.h"

#include <string.h>

/* Block shape and paddings (or crops) as read. */
typedef struct space {
    oribi_dims block, before, after; /* of the blocked dims: 1 to block.n of the tensors */
    int64_t n_blocks;                /* product of block */
} space;

static bool read_space(oribi_kit_run *run, space *out)
{
    const TF_Tensor *pairs = run->in[2];
    TF_DataType dtype = TF_TensorType(pairs);
    if (!oribi_cpu_read_dims(run, 1, "block_shape", &out->block)) {
        return false;
    }
    if (TF_NumDims(pairs) != 2 || TF_Dim(pairs, 0) != out->block.n || TF_Dim(pairs, 1) != 2 ||
        (dtype != TF_INT32 && dtype != TF_INT64)) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "paddings or crops must be an integer matrix with %d rows and 2 "
                              "columns",
                              out->block.n);
    }
    out->n_blocks = 1;
    out->before.n = out->after.n = out->block.n;
    for (int i = 0; i < out->block.n; i++) {
        const void *data = TF_TensorData(pairs);
        out->before.at[i] = oribi_kit_int_at(data, dtype, 2 * i);
        out->after.at[i] = oribi_kit_int_at(data, dtype, 2 * i + 1);
        if (out->block.at[i] < 1 || out->block.at[i] > INT32_MAX || out->before.at[i] < 0 ||
            out->after.at[i] < 0 || out->before.at[i] > INT32_MAX || out->after.at[i] > INT32_MAX ||
            __builtin_mul_overflow(out->n_blocks, out->block.at[i], &out->n_blocks)) {
            return oribi_kit_fail(
                run, TF_INVALID_ARGUMENT,
                "a block of %lld with margins %lld and %lld is not possible along dimension %d",
                (long long)out->block.at[i], (long long)out->before.at[i],
                (long long)out->after.at[i], i + 1);
        }
    }
    return true;
}

typedef struct space_work {
    space space;
    oribi_cpu_shape in, out;
    const char *source;
    char *target;
    size_t bytes; /* of a run: the dims that are not blocked */
    bool to_batch;
} space_work;

/* The input's coordinates for one output run; -1: zero. */
static int64_t space_source(const space_work *work, int64_t unit)
{
    const space *s = &work->space;
    oribi_dims where; /* at the blocked dims and the batch before them */
    int64_t *const at = where.at, batch, offset;
    const oribi_cpu_shape *small = work->to_batch ? &work->in : &work->out;
    for (int i = s->block.n; i > 0; i--) {
        at[i] = unit % work->out.at[i];
        unit /= work->out.at[i];
    }
    int64_t batches = small->at[0];
    batch = work->to_batch ? unit % batches : unit;
    int64_t block = work->to_batch ? unit / batches : 0, scale = 1;
    for (int i = s->block.n; i > 0; i--) {
        int64_t size = s->block.at[i - 1];
        if (work->to_batch) {
            at[i] = at[i] * size + block % size - s->before.at[i - 1];
            block /= size;
            if (at[i] < 0 || at[i] >= work->in.at[i]) {
                return -1;
            }
        } else {
            int64_t full = at[i] + s->before.at[i - 1];
            block += full % size * scale;
            scale *= size;
            at[i] = full / size;
        }
    }
    offset = work->to_batch ? batch : block * batches + batch;
    for (int i = 1; i <= s->block.n; i++) {
        offset = offset * work->in.at[i] + at[i];
    }
    return offset;
}

static void space_units(void *object, int64_t begin, int64_t end)
{
    const space_work *work = object;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t from = space_source(work, unit);
        char *target = work->target + (size_t)unit * work->bytes;
        if (from < 0) {
            memset(target, 0, work->bytes);
        } else {
            memcpy(target, work->source + (size_t)from * work->bytes, work->bytes);
        }
    }
}

/* Dims of the output; the batch is multiplied or divided by the number of blocks. */
static bool space_shape(oribi_kit_run *run, space_work *work)
{
    const space *s = &work->space;
    bool good = work->in.n > s->block.n;
    work->out = work->in;
    for (int i = 0; good && i < s->block.n; i++) {
        int64_t dim = work->in.at[i + 1], *out = &work->out.at[i + 1];
        if (work->to_batch) {
            good = !__builtin_add_overflow(dim, s->before.at[i] + s->after.at[i], out) &&
                   *out % s->block.at[i] == 0;
            *out /= s->block.at[i];
        } else {
            good = !__builtin_mul_overflow(dim, s->block.at[i], out) &&
                   *out >= s->before.at[i] + s->after.at[i];
            *out -= s->before.at[i] + s->after.at[i];
        }
    }
    if (good && work->to_batch) {
        good = !__builtin_mul_overflow(work->in.at[0], s->n_blocks, &work->out.at[0]);
    } else if (good) {
        good = work->in.at[0] % s->n_blocks == 0;
        work->out.at[0] = work->in.at[0] / s->n_blocks;
    }
    return good || oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                  "input %s cannot be divided into these blocks with these margins",
                                  oribi_cpu_shape_text(&work->in).chars);
}

static bool space_run(oribi_kit_run *run, bool to_batch)
{
    space_work work = {.to_batch = to_batch};
    int64_t count = 0;
    size_t width = oribi_cpu_width(run, TF_TensorType(run->in[0]));
    if (width == 0 || !oribi_cpu_input_shape(run, 0, &work.in) || !read_space(run, &work.space) ||
        !space_shape(run, &work) || !oribi_cpu_count(run, work.out.at, work.out.n, &count)) {
        return false;
    }
    int n = work.space.block.n + 1;
    work.source = TF_TensorData(run->in[0]);
    work.target = oribi_kit_output(run, 0, work.out.at, work.out.n);
    if (work.target != NULL && count > 0) {
        int64_t elements = oribi_cpu_product(work.out.at + n, work.out.n - n);
        work.bytes = (size_t)elements * width;
        oribi_kit_parallel(run, count / elements, elements + 30, &work, space_units);
    }
    return work.target != NULL;
}

static bool space_to_batch_run(const void *state, oribi_kit_run *run)
{
    (void)state;
    return space_run(run, true);
}
ORIBI_KIT_COMPUTE(space_to_batch, 3)

static bool batch_to_space_run(const void *state, oribi_kit_run *run)
{
    (void)state;
    return space_run(run, false);
}
ORIBI_KIT_COMPUTE(batch_to_space, 3)

typedef struct reverse_state {
    int64_t seq_dim, batch_dim;
} reverse_state;

static void reverse_read(oribi_kit_setup *setup, reverse_state *state)
{
    oribi_kit_attr_int(setup, "seq_dim", &state->seq_dim);
    oribi_kit_attr_int(setup, "batch_dim", &state->batch_dim);
}
ORIBI_KIT_CREATE(reverse, reverse_state)

static int64_t length_at(const TF_Tensor *lengths, int64_t i)
{
    return oribi_kit_int_at(TF_TensorData(lengths), TF_TensorType(lengths), i);
}

static bool check_lengths(oribi_kit_run *run, const oribi_cpu_shape *shape, int seq, int batch)
{
    const TF_Tensor *lengths = run->in[1];
    if (seq == batch || TF_NumDims(lengths) != 1 || TF_Dim(lengths, 0) != shape->at[batch]) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "seq_lengths must be a vector with a length for each of the %lld "
                              "elements of dimension %d, which is not %d",
                              (long long)shape->at[batch], batch, seq);
    }
    for (int64_t i = 0; i < shape->at[batch]; i++) {
        int64_t length = length_at(lengths, i);
        if (length < 0 || length > shape->at[seq]) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                  "seq_lengths[%lld] = %lld is outside [0, %lld]", (long long)i,
                                  (long long)length, (long long)shape->at[seq]);
        }
    }
    return true;
}

static bool reverse_sequence_run(const reverse_state *state, oribi_kit_run *run)
{
    oribi_cpu_shape shape;
    int seq = 0, batch = 0;
    size_t width = oribi_cpu_width(run, TF_TensorType(run->in[0]));
    if (width == 0 || !oribi_cpu_input_shape(run, 0, &shape) ||
        !oribi_cpu_axis(run, state->seq_dim, shape.n, &seq) ||
        !oribi_cpu_axis(run, state->batch_dim, shape.n, &batch) ||
        !check_lengths(run, &shape, seq, batch)) {
        return false;
    }
    char *target = oribi_kit_output(run, 0, shape.at, shape.n);
    int64_t count = oribi_cpu_product(shape.at, shape.n);
    if (target == NULL || count == 0) {
        return target != NULL;
    }
    int last = seq > batch ? seq : batch;
    int64_t inner = oribi_cpu_product(shape.at + last + 1, shape.n - last - 1);
    int64_t seq_inner = oribi_cpu_product(shape.at + seq + 1, last - seq);
    int64_t batch_inner = oribi_cpu_product(shape.at + batch + 1, last - batch);
    const char *source = TF_TensorData(run->in[0]);
    size_t bytes = (size_t)inner * width;
    int64_t patience = 0;
    for (int64_t unit = 0; unit < count / inner; unit++) {
        int64_t at = unit / seq_inner % shape.at[seq];
        int64_t length = length_at(run->in[1], unit / batch_inner % shape.at[batch]);
        if (length < 0 || length > shape.at[seq]) {
            return oribi_cpu_index_changed(run);
        }
        if (oribi_kit_stops(run, &patience, (int64_t)bytes)) {
            return false;
        }
        int64_t from = unit + (at < length ? (length - 1 - 2 * at) * seq_inner : 0);
        memcpy(target + (size_t)unit * bytes, source + (size_t)from * bytes, bytes);
    }
    return true;
}
ORIBI_KIT_COMPUTE(reverse_sequence, 2)

const oribi_cpu_kernel oribi_cpu_batch_space_kernels[] = {
    ORIBI_CPU_ROW("SpaceToBatchND", space_to_batch, "copies of runs of bytes"),
    ORIBI_CPU_ROW("BatchToSpaceND", batch_to_space, "copies of runs of bytes"),
    ORIBI_CPU_STATE_ROW("ReverseSequence", reverse, reverse_sequence, "copies of runs of bytes"),
    {.op_name = NULL},
};
