/* SPDX-License-Identifier: Apache-2.0 */
/* The memory map of the page: addresses over steps, a rectangle a tensor, as inline SVG. A tensor
 * that is written over ends in the middle of the step that does it, and what is written over it
 * begins there.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "compile/report/report.h"

enum { LEFT = 76, TOP = 26, HEIGHT = 380, GAP = 34, LIVE_HEIGHT = 64, RIGHT = 18, LABELS = 22 };

typedef struct map {
    const oribi_report *r;
    oribi_text *text;
    int32_t model, pool;
    int32_t column; /* width of a step */
    int64_t bytes;  /* of the pool */
} map;

/* The step -1, in which the caller writes inputs, is the first column; two halves a step. */
static int32_t x_of(const map *m, int32_t half_step)
{
    return LEFT + (half_step + 2) * m->column / 2;
}

/* In hundredths of a pixel: addresses grow upwards. */
static int64_t y_of(const map *m, int64_t address)
{
    return (int64_t)TOP * 100 + (m->bytes - address) * HEIGHT * 100 / m->bytes;
}

static void coordinate(oribi_text *text, const char *name, int64_t hundredths)
{
    oribi_text_printf(text, " %s=\"%" PRId64 ".%02" PRId64 "\"", name, hundredths / 100,
                      hundredths % 100);
}

static bool is_here(const map *m, const oribi_location *place)
{
    return place->storage == ORIBI_IN_WORKSPACE && place->index == m->pool && place->bytes > 0;
}

/* --- Rectangles ------------------------------------------------------------------------------ */

/* Opens a link with a rectangle in it; the caller adds the title and closes both. */
static void open_rectangle(const map *m, int32_t call, const char *classes, int32_t from_half,
                           int32_t to_half, const oribi_location *place)
{
    const int64_t top = y_of(m, place->offset + place->bytes), bottom = y_of(m, place->offset);
    oribi_text *text = m->text;
    oribi_text_printf(text, "<a href=\"#m%dc%d\"><rect class=\"%s\" x=\"%d\" width=\"%d\"",
                      (int)m->model, (int)call, classes, (int)x_of(m, from_half),
                      (int)(x_of(m, to_half) - x_of(m, from_half)));
    coordinate(text, "y", top);
    coordinate(text, "height", bottom - top < 100 ? 100 : bottom - top);
    oribi_text_append(text, "><title>");
}

static void close_rectangle(const map *m, int32_t from_half, int32_t to_half,
                            const oribi_location *place, int32_t call)
{
    const int64_t height = y_of(m, place->offset) - y_of(m, place->offset + place->bytes);
    oribi_text_append(m->text, "</title></rect>");
    if (height > 1500 && x_of(m, to_half) - x_of(m, from_half) > 30 && call >= 0) {
        oribi_text_printf(m->text, "<text class=\"in\" x=\"%d\"",
                          (int)(x_of(m, from_half) + x_of(m, to_half)) / 2);
        coordinate(m->text, "y",
                   (y_of(m, place->offset) + y_of(m, place->offset + place->bytes)) / 2 + 400);
        oribi_text_printf(m->text, ">%d</text>", (int)call);
    }
    oribi_text_append(m->text, "</a>\n");
}

static void range(oribi_text *text, const oribi_location *place)
{
    oribi__html_number(text, place->bytes);
    oribi_text_append(text, " bytes at ");
    oribi__html_number(text, place->offset);
    oribi_text_append(text, " to ");
    oribi__html_number(text, place->offset + place->bytes - 1);
}

static bool is_over(const char *reason)
{
    return strcmp(reason, "overlap") == 0 || strcmp(reason, "in_place") == 0;
}

/* Does the last call that reads the value write over it? */
static bool is_written_over(const map *m, int32_t value)
{
    const oribi_program *c = m->r->c;
    const int32_t last = m->r->last[value];
    const oribi_location *a = &c->locations[value];
    if (last < 0 || last >= c->n_calls) {
        return false;
    }
    const oribi_call *call = &c->calls[last];
    for (int32_t k = 0; k < call->n_outputs; k++) {
        const int32_t output = call->node->outputs[k];
        const oribi_location *b = &c->locations[output];
        int32_t with;
        if (output != value && is_here(m, b) && a->offset < b->offset + b->bytes &&
            b->offset < a->offset + a->bytes &&
            is_over(oribi__report_reason(m->r, output, &with))) {
            return true;
        }
    }
    return false;
}

static void draw_value(const map *m, int32_t value)
{
    const oribi_report *r = m->r;
    const oribi_location *place = &r->c->locations[value];
    int32_t with;
    if (!is_here(m, place) || r->first[value] > r->last[value]) {
        return;
    }
    const char *reason = oribi__report_reason(r, value, &with);
    const int32_t call = r->producer[value];
    const int32_t link = call >= 0 ? call : r->last[value] < r->c->n_calls ? r->last[value] : 0;
    const int32_t from = 2 * r->first[value] + (call >= 0 && is_over(reason) ? 1 : 0);
    const int32_t to = 2 * r->last[value] + (is_written_over(m, value) ? 1 : 2);
    const bool is_shared = strcmp(reason, "view") == 0 || strcmp(reason, "part") == 0;
    char classes[32];
    snprintf(classes, sizeof classes, "v k%d%s",
             call >= 0 ? (int)oribi__report_colour(&r->c->calls[call]) : 8,
             is_shared ? " shared" : "");
    oribi_text safe = {0};
    open_rectangle(m, link, classes, from, to, place);
    oribi__html_append(m->text, r->c->graph->values[value]->name);
    oribi_text_append(m->text, "\n");
    range(m->text, place);
    oribi_text_printf(m->text, "\nsteps %d to %d: ", (int)r->first[value], (int)r->last[value]);
    oribi__report_explain(r, value, &safe);
    oribi__html_append(m->text, oribi_text_string(&safe));
    close_rectangle(m, from, to, place, is_shared ? -1 : call);
    m->text->failed = m->text->failed || safe.failed;
    oribi_text_destroy(&safe);
}

static void draw_scratch(const map *m, int32_t call)
{
    const oribi_location *place = &m->r->c->scratch[call];
    if (is_here(m, place)) {
        open_rectangle(m, call, "v scratch", 2 * call, 2 * call + 2, place);
        oribi_text_append(m->text, "scratch of ");
        oribi__html_append(m->text, m->r->c->calls[call].name);
        oribi_text_append(m->text, "\n");
        range(m->text, place);
        close_rectangle(m, 2 * call, 2 * call + 2, place, -1);
    }
}

/* --- Axes ------------------------------------------------------------------------------------ */

/* A round number of which at most 8 fit into n. */
static int64_t tick_of(int64_t n)
{
    int64_t tick = 1;
    for (int32_t i = 0; n / tick > 8; i++) {
        tick = i % 3 == 1 ? tick / 2 * 5 : tick * 2; /* 1, 2, 5, 10 */
    }
    return tick;
}

static void draw_byte_axis(const map *m, int32_t width)
{
    oribi_text *text = m->text;
    const int64_t tick = tick_of(m->bytes);
    for (int64_t at = 0; at <= m->bytes; at += tick) {
        oribi_text_printf(text, "<line class=\"grid\" x1=\"%d\" x2=\"%d\"", LEFT,
                          (int)width - RIGHT);
        coordinate(text, "y1", y_of(m, at));
        coordinate(text, "y2", y_of(m, at));
        oribi_text_printf(text, "/><text class=\"axis end\" x=\"%d\"", LEFT - 8);
        coordinate(text, "y", y_of(m, at) + 400);
        oribi_text_append(text, ">");
        oribi__html_number(text, at);
        oribi_text_append(text, "</text>\n");
    }
    oribi_text_printf(text, "<line class=\"top\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>", LEFT,
                      (int)width - RIGHT, TOP, TOP);
    oribi_text_printf(text, "<text class=\"axis\" x=\"%d\" y=\"%d\">pool ", LEFT, TOP - 9);
    oribi__html_append(text, m->r->c->pools[m->pool].name);
    oribi_text_append(text, ": ");
    oribi__html_number(text, m->bytes);
    oribi_text_append(text, " bytes</text>\n");
}

static void draw_steps(const map *m, int32_t y)
{
    const int32_t n = m->r->c->n_calls;
    const int32_t every = m->column >= 20 ? 1 : (int32_t)tick_of(n / 4 + 1) + 1;
    for (int32_t i = 0; i < n; i += every) {
        oribi_text_printf(m->text, "<text class=\"axis middle\" x=\"%d\" y=\"%d\">%d</text>",
                          (int)x_of(m, 2 * i + 1), (int)y, (int)i);
    }
    oribi_text_append(m->text, "\n");
}

/* Bytes that hold something at each step, under the map. */
static void draw_live(const map *m, int32_t top)
{
    const oribi_report *r = m->r;
    oribi_text *text = m->text;
    for (int32_t i = 0; i < r->c->n_calls; i++) {
        const int64_t height = r->live[i] * LIVE_HEIGHT * 100 / r->most_live;
        oribi_text_printf(text, "<a href=\"#m%dc%d\"><rect class=\"live%s\" x=\"%d\" width=\"%d\"",
                          (int)m->model, (int)i, r->live[i] == r->most_live ? " most" : "",
                          (int)x_of(m, 2 * i) + 1, (int)m->column - 2);
        coordinate(text, "y", (int64_t)(top + LIVE_HEIGHT) * 100 - height);
        coordinate(text, "height", height);
        oribi_text_printf(text, "><title>step %d: ", (int)i);
        oribi__html_number(text, r->live[i]);
        oribi_text_append(text, " bytes in use</title></rect></a>\n");
    }
    oribi_text_printf(text, "<text class=\"axis end\" x=\"%d\" y=\"%d\">in use</text>\n", LEFT - 8,
                      (int)top + LIVE_HEIGHT / 2 + 4);
}

static void draw_pool(map *m)
{
    const oribi_program *c = m->r->c;
    const bool has_live = m->pool == c->n_pools - 1 && m->r->most_live > 0;
    const int32_t width = LEFT + (c->n_calls + 2) * m->column + RIGHT;
    const int32_t live_top = TOP + HEIGHT + GAP;
    const int32_t height = TOP + HEIGHT + LABELS + (has_live ? GAP - LABELS + LIVE_HEIGHT + 8 : 0);
    oribi_text *text = m->text;
    oribi_text_printf(text,
                      "<div class=\"scroll\"><svg class=\"map\" width=\"%d\" height=\"%d\" "
                      "viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"memory map\">\n",
                      (int)width, (int)height, (int)width, (int)height);
    draw_byte_axis(m, width);
    for (int32_t i = 0; i < c->graph->n_values; i++) {
        draw_value(m, i);
    }
    for (int32_t i = 0; i < c->n_calls; i++) {
        draw_scratch(m, i);
    }
    oribi_text_printf(text, "<rect class=\"peak\" x=\"%d\" width=\"%d\" y=\"%d\" height=\"%d\"/>\n",
                      (int)x_of(m, 2 * m->r->peak), (int)m->column, TOP, HEIGHT);
    draw_steps(m, TOP + HEIGHT + 16);
    if (has_live) {
        draw_live(m, live_top);
    }
    oribi_text_append(text, "</svg></div>\n");
}

void oribi__report_map(const oribi_report *r, int32_t model, oribi_text *text)
{
    const int32_t fitting = 1010 / (r->c->n_calls + 2);
    map m = {.r = r,
             .text = text,
             .model = model,
             .column = fitting > 72   ? 72
                       : fitting < 10 ? 10
                                      : fitting / 2 * 2};
    for (; m.pool < r->c->n_pools; m.pool++) {
        m.bytes = r->c->pools[m.pool].bytes;
        if (m.bytes > 0) {
            draw_pool(&m);
        }
    }
}
