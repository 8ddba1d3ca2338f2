/* SPDX-License-Identifier: Apache-2.0 */
/* A profile as a page: what the tables say, with a bar for each share. */
#include "page/page.h"
#include "profile/profile.h"

static void put_row(oribi_text *text, const profile *p, const profile_row *r)
{
    const double share = p->total > 0 ? r->least / p->total : 0;

    oribi_text_append(text, "<tr><td>");
    page_text(text, r->op);
    oribi_text_append(text, "</td><td class=\"name\">");
    if (r->name != NULL) {
        page_text(text, r->name);
    } else {
        oribi_text_printf(text, "%d", r->count);
    }
    oribi_text_printf(text, "</td><td class=\"n\">%.4f</td><td class=\"n\">%.1f %%", r->least * 1e3,
                      100 * share);
    page_meter(text, share);
    oribi_text_append(text, "</td>");
    page_number_cell(text, r->operations / 2);
    page_number_cell(text, r->bytes);
    oribi_text_printf(text, "<td class=\"n\">%.0f %%</td></tr>\n", 100 * profile_roof_share(p, r));
}

static void put_table(oribi_text *text, const profile *p, const char *id, const char *second)
{
    const bool is_by_op = id[0] == 'o';
    const profile_row *rows = is_by_op ? p->ops : p->rows;
    const char *const heads[] = {"op",
                                 second,
                                 "-ms",
                                 "-share",
                                 "-MACs",
                                 "-bytes moved",
                                 "-of "
                                 "roof",
                                 NULL};

    page_table_begin(text, id, heads);
    for (int i = 0; i < (is_by_op ? p->n_ops : p->n); i++) {
        put_row(text, p, &rows[i]);
    }
    page_table_end(text);
}

static void put_baseline(oribi_text *text, const profile_baseline *b)
{
    const char *const heads[] = {"node", "-ms", "-was", NULL};

    oribi_text_append(text, "<h2>Baseline</h2>\n<p>");
    page_text(text, b->path);
    oribi_text_printf(text, ": %.4f ms; now %s than %g %% slower</p>\n", b->total * 1e3,
                      b->is_slower ? "more" : "not more", 100 * b->tolerance);
    if (b->n_changes == 0) {
        return;
    }
    page_table_begin(text, "slower", heads);
    for (int i = 0; i < b->n_changes; i++) {
        oribi_text_append(text, "<tr><td class=\"name\">");
        page_text(text, b->changes[i].row->name);
        oribi_text_printf(text, "</td><td class=\"n\">%.4f</td><td class=\"n\">%.4f</td></tr>\n",
                          b->changes[i].row->least * 1e3, b->changes[i].before * 1e3);
    }
    page_table_end(text);
}

void profile_put_html(oribi_text *text, const profile *p, const profile_baseline *baseline)
{
    page_begin(text, "oribi profile", p->model == NULL ? "" : p->model);
    page_tiles_begin(text);
    page_tile(text, "All steps", p->total * 1e3, "ms", "least of each step, added up");
    page_tile(text, "Runs", p->runs, "", "");
    page_tile(text, "Threads", p->threads, "", p->isa);
    page_tile(text, "Roof, sums", p->peak * 1e-9, "GFLOP/s", "of the threads used");
    page_tile(text, "Roof, bytes", p->bandwidth * 1e-9, "GB/s", "one core, from memory");
    page_tiles_end(text);
    if (baseline != NULL) {
        put_baseline(text, baseline);
    }
    page_search(text);
    oribi_text_append(text, "<h2>By node</h2>\n");
    put_table(text, p, "nodes", "node");
    oribi_text_append(text, "<h2>By op</h2>\n");
    put_table(text, p, "ops", "steps");
    page_end(text);
}
