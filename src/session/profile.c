/* SPDX-License-Identifier: Apache-2.0 */
/* Profilers of plugins: start, stop, and their events out of an XSpace message.
 * Source   xplane.proto: XSpace.planes 1; XPlane.name 2, lines 3, event_metadata 4 (id to name 2,
 * display_name 4); XLine.name 2, timestamp_ns 3, events 4, display_name 11; XEvent.metadata_id 1,
 * offset_ps 2, duration_ps 3.
 */
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/thread.h"
#include "format/wire.h"
#include "oribi/oribi.h"
#include "plugin/profiler.h"
#include "tensor/status.h"

typedef struct event_name {
    int64_t id;
    const char *name;
} event_name;

typedef struct collector {
    void (*hook)(void *arg, const oribi_profile_event *event);
    void *arg;
    oribi_arena arena; /* of one plane */
    const char *device, *lane;
    event_name *names;
    int32_t n_names;
} collector;

static oribi_mutex state_lock = ORIBI_MUTEX_INIT;
static bool is_begun;
static uint64_t begin_ns;   /* monotonic */
static int64_t epoch_ahead; /* the Unix epoch's clock less the monotonic one, ns */

enum { NS_PER_DAY_EXPONENT = 47 }; /* 2^47 ns are 39 hours */

static const char *text_of(collector *self, const oribi_wire_field *field, TF_Status *status)
{
    oribi_string string = {"", 0};
    if (!oribi_wire_string(field, "a name", &string, status)) {
        return NULL;
    }
    const char *text = oribi_arena_strndup(&self->arena, string.data, string.length);
    if (text == NULL) {
        oribi_fail_memory(status);
    }
    return text;
}

/* --- A plane ------------------------------------------------------------------------------------
 */

/* Entry of event_metadata: key 1, value 2. */
static bool read_name(collector *self, oribi_wire entry, event_name *out, TF_Status *status)
{
    oribi_wire_field field;
    oribi_wire value;
    *out = (event_name){0, ""};
    while (oribi_wire_next(&entry, &field, status)) {
        oribi_wire_field part;
        if (field.number == 1) {
            ORIBI_TRY(oribi_wire_int(&field, "an event's id", &out->id, status));
        } else if (field.number == 2) {
            ORIBI_TRY(oribi_wire_enter(&entry, &field, &value, status));
            while (oribi_wire_next(&value, &part, status)) {
                if (part.number == 2 || (part.number == 4 && part.bytes > 0)) {
                    out->name = text_of(self, &part, status);
                    ORIBI_TRY(out->name != NULL);
                }
            }
        }
    }
    return oribi_ok(status);
}

/* Name and event names, which may stand behind the lines. */
static bool read_head(collector *self, oribi_wire plane, TF_Status *status)
{
    oribi_wire wire = plane;
    oribi_wire_field field;
    int32_t n = 0;
    self->device = "";
    while (oribi_wire_next(&wire, &field, status)) {
        n += field.number == 4;
        if (field.number == 2) {
            self->device = text_of(self, &field, status);
            ORIBI_TRY(self->device != NULL);
        }
    }
    ORIBI_TRY(oribi_ok(status));
    self->names = oribi_arena_array(&self->arena, (size_t)n + 1, sizeof *self->names);
    self->n_names = 0;
    ORIBI_TRY(self->names != NULL || oribi_fail_memory(status));
    while (oribi_wire_next(&plane, &field, status)) {
        oribi_wire entry;
        if (field.number == 4) {
            ORIBI_TRY(oribi_wire_enter(&plane, &field, &entry, status) &&
                      read_name(self, entry, &self->names[self->n_names++], status));
        }
    }
    return oribi_ok(status);
}

static const char *name_of(const collector *self, int64_t id)
{
    for (int32_t i = 0; i < self->n_names; i++) {
        if (self->names[i].id == id) {
            return self->names[i].name;
        }
    }
    return "";
}

/* A line's clock to ours: of the epoch, or since begin where it is less than a day or so. */
static int64_t to_monotonic(int64_t timestamp_ns)
{
    return timestamp_ns >> NS_PER_DAY_EXPONENT == 0 ? (int64_t)begin_ns + timestamp_ns
                                                    : timestamp_ns - epoch_ahead;
}

static bool read_event(collector *self, oribi_wire event, int64_t line_ns, TF_Status *status)
{
    oribi_wire_field field;
    int64_t id = 0;
    int64_t offset_ps = 0;
    int64_t duration_ps = 0;
    while (oribi_wire_next(&event, &field, status)) {
        int64_t *to = field.number == 1   ? &id
                      : field.number == 2 ? &offset_ps
                      : field.number == 3 ? &duration_ps
                                          : NULL;
        ORIBI_TRY(to == NULL || oribi_wire_int(&field, "an event's number", to, status));
    }
    ORIBI_TRY(oribi_ok(status));
    const int64_t start = to_monotonic(line_ns) + offset_ps / 1000;
    const oribi_profile_event out = {
        self->device, self->lane, name_of(self, id), (uint64_t)(start > 0 ? start : 0),
        (uint64_t)(start > 0 ? start : 0) + (uint64_t)(duration_ps > 0 ? duration_ps / 1000 : 0)};
    if (self->hook != NULL) {
        self->hook(self->arg, &out);
    }
    return true;
}

static bool read_line(collector *self, oribi_wire line, TF_Status *status)
{
    oribi_wire wire = line;
    oribi_wire_field field;
    int64_t timestamp_ns = 0;
    self->lane = "";
    while (oribi_wire_next(&wire, &field, status)) {
        if (field.number == 2 || (field.number == 11 && field.bytes > 0)) {
            self->lane = text_of(self, &field, status);
            ORIBI_TRY(self->lane != NULL);
        } else if (field.number == 3) {
            ORIBI_TRY(oribi_wire_int(&field, "a line's time", &timestamp_ns, status));
        }
    }
    ORIBI_TRY(oribi_ok(status));
    while (oribi_wire_next(&line, &field, status)) {
        oribi_wire event;
        if (field.number == 4) {
            ORIBI_TRY(oribi_wire_enter(&line, &field, &event, status) &&
                      read_event(self, event, timestamp_ns, status));
        }
    }
    return oribi_ok(status);
}

static bool read_space(collector *self, const uint8_t *bytes, size_t size, TF_Status *status)
{
    oribi_wire space = oribi_wire_over(bytes, size);
    oribi_wire_field field;
    bool ok = true;
    while (ok && oribi_wire_next(&space, &field, status)) {
        oribi_wire plane;
        oribi_wire part;
        oribi_wire_field line;
        if (field.number != 1) {
            continue;
        }
        ok = oribi_wire_enter(&space, &field, &plane, status) && read_head(self, plane, status);
        while (ok && oribi_wire_next(&plane, &line, status)) {
            ok = line.number != 3 ||
                 (oribi_wire_enter(&plane, &line, &part, status) && read_line(self, part, status));
        }
        oribi_arena_destroy(&self->arena);
        oribi_arena_init(&self->arena);
    }
    oribi_arena_destroy(&self->arena);
    return ok && oribi_ok(status);
}

/* --- The profilers ------------------------------------------------------------------------------
 */

static bool collect(collector *self, const oribi_profiler *profiler, TF_Status *status)
{
    const TP_ProfilerFns *fns = &profiler->fns;
    size_t size = 0;
    fns->collect_data_xspace(&profiler->profiler, NULL, &size, status);
    ORIBI_TRY(oribi_ok(status));
    uint8_t *bytes = oribi_alloc(size > 0 ? size : 1);
    ORIBI_TRY(bytes != NULL || oribi_fail_memory(status));
    if (size > 0) {
        fns->collect_data_xspace(&profiler->profiler, bytes, &size, status);
    }
    const bool ok = oribi_ok(status) && read_space(self, bytes, size, status);
    oribi_free(bytes);
    return ok;
}

static bool fail_of(const oribi_profiler *profiler, TF_Status *status)
{
    oribi_status_prefix(status, "profiler of '%s': ", profiler->provider);
    return false;
}

/* Up to `end`, which did not start. */
static void stop_before(const oribi_profiler *end)
{
    TF_Status *ignored = TF_NewStatus();
    for (const oribi_profiler *p = oribi_profiler_next(NULL); p != end && p != NULL;
         p = oribi_profiler_next(p)) {
        p->fns.stop(&p->profiler, ignored);
    }
    TF_DeleteStatus(ignored);
}

static void note_clocks(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    begin_ns = oribi_now_ns();
    epoch_ahead = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec - (int64_t)begin_ns;
}

void oribi_profile_begin(TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    oribi_mutex_lock(&state_lock);
    if (is_begun) {
        oribi_fail(status, TF_FAILED_PRECONDITION, "a profile is under way; end it first");
    } else {
        note_clocks();
        is_begun = true;
    }
    for (const oribi_profiler *p = oribi_profiler_next(NULL); oribi_ok(status) && p != NULL;
         p = oribi_profiler_next(p)) {
        p->fns.start(&p->profiler, status);
        if (!oribi_ok(status)) {
            fail_of(p, status);
            stop_before(p);
            is_begun = false;
        }
    }
    oribi_mutex_unlock(&state_lock);
}

void oribi_profile_end(void (*hook)(void *arg, const oribi_profile_event *event), void *arg,
                       TF_Status *status)
{
    collector self = {.hook = hook, .arg = arg};
    TF_Status *each = TF_NewStatus();
    TF_SetStatus(status, TF_OK, "");
    oribi_mutex_lock(&state_lock);
    if (!is_begun) {
        oribi_fail(status, TF_FAILED_PRECONDITION, "no profile is under way; begin one first");
    }
    for (const oribi_profiler *p = oribi_profiler_next(NULL); is_begun && p != NULL;
         p = oribi_profiler_next(p)) {
        TF_SetStatus(each, TF_OK, "");
        p->fns.stop(&p->profiler, each);
        if ((!oribi_ok(each) || !collect(&self, p, each)) && oribi_ok(status)) {
            fail_of(p, each);
            TF_SetStatus(status, TF_GetCode(each), TF_Message(each));
        }
    }
    is_begun = false;
    oribi_mutex_unlock(&state_lock);
    TF_DeleteStatus(each);
}
