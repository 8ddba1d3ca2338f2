/* SPDX-License-Identifier: Apache-2.0 */
/* Schedules of device hooks: the order that each mode promises, and what must hold for any. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "compile/schedule/schedule.h"

enum { MAX_CALLS = 24, MAX_DEVICES = 4 };

/* "A0 O0 0 C0 D0": activate, open, call 0, close, deactivate; "s1" starts call 1, "W0" waits. */
static void print(const oribi_schedule *schedule, oribi_text *text)
{
    for (int32_t i = 0; i < schedule->n_events; i++) {
        const oribi_event *e = &schedule->events[i];
        oribi_text_append(text, i > 0 ? " " : "");
        switch (e->kind) {
        case ORIBI_EVENT_CALL:
            oribi_text_printf(text, "%d", (int)e->call);
            break;
        case ORIBI_EVENT_START:
            oribi_text_printf(text, "s%d", (int)e->call);
            break;
        default:
            oribi_text_printf(text, "%c%d",
                              e->kind == ORIBI_EVENT_ACTIVATE ? 'A'
                              : e->kind == ORIBI_EVENT_OPEN   ? 'O'
                              : e->kind == ORIBI_EVENT_WAIT   ? 'W'
                              : e->kind == ORIBI_EVENT_CLOSE  ? 'C'
                                                              : 'D',
                              (int)e->device);
        }
    }
}

static void expect(const oribi_schedule_call *calls, int32_t n_calls,
                   const oribi_schedule_device *devices, int32_t n_devices,
                   oribi_schedule_mode mode, const char *expected)
{
    oribi_arena arena = {0};
    oribi_schedule schedule;
    oribi_text text = {0};
    assert_true(oribi_schedule_make(calls, n_calls, devices, n_devices, mode, &arena, &schedule));
    print(&schedule, &text);
    assert_string_equal(oribi_text_string(&text), expected);
    oribi_text_destroy(&text);
    oribi_arena_destroy(&arena);
}

static const int32_t before[MAX_CALLS] = {0, 0, 1, 2, 3, 4, 5, 6};

/* A chain: each call needs the one before. */
static void chain(oribi_schedule_call *calls, const char *where)
{
    for (int32_t i = 0; where[i] != '\0'; i++) {
        const int32_t device = where[i] == '.' ? -1 : where[i] - '0';
        calls[i] = (oribi_schedule_call){device, 10, &before[i], i > 0 ? 1 : 0, 0, false};
    }
}

static void the_designs_order_is_kept(void **state)
{
    (void)state;
    oribi_schedule_call calls[4];
    const oribi_schedule_device devices[2] = {{false, 0, 0}, {false, 0, 0}};
    chain(calls, "01");
    expect(calls, 2, devices, 2, ORIBI_SCHEDULE_DESIGN, "A0 A1 O0 0 C0 O1 1 C1 D0 D1");
    chain(calls, ".00.");
    expect(calls, 4, devices, 2, ORIBI_SCHEDULE_DESIGN, "A0 A1 0 O0 1 C0 O0 2 C0 3 D0 D1");
}

static void lazy_activates_at_the_first_use_only(void **state)
{
    (void)state;
    oribi_schedule_call calls[5];
    const oribi_schedule_device devices[3] = {{false, 25, 0}, {false, 0, 0}, {false, 0, 0}};
    chain(calls, "..0.1");
    expect(calls, 5, devices, 3, ORIBI_SCHEDULE_LAZY, "0 1 A0 O0 2 C0 D0 3 A1 O1 4 C1 D1");
}

static void eager_activates_as_early_as_the_device_needs(void **state)
{
    (void)state;
    oribi_schedule_call calls[4];
    oribi_schedule_device device = {false, 0, 0};
    chain(calls, "...0");
    expect(calls, 4, &device, 1, ORIBI_SCHEDULE_EAGER, "0 1 2 A0 O0 3 C0 D0");
    device.activate_us = 10;
    expect(calls, 4, &device, 1, ORIBI_SCHEDULE_EAGER, "0 1 A0 2 O0 3 C0 D0");
    device.activate_us = 11;
    expect(calls, 4, &device, 1, ORIBI_SCHEDULE_EAGER, "0 A0 1 2 O0 3 C0 D0");
    device.activate_us = 1000;
    expect(calls, 4, &device, 1, ORIBI_SCHEDULE_EAGER, "A0 0 1 2 O0 3 C0 D0");
}

static void hold_keeps_open_across_consecutive_operators(void **state)
{
    (void)state;
    oribi_schedule_call calls[6];
    const oribi_schedule_device devices[2] = {{false, 0, 0}, {false, 0, 0}};
    chain(calls, "00.011");
    expect(calls, 6, devices, 2, ORIBI_SCHEDULE_HOLD, "A0 O0 0 1 C0 2 O0 3 C0 D0 A1 O1 4 5 C1 D1");
    expect(calls, 6, devices, 2, ORIBI_SCHEDULE_LAZY,
           "A0 O0 0 C0 O0 1 C0 2 O0 3 C0 D0 A1 O1 4 C1 O1 5 C1 D1");
}

/* A residual block: 0, then 1 and 2 on the device, 3 beside them on the CPU, 4 adds. */
static void independent_branches_overlap(void **state)
{
    (void)state;
    static const int32_t needs_0[] = {0}, needs_1[] = {1}, needs_both[] = {2, 3};
    oribi_schedule_call calls[5] = {
        {-1, 1, NULL, 0, 0, false},       {0, 1, needs_0, 1, 0, false},
        {0, 1, needs_1, 1, 0, false},     {-1, 1, needs_0, 1, 0, false},
        {-1, 1, needs_both, 2, 0, false},
    };
    const oribi_schedule_device device = {true, 0, 0};
    expect(calls, 5, &device, 1, ORIBI_SCHEDULE_HOLD, "0 A0 O0 s1 s2 3 W0 C0 D0 4");
    expect(calls, 5, &device, 1, ORIBI_SCHEDULE_DESIGN, "A0 0 O0 s1 W0 C0 O0 s2 3 W0 C0 4 D0");
    const oribi_schedule_device serial = {false, 0, 0};
    expect(calls, 5, &serial, 1, ORIBI_SCHEDULE_HOLD, "0 A0 O0 1 2 C0 D0 3 4");
    calls[1].is_alone = true; /* waited for at once */
    expect(calls, 5, &device, 1, ORIBI_SCHEDULE_HOLD, "0 A0 O0 s1 W0 s2 3 W0 C0 D0 4");
}

static void a_peer_stays_open_until_its_result_is_taken_over(void **state)
{
    (void)state;
    oribi_schedule_call calls[4];
    oribi_schedule_device devices[2] = {{true, 0, 1}, {true, 0, 1}};
    chain(calls, "01.");
    expect(calls, 3, devices, 2, ORIBI_SCHEDULE_HOLD, "A0 O0 s0 W0 A1 O1 s1 W1 C1 C0 D1 D0 2");
    chain(calls, "10.");
    expect(calls, 3, devices, 2, ORIBI_SCHEDULE_HOLD, "A0 A1 O0 O1 s0 W1 s1 W0 C1 C0 D1 D0 2");
    devices[1].peers = 2;
    chain(calls, "01.");
    expect(calls, 3, devices, 2, ORIBI_SCHEDULE_HOLD, "A0 O0 s0 W0 C0 D0 A1 O1 s1 W1 C1 D1 2");
}

static void devices_held_together_open_in_their_order(void **state)
{
    (void)state;
    static const int32_t needs_both[] = {0, 1};
    const oribi_schedule_call calls[3] = {
        {1, 1, NULL, 0, 0, false}, {0, 1, NULL, 0, 0, false}, {-1, 1, needs_both, 2, 0, false}};
    const oribi_schedule_device devices[2] = {{true, 0, 0}, {true, 0, 0}};
    expect(calls, 3, devices, 2, ORIBI_SCHEDULE_HOLD, "A0 A1 O0 O1 s0 s1 W0 W1 C1 C0 D1 D0 2");
}

/* --- What must hold for any ---------------------------------------------------------------------
 */

typedef struct world {
    bool active[MAX_DEVICES], open[MAX_DEVICES], ended[MAX_CALLS], started[MAX_CALLS];
    int32_t activated[MAX_DEVICES];
} world;

static void begin_call(world *w, const oribi_schedule_call *calls, const oribi_event *e)
{
    const oribi_schedule_call *call = &calls[e->call];
    assert_true(call->device < 0 || (w->open[call->device] && w->active[call->device]));
    for (int32_t i = 0; i < call->n_needs; i++) {
        const int32_t earlier = call->needs[i];
        const bool is_queued = w->started[earlier] && calls[earlier].device == call->device;
        assert_true(w->ended[earlier] || is_queued);
    }
    w->started[e->call] = true;
    w->ended[e->call] = e->kind == ORIBI_EVENT_CALL;
}

static void wait_for(world *w, const oribi_schedule_call *calls, int32_t n_calls,
                     const oribi_schedule *schedule, const oribi_event *e)
{
    assert_true(w->open[e->device]);
    for (int32_t i = 0; i < n_calls; i++) {
        if (calls[i].device == e->device && w->started[i] && !w->ended[i]) {
            w->ended[i] = true;
            assert_int_equal(schedule->done[i], e->call);
        }
    }
}

static void open_device(world *w, int32_t n_devices, int32_t device)
{
    assert_true(w->active[device] && !w->open[device]);
    for (int32_t d = device + 1; d < n_devices; d++) {
        assert_false(w->open[d]); /* a later one is not held while an earlier one is waited for */
    }
    w->open[device] = true;
}

static void play(const oribi_schedule_call *calls, int32_t n_calls, int32_t n_devices,
                 const oribi_schedule *schedule)
{
    world w = {0};
    for (int32_t i = 0; i < schedule->n_events; i++) {
        const oribi_event *e = &schedule->events[i];
        switch (e->kind) {
        case ORIBI_EVENT_ACTIVATE:
            assert_int_equal(w.activated[e->device]++, 0);
            w.active[e->device] = true;
            break;
        case ORIBI_EVENT_OPEN:
            open_device(&w, n_devices, e->device);
            break;
        case ORIBI_EVENT_CALL:
        case ORIBI_EVENT_START:
            begin_call(&w, calls, e);
            break;
        case ORIBI_EVENT_WAIT:
            wait_for(&w, calls, n_calls, schedule, e);
            break;
        case ORIBI_EVENT_CLOSE:
            assert_true(w.open[e->device]);
            for (int32_t k = 0; k < n_calls; k++) {
                assert_true(calls[k].device != e->device || !w.started[k] || w.ended[k]);
            }
            w.open[e->device] = false;
            break;
        case ORIBI_EVENT_DEACTIVATE:
            assert_true(w.active[e->device] && !w.open[e->device]);
            w.active[e->device] = false;
            break;
        }
    }
    for (int32_t k = 0; k < n_calls; k++) {
        assert_true(w.ended[k] && schedule->done[k] > k);
    }
    for (int32_t d = 0; d < n_devices; d++) {
        assert_false(w.open[d] || w.active[d]);
    }
}

static uint32_t random_below(uint32_t *seed, uint32_t n)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % n;
}

static void any_schedule_keeps_the_contract(void **state)
{
    (void)state;
    uint32_t seed = 1;
    for (int round = 0; round < 20000; round++) {
        oribi_schedule_call calls[MAX_CALLS];
        oribi_schedule_device devices[MAX_DEVICES];
        int32_t needs[MAX_CALLS][2];
        const int32_t n_devices = 1 + (int32_t)random_below(&seed, MAX_DEVICES);
        const int32_t n_calls = (int32_t)random_below(&seed, 10) + 1;
        for (int32_t d = 0; d < n_devices; d++) {
            devices[d] = (oribi_schedule_device){random_below(&seed, 2) == 0,
                                                 (int64_t)random_below(&seed, 40),
                                                 (int32_t)random_below(&seed, 3)};
        }
        for (int32_t i = 0; i < n_calls; i++) {
            const int32_t n = i > 0 ? (int32_t)random_below(&seed, 3) : 0;
            for (int32_t k = 0; k < n; k++) {
                needs[i][k] = (int32_t)random_below(&seed, (uint32_t)i);
            }
            calls[i] =
                (oribi_schedule_call){(int32_t)random_below(&seed, (uint32_t)n_devices + 1) - 1,
                                      (int64_t)random_below(&seed, 20),
                                      needs[i],
                                      n,
                                      0,
                                      random_below(&seed, 4) == 0};
        }
        for (int mode = ORIBI_SCHEDULE_DESIGN; mode <= ORIBI_SCHEDULE_HOLD; mode++) {
            oribi_arena arena = {0};
            oribi_schedule schedule;
            assert_true(oribi_schedule_make(calls, n_calls, devices, n_devices,
                                            (oribi_schedule_mode)mode, &arena, &schedule));
            play(calls, n_calls, n_devices, &schedule);
            oribi_arena_destroy(&arena);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_designs_order_is_kept),
        cmocka_unit_test(lazy_activates_at_the_first_use_only),
        cmocka_unit_test(eager_activates_as_early_as_the_device_needs),
        cmocka_unit_test(hold_keeps_open_across_consecutive_operators),
        cmocka_unit_test(independent_branches_overlap),
        cmocka_unit_test(a_peer_stays_open_until_its_result_is_taken_over),
        cmocka_unit_test(devices_held_together_open_in_their_order),
        cmocka_unit_test(any_schedule_keeps_the_contract),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
