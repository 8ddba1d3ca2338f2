/* SPDX-License-Identifier: Apache-2.0 */
/* Is a model slower than it was? A profile that `oribi profile --save` wrote, compared with one
 * that was just taken: in all, and step by step by name.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"

enum { MOST_CHANGES = 10 };

static double number_of(const oribi_json_value *object, const char *key)
{
    const oribi_json_value *value = oribi_json_find(object, key);
    return value == NULL || value->kind != ORIBI_JSON_NUMBER ? -1 : value->number;
}

static const oribi_json_value *find_step(const oribi_json_value *root, const char *node)
{
    const oribi_json_value *step = cli_json_first(root, "steps");
    while (step != NULL) {
        const char *name = cli_json_text(step, "node");
        if (name != NULL && strcmp(name, node) == 0) {
            return step;
        }
        step = step->next;
    }
    return NULL;
}

static int worse(const void *a, const void *b)
{
    const profile_change *x = a, *y = b;
    const double dx = x->row->least - x->before, dy = y->row->least - y->before;
    return (dx < dy) - (dx > dy);
}

static void compare_steps(const profile *p, const oribi_json_value *root, profile_baseline *b)
{
    int n_found = 0;

    b->changes = cli_alloc(((size_t)p->n + 1) * sizeof *b->changes);
    for (int i = 0; i < p->n; i++) {
        const oribi_json_value *step = find_step(root, p->rows[i].name);
        const double before = number_of(step, "least_ms") * 1e-3;
        n_found += step != NULL;
        b->n_new += step == NULL;
        if (step != NULL && before >= 0 && p->rows[i].least > before * (1 + b->tolerance)) {
            b->changes[b->n_changes++] = (profile_change){&p->rows[i], before};
        }
    }
    b->n_gone = cli_json_count(oribi_json_find(root, "steps")) - n_found;
    qsort(b->changes, (size_t)b->n_changes, sizeof *b->changes, worse);
}

int profile_baseline_read(const profile *p, const char *path, double tolerance,
                          profile_baseline *out)
{
    size_t bytes;
    char *text = cli_read_text(path, &bytes);

    *out = (profile_baseline){.path = path, .tolerance = tolerance};
    if (text == NULL) {
        return CLI_BAD_INPUT;
    }
    cli_json json = cli_json_parse(text, bytes, path);
    int code = json.root == NULL ? CLI_BAD_INPUT : CLI_OK;
    out->total = number_of(json.root, "total_ms") * 1e-3;
    if (code == CLI_OK && (out->total < 0 || oribi_json_find(json.root, "steps") == NULL)) {
        cli_error("%s: no profile; `oribi profile MODEL --save FILE` writes one", path);
        code = CLI_BAD_INPUT;
    }
    if (code == CLI_OK) {
        const int threads = (int)cli_json_number(json.root, "threads");
        if (threads != p->threads) {
            cli_note("%s was measured with %d threads, not %d", path, threads, p->threads);
        }
        out->is_slower = p->total > out->total * (1 + tolerance);
        compare_steps(p, json.root, out);
    }
    cli_json_free(&json);
    free(text);
    return code;
}

void profile_baseline_print(const profile *p, const profile_baseline *b)
{
    cli_print("\nall steps: %.4f ms, %.4f ms in %s: ", p->total * 1e3, b->total * 1e3, b->path);
    if (b->total > 0) {
        printf("%+.1f %%, ", 100 * (p->total / b->total - 1));
    }
    printf("%s than %g %% slower\n", b->is_slower ? "more" : "not more", 100 * b->tolerance);
    if (b->n_new > 0 || b->n_gone > 0) {
        printf("%d steps are new, %d are gone\n", b->n_new, b->n_gone);
    }
    for (int i = 0; i < b->n_changes && i < MOST_CHANGES; i++) {
        const profile_change *c = &b->changes[i];
        cli_print("%9.4f ms, was %.4f  %s: %s\n", c->row->least * 1e3, c->before * 1e3, c->row->op,
                  c->row->name);
    }
    if (b->n_changes > MOST_CHANGES) {
        printf("          and %d more: --json lists all\n", b->n_changes - MOST_CHANGES);
    }
}

void profile_baseline_free(profile_baseline *b)
{
    free(b->changes);
}
