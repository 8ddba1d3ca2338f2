/* SPDX-License-Identifier: Apache-2.0 */
/* See number.h: the C library's functions with a locale of Windows's kind. */
#include "base/number.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Made once and kept; NULL when there is no memory, then the application's locale decides. */
static _locale_t c_locale(void)
{
    static _locale_t kept;
    _locale_t locale = __atomic_load_n(&kept, __ATOMIC_ACQUIRE), expected = NULL;
    if (locale != NULL) {
        return locale;
    }
    locale = _create_locale(LC_NUMERIC, "C");
    if (locale != NULL && !__atomic_compare_exchange_n(&kept, &expected, locale, 0,
                                                       __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        _free_locale(locale); /* another thread was faster */
        locale = expected;
    }
    return locale;
}

double oribi_number_parse(const char *text, char **out_end)
{
    const _locale_t locale = c_locale();
    return locale == NULL ? strtod(text, out_end) : _strtod_l(text, out_end, locale);
}

/* Of decimal digits that a float has, a double's rounding first is what differs, in one of 10^8. */
float oribi_number_parse_float(const char *text, char **out_end)
{
    return (float)oribi_number_parse(text, out_end);
}

void oribi_number_print(double value, int precision, char out[ORIBI_NUMBER_TEXT])
{
    (void)snprintf(out, ORIBI_NUMBER_TEXT, "%.*g", precision, value);
    char *comma = strchr(out, ',');
    if (comma != NULL) {
        *comma = '.';
    }
}
