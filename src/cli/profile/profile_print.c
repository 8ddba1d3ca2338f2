/* SPDX-License-Identifier: Apache-2.0 */
/* A profile as tables for people, as JSON and as CSV. */
#include <stdio.h>
#include <string.h>

#include "profile/profile.h"

enum { MOST_ROWS = 40 };

static void print_head(const char *what)
{
    printf("\n%9s %7s %10s %10s %9s %9s %9s  %s\n", "ms", "share", "MMAC", "KB", "GFLOP/s", "GB/s",
           "of roof", what);
}

static void print_row(const profile *p, const profile_row *r)
{
    const double seconds = r->least > 0 ? r->least : 1e-9; /* a clock may see no time at all */
    cli_print("%9.4f %6.1f%% %10.3f %10.1f %9.1f %9.1f %8.0f%%  ", r->least * 1e3,
              p->total > 0 ? 100 * r->least / p->total : 0, r->operations * 0.5e-6, r->bytes * 1e-3,
              r->operations * 1e-9 / seconds, r->bytes * 1e-9 / seconds,
              100 * profile_roof_share(p, r));
}

void profile_print(const profile *p)
{
    printf("\nroof: %.1f GFLOP/s by %s, %.1f GB/s read; all steps: %.4f ms\n", p->peak * 1e-9,
           p->isa, p->bandwidth * 1e-9, p->total * 1e3);
    print_head("op: node");
    for (int i = 0; i < p->n && i < MOST_ROWS; i++) {
        print_row(p, &p->rows[i]);
        cli_print("%s: %s\n", p->rows[i].op, p->rows[i].name);
    }
    if (p->n > MOST_ROWS) {
        printf("          and %d faster ones: --json lists all\n", p->n - MOST_ROWS);
    }
    print_head("op, steps");
    for (int i = 0; i < p->n_ops; i++) {
        print_row(p, &p->ops[i]);
        cli_print("%s, %d\n", p->ops[i].op, p->ops[i].count);
    }
}

/* --- JSON ------------------------------------------------------------------------------------ */

static void put_double(oribi_json *json, const char *key, double value)
{
    oribi_json_key(json, key);
    oribi_json_double(json, value);
}

static void put_row(oribi_json *json, const profile *p, const profile_row *r)
{
    oribi_json_open(json, '{');
    if (r->name != NULL) {
        oribi_json_put_string(json, "node", r->name);
    } else {
        oribi_json_put_int(json, "count", r->count);
    }
    oribi_json_put_string(json, "op", r->op);
    put_double(json, "least_ms", r->least * 1e3);
    put_double(json, "share", p->total > 0 ? r->least / p->total : 0);
    put_double(json, "operations", r->operations);
    put_double(json, "moved_bytes", r->bytes);
    put_double(json, "of_roof", profile_roof_share(p, r));
    oribi_json_close(json, '}');
}

static void put_rows(oribi_json *json, const char *key, const profile *p, const profile_row *rows,
                     int n)
{
    oribi_json_key(json, key);
    oribi_json_open(json, '[');
    for (int i = 0; i < n; i++) {
        put_row(json, p, &rows[i]);
    }
    oribi_json_close(json, ']');
}

static void put_baseline(oribi_json *json, const profile_baseline *b)
{
    oribi_json_key(json, "baseline");
    oribi_json_open(json, '{');
    oribi_json_put_string(json, "file", b->path);
    put_double(json, "total_ms", b->total * 1e3);
    put_double(json, "tolerance", b->tolerance);
    oribi_json_put_bool(json, "is_slower", b->is_slower);
    oribi_json_key(json, "slower");
    oribi_json_open(json, '[');
    for (int i = 0; i < b->n_changes; i++) {
        oribi_json_open(json, '{');
        oribi_json_put_string(json, "node", b->changes[i].row->name);
        put_double(json, "least_ms", b->changes[i].row->least * 1e3);
        put_double(json, "before_ms", b->changes[i].before * 1e3);
        oribi_json_close(json, '}');
    }
    oribi_json_close(json, ']');
    oribi_json_close(json, '}');
}

void profile_put_json(oribi_json *json, const profile *p, const profile_baseline *baseline)
{
    oribi_json_open(json, '{');
    oribi_json_put_string(json, "version", oribi_version());
    if (p->model != NULL) {
        oribi_json_put_string(json, "model", p->model);
    }
    oribi_json_put_int(json, "threads", p->threads);
    oribi_json_put_int(json, "runs", p->runs);
    put_double(json, "total_ms", p->total * 1e3);
    oribi_json_put_string(json, "isa", p->isa);
    put_double(json, "peak_flops", p->peak);
    put_double(json, "bytes_per_second", p->bandwidth);
    put_rows(json, "steps", p, p->rows, p->n);
    put_rows(json, "ops", p, p->ops, p->n_ops);
    if (baseline != NULL) {
        put_baseline(json, baseline);
    }
    oribi_json_close(json, '}');
}

/* --- CSV (RFC 4180) -------------------------------------------------------------------------- */

static void put_cell(oribi_text *text, const char *value)
{
    oribi_text_append(text, "\"");
    for (const char *at = value; *at != 0; at++) {
        oribi_text_append_n(text, at, 1);
        if (*at == '"') {
            oribi_text_append(text, "\"");
        }
    }
    oribi_text_append(text, "\"");
}

void profile_put_csv(oribi_text *text, const profile *p)
{
    oribi_text_append(text, "node,op,ms,share,macs,bytes,of_roof\r\n");
    for (int i = 0; i < p->n; i++) {
        const profile_row *r = &p->rows[i];
        put_cell(text, r->name);
        oribi_text_append(text, ",");
        put_cell(text, r->op);
        oribi_text_printf(text, ",%.6f,%.6f,%.0f,%.0f,%.4f\r\n", r->least * 1e3,
                          p->total > 0 ? r->least / p->total : 0, r->operations / 2, r->bytes,
                          profile_roof_share(p, r));
    }
}
