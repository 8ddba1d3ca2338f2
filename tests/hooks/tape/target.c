/* SPDX-License-Identifier: Apache-2.0 */
/* What tapes take of a model, by a compiler of their own: subgraphs of int8 convolutions and sums,
 * with whatever goes in and out of them. What would want more scratch than a tape has is refused,
 * and comes again in halves.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oribi/target.h"
#include "tape_machine.h"
#include "tensorflow/c/plugin_note.h"

ORIBI_PLUGIN("tape_target", "1.0", "Apache-2.0");

enum { SCRATCH_MAX = 40000, TENSORS_MAX = 256, ROOM = 4 << 20 };

/* A tape in the making. */
typedef struct writer {
    const oribi_region *region;
    TF_Status *status;
    const char *why; /* it cannot be written; NULL: it can */
    uint8_t *bytes;
    size_t used;
    const char *names[TENSORS_MAX]; /* of tensors that lie in scratch */
    uint32_t at[TENSORS_MAX];
    int n_names;
    uint32_t scratch;
} writer;

static oribi_region_tensor tensor(writer *w, int node, int index, int is_output)
{
    oribi_region_tensor t = {.struct_size = sizeof t};
    if (is_output) {
        oribi_region_output(w->region, node, index, &t, w->status);
    } else {
        oribi_region_input(w->region, node, index, &t, w->status);
    }
    w->why = TF_GetCode(w->status) != TF_OK ? "a tensor cannot be read" : w->why;
    return t;
}

/* --- Places ----------------------------------------------------------------------------------- */

/* A tensor of the call, or else bytes of the scratch, which are had when its node is written. */
static struct tape_place place_of(writer *w, const oribi_region_tensor *t)
{
    const int n_in = oribi_region_num_inputs(w->region, ORIBI_REGION_CALL);
    const int n = n_in + oribi_region_num_outputs(w->region, ORIBI_REGION_CALL);
    struct tape_place place = {0, 0, (uint32_t)t->bytes};
    for (int i = 0; i < n; i++) {
        const oribi_region_tensor own =
            tensor(w, ORIBI_REGION_CALL, i < n_in ? i : i - n_in, i >= n_in);
        if (w->why != NULL || strcmp(own.name, t->name) == 0) {
            place.base = 1u + (uint32_t)i;
            return place;
        }
    }
    for (int i = 0; i < w->n_names; i++) {
        if (strcmp(w->names[i], t->name) == 0) {
            place.at = w->at[i];
            return place;
        }
    }
    if (w->n_names == TENSORS_MAX) {
        w->why = "a tape has 256 tensors at most";
        return place;
    }
    w->names[w->n_names] = t->name;
    w->at[w->n_names++] = place.at = w->scratch;
    w->scratch += (place.bytes + 15u) / 16u * 16u;
    return place;
}

static uint32_t put(writer *w, const void *data, size_t bytes)
{
    const size_t at = (w->used + 3) / 4 * 4;
    if (at > ROOM || bytes > ROOM - at) {
        w->why = "a tape has 4 MiB at most";
        return 0;
    }
    memcpy(w->bytes + at, data, bytes);
    w->used = at + bytes;
    return (uint32_t)at;
}

/* --- Operators -------------------------------------------------------------------------------- */

static void multiplier_of(double real, int32_t *out_multiplier, int32_t *out_shift)
{
    int shift = 0;
    int64_t fixed = llround(frexp(real, &shift) * 2147483648.0);
    if (fixed == INT64_C(2147483648)) {
        fixed /= 2;
        shift++;
    }
    *out_multiplier = shift < -31 ? 0 : (int32_t)fixed;
    *out_shift = shift < -31 ? 0 : shift;
}

static double real(writer *w, int node, const char *name)
{
    return (double)oribi_region_attr_float(w->region, node, name, w->status);
}

static int32_t whole(writer *w, int node, const char *name)
{
    return (int32_t)oribi_region_attr_int(w->region, node, name, w->status);
}

static int32_t bound(double value)
{
    return value < -128 ? -128 : value > 127 ? 127 : (int32_t)value;
}

static void bounds_of(writer *w, int node, int32_t zero, int32_t *low, int32_t *high)
{
    const char *name = oribi_region_attr_string(w->region, node, "activation", w->status);
    const double scale = real(w, node, "output_scale");
    *low = -128;
    *high = 127;
    if (name == NULL || strcmp(name, "NONE") == 0) {
        return;
    }
    *low = bound(zero + round((strcmp(name, "RELU_N1_TO_1") == 0 ? -1 : 0) / scale));
    if (strcmp(name, "RELU") != 0) {
        *high = bound(zero + round((strcmp(name, "RELU6") == 0 ? 6 : 1) / scale));
    }
}

static int32_t before(int64_t in, int64_t out, int64_t filter, int64_t stride, int64_t dilation)
{
    const int64_t all = (out - 1) * stride + (filter - 1) * dilation + 1 - in;
    return all > 0 ? (int32_t)(all / 2) : 0;
}

static void write_conv(writer *w, int node, int is_each, struct tape_command *c)
{
    const oribi_region_tensor in = tensor(w, node, 0, 0), filter = tensor(w, node, 1, 0);
    const oribi_region_tensor bias = tensor(w, node, 2, 0), out = tensor(w, node, 0, 1);
    int64_t s[2] = {1, 1}, d[2] = {1, 1};
    oribi_region_attr_ints(w->region, node, "strides", s, 2, w->status);
    oribi_region_attr_ints(w->region, node, "dilations", d, 2, w->status);
    const char *padding = oribi_region_attr_string(w->region, node, "padding", w->status);
    if (w->why != NULL || padding == NULL) {
        w->why = w->why != NULL ? w->why : "a convolution cannot be read";
        return;
    }
    struct tape_conv p = {(int32_t)in.dims[1],
                          (int32_t)in.dims[2],
                          (int32_t)in.dims[3],
                          (int32_t)out.dims[1],
                          (int32_t)out.dims[2],
                          (int32_t)out.dims[3],
                          (int32_t)filter.dims[1],
                          (int32_t)filter.dims[2],
                          (int32_t)s[0],
                          (int32_t)s[1],
                          (int32_t)d[0],
                          (int32_t)d[1],
                          0,
                          0,
                          whole(w, node, "input_zero"),
                          whole(w, node, "output_zero"),
                          0,
                          0};
    if (strcmp(padding, "SAME") == 0) {
        p.before_h = before(in.dims[1], out.dims[1], filter.dims[1], s[0], d[0]);
        p.before_w = before(in.dims[2], out.dims[2], filter.dims[2], s[1], d[1]);
    }
    bounds_of(w, node, p.out_zero, &p.low, &p.high);
    const size_t n = (size_t)p.out_c, n_words = n * 12;
    float *scales = malloc(n * sizeof *scales);
    int32_t *words = malloc(n_words);
    if (scales == NULL || words == NULL) {
        w->why = "no memory";
    } else {
        const double factor = real(w, node, "input_scale") / real(w, node, "output_scale");
        const int32_t n_scales = oribi_region_attr_floats(w->region, node, "filter_scales", scales,
                                                          (int32_t)n, w->status);
        memcpy(words, bias.constant, n * 4);
        for (size_t i = 0; i < n && n_scales > 0; i++) {
            multiplier_of(factor * (double)scales[n_scales == 1 ? 0 : i], &words[n + i],
                          &words[2 * n + i]);
        }
        c->op = is_each ? TAPE_DEPTHWISE : TAPE_CONV;
        c->a = place_of(w, &in);
        c->out = place_of(w, &out);
        c->at = put(w, &p, sizeof p);
        (void)put(w, words, n_words);
        (void)put(w, filter.constant, filter.bytes);
        c->bytes = (uint32_t)(sizeof p + n_words + filter.bytes);
    }
    free(scales);
    free(words);
}

static void write_add(writer *w, int node, struct tape_command *c)
{
    const oribi_region_tensor a = tensor(w, node, 0, 0), b = tensor(w, node, 1, 0);
    const oribi_region_tensor out = tensor(w, node, 0, 1);
    const double a_scale = real(w, node, "a_scale"), b_scale = real(w, node, "b_scale");
    const double twice = 2 * (a_scale > b_scale ? a_scale : b_scale);
    struct tape_add p = {.a_zero = whole(w, node, "a_zero"),
                         .b_zero = whole(w, node, "b_zero"),
                         .out_zero = whole(w, node, "output_zero")};
    multiplier_of(a_scale / twice, &p.a_multiplier, &p.a_shift);
    multiplier_of(b_scale / twice, &p.b_multiplier, &p.b_shift);
    multiplier_of(twice / (1048576.0 * real(w, node, "output_scale")), &p.out_multiplier,
                  &p.out_shift);
    bounds_of(w, node, p.out_zero, &p.low, &p.high);
    c->op = TAPE_ADD;
    c->a = place_of(w, &a);
    c->b = place_of(w, &b);
    c->out = place_of(w, &out);
    c->at = put(w, &p, sizeof p);
    c->bytes = sizeof p;
}

/* --- Regions ---------------------------------------------------------------------------------- */

static int is_op(const oribi_region *region, int node, const char *op)
{
    return strcmp(oribi_region_op(region, node), op) == 0;
}

static int32_t takes(void *user, const oribi_region *region, char *why, size_t why_bytes)
{
    TF_Status *status = TF_NewStatus();
    writer w = {.region = region, .status = status};
    const int is_add = is_op(region, 0, "Oribi>QAdd");
    const int is_conv =
        is_op(region, 0, "Oribi>QConv2D") || is_op(region, 0, "Oribi>QDepthwiseConv2D");
    (void)user;
    if (!is_add && !is_conv) {
        snprintf(why, why_bytes, "a tape convolves and adds");
    } else {
        const oribi_region_tensor a = tensor(&w, 0, 0, 0), b = tensor(&w, 0, 1, 0);
        const oribi_region_tensor out = tensor(&w, 0, 0, 1);
        if (w.why != NULL || a.dtype != TF_INT8 || out.dtype != TF_INT8) {
            snprintf(why, why_bytes, "a tape has int8 only");
        } else if (is_add && (a.bytes != out.bytes || b.bytes != out.bytes || a.constant != NULL ||
                              b.constant != NULL)) {
            snprintf(why, why_bytes, "a tape adds what is of one size, and not constant");
        } else if (is_conv &&
                   (b.constant == NULL || a.rank != 4 || a.dims[0] != 1 ||
                    a.dims[3] != (is_op(region, 0, "Oribi>QConv2D") ? b.dims[3] : out.dims[3]))) {
            snprintf(why, why_bytes,
                     "a tape has one image, constant filters, and no groups of more "
                     "than a channel");
        }
    }
    TF_DeleteStatus(status);
    return why[0] == '\0';
}

static void compile_region(void *user, const oribi_region *region, oribi_target_code *code,
                           TF_Status *status)
{
    const int n = oribi_region_num_nodes(region);
    writer w = {.region = region, .status = status, .bytes = malloc(ROOM)};
    struct tape_command *commands = calloc((size_t)n, sizeof *commands);
    struct tape_head head = {TAPE_MAGIC, (uint32_t)n, 0};
    (void)user;
    if (w.bytes == NULL || commands == NULL) {
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "no memory for a tape");
    } else {
        (void)put(&w, &head, sizeof head);
        const uint32_t at = put(&w, commands, (size_t)n * sizeof *commands);
        for (int i = 0; i < n; i++) {
            if (is_op(region, i, "Oribi>QAdd")) {
                write_add(&w, i, &commands[i]);
            } else {
                write_conv(&w, i, is_op(region, i, "Oribi>QDepthwiseConv2D"), &commands[i]);
            }
        }
        head.n_tensors = (uint32_t)(oribi_region_num_inputs(region, ORIBI_REGION_CALL) +
                                    oribi_region_num_outputs(region, ORIBI_REGION_CALL)) +
                         (w.scratch > 0 ? 1u : 0u); /* the last tensor of a call is its scratch */
        memcpy(w.bytes, &head, sizeof head);
        memcpy(w.bytes + at, commands, (size_t)n * sizeof *commands);
        if (w.why != NULL) {
            TF_SetStatus(status, TF_INTERNAL, w.why);
        } else if (w.scratch > SCRATCH_MAX) {
            oribi_target_refuse(code, ORIBI_REGION_CALL, "it wants more scratch than a tape has",
                                status);
        } else {
            oribi_target_set_op(code, TAPE_RUN);
            oribi_target_set_params(code, w.bytes, w.used, 4, status);
            oribi_target_set_scratch(code, w.scratch);
            oribi_target_set_cost_us(code, 50 * n);
        }
    }
    free(commands);
    free(w.bytes);
}

static const oribi_target tape = {.struct_size = sizeof tape,
                                  .name = "tape",
                                  .device_type = 12,
                                  .device_api = 1,
                                  .driver_contract = TVM_DEVICE_CONTRACT,
                                  .compile_region = compile_region,
                                  .takes = takes};
static const oribi_target tape_own = {.struct_size = sizeof tape_own,
                                      .name = "tape-own",
                                      .device_type = 12,
                                      .device_api = 1,
                                      .is_asynchronous = 1,
                                      .memory_bytes = TAPE_MEMORY,
                                      .memory_alignment = 16,
                                      .has_load = 1,
                                      .driver_contract = TVM_DEVICE_CONTRACT,
                                      .compile_region = compile_region,
                                      .takes = takes};

void TF_InitKernel(void)
{
    TF_Status *status = TF_NewStatus();
    oribi_target_register(&tape, status);
    oribi_target_register(&tape_own, status);
    TF_DeleteStatus(status);
}
