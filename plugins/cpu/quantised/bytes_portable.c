/* SPDX-License-Identifier: Apache-2.0 */
/* Floats to bytes and back in portable C. See bytes_loops.h. */
#include <stdint.h>

#include "micro/elementwise/lookup_8.h"

/* Vectors that look bytes up: none. */
static int32_t look_up_vectors(const struct oribi_micro_lookup_8_args *args, const uint8_t *from,
                               uint8_t *to)
{
    (void)args;
    (void)from;
    (void)to;
    return 0;
}

#define ORIBI_ISA portable
#include "cpu/quantised/bytes_loops.h"
