/* SPDX-License-Identifier: Apache-2.0 */
/* What callers read of a value's quantisation, by the size of struct that they know. */
#include "op/quantisation.h"

#include <string.h>

#include "op/shape_internal.h"

bool oribi_quantisation_read(const TF_Quantisation *known, TF_Quantisation *out)
{
    if (known == NULL || known->count == 0 || out == NULL ||
        out->struct_size < TF_QUANTISATION_STRUCT_SIZE) {
        return false;
    }
    const size_t struct_size = out->struct_size;
    memcpy(out, known, TF_QUANTISATION_STRUCT_SIZE);
    out->struct_size = struct_size;
    return true;
}

bool TF_ShapeInferenceContextInputQuantisation(TF_ShapeInferenceContext *ctx, int i,
                                               TF_Quantisation *out)
{
    return i >= 0 && i < ctx->signature->n_inputs &&
           oribi_quantisation_read(ctx->input_handles[i].quantisation, out);
}
