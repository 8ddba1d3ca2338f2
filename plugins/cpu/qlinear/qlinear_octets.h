/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes (qlinear_unsigned.h) of which eight are multiplied and added in int16 before int32 sees
 * them, in two halves of four: of each half, the products of neighbours are added, then both
 * halves. That is exact where the weights of such a sum, four of a column, have at most 128 in
 * their positive and 128 in their negative part, as 255 * 128 fits an int16. What exceeds it goes
 * into further halves, the panel's extras, which are multiplied by the same four numbers again.
 *
 * Extras are of eight columns and cost a third of a group. A panel that would have more than two in
 * three groups is one of quads, whose halves are added in int32 each, if no sum of two neighbours
 * exceeds an int16: weights of 7 bits. Else it is one of these, the last one only where more than
 * four in three groups would have extras:
 *
 *   - of seven, for a layer: octets whose sums of four have 255 in their positive part at most, and
 *     256 in their negative one, as 127 * 256 fits an int16. Numbers are bounded to 127 from a base
 *     on, which lies 64 before their zero point; what is above or below that is multiplied in a
 *     second turn, of those groups alone that have any. Numbers of most layers seldom do; where a
 *     block has too many, it takes the wide form, which stands behind the extras.
 *   - wide: weights are int16, two rows side by side, and meet numbers that are int16 as well.
 *
 * Packed panels begin with where each of them lies. A panel has a head with its kind, and its
 * groups; if it is of octets also where the extras of each chunk begin, and where they end; of each
 * extra the first number, within its chunk; and the extras, which begin at a line of the cache. */
#ifndef ORIBI_PLUGINS_CPU_QLINEAR_OCTETS_H_
#define ORIBI_PLUGINS_CPU_QLINEAR_OCTETS_H_

#include <stdlib.h>

#include "cpu/qlinear/qlinear_unsigned.h"

enum {
    GROUP = 8,
    EACH = GROUP * COLUMNS,
    HALF = EACH / 2,
    EXTRA = HALF / 2, /* of an extra: eight columns of a half */
    LIMIT = 128,
    SEVEN = 127,
    LINE_BYTES = 64,
    HEAD = SUMS + LINE_BYTES,
    HAS_WIDE = 1,
    ENDS_TILES = 1,
    ENDS_PARTS = 0 /* tiles of fewer columns than a panel has */
};

#define HAS_SEVEN /* panels of seven */

/* Forms of a panel. */
enum { OF_OCTETS, OF_QUADS, OF_SEVEN, WIDE };

/* The most of the positive and of the negative part of a sum of four. */
static const int32_t limits_of_octets[2] = {LIMIT, LIMIT}, limits_of_seven[2] = {255, 256};

static int64_t whole_lines(int64_t bytes)
{
    return (bytes / LINE_BYTES + (bytes % LINE_BYTES != 0 ? 1 : 0)) * LINE_BYTES;
}

static int64_t octets_of(int32_t inner)
{
    return inner / GROUP + (inner % GROUP != 0 ? 1 : 0);
}

static int64_t chunks_of(int32_t inner)
{
    return inner / CHUNK + (inner % CHUNK != 0 ? 1 : 0);
}

/* What stands behind the sums of a head. */
typedef struct panel_kind {
    int32_t form, extras;
} panel_kind;

static inline panel_kind kind_of(const weight *panel)
{
    panel_kind kind;
    memcpy(&kind, panel + SUMS, sizeof kind);
    return kind;
}

/* The most extras of a panel; those of seven have one for each eight columns of a group at most. */
static int64_t most_extras(int32_t inner, int32_t form)
{
    return form == OF_SEVEN ? octets_of(inner) * 2 : octets_of(inner) * 4 / 3;
}

/* Bytes of the two tables of a panel's extras. */
static int64_t tables_bytes(int32_t inner, int64_t extras)
{
    return whole_lines((2 * chunks_of(inner) + 1 + extras) * (int64_t)sizeof(int32_t));
}

static int64_t panel_bytes(int32_t inner, panel_kind kind)
{
    const int64_t groups = octets_of(inner) * EACH;
    const int64_t extras = tables_bytes(inner, kind.extras) + (int64_t)kind.extras * EXTRA;
    return HEAD + (kind.form != WIDE ? groups + whole_lines(extras) : 0) +
           (kind.form == WIDE || kind.form == OF_SEVEN ? 2 * groups : 0);
}

/* Bytes behind the head that a chunk of so many groups reads of a panel, with its extras where they
 * lie behind them. */
static inline int64_t part_bytes(const weight *panel, int32_t inner, int32_t groups)
{
    const panel_kind kind = kind_of(panel);
    return groups == octets_of(inner) && kind.form == OF_OCTETS
               ? panel_bytes(inner, kind) - HEAD
               : (int64_t)groups * EACH * (kind.form == WIDE ? 2 : 1);
}

/* The wide groups of a panel. */
static int64_t wide_offset(int32_t inner, panel_kind kind)
{
    return panel_bytes(inner, kind) - 2 * octets_of(inner) * EACH;
}

_Static_assert(HEAD % LINE_BYTES == 0, "groups begin at a line");

static const int32_t *panel_tables(const weight *panel, int32_t inner)
{
    return (const int32_t *)(const void *)(panel + HEAD + octets_of(inner) * EACH);
}

/* --- Packing --------------------------------------------------------------------------------- */

/* Moves what fits of the weight into *kept; the budgets are what is left for each sign. */
static inline int32_t keep_part(int32_t *rest, int32_t budget[2])
{
    const int32_t sign = *rest < 0 ? 1 : 0, size = abs(*rest);
    const int32_t size_kept = size < budget[sign] ? size : budget[sign];
    const int32_t kept = sign != 0 ? -size_kept : size_kept;
    budget[sign] -= size_kept;
    *rest -= kept;
    return kept;
}

typedef struct octet {
    int32_t at[GROUP][COLUMNS];
} octet;

/* Where a panel is packed to: groups, and of each extra where it begins, and itself; what sums of
 * four are bounded by, and the most extras. */
typedef struct octet_places {
    weight *groups;
    int32_t *at;
    weight *extras;
    const int32_t *limits;
    int64_t most;
} octet_places;

/* Takes out of `rest` what an extra may hold, from number `first` of the group on, of eight columns
 * from `column` on; false where nothing is left to take. */
static bool take_extra(octet *rest, int32_t first, int32_t column, const int32_t limits[2],
                       weight *to)
{
    int32_t any = 0;
    for (int32_t j = 0; j < COLUMNS / 2; j++) {
        for (int32_t pair = 0; pair < GROUP / 2; pair += 2) {
            int32_t budget[2] = {limits[0], limits[1]};
            for (int32_t k = pair; k < pair + 2; k++) {
                const int32_t kept = keep_part(&rest->at[first + k][column + j], budget);
                to[GROUP / 2 * j + k] = (weight)kept;
                any |= kept;
            }
        }
    }
    return any != 0;
}

/* Takes out of `rest` what the group may hold: the second half first, so that what is left is of
 * the first where possible. */
static void take_group(octet *rest, const int32_t limits[2], weight *to)
{
    static const int32_t order[] = {GROUP / 2, GROUP / 2 + 1, 0, 1};
    for (int32_t j = 0; j < COLUMNS; j++) {
        for (int32_t pair = 0; pair < GROUP / 2; pair += 2) {
            int32_t budget[2] = {limits[0], limits[1]};
            for (int32_t i = 0; i < 4; i++) {
                const int32_t k = order[i] + pair;
                to[k / (GROUP / 2) * HALF + GROUP / 2 * j + k % (GROUP / 2)] =
                    (weight)keep_part(&rest->at[k][j], budget);
            }
        }
    }
}

/* May the group hold all of it? */
static bool fits_group(const octet *rest, const int32_t limits[2])
{
    int32_t most[2] = {0, 0};
    for (int32_t pair = 0; pair < GROUP / 2; pair += 2) {
        int32_t positive[COLUMNS] = {0}, negative[COLUMNS] = {0};
        for (int32_t i = 0; i < 4; i++) {
            const int32_t *row = rest->at[i / 2 * (GROUP / 2) + i % 2 + pair];
            for (int32_t j = 0; j < COLUMNS; j++) {
                positive[j] += row[j] > 0 ? row[j] : 0;
                negative[j] -= row[j] < 0 ? row[j] : 0;
            }
        }
        for (int32_t j = 0; j < COLUMNS; j++) {
            most[0] = positive[j] > most[0] ? positive[j] : most[0];
            most[1] = negative[j] > most[1] ? negative[j] : most[1];
        }
    }
    return most[0] <= limits[0] && most[1] <= limits[1];
}

static void take_whole(const octet *all, weight *to)
{
    for (int32_t k = 0; k < GROUP; k++) {
        weight *from_k = to + k / (GROUP / 2) * HALF + k % (GROUP / 2);
        for (int32_t j = 0; j < COLUMNS; j++) {
            from_k[GROUP / 2 * j] = (weight)all->at[k][j];
        }
    }
}

/* Rows [k, k + GROUP) of the matrix, as numbers with a sign; zeros where there is none. */
static void take_octet(const weights *w, int32_t k, int32_t first, int32_t count, int32_t *totals,
                       octet *out)
{
    const uint32_t flip = w->is_signed != 0 ? 128U : 0U;
    memset(out, 0, sizeof *out);
    for (int32_t i = 0; i < GROUP && i < w->inner - k; i++) {
        const uint8_t *from = w->from + (int64_t)(k + i) * w->stride + first;
        for (int32_t j = 0; j < count; j++) {
            out->at[i][j] = (int32_t)(from[j] ^ flip) - 128;
            totals[j] += out->at[i][j];
        }
    }
}

/* Packs groups of rows [from, last), and their extras of eight columns from `column` on, which go
 * behind the n that there are; returns their number then, or -1: there are too many. */
static int32_t pack_half(const weights *w, int32_t first, int32_t count, const int32_t rows[2],
                         int32_t column, int32_t n, const octet_places *to, int32_t *totals)
{
    for (int32_t k = rows[0]; k < rows[1]; k += GROUP) {
        weight *group = to->groups + (int64_t)(k / GROUP) * EACH;
        octet rest;
        take_octet(w, k, first, count, totals, &rest);
        if (fits_group(&rest, to->limits)) {
            take_whole(&rest, group);
            continue;
        }
        take_group(&rest, to->limits, group);
        for (int32_t half = 0; half < GROUP; half += GROUP / 2) {
            while (take_extra(&rest, half, column, to->limits, to->extras + (int64_t)n * EXTRA)) {
                if (n == to->most) {
                    return -1;
                }
                to->at[n++] = k % CHUNK + half;
            }
        }
    }
    return n;
}

/* Packs groups and extras; -1: there are too many of these. Else their number. */
static int32_t pack_octets(const weights *w, int32_t first, int32_t count, int32_t form,
                           int32_t *totals, weight *to)
{
    int32_t *begins = (int32_t *)panel_tables(to, w->inner);
    const int64_t most = most_extras(w->inner, form);
    /* Extras are collected behind the most that the table may have, and moved up at the end. */
    const octet_places places = {to + HEAD, begins + 2 * chunks_of(w->inner) + 1,
                                 (weight *)begins + tables_bytes(w->inner, most + 1),
                                 form == OF_SEVEN ? limits_of_seven : limits_of_octets, most};
    int32_t n = 0;
    for (int32_t k = 0; n >= 0 && k < w->inner; k += CHUNK) {
        const int32_t rows[2] = {k, w->inner - k < CHUNK ? w->inner : k + CHUNK};
        int32_t again[COLUMNS] = {0};
        begins[2 * (k / CHUNK)] = n;
        n = pack_half(w, first, count, rows, 0, n, &places, totals);
        begins[2 * (k / CHUNK) + 1] = n;
        n = n < 0 ? n : pack_half(w, first, count, rows, COLUMNS / 2, n, &places, again);
    }
    if (n >= 0) {
        begins[2 * chunks_of(w->inner)] = n;
        memmove((weight *)begins + tables_bytes(w->inner, n), places.extras, (size_t)n * EXTRA);
    }
    return n;
}

/* From `groups` on. */
static void pack_wide(const weights *w, int32_t first, int32_t count, int32_t *totals,
                      weight *groups)
{
    int16_t *pair = (int16_t *)(void *)groups;
    for (int32_t k = 0; k < w->inner; k += GROUP) {
        octet all;
        take_octet(w, k, first, count, totals, &all);
        for (int32_t i = 0; i < GROUP; i += 2, pair += 2 * COLUMNS) {
            for (int32_t j = 0; j < COLUMNS; j++) {
                pair[2 * j] = (int16_t)all.at[i][j];
                pair[2 * j + 1] = (int16_t)all.at[i + 1][j];
            }
        }
    }
}

/* Do sums of two products of such weights fit an int16? */
static bool fits_pairs(const octet *all)
{
    for (int32_t j = 0; j < COLUMNS; j++) {
        for (int32_t i = 0; i < GROUP; i += 2) {
            const bool is_one_sign = (all->at[i][j] < 0) == (all->at[i + 1][j] < 0);
            if (is_one_sign && abs(all->at[i][j] + all->at[i + 1][j]) > LIMIT) {
                return false;
            }
        }
    }
    return true;
}

static bool fits_quads(const weights *w, int32_t first, int32_t count)
{
    int32_t totals[COLUMNS] = {0};
    bool fits = true;
    for (int32_t k = 0; fits && k < w->inner; k += GROUP) {
        octet all;
        take_octet(w, k, first, count, totals, &all);
        fits = fits_pairs(&all);
    }
    return fits;
}

static void pack_quads(const weights *w, int32_t first, int32_t count, int32_t *totals, weight *to)
{
    weight *group = to + HEAD;
    for (int32_t k = 0; k < w->inner; k += GROUP, group += EACH) {
        octet all;
        take_octet(w, k, first, count, totals, &all);
        take_whole(&all, group);
    }
}

/* Are there products enough that bounding their numbers pays? */
static bool pays_seven(const weights *w)
{
    return w->is_layer && w->inner >= 64 && w->columns >= 4 * COLUMNS;
}

static void pack_panel(const weights *w, int32_t first, weight *to)
{
    const int32_t left = w->columns - first, count = left < COLUMNS ? left : COLUMNS;
    int32_t totals[COLUMNS] = {0};
    panel_kind kind = {OF_OCTETS, pack_octets(w, first, count, OF_OCTETS, totals, to)};
    const bool are_few = kind.extras >= 0 && kind.extras <= octets_of(w->inner) * 2 / 3;
    const int32_t form = are_few                       ? OF_OCTETS
                         : fits_quads(w, first, count) ? OF_QUADS
                         : pays_seven(w)               ? OF_SEVEN
                         : kind.extras >= 0            ? OF_OCTETS
                                                       : WIDE;
    if (form != OF_OCTETS) {
        memset(totals, 0, sizeof totals);
        kind = (panel_kind){form, 0};
    }
    if (form == OF_QUADS) {
        pack_quads(w, first, count, totals, to);
    } else if (form == WIDE) {
        pack_wide(w, first, count, totals, to + HEAD);
    } else if (form == OF_SEVEN) {
        int32_t again[COLUMNS] = {0};
        kind.extras = pack_octets(w, first, count, OF_SEVEN, totals, to);
        pack_wide(w, first, count, again, to + wide_offset(w->inner, kind));
    }
    pack_head(w, first, count, totals, to);
    memcpy(to + SUMS, &kind, sizeof kind);
}

/* --- Where panels are ------------------------------------------------------------------------ */

/* Bytes of a panel of either kind while it is packed: an extra more than there may be. */
static int64_t place_bytes(int32_t inner)
{
    const int64_t wide = panel_bytes(inner, (panel_kind){WIDE, 0});
    const int64_t most =
        panel_bytes(inner, (panel_kind){OF_SEVEN, (int32_t)most_extras(inner, OF_SEVEN) + 1}) +
        LINE_BYTES;
    return whole_lines(wide > most ? wide : most);
}

/* Bytes that n panels take while they are packed. */
static bool panels_bytes(int64_t n, int32_t inner, int64_t *out)
{
    return !__builtin_mul_overflow(n, place_bytes(inner) + (int64_t)sizeof(int64_t), out) &&
           !__builtin_add_overflow(*out, LINE_BYTES, out);
}

/* Where panel `at` of n is packed to. */
static weight *panel_place(weight *packed, int64_t at, int64_t n, int32_t inner)
{
    const int64_t offset = whole_lines(n * (int64_t)sizeof(int64_t)) + at * place_bytes(inner);
    memcpy(packed + at * (int64_t)sizeof offset, &offset, sizeof offset);
    return packed + offset;
}

static const weight *panel_at(const weight *packed, int64_t at, int32_t inner)
{
    int64_t offset;
    (void)inner;
    memcpy(&offset, packed + at * (int64_t)sizeof offset, sizeof offset);
    return packed + offset;
}

/* The memory of packed panels without what they did not need; takes `packed`. NULL: no memory. */
static weight *panels_shrunk(weight *packed, int64_t n, int32_t inner)
{
    int64_t offset = whole_lines(n * (int64_t)sizeof offset), bytes = offset;
    for (int64_t i = 0; i < n; i++) {
        bytes += panel_bytes(inner, kind_of(panel_at(packed, i, inner)));
    }
    weight *to = aligned_alloc(LINE_BYTES, (size_t)whole_lines(bytes));
    for (int64_t i = 0; to != NULL && i < n; i++) {
        const weight *panel = panel_at(packed, i, inner);
        const int64_t size = panel_bytes(inner, kind_of(panel));
        memcpy(to + i * (int64_t)sizeof offset, &offset, sizeof offset);
        memcpy(to + offset, panel, (size_t)size);
        offset += size;
    }
    free(packed);
    return to;
}

/* A panel of a chunk: its groups, and the extras, and of each the first number
 * that it meets. */
typedef struct panel_part {
    const weight *groups, *extras;
    const int32_t *places;
    int32_t n_left, n_right, form; /* extras of the first eight columns, and of the others */
} panel_part;

/* The same of the wide form of a panel of seven. */
static inline panel_part wide_part_of(const weight *panel, int32_t inner, int32_t at)
{
    const weight *groups = panel + wide_offset(inner, kind_of(panel));
    return (panel_part){.groups = groups + (int64_t)(at / GROUP) * EACH * 2, .form = WIDE};
}

/* That of the chunk that begins at row `at` of the matrix. */
static inline panel_part part_of(const weight *panel, int32_t inner, int32_t at)
{
    const panel_kind kind = kind_of(panel);
    panel_part part = {.groups = panel + HEAD, .form = kind.form};
    if (at > 0) { /* where the first groups are is known before the head has come from memory */
        part.groups += (int64_t)(at / GROUP) * EACH * (kind.form == WIDE ? 2 : 1);
    }
    if (kind.extras > 0) {
        const int32_t *begins = panel_tables(panel, inner);
        const int32_t *of = begins + 2 * (int64_t)(at / CHUNK);
        part.n_left = of[1] - of[0];
        part.n_right = of[2] - of[1];
        part.places = begins + 2 * chunks_of(inner) + 1 + of[0];
        part.extras =
            (const weight *)begins + tables_bytes(inner, kind.extras) + (int64_t)of[0] * EXTRA;
    }
    return part;
}

#endif
