/* SPDX-License-Identifier: Apache-2.0 */
/* Log: library code never prints; it calls the hook the application set (default: warnings and
 * errors to stderr). */
#ifndef ORIBI_BASE_LOG_H_
#define ORIBI_BASE_LOG_H_

enum { ORIBI_LOG_INFO = 0, ORIBI_LOG_WARNING = 1, ORIBI_LOG_ERROR = 2 };

typedef void (*oribi_log_hook)(void *arg, int level, const char *message);
void oribi_log_set_hook(oribi_log_hook hook, void *arg); /* NULL restores the default */
/* Hears each message, whatever its level and beside the hook; for the rest of the process. Of more
 * than eight the others are left out. */
void oribi_log_add_listener(void (*listener)(const char *message));
void oribi_log(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
