/* SPDX-License-Identifier: Apache-2.0 */
/* Platforms that are not there: plugins that answered UNAVAILABLE, since their hardware or its
 * driver is missing. What each said is kept, for whoever asks for such a device.
 */
#include <string.h>

#include "base/alloc.h"
#include "format/json.h"
#include "base/text.h"
#include "device/device_internal.h"

typedef struct absence {
    struct absence *next;
    char *provider, *reason;
} absence;

static oribi_mutex lock = ORIBI_MUTEX_INIT;
static absence *first;

static void destroy(absence *one)
{
    if (one != NULL) {
        oribi_free(one->provider);
        oribi_free(one->reason);
        oribi_free(one);
    }
}

static absence *find(const char *provider)
{
    absence *one = first;
    while (one != NULL && strcmp(one->provider, provider) != 0) {
        one = one->next;
    }
    return one;
}

void oribi_device_note_absent(const char *provider, const char *reason)
{
    absence *one = oribi_alloc_zero(1, sizeof *one);
    if (one != NULL) {
        one->provider = oribi_strdup(provider);
        one->reason = oribi_strdup(reason);
    }
    if (one == NULL || one->provider == NULL || one->reason == NULL) {
        destroy(one); /* it is only a hint */
        return;
    }
    oribi_mutex_lock(&lock);
    if (find(provider) == NULL) {
        one->next = first;
        first = one;
        one = NULL;
    }
    oribi_mutex_unlock(&lock);
    destroy(one);
}

void oribi_device_forget_absent(void)
{
    oribi_mutex_lock(&lock);
    for (absence *next; first != NULL; first = next) {
        next = first->next;
        destroy(first);
    }
    oribi_mutex_unlock(&lock);
}

void oribi__absent_tell(oribi_text *text)
{
    oribi_mutex_lock(&lock);
    for (const absence *one = first; one != NULL; one = one->next) {
        oribi_text_printf(text, "; left out: %s", one->reason);
    }
    oribi_mutex_unlock(&lock);
}

void oribi__absent_describe(oribi_json *json)
{
    oribi_mutex_lock(&lock);
    for (const absence *one = first; one != NULL; one = one->next) {
        oribi_json_open(json, '{');
        oribi_json_put_string(json, "name", "(none)");
        oribi_json_put_string(json, "provider", one->provider);
        oribi_json_put_string(json, "error", one->reason);
        oribi_json_close(json, '}');
    }
    oribi_mutex_unlock(&lock);
}
