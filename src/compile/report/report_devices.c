/* SPDX-License-Identifier: Apache-2.0 */
/* Devices in the reports: for how long each is powered, locked and busy, and when its hooks are
 * called. All times are estimates: timeline.h.
 */
#include <inttypes.h>
#include <stdio.h>

#include "compile/report/report.h"

/* --- JSON ------------------------------------------------------------------------------------- */

/* A device with a memory of its own sees no pool; values are copied there. */
static bool sees_pool(const oribi_program *c, int32_t device, int32_t pool)
{
    return !oribi_device_has_memory(&c->devices, device) &&
           (c->devices.pools[device] >> pool & 1) != 0;
}

static void put_device(oribi_json *json, const oribi_report *r, int32_t index)
{
    const oribi_devices *d = &r->c->devices;
    const oribi_target *target = d->partition.devices[index].target;
    const oribi_device_use *use = &r->timeline.devices[index];
    oribi_json_open(json, '{');
    oribi_json_put_string(json, "name", d->names[index].member);
    oribi_json_put_string(json, "kind", target->name);
    oribi_json_put_int(json, "operators", use->n_operators);
    oribi_json_put_bool(json, "is_asynchronous", target->is_asynchronous != 0);
    oribi_json_put_int(json, "activate_us", target->activate_us);
    oribi_json_put_int(json, "memory_bytes", target->memory_bytes);
    oribi_json_put_int(json, "memory_used_bytes", d->memory_bytes[index]);
    oribi_json_put_int(json, "memory_alignment",
                       target->memory_alignment > 0 ? target->memory_alignment : 4);
    oribi_json_key(json, "pools");
    oribi_json_open(json, '[');
    for (int32_t p = 0; p < r->c->n_pools; p++) {
        if (sees_pool(r->c, index, p)) {
            oribi_json_string(json, r->c->pools[p].name);
        }
    }
    oribi_json_close(json, ']');
    oribi_json_put_int(json, "powered_us", use->powered_us);
    oribi_json_put_int(json, "locked_us", use->locked_us);
    oribi_json_put_int(json, "busy_us", use->busy_us);
    oribi_json_close(json, '}');
}

static void put_moment(oribi_json *json, const oribi_report *r, const oribi_moment *m)
{
    const oribi_device_names *names = r->c->devices.names;
    const int32_t device = m->step->device;
    oribi_json_open(json, '{');
    oribi_json_put_string(json, "event", oribi_timeline_word(m->step));
    oribi_json_put_string(json, "device", device >= 0 ? names[device].member : NULL);
    oribi_json_put_int(json, "step", m->step->call);
    oribi_json_put_int(json, "at_us", m->at_us);
    oribi_json_put_int(json, "us", m->us);
    oribi_json_close(json, '}');
}

void oribi__report_put_devices(oribi_json *json, const oribi_report *r)
{
    oribi_json_key(json, "devices");
    oribi_json_open(json, '[');
    for (int32_t i = 0; i < r->c->devices.partition.n_devices; i++) {
        put_device(json, r, i);
    }
    oribi_json_close(json, ']');
    oribi_json_key(json, "timeline");
    oribi_json_open(json, '[');
    for (int32_t i = 0; i < r->timeline.n_moments; i++) {
        put_moment(json, r, &r->timeline.moments[i]);
    }
    oribi_json_close(json, ']');
}

/* --- Page ------------------------------------------------------------------------------------- */

enum { LEFT = 120, WIDTH = 1010, RIGHT = 20, TOP = 24, ROW = 34, BAR = 22 };

typedef struct chart {
    const oribi_report *r;
    int32_t model;
    oribi_text *text;
} chart;

/* In hundredths. */
static int64_t x_of(const chart *t, int64_t us)
{
    const int64_t whole = t->r->timeline.us > 0 ? t->r->timeline.us : 1;
    return LEFT * 100 + us * (WIDTH - LEFT - RIGHT) * 100 / whole;
}

static void bar(const chart *t, const char *classes, int32_t row, int32_t height, int64_t from_us,
                int64_t to_us)
{
    const int64_t x = x_of(t, from_us);
    int64_t width = x_of(t, to_us) - x;
    width = width < 80 ? 80 : width; /* what takes no time is seen, too */
    oribi_text_printf(t->text,
                      "<rect class=\"%s\" x=\"%" PRId64 ".%02d\" width=\"%" PRId64
                      ".%02d\" y=\"%d\" height=\"%d\">",
                      classes, x / 100, (int)(x % 100), width / 100, (int)(width % 100),
                      (int)(TOP + row * ROW + (BAR - height) / 2), (int)height);
}

/* Bars from each event of one kind to the next of another: active, open. */
static void spans(const chart *t, int32_t device, int32_t from, int32_t to, const char *classes,
                  int32_t height, const char *word)
{
    int64_t since = 0;
    for (int32_t i = 0; i < t->r->timeline.n_moments; i++) {
        const oribi_moment *m = &t->r->timeline.moments[i];
        if (m->step->device != device) {
            continue;
        }
        since = m->step->kind == from ? m->at_us : since;
        if (m->step->kind == to) {
            bar(t, classes, device + 1, height, since, m->at_us);
            oribi_text_printf(t->text,
                              "<title>%s from %" PRId64 " to %" PRId64 " us</title></rect>\n", word,
                              since, m->at_us);
        }
    }
}

static void works(const chart *t, int32_t device)
{
    const oribi_program *c = t->r->c;
    for (int32_t i = 0; i < t->r->timeline.n_moments; i++) {
        const oribi_moment *m = &t->r->timeline.moments[i];
        const oribi_step *step = m->step;
        const bool is_copy = oribi_step_is_copy(step);
        const bool is_call = step->kind == ORIBI_STEP_KERNEL ||
                             step->kind == TVM_DEVICE_HOOK_INVOKE ||
                             step->kind == TVM_DEVICE_HOOK_START;
        if (step->device != device || !(is_copy || is_call)) {
            continue;
        }
        char classes[24];
        const oribi_call *call = &c->calls[step->call];
        snprintf(classes, sizeof classes, "v k%d", is_copy ? 9 : (int)oribi__report_colour(call));
        oribi_text_printf(t->text, "<a href=\"#m%dc%d\">", (int)t->model, (int)step->call);
        bar(t, classes, device + 1, is_copy ? 6 : 12, m->at_us, m->at_us + m->us);
        oribi_text_printf(t->text, "<title>step %d, %s\n", (int)step->call,
                          oribi_timeline_word(step));
        oribi__html_append(t->text,
                           is_copy ? c->graph->values[step->value]->name : call->node->name);
        oribi_text_printf(t->text, "\n%" PRId64 " us from %" PRId64 "</title></rect></a>\n", m->us,
                          m->at_us);
    }
}

static void draw(const chart *t)
{
    const oribi_devices *d = &t->r->c->devices;
    const int32_t n = d->partition.n_devices, height = TOP + (n + 1) * ROW + 8;
    oribi_text_printf(t->text,
                      "<div class=\"scroll\"><svg class=\"map\" width=\"%d\" height=\"%d\" "
                      "viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"timeline of devices\">\n",
                      WIDTH, (int)height, WIDTH, (int)height);
    for (int32_t at = 0; at <= 4; at++) {
        const int64_t us = t->r->timeline.us * at / 4, x = x_of(t, us) / 100;
        oribi_text_printf(t->text,
                          "<line class=\"grid\" x1=\"%" PRId64 "\" x2=\"%" PRId64
                          "\" y1=\"%d\" y2=\"%d\"/><text class=\"axis middle\" x=\"%" PRId64
                          "\" y=\"14\">",
                          x, x, TOP - 4, (int)height, x);
        oribi__html_number(t->text, us);
        oribi_text_append(t->text, at == 0 ? " us</text>\n" : "</text>\n");
    }
    for (int32_t i = -1; i < n; i++) {
        oribi_text_printf(t->text, "<text class=\"axis end\" x=\"%d\" y=\"%d\">", LEFT - 8,
                          (int)(TOP + (i + 1) * ROW + 15));
        oribi__html_append(t->text, i < 0 ? "CPU" : d->names[i].member);
        oribi_text_append(t->text, "</text>\n");
        if (i >= 0) {
            spans(t, i, TVM_DEVICE_HOOK_ACTIVATE, TVM_DEVICE_HOOK_DEACTIVATE, "powered", BAR,
                  "powered");
            spans(t, i, TVM_DEVICE_HOOK_OPEN, TVM_DEVICE_HOOK_CLOSE, "locked", BAR - 6, "locked");
        }
        works(t, i);
    }
    oribi_text_append(t->text, "</svg></div>\n");
}

static void cell(oribi_text *text, int64_t number)
{
    oribi_text_append(text, "<td class=\"n\">");
    oribi__html_number(text, number);
    oribi_text_append(text, "</td>");
}

static void device_row(const oribi_report *r, int32_t index, oribi_text *text)
{
    const oribi_devices *d = &r->c->devices;
    const oribi_target *target = d->partition.devices[index].target;
    const oribi_device_use *use = &r->timeline.devices[index];
    oribi_text_printf(text, "<tr><td><b>%s</b></td><td>", d->names[index].member);
    oribi__html_append(text, target->name);
    oribi_text_append(text, target->is_asynchronous != 0 ? ", asynchronous</td>" : "</td>");
    cell(text, use->n_operators);
    cell(text, target->activate_us);
    cell(text, use->powered_us);
    cell(text, use->locked_us);
    cell(text, use->busy_us);
    oribi_text_append(text, "<td class=\"n\">");
    if (target->memory_bytes > 0) {
        oribi__html_number(text, d->memory_bytes[index]);
        oribi_text_append(text, " of ");
        oribi__html_number(text, target->memory_bytes);
    }
    oribi_text_append(text, "</td><td>");
    for (int32_t p = 0; p < r->c->n_pools; p++) {
        oribi_text_printf(text, "%s ", sees_pool(r->c, index, p) ? r->c->pools[p].name : "");
    }
    oribi_text_append(text, "</td></tr>\n");
}

void oribi__report_devices(const oribi_report *r, int32_t model, oribi_text *text)
{
    const chart t = {r, model, text};
    const int32_t n = r->c->devices.partition.n_devices;
    if (n == 0) {
        return;
    }
    oribi_text_printf(text,
                      "<h3>Devices</h3>\n<p class=\"sub\">Estimated microseconds at %" PRId64
                      " MHz: powered from Activate to Deactivate (outer bar), locked from Open to "
                      "Close (inner bar).</p>\n",
                      oribi_program_mhz(r->c));
    draw(&t);
    oribi_text_append(
        text,
        "<div class=\"scroll\"><table class=\"list\"><tr><th>device</th><th>kind</th>"
        "<th class=\"n\">operators</th><th class=\"n\">us to activate</th>"
        "<th class=\"n\">us powered</th><th class=\"n\">us locked</th>"
        "<th class=\"n\">us busy</th><th class=\"n\">bytes of its own</th><th>sees</th></tr>\n");
    for (int32_t i = 0; i < n; i++) {
        device_row(r, i, text);
    }
    oribi_text_append(text, "</table></div>\n");
}
