/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer target of the command's input readers: any bytes are a tensor, of which every byte is
 * set, or an error. The first byte says what they are read as. See docs/reference/fuzzing.md.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "cli.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static TF_Tensor *read_picture(const uint8_t *data, size_t bytes, int kind)
{
    const int64_t channels[] = {1, 3, 4};
    const cli_dims dims = {3, {channels[kind % 3], 5, 7}};
    const cli_image_options options = {.layout = "nchw", .crop = kind / 7 % 3 * 8};

    return cli_image_read(data, bytes, "input", kind % 2 == 0 ? TF_UINT8 : TF_FLOAT, &dims,
                          &options);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    TF_Tensor *tensor;

    if (bytes < 1) {
        return 0;
    }
    const int kind = data[0];
    data++;
    bytes--;
    cli_budget_begin(16u << 20, 0, cli_now_ns() + 5000000000u);
    const cli_dims dims = {2, {-1, 1 + kind / 7 % 2}};
    switch (kind % 7) {
    case 0:
        tensor = cli_npy_parse(data, bytes, "input");
        break;
    case 1:
        tensor = cli_npz_parse(data, bytes, "input", NULL);
        break;
    case 2:
        tensor = cli_pb_parse(data, bytes, "input");
        break;
    case 3:
        tensor = cli_csv_read(data, bytes, "input", kind < 128 ? TF_FLOAT : TF_INT8, &dims);
        break;
    case 4:
        tensor = cli_wav_read(data, bytes, "input", kind < 128 ? TF_FLOAT : TF_INT16, &dims);
        break;
    default:
        tensor = read_picture(data, bytes, kind);
        break;
    }
    tensor = tensor == NULL ? NULL : cli_tensor_cast(tensor, TF_INT32, "input");
    if (tensor != NULL && TF_TensorByteSize(tensor) > 16u << 20) {
        abort(); /* past the limit */
    }
    TF_DeleteTensor(tensor);
    return 0;
}
