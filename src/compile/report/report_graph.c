/* SPDX-License-Identifier: Apache-2.0 */
/* The graph of the page: operators from top to bottom in the order in which they run, tensors as
 * arcs from the operator that makes them to those that read them. Works for any graph.
 */
#include <inttypes.h>

#include "compile/report/report.h"

enum { ROW = 26, MARGIN = 34, LANE = 9, LANES = 18, TOP = 14, WIDTH = 1040 };

typedef struct drawing {
    const oribi_report *r;
    oribi_text *text;
    int32_t left; /* of the operators */
} drawing;

static int32_t y_of(int32_t step)
{
    return TOP + (step + 1) * ROW + ROW / 2;
}

/* How far out an arc over so many steps goes. */
static int32_t lane_of(int32_t span)
{
    int32_t lane = 0;
    for (int32_t n = 1; n < span && lane < LANES; n += 1 + n / 3) {
        lane++;
    }
    return lane;
}

static void draw_arc(const drawing *d, int32_t from, int32_t to, int32_t value)
{
    oribi_text *text = d->text;
    const int32_t out = d->left - 24 - lane_of(to - from) * LANE;
    if (to - from == 1) {
        oribi_text_printf(text, "<path class=\"arc\" d=\"M%d %dV%d\">", (int)d->left,
                          (int)y_of(from) + 6, (int)y_of(to) - 6);
    } else {
        oribi_text_printf(text, "<path class=\"arc far\" d=\"M%d %dC%d %d %d %d %d %d\">",
                          (int)d->left - 6, (int)y_of(from), (int)out, (int)y_of(from) + ROW / 2,
                          (int)out, (int)y_of(to) - ROW / 2, (int)d->left - 6, (int)y_of(to));
    }
    oribi_text_append(text, "<title>");
    oribi__html_append(text, d->r->c->graph->values[value]->name);
    oribi_text_append(text, "\n");
    oribi_program_print_type(d->r->c, text, value);
    oribi_text_append(text, ", ");
    oribi__html_number(text, d->r->c->locations[value].bytes);
    oribi_text_append(text, " bytes</title></path>\n");
}

/* With draws false, only finds how far out the arcs go. */
static int32_t draw_arcs(const drawing *d, bool draws)
{
    const oribi_report *r = d->r;
    const oribi_program *c = r->c;
    int32_t most = 0;
    for (int32_t i = 0; i <= c->n_calls; i++) {
        const bool is_end = i == c->n_calls;
        const int32_t n = is_end ? c->n_outputs : c->calls[i].n_inputs;
        for (int32_t k = 0; k < n; k++) {
            const int32_t value = is_end ? c->outputs[k].value : c->calls[i].inputs[k];
            const int32_t from = r->producer[value];
            if (from < 0 && (is_end || r->first[value] >= 0)) {
                continue; /* a constant */
            }
            most = lane_of(i - from) > most ? lane_of(i - from) : most;
            if (draws) {
                draw_arc(d, from, i, value);
            }
        }
    }
    return most;
}

static void draw_node(const drawing *d, int32_t model, int32_t index)
{
    oribi_text *text = d->text;
    const oribi_call *call = &d->r->c->calls[index];
    const bool is_called = oribi__report_is_called(call);
    oribi_text_printf(text,
                      "<a href=\"#m%dc%d\"><circle class=\"k%d\" cx=\"%d\" cy=\"%d\" r=\"%d\"/>"
                      "<text class=\"node\" x=\"%d\" y=\"%d\"><tspan class=\"step\">%d</tspan> %s ",
                      (int)model, (int)index, (int)oribi__report_colour(call), (int)d->left,
                      (int)y_of(index), is_called ? 6 : 4, (int)d->left + 14, (int)y_of(index) + 4,
                      (int)index, oribi__report_work(call));
    oribi_text_append(text, "<tspan class=\"type\">");
    oribi_program_print_type(d->r->c, text, call->node->outputs[0]);
    oribi_text_append(text, "</tspan> <tspan class=\"name\">");
    oribi__html_append(text, call->node->name);
    oribi_text_append(text, "</tspan></text></a>\n");
}

static void draw_end(const drawing *d, bool is_input)
{
    oribi_text *text = d->text;
    const oribi_program *c = d->r->c;
    const int32_t y = y_of(is_input ? -1 : c->n_calls);
    const int32_t n = is_input ? c->n_inputs : c->n_outputs;
    oribi_text_printf(text,
                      "<circle class=\"k8\" cx=\"%d\" cy=\"%d\" r=\"6\"/>"
                      "<text class=\"node\" x=\"%d\" y=\"%d\">%s ",
                      (int)d->left, (int)y, (int)d->left + 14, (int)y + 4, is_input ? "in" : "out");
    for (int32_t i = 0; i < n; i++) {
        const oribi_port *port = is_input ? &c->inputs[i] : &c->outputs[i];
        oribi_text_append(text, "<tspan class=\"type\">");
        oribi_program_print_type(c, text, port->value);
        oribi_text_append(text, "</tspan> <tspan class=\"name\">");
        oribi__html_append(text, port->model_name);
        oribi_text_append(text, "</tspan> ");
    }
    oribi_text_append(text, "</text>\n");
}

void oribi__report_graph(const oribi_report *r, int32_t model, oribi_text *text)
{
    const int32_t height = y_of(r->c->n_calls) + ROW;
    drawing d = {r, text, 0};
    d.left = MARGIN + draw_arcs(&d, false) * LANE;
    oribi_text_printf(text,
                      "<div class=\"scroll\"><svg class=\"graph\" width=\"%d\" height=\"%d\" "
                      "viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"graph\">\n",
                      WIDTH, (int)height, WIDTH, (int)height);
    (void)draw_arcs(&d, true);
    draw_end(&d, true);
    for (int32_t i = 0; i < r->c->n_calls; i++) {
        draw_node(&d, model, i);
    }
    draw_end(&d, false);
    oribi_text_append(text, "</svg></div>\n");
}
