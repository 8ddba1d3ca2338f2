/* SPDX-License-Identifier: Apache-2.0 */
/* Do the units in the emitted header say of inputs and outputs what the model says? Scales and zero
 * points are compared, and inputs are made of real numbers, outputs read as such, by the header's
 * functions: an application that trusts them computes what the host session computes. */
#include <stdlib.h>
#include <string.h>

#include "oribi/verify_wire.h"
#include "verify.h"

/* An input or output of the C, and what the model says of it. */
typedef struct port {
    const char *name; /* in C */
    bool is_output;
    TF_DataType type;
    size_t bytes, size; /* all, and of an element */
    bool has_scale;     /* one for all elements */
    float scale;
    int32_t zero_point;
} port;

/* The header has functions for these. */
static bool has_function(const port *p)
{
    return p->has_scale && (p->type == TF_INT8 || p->type == TF_UINT8 || p->type == TF_INT16);
}

/* Those of the C in its order, which is the model's, but for state. */
static int list_ports(const verify *v, port *out)
{
    const oribi_model *model = v->session.model;
    int n = 0;
    for (int is_output = 0; is_output < 2; is_output++) {
        int index = 0;
        for (const oribi_json_value *at = (is_output ? v->outputs : v->inputs)->child; at != NULL;
             at = at->next, index++) {
            while (verify_is_state(v, index, is_output)) {
                index++;
            }
            port *p = &out[n++];
            *p = (port){.name = at->key, .is_output = is_output};
            p->type = is_output ? oribi_model_output_type(model, index)
                                : oribi_model_input_type(model, index);
            p->bytes = (size_t)cli_json_number(at, "size");
            p->size = TF_DataTypeSize(p->type);
            p->has_scale =
                (is_output
                     ? oribi_model_output_quantisation(model, index, &p->scale, &p->zero_point)
                     : oribi_model_input_quantisation(model, index, &p->scale, &p->zero_point)) ==
                1;
        }
    }
    return n;
}

/* --- Glue ------------------------------------------------------------------------------------ */

static char *macro_of(const verify *v, const port *p)
{
    const size_t size = strlen(v->macro) + strlen(p->name) + 16;
    char *macro = cli_alloc(size);
    snprintf(macro, size, "TVMGEN_%s_%s", v->macro, p->name);
    for (char *at = macro; *at != 0; at++) {
        *at = *at >= 'a' && *at <= 'z' ? (char)(*at - 'a' + 'A') : *at;
    }
    return macro;
}

static void put_function(const verify *v, FILE *file, const port *p, int block)
{
    char *macro = macro_of(v, p);
    if (!p->has_scale) {
        fprintf(file, "#ifdef %s_SCALE\n#error \"%s '%s' has no scale in the model\"\n#endif\n",
                macro, p->is_output ? "output" : "input", p->name);
    } else if (has_function(p) && p->is_output) {
        fprintf(file,
                "static float read_%s(int32_t index)\n{\n"
                "    const %s_TYPE *elements = (const void *)out_blocks[%d].at;\n"
                "    return tvmgen_%s_dequantize_%s(elements[index]);\n}\n",
                p->name, macro, block, v->name, p->name);
    } else if (has_function(p)) {
        fprintf(file,
                "static void feed_%s(float scale, int32_t zero)\n{\n"
                "    %s_TYPE *elements = (void *)in_blocks[%d].at;\n"
                "    for (int32_t i = 0; i < %s_COUNT; i++) {\n"
                "        elements[i] = tvmgen_%s_quantize_%s(\n"
                "            oribi_harness_real(i, elements[i], scale, zero));\n    }\n}\n",
                p->name, macro, block, macro, v->name, p->name);
    }
    free(macro);
}

static void put_row(const verify *v, FILE *file, const port *p)
{
    char *macro = macro_of(v, p);
    if (!p->has_scale) {
        fprintf(file, "    {0, 0, 0, 0, 0},\n");
    } else if (has_function(p)) {
        fprintf(file, "    {%s_SCALE, %s_ZERO_POINT, %s_COUNT, %s%s, %s%s},\n", macro, macro, macro,
                p->is_output ? "" : "feed_", p->is_output ? "0" : p->name,
                p->is_output ? "read_" : "", p->is_output ? p->name : "0");
    } else {
        fprintf(file, "    {%s_SCALE, %s_ZERO_POINT, %s_COUNT, 0, 0},\n", macro, macro, macro);
    }
    free(macro);
}

void verify_put_units(const verify *v, FILE *file)
{
    port *ports = cli_alloc((size_t)2 * VERIFY_MAX_PORTS * sizeof *ports);
    const int n = list_ports(v, ports), n_inputs = cli_json_count(v->inputs);
    for (int i = 0; i < n; i++) {
        put_function(v, file, &ports[i], i < n_inputs ? i : i - n_inputs);
    }
    fprintf(file, "static const struct oribi_harness_port ports[] = {\n");
    for (int i = 0; i < n; i++) {
        put_row(v, file, &ports[i]);
    }
    fprintf(file, "};\n");
    free(ports);
}

/* --- Conversation ---------------------------------------------------------------------------- */

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_at(const uint8_t *bytes)
{
    const uint32_t bits = verify_word(bytes);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void put_word(verify_bytes *out, uint32_t word)
{
    const uint8_t bytes[4] = {(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16),
                              (uint8_t)(word >> 24)};
    verify_append(out, bytes, sizeof bytes);
}

/* Real numbers of 16 bits times a scale beyond these would be no floats, or lose bits. */
static bool is_usual(float scale)
{
    return scale > 1e-30f && scale < 1e30f;
}

void verify_put_scales(const verify *v, verify_bytes *out)
{
    port *ports = cli_alloc((size_t)2 * VERIFY_MAX_PORTS * sizeof *ports);
    const int n = list_ports(v, ports);
    for (int i = 0; i < n && !ports[i].is_output; i++) {
        put_word(out, is_usual(ports[i].scale) ? bits_of(ports[i].scale) : 0);
        put_word(out, (uint32_t)ports[i].zero_point);
    }
    free(ports);
}

static int32_t element(const port *p, const uint8_t *bytes, size_t index)
{
    const uint8_t *at = bytes + index * p->size;
    return p->type == TF_INT16   ? (int16_t)(uint16_t)(at[0] | at[1] << 8)
           : p->type == TF_UINT8 ? at[0]
                                 : (int8_t)at[0];
}

static int check_scales(const port *ports, int n, const uint8_t *words)
{
    for (int i = 0; i < n; i++, words += 8) {
        const port *p = &ports[i];
        if (verify_word(words) != bits_of(p->scale) ||
            (int32_t)verify_word(words + 4) != p->zero_point) {
            cli_error("verify: %s '%s': the header says scale %.9g and zero point %d, the model "
                      "scale %.9g and zero point %d",
                      p->is_output ? "output" : "input", p->name, (double)float_at(words),
                      (int32_t)verify_word(words + 4), (double)p->scale, p->zero_point);
            return CLI_MISMATCH;
        }
    }
    return CLI_OK;
}

static int check_made(const verify *v, const port *p, const uint8_t *made, const uint8_t *expected)
{
    for (size_t k = 0; has_function(p) && k < p->bytes / p->size; k++) {
        if (element(p, made, k) != element(p, expected, k)) {
            cli_error("verify: input '%s': tvmgen_%s_quantize_%s stores the real number of element "
                      "%zu as %d, by the model it is %d",
                      p->name, v->name, p->name, k, element(p, made, k), element(p, expected, k));
            return CLI_MISMATCH;
        }
    }
    return CLI_OK;
}

int verify_check_units(const verify *v, const verify_frame_view *frame, const verify_case *which)
{
    port *ports = cli_alloc((size_t)2 * VERIFY_MAX_PORTS * sizeof *ports);
    const int n = list_ports(v, ports);
    size_t at = 0;
    int code = CLI_OK;
    if (frame->type != ORIBI_WIRE_UNITS || frame->bytes != (size_t)8 * (size_t)n + v->input_bytes) {
        cli_error("verify: real numbers: the target's answer cannot be read");
        code = CLI_MISMATCH;
    }
    code = code == CLI_OK ? check_scales(ports, n, frame->payload) : code;
    for (int i = 0; code == CLI_OK && i < n && !ports[i].is_output; at += ports[i++].bytes) {
        code = check_made(v, &ports[i], frame->payload + (size_t)8 * (size_t)n + at,
                          which->inputs + at);
    }
    free(ports);
    return code;
}

/* --- Outputs --------------------------------------------------------------------------------- */

static int check_read(const verify *v, const port *p, const uint8_t *reals, const uint8_t *stored)
{
    for (size_t k = 0; k < p->bytes / p->size; k++) {
        const float real = p->scale * (float)(element(p, stored, k) - p->zero_point);
        if (verify_word(reals + 4 * k) != bits_of(real)) {
            cli_error("verify: output '%s': tvmgen_%s_dequantize_%s reads element %zu as %.9g, by "
                      "the model it is %.9g",
                      p->name, v->name, p->name, k, (double)float_at(reals + 4 * k), (double)real);
            return CLI_MISMATCH;
        }
    }
    return CLI_OK;
}

static int check_bytes(const port *p, const uint8_t *bytes, const uint8_t *expected)
{
    if (memcmp(bytes, expected, p->bytes) != 0) {
        cli_error("verify: output '%s' differs from the host session when inputs are real numbers",
                  p->name);
        return CLI_MISMATCH;
    }
    return CLI_OK;
}

int verify_check_reals(const verify *v, const verify_frame_view *frame, const verify_case *which)
{
    port *ports = cli_alloc((size_t)2 * VERIFY_MAX_PORTS * sizeof *ports);
    const int n = list_ports(v, ports);
    const uint8_t *at = frame->payload + 4, *expected = which->expected;
    size_t bytes = 4;
    int code = CLI_OK;
    for (int i = 0; i < n; i++) {
        const port *p = &ports[i];
        bytes += !p->is_output ? 0 : has_function(p) ? p->bytes / p->size * 4 : p->bytes;
    }
    if (frame->type != ORIBI_WIRE_REALS || frame->bytes != bytes ||
        verify_word(frame->payload) != 0) {
        cli_error("verify: real numbers: the target's answer cannot be read, or the run failed");
        code = CLI_MISMATCH;
    }
    for (int i = 0; code == CLI_OK && i < n; i++) {
        const port *p = &ports[i];
        if (p->is_output) {
            code = has_function(p) ? check_read(v, p, at, expected) : check_bytes(p, at, expected);
            at += has_function(p) ? p->bytes / p->size * 4 : p->bytes;
            expected += p->bytes;
        }
    }
    free(ports);
    return code;
}
