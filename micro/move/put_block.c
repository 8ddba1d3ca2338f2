/* SPDX-License-Identifier: Apache-2.0 */
/* The whole is copied, then the block row by row. */
#include "micro/move/put_block.h"

#include "micro/memory.h"

/* Elements before the row of the block that `index` counts; `steps` are those of the tensor. */
static int32_t row_at(const struct oribi_micro_put_block_args *args, int32_t index,
                      const int32_t *steps)
{
    int32_t at = 0;
    for (int32_t k = args->rank - 2; k >= 0; k--) {
        at += index % args->update_dims[k] * steps[k];
        index /= args->update_dims[k];
    }
    return at;
}

void oribi_micro_put_block(const struct oribi_micro_put_block_args *args, const void *data,
                           const void *update, const int32_t *starts, void *output)
{
    const int32_t last = args->rank - 1;
    const int32_t row_bytes = args->update_dims[last] * args->element_bytes;
    const uint8_t *from = update;
    uint8_t *to = output;
    int32_t steps[ORIBI_MICRO_PUT_BLOCK_RANK], step = 1, rows = 1, first = 0;
    for (int32_t k = last; k >= 0; k--) {
        const int32_t most = args->dims[k] - args->update_dims[k];
        const int32_t start = starts[k] < 0 ? 0 : starts[k] < most ? starts[k] : most;
        first += start * step;
        steps[k] = step;
        step *= args->dims[k];
        rows *= k < last ? args->update_dims[k] : 1;
    }
    if (data != output) {
        (void)memcpy(output, data, (size_t)args->bytes);
    }
    for (int32_t i = 0; i < rows; i++) {
        (void)memcpy(to + (first + row_at(args, i, steps)) * args->element_bytes, from,
                     (size_t)row_bytes);
        from += row_bytes;
    }
}
