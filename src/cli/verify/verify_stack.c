/* SPDX-License-Identifier: Apache-2.0 */
/* How much stack can a run need at most? GCC says what each function takes and whom it calls
 * (-fcallgraph-info=su, a file beside each object); what it leaves out, and the functions of its
 * own library, verify_listing.c reads in the image. The bound is the longest way from the run of
 * the model down. There is none where a function on the way is unknown: one behind a pointer, one
 * that calls itself.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify_stack.h"

typedef verify_function frame;
typedef verify_calls graph;

/* --- Reading ---------------------------------------------------------------------------------- */

size_t verify_function_of(graph *g, const char *name, size_t length)
{
    for (size_t i = 0; i < g->n; i++) {
        if (strncmp(g->frames[i].name, name, length) == 0 && g->frames[i].name[length] == 0) {
            return i;
        }
    }
    g->frames = cli_grow(g->frames, g->n + 1, sizeof *g->frames);
    g->frames[g->n] = (frame){.name = cli_copy_text(name, length), .bytes = -1, .bound = -1};
    return g->n++;
}

void verify_function_calls(graph *g, size_t caller, size_t callee)
{
    frame *f = &g->frames[caller];
    f->calls = cli_grow(f->calls, f->n_calls + 1, sizeof *f->calls);
    f->calls[f->n_calls++] = callee;
}

/* The text between the quotes behind `key`; false: there is none. */
static bool quoted(const char *line, const char *key, const char **out, size_t *out_length)
{
    const char *at = strstr(line, key);
    if (at == NULL) {
        return false;
    }
    *out = at + strlen(key);
    const char *end = strchr(*out, '"');
    *out_length = end != NULL ? (size_t)(end - *out) : 0;
    return end != NULL;
}

/* node: { title: "f" label: "f\nfile.c:3:1\n16 bytes (static)" }. A frame whose size is known only
 * when it runs is none. */
static void read_node(graph *g, const char *line)
{
    const char *name, *label;
    size_t length, label_length;
    long long bytes;
    char how[32];
    if (!quoted(line, "title: \"", &name, &length) ||
        !quoted(line, "label: \"", &label, &label_length)) {
        return;
    }
    const size_t at = verify_function_of(g, name, length);
    for (const char *part = strstr(label, "\\n"); part != NULL && part < label + label_length;
         part = strstr(part + 2, "\\n")) {
        if (sscanf(part + 2, "%lld bytes (%31[^)])", &bytes, how) == 2 &&
            strcmp(how, "dynamic") != 0) {
            g->frames[at].bytes = bytes;
        }
    }
}

static void read_edge(graph *g, const char *line)
{
    const char *from, *to;
    size_t from_length, to_length;
    if (quoted(line, "sourcename: \"", &from, &from_length) &&
        quoted(line, "targetname: \"", &to, &to_length)) {
        const size_t caller = verify_function_of(g, from, from_length);
        verify_function_calls(g, caller, verify_function_of(g, to, to_length));
    }
}

static void read_file(graph *g, const char *path)
{
    char line[4096];
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "node:", 5) == 0) {
            read_node(g, line);
        } else if (strncmp(line, "edge:", 5) == 0) {
            read_edge(g, line);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
}

static void read_folder(const verify *v, graph *g)
{
    DIR *folder = opendir(v->folder);
    for (const struct dirent *e; folder != NULL && (e = readdir(folder)) != NULL;) {
        const char *dot = strrchr(e->d_name, '.');
        if (dot != NULL && strcmp(dot, ".ci") == 0) {
            char *path = verify_path(v, e->d_name);
            read_file(g, path);
            free(path);
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
}

/* --- Bound ------------------------------------------------------------------------------------ */

static int64_t bound_of(graph *g, size_t at)
{
    frame *f = &g->frames[at];
    int64_t most = 0;
    if (f->bytes < 0 || f->is_open) {
        g->missing = g->missing == NULL ? f->name : g->missing;
        return 0;
    }
    if (f->bound >= 0) {
        return f->bound;
    }
    f->is_open = true;
    for (size_t i = 0; i < f->n_calls; i++) {
        const int64_t below = bound_of(g, f->calls[i]);
        most = below > most ? below : most;
    }
    f->is_open = false;
    f->bound = f->bytes + most;
    return f->bound;
}

void verify_bound_stack(verify *v)
{
    static const char run[] = "oribi_model.c:run"; /* what the stack is measured of */
    graph g = {0};
    read_folder(v, &g);
    if (g.n > 0) {
        verify_read_listing(v, &g);
    }
    const int64_t bound = g.n > 0 ? bound_of(&g, verify_function_of(&g, run, strlen(run))) : 0;
    v->result.stack_bound_bytes = g.n > 0 && g.missing == NULL ? bound : -1;
    snprintf(v->result.stack_unknown, sizeof v->result.stack_unknown, "%s",
             g.missing != NULL ? g.missing : "");
    for (size_t i = 0; i < g.n; i++) {
        free(g.frames[i].name);
        free(g.frames[i].calls);
    }
    free(g.frames);
}
