/* SPDX-License-Identifier: Apache-2.0 */
/* What a given case expects: outputs of any type that has values, or an error. Not here: what every
 * computation must agree with (trial_check.c).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "author/trial.h"

/* Element i as a number; integers of 64 bits come whole in *integer. */
static double number_at(TF_DataType dtype, const char *bytes, int64_t i, int64_t *integer)
{
    const char *at = bytes + (size_t)i * oribi_dtype_bytes(dtype);
    float single = 0;
    double twice = 0;
    uint64_t bits = 0;
    uint16_t half = 0;
    switch (dtype) {
    case TF_FLOAT:
        memcpy(&single, at, sizeof(single));
        return (double)single;
    case TF_DOUBLE:
        memcpy(&twice, at, sizeof(twice));
        return twice;
    case TF_HALF:
    case TF_BFLOAT16:
        memcpy(&half, at, sizeof(half));
        return oribi__trial_half(dtype, half);
    default:
        break;
    }
    const size_t n = oribi_dtype_bytes(dtype);
    memcpy(&bits, at, n < sizeof(bits) ? n : sizeof(bits)); /* little endian, as values are */
    const bool is_signed = dtype == TF_INT8 || dtype == TF_INT16 || dtype == TF_INT32 ||
                           dtype == TF_QINT8 || dtype == TF_QINT16 || dtype == TF_QINT32;
    if (is_signed && (bits >> (8 * n - 1)) != 0) {
        bits |= ~UINT64_C(0) << (8 * n - 1);
    }
    *integer = (int64_t)bits;
    return dtype == TF_UINT64 ? (double)bits : (double)*integer;
}

static bool is_integer(TF_DataType dtype)
{
    return dtype != TF_FLOAT && dtype != TF_DOUBLE && dtype != TF_HALF && dtype != TF_BFLOAT16;
}

/* As JSON has numbers: a value beyond 2^63 is compared as a double. */
static bool is_near(TF_DataType dtype, const oribi_json_value *wanted, double value,
                    int64_t integer, double tolerance)
{
    const double number = oribi__trial_number(wanted);
    if (is_integer(dtype) && tolerance == 0 && fabs(number) < 9.2e18) {
        return wanted->kind == ORIBI_JSON_BOOL ? integer == (number != 0)
                                               : integer == wanted->integer;
    }
    return (isnan(number) && isnan(value)) || number == value || fabs(value - number) <= tolerance;
}

static void expect_numbers(oribi_trial_case *c, int32_t i, const oribi_json_value *values,
                           double tolerance)
{
    const oribi_trial_output *o = &c->first.outputs[i];
    const char *bytes = c->first.bytes.data + o->begin;
    const int64_t count = (int64_t)(o->bytes / oribi_dtype_bytes(o->dtype));
    int64_t n = 0;
    if (count != values->count) {
        oribi__trial_say(c, "expected-output", "output %d has %lld elements, not %d", i,
                         (long long)count, (int)values->count);
        return;
    }
    for (const oribi_json_value *v = values->child; v; v = v->next, n++) {
        int64_t integer = 0;
        const double value = number_at(o->dtype, bytes, n, &integer);
        if (!is_near(o->dtype, v, value, integer, tolerance)) {
            oribi__trial_say(c, "expected-output", "output %d, element %lld is %.17g, not %.17g", i,
                             (long long)n, value, oribi__trial_number(v));
            return;
        }
    }
}

/* Both as "LENGTH:BYTES" one after another. */
static void expect_strings(oribi_trial_case *c, int32_t i, const oribi_json_value *values)
{
    const oribi_trial_output *o = &c->first.outputs[i];
    oribi_text wanted = {0};
    for (const oribi_json_value *v = values->child; v; v = v->next) {
        oribi_text_printf(&wanted, "%zu:", v->text ? v->length : 0);
        oribi_text_append_n(&wanted, v->text ? v->text : "", v->text ? v->length : 0);
    }
    if (wanted.length != o->bytes ||
        (o->bytes > 0 && memcmp(wanted.data, c->first.bytes.data + o->begin, o->bytes) != 0)) {
        oribi__trial_say(c, "expected-output", "output %d has the strings %.*s, not %s", i,
                         o->bytes < 200 ? (int)o->bytes : 200,
                         o->bytes ? c->first.bytes.data + o->begin : "",
                         oribi_text_string(&wanted));
    }
    oribi_text_destroy(&wanted);
}

static void expect_output(oribi_trial_case *c, int32_t i, const oribi_json_value *output)
{
    const oribi_trial_output *o = &c->first.outputs[i];
    const oribi_json_value *type = oribi_json_find(output, "type");
    const oribi_json_value *shape = oribi_json_find(output, "shape");
    const oribi_json_value *values = oribi_json_find(output, "values");
    const oribi_json_value *tolerance = oribi_json_find(c->trial.given, "tolerance");
    if (type && type->text && oribi_dtype_parse(type->text, type->length) != o->dtype) {
        oribi__trial_say(c, "expected-output", "output %d is of type %s, not %s", i,
                         oribi_dtype_name(o->dtype), type->text);
        return;
    }
    bool is_shape = !shape || shape->count == o->rank;
    int k = 0;
    for (const oribi_json_value *v = shape ? shape->child : NULL; v && is_shape; v = v->next) {
        is_shape = k >= ORIBI_INLINE_RANK || o->dims[k] == v->integer;
        k++;
    }
    if (!is_shape) {
        oribi__trial_say(c, "expected-output", "output %d has another shape than %.*s", i,
                         (int)(shape->end - shape->begin), shape->begin);
    } else if (values && o->dtype == TF_STRING) {
        expect_strings(c, i, values);
    } else if (values && oribi_dtype_bytes(o->dtype) > 0 && oribi_dtype_bytes(o->dtype) <= 8 &&
               o->dtype != TF_RESOURCE && o->dtype != TF_COMPLEX64) {
        expect_numbers(c, i, values,
                       tolerance              ? tolerance->number
                       : is_integer(o->dtype) ? 0
                                              : 1e-5);
    } else if (values) {
        oribi__trial_say(c, "expected-output", "output %d is of type %s, which has no values here",
                         i, oribi_dtype_name(o->dtype));
    }
}

void oribi__trial_check_expected(oribi_trial_case *c)
{
    const oribi_json_value *expected = oribi_json_find(c->trial.given, "outputs");
    const oribi_json_value *output = expected ? expected->child : NULL;
    if (expected && expected->count > c->first.n_outputs) {
        oribi__trial_say(c, "expected-output", "the case expects %d outputs, the op has %d",
                         (int)expected->count, (int)c->first.n_outputs);
        return;
    }
    for (int32_t i = 0; output && i < c->first.n_outputs; i++, output = output->next) {
        expect_output(c, i, output);
    }
}
