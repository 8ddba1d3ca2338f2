/* SPDX-License-Identifier: Apache-2.0 */
/* What the reports tell, from the plan: lifetimes, bytes in use, reasons. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "compile/report/report.h"
#include "format/utf8.h"
#include "tensor/patience.h"

bool oribi__report_is_called(const oribi_call *call)
{
    return (call->kernel != NULL && !call->is_elided) || call->region != NULL;
}

const char *oribi__report_work(const oribi_call *call)
{
    return !oribi__report_is_called(call) ? "no code"
           : call->kernel != NULL         ? call->kernel
                                          : call->region->pattern->name;
}

/* --- Lifetimes ------------------------------------------------------------------------------- */

static void touch(oribi_report *r, int32_t value, int32_t step)
{
    r->first[value] = step < r->first[value] ? step : r->first[value];
    r->last[value] = step > r->last[value] ? step : r->last[value];
}

static void find_lifetimes(oribi_report *r)
{
    const oribi_program *c = r->c;
    for (int32_t i = 0; i < c->graph->n_values; i++) {
        r->first[i] = INT32_MAX;
        r->last[i] = r->producer[i] = -1;
    }
    for (int32_t i = 0; i < c->n_inputs; i++) {
        touch(r, c->inputs[i].value, -1);
    }
    for (int32_t i = 0; i < c->n_calls; i++) {
        const oribi_call *call = &c->calls[i];
        const int32_t last = call->region != NULL ? c->devices.done[i] - 1 : i;
        for (int32_t k = 0; k < call->n_inputs; k++) {
            touch(r, call->inputs[k], i);
            touch(r, call->inputs[k], last);
        }
        for (int32_t k = 0; k < call->n_outputs; k++) {
            touch(r, call->node->outputs[k], i);
            touch(r, call->node->outputs[k], last);
            r->producer[call->node->outputs[k]] = i;
        }
    }
    for (int32_t i = 0; i < c->n_outputs; i++) {
        touch(r, c->outputs[i].value, c->n_calls);
    }
}

/* --- Bytes in use ---------------------------------------------------------------------------- */

/* Bytes of the pool that some buffer holds at the step; by_offset: all buffers. */
static int64_t held_bytes(const oribi_program *c, const int32_t *by_offset, int32_t step,
                          int32_t pool)
{
    uint64_t end = 0, sum = 0;
    for (int32_t k = 0; k < c->n_buffers; k++) {
        const oribi_plan_buffer *b = &c->buffers[by_offset[k]];
        if (b->out_pool != pool || b->first_use > step || b->last_use < step) {
            continue;
        }
        const uint64_t from = b->out_offset > end ? b->out_offset : end;
        if (b->out_offset + b->bytes > from) {
            sum += b->out_offset + b->bytes - from;
            end = b->out_offset + b->bytes;
        }
    }
    return (int64_t)sum;
}

static void sort_by_offset(const oribi_program *c, int32_t *indices)
{
    for (int32_t i = 0; i < c->n_buffers && !oribi_patience_is_over(); i++) {
        int32_t k = i;
        for (; k > 0 && c->buffers[indices[k - 1]].out_offset > c->buffers[i].out_offset; k--) {
            indices[k] = indices[k - 1];
        }
        indices[k] = i;
    }
}

/* Stops when time is over; no report comes of it then. */
static void find_live_bytes(oribi_report *r, int32_t *by_offset)
{
    const oribi_program *c = r->c;
    sort_by_offset(c, by_offset);
    for (int32_t i = 0; i < c->n_calls && !oribi_patience_is_over(); i++) {
        const oribi_call *call = &c->calls[i];
        const int64_t flash = oribi_call_flash(call);
        for (int32_t p = 0; p < c->n_pools; p++) {
            r->live[i] += held_bytes(c, by_offset, i, p);
        }
        if (r->live[i] > r->most_live) {
            r->most_live = r->live[i];
            r->peak = i;
        }
        r->macs += call->macs;
        r->most_macs = call->macs > r->most_macs ? call->macs : r->most_macs;
        r->most_flash = flash > r->most_flash ? flash : r->most_flash;
    }
}

/* By operator, what keeps the CPU: the kernel, or all that is done of a device's. What was started
 * runs beside. */
static bool find_longest(oribi_report *r, oribi_arena *arena)
{
    const oribi_program *c = r->c;
    int64_t *cycles = oribi_arena_array(arena, (size_t)c->n_calls + 1, sizeof *cycles);
    for (int32_t i = 0; cycles != NULL && i < c->n_calls; i++) {
        const bool is_kernel = oribi_call_is_operator(&c->calls[i]) && c->calls[i].region == NULL;
        cycles[i] = is_kernel ? oribi_program_estimate_cycles(c, &c->calls[i]) : 0;
    }
    for (int32_t i = 0; cycles != NULL && i < r->timeline.n_moments; i++) {
        const oribi_moment *m = &r->timeline.moments[i];
        const bool is_beside = m->step->kind == TVM_DEVICE_HOOK_START || m->step->is_started ||
                               m->step->kind == ORIBI_STEP_KERNEL;
        if (m->step->owner >= 0 && !is_beside) {
            cycles[m->step->owner] += m->us * oribi_program_mhz(c);
        }
    }
    r->longest = -1;
    for (int32_t i = 0; cycles != NULL && i < c->n_calls; i++) {
        if (cycles[i] > r->longest_cycles ||
            (r->longest < 0 && oribi_call_is_operator(&c->calls[i]))) {
            r->longest = i;
            r->longest_cycles = cycles[i];
        }
    }
    return cycles != NULL;
}

bool oribi__report_make(const oribi_program *c, oribi_arena *arena, oribi_report *out)
{
    const size_t n = (size_t)c->graph->n_values + 1, n_buffers = (size_t)c->n_buffers + 1;
    int32_t *by_offset = oribi_arena_array(arena, n_buffers, sizeof *by_offset);
    *out = (oribi_report){
        .c = c,
        .first = oribi_arena_array(arena, n, sizeof *out->first),
        .last = oribi_arena_array(arena, n, sizeof *out->last),
        .producer = oribi_arena_array(arena, n, sizeof *out->producer),
        .live = oribi_arena_array(arena, (size_t)c->n_calls + 1, sizeof *out->live),
    };
    if (by_offset == NULL || out->first == NULL || out->last == NULL || out->producer == NULL ||
        out->live == NULL) {
        return false;
    }
    if (c->devices.partition.n_devices > 0 && !oribi_timeline_make(c, arena, &out->timeline)) {
        return false;
    }
    find_lifetimes(out);
    find_live_bytes(out, by_offset);
    return find_longest(out, arena);
}

/* --- Reasons --------------------------------------------------------------------------------- */

static bool overlaps(const oribi_location *a, const oribi_location *b)
{
    return a->storage == ORIBI_IN_WORKSPACE && b->storage == ORIBI_IN_WORKSPACE &&
           a->index == b->index && a->offset < b->offset + b->bytes &&
           b->offset < a->offset + a->bytes;
}

const char *oribi__report_reason(const oribi_report *r, oribi_value_id value, int32_t *out_with)
{
    static const char *const kinds[] = {"own", "view", "part", "in_place"};
    const oribi_program *c = r->c;
    const oribi_share *share = &c->shares[value];
    *out_with = share->with;
    if (share->why != ORIBI_SHARE_NONE || r->producer[value] < 0) {
        return kinds[share->why];
    }
    const oribi_call *call = &c->calls[r->producer[value]];
    for (int32_t k = 0; k < call->n_inputs; k++) {
        if (overlaps(&c->locations[value], &c->locations[call->inputs[k]])) {
            *out_with = call->inputs[k];
            return "overlap";
        }
    }
    return "own";
}

static void explain(const oribi_program *c, int32_t value, int32_t with, const char *reason,
                    const char *name, oribi_text *text)
{
    const oribi_location *place = &c->locations[value];
    if (strcmp(reason, "view") == 0) {
        oribi_text_printf(text, "the same bytes as %s under another shape", name);
    } else if (strcmp(reason, "part") == 0) {
        oribi_text_printf(text, "a part of %s, where it belongs", name);
    } else if (strcmp(reason, "in_place") == 0) {
        oribi_text_printf(text, "written over %s, byte by byte", name);
    } else if (strcmp(reason, "overlap") == 0) {
        const int64_t distance = place->offset - c->locations[with].offset;
        if (distance == 0) {
            oribi_text_printf(text, "begins where %s does and follows its reads", name);
        } else {
            oribi_text_printf(text, "begins %" PRId64 " bytes %s %s and follows its reads",
                              distance < 0 ? -distance : distance, distance < 0 ? "before" : "into",
                              name);
        }
    } else {
        oribi_text_append(text, place->storage == ORIBI_IN_INPUT    ? "the caller's input"
                                : place->storage == ORIBI_IN_OUTPUT ? "the caller's output"
                                                                    : "bytes of its own");
    }
}

void oribi__report_explain(const oribi_report *r, oribi_value_id value, oribi_text *text)
{
    const oribi_program *c = r->c;
    int32_t with;
    const char *reason = oribi__report_reason(r, value, &with);
    oribi_text name = {0};
    if (with >= 0 && r->producer[with] >= 0) {
        oribi_text_printf(&name, "the result of step %" PRId32, r->producer[with]);
    } else if (with >= 0) {
        oribi_text_printf(&name, "'%s'", c->graph->values[with]->name);
    }
    explain(c, value, with, reason, oribi_text_string(&name), text);
    text->failed = text->failed || name.failed;
    oribi_text_destroy(&name);
}

/* --- Colours --------------------------------------------------------------------------------- */

static const char *const colour_names[] = {
    "convolution",        "depthwise",       "fully connected",    "element by element",
    "pool and reduction", "moves and views", "softmax and tables", "other"};

const char *oribi__report_colour_name(int32_t colour)
{
    return colour >= 0 && colour < 8 ? colour_names[colour] : NULL;
}

int32_t oribi__report_colour(const oribi_call *call)
{
    static const struct {
        const char *word;
        int32_t colour;
    } words[] = {
        {"depthwise", 1}, {"transpose_conv", 0},
        {"conv", 0},      {"fully_connected", 2},
        {"matmul", 2},    {"gemm", 2},
        {"add", 3},       {"sub", 3},
        {"mul", 3},       {"div", 3},
        {"min", 3},       {"max_pool", 4},
        {"maximum", 3},   {"pool", 4},
        {"mean", 4},      {"sum", 4},
        {"reduce", 4},    {"concat", 5},
        {"split", 5},     {"slice", 5},
        {"pad", 5},       {"transpose", 5},
        {"gather", 5},    {"resize", 5},
        {"copy", 5},      {"move", 5},
        {"join", 5},      {"mirror", 5},
        {"pack", 5},      {"softmax", 6},
        {"table", 6},     {"logistic", 6},
        {"tanh", 6},      {"relu", 3},
    };
    if (!oribi__report_is_called(call)) {
        return 5;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strstr(oribi__report_work(call), words[i].word) != NULL) {
            return words[i].colour;
        }
    }
    return 7;
}

/* --- Text ------------------------------------------------------------------------------------ */

void oribi__html_append(oribi_text *text, const char *string)
{
    size_t left = strlen(string);
    for (size_t taken; left > 0; string += taken, left -= taken) {
        const size_t bytes = oribi_utf8_bytes(string, left);
        taken = bytes > 0 ? bytes : 1;
        if (strchr("&<>\"'`=/", *string) != NULL) {
            oribi_text_printf(text, "&#%d;", *string);
        } else if (bytes == 0 || oribi_utf8_is_control(string, bytes)) {
            oribi_text_append(text, "\xef\xbf\xbd");
        } else {
            oribi_text_append_n(text, string, bytes);
        }
    }
}

void oribi__html_number(oribi_text *text, int64_t number)
{
    char digits[24];
    const int n = snprintf(digits, sizeof digits, "%" PRId64, number < 0 ? -number : number);
    oribi_text_append(text, number < 0 ? "-" : "");
    for (int i = 0; i < n; i++) {
        oribi_text_append_n(text, &digits[i], 1);
        oribi_text_append(text, (n - 1 - i) % 3 == 0 && i + 1 < n ? "," : "");
    }
}
