/* SPDX-License-Identifier: Apache-2.0 */
/* Counts of calls and of what is alive, planted faults, lost devices. */
#include <stdio.h>
#include <string.h>

#include "gpu_double/double.h"

enum { MAX_NAMES = 96, MAX_FAULTS = 16 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

typedef struct named {
    char name[48];
    int64_t n;
} named;

static named calls[MAX_NAMES], living[MAX_NAMES];
static struct {
    char symbol[48];
    int device, after, times;
    unsigned code;
} faults[MAX_FAULTS];
static gpu_result lost[DOUBLE_MAX_DEVICES];
static int delay;
_Thread_local bool double_is_host_call;

static named *find(named *list, const char *name) /* under the lock */
{
    for (int i = 0; i < MAX_NAMES; i++) {
        if (list[i].name[0] == '\0') {
            snprintf(list[i].name, sizeof list[i].name, "%s", name);
        }
        if (strcmp(list[i].name, name) == 0) {
            return &list[i];
        }
    }
    return &list[MAX_NAMES - 1];
}

static int64_t read_of(named *list, const char *name)
{
    pthread_mutex_lock(&lock);
    const int64_t n = find(list, name)->n;
    pthread_mutex_unlock(&lock);
    return n;
}

int64_t double_live(const char *what)
{
    return read_of(living, what);
}

int64_t double_calls(const char *symbol)
{
    return read_of(calls, symbol);
}

void double_count(const char *what, int64_t change)
{
    pthread_mutex_lock(&lock);
    find(living, what)->n += change;
    pthread_mutex_unlock(&lock);
}

void double_plant(const char *symbol, int device, int after, int times, unsigned code)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MAX_FAULTS; i++) {
        if (faults[i].times == 0) {
            snprintf(faults[i].symbol, sizeof faults[i].symbol, "%s", symbol);
            faults[i].device = device;
            faults[i].after = after;
            faults[i].times = times;
            faults[i].code = code;
            break;
        }
    }
    pthread_mutex_unlock(&lock);
}

void double_heal(void)
{
    pthread_mutex_lock(&lock);
    memset(lost, 0, sizeof lost);
    memset(faults, 0, sizeof faults);
    pthread_mutex_unlock(&lock);
}

void double_set_delay(int microseconds)
{
    pthread_mutex_lock(&lock);
    delay = microseconds;
    pthread_mutex_unlock(&lock);
}

int double_delay(void)
{
    pthread_mutex_lock(&lock);
    const int now = delay;
    pthread_mutex_unlock(&lock);
    return now;
}

void double_lose(int device, gpu_result code)
{
    pthread_mutex_lock(&lock);
    lost[device] = code;
    pthread_mutex_unlock(&lock);
}

gpu_result double_state(int device)
{
    pthread_mutex_lock(&lock);
    const gpu_result code = device < 0 ? GPU_SUCCESS : lost[device];
    pthread_mutex_unlock(&lock);
    return code;
}

static gpu_result fault_of(const char *symbol, int device) /* under the lock */
{
    for (int i = 0; i < MAX_FAULTS; i++) {
        if (faults[i].times > 0 && strcmp(faults[i].symbol, symbol) == 0 &&
            (faults[i].device < 0 || faults[i].device == device) && faults[i].after-- <= 0) {
            faults[i].times--;
            return faults[i].code;
        }
    }
    return GPU_SUCCESS;
}

gpu_result double_enter(const char *symbol, int device)
{
    gpu_result code = DOUBLE_NOT_PERMITTED;
    if (!double_is_host_call) {
        pthread_mutex_lock(&lock);
        find(calls, symbol)->n++;
        code = fault_of(symbol, device);
        if (code == GPU_SUCCESS && device >= 0) {
            code = lost[device];
        }
        pthread_mutex_unlock(&lock);
    }
    return code;
}

gpu_result double_enter_current(const char *symbol, int *out_device)
{
    *out_device = double_current();
    if (*out_device < 0) {
        return DOUBLE_INVALID_CONTEXT;
    }
    return double_enter(symbol, *out_device);
}

bool double_fails_later(const char *symbol, int device, gpu_result *code)
{
    char name[64];
    snprintf(name, sizeof name, "%s()", symbol);
    pthread_mutex_lock(&lock);
    *code = fault_of(name, device);
    pthread_mutex_unlock(&lock);
    return *code != GPU_SUCCESS;
}
