/* SPDX-License-Identifier: Apache-2.0 */
/* An LSTM of micro/ over a sequence in calls of a bounded length, so that a run which was stopped
 * ends soon. The results are those of one call, bit for bit.
 */
#ifndef ORIBI_PLUGINS_CPU_LSTM_SLICES_H_
#define ORIBI_PLUGINS_CPU_LSTM_SLICES_H_

#include "cpu/base/cpu.h"

typedef struct oribi_lstm_slices {
    /* The kernel, told to go over `batch` rows and `steps` steps, steps first in input and output.
     */
    void (*call)(const void *args, int32_t batch, int32_t steps, const void *input,
                 const void *hidden, const void *cell, void *output, void *next_hidden,
                 void *next_cell, void *scratch);
    const void *args;
    int32_t batch, steps, is_time_major; /* of the whole */
    int64_t step_cost;                   /* cycles of one step of one row */
    size_t in_bytes, out_bytes;          /* of one step of one row */
    size_t hidden_bytes, cell_bytes;     /* of one row */
    const void *input, *hidden, *cell;
    void *output, *next_hidden, *next_cell, *scratch;
} oribi_lstm_slices;

/* False: the run was stopped, or failed for want of memory. */
bool oribi_lstm_slices_run(oribi_kit_run *run, const oribi_lstm_slices *slices);

#endif
