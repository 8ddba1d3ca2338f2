/* SPDX-License-Identifier: Apache-2.0 */
/* Log lines of a plugin: they go where the application's log goes (oribi_set_log). */
#ifndef ORIBI_TENSORFLOW_C_LOGGING_H_
#define ORIBI_TENSORFLOW_C_LOGGING_H_

#include "tensorflow/c/c_api_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum TF_LogLevel { TF_INFO = 0, TF_WARNING = 1, TF_ERROR = 2, TF_FATAL = 3 } TF_LogLevel;

/* One line, formatted as by printf; any thread. TF_FATAL does not end the process here: it is
 * logged as an error, since a library never takes its application down. */
TF_CAPI_EXPORT extern void TF_Log(TF_LogLevel level, const char *fmt, ...);

/* Line of verbosity `level`, shown when the environment's TF_CPP_MAX_VLOG_LEVEL is at least that.
 */
TF_CAPI_EXPORT extern void TF_VLog(int level, const char *fmt, ...);

/* The same; TensorFlow drops it in release builds, and so does this library. */
TF_CAPI_EXPORT extern void TF_DVLog(int level, const char *fmt, ...);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ORIBI_TENSORFLOW_C_LOGGING_H_ */
