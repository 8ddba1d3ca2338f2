/* SPDX-License-Identifier: Apache-2.0 */
/* Sorted by score, then each against those that stay. The body of detection.c, and of the host's
 * kernel, whose ORIBI_MICRO_STOPS ends a run that is stopped.
 */
#ifndef ORIBI_MICRO_DETECTION_BODY_H_
#define ORIBI_MICRO_DETECTION_BODY_H_

#include "micro/index/detection.h"
#include "micro/index/box_overlap.h"
#include "micro/math_double.h"
#include "micro/memory.h"
#include "micro/port.h"

typedef struct oribi_micro_found found;

/* Where all lies in the scratch: candidates of all boxes, those that stay, room to merge. */
typedef struct places {
    const struct oribi_micro_detection_args *p;
    const float *scores;
    float *corners;
    found *order, *best, *room;
    int32_t n_best;
} places;

static void decode(const struct oribi_micro_detection_args *p, const float *encoded,
                   const float *anchors, float *corners)
{
    const float scale[4] = {p->y_scale, p->x_scale, p->h_scale, p->w_scale};
    for (int32_t i = 0; i < p->boxes; i++) {
        const float *box = encoded + i * p->row, *anchor = anchors + 4 * i;
        for (int32_t k = 0; k < 2; k++) {
            const double size = (double)anchor[2 + k];
            const float centre =
                (float)((double)box[k] / (double)scale[k] * size + (double)anchor[k]);
            const double stretch = (double)box[2 + k] / (double)scale[2 + k];
            const float half = (float)(0.5 * oribi_micro_double_exp(stretch) * size);
            corners[4 * i + k] = centre - half;
            corners[4 * i + 2 + k] = centre + half;
        }
    }
}

/* Merges two neighbouring runs of x, better ones first; of equal ones the first stays first. */
static void merge(found *x, int32_t first, int32_t second, found *room)
{
    int32_t a = 0, b = first;
    for (int32_t i = 0; i < first + second; i++) {
        const int32_t takes_b =
            a == first || (b < first + second && x[a].score < x[b].score) ? 1 : 0;
        room[i] = takes_b != 0 ? x[b++] : x[a++];
    }
    (void)memcpy(x, room, (size_t)(first + second) * sizeof *x);
}

static void sort(found *x, int32_t n, found *room)
{
    for (int32_t width = 1; width < n; width *= 2) {
        for (int32_t at = 0; at < n - width; at += 2 * width) {
            const int32_t rest = n - at - width;
            merge(x + at, width, rest < width ? rest : width, room);
        }
    }
}

/* Of the candidates those above the least score that overlap none before them, at most `most`, come
 * to the front. Returns how many. */
static int32_t suppress(const places *s, int32_t most)
{
    int32_t n = 0, kept = 0;
    for (int32_t i = 0; i < s->p->boxes; i++) {
        if (s->order[i].score >= s->p->least) {
            s->order[n++] = s->order[i];
        }
    }
    sort(s->order, n, s->room);
    for (int32_t i = 0; i < n && kept < most; i++) {
        const float *box = s->corners + 4 * s->order[i].box;
        int32_t stays = 1;
        TVMGEN_YIELD();
#ifdef ORIBI_MICRO_STOPS
        if (ORIBI_MICRO_STOPS(s->p, kept)) {
            break;
        }
#endif
        for (int32_t k = 0; stays != 0 && k < kept; k++) {
            const float *other = s->corners + 4 * s->order[k].box;
            stays = oribi_micro_box_overlap(other, box) > s->p->overlap ? 0 : 1;
        }
        if (stays != 0) {
            s->order[kept++] = s->order[i];
        }
    }
    return kept;
}

static void choose_by_class(places *s)
{
    const struct oribi_micro_detection_args *p = s->p;
    const int32_t each = p->most_of_class < p->most ? p->most_of_class : p->most;
    for (int32_t category = 0; category < p->classes; category++) {
        for (int32_t i = 0; i < p->boxes; i++) {
            s->order[i].score = s->scores[i * p->width + p->background + category];
            s->order[i].box = i;
            s->order[i].category = category;
        }
        const int32_t kept = suppress(s, each);
        (void)memcpy(s->best + s->n_best, s->order, (size_t)kept * sizeof *s->best);
        merge(s->best, s->n_best, kept, s->room);
        s->n_best = s->n_best + kept < p->most ? s->n_best + kept : p->most;
    }
}

/* The best class of a box, and the next best after `last`, by score, then by number; -1: none. */
static int32_t best_class(const struct oribi_micro_detection_args *p, const float *scores)
{
    int32_t best = 0;
    for (int32_t i = 1; i < p->classes; i++) {
        best = scores[i] > scores[best] ? i : best;
    }
    return best;
}

static int32_t next_class(const struct oribi_micro_detection_args *p, const float *scores,
                          int32_t last)
{
    int32_t next = -1;
    for (int32_t i = 0; i < p->classes; i++) {
        const int32_t is_later =
            scores[i] < scores[last] || (!(scores[i] > scores[last]) && i > last) ? 1 : 0;
        next = is_later != 0 && (next < 0 || scores[i] > scores[next]) ? i : next;
    }
    return next;
}

/* Each box that stays gives its best classes, side by side. */
static void choose_by_anchor(places *s)
{
    const struct oribi_micro_detection_args *p = s->p;
    for (int32_t i = 0; i < p->boxes; i++) {
        const float *scores = s->scores + i * p->width + p->background;
        s->order[i].category = best_class(p, scores);
        s->order[i].score = scores[s->order[i].category];
        s->order[i].box = i;
    }
    s->n_best = suppress(s, p->most);
    for (int32_t i = 0; i < s->n_best; i++) {
        const found *one = &s->order[i];
        const float *scores = s->scores + one->box * p->width + p->background;
        int32_t category = one->category;
        for (int32_t k = 0; k < p->classes_each; k++) {
            found *to = &s->best[i * p->classes_each + k];
            to->box = category < 0 ? -1 : one->box;
            to->category = category < 0 ? 0 : category;
            to->score = category < 0 ? 0.0F : scores[category];
            category = category < 0 ? -1 : next_class(p, scores, category);
        }
    }
}

/* Candidates that stay come to s->best, by scores, p and scratch. */
static void choose(places *s, const float *encoded, const float *anchors, void *scratch)
{
    const struct oribi_micro_detection_args *p = s->p;
    const int32_t n_places = p->most * p->classes_each;
    const int32_t room = (n_places > p->boxes ? n_places : p->boxes) + p->most;
    s->order = scratch;
    s->best = s->order + p->boxes;
    s->room = s->best + room;
    s->corners = (float *)(void *)(s->room + room);
    decode(p, encoded, anchors, s->corners);
    if (p->by_class != 0) {
        choose_by_class(s);
    } else {
        choose_by_anchor(s);
    }
}

static void put(const places *s, float *corners, float *categories, float *best)
{
    const struct oribi_micro_detection_args *p = s->p;
    const int32_t n_best = p->by_class != 0 ? s->n_best : s->n_best * p->classes_each;
    for (int32_t i = 0; i < p->most * p->classes_each; i++) {
        const int32_t box = i < n_best ? s->best[i].box : -1;
        for (int32_t k = 0; k < 4; k++) {
            corners[4 * i + k] = box < 0 ? 0.0F : s->corners[4 * box + k];
        }
        categories[i] = box < 0 ? 0.0F : (float)s->best[i].category;
        best[i] = box < 0 ? 0.0F : s->best[i].score;
    }
}

#endif
