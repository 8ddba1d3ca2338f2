/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi>DetectionPostProcess, what TensorFlow's object detection puts behind its models
 * (TFLite_Detection_PostProcess), by micro/'s loops.
 */
#include "cpu/base/cpu_shape.h"
#include "cpu/base/families.h"
#include "micro/index/detection_prepare.h"

/* What the loops are told, and the run that may end them. */
typedef struct detections {
    struct oribi_micro_detection_args args;
    oribi_kit_run *run;
    int64_t patience;
} detections;

/* A run that is stopped has no classes left. */
static bool stops(const struct oribi_micro_detection_args *args, int32_t kept)
{
    detections *d = (detections *)(uintptr_t)args;
    const bool is_stopped = oribi_kit_stops(d->run, &d->patience, 20 + (int64_t)kept * 20);
    d->args.classes = is_stopped ? 0 : d->args.classes;
    return is_stopped;
}

#define ORIBI_MICRO_STOPS(args, kept) stops(args, kept)
#include "micro/index/detection_body.h"

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
        anchors.at[1] != 4 || scores.at[2] < s->classes || scores.at[2] > s->classes + 1) {
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
    const int64_t width = scores.at[2] > boxes.at[2] ? scores.at[2] : boxes.at[2];
    if (width > INT32_MAX || boxes.at[1] > INT32_MAX / width ||
        s->most * s->classes_each > INT32_MAX / 8) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "%lld boxes and %lld detections are too many", (long long)boxes.at[1],
                              (long long)(s->most * s->classes_each));
    }
    d->run = run;
    d->args = (struct oribi_micro_detection_args){
        .boxes = (int32_t)boxes.at[1],
        .row = (int32_t)boxes.at[2],
        .width = (int32_t)scores.at[2],
        .background = (int32_t)(scores.at[2] - s->classes),
        .classes = (int32_t)s->classes,
        .most = (int32_t)s->most,
        .classes_each = (int32_t)s->classes_each,
        .most_of_class = (int32_t)(s->most_of_class < s->most ? s->most_of_class : s->most),
        .by_class = s->is_by_class,
        .least = s->least,
        .overlap = s->overlap,
        .y_scale = s->scale[0],
        .x_scale = s->scale[1],
        .h_scale = s->scale[2],
        .w_scale = s->scale[3]};
    return true;
}

static bool put_all(oribi_kit_run *run, const places *s, int64_t n_places)
{
    const int64_t dims[] = {1, n_places, 4};
    float *boxes = oribi_kit_output(run, 0, dims, 3);
    float *classes = boxes == NULL ? NULL : oribi_kit_output(run, 1, dims, 2);
    float *scores = classes == NULL ? NULL : oribi_kit_output(run, 2, dims, 2);
    if (scores == NULL) {
        return false;
    }
    put(s, boxes, classes, scores);
    oribi_kit_output_done(run);
    float *count = oribi_kit_output(run, 3, dims, 1);
    if (count != NULL) {
        *count = (float)s->n_best;
    }
    return count != NULL;
}

static bool detection_run(const detection_state *state, oribi_kit_run *run)
{
    detections d = {.run = NULL};
    places s = {.p = &d.args};
    TF_Tensor *memory = NULL;
    if (!take(run, state, &d)) {
        return false;
    }
    /* One more byte: none at all is not to be had. */
    void *scratch = oribi_kit_scratch(run, oribi_micro_detection_scratch(&d.args) + 1, &memory);
    bool good = scratch != NULL;
    if (good) {
        s.scores = TF_TensorData(run->in[SCORES]);
        choose(&s, TF_TensorData(run->in[BOXES]), TF_TensorData(run->in[ANCHORS]), scratch);
        good = d.args.classes > 0 && put_all(run, &s, state->most * state->classes_each);
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
