/* SPDX-License-Identifier: Apache-2.0 */
/* Accounts: what one session may take of a device, and in which kind of memory. Not here: the
 * memory (block.c).
 */
#include <inttypes.h>

#include "base/alloc.h"
#include "device/device_internal.h"

oribi_device_account *oribi_device_account_create(oribi_device *device, uint64_t max_bytes,
                                                  bool is_unified, TF_Status *status)
{
    if (is_unified && !device->platform->parts.platform.supports_unified_memory) {
        oribi_fail(status, TF_UNIMPLEMENTED,
                   "device %s: its plugin has no unified memory; make the session without "
                   "oribi_options_set_unified_memory (--unified-memory)",
                   device->name);
        return NULL;
    }
    oribi_device_account *account = oribi_claim_zero(1, sizeof *account, status);
    if (account == NULL) {
        return NULL;
    }
    atomic_init(&account->references, 1);
    atomic_init(&account->used, 0);
    account->max_bytes = max_bytes;
    account->is_unified = is_unified;
    return account;
}

void oribi_device_account_release(oribi_device_account *account)
{
    if (account != NULL &&
        atomic_fetch_sub_explicit(&account->references, 1, memory_order_acq_rel) == 1) {
        oribi_free(account);
    }
}

uint64_t oribi_device_account_used(const oribi_device_account *account)
{
    return atomic_load_explicit(&((oribi_device_account *)account)->used, memory_order_relaxed);
}

static bool fail_limit(const oribi_device *device, const oribi_device_account *account,
                       uint64_t bytes, uint64_t used, TF_Status *status)
{
    return oribi_fail(status, TF_RESOURCE_EXHAUSTED,
                      "device %s: %" PRIu64 " bytes more than the %" PRIu64
                      " that the session has there would pass its limit of %" PRIu64
                      "; raise it with oribi_options_set_device_max_bytes (--device-max-bytes)",
                      device->name, bytes, used, account->max_bytes);
}

static bool is_within(const oribi_device_account *account, uint64_t bytes, uint64_t used)
{
    return bytes <= account->max_bytes && used <= account->max_bytes - bytes;
}

bool oribi_device_account_check(const oribi_device *device, const oribi_device_account *account,
                                uint64_t others, uint64_t bytes, TF_Status *status)
{
    return is_within(account, bytes, others) || fail_limit(device, account, bytes, others, status);
}

bool oribi__account_charge(const oribi_device *device, oribi_device_account *account,
                           uint64_t bytes, TF_Status *status)
{
    if (account == NULL) {
        return true;
    }
    uint64_t used = oribi_device_account_used(account);
    do {
        if (!is_within(account, bytes, used)) {
            return fail_limit(device, account, bytes, used, status);
        }
    } while (!atomic_compare_exchange_weak_explicit(&account->used, &used, used + bytes,
                                                    memory_order_relaxed, memory_order_relaxed));
    atomic_fetch_add_explicit(&account->references, 1, memory_order_relaxed);
    return true;
}

void oribi__account_discharge(oribi_device_account *account, uint64_t bytes)
{
    if (account != NULL) {
        atomic_fetch_sub_explicit(&account->used, bytes, memory_order_relaxed);
        oribi_device_account_release(account);
    }
}
