/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX>QLinearConv2D as products of int16 matrices, whose sums are integers and so the same in any
 * order: bit for bit the reference. Compiled once for each instruction set, by a file that defines
 * ORIBI_ISA (cpu/base/isa.h) and qlinear_tile.
 *
 * A pixel's window is a row of `inner` numbers, less the zero point; four rows at a time meet
 * weights packed in pairs of numbers for 16 channels. Depthwise layers go by themselves.
 */
#include <math.h>
#include <string.h>

#include "cpu/quantised/qlinear_kernels.h"

#define QLINEAR_WHY "products of packed int16 matrices, " ORIBI_ISA_NAME

enum { ROWS = 4, COLUMNS = 16, CHUNK = 1024, PANEL = 256, UNIT = 8 * ROWS };

typedef struct layer {
    const struct oribi_micro_qlinear_conv2d_args *a;
    const uint8_t *x, *w;
    const int32_t *bias, *zeros;
    const float *multipliers;
    void *output;
    int16_t *packed;
    int32_t depth, inner, pairs; /* of a group: channels, numbers of a window, pairs of those */
    int32_t each, blocks;        /* of a group: results, blocks of COLUMNS of them */
    int64_t rows;
} layer;

/* acc[r][c] += the products of `pairs` pairs of a[r] and b, for ROWS by COLUMNS; a's rows are CHUNK
 * apart, acc's PANEL. */
static void qlinear_tile(const int16_t *a, const int16_t *b, int32_t pairs, int32_t *acc);

/* --- Weights --------------------------------------------------------------------------------- */

static int64_t packed_count(const layer *l)
{
    return (int64_t)l->a->groups * l->blocks * l->pairs * COLUMNS * 2;
}

/* Blocks [begin, end) of all groups. */
static void pack(void *object, int64_t begin, int64_t end)
{
    const layer *l = object;
    const int32_t out_c = l->a->out_c, is_signed = l->a->filter_signed;
    for (int64_t block = begin; block < end; block++) {
        const int32_t group = (int32_t)(block / l->blocks);
        const int32_t first = (int32_t)(block % l->blocks) * COLUMNS;
        int16_t *to = l->packed + block * l->pairs * COLUMNS * 2;
        for (int32_t k = 0; k < 2 * l->pairs; k++) {
            for (int32_t j = 0; j < COLUMNS; j++) {
                const int32_t c = group * l->each + first + j;
                int32_t value = 0;
                if (k < l->inner && first + j < l->each) {
                    value = oribi_micro_qlinear_get(l->w + (int64_t)k * out_c, c, is_signed) -
                            l->zeros[c];
                }
                to[(k / 2 * COLUMNS + j) * 2 + k % 2] = (int16_t)value;
            }
        }
    }
}

/* --- Windows --------------------------------------------------------------------------------- */

/* The pixel at (y, x) of image b; NULL in the padding. */
static const uint8_t *pixel(const layer *l, int64_t b, int64_t y, int64_t x)
{
    const struct oribi_micro_qlinear_conv2d_args *a = l->a;
    const bool is_inside = y >= 0 && y < a->in_h && x >= 0 && x < a->in_w;
    return is_inside ? l->x + ((b * a->in_h + y) * a->in_w + x) * a->in_c : NULL;
}

/* Numbers [first, last) of the window of result pixel `row`, for one group, and one more zero. */
static void gather(const layer *l, int64_t row, int32_t group, int32_t first, int32_t last,
                   int16_t *to)
{
    const struct oribi_micro_qlinear_conv2d_args *a = l->a;
    const int64_t b = row / a->out_w / a->out_h;
    const int64_t y = row / a->out_w % a->out_h * a->stride_h - a->before_h;
    const int64_t x = row % a->out_w * a->stride_w - a->before_w;
    for (int32_t k = first; k < last;) {
        const int32_t tap = k / l->depth, d = k % l->depth;
        const int32_t left = last - k, n = l->depth - d < left ? l->depth - d : left;
        const uint8_t *from = pixel(l, b, y + (int64_t)(tap / a->filter_w) * a->dilation_h,
                                    x + (int64_t)(tap % a->filter_w) * a->dilation_w);
        for (int32_t i = 0; from != NULL && i < n; i++) {
            to[i] =
                (int16_t)(oribi_micro_qlinear_get(from + group * l->depth + d, i, a->input_signed) -
                          a->input_zero);
        }
        if (from == NULL) {
            memset(to, 0, (size_t)n * sizeof *to);
        }
        to += n;
        k += n;
    }
    *to = 0;
}

/* --- Results --------------------------------------------------------------------------------- */

/* `count` results from channel `first` of pixel `row` on. */
static void store(const layer *l, int64_t row, int32_t first, int32_t count, const int32_t *sums)
{
    const struct oribi_micro_qlinear_conv2d_args *a = l->a;
    const int64_t at = row * a->out_c + first;
    const int32_t *bias = l->bias + first;
    const float *multipliers = l->multipliers + first;
    if (a->output == ORIBI_MICRO_QLINEAR_S32 || a->output == ORIBI_MICRO_QLINEAR_F32) {
        for (int32_t c = 0; c < count; c++) {
            const int32_t sum = (int32_t)((uint32_t)sums[c] + (uint32_t)bias[c]);
            oribi_micro_qlinear_store((char *)l->output + at * 4, c, a->output, sum, multipliers[c],
                                      0, 0, 0);
        }
        return;
    }
    uint8_t *to = (uint8_t *)l->output + at;
    const float low = (float)(a->low - a->output_zero), high = (float)(a->high - a->output_zero);
    for (int32_t c = 0; c < count; c++) { /* oribi_micro_qlinear_byte, in a form for vectors */
        const int32_t sum = (int32_t)((uint32_t)sums[c] + (uint32_t)bias[c]);
        float value = (float)sum * multipliers[c];
        value = value > low ? value : low;
        value = value < high ? value : high;
        to[c] = (uint8_t)((int32_t)rintf(value) + a->output_zero);
    }
}

/* --- Layers ---------------------------------------------------------------------------------- */

/* ROWS pixels from `row` on (fewer at the end), channels [first, last) of a group. */
static void panel(const layer *l, int64_t row, int32_t group, int32_t first, int32_t last)
{
    int16_t window[ROWS * CHUNK + 2];
    int32_t acc[ROWS * PANEL];
    const int64_t left = l->rows - row;
    const int32_t rows = left < ROWS ? (int32_t)left : ROWS;
    memset(acc, 0, sizeof acc);
    if (rows < ROWS) {
        memset(window, 0, sizeof window);
    }
    for (int32_t k = 0; k < l->inner; k += CHUNK) {
        const int32_t end = l->inner - k < CHUNK ? l->inner : k + CHUNK;
        for (int32_t r = 0; r < rows; r++) { /* overwrites the zero behind the row before */
            gather(l, row + r, group, k, end, window + r * CHUNK);
        }
        for (int32_t c = first; c < last; c += COLUMNS) {
            const int64_t block = (int64_t)group * l->blocks + c / COLUMNS;
            qlinear_tile(window, l->packed + (block * l->pairs + k / 2) * COLUMNS * 2,
                         (end - k + 1) / 2, acc + (c - first));
        }
    }
    for (int32_t r = 0; r < rows; r++) {
        store(l, row + r, group * l->each + first, last - first, acc + r * PANEL);
    }
}

static void run_rows(void *object, int64_t begin, int64_t end)
{
    const layer *l = object;
    const int64_t last = end * UNIT < l->rows ? end * UNIT : l->rows;
    for (int64_t row = begin * UNIT; row < last; row += ROWS) {
        for (int32_t group = 0; group < l->a->groups; group++) {
            for (int32_t c = 0; c < l->each; c += PANEL) {
                panel(l, row, group, c, l->each - c < PANEL ? l->each : c + PANEL);
            }
        }
    }
}

/* One channel in, one out: weights less their zero points, [taps][channels]. */
static void pack_depthwise(const layer *l)
{
    const int32_t channels = l->a->out_c;
    for (int32_t tap = 0; tap < l->inner; tap++) {
        const uint8_t *from = l->w + (int64_t)tap * channels;
        int16_t *to = l->packed + (int64_t)tap * channels;
        for (int32_t c = 0; c < channels; c++) {
            to[c] = (int16_t)(oribi_micro_qlinear_get(from, c, l->a->filter_signed) - l->zeros[c]);
        }
    }
}

static void add_tap(int32_t *acc, const uint8_t *x, const int16_t *w, int32_t count, uint32_t flip,
                    int32_t less)
{
    for (int32_t i = 0; i < count; i++) {
        const int32_t product = ((int32_t)(x[i] ^ flip) - less) * w[i];
        acc[i] = (int32_t)((uint32_t)acc[i] + (uint32_t)product);
    }
}

static void depthwise_pixel(const layer *l, int64_t row)
{
    const struct oribi_micro_qlinear_conv2d_args *a = l->a;
    const uint32_t flip = a->input_signed != 0 ? 128U : 0U;
    const int64_t b = row / a->out_w / a->out_h;
    const int64_t y = row / a->out_w % a->out_h * a->stride_h - a->before_h;
    const int64_t x = row % a->out_w * a->stride_w - a->before_w;
    for (int32_t c = 0; c < a->out_c; c += PANEL) {
        int32_t acc[PANEL] = {0};
        const int32_t count = a->out_c - c < PANEL ? a->out_c - c : PANEL;
        for (int32_t tap = 0; tap < l->inner; tap++) {
            const uint8_t *from = pixel(l, b, y + (int64_t)(tap / a->filter_w) * a->dilation_h,
                                        x + (int64_t)(tap % a->filter_w) * a->dilation_w);
            if (from != NULL) {
                add_tap(acc, from + c, l->packed + (int64_t)tap * a->out_c + c, count, flip,
                        a->input_zero + (int32_t)flip);
            }
        }
        store(l, row, c, count, acc);
    }
}

static void run_depthwise(void *object, int64_t begin, int64_t end)
{
    const layer *l = object;
    const int64_t last = end * UNIT < l->rows ? end * UNIT : l->rows;
    for (int64_t row = begin * UNIT; row < last; row++) {
        depthwise_pixel(l, row);
    }
}

/* --- Few rows: packing would cost as much as computing ------------------------------------------
 */

static void add_row(int32_t *acc, const uint8_t *w, const int32_t *zeros, int32_t count,
                    uint32_t flip, int32_t x)
{
    for (int32_t i = 0; i < count; i++) {
        const int32_t product = x * ((int32_t)(w[i] ^ flip) - (int32_t)flip - zeros[i]);
        acc[i] = (int32_t)((uint32_t)acc[i] + (uint32_t)product);
    }
}

/* Panels [begin, end) of the channels of each row, of one group. */
static void run_few(void *object, int64_t begin, int64_t end)
{
    const layer *l = object;
    const uint32_t flip = l->a->filter_signed != 0 ? 128U : 0U;
    for (int64_t at = begin; at < end; at++) {
        const int32_t first = (int32_t)at * PANEL;
        const int32_t count = l->each - first < PANEL ? l->each - first : PANEL;
        for (int64_t row = 0; row < l->rows; row++) {
            int16_t window[CHUNK + 2];
            int32_t acc[PANEL] = {0};
            for (int32_t k = 0; k < l->inner; k += CHUNK) {
                const int32_t last = l->inner - k < CHUNK ? l->inner : k + CHUNK;
                gather(l, row, 0, k, last, window);
                for (int32_t i = k; i < last; i++) {
                    add_row(acc, l->w + (int64_t)i * l->a->out_c + first, l->zeros + first, count,
                            flip, window[i - k]);
                }
            }
            store(l, row, first, count, acc);
        }
    }
}

/* --- The kernel ------------------------------------------------------------------------------ */

static bool compute(oribi_kit_run *run, layer *l)
{
    enum { PER_CYCLE = 16 };
    const struct oribi_micro_qlinear_conv2d_args *a = l->a;
    const bool is_depthwise = a->groups == a->in_c && a->groups == a->out_c;
    TF_Tensor *tensor = NULL;
    if (l->rows < ROWS && a->groups == 1) {
        oribi_kit_parallel(run, (l->each + PANEL - 1) / PANEL, l->rows * l->inner * PANEL / 4, l,
                           run_few);
        return true;
    }
    l->packed = oribi_kit_scratch(
        run, (is_depthwise ? (int64_t)l->inner * a->out_c : packed_count(l)) * 2, &tensor);
    if (l->packed == NULL) {
        return false;
    }
    const int64_t units = (l->rows + UNIT - 1) / UNIT;
    const int64_t cost = (int64_t)UNIT * l->inner * a->out_c / PER_CYCLE;
    if (is_depthwise) {
        pack_depthwise(l);
        oribi_kit_parallel(run, units, cost, l, run_depthwise);
    } else {
        oribi_kit_parallel(run, (int64_t)a->groups * l->blocks, (int64_t)l->pairs * COLUMNS * 2, l,
                           pack);
        oribi_kit_parallel(run, units, cost, l, run_rows);
    }
    TF_DeleteTensor(tensor);
    return true;
}

static bool fast_run(const void *state, oribi_kit_run *run)
{
    struct oribi_micro_qlinear_conv2d_args args;
    if (!oribi_qlinear_fill(state, run, &args)) {
        return false;
    }
    const int64_t dims[4] = {args.batch, args.out_h, args.out_w, args.out_c};
    const int64_t inner = (int64_t)args.filter_h * args.filter_w * (args.in_c / args.groups);
    layer l = {.a = &args,
               .x = TF_TensorData(run->in[0]),
               .w = TF_TensorData(run->in[1]),
               .bias = TF_TensorData(run->in[2]),
               .zeros = TF_TensorData(run->in[3]),
               .multipliers = TF_TensorData(run->in[4]),
               .depth = args.in_c / args.groups,
               .each = args.out_c / args.groups,
               .rows = dims[0] * dims[1] * dims[2]};
    l.output = oribi_kit_output(run, 0, dims, 4);
    if (l.output == NULL || l.rows == 0) {
        return l.output != NULL;
    }
    l.inner = (int32_t)inner; /* a filter has at most INT32_MAX elements */
    l.pairs = (l.inner + 1) / 2;
    l.blocks = (l.each + COLUMNS - 1) / COLUMNS;
    return compute(run, &l);
}
ORIBI_KIT_COMPUTE(fast, 5)

const oribi_cpu_kernel ORIBI_ISA_TABLE(qlinear)[] = {
    {.op_name = "ONNX>QLinearConv2D",
     .types = {{"Tx", ORIBI_KIT_TYPE(TF_INT8) | ORIBI_KIT_TYPE(TF_UINT8)},
               {"Tw", ORIBI_KIT_TYPE(TF_INT8) | ORIBI_KIT_TYPE(TF_UINT8)}},
     ORIBI_ISA_FIELDS(ORIBI_ISA),
     .create = oribi_qlinear_create,
     .compute = fast_compute,
     .destroy = oribi_kit_free,
     .why = QLINEAR_WHY},
    {.op_name = NULL},
};
