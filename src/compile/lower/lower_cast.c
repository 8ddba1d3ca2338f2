/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of what goes between element types: casts, quantisation and its reverse. */
#include "compile/lower/args_table.h"
#include "compile/lower/lower.h"
#include "micro/move/cast.h"
#include "micro/move/cast_wide.h"
#include "micro/quantize/dequantize.h"
#include "micro/element.h"
#include "micro/quantize/quantize.h"
#include "micro/quantize/requantize_prepare.h"
#include "micro/elementwise/unary_8_prepare.h"
#include "tensor/status.h"

/* The kinds of emitted elements and of kernels are the same numbers. */
typedef char kinds_agree[(int)ORIBI_ELEMENT_S8 == (int)ORIBI_MICRO_S8 &&
                                 (int)ORIBI_ELEMENT_U8 == (int)ORIBI_MICRO_U8 &&
                                 (int)ORIBI_ELEMENT_S16 == (int)ORIBI_MICRO_S16 &&
                                 (int)ORIBI_ELEMENT_S32 == (int)ORIBI_MICRO_S32 &&
                                 (int)ORIBI_ELEMENT_F32 == (int)ORIBI_MICRO_F32 &&
                                 (int)ORIBI_ELEMENT_S64 == (int)ORIBI_MICRO_S64 &&
                                 (int)ORIBI_ELEMENT_F64 == (int)ORIBI_MICRO_F64 &&
                                 (int)ORIBI_ELEMENT_U32 == (int)ORIBI_MICRO_U32
                             ? 1
                             : -1];

typedef struct types {
    int32_t in, out, count;
} types;

static bool start(oribi_lowering *lowering, oribi_call *call, types *out)
{
    const oribi_value *x = oribi_lower_input(lowering, call, 0);
    const oribi_value *y = oribi_lower_output(lowering, call);
    oribi_sizes ignored;
    ORIBI_TRY(oribi_lower_sizes(lowering, call, x, &ignored, NULL) &&
              oribi_lower_sizes(lowering, call, y, &ignored, NULL));
    const int64_t count = oribi_lower_count(y);
    if (count > INT32_MAX / 4) {
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_TOO_LARGE);
    }
    *out =
        (types){oribi_element_kind_of(x->dtype), oribi_element_kind_of(y->dtype), (int32_t)count};
    call->n_inputs = 1;
    return true;
}

bool oribi_lower_cast(oribi_lowering *lowering, oribi_call *call)
{
    types t = {0, 0, 0};
    const bool to_truth = oribi_lower_output(lowering, call)->dtype == TF_BOOL;
    ORIBI_TRY(start(lowering, call, &t));
    const bool is_real = t.in == ORIBI_ELEMENT_F32 || t.in == ORIBI_ELEMENT_F64;
    if (t.in == ORIBI_ELEMENT_U64 || t.out == ORIBI_ELEMENT_U64 ||
        (t.out == ORIBI_ELEMENT_U32 && is_real)) {
        return oribi_lower_number(lowering, call, oribi_lower_input(lowering, call, 0), &t.in) &&
               oribi_lower_number(lowering, call, oribi_lower_output(lowering, call), &t.out);
    }
    if (to_truth || t.in > ORIBI_ELEMENT_F32 || t.out > ORIBI_ELEMENT_F32) {
        const struct oribi_micro_cast_wide_args wide = {t.count, t.in, t.out, to_truth ? 1 : 0};
        return ORIBI_CALL_SET(lowering, call, "cast_wide", cast_wide, &wide);
    }
    const struct oribi_micro_cast_args args = {t.count, t.in, t.out};
    return ORIBI_CALL_SET(lowering, call, "cast", cast, &args);
}

bool oribi_lower_quantize(oribi_lowering *lowering, oribi_call *call)
{
    types t = {0, 0, 0};
    struct oribi_micro_quantisation output;
    ORIBI_TRY(start(lowering, call, &t));
    struct oribi_micro_quantize_args args = {.count = t.count, .kind = t.out};
    oribi_lower_quantisation(call, "output_scale", "output_zero", &output);
    const int32_t code = oribi_micro_kind_range(t.out, output, &args.low, &args.high);
    ORIBI_TRY(oribi_lower_check(lowering, call, code));
    args.scale = output.scale;
    args.zero = output.zero;
    return ORIBI_CALL_SET(lowering, call, "quantize", quantize, &args);
}

bool oribi_lower_dequantize(oribi_lowering *lowering, oribi_call *call)
{
    types t = {0, 0, 0};
    struct oribi_micro_quantisation input;
    int32_t low, high;
    ORIBI_TRY(start(lowering, call, &t));
    oribi_lower_quantisation(call, "input_scale", "input_zero", &input);
    ORIBI_TRY(oribi_lower_check(lowering, call, oribi_micro_kind_range(t.in, input, &low, &high)));
    const struct oribi_micro_dequantize_args args = {t.count, t.in, input.scale, input.zero};
    return ORIBI_CALL_SET(lowering, call, "dequantize", dequantize, &args);
}

static bool lower_bytes(oribi_lowering *lowering, oribi_call *call, const types *t,
                        const struct oribi_micro_requantize_spec *from)
{
    const struct oribi_micro_unary_8_spec spec = {.function = ORIBI_MICRO_UNARY_REQUANTIZE,
                                                  .in_unsigned = t->in == ORIBI_ELEMENT_U8,
                                                  .out_unsigned = t->out == ORIBI_ELEMENT_U8,
                                                  .input = from->input,
                                                  .output = from->output};
    return oribi_lower_table(lowering, call, &spec);
}

bool oribi_lower_requantize(oribi_lowering *lowering, oribi_call *call)
{
    types t = {oribi_element_kind_of(oribi_lower_input(lowering, call, 0)->dtype),
               oribi_element_kind_of(oribi_lower_output(lowering, call)->dtype), 0};
    struct oribi_micro_requantize_args args = {0};
    struct oribi_micro_requantize_spec spec = {.in_kind = t.in, .out_kind = t.out};
    oribi_lower_quantisation(call, "input_scale", "input_zero", &spec.input);
    oribi_lower_quantisation(call, "output_scale", "output_zero", &spec.output);
    if (t.in != ORIBI_ELEMENT_S16 && t.out != ORIBI_ELEMENT_S16) {
        return lower_bytes(lowering, call, &t, &spec);
    }
    ORIBI_TRY(oribi_lower_check(lowering, call, oribi_micro_requantize_prepare(&spec, &args)));
    ORIBI_TRY(start(lowering, call, &t));
    args.count = t.count;
    return ORIBI_CALL_SET(lowering, call, "requantize", requantize, &args);
}
