/* SPDX-License-Identifier: Apache-2.0 */
/* What an LSTM's gates make of the sums of one step. */
#ifndef ORIBI_MICRO_RECURRENT_LSTM_F32_H_
#define ORIBI_MICRO_RECURRENT_LSTM_F32_H_

#include "micro/recurrent/recurrent_walk_f32.h"

/* The sums are in the scratch; hidden and cell values of the row change. */
static inline void oribi_micro_recurrent_lstm(struct oribi_micro_recurrent_step *s)
{
    const struct oribi_micro_recurrent_f32_args *a = s->args;
    const int32_t units = a->units;
    const float *in = s->gates, *out = in + units, *forget = out + units, *cell = forget + units;
    for (int32_t u = 0; u < units; u++) {
        const float *peephole = s->peephole != NULL ? s->peephole + u : NULL;
        const float old = s->cell[u];
        float taken = in[u], shown = out[u], kept = forget[u];
        taken += peephole != NULL ? peephole[0] * old : 0.0F;
        taken = oribi_micro_recurrent_gate(s, 0, taken);
        kept += peephole != NULL ? peephole[2 * units] * old : 0.0F;
        kept = a->form != 0 ? 1.0F - taken : oribi_micro_recurrent_gate(s, 0, kept);
        const float stays = kept * old;
        const float added = taken * oribi_micro_recurrent_gate(s, 1, cell[u]);
        s->cell[u] = stays + added;
        shown += peephole != NULL ? peephole[units] * s->cell[u] : 0.0F;
        shown = oribi_micro_recurrent_gate(s, 0, shown);
        s->hidden[u] = shown * oribi_micro_recurrent_apply(s, 2, s->cell[u]);
    }
}

#endif
