/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that detections need. Host only. */
#ifndef ORIBI_MICRO_DETECTION_PREPARE_H_
#define ORIBI_MICRO_DETECTION_PREPARE_H_

#include "micro/index/detection.h"

/* Candidates that are kept, and as many to merge. */
static inline int64_t oribi_micro_detection_room(const struct oribi_micro_detection_args *args)
{
    const int64_t places = (int64_t)args->most * args->classes_each;
    return (places > args->boxes ? places : args->boxes) + args->most;
}

static inline int64_t oribi_micro_detection_scratch(const struct oribi_micro_detection_args *args)
{
    const int64_t found = args->boxes + 2 * oribi_micro_detection_room(args);
    return found * (int64_t)sizeof(struct oribi_micro_found) + 16 * (int64_t)args->boxes;
}

#endif
