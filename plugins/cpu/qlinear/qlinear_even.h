/* SPDX-License-Identifier: Apache-2.0 */
/* Where panels are that are all of one size: one behind the other (qlinear_panels.h). */
#ifndef ORIBI_PLUGINS_CPU_QLINEAR_EVEN_H_
#define ORIBI_PLUGINS_CPU_QLINEAR_EVEN_H_

#include <stdbool.h>
#include <stdint.h>

/* Numbers of a panel. */
static int64_t panel_count(int32_t inner)
{
    return HEAD + (int64_t)(inner / GROUP + (inner % GROUP != 0 ? 1 : 0)) * EACH;
}

/* Bytes that n panels take while they are packed. */
static bool panels_bytes(int64_t n, int32_t inner, int64_t *out)
{
    return !__builtin_mul_overflow(n, panel_count(inner) * (int64_t)sizeof(weight), out);
}

/* Where panel `at` of n is packed to. */
static weight *panel_place(weight *packed, int64_t at, int64_t n, int32_t inner)
{
    (void)n;
    return packed + at * panel_count(inner);
}

static const weight *panel_at(const weight *packed, int64_t at, int32_t inner)
{
    return packed + at * panel_count(inner);
}

/* The memory of packed panels without what they did not need; takes `packed`. NULL: no memory. */
static weight *panels_shrunk(weight *packed, int64_t n, int32_t inner)
{
    (void)n;
    (void)inner;
    return packed;
}

/* There are no wide ones, and none of seven (qlinear_octets.h). */
#ifndef TILES_END /* do tiles of any number of columns end as bytes? */
#define TILES_END 0
#endif
enum { HAS_WIDE = 0, ENDS_TILES = TILES_END, ENDS_PARTS = TILES_END };

/* A panel of a chunk: its groups. */
typedef struct panel_part {
    const weight *groups;
} panel_part;

static inline panel_part part_of(const weight *panel, int32_t inner, int32_t at)
{
    (void)inner;
    return (panel_part){panel + HEAD + (int64_t)(at / GROUP) * EACH};
}

#endif
