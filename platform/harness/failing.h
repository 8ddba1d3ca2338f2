/* SPDX-License-Identifier: Apache-2.0 */
/* `oribi verify --failing-hooks`: each hook that a run calls fails in turn, and after each failure
 * the devices must do as if nothing had been. */
#ifndef ORIBI_PLATFORM_HARNESS_FAILING_H_
#define ORIBI_PLATFORM_HARNESS_FAILING_H_

#include <stdint.h>

enum { ORIBI_FAILING_CODE = 4711 }; /* none of tvm/runtime/device.h */

/* Runs until no hook is left to fail; what that last run returns. A run that ends with anything but
 * the failure's code is the last one, too: the failure before it has left something behind. */
int32_t oribi_failing_run(int32_t (*run)(void));

#endif
