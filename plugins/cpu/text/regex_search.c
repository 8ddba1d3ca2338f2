/* SPDX-License-Identifier: Apache-2.0 */
/* See regex.h: where a match lies. All ways are followed side by side, in the order in which Perl
 * would try them, each with the places that its groups have seen (R. Pike's machine); a way that
 * matches ends those behind it.
 */
#include "cpu/text/regex.h"
#include "cpu/text/regex_steps.h"

#include <string.h>

typedef struct list {
    size_t *slots; /* n_slots of each way */
    uint16_t *steps;
    int32_t n;
} list;

typedef struct pending { /* a step to follow; or, with a slot, what stood there before */
    size_t before;
    int32_t step, slot;
} pending;

struct oribi_regex_threads {
    list now, next;
    pending *stack; /* two of each step at most, since each is seen once at a place */
    uint64_t *seen, mark;
    size_t at[ORIBI_REGEX_SLOTS]; /* of the way that is followed */
};

size_t oribi_regex_search_bytes(const oribi_regex *regex, int n_slots)
{
    const size_t n = (size_t)regex->n_steps;
    return sizeof(struct oribi_regex_threads) + 2 * n * (size_t)n_slots * sizeof(size_t) +
           (2 * n + 2) * sizeof(pending) + n * sizeof(uint64_t) + 2 * n * sizeof(uint16_t);
}

void oribi_regex_search_begin(oribi_regex_search *search, const oribi_regex *regex, int n_slots,
                              void *memory)
{
    const size_t n = (size_t)regex->n_steps;
    struct oribi_regex_threads *threads = memory;
    *search = (oribi_regex_search){.regex = regex, .n_slots = n_slots, .threads = threads};
    *threads = (struct oribi_regex_threads){.mark = 0};
    threads->seen = (uint64_t *)(threads + 1);
    threads->stack = (pending *)(threads->seen + n);
    threads->now.slots = (size_t *)(threads->stack + 2 * n + 2);
    threads->next.slots = threads->now.slots + n * (size_t)n_slots;
    threads->now.steps = (uint16_t *)(threads->next.slots + n * (size_t)n_slots);
    threads->next.steps = threads->now.steps + n;
    memset(threads->seen, 0, n * sizeof *threads->seen);
}

/* Puts the set or match `step` behind the list, with the places of this way. */
static void enlist(const oribi_regex_search *search, list *to, int32_t step)
{
    const size_t n = (size_t)search->n_slots;
    memcpy(to->slots + (size_t)to->n * n, search->threads->at, n * sizeof(size_t));
    to->steps[to->n++] = (uint16_t)step;
}

/* Adds to the list what is reached from a step without reading, the gladlier ways first. */
static void follow(const oribi_regex_search *search, int32_t from, size_t at, list *to)
{
    struct oribi_regex_threads *threads = search->threads;
    pending *stack = threads->stack;
    int32_t depth = 0;
    stack[depth++] = (pending){0, from, -1};
    while (depth > 0) {
        const pending next = stack[--depth];
        if (next.slot >= 0) {
            threads->at[next.slot] = next.before;
            continue;
        }
        const oribi_regex_step *step = &search->regex->steps[next.step];
        if (threads->seen[next.step] == threads->mark) {
            continue;
        }
        threads->seen[next.step] = threads->mark;
        if (step->kind == ORIBI_REGEX_SET || step->kind == ORIBI_REGEX_MATCH) {
            enlist(search, to, next.step);
        } else if (step->kind == ORIBI_REGEX_JUMP || step->kind == ORIBI_REGEX_SPLIT) {
            if (step->kind == ORIBI_REGEX_SPLIT) {
                stack[depth++] = (pending){0, step->second, -1};
            }
            stack[depth++] = (pending){0, step->first, -1};
        } else if (oribi_regex_holds(step, search->text, search->bytes, at)) {
            if (step->kind == ORIBI_REGEX_SAVE && step->first < search->n_slots) {
                stack[depth++] = (pending){threads->at[step->first], 0, step->first};
                threads->at[step->first] = at;
            }
            stack[depth++] = (pending){0, next.step + 1, -1};
        }
    }
}

/* Each way reads the byte at this place; true: one of them has matched before it. */
static bool step_all(oribi_regex_search *search, size_t at)
{
    struct oribi_regex_threads *threads = search->threads;
    const list *now = &threads->now;
    const size_t n = (size_t)search->n_slots;
    threads->next.n = 0;
    threads->mark++;
    for (int32_t i = 0; i < now->n; i++) {
        const oribi_regex_step *step = &search->regex->steps[now->steps[i]];
        memcpy(threads->at, now->slots + (size_t)i * n, n * sizeof(size_t));
        if (step->kind == ORIBI_REGEX_MATCH) {
            memcpy(search->slots, threads->at, n * sizeof(size_t));
            search->slots[1] = at;
            return true;
        }
        if (at < search->bytes &&
            oribi_regex_has(search->regex->sets[step->first], (unsigned char)search->text[at])) {
            follow(search, now->steps[i] + 1, at + 1, &threads->next);
        }
    }
    return false;
}

bool oribi_regex_search_next(oribi_regex_search *search, size_t from)
{
    struct oribi_regex_threads *threads = search->threads;
    bool has_matched = false;
    threads->now.n = 0;
    threads->mark++;
    for (size_t at = from; at <= search->bytes && (!has_matched || threads->now.n > 0); at++) {
        search->reached = at;
        if (!has_matched) { /* behind those that began further left */
            memset(threads->at, 0xff, sizeof threads->at);
            threads->at[0] = at;
            follow(search, 0, at, &threads->now);
        }
        has_matched = step_all(search, at) || has_matched;
        const list last = threads->now;
        threads->now = threads->next;
        threads->next = last;
    }
    return has_matched;
}
