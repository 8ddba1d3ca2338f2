/* SPDX-License-Identifier: Apache-2.0 */
/* The TALLY accelerators: pooling by maxima, int8, in the memory of the host ("now") or behind a
 * window with a memory of their own ("far"). */
#ifndef TALLY_H_
#define TALLY_H_

#include <stdint.h>

#define TALLY_MAXIMA 41 /* its only operator */

/* Parameters of an operator, as the target writes them. */
struct tally_maxima {
    int32_t batch, in_h, in_w, out_h, out_w, channels;
    int32_t window_h, window_w, stride_h, stride_w;
};

/* The first kilobyte of the window. */
#define TALLY_READY  0x594C4C54u /* "TLLY" */
#define TALLY_MEMORY 1024u       /* tensors begin here, parameters lie behind them */

struct tally_job {
    uint32_t ready;
    int32_t op;
    uint32_t params_at, params_bytes, in_at, in_bytes, out_at, out_bytes;
    int32_t code;
};

#endif
