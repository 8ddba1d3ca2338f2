/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX>NonMaxSuppression: of boxes that overlap, the one with the highest score stays. Areas are
 * computed in float32, as the source does, since a ratio at the threshold decides. Of equal scores
 * the box that comes first in the input goes first.
 */
#include "cpu/base/cpu_shape.h"
#include "cpu/base/families.h"
#include "cpu/base/optional.h"

#include <string.h>

enum { BOXES, SCORES, MOST, OVERLAP, LEAST, N_INPUTS };

typedef struct suppress_state {
    int input[N_INPUTS]; /* places; -1: absent */
    bool is_centred;     /* x, y, width, height instead of two corners y, x, y, x */
} suppress_state;

static void suppress_read(oribi_kit_setup *setup, suppress_state *state)
{
    int64_t centred = 0;
    oribi_kit_attr_int(setup, "center_point_box", &centred);
    state->is_centred = centred != 0;
    oribi_cpu_read_present(setup, N_INPUTS, 2, state->input);
}
ORIBI_KIT_CREATE(suppress, suppress_state)

typedef struct suppression {
    const float *boxes, *scores;
    int64_t batches, classes, n; /* n: boxes of one picture */
    int64_t most;                /* of one class */
    double overlap, least;
    bool is_centred, has_least;
    int64_t *heap;   /* n */
    int64_t *chosen; /* triples */
    int64_t n_chosen, patience;
} suppression;

/* Does box a go before box b? */
static bool is_before(const float *scores, int64_t a, int64_t b)
{
    return scores[a] > scores[b] || (!(scores[a] < scores[b]) && a < b);
}

static void sink(const float *scores, int64_t *heap, int64_t n, int64_t at)
{
    for (int64_t child = 2 * at + 1; child < n; child = 2 * at + 1) {
        child += child + 1 < n && is_before(scores, heap[child + 1], heap[child]) ? 1 : 0;
        if (!is_before(scores, heap[child], heap[at])) {
            return;
        }
        const int64_t up = heap[child];
        heap[child] = heap[at];
        heap[at] = up;
        at = child;
    }
}

/* y0, x0, y1, x1 with the lower ones first. */
static void corners(const suppression *s, const float *box, float out[4])
{
    for (int k = 0; k < 2; k++) {
        const float a = s->is_centred ? box[1 - k] - box[3 - k] / 2 : box[k];
        const float b = s->is_centred ? box[1 - k] + box[3 - k] / 2 : box[k + 2];
        const bool swap = !s->is_centred && a > b;
        out[k] = swap ? b : a;
        out[k + 2] = swap ? a : b;
    }
}

static bool overlaps(const suppression *s, const float *a, const float *b)
{
    float p[4], q[4], low[2], high[2];
    corners(s, a, p);
    corners(s, b, q);
    for (int k = 0; k < 2; k++) {
        low[k] = p[k] > q[k] ? p[k] : q[k];
        high[k] = p[k + 2] < q[k + 2] ? p[k + 2] : q[k + 2];
        if (!(high[k] > low[k])) {
            return false;
        }
    }
    const float common = (high[1] - low[1]) * (high[0] - low[0]);
    const float area_p = (p[3] - p[1]) * (p[2] - p[0]), area_q = (q[3] - q[1]) * (q[2] - q[0]);
    const float all = area_p + area_q - common;
    return common > 0 && area_p > 0 && area_q > 0 && all > 0 && (double)(common / all) > s->overlap;
}

/* One class of one picture. */
static bool choose(oribi_kit_run *run, suppression *s, int64_t batch, int64_t class)
{
    const float *scores = s->scores + (batch * s->classes + class) * s->n;
    const float *boxes = s->boxes + batch * s->n * 4;
    const int64_t first = s->n_chosen;
    int64_t n = 0;
    for (int64_t i = 0; i < s->n; i++) {
        if (!s->has_least || (double)scores[i] > s->least) {
            s->heap[n++] = i;
        }
    }
    for (int64_t i = n / 2 - 1; i >= 0; i--) {
        sink(scores, s->heap, n, i);
    }
    while (n > 0 && s->n_chosen - first < s->most) {
        const int64_t box = s->heap[0];
        bool stays = true;
        s->heap[0] = s->heap[--n];
        sink(scores, s->heap, n, 0);
        for (int64_t k = first; stays && k < s->n_chosen; k++) {
            stays = !overlaps(s, boxes + box * 4, boxes + s->chosen[3 * k + 2] * 4);
        }
        if (stays) {
            memcpy(s->chosen + 3 * s->n_chosen++, (const int64_t[]){batch, class, box},
                   3 * sizeof(int64_t));
        }
        if (oribi_kit_stops(run, &s->patience, 100 + (s->n_chosen - first) * 20)) {
            return false;
        }
    }
    return !oribi_kit_stops(run, &s->patience, s->n * 10);
}

static bool take_inputs(oribi_kit_run *run, const suppress_state *state, suppression *s)
{
    oribi_cpu_shape boxes, scores;
    const int *at = state->input;
    if (!oribi_cpu_check_type(run, BOXES, "boxes", TF_FLOAT) ||
        !oribi_cpu_check_type(run, SCORES, "scores", TF_FLOAT) ||
        !oribi_cpu_input_shape(run, BOXES, &boxes) ||
        !oribi_cpu_input_shape(run, SCORES, &scores)) {
        return false;
    }
    if (boxes.n != 3 || scores.n != 3 || boxes.at[2] != 4 || boxes.at[0] != scores.at[0] ||
        boxes.at[1] != scores.at[2]) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "boxes %s and scores %s must be [batches, boxes, 4] and [batches, "
                              "classes, boxes]",
                              oribi_cpu_shape_text(&boxes).chars,
                              oribi_cpu_shape_text(&scores).chars);
    }
    s->batches = scores.at[0];
    s->classes = scores.at[1];
    s->n = scores.at[2];
    s->is_centred = state->is_centred;
    s->has_least = at[LEAST] >= 0;
    s->boxes = TF_TensorData(run->in[BOXES]);
    s->scores = TF_TensorData(run->in[SCORES]);
    if (!oribi_cpu_optional_int(run, at[MOST], "max_output_boxes_per_class", 0, &s->most) ||
        !oribi_cpu_optional_real(run, at[OVERLAP], "iou_threshold", 0, &s->overlap) ||
        !oribi_cpu_optional_real(run, at[LEAST], "score_threshold", 0, &s->least)) {
        return false;
    }
    s->most = s->most < 0 ? 0 : s->most > s->n ? s->n : s->most;
    return true;
}

static bool choose_all(oribi_kit_run *run, suppression *s)
{
    for (int64_t batch = 0; batch < s->batches; batch++) {
        for (int64_t class = 0; s->most > 0 && class < s->classes; class ++) {
            if (!choose(run, s, batch, class)) {
                return false;
            }
        }
    }
    int64_t *out = oribi_kit_output(run, 0, (const int64_t[]){s->n_chosen, 3}, 2);
    if (out != NULL && s->n_chosen > 0) {
        memcpy(out, s->chosen, (size_t)s->n_chosen * 3 * sizeof(int64_t));
    }
    return out != NULL;
}

static void suppress_compute(void *state, TF_OpKernelContext *context)
{
    oribi_kit_run run;
    suppression s = {.n_chosen = 0};
    TF_Tensor *memory = NULL;
    const int n = TF_NumInputs(context);
    if (oribi_kit_begin(&run, context, n > N_INPUTS ? N_INPUTS : n) &&
        take_inputs(&run, state, &s)) {
        const int64_t dims[] = {s.batches, s.classes, s.most, 3};
        int64_t room = 0;
        if (oribi_cpu_count(&run, dims, 4, &room) && room <= INT64_MAX / 16 - s.n) {
            s.heap = oribi_kit_scratch(&run, (room + s.n + 1) * (int64_t)sizeof(int64_t), &memory);
            if (s.heap != NULL) {
                s.chosen = s.heap + s.n;
                (void)choose_all(&run, &s);
            }
        }
    }
    TF_DeleteTensor(memory);
    oribi_kit_end(&run);
}

const oribi_cpu_kernel oribi_cpu_suppression_kernels[] = {
    ORIBI_CPU_STATE_ROW("ONNX>NonMaxSuppression", suppress, suppress,
                        "a heap of scores, plain loops"),
    {.op_name = NULL},
};
