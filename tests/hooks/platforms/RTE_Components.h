/* SPDX-License-Identifier: Apache-2.0 */
/* What CMSIS asks its user for: the device. */
#ifndef RTE_COMPONENTS_H
#define RTE_COMPONENTS_H

#define CMSIS_device_header "ARMCM4_FP.h"

#endif
