/* SPDX-License-Identifier: Apache-2.0 */
/* A copy of a tensor in which a block is replaced. Elements of any type. */
#ifndef ORIBI_MICRO_PUT_BLOCK_H_
#define ORIBI_MICRO_PUT_BLOCK_H_

#include <stdint.h>

enum { ORIBI_MICRO_PUT_BLOCK_RANK = 8 };

struct oribi_micro_put_block_args {
    int32_t element_bytes, bytes; /* of an element; of the tensor */
    int32_t rank;                 /* at least 1 */
    int32_t dims[ORIBI_MICRO_PUT_BLOCK_RANK];
    int32_t update_rank;                             /* rank again */
    int32_t update_dims[ORIBI_MICRO_PUT_BLOCK_RANK]; /* none above dims */
};

/* output = data, but for the block from `starts` on, which is `update`. A start that would let the
 * block leave the tensor is moved to where it fits.
 * Shapes   data and output dims, update update_dims, dense; starts [rank].
 * Owns     nothing; output may be data, and overlaps neither of the others.
 * Context  run: no allocation, no state.
 */
void oribi_micro_put_block(const struct oribi_micro_put_block_args *args, const void *data,
                           const void *update, const int32_t *starts, void *output);

#endif
