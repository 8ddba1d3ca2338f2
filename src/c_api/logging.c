/* SPDX-License-Identifier: Apache-2.0 */
/* Log lines of plugins (logging.h) into the one log of the process. */
#include "tensorflow/c/logging.h"
#include "tensorflow/c/c_api.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/text.h"

static void write_line(int level, const char *format, va_list args)
{
    oribi_text line = {0};

    oribi_text_vprintf(&line, format, args);
    oribi_log(level, "%s", oribi_text_string(&line));
    oribi_text_destroy(&line);
}

void TF_Log(TF_LogLevel level, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    write_line((int)level >= (int)TF_ERROR ? ORIBI_LOG_ERROR : (int)level, fmt, args);
    va_end(args);
}

void TF_RegisterLogListener(void (*listener)(const char *))
{
    oribi_log_add_listener(listener);
}

void TF_VLog(int level, const char *fmt, ...)
{
    const char *limit = getenv("TF_CPP_MAX_VLOG_LEVEL");
    va_list args;

    if (limit == NULL || atoi(limit) < level) {
        return;
    }
    va_start(args, fmt);
    write_line(ORIBI_LOG_INFO, fmt, args);
    va_end(args);
}

void TF_DVLog(int level, const char *fmt, ...)
{
    (void)level;
    (void)fmt;
}
