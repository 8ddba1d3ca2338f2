/* SPDX-License-Identifier: Apache-2.0 */
/* `oribi verify --per-node`: every value of the plan, hashed on the target right after the step
 * that computes it, and the host session's value of the same name. Values that fusion removed exist
 * in a build without it, which is compared with a session without it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "verify.h"

static const char *text_of(const oribi_json_value *json, const char *key)
{
    const char *text = cli_json_text(json, key);
    return text != NULL ? text : "";
}

/* Where the value lies as C; NULL: nowhere. */
static const char *place_of(const verify *v, const oribi_json_value *place, char *text, size_t size)
{
    const char *storage = text_of(place, "storage");
    if (strcmp(storage, "workspace") == 0) {
        int index = 0;
        for (const oribi_json_value *pool = v->pools->child; pool != NULL; pool = pool->next) {
            if (strcmp(text_of(pool, "name"), text_of(place, "pool")) == 0) {
                snprintf(text, size, "pools[%d].at + %" PRId64, index,
                         cli_json_number(place, "offset"));
                return text;
            }
            index++;
        }
    } else if (strcmp(storage, "output") == 0 || strcmp(storage, "input") == 0) {
        snprintf(text, size, "(const uint8_t *)%s.%s", storage[0] == 'o' ? "out" : "in",
                 text_of(place, "port"));
        return text;
    }
    return NULL;
}

static void add_value(verify *v, const oribi_json_value *node, const char *name,
                      const oribi_json_value *at, int32_t step)
{
    char place[256];
    if (step < 0 || place_of(v, at, place, sizeof place) == NULL) {
        return;
    }
    v->values = cli_grow(v->values, (size_t)v->n_values + 1, sizeof *v->values);
    verify_value *value = &v->values[v->n_values++];
    *value = (verify_value){.name = name,
                            .node = text_of(node, "name"),
                            .op = text_of(node, "op"),
                            .step = step,
                            .bytes = (size_t)cli_json_number(at, "bytes"),
                            .place = cli_alloc(strlen(place) + 1)};
    strcpy(value->place, place);
}

/* Its end finds the last loop that has begun and not ended. */
static void add_loop(verify *v, bool begins, int32_t step)
{
    if (begins) {
        v->loops = cli_grow(v->loops, (size_t)v->n_loops + 1, sizeof *v->loops);
        v->loops[v->n_loops++] = (verify_loop){step, INT32_MAX};
        return;
    }
    for (int32_t i = v->n_loops - 1; i >= 0; i--) {
        if (v->loops[i].last == INT32_MAX) {
            v->loops[i].last = step;
            return;
        }
    }
}

/* What a loop carries and collects is no value of a step of the host. */
static bool is_end_of_loop(verify *v, const oribi_json_value *node, int32_t step)
{
    const char *kernel = text_of(node, "kernel");
    const bool begins = strcmp(kernel, "loop_begin") == 0;
    if (begins || strcmp(kernel, "loop_next") == 0) {
        add_loop(v, begins, step);
        return true;
    }
    return false;
}

/* A view has no operator: its bytes are there once the operator before it has run. */
void verify_list_values(verify *v)
{
    const oribi_json_value *node = cli_json_first(v->report, "nodes");
    int32_t step = -1;
    for (; node != NULL; node = node->next) {
        const oribi_json_value *name = cli_json_first(node, "outputs");
        const oribi_json_value *place = cli_json_first(node, "places");
        step += cli_json_text(node, "call") != NULL || cli_json_number(node, "device") > 0 ? 1 : 0;
        if (is_end_of_loop(v, node, step)) {
            continue;
        }
        for (; name != NULL && place != NULL; name = name->next, place = place->next) {
            if (name->text != NULL) {
                add_value(v, node, name->text, place, step);
            }
        }
    }
}

void verify_free_values(verify *v)
{
    for (int32_t i = 0; i < v->n_values; i++) {
        free(v->values[i].place);
    }
    free(v->values);
    free(v->loops);
}

void verify_put_values(const verify *v, FILE *file)
{
    fprintf(file,
            "static struct oribi_harness_value values[%d];\n\nstatic void bind_values(void)\n{\n",
            (int)(v->n_values > 0 ? v->n_values : 1));
    for (int32_t i = 0; i < v->n_values; i++) {
        fprintf(
            file,
            "    values[%d].step = %d;\n    values[%d].at = %s;\n    values[%d].bytes = %zuu;\n",
            (int)i, (int)v->values[i].step, (int)i, v->values[i].place, (int)i, v->values[i].bytes);
    }
    fprintf(file, "}\n\n");
}

/* --- Host ------------------------------------------------------------------------------------ */

/* The target shows what the first iteration of a loop gives: when a value comes again, that is
 * over, and what has not come until then, of a branch that was not taken, does not count any more.
 */
static bool is_in_first_iteration(verify_watch *watch, int32_t k)
{
    const verify *v = watch->verify;
    bool is_first = true;
    for (int32_t i = 0; i < v->n_loops; i++) {
        const verify_loop *loop = &v->loops[i];
        if (v->values[k].step > loop->first && v->values[k].step < loop->last) {
            watch->is_past[i] = watch->is_past[i] || watch->which->is_hashed[k];
            is_first = is_first && !watch->is_past[i];
        }
    }
    return is_first;
}

/* How sure is it that the event is of this value? 0: it is not. In emitted C the first output of an
 * operator that stood in a graph of a node has the operator's name. */
static int likeness(const verify_value *value, const oribi_value_event *event, bool is_first_output)
{
    const bool is_node = strcmp(value->node, event->node) == 0;
    if (value->bytes != event->bytes) {
        return 0;
    }
    if (strcmp(value->name, event->name) == 0) {
        return is_node ? 3 : 1;
    }
    return is_node && is_first_output && strcmp(value->name, event->node) == 0 ? 2 : 0;
}

/* Values come in an order near that of the plan: the search begins behind the last one found. */
void verify_note_value(void *arg, const oribi_value_event *event)
{
    verify_watch *watch = arg;
    const verify *v = watch->verify;
    const bool is_first_output = watch->node != event->node;
    int best = 0;
    int32_t found = -1;
    for (int32_t i = 0; best < 3 && i < v->n_values; i++) {
        const int32_t k = (watch->next + i) % v->n_values;
        const int like = likeness(&v->values[k], event, is_first_output);
        found = like > best ? k : found;
        best = like > best ? like : best;
    }
    watch->node = event->node;
    if (found >= 0 && is_in_first_iteration(watch, found)) {
        watch->which->hashes[found] = (uint32_t)crc32_z(0, event->data, event->bytes);
        watch->which->is_hashed[found] = true;
        watch->next = found + 1;
    }
}

/* --- Comparison ------------------------------------------------------------------------------ */

int verify_check_values(verify *v, const verify_case *which, const uint8_t *hashes)
{
    int32_t n_bad = 0, n_compared = 0;
    const verify_value *first = NULL;
    for (int32_t i = 0; i < v->n_values; i++) {
        const bool differs =
            which->is_hashed[i] && which->hashes[i] != verify_word(hashes + (size_t)4 * (size_t)i);
        n_compared += which->is_hashed[i] ? 1 : 0;
        n_bad += differs ? 1 : 0;
        first = differs && first == NULL ? &v->values[i] : first;
        if (v->result.n_runs == 0) {
            v->values[i].hash = verify_word(hashes + (size_t)4 * (size_t)i);
        }
    }
    v->result.n_compared = n_compared;
    if (first == NULL) {
        return CLI_OK;
    }
    cli_error(
        "verify: %s: operator %d, '%s' (%s), is the first that differs from the host session: "
        "value '%s', %zu bytes (%d of %d values differ)",
        which->what, (int)first->step, first->node, first->op, first->name, first->bytes,
        (int)n_bad, (int)v->n_values);
    return CLI_MISMATCH;
}
