/* SPDX-License-Identifier: Apache-2.0 */
/* The graph of the page: operators from top to bottom in the order in which they run, tensors as
 * arcs from the operator that makes them to those that read them. Works for any graph.
 */
#include <inttypes.h>

#include "compile/report.h"

enum { ROW = 26, LEFT = 190, LANE = 9, LANES = 18, TOP = 14, WIDTH = 1040 };

static int32_t y_of(int32_t step)
{
    return TOP + (step + 1) * ROW + ROW / 2;
}

/* An arc on the left; how far out tells how many steps it spans. */
static void draw_arc(const oribi_report *r, int32_t from, int32_t to, int32_t value, oribi_text *text)
{
    const oribi_value *v = r->c->graph->values[value];
    const int32_t span = to - from;
    int32_t lane = 0;
    for (int32_t n = 1; n < span && lane < LANES; n += 1 + n / 3) {
        lane++;
    }
    const int32_t out = LEFT - 10 - lane * LANE;
    if (span == 1) {
        oribi_text_printf(text, "<path class=\"arc\" d=\"M%d %dV%d\">", LEFT, (int)y_of(from) + 6,
                          (int)y_of(to) - 6);
    } else {
        oribi_text_printf(text, "<path class=\"arc far\" d=\"M%d %dC%d %d %d %d %d %d\">", LEFT - 6,
                          (int)y_of(from), (int)out - 14, (int)y_of(from) + ROW / 2, (int)out - 14,
                          (int)y_of(to) - ROW / 2, LEFT - 6, (int)y_of(to));
    }
    oribi_text_append(text, "<title>");
    oribi__html_append(text, v->name);
    oribi_text_append(text, "\n");
    oribi_emit_type(r->c, text, value);
    oribi_text_append(text, ", ");
    oribi__html_number(text, r->c->locations[value].bytes);
    oribi_text_append(text, " bytes</title></path>\n");
}

static void draw_arcs(const oribi_report *r, oribi_text *text)
{
    const oribi_compile *c = r->c;
    for (int32_t i = 0; i < c->n_calls; i++) {
        const oribi_call *call = &c->calls[i];
        for (int32_t k = 0; k < call->n_inputs; k++) {
            const int32_t value = call->inputs[k];
            if (r->producer[value] >= 0 || r->first[value] < 0) {
                draw_arc(r, r->producer[value], i, value, text);
            }
        }
    }
    for (int32_t i = 0; i < c->n_outputs; i++) {
        const int32_t value = c->outputs[i].value;
        if (r->producer[value] >= 0) {
            draw_arc(r, r->producer[value], c->n_calls, value, text);
        }
    }
}

static void draw_node(const oribi_report *r, int32_t model, int32_t index, oribi_text *text)
{
    const oribi_call *call = &r->c->calls[index];
    const bool is_called = oribi__report_is_called(call);
    oribi_text_printf(text,
                      "<a href=\"#m%dc%d\"><circle class=\"k%d\" cx=\"%d\" cy=\"%d\" r=\"%d\"/>"
                      "<text class=\"node\" x=\"%d\" y=\"%d\"><tspan class=\"step\">%d</tspan> %s ",
                      (int)model, (int)index, (int)oribi__report_colour(call), LEFT,
                      (int)y_of(index), is_called ? 6 : 4, LEFT + 14, (int)y_of(index) + 4,
                      (int)index, is_called ? call->kernel : "(no code)");
    oribi_text_append(text, "<tspan class=\"type\">");
    oribi_emit_type(r->c, text, call->node->outputs[0]);
    oribi_text_append(text, "</tspan> <tspan class=\"name\">");
    oribi__html_append(text, call->node->name);
    oribi_text_append(text, "</tspan></text></a>\n");
}

static void draw_end(const oribi_report *r, bool is_input, oribi_text *text)
{
    const oribi_compile *c = r->c;
    const int32_t y = y_of(is_input ? -1 : c->n_calls);
    const int32_t n = is_input ? c->n_inputs : c->n_outputs;
    oribi_text_printf(text,
                      "<circle class=\"k8\" cx=\"%d\" cy=\"%d\" r=\"6\"/>"
                      "<text class=\"node\" x=\"%d\" y=\"%d\">%s ",
                      LEFT, (int)y, LEFT + 14, (int)y + 4, is_input ? "in" : "out");
    for (int32_t i = 0; i < n; i++) {
        const oribi_port *port = is_input ? &c->inputs[i] : &c->outputs[i];
        oribi_text_append(text, "<tspan class=\"type\">");
        oribi_emit_type(c, text, port->value);
        oribi_text_append(text, "</tspan> <tspan class=\"name\">");
        oribi__html_append(text, port->model_name);
        oribi_text_append(text, "</tspan> ");
    }
    oribi_text_append(text, "</text>\n");
}

void oribi__report_graph(const oribi_report *r, int32_t model, oribi_text *text)
{
    const int32_t height = y_of(r->c->n_calls) + ROW;
    oribi_text_printf(text,
                      "<div class=\"scroll\"><svg class=\"graph\" width=\"%d\" height=\"%d\" "
                      "viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"graph\">\n",
                      WIDTH, (int)height, WIDTH, (int)height);
    draw_arcs(r, text);
    draw_end(r, true, text);
    for (int32_t i = 0; i < r->c->n_calls; i++) {
        draw_node(r, model, i, text);
    }
    draw_end(r, false, text);
    oribi_text_append(text, "</svg></div>\n");
}
