/* SPDX-License-Identifier: Apache-2.0 */
/* `oribi inspect --html`: what a session is, as a page: its steps from top to bottom with arcs from
 * who makes a value to who reads it, in bands of the parts that names of nodes tell; memory over
 * steps; costs. It is drawn from what oribi_session_describe says.
 */
#include <stdlib.h>
#include <string.h>

#include "page/page.h"

enum { ROW = 22, TOP = 12, LEFT = 210, LANE = 9, LANES = 18, WIDTH = 1100, MAP_HEIGHT = 320 };

typedef struct step {
    const oribi_json_value *json;
    const char *node, *op;
    size_t part; /* length of the node's name up to its last '/', 0: none */
} step;

typedef struct drawing {
    step *steps;
    int n;
    double most_operations;
    oribi_text *text;
} drawing;

static const char *text_of(const oribi_json_value *object, const char *key)
{
    const char *text = cli_json_text(object, key);
    return text == NULL ? "" : text;
}

static drawing read_steps(const oribi_json_value *graph, oribi_text *text)
{
    drawing d = {.text = text};
    const oribi_json_value *s;

    d.steps =
        cli_alloc(((size_t)cli_json_count(oribi_json_find(graph, "steps")) + 1) * sizeof *d.steps);
    for (s = cli_json_first(graph, "steps"); s != NULL; s = s->next) {
        const char *node = text_of(s, "node"), *slash = strrchr(node, '/');
        const double operations = (double)cli_json_number(s, "operations");
        d.steps[d.n++] =
            (step){s, node, text_of(s, "op"), slash == NULL ? 0 : (size_t)(slash - node)};
        d.most_operations = operations > d.most_operations ? operations : d.most_operations;
    }
    return d;
}

static void put_shape(oribi_text *text, const oribi_json_value *port)
{
    const oribi_json_value *size = cli_json_first(port, "shape");
    page_text(text, text_of(port, "type"));
    for (; size != NULL; size = size->next) {
        oribi_text_printf(text, " %lld", (long long)size->integer);
    }
}

/* --- Graph ----------------------------------------------------------------------------------- */

static int y_of(int index)
{
    return TOP + index * ROW + ROW / 2;
}

/* What multiplies, what does not, and what runs elsewhere. */
static char colour_of(const step *s)
{
    if (strcmp(text_of(s->json, "device"), "CPU") != 0) {
        return 'd';
    }
    return cli_json_number(s->json, "operations") > 0 ? 'a' : 'c';
}

/* One band for each run of steps whose nodes are of one part of the model. */
static void draw_parts(const drawing *d)
{
    for (int i = 0, end; i < d->n; i = end) {
        const step *s = &d->steps[i];
        for (end = i + 1; end < d->n && d->steps[end].part == s->part &&
                          strncmp(d->steps[end].node, s->node, s->part) == 0;
             end++) {
        }
        if (s->part == 0) {
            continue;
        }
        char *name = cli_copy_text(s->node, s->part);
        oribi_text_printf(d->text,
                          "<rect class=\"part\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" "
                          "rx=\"5\"/><text class=\"soft\" x=\"%d\" y=\"%d\" "
                          "text-anchor=\"end\">",
                          LEFT - 8, y_of(i) - ROW / 2 + 1, WIDTH - LEFT, (end - i) * ROW - 2,
                          WIDTH - 16, y_of(i) + 4);
        page_text(d->text, name);
        oribi_text_append(d->text, "</text>\n");
        free(name);
    }
}

static void draw_arc(const drawing *d, int from, int to, const char *value)
{
    int lane = 0;
    for (int n = 1; n < to - from && lane < LANES; n += 1 + n / 3) {
        lane++;
    }
    const int out = LEFT - 12 - lane * LANE;
    oribi_text_printf(d->text, "<path class=\"edge\" d=\"M%d %dC%d %d %d %d %d %d\"><title>", LEFT,
                      y_of(from), out, y_of(from) + ROW / 2, out, y_of(to) - ROW / 2, LEFT,
                      y_of(to));
    page_text(d->text, value);
    oribi_text_append(d->text, "</title></path>\n");
}

/* The step before this one that makes the value; -1: none. Near ones are found first. */
static int find_maker(const drawing *d, int before, const char *value)
{
    for (int i = before - 1; i >= 0; i--) {
        const oribi_json_value *out = cli_json_first(d->steps[i].json, "outputs");
        for (; out != NULL; out = out->next) {
            if (strcmp(text_of(out, "name"), value) == 0) {
                return i;
            }
        }
    }
    return -1;
}

/* Is it a weight, which no step makes? Then nothing is looked for. */
static void draw_arcs(const drawing *d)
{
    enum { MOST_SEARCHED = 4000 }; /* steps: beyond that a page is read by its table */
    for (int i = 0; i < d->n && d->n <= MOST_SEARCHED; i++) {
        const oribi_json_value *in = cli_json_first(d->steps[i].json, "inputs");
        for (; in != NULL; in = in->next) {
            const int from = find_maker(d, i, text_of(in, "name"));
            if (from >= 0) {
                draw_arc(d, from, i, text_of(in, "name"));
            }
        }
    }
}

static void draw_graph(const drawing *d)
{
    const int height = y_of(d->n) + TOP;
    oribi_text_printf(
        d->text,
        "<h2>Graph</h2>\n<p class=\"sub\">Blue: multiplies. Orange: does not. Violet: on a "
        "device.</p>\n<div class=\"scroll\"><svg id=\"graph\" width=\"%d\" "
        "height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"graph\">\n",
        WIDTH, height, WIDTH, height);
    draw_parts(d);
    draw_arcs(d);
    for (int i = 0; i < d->n; i++) {
        oribi_text_printf(d->text,
                          "<a class=\"find\" href=\"#s%d\"><circle class=\"k%c\" cx=\"%d\" "
                          "cy=\"%d\" r=\"5\"/><text x=\"%d\" y=\"%d\">",
                          i, colour_of(&d->steps[i]), LEFT, y_of(i), LEFT + 14, y_of(i) + 4);
        page_text(d->text, d->steps[i].op);
        oribi_text_append(d->text, " <tspan class=\"soft\">");
        page_text(d->text, d->steps[i].node);
        oribi_text_append(d->text, "</tspan></text></a>\n");
    }
    oribi_text_append(d->text, "</svg></div>\n");
}

/* --- Memory ---------------------------------------------------------------------------------- */

static void draw_buffer(const drawing *d, const oribi_json_value *b, double arena, double column)
{
    const double first = (double)cli_json_number(b, "first_use");
    const double last = (double)cli_json_number(b, "last_use");
    const double offset = (double)cli_json_number(b, "offset");
    const double bytes = (double)cli_json_number(b, "bytes");
    const int maker = (int)first < d->n && first >= 0 ? (int)first : 0;

    oribi_text_printf(d->text,
                      "<a class=\"find\" href=\"#s%d\"><rect class=\"k%c buffer\" x=\"%.2f\" "
                      "y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"><title>",
                      maker, colour_of(&d->steps[maker]), first * column,
                      (arena - offset - bytes) / arena * MAP_HEIGHT, (last - first + 1) * column,
                      bytes / arena * MAP_HEIGHT);
    page_text(d->text, text_of(b, "value"));
    oribi_text_printf(d->text, ": %.0f bytes at %.0f, steps %.0f to %.0f</title></rect></a>\n",
                      bytes, offset, first, last);
}

static void draw_memory(const drawing *d, const oribi_json_value *memory)
{
    const double arena = (double)cli_json_number(memory, "arena_bytes");
    const oribi_json_value *b = cli_json_first(memory, "buffers");

    oribi_text_append(d->text, "<h2>Memory over time</h2>\n");
    if (arena <= 0 || d->n == 0) {
        oribi_text_append(d->text, "<p class=\"sub\">nothing is planned ahead</p>\n");
        return;
    }
    oribi_text_printf(d->text,
                      "<p class=\"sub\">Addresses over steps; a rectangle is a value from the step "
                      "that makes it to the last that reads it.</p>\n<div class=\"scroll\"><svg "
                      "id=\"memory\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\" "
                      "aria-label=\"memory\">\n",
                      WIDTH, MAP_HEIGHT, WIDTH, MAP_HEIGHT);
    for (; b != NULL; b = b->next) {
        if (strcmp(text_of(b, "storage"), "arena") == 0) {
            draw_buffer(d, b, arena, (double)WIDTH / d->n);
        }
    }
    oribi_text_append(d->text, "</svg></div>\n");
}

/* --- Costs ----------------------------------------------------------------------------------- */

static void put_step(const drawing *d, int index)
{
    const oribi_json_value *s = d->steps[index].json;
    const double operations = (double)cli_json_number(s, "operations");

    oribi_text_printf(d->text, "<tr id=\"s%d\"><td class=\"n\">%d</td><td>", index, index);
    page_text(d->text, d->steps[index].op);
    oribi_text_append(d->text, "</td><td class=\"name\">");
    page_text(d->text, d->steps[index].node);
    oribi_text_append(d->text, "<div class=\"more\">");
    page_text(d->text, text_of(s, "origin"));
    oribi_text_append(d->text, "</div></td><td>");
    page_text(d->text, text_of(s, "kernel"));
    oribi_text_append(d->text, "<div class=\"more\">");
    page_text(d->text, text_of(s, "device"));
    oribi_text_append(d->text, "</div></td><td>");
    put_shape(d->text, cli_json_first(s, "outputs"));
    oribi_text_append(d->text, "</td><td class=\"n\">");
    page_number(d->text, operations / 2);
    page_meter(d->text, d->most_operations > 0 ? operations / d->most_operations : 0);
    oribi_text_append(d->text, "</td>");
    page_number_cell(d->text, (double)cli_json_number(s, "moved_bytes"));
    page_number_cell(d->text, (double)cli_json_number(s, "bytes"));
    oribi_text_append(d->text, "</tr>\n");
}

static void put_tiles(const drawing *d, const oribi_json_value *memory)
{
    double operations = 0, moved = 0;
    for (int i = 0; i < d->n; i++) {
        operations += (double)cli_json_number(d->steps[i].json, "operations");
        moved += (double)cli_json_number(d->steps[i].json, "moved_bytes");
    }
    page_tiles_begin(d->text);
    page_tile(d->text, "Steps", d->n, "", "");
    page_tile(d->text, "Work", operations / 2, "MACs", "multiply and accumulate");
    page_tile(d->text, "Moved", moved, "bytes", "read and written by the steps");
    page_tile(d->text, "Arena", (double)cli_json_number(memory, "arena_bytes"), "bytes",
              "of one run, as planned");
    page_tile(d->text, "Bound", (double)cli_json_number(memory, "bound_bytes"), "bytes",
              "no plan is smaller");
    page_tiles_end(d->text);
}

void page_inspect(oribi_text *text, const oribi_json_value *graph, const oribi_json_value *memory)
{
    static const char *const heads[] = {"-step", "op",           "node",    "kernel", "result",
                                        "-MACs", "-bytes moved", "-result", NULL};
    drawing d = read_steps(graph, text);

    page_begin(text, "oribi inspect", text_of(graph, "source"));
    put_tiles(&d, memory);
    page_search(text);
    draw_graph(&d);
    draw_memory(&d, memory);
    oribi_text_append(text, "<h2>Costs</h2>\n");
    page_table_begin(text, "steps", heads);
    for (int i = 0; i < d.n; i++) {
        put_step(&d, i);
    }
    page_table_end(text);
    page_end(text);
    free(d.steps);
}
