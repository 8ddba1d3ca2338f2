/* SPDX-License-Identifier: Apache-2.0 */
/* Faults that tests plant in the example device, and the time that its steps take. Where a plugin
 * for real hardware looks at what its driver answered, this one asks here. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "fake.h"

enum { MAX_FAULTS = 16, LATE_US = 300000 };

typedef struct fault {
    char call[32];
    int ordinal, after, times;
} fault;

int fake_delay_us;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static fault faults[MAX_FAULTS];
static bool is_lost[FAKE_MAX_DEVICES];

static bool is_of(const fault *f, const char *call, int ordinal)
{
    return f->ordinal == ordinal && strcmp(f->call, call) == 0;
}

void fake_plant(const char *call, int ordinal, int after, int times)
{
    const bool is_state = strcmp(call, "lost") == 0 || strcmp(call, "found") == 0;
    fault *at = NULL;
    pthread_mutex_lock(&lock);
    for (fault *f = faults; f < faults + MAX_FAULTS; f++) {
        f->times = times == 0 && is_of(f, call, ordinal) ? 0 : f->times;
        at = f->times == 0 ? f : at;
    }
    if (is_state) {
        is_lost[ordinal] = call[0] == 'l';
    } else if (at != NULL) {
        *at = (fault){.ordinal = ordinal, .after = after, .times = times};
        snprintf(at->call, sizeof at->call, "%s", call);
    }
    pthread_mutex_unlock(&lock);
}

static bool is_planted(const char *call, int ordinal)
{
    bool found = false;
    pthread_mutex_lock(&lock);
    for (fault *f = faults; f < faults + MAX_FAULTS; f++) {
        if (f->times > 0 && is_of(f, call, ordinal) && f->after-- <= 0) {
            f->times--;
            found = true;
        }
    }
    pthread_mutex_unlock(&lock);
    return found;
}

bool fake_check(const char *call, int ordinal, TF_Status *status)
{
    char message[80];
    pthread_mutex_lock(&lock);
    const bool lost = is_lost[ordinal];
    pthread_mutex_unlock(&lock);
    if (lost || is_planted(call, ordinal)) {
        snprintf(message, sizeof message, "%s: %s", call,
                 lost ? "the device is lost" : "a fault that was planted");
        TF_SetStatus(status, lost ? TF_UNAVAILABLE : TF_INTERNAL, message);
        return false;
    }
    return true;
}

static void take_time(int microseconds)
{
    const struct timespec time = {microseconds / 1000000, microseconds % 1000000 * 1000L};
    if (microseconds > 0) {
        nanosleep(&time, NULL);
    }
}

bool fake_begin(const char *call, int ordinal)
{
    take_time(fake_delay_us);
    if (strcmp(call, "record_event") == 0 && is_planted("late", ordinal)) {
        take_time(LATE_US);
    }
    const bool is_function = strcmp(call, "launch") == 0 || strcmp(call, "gemm") == 0;
    return !(is_function && is_planted("async", ordinal));
}
