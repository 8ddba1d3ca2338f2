/* SPDX-License-Identifier: Apache-2.0 */
/* Small functions of the header: quantise, dequantise, argmax. */
#include "compile/emit/emit_parts.h"

typedef struct bounds {
    const char *low, *high;
} bounds;

static bounds bounds_of(int32_t kind)
{
    switch (kind) {
    case ORIBI_ELEMENT_S16:
        return (bounds){"-32768", "32767"};
    case ORIBI_ELEMENT_U8:
        return (bounds){"0", "255"};
    default:
        return (bounds){"-128", "127"};
    }
}

/* The fraction is compared apart: adding 0.5 first would round 0.49999997 up. */
static void quantise_helper(const oribi_program *c, oribi_writer *w, const oribi_port *port)
{
    const char *n = c->name, *m = c->macro, *p = port->macro;
    const char *type = oribi_element_c_type(port->kind);
    const bounds b = bounds_of(port->kind);
    oribi_writer_comment(w, "Nearest element of input '%s', ties away from zero; NaN gives %s.",
                         port->name, b.low);
    oribi_writer_line(w, "static inline %s tvmgen_%s_quantize_%s(float value)", type, n,
                      port->name);
    oribi_writer_open(w, "{");
    oribi_writer_line(w, "const float scaled = value / TVMGEN_%s_%s_SCALE;", m, p);
    oribi_writer_open(w, "if (!(scaled > %s.0f - (float)TVMGEN_%s_%s_ZERO_POINT)) {", b.low, m, p);
    oribi_writer_line(w, "return %s;", b.low);
    oribi_writer_close(w, "}");
    oribi_writer_open(w, "if (scaled >= %s.0f - (float)TVMGEN_%s_%s_ZERO_POINT) {", b.high, m, p);
    oribi_writer_line(w, "return %s;", b.high);
    oribi_writer_close(w, "}");
    oribi_writer_line(w, "int32_t nearest = (int32_t)scaled;");
    oribi_writer_line(w, "const float rest = scaled - (float)nearest;");
    oribi_writer_line(w, "nearest += rest >= 0.5f ? 1 : rest <= -0.5f ? -1 : 0;");
    oribi_writer_line(w, "return (%s)(nearest + TVMGEN_%s_%s_ZERO_POINT);", type, m, p);
    oribi_writer_close(w, "}");
    oribi_writer_blank(w);
}

static void dequantise_helper(const oribi_program *c, oribi_writer *w, const oribi_port *port)
{
    oribi_writer_comment(w, "The number that an element of output '%s' stands for.", port->name);
    oribi_writer_line(w, "static inline float tvmgen_%s_dequantize_%s(%s element)", c->name,
                      port->name, oribi_element_c_type(port->kind));
    oribi_writer_open(w, "{");
    oribi_writer_line(w, "return TVMGEN_%s_%s_SCALE * (float)(element - TVMGEN_%s_%s_ZERO_POINT);",
                      c->macro, port->macro, c->macro, port->macro);
    oribi_writer_close(w, "}");
    oribi_writer_blank(w);
}

static void argmax_helper(const oribi_program *c, oribi_writer *w, const oribi_port *port)
{
    oribi_writer_comment(w, "Index of the largest element of output '%s', the first of equals.",
                         port->name);
    oribi_writer_line(w, "static inline int32_t tvmgen_%s_argmax_%s(const %s *elements)", c->name,
                      port->name, oribi_element_c_type(port->kind));
    oribi_writer_open(w, "{");
    oribi_writer_line(w, "int32_t best = 0;");
    oribi_writer_open(w, "for (int32_t i = 1; i < TVMGEN_%s_%s_COUNT; i++) {", c->macro,
                      port->macro);
    oribi_writer_line(w, "best = elements[i] > elements[best] ? i : best;");
    oribi_writer_close(w, "}");
    oribi_writer_line(w, "return best;");
    oribi_writer_close(w, "}");
    oribi_writer_blank(w);
}

static bool is_narrow(int32_t kind)
{
    return kind == ORIBI_ELEMENT_S8 || kind == ORIBI_ELEMENT_U8 || kind == ORIBI_ELEMENT_S16;
}

void oribi_emit_helpers(const oribi_program *c, oribi_writer *writer)
{
    for (int32_t i = 0; i < c->n_inputs; i++) {
        if (c->inputs[i].units.n_scales == 1 && is_narrow(c->inputs[i].kind)) {
            quantise_helper(c, writer, &c->inputs[i]);
        }
    }
    for (int32_t i = 0; i < c->n_outputs; i++) {
        if (c->outputs[i].units.n_scales == 1 && is_narrow(c->outputs[i].kind)) {
            dequantise_helper(c, writer, &c->outputs[i]);
        }
        argmax_helper(c, writer, &c->outputs[i]);
    }
}
