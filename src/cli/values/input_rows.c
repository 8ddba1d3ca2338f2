/* SPDX-License-Identifier: Apache-2.0 */
/* Which part of an array is one run's input? `oribi run --rows R` takes R rows, elements of the
 * first dimension, at a time.
 */
#include <string.h>

#include "cli.h"

TF_Tensor *cli_rows_take(const TF_Tensor *all, int64_t from, int64_t count)
{
    const int64_t rows = TF_NumDims(all) > 0 ? TF_Dim(all, 0) : 0;
    cli_dims dims = {0};

    (void)cli_dims_add(&dims, count);
    for (int d = 1; d < TF_NumDims(all); d++) {
        (void)cli_dims_add(&dims, TF_Dim(all, d));
    }
    TF_Tensor *out = cli_tensor(TF_TensorType(all), &dims);
    if (out != NULL && TF_TensorByteSize(out) > 0) {
        const size_t row_bytes = TF_TensorByteSize(all) / (size_t)rows;
        const uint8_t *data = TF_TensorData(all);
        memcpy(TF_TensorData(out), data + (size_t)from * row_bytes, TF_TensorByteSize(out));
    }
    return out;
}
