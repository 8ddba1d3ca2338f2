/* SPDX-License-Identifier: Apache-2.0 */
/* A faster kernel for some of the layers of another, whose weights it wants in another order: what
 * a prepare half says of it. The lowering of the plain kernel lists it in one row. Host only.
 */
#ifndef ORIBI_MICRO_VARIANT_PREPARE_H_
#define ORIBI_MICRO_VARIANT_PREPARE_H_

#include <stdint.h>

struct oribi_micro_costs;
struct oribi_micro_nibbles;

/* `plain` and `args` are the args structs of the plain kernel and of this one. */
struct oribi_micro_variant {
    const char *kernel;
    const struct oribi_micro_costs *costs; /* NULL: as its multiplications cost */
    /* How many words its weights have; 0: the layer does not fit. */
    int64_t (*words)(const void *plain);
    /* Fills the words, and args, whose first pointer then points to them. Returns bytes of scratch,
     * or a negative code of prepare.h. */
    int64_t (*prepare)(const void *plain, int32_t *words, void *args);
    /* How its words become smaller where weights do (nibbles/nibbles_prepare.h); NULL: they do not.
     */
    const struct oribi_micro_nibbles *nibbles;
};

#endif
