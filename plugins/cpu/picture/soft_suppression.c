/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi>NonMaxSuppression, TensorFlow Lite's of one picture and one class: of boxes that overlap
 * the one with the highest score stays, and with a sigma scores fall by how much they overlap. Read
 * next: non_max_suppression.c, which is ONNX's.
 */
#include "cpu/base/cpu_shape.h"
#include "cpu/base/families.h"
#include "cpu/base/optional.h"
#include "micro/index/box_overlap.h"

#include <math.h>
#include <string.h>

enum { BOXES, SCORES, MOST, OVERLAP, LEAST, SIGMA, N_INPUTS };

typedef struct candidate {
    float score;
    int32_t box, seen; /* seen: chosen boxes whose overlap is in the score already */
} candidate;

typedef struct choice {
    const float *boxes;
    float overlap, least, scale; /* scale: of an overlap's square; 0: scores stay */
    candidate *heap;
    int64_t n, most, n_chosen;
    int32_t *chosen;
    float *scores; /* of those */
} choice;

static bool is_before(const candidate *a, const candidate *b)
{
    return a->score > b->score || (!(a->score < b->score) && a->box < b->box);
}

static void sink(candidate *heap, int64_t n, int64_t at)
{
    for (int64_t child = 2 * at + 1; child < n; child = 2 * at + 1) {
        child += child + 1 < n && is_before(&heap[child + 1], &heap[child]) ? 1 : 0;
        if (!is_before(&heap[child], &heap[at])) {
            return;
        }
        const candidate up = heap[child];
        heap[child] = heap[at];
        heap[at] = up;
        at = child;
    }
}

/* Looks at the boxes chosen since the last time. False: it overlaps one of them too much. */
static bool weigh(const choice *c, candidate *next)
{
    for (int64_t j = c->n_chosen - 1; j >= next->seen; j--) {
        const float ratio = oribi_micro_box_overlap(c->boxes + 4 * (int64_t)next->box,
                                                    c->boxes + 4 * (int64_t)c->chosen[j]);
        if (ratio >= c->overlap) {
            return false;
        }
        if (c->scale < 0.0F) {
            next->score *= expf(c->scale * ratio * ratio);
        }
        if (next->score <= c->least) {
            break;
        }
    }
    next->seen = (int32_t)c->n_chosen;
    return true;
}

static bool choose(oribi_kit_run *run, choice *c)
{
    int64_t patience = 0;
    c->most = c->most < c->n ? c->most : c->n;
    for (int64_t i = c->n / 2 - 1; i >= 0; i--) {
        sink(c->heap, c->n, i);
    }
    while (c->n > 0 && c->n_chosen < c->most) {
        candidate *top = &c->heap[0];
        const float before = top->score;
        const bool stays = weigh(c, top);
        if (stays && !(top->score < before)) {
            c->chosen[c->n_chosen] = top->box;
            c->scores[c->n_chosen++] = top->score;
        }
        if (!stays || top->score <= c->least) { /* a chosen one meets itself the next time */
            c->heap[0] = c->heap[--c->n];
        }
        sink(c->heap, c->n, 0);
        if (oribi_kit_stops(run, &patience, 100 + c->n_chosen * 20)) {
            return false;
        }
    }
    return true;
}

/* The boxes above the least score, and the numbers that say how to choose. */
static bool take(oribi_kit_run *run, choice *c, int64_t *out_n, const float **out_scores)
{
    oribi_cpu_shape boxes, scores;
    double overlap = 0, least = 0, sigma = 0;
    if (!oribi_cpu_input_shape(run, BOXES, &boxes) ||
        !oribi_cpu_input_shape(run, SCORES, &scores) ||
        !oribi_cpu_read_int(run, MOST, "max_output_size", &c->most) ||
        !oribi_cpu_optional_real(run, OVERLAP, "iou_threshold", 0, &overlap) ||
        !oribi_cpu_optional_real(run, LEAST, "score_threshold", 0, &least) ||
        !oribi_cpu_optional_real(run, SIGMA, "soft_nms_sigma", 0, &sigma)) {
        return false;
    }
    if (boxes.n != 2 || scores.n != 1 || boxes.at[1] != 4 || boxes.at[0] != scores.at[0] ||
        boxes.at[0] > INT32_MAX || c->most < 0 || c->most > INT32_MAX || !(sigma >= 0)) {
        return oribi_kit_fail(
            run, TF_INVALID_ARGUMENT,
            "boxes %s, scores %s, at most %lld of them and a sigma of %g: [n, 4], "
            "[n] and numbers of at least 0 are wanted",
            oribi_cpu_shape_text(&boxes).chars, oribi_cpu_shape_text(&scores).chars,
            (long long)c->most, sigma);
    }
    c->boxes = TF_TensorData(run->in[BOXES]);
    c->overlap = (float)overlap;
    c->least = (float)least;
    c->scale = sigma > 0 ? -0.5F / (float)sigma : 0.0F;
    *out_n = scores.at[0];
    *out_scores = TF_TensorData(run->in[SCORES]);
    return true;
}

static bool suppression_run(const void *state, oribi_kit_run *run)
{
    choice c = {.n = 0};
    int64_t n = 0;
    const float *scores = NULL;
    TF_Tensor *memory = NULL;
    (void)state;
    if (!take(run, &c, &n, &scores)) {
        return false;
    }
    const int64_t most = c.most;
    c.chosen = oribi_kit_output(run, 0, &most, 1);
    c.scores = c.chosen == NULL ? NULL : oribi_kit_output(run, 1, &most, 1);
    int32_t *count = c.scores == NULL ? NULL : oribi_kit_output(run, 2, NULL, 0);
    c.heap =
        count == NULL ? NULL : oribi_kit_scratch(run, (n + 1) * (int64_t)sizeof *c.heap, &memory);
    if (c.heap == NULL) {
        return false;
    }
    for (int64_t i = 0; i < n; i++) {
        const float score = scores[i];
        if (score > c.least) {
            c.heap[c.n++] = (candidate){score, (int32_t)i, 0};
        }
    }
    int64_t patience = 0;
    const bool good = !oribi_kit_stops(run, &patience, n * 40) && choose(run, &c);
    for (int64_t i = c.n_chosen; good && i < most; i++) {
        c.chosen[i] = 0;
        c.scores[i] = 0.0F;
    }
    *count = (int32_t)c.n_chosen;
    TF_DeleteTensor(memory);
    return good;
}
ORIBI_KIT_COMPUTE(suppression, N_INPUTS)

const oribi_cpu_kernel oribi_cpu_soft_suppression_kernels[] = {
    ORIBI_CPU_ROW("Oribi>NonMaxSuppression", suppression, "a heap of scores, plain loops"),
    {.op_name = NULL},
};
