/* SPDX-License-Identifier: Apache-2.0 */
/* See regex.h. A pattern becomes steps of an automaton (K. Thompson, Regular Expression Search
 * Algorithm, 1968); a repetition that is counted becomes that many copies.
 */
#include "cpu/text/regex.h"
#include "cpu/text/regex_steps.h"

#include <string.h>

enum { DEPTH = 100, MOST_TIMES = 1000 };

typedef struct reader {
    const char *at, *end;
    oribi_regex *to;
    const char *why; /* the first failure */
    int depth;
} reader;

static void fail(reader *r, const char *why)
{
    r->why = r->why != NULL ? r->why : why;
}

static int32_t add(reader *r, int kind, int32_t first, int32_t second)
{
    if (r->to->n_steps >= ORIBI_REGEX_STEPS) {
        fail(r, "it is too long");
        return 0;
    }
    r->to->steps[r->to->n_steps] =
        (oribi_regex_step){(uint8_t)kind, (uint16_t)first, (uint16_t)second};
    return r->to->n_steps++;
}

/* --- Sets ------------------------------------------------------------------------------------- */

static void put(uint8_t set[32], unsigned c)
{
    set[c / 8] = (uint8_t)(set[c / 8] | 1U << c % 8);
}

/* The letters of \w, \d, \s, and of \W, \D, \S those of ASCII that are not; false: another one. */
static bool put_class(uint8_t set[32], char name)
{
    const char lower = (char)(name | 0x20);
    if (lower != 'w' && lower != 'd' && lower != 's') {
        return false;
    }
    for (unsigned c = 0; c < 128; c++) {
        const bool is_in = lower == 'w'   ? oribi_regex_is_word((unsigned char)c)
                           : lower == 'd' ? c >= '0' && c <= '9'
                                          : c == ' ' || (c >= '\t' && c <= '\r' && c != '\v');
        if (is_in == (name == lower)) {
            put(set, c);
        }
    }
    return true;
}

/* [:punct:] and its kind, whose name begins at r->at; the letters of ASCII that are so called. */
static bool put_named(reader *r, uint8_t set[32])
{
    static const struct {
        const char *name, *letters; /* pairs: from, to */
    } classes[] = {{"alnum", "09AZaz"},
                   {"alpha", "AZaz"},
                   {"blank", "\t\t  "},
                   {"digit", "09"},
                   {"graph", "!~"},
                   {"lower", "az"},
                   {"print", " ~"},
                   {"punct", "!/:@[`{~"},
                   {"space", "\t\r  "},
                   {"upper", "AZ"},
                   {"word", "09AZ__az"},
                   {"xdigit", "09AFaf"},
                   {"cntrl", "\001\037\177\177"},
                   {"ascii", "\001\177"}};
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        const size_t n = strlen(classes[i].name);
        if ((size_t)(r->end - r->at) >= n + 2 && memcmp(r->at, classes[i].name, n) == 0 &&
            memcmp(r->at + n, ":]", 2) == 0) {
            for (const char *pair = classes[i].letters; *pair != '\0'; pair += 2) {
                for (unsigned c = (unsigned char)pair[0]; c <= (unsigned char)pair[1]; c++) {
                    put(set, c);
                }
            }
            if (classes[i].letters[0] == '\001') {
                put(set, 0); /* a text of pairs cannot say it */
            }
            r->at += n + 2;
            return true;
        }
    }
    return false;
}

/* The set becomes a step. One with characters beyond ASCII takes the rest of their bytes along: a
 * first byte, then as many that continue as there are. */
static void add_set(reader *r, const uint8_t set[32], bool has_wide)
{
    uint8_t all[32];
    int32_t i = 0;
    memcpy(all, set, sizeof all);
    for (unsigned c = 0xc0; has_wide && c < 0x100; c++) {
        put(all, c);
    }
    while (i < r->to->n_sets && memcmp(r->to->sets[i], all, sizeof all) != 0) {
        i++;
    }
    if (i == ORIBI_REGEX_SETS) {
        fail(r, "it has too many sets of characters");
        return;
    }
    memcpy(r->to->sets[i], all, sizeof all);
    r->to->n_sets = i == r->to->n_sets ? i + 1 : r->to->n_sets;
    (void)add(r, ORIBI_REGEX_SET, i, 0);
    if (has_wide) {
        uint8_t rest[32] = {0};
        for (unsigned c = 0x80; c < 0xc0; c++) {
            put(rest, c);
        }
        const int32_t split = add(r, ORIBI_REGEX_SPLIT, r->to->n_steps + 1, r->to->n_steps + 3);
        add_set(r, rest, false);
        (void)add(r, ORIBI_REGEX_JUMP, split, 0);
    }
}

static void add_byte(reader *r, unsigned char c)
{
    uint8_t set[32] = {0};
    put(set, c);
    add_set(r, set, false);
}

static char control_of(char c)
{
    static const char names[] = "ntrfv", codes[] = "\n\t\r\f\v";
    const char *at = c != '\0' ? strchr(names, c) : NULL;
    return at != NULL ? codes[at - names] : c;
}

/* Behind '\': a character or a class of a set; *out_single: the character. */
static bool set_escape(reader *r, uint8_t set[32], bool *has_wide, unsigned char *out_single)
{
    const char c = r->at < r->end ? *r->at++ : '\0';
    if (put_class(set, c)) {
        *has_wide = *has_wide || c == 'W' || c == 'D' || c == 'S';
        return false;
    }
    *out_single = (unsigned char)control_of(c);
    if (oribi_regex_is_word((unsigned char)c) && *out_single == (unsigned char)c) {
        fail(r, "a set has an escape that is not known");
    }
    return true;
}

static void read_set(reader *r)
{
    uint8_t set[32] = {0};
    bool has_wide = false, is_first = true;
    const bool is_negated = r->at < r->end && *r->at == '^';
    r->at += is_negated ? 1 : 0;
    for (; r->why == NULL && (r->at >= r->end || *r->at != ']' || is_first); is_first = false) {
        if (r->at >= r->end) {
            fail(r, "a set has no end");
            return;
        }
        unsigned char low = (unsigned char)*r->at++, high;
        if (low == '[' && r->at < r->end && *r->at == ':') {
            r->at++;
            if (!put_named(r, set)) {
                fail(r, "a set has a class whose name is not known");
            }
            continue;
        }
        if (low == '\\' && !set_escape(r, set, &has_wide, &low)) {
            continue;
        }
        high = low;
        if (r->end - r->at >= 2 && r->at[0] == '-' && r->at[1] != ']') {
            high = (unsigned char)r->at[1];
            r->at += 2;
            if (high == '\\' && !set_escape(r, set, &has_wide, &high)) {
                fail(r, "a range ends with a class");
            }
        }
        if (high < low || high >= 0x80) {
            fail(r, high < low ? "a range of a set is empty"
                               : "sets with characters beyond ASCII are not supported");
        }
        for (unsigned c = low; c <= high; c++) {
            put(set, c);
        }
    }
    r->at += r->at < r->end ? 1 : 0;
    for (int i = 0; is_negated && i < 16; i++) {
        set[i] = (uint8_t)~set[i];
    }
    add_set(r, set, is_negated ? !has_wide : has_wide);
}

/* --- Atoms and repetitions -------------------------------------------------------------------- */

static void read_choice(reader *r);

static void read_escape(reader *r)
{
    uint8_t set[32] = {0};
    const char c = r->at < r->end ? *r->at++ : '\0';
    if (c == 'b' || c == 'B') {
        (void)add(r, c == 'b' ? ORIBI_REGEX_EDGE : ORIBI_REGEX_NO_EDGE, 0, 0);
    } else if (put_class(set, c)) {
        add_set(r, set, c == 'W' || c == 'D' || c == 'S');
    } else if (control_of(c) == c && oribi_regex_is_word((unsigned char)c)) {
        fail(r, "an escape is not known");
    } else if (c == '\0') {
        fail(r, "it ends with a backslash");
    } else {
        add_byte(r, (unsigned char)control_of(c));
    }
}

static void read_group(reader *r)
{
    int32_t group = -1;
    if (r->end - r->at >= 2 && r->at[0] == '?') {
        if (r->at[1] != ':') {
            fail(r, "flags and names of groups are not supported");
        }
        r->at += 2;
    } else {
        group = ++r->to->n_groups;
        (void)add(r, ORIBI_REGEX_SAVE, 2 * group, 0);
    }
    if (++r->depth > DEPTH) {
        fail(r, "its groups are nested too deeply");
    }
    if (r->why == NULL) {
        read_choice(r);
    }
    r->depth--;
    if (group >= 0) {
        (void)add(r, ORIBI_REGEX_SAVE, 2 * group + 1, 0);
    }
    if (r->at >= r->end || *r->at != ')') {
        fail(r, "a group has no end");
    } else {
        r->at++;
    }
}

static void read_atom(reader *r)
{
    uint8_t set[32] = {0};
    const char c = *r->at++;
    switch (c) {
    case '(':
        read_group(r);
        break;
    case '[':
        read_set(r);
        break;
    case '\\':
        read_escape(r);
        break;
    case '^':
    case '$':
        (void)add(r, c == '^' ? ORIBI_REGEX_BEGIN : ORIBI_REGEX_END, 0, 0);
        break;
    case '.':
        memset(set, 0xff, 16);
        set['\n' / 8] = (uint8_t)(set['\n' / 8] & ~(1U << '\n' % 8));
        add_set(r, set, true);
        break;
    case '*':
    case '+':
    case '?':
        fail(r, "a repetition repeats nothing");
        break;
    default: /* a character of several bytes is one atom */
        add_byte(r, (unsigned char)c);
        while (r->at < r->end && ((unsigned char)*r->at & 0xc0) == 0x80) {
            add_byte(r, (unsigned char)*r->at++);
        }
    }
}

/* {n}, {n,} or {n,m}; false, and nothing read: no such thing. most -1: any number. */
static bool read_times(reader *r, int32_t *least, int32_t *most)
{
    const char *at = r->at + 1;
    int32_t numbers[2] = {0, -1};
    int which = 0, digits[2] = {0, 0};
    for (; at < r->end && *at != '}'; at++) {
        if (*at == ',' && which == 0) {
            which = 1;
        } else if (*at >= '0' && *at <= '9') {
            numbers[which] = (numbers[which] < 0 ? 0 : numbers[which]) * 10 + (*at - '0');
            digits[which]++;
            if (numbers[which] > MOST_TIMES) {
                fail(r, "it repeats something more than 1000 times");
                return false;
            }
        } else {
            return false;
        }
    }
    if (at >= r->end || digits[0] == 0) {
        return false;
    }
    *least = numbers[0];
    *most = which == 0 ? numbers[0] : numbers[1];
    if (*most >= 0 && *most < *least) {
        fail(r, "it repeats something fewer times at most than at least");
    }
    r->at = at + 1;
    return true;
}

/* The atom [begin, end) is there: makes it `least` to `most` of them. Of the two ways of a split
 * the first is tried before the second: one more, or, where it is lazy, no more. */
static void repeat(reader *r, int32_t begin, int32_t least, int32_t most, bool is_lazy)
{
    oribi_regex_step atom[ORIBI_REGEX_STEPS / 8];
    const int32_t end = r->to->n_steps, n = end - begin;
    if (n > (int32_t)(sizeof atom / sizeof atom[0])) {
        fail(r, "what it repeats is too long");
        return;
    }
    memcpy(atom, &r->to->steps[begin], (size_t)n * sizeof atom[0]);
    r->to->n_steps = begin;
    const int32_t copies = most < 0 ? least + 1 : most;
    for (int32_t i = 0; i < copies && r->why == NULL; i++) {
        const int32_t split =
            i >= least ? add(r, ORIBI_REGEX_SPLIT, r->to->n_steps + 1, r->to->n_steps + 1) : -1;
        const int32_t first = r->to->n_steps;
        for (int32_t k = 0; k < n; k++) { /* targets move along with the copy */
            const bool goes = atom[k].kind == ORIBI_REGEX_SPLIT || atom[k].kind == ORIBI_REGEX_JUMP;
            (void)add(r, atom[k].kind, atom[k].first + (goes ? first - begin : 0),
                      atom[k].second + (atom[k].kind == ORIBI_REGEX_SPLIT ? first - begin : 0));
        }
        if (most < 0 && i == least) {
            (void)add(r, ORIBI_REGEX_JUMP, split, 0);
        }
        if (split >= 0 && r->why == NULL) {
            oribi_regex_step *step = &r->to->steps[split];
            *(is_lazy ? &step->first : &step->second) = (uint16_t)r->to->n_steps;
        }
    }
}

static void read_repeated(reader *r)
{
    const int32_t begin = r->to->n_steps;
    read_atom(r);
    while (r->why == NULL && r->at < r->end) {
        int32_t least = 0, most = -1;
        if (*r->at == '{') {
            if (!read_times(r, &least, &most)) {
                return; /* a brace of its own is a character */
            }
        } else if (*r->at == '*' || *r->at == '+' || *r->at == '?') {
            least = *r->at == '+' ? 1 : 0;
            most = *r->at == '?' ? 1 : -1;
            r->at++;
        } else {
            return;
        }
        const bool is_lazy = r->at < r->end && *r->at == '?';
        r->at += is_lazy ? 1 : 0;
        if (r->why == NULL) {
            repeat(r, begin, least, most, is_lazy);
        }
    }
}

static void read_choice(reader *r)
{
    const int32_t begin = r->to->n_steps;
    while (r->why == NULL && r->at < r->end && *r->at != '|' && *r->at != ')') {
        read_repeated(r);
    }
    if (r->why != NULL || r->at >= r->end || *r->at != '|') {
        return;
    }
    /* Room for the split before the first branch: the branch moves up by one. */
    const int32_t end = r->to->n_steps;
    (void)add(r, ORIBI_REGEX_JUMP, 0, 0);
    if (r->why != NULL) {
        return;
    }
    memmove(&r->to->steps[begin + 1], &r->to->steps[begin],
            (size_t)(end - begin) * sizeof r->to->steps[0]);
    for (int32_t i = begin + 1; i <= end; i++) {
        oribi_regex_step *step = &r->to->steps[i];
        step->first = (uint16_t)(step->first + (step->kind == ORIBI_REGEX_SPLIT ||
                                                step->kind == ORIBI_REGEX_JUMP));
        step->second = (uint16_t)(step->second + (step->kind == ORIBI_REGEX_SPLIT));
    }
    const int32_t jump = add(r, ORIBI_REGEX_JUMP, 0, 0);
    r->to->steps[begin] =
        (oribi_regex_step){ORIBI_REGEX_SPLIT, (uint16_t)(begin + 1), (uint16_t)r->to->n_steps};
    r->at++;
    if (++r->depth > DEPTH) {
        fail(r, "it has too many branches");
        return;
    }
    read_choice(r);
    r->depth--;
    r->to->steps[jump].first = (uint16_t)r->to->n_steps;
}

const char *oribi_regex_read(const char *pattern, size_t bytes, oribi_regex *out)
{
    reader r = {.at = pattern, .end = pattern + bytes, .to = out};
    out->n_steps = out->n_sets = out->n_groups = 0;
    read_choice(&r);
    if (r.why == NULL && r.at < r.end) {
        fail(&r, "a group ends that did not begin");
    }
    (void)add(&r, ORIBI_REGEX_MATCH, 0, 0);
    return r.why;
}

/* --- Matching --------------------------------------------------------------------------------- */

typedef struct matcher {
    const oribi_regex *regex;
    const char *text;
    size_t bytes;
    oribi_regex_room *room;
    uint32_t mark; /* of steps seen at this place */
} matcher;

/* Adds to `list` the sets and the match that are reached from a step without reading. */
static int32_t follow(matcher *m, int32_t from, size_t at, uint16_t *list, int32_t n)
{
    uint16_t *stack = m->room->stack;
    int32_t depth = 0;
    stack[depth++] = (uint16_t)from;
    while (depth > 0) {
        const int32_t i = stack[--depth];
        const oribi_regex_step *step = &m->regex->steps[i];
        if (m->room->seen[i] == m->mark) {
            continue;
        }
        m->room->seen[i] = m->mark;
        if (step->kind == ORIBI_REGEX_SET || step->kind == ORIBI_REGEX_MATCH) {
            list[n++] = (uint16_t)i;
        } else if (step->kind == ORIBI_REGEX_JUMP || step->kind == ORIBI_REGEX_SPLIT) {
            stack[depth++] = step->first;
            if (step->kind == ORIBI_REGEX_SPLIT) {
                stack[depth++] = step->second;
            }
        } else if (oribi_regex_holds(step, m->text, m->bytes, at)) {
            stack[depth++] = (uint16_t)(i + 1);
        }
    }
    return n;
}

bool oribi_regex_matches(const oribi_regex *regex, const char *text, size_t bytes,
                         oribi_regex_room *room)
{
    matcher m = {regex, text, bytes, room, 1};
    uint16_t *now = room->now, *next = room->next;
    memset(room->seen, 0, sizeof room->seen);
    int32_t n = follow(&m, 0, 0, now, 0);
    for (size_t at = 0; at < bytes && n > 0; at++) {
        int32_t n_next = 0;
        m.mark++;
        for (int32_t i = 0; i < n; i++) {
            const oribi_regex_step *step = &regex->steps[now[i]];
            if (step->kind == ORIBI_REGEX_SET &&
                oribi_regex_has(regex->sets[step->first], (unsigned char)text[at])) {
                n_next = follow(&m, now[i] + 1, at + 1, next, n_next);
            }
        }
        uint16_t *last = now;
        now = next;
        next = last;
        n = n_next;
    }
    for (int32_t i = 0; i < n; i++) {
        if (regex->steps[now[i]].kind == ORIBI_REGEX_MATCH) {
            return true;
        }
    }
    return false;
}
