/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi>DetectionPostProcess, what TensorFlow's object detection puts behind its models
 * (TFLite_Detection_PostProcess): boxes relative to anchors become corners, and of those that
 * overlap the best stay, either of each class or by the best class of each anchor.
 */
#include "cpu/base/cpu_shape.h"
#include "cpu/base/families.h"
#include "micro/index/box_overlap.h"
#include "micro/math_double.h"

#include <math.h>

#include <string.h>

enum { BOXES, SCORES, ANCHORS, N_INPUTS };

typedef struct detection_state {
    int64_t most, classes_each, most_of_class, classes;
    float least, overlap, scale[4]; /* y, x, height, width */
    bool is_by_class;
} detection_state;

static void detection_read(oribi_kit_setup *setup, detection_state *state)
{
    static const char *const scales[4] = {"y_scale", "x_scale", "h_scale", "w_scale"};
    oribi_kit_attr_int(setup, "max_detections", &state->most);
    oribi_kit_attr_int(setup, "max_classes_per_detection", &state->classes_each);
    oribi_kit_attr_int(setup, "detections_per_class", &state->most_of_class);
    oribi_kit_attr_int(setup, "num_classes", &state->classes);
    oribi_kit_attr_float(setup, "nms_score_threshold", &state->least);
    oribi_kit_attr_float(setup, "nms_iou_threshold", &state->overlap);
    oribi_kit_attr_bool(setup, "use_regular_nms", &state->is_by_class);
    for (int k = 0; k < 4; k++) {
        oribi_kit_attr_float(setup, scales[k], &state->scale[k]);
    }
}
ORIBI_KIT_CREATE(detection, detection_state)

typedef struct found {
    float score;
    int32_t box, class;
} found;

typedef struct detections {
    const detection_state *state;
    const float *encoded, *scores, *anchors;
    int64_t n, row, width; /* boxes; floats of an encoded box, and scores of a box */
    int64_t background;    /* scores of a box that are no class, in front */
    float *boxes;          /* n, four corners each */
    found *order, *best;   /* n candidates; those that stay, and room to merge */
    int64_t n_best, patience;
} detections;

static void decode(detections *d)
{
    const float *scale = d->state->scale;
    for (int64_t i = 0; i < d->n; i++) {
        const float *box = d->encoded + i * d->row, *anchor = d->anchors + i * 4;
        for (int k = 0; k < 2; k++) {
            const double size = (double)anchor[2 + k];
            const float centre =
                (float)((double)box[k] / (double)scale[k] * size + (double)anchor[k]);
            const float half =
                (float)(0.5 * oribi_micro_double_exp((double)box[2 + k] / (double)scale[2 + k]) *
                        size);
            d->boxes[4 * i + k] = centre - half;
            d->boxes[4 * i + 2 + k] = centre + half;
        }
    }
}

/* Stable: of equal scores the first stays first. */
static bool is_after(const found *a, const found *b)
{
    return a->score < b->score;
}

/* Merges two neighbouring runs of x through `room`. */
static void merge(found *x, int64_t first, int64_t second, found *room)
{
    int64_t a = 0, b = first;
    for (int64_t i = 0; i < first + second; i++) {
        const bool takes_b = a == first || (b < first + second && is_after(&x[a], &x[b]));
        room[i] = takes_b ? x[b++] : x[a++];
    }
    memcpy(x, room, (size_t)(first + second) * sizeof *x);
}

static void sort(found *x, int64_t n, found *room)
{
    for (int64_t width = 1; width < n; width *= 2) {
        for (int64_t at = 0; at + width < n; at += 2 * width) {
            const int64_t rest = n - at - width;
            merge(x + at, width, rest < width ? rest : width, room);
        }
    }
}

/* Of the first n of d->order those above the least score that overlap none before them, at most
 * `most`, come to the front. Returns how many; -1: the run was stopped. */
static int64_t suppress(oribi_kit_run *run, detections *d, int64_t most, found *room)
{
    int64_t n = 0, kept = 0;
    for (int64_t i = 0; i < d->n; i++) {
        if (d->order[i].score >= d->state->least) {
            d->order[n++] = d->order[i];
        }
    }
    sort(d->order, n, room);
    for (int64_t i = 0; i < n && kept < most; i++) {
        const float *box = d->boxes + 4 * (int64_t)d->order[i].box;
        bool stays = true;
        for (int64_t k = 0; stays && k < kept; k++) {
            stays = !(oribi_micro_box_overlap(d->boxes + 4 * (int64_t)d->order[k].box, box) >
                      d->state->overlap);
        }
        if (stays) {
            d->order[kept++] = d->order[i];
        }
        if (oribi_kit_stops(run, &d->patience, 20 + kept * 20)) {
            return -1;
        }
    }
    return kept;
}

static bool choose_by_class(oribi_kit_run *run, detections *d, found *room)
{
    const int64_t each =
        d->state->most_of_class < d->state->most ? d->state->most_of_class : d->state->most;
    for (int64_t class = 0; class < d->state->classes; class ++) {
        for (int64_t i = 0; i < d->n; i++) {
            d->order[i] = (found){d->scores[i * d->width + d->background + class], (int32_t)i,
                                  (int32_t) class};
        }
        const int64_t kept = suppress(run, d, each, room);
        if (kept < 0) {
            return false;
        }
        if (kept > 0) {
            memcpy(d->best + d->n_best, d->order, (size_t)kept * sizeof *d->best);
        }
        merge(d->best, d->n_best, kept, room);
        d->n_best = d->n_best + kept < d->state->most ? d->n_best + kept : d->state->most;
    }
    return true;
}

static int32_t best_class(const detections *d, int64_t box)
{
    const float *scores = d->scores + box * d->width + d->background;
    int64_t best = 0;
    for (int64_t i = 1; i < d->state->classes; i++) {
        best = scores[i] > scores[best] ? i : best;
    }
    return (int32_t)best;
}

/* The next best class of the box after *last, by score, then by number. */
static found next_class(const detections *d, const found *last)
{
    const float *scores = d->scores + last->box * d->width + d->background;
    found next = {-INFINITY, last->box, -1};
    for (int32_t i = 0; i < d->state->classes; i++) {
        const bool is_later =
            scores[i] < last->score || (!(scores[i] > last->score) && i > last->class);
        if (is_later && (next.class < 0 || scores[i] > next.score)) {
            next.score = scores[i];
            next.class = i;
        }
    }
    return next;
}

/* Each box that stays gives its best classes, side by side. */
static bool choose_by_anchor(oribi_kit_run *run, detections *d, found *room)
{
    const int64_t classes =
        d->state->classes_each < d->state->classes ? d->state->classes_each : d->state->classes;
    for (int64_t i = 0; i < d->n; i++) {
        const int32_t class = best_class(d, i);
        d->order[i] = (found){d->scores[i * d->width + d->background + class], (int32_t)i, class};
    }
    const int64_t kept = suppress(run, d, d->state->most, room);
    for (int64_t i = 0; i < kept; i++) {
        found one = d->order[i];
        for (int64_t k = 0; k < d->state->classes_each; k++) {
            d->best[i * d->state->classes_each + k] =
                k < classes && one.class >= 0 ? one : (found){0.0F, -1, 0};
            one = next_class(d, &one);
        }
    }
    d->n_best = kept;
    return kept >= 0;
}

/* --- Inputs and outputs ----------------------------------------------------------------------- */

static bool take(oribi_kit_run *run, const detection_state *s, detections *d)
{
    enum { MOST = 1 << 20 };
    oribi_cpu_shape boxes, scores, anchors;
    if (!oribi_cpu_input_shape(run, BOXES, &boxes) ||
        !oribi_cpu_input_shape(run, SCORES, &scores) ||
        !oribi_cpu_input_shape(run, ANCHORS, &anchors)) {
        return false;
    }
    if (boxes.n != 3 || scores.n != 3 || anchors.n != 2 || boxes.at[0] != 1 || scores.at[0] != 1 ||
        boxes.at[1] != scores.at[1] || anchors.at[0] != boxes.at[1] || boxes.at[2] < 4 ||
        anchors.at[1] != 4 || boxes.at[1] > INT32_MAX || scores.at[2] < s->classes ||
        scores.at[2] > s->classes + 1) {
        return oribi_kit_fail(
            run, TF_INVALID_ARGUMENT, "boxes %s, scores %s and anchors %s do not fit %lld classes",
            oribi_cpu_shape_text(&boxes).chars, oribi_cpu_shape_text(&scores).chars,
            oribi_cpu_shape_text(&anchors).chars, (long long)s->classes);
    }
    if (s->classes < 1 || s->most < 0 || s->most > MOST || s->most_of_class < 1 ||
        s->classes_each < 1 || s->classes_each > MOST || !(s->overlap > 0 && s->overlap <= 1)) {
        return oribi_kit_fail(
            run, TF_INVALID_ARGUMENT,
            "%lld detections of %lld classes and an overlap of %g are not possible",
            (long long)s->most, (long long)s->classes_each, (double)s->overlap);
    }
    *d = (detections){.state = s,
                      .encoded = TF_TensorData(run->in[BOXES]),
                      .scores = TF_TensorData(run->in[SCORES]),
                      .anchors = TF_TensorData(run->in[ANCHORS]),
                      .n = boxes.at[1],
                      .row = boxes.at[2],
                      .width = scores.at[2],
                      .background = scores.at[2] - s->classes};
    return true;
}

static bool put(oribi_kit_run *run, const detections *d, int64_t places)
{
    const int64_t dims[] = {1, places, 4};
    const int64_t each = d->state->is_by_class ? 1 : d->state->classes_each;
    float *boxes = oribi_kit_output(run, 0, dims, 3);
    float *classes = boxes == NULL ? NULL : oribi_kit_output(run, 1, dims, 2);
    float *scores = classes == NULL ? NULL : oribi_kit_output(run, 2, dims, 2);
    for (int64_t i = 0; scores != NULL && i < places; i++) {
        const found none = {0.0F, -1, 0}, *one = i < d->n_best * each ? &d->best[i] : &none;
        for (int k = 0; k < 4; k++) {
            boxes[4 * i + k] = one->box < 0 ? 0.0F : d->boxes[4 * (int64_t)one->box + k];
        }
        classes[i] = (float)one->class;
        scores[i] = one->score;
    }
    if (scores == NULL) {
        return false;
    }
    oribi_kit_output_done(run);
    float *count = oribi_kit_output(run, 3, dims, 1);
    if (count != NULL) {
        *count = (float)d->n_best;
    }
    return count != NULL;
}

static bool detection_run(const detection_state *state, oribi_kit_run *run)
{
    detections d;
    TF_Tensor *memory = NULL;
    int64_t places = 0, rooms = 0;
    if (!take(run, state, &d) ||
        !oribi_cpu_count(run, (const int64_t[]){state->most, state->classes_each}, 2, &places)) {
        return false;
    }
    const int64_t room = (places > d.n ? places : d.n) + state->most;
    const int64_t sizes[] = {d.n + 2 * room, (int64_t)sizeof(found)};
    if (!oribi_cpu_count(run, sizes, 2, &rooms)) {
        return false;
    }
    d.order = oribi_kit_scratch(run, rooms + d.n * 16 + 16, &memory);
    bool good = d.order != NULL;
    if (good) {
        d.best = d.order + d.n;
        d.boxes = (float *)(d.best + 2 * room);
        decode(&d);
        good = (state->is_by_class ? choose_by_class : choose_by_anchor)(run, &d, d.best + room) &&
               put(run, &d, places);
    }
    TF_DeleteTensor(memory);
    return good;
}
ORIBI_KIT_COMPUTE(detection, N_INPUTS)

const oribi_cpu_kernel oribi_cpu_detection_kernels[] = {
    ORIBI_CPU_STATE_ROW("Oribi>DetectionPostProcess", detection, detection,
                        "sorted by score, plain loops"),
    {.op_name = NULL},
};
