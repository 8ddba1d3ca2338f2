/* SPDX-License-Identifier: Apache-2.0 */
/* What Windows calls by other names: paths in UTF-16, errors by numbers of its own. */
#ifndef ORIBI_BASE_WINDOWS_TEXT_H_
#define ORIBI_BASE_WINDOWS_TEXT_H_

#include <wchar.h>

/* UTF-8 as UTF-16 and back, newly allocated (oribi_free). NULL: no memory, or no such text. */
wchar_t *oribi_windows_wide(const char *text);
char *oribi_windows_narrow(const wchar_t *text);
/* The errno of GetLastError's number; never 0. */
int oribi_windows_errno(unsigned long code);

#endif
