/* SPDX-License-Identifier: Apache-2.0 */
/* Of Arm's core driver for Ethos-U NPUs, what ethos_u.c calls. Its own header is taken where the
 * include path has it. */
#ifndef ORIBI_PLATFORM_ETHOS_U_CORE_API_H_
#define ORIBI_PLATFORM_ETHOS_U_CORE_API_H_

#if defined(__has_include)
#if __has_include(<ethosu_driver.h>)
#define ETHOS_U_HAS_CORE_DRIVER
#include <ethosu_driver.h>
#endif
#endif

#if !defined(ETHOS_U_HAS_CORE_DRIVER)
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ethosu_driver;

int ethosu_request_power(struct ethosu_driver *drv);
void ethosu_release_power(struct ethosu_driver *drv);
int ethosu_invoke_v3(struct ethosu_driver *drv, const void *custom_data_ptr,
                     const int custom_data_size, uint64_t *const base_addr,
                     const size_t *base_addr_size, const int num_base_addr, void *user_arg);
int ethosu_invoke_async(struct ethosu_driver *drv, const void *custom_data_ptr,
                        const int custom_data_size, uint64_t *const base_addr,
                        const size_t *base_addr_size, const int num_base_addr, void *user_arg);
int ethosu_wait(struct ethosu_driver *drv, bool block);
void *ethosu_mutex_create(void);
void ethosu_mutex_destroy(void *mutex);
int ethosu_mutex_lock(void *mutex);
int ethosu_mutex_unlock(void *mutex);
#endif

/* Has the NPU power? Drivers from before 2023 return a bool that is true then: define this as
 * (code). */
#ifndef ETHOS_U_IS_POWERED
#define ETHOS_U_IS_POWERED(code) ((code) == 0)
#endif

#endif
