/* SPDX-License-Identifier: Apache-2.0 */
/* What stands around five lines of C in README.md, which readme.py writes to lines.inc: a status
 * and the picture examples/digits/digit-3-0059.png before them, the best of `scores` after them.
 * FIRMWARE: the lines are an application of emitted C. */
#include <stdio.h>
#include <string.h>

static const unsigned char pixels[64] = {0, 1, 10, 15, 11, 1,  0, 0, 0, 3, 8,  8,  11, 12, 0, 0,
                                         0, 0, 0,  5,  14, 15, 1, 0, 0, 0, 0,  11, 15, 2,  0, 0,
                                         0, 0, 0,  4,  15, 2,  0, 0, 0, 0, 0,  0,  12, 10, 0, 0,
                                         0, 0, 3,  4,  10, 16, 1, 0, 0, 0, 13, 16, 15, 10, 0, 0};

#ifdef FIRMWARE
#include "tvmgen_digits.h"

int main(void)
{
    static int8_t picture[64], scores[10];
    for (int i = 0; i < 64; i++) {
        picture[i] = tvmgen_digits_quantize_picture((float)pixels[i] / 16.0f);
    }
#include "lines.inc"
    printf("%d\n", (int)tvmgen_digits_argmax_Identity(scores));
    return failed;
}
#else
#include <oribi/oribi.h>

int main(void)
{
    TF_Status *status = TF_NewStatus();
    const int64_t dims[] = {1, 1, 8, 8};
    TF_Tensor *picture = TF_AllocateTensor(TF_FLOAT, dims, 4, 64 * sizeof(float));
    for (int i = 0; i < 64; i++) {
        ((float *)TF_TensorData(picture))[i] = (float)pixels[i] / 16.0f;
    }
#include "lines.inc"
    int best = 0;
    for (int i = 1; scores != NULL && i < 10; i++) {
        best = scores[i] > scores[best] ? i : best;
    }
    printf("%s%d\n", TF_Message(status), best);
    return TF_GetCode(status) != TF_OK;
}
#endif
