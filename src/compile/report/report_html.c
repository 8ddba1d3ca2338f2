/* SPDX-License-Identifier: Apache-2.0 */
/* The page of a report: one file that asks for nothing else. Strings of models are hostile; each
 * goes through oribi__html_append. Its style: report_style.c. Read next: report_map.c.
 */
#include <inttypes.h>

#include "compile/report/report.h"
#include "base/number.h"
#include "tensor/patience.h"
#include "tensor/status.h"

/* --- Tiles ----------------------------------------------------------------------------------- */

static void tile(oribi_text *text, const char *label, int64_t number, const char *unit,
                 const char *more)
{
    oribi_text_printf(text, "<div class=\"tile\"><div class=\"label\">%s</div><div class=\"big\">",
                      label);
    oribi__html_number(text, number);
    oribi_text_printf(text,
                      "<span class=\"unit\"> %s</span></div><div class=\"more\">%s</div></div>\n",
                      unit, more);
}

static void longest_tile(const oribi_report *r, oribi_text *text)
{
    oribi_text name = {0};
    if (r->longest >= 0) {
        oribi__html_append(&name, r->c->calls[r->longest].node->name);
        tile(text, "Longest step", r->longest_cycles, "cycles, estimated",
             oribi_text_string(&name));
    }
    text->failed = text->failed || name.failed;
    oribi_text_destroy(&name);
}

static void tiles(const oribi_report *r, oribi_text *text)
{
    const oribi_program *c = r->c;
    const bool at_bound = c->workspace_bytes == (int64_t)c->bounds.bound_bytes;
    int32_t n = 0;
    for (int32_t i = 0; i < c->n_calls; i++) {
        n += oribi__report_is_called(&c->calls[i]) ? 1 : 0;
    }
    oribi_text_append(text, "<div class=\"tiles\">\n");
    tile(text, "Workspace", c->workspace_bytes, "bytes",
         at_bound ? "scratch included; no plan is smaller" : "scratch included");
    tile(text, "Inputs and outputs", c->io_bytes, "bytes",
         c->ports_in_workspace ? "in the workspace" : "in memory of the caller");
    if (c->state_bytes > 0) {
        tile(text, "State", c->state_bytes, "bytes", "kept between runs");
    }
    tile(text, "Constants", c->constants_bytes, "bytes", "weights and arguments, in flash");
    tile(text, "Work", r->macs, "MACs", "multiply and accumulate");
    tile(text, "Operators", n, "calls", "what runs; views and parts cost nothing");
    longest_tile(r, text);
    oribi_text_append(text, "</div>\n");
}

static void measure(oribi_text *text, const char *label, int64_t number, int64_t most,
                    const char *classes)
{
    oribi_text_printf(text,
                      "<tr><th>%s</th><td class=\"bar\"><span class=\"%s\" style=\"width:%d%%\">"
                      "</span></td><td class=\"n\">",
                      label, classes, (int)(most > 0 ? number * 100 / most : 0));
    oribi__html_number(text, number);
    oribi_text_append(text, "</td></tr>\n");
}

static void measures(const oribi_report *r, oribi_text *text)
{
    const oribi_program *c = r->c;
    const int64_t bound = (int64_t)c->bounds.bound_bytes;
    int64_t most = c->workspace_bytes > c->floor_bytes ? c->workspace_bytes : c->floor_bytes;
    most = bound > most ? bound : most;
    oribi_text_append(text, "<table class=\"measures\">\n");
    measure(text, "without sharing, without scratch", c->floor_bytes, most, "floor");
    measure(text, "workspace as planned", c->workspace_bytes, most, "planned");
    measure(text, "no plan of these operators is below", bound, most, "bound");
    oribi_text_append(text, "</table>\n");
}

/* --- Inputs and outputs ---------------------------------------------------------------------- */

static void port_row(const oribi_program *c, const oribi_port *port, const char *what,
                     oribi_text *text)
{
    const oribi_location *place = &c->locations[port->value];
    oribi_text_printf(text, "<tr><td>%s</td><td class=\"name\">", what);
    oribi__html_append(text, port->model_name);
    oribi_text_printf(text, "</td><td><code>%s</code></td><td>", port->name);
    oribi_program_print_type(c, text, port->value);
    oribi_text_append(text, "</td><td class=\"n\">");
    oribi__html_number(text, port->bytes);
    oribi_text_append(text, "</td><td>");
    if (place->storage == ORIBI_IN_WORKSPACE) {
        oribi_text_printf(text, "%s at ", c->pools[place->index].name);
        oribi__html_number(text, place->offset);
    } else {
        oribi_text_append(text, "caller");
    }
    oribi_text_append(text, "</td><td>");
    if (port->units.n_scales == 1) {
        char scale[ORIBI_NUMBER_TEXT];
        oribi_number_print((double)port->units.scale, 9, scale);
        oribi_text_printf(text, "scale %s, zero %d", scale, (int)port->units.zero);
    } else if (port->units.n_scales > 1) {
        oribi_text_printf(text, "%d scales along dimension %d", (int)port->units.n_scales,
                          (int)port->units.axis);
    }
    oribi_text_append(text, "</td></tr>\n");
}

static void ports(const oribi_program *c, oribi_text *text)
{
    oribi_text_append(text, "<h3>Inputs and outputs</h3>\n<div class=\"scroll\"><table "
                            "class=\"list\"><tr><th></th><th>name</th><th>in C</th><th>type</th>"
                            "<th class=\"n\">bytes</th><th>place</th><th>quantisation</th></tr>\n");
    for (int32_t i = 0; i < c->n_inputs; i++) {
        port_row(c, &c->inputs[i], "in", text);
    }
    for (int32_t i = 0; i < c->n_outputs; i++) {
        port_row(c, &c->outputs[i], "out", text);
    }
    oribi_text_append(text, "</table></div>\n");
}

/* --- Operators ------------------------------------------------------------------------------- */

static void barred(oribi_text *text, int64_t number, int64_t most, int32_t colour)
{
    oribi_text_append(text, "<td class=\"n\">");
    if (number > 0) {
        oribi__html_number(text, number);
        oribi_text_printf(text,
                          "<span class=\"meter\"><span class=\"k%d\" style=\"width:%d%%\">"
                          "</span></span>",
                          (int)colour, (int)(most > 0 ? number * 100 / most : 0));
    }
    oribi_text_append(text, "</td>");
}

static void place_cell(const oribi_report *r, const oribi_call *call, oribi_text *text)
{
    static const char *const elsewhere[] = {"nowhere", "caller", "caller", "", "flash", "state"};
    const oribi_program *c = r->c;
    const int32_t output = call->node->outputs[0];
    const oribi_location *place = &c->locations[output];
    oribi_text reason = {0};
    oribi_text_append(text, "<td>");
    if (place->storage == ORIBI_IN_WORKSPACE) {
        oribi_text_printf(text, "%s&#8201;+&#8201;", c->pools[place->index].name);
        oribi__html_number(text, place->offset);
    } else {
        oribi_text_append(text,
                          place->storage <= ORIBI_IN_FLASH ? elsewhere[place->storage] : "state");
    }
    oribi_text_append(text, "<div class=\"why\">");
    oribi__report_explain(r, output, &reason);
    oribi__html_append(text, oribi_text_string(&reason));
    oribi_text_append(text, "</div></td>");
    text->failed = text->failed || reason.failed;
    oribi_text_destroy(&reason);
}

static void operator_row(const oribi_report *r, int32_t model, int32_t index, oribi_text *text)
{
    const oribi_program *c = r->c;
    const oribi_call *call = &c->calls[index];
    const bool is_called = oribi__report_is_called(call);
    const int32_t colour = oribi__report_colour(call);
    oribi_text_printf(text,
                      "<tr id=\"m%dc%d\"><td class=\"n\">%d</td><td><i class=\"dot k%d\"></i>",
                      (int)model, (int)index, (int)index, (int)colour);
    oribi_text_printf(text, "<b>%s</b> ", oribi__report_work(call));
    oribi__html_append(text, call->node->op_name);
    oribi_text_append(text, "<div class=\"why name\">");
    oribi__html_append(text, call->node->name);
    oribi_text_append(text, "</div></td><td>");
    oribi_program_print_type(c, text, call->node->outputs[0]);
    oribi_text_append(text, "</td>");
    barred(text, call->macs, r->most_macs, colour);
    oribi_text_append(text, "<td class=\"n\">");
    oribi__html_number(text, c->locations[call->node->outputs[0]].bytes);
    oribi_text_append(text, "</td><td class=\"n\">");
    if (is_called && call->scratch_bytes > 0) {
        oribi__html_number(text, call->scratch_bytes);
    }
    oribi_text_append(text, "</td>");
    barred(text, r->live[index], r->most_live, 9);
    barred(text, oribi_call_flash(call), r->most_flash, 9);
    place_cell(r, call, text);
    oribi_text_append(text, "</tr>\n");
}

static void operators(const oribi_report *r, int32_t model, oribi_text *text)
{
    oribi_text_append(
        text,
        "<h3>Operators</h3>\n<div class=\"scroll\"><table class=\"list\"><tr>"
        "<th class=\"n\">step</th><th>operator</th><th>result</th><th class=\"n\">MACs</th>"
        "<th class=\"n\">bytes</th><th class=\"n\">scratch</th>"
        "<th class=\"n\">in use</th><th class=\"n\">flash</th><th>result lies at</th></tr>\n");
    for (int32_t i = 0; i < r->c->n_calls; i++) {
        operator_row(r, model, i, text);
    }
    oribi_text_append(text, "</table></div>\n");
}

/* --- Instances ------------------------------------------------------------------------------- */

static void instance_row(const oribi_instance *item, oribi_text *text)
{
    oribi_text_printf(text,
                      "<tr><td><b>%s</b><div class=\"why\">%s of %s</div></td><td>%s<div "
                      "class=\"why\">%s</div></td><td class=\"n\">%d</td><td class=\"n\">",
                      item->name, item->what, item->costs->kernel,
                      item->is_made ? "made" : "not made", item->why, (int)item->n_calls);
    oribi__html_number(text, item->generic);
    oribi_text_append(text, "</td><td class=\"n\">");
    oribi__html_number(text, item->special);
    oribi_text_append(text, "</td><td class=\"n\">");
    oribi__html_number(text, item->shape.code_bytes);
    oribi_text_append(text, "</td></tr>\n");
}

static void instances(const oribi_instances *all, oribi_text *text)
{
    if (all->n == 0) {
        return;
    }
    oribi_text_append(text, "<h3>Instances</h3>\n<p class=\"sub\">Kernels for operators that have "
                            "sizes in common. Estimates for a Cortex-M4: ");
    oribi__html_number(text, all->instructions);
    oribi_text_append(text, " instructions a run without them, ");
    oribi__html_number(text, all->with);
    oribi_text_append(text, " as made; they add ");
    oribi__html_number(text, all->code_bytes);
    oribi_text_append(text, " bytes of code, and ");
    oribi__html_number(text, all->budget_bytes);
    oribi_text_append(
        text, " are allowed.</p>\n<div class=\"scroll\"><table class=\"list\"><tr><th>class</th>"
              "<th></th><th class=\"n\">operators</th><th class=\"n\">instructions without</th>"
              "<th class=\"n\">with</th><th class=\"n\">code</th></tr>\n");
    for (int32_t i = 0; i < all->n; i++) {
        instance_row(&all->items[i], text);
    }
    oribi_text_append(text, "</table></div>\n");
}

/* --- Page ------------------------------------------------------------------------------------ */

static void legend(oribi_text *text)
{
    oribi_text_append(text, "<p class=\"legend\">");
    for (int32_t i = 0; oribi__report_colour_name(i) != NULL; i++) {
        oribi_text_printf(text, "<span><i class=\"dot k%d\"></i>%s</span> ", (int)i,
                          oribi__report_colour_name(i));
    }
    oribi_text_append(text, "<span><i class=\"dot k8\"></i>input</span> "
                            "<span><i class=\"dot striped\"></i>scratch</span></p>\n");
}

static void model_section(const oribi_program *c, const oribi_report *r, int32_t model,
                          oribi_text *text)
{
    oribi_text asked = {0};
    oribi_text_append(text, "<section>\n<h2>");
    oribi__html_append(text, c->source_name);
    oribi_text_printf(text, "</h2>\n<p class=\"sub\"><code>tvmgen_%s</code>", c->name);
    oribi_compile_options_print(c->options, &asked);
    oribi_text_append(text, asked.length > 0 ? " with<code>" : "");
    oribi__html_append(text, oribi_text_string(&asked));
    oribi_text_printf(text, "%s &#183; SHA-256 <code>%s</code></p>\n",
                      asked.length > 0 ? "</code>" : "", c->sha256);
    tiles(r, text);
    measures(r, text);
    oribi_text_append(text, "<h3>Memory</h3>\n<p class=\"sub\">Addresses over steps. A rectangle "
                            "is a tensor from the step that makes it to the last that reads it; "
                            "it leads to its operator, and says why it lies there.</p>\n");
    legend(text);
    oribi__report_map(r, model, text);
    oribi__report_devices(r, model, text);
    operators(r, model, text);
    instances(&c->instances, text);
    ports(c, text);
    oribi_text_append(text, "<h3>Graph</h3>\n");
    oribi__report_graph(r, model, text);
    oribi_text_append(text, "</section>\n");
    text->failed = text->failed || asked.failed;
    oribi_text_destroy(&asked);
}

bool oribi__report_html(const oribi_compile *all, oribi_text *text, TF_Status *status)
{
    oribi_text_append(text, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                            "<meta name=\"viewport\" content=\"width=device-width\">\n"
                            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
                            "&#39;none&#39;; style-src &#39;unsafe-inline&#39;\">\n<title>");
    oribi__html_append(text, all->programs[0]->source_name);
    oribi_text_append(text, " compiled</title>\n<style>\n");
    for (int32_t i = 0; oribi__report_style[i] != NULL; i++) {
        oribi_text_append(text, oribi__report_style[i]);
    }
    oribi_text_printf(text,
                      "</style></head>\n<body>\n<header><h1>oribi compile</h1><p "
                      "class=\"sub\">version %s</p></header>\n",
                      oribi_version());
    for (int32_t i = 0; i < all->n_programs; i++) {
        oribi_arena arena = {0};
        oribi_report report;
        const bool is_made = oribi__report_make(all->programs[i], &arena, &report);
        if (is_made) {
            model_section(all->programs[i], &report, i, text);
        }
        oribi_arena_destroy(&arena);
        if (!is_made) {
            return oribi_fail_memory(status);
        }
        ORIBI_TRY(oribi_patience_left(status));
    }
    oribi_text_append(text, "</body></html>\n");
    return !text->failed || oribi_fail_memory(status);
}
