/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of a picture as batches of smaller ones, and the way back. */
#ifndef ORIBI_MICRO_BATCH_BLOCKS_H_
#define ORIBI_MICRO_BATCH_BLOCKS_H_

#include <stdint.h>

struct oribi_micro_batch_blocks_args {
    int32_t batch, height, width; /* of the picture, before it is padded or after it was cut */
    int32_t block_h, block_w;
    int32_t top, left;     /* what is padded, or cut */
    int32_t rows, columns; /* of the smaller ones */
    int32_t bytes;         /* of a pixel */
    int32_t to_space;      /* 1: the way back */
};

/* Shapes   picture [batch, height, width, bytes], smaller ones [block_h * block_w * batch, rows,
 *          columns, bytes]; the one is the input, the other the output. Padding is zeros.
 * Owns     nothing; they do not overlap.
 * Context  run: no allocation, no state.
 */
void oribi_micro_batch_blocks(const struct oribi_micro_batch_blocks_args *args, const void *input,
                              void *output);

#endif
