/* SPDX-License-Identifier: Apache-2.0 */
/* Weights into lanes, and when that is exact. */
#include "micro/lanes_prepare.h"

#include <stddef.h>

#include "micro/dot_s8.h"

enum {
    LARGEST_SUM = 65535,     /* of |w| of an upper channel: 128 times that is below 2^23 */
    LARGEST_REACH = 1 << 30, /* of a sum with its bias: twice that is an int32 */
    LARGEST_SHIFT = 21       /* of the fast way: the zero point moved so far is below 2^29 */
};

static int32_t magnitude(const int8_t *w, int32_t count)
{
    int32_t sum = 0;
    for (int32_t k = 0; k < count; k++) {
        sum += w[k] < 0 ? -w[k] : w[k];
    }
    return sum;
}

int32_t oribi_micro_lanes_taps(int32_t depth)
{
    return (depth + 7) / 8 * 8;
}

int32_t oribi_micro_lanes_fit(const struct oribi_micro_lanes_spec *spec)
{
    const struct oribi_micro_lanes_spec *s = spec;
    if (s->depth > INT32_MAX / 256 || s->channels > INT32_MAX / 8 / (s->depth + 32)) {
        return 0;
    }
    for (int32_t c = 1; c < s->channels; c += 2) {
        const int8_t *lower = s->filter + (c - 1) * s->depth, *upper = lower + s->depth;
        if (magnitude(upper, s->depth) > LARGEST_SUM) {
            return 0;
        }
        for (int32_t k = 0; k < s->depth; k++) {
            if (256 * upper[k] + lower[k] < INT16_MIN) {
                return 0;
            }
        }
    }
    return 1;
}

/* Channels of the group that starts at c. */
static int32_t group_at(const struct oribi_micro_lanes_spec *s, int32_t c)
{
    return s->channels - c <= 2 ? 2 : s->group;
}

int32_t oribi_micro_lanes_words(const struct oribi_micro_lanes_spec *spec)
{
    const int32_t words = oribi_micro_lanes_taps(spec->depth) / 2 + ORIBI_MICRO_LANES_RECORD;
    int32_t pairs = 0;
    for (int32_t c = 0; c < spec->channels; c += group_at(spec, c)) {
        pairs += group_at(spec, c) / 2;
    }
    return pairs * words;
}

struct oribi_micro_lanes_channel oribi_micro_lanes_channel(int32_t bias, int32_t multiplier,
                                                           int32_t shift, int32_t magnitude,
                                                           const struct oribi_micro_lanes_output *o)
{
    const int32_t reach = 128 * magnitude;
    const int32_t least =
        oribi_micro_requantise_s8(bias - reach, multiplier, shift, o->zero, o->low, o->high);
    const int32_t most =
        oribi_micro_requantise_s8(bias + reach, multiplier, shift, o->zero, o->low, o->high);
    struct oribi_micro_lanes_channel c = {bias, multiplier, -shift, 1, 0};
    if (least == most && shift <= 0) { /* left shifts may wrap: not monotonic */
        c.bias = 4 * (least - o->zero);
        c.multiplier = 1 << 30;
        c.right = 1;
        c.is_constant = 1;
        return c;
    }
    const int64_t size = bias < 0 ? -(int64_t)bias : bias;
    c.is_fast = size + reach < LARGEST_REACH && c.right >= 1 && c.right <= LARGEST_SHIFT &&
                o->low == INT8_MIN && o->high == INT8_MAX;
    return c;
}

struct oribi_micro_lanes_source oribi_micro_lanes_source(const struct oribi_micro_lanes_spec *spec,
                                                         int32_t channel)
{
    const struct oribi_micro_lanes_spec *s = spec;
    const int32_t c = channel;
    struct oribi_micro_lanes_source ch = {NULL, {0, 0, 1, 1, 1}};
    if (c < s->channels) {
        const int32_t from = s->one_scale != 0 ? 0 : c;
        const int8_t *w = s->filter + c * s->depth;
        ch.scale = oribi_micro_lanes_channel(s->bias[c], s->multiplier[from], s->shift[from],
                                             magnitude(w, s->depth), &s->output);
        ch.weights = ch.scale.is_constant != 0 ? NULL : w;
    }
    return ch;
}

int8_t oribi_micro_lanes_has_general(const struct oribi_micro_lanes_spec *spec)
{
    int8_t has = 0;
    for (int32_t c = 0; c < spec->channels && has == 0; c++) {
        has = oribi_micro_lanes_source(spec, c).scale.is_fast == 0;
    }
    return has;
}

int32_t oribi_micro_lanes_tap(const struct oribi_micro_lanes_spec *spec, int32_t k)
{
    const struct oribi_micro_lanes_spec *s = spec;
    const int32_t run = s->depth / s->rows, whole = run / 4 * 4;
    const int32_t left = k - s->rows * whole;
    return left < 0 ? k / whole * run + k % whole
                    : left / (run - whole) * run + whole + left % (run - whole);
}

/* A lane of two channels for the tap that comes k-th. */
static int32_t lane(const struct oribi_micro_lanes_spec *s,
                    const struct oribi_micro_lanes_source *pair, int32_t k)
{
    const int32_t tap = k < s->depth ? oribi_micro_lanes_tap(s, k) : s->depth;
    const int32_t lower = tap < s->depth && pair[0].weights != NULL ? pair[0].weights[tap] : 0;
    const int32_t upper = tap < s->depth && pair[1].weights != NULL ? pair[1].weights[tap] : 0;
    return 256 * upper + lower;
}

static void pack_record(const struct oribi_micro_lanes_source *pair, int32_t *record)
{
    const int32_t is_fast = pair[0].scale.is_fast && pair[1].scale.is_fast;
    const int32_t less = is_fast ? 1 : ORIBI_MICRO_LANES_GENERAL;
    for (int32_t i = 0; i < 2; i++) {
        record[i] = (is_fast ? 2 : 1) * pair[i].scale.bias;
        record[2 + i] = pair[i].scale.multiplier;
    }
    record[4] = 256 * (pair[1].scale.right - less) + ((pair[0].scale.right - less) & 0xff);
}

void oribi_micro_lanes_pack(const struct oribi_micro_lanes_spec *spec, int32_t *words)
{
    const int32_t taps = oribi_micro_lanes_taps(spec->depth);
    for (int32_t c = 0; c < spec->channels; c += group_at(spec, c)) {
        const int32_t n = group_at(spec, c);
        struct oribi_micro_lanes_source group[4];
        for (int32_t i = 0; i < n; i++) {
            group[i] = oribi_micro_lanes_source(spec, c + i);
        }
        for (int32_t k = 0; k < taps; k += 4) {
            for (int32_t i = 0; i < n; i += 2) {
                const struct oribi_micro_lanes_source *pair = &group[i];
                *words++ = oribi_micro_lanes(lane(spec, pair, k), lane(spec, pair, k + 2));
                *words++ = oribi_micro_lanes(lane(spec, pair, k + 1), lane(spec, pair, k + 3));
            }
        }
        for (int32_t i = 0; i < n; i += 2) {
            pack_record(&group[i], words);
            words += ORIBI_MICRO_LANES_RECORD;
        }
    }
}
