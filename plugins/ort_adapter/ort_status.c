/* SPDX-License-Identifier: Apache-2.0 */
/* Statuses of ONNX Runtime's interface, texts that are asked for by size, and the logger. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ort_adapter.h"
#include "tensorflow/c/logging.h"

struct ort_status {
    int32_t code;
    char message[];
};

/* An object of this kind is never freed: there is nothing to make one of. */
static const struct {
    int32_t code;
    char message[16];
} no_memory = {ORT_FAIL, "out of memory"};

ort_status *oribi_ort_fail_memory(void)
{
    return (ort_status *)(uintptr_t)&no_memory;
}

ort_status *oribi_ort_CreateStatus(int32_t code, const char *message)
{
    const char *text = message ? message : "";
    const size_t length = strlen(text);
    ort_status *status = malloc(sizeof *status + length + 1);
    if (!status) {
        return oribi_ort_fail_memory();
    }
    status->code = code;
    memcpy(status->message, text, length + 1);
    return status;
}

ort_status *oribi_ort_fail(int32_t code, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return oribi_ort_CreateStatus(code, text);
}

int32_t oribi_ort_GetErrorCode(const ort_status *status)
{
    return status ? status->code : ORT_OK;
}

const char *oribi_ort_GetErrorMessage(const ort_status *status)
{
    return status ? status->message : "";
}

void oribi_ort_ReleaseStatus(ort_status *status)
{
    if (status != oribi_ort_fail_memory()) {
        free(status);
    }
}

ort_status *oribi_ort_from_status(const TF_Status *status)
{
    return TF_GetCode(status) == TF_OK ? NULL
                                       : oribi_ort_CreateStatus(ORT_FAIL, TF_Message(status));
}

static TF_Code code_of(int32_t code)
{
    switch (code) {
    case ORT_INVALID_ARGUMENT:
        return TF_INVALID_ARGUMENT;
    case ORT_NOT_IMPLEMENTED:
        return TF_UNIMPLEMENTED;
    case ORT_NOT_FOUND:
        return TF_NOT_FOUND;
    default:
        return TF_INTERNAL;
    }
}

void oribi_ort_to_status(ort_status *theirs, const char *what, TF_Status *status)
{
    char text[1024];
    snprintf(text, sizeof text, "%s: %s", what, oribi_ort_GetErrorMessage(theirs));
    TF_SetStatus(status,
                 theirs == oribi_ort_fail_memory() ? TF_RESOURCE_EXHAUSTED : code_of(theirs->code),
                 text);
    oribi_ort_ReleaseStatus(theirs);
}

ort_status *oribi_ort_give_text(const char *text, size_t length, char *out, size_t *bytes)
{
    const size_t room = *bytes;
    *bytes = length + 1;
    if (!out) {
        return NULL;
    }
    if (room < length + 1) {
        return oribi_ort_fail(ORT_INVALID_ARGUMENT, "%zu bytes are too few for a text of %zu", room,
                              length + 1);
    }
    memcpy(out, text, length);
    out[length] = '\0';
    return NULL;
}

ort_status *oribi_ort_Logger_LogMessage(const ort_logger *logger, int32_t level,
                                        const char *message, const char *file, int line,
                                        const char *function)
{
    (void)logger;
    (void)file;
    (void)line;
    (void)function;
    if (level >= ORT_LOG_WARNING) {
        TF_Log(level == ORT_LOG_WARNING ? TF_WARNING : TF_ERROR, "%s", message);
    } else {
        TF_VLog(level == ORT_LOG_INFO ? 1 : 2, "%s", message);
    }
    return NULL;
}

ort_status *oribi_ort_Logger_GetLoggingSeverityLevel(const ort_logger *logger, int32_t *out)
{
    (void)logger;
    *out = ORT_LOG_WARNING;
    return NULL;
}
