/* SPDX-License-Identifier: Apache-2.0 */
/* An application of emitted C: fills the input, runs the model, prints the best of its outputs.
 *
 *     oribi compile digits_int8.tflite --name digits -o digits_c
 *     cc -Idigits_c firmware.c $(find digits_c -name '*.c') -o firmware
 *
 * On a board the pixels come from a camera. Not here: an accelerator. Read next: tvmgen_digits.h.
 */
#include <stdio.h>
#include "tvmgen_digits.h"

static uint8_t workspace[TVMGEN_DIGITS_WORKSPACE_SIZE]
    __attribute__((aligned(TVMGEN_DIGITS_WORKSPACE_ALIGNMENT)));
static TVMGEN_DIGITS_PICTURE_TYPE picture[TVMGEN_DIGITS_PICTURE_COUNT];
static TVMGEN_DIGITS_IDENTITY_TYPE scores[TVMGEN_DIGITS_IDENTITY_COUNT];

int main(void)
{
    const struct tvmgen_digits_inputs inputs = {.picture = picture};
    const struct tvmgen_digits_outputs outputs = {.Identity = scores};
    const struct tvmgen_digits_workspace_pools pools = {.workspace = workspace};

    for (int i = 0; i < TVMGEN_DIGITS_PICTURE_COUNT; i++) {
        picture[i] = tvmgen_digits_quantize_picture((float)i / 64.0f);
    }
    if (tvmgen_digits_run(&inputs, &outputs, &pools) != TVMGEN_DIGITS_OK) {
        return 1;
    }
    const int32_t best = tvmgen_digits_argmax_Identity(scores);
    printf("%d: %.3f\n", (int)best, (double)tvmgen_digits_dequantize_Identity(scores[best]));
    return 0;
}
