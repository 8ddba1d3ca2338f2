/* SPDX-License-Identifier: Apache-2.0 */
/* See number.h: strtod and snprintf of the C library, told to use the C locale. */
#include "base/number.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

/* Made once and kept; 0 when there is no memory, then the application's locale decides. */
static locale_t c_locale(void)
{
    static locale_t kept;
    locale_t locale = __atomic_load_n(&kept, __ATOMIC_ACQUIRE), expected = (locale_t)0;
    if (locale != (locale_t)0) {
        return locale;
    }
    locale = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (locale != (locale_t)0 && !__atomic_compare_exchange_n(&kept, &expected, locale, 0,
                                                              __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        freelocale(locale); /* another thread was faster */
        locale = expected;
    }
    return locale;
}

double oribi_number_parse(const char *text, char **out_end)
{
    const locale_t locale = c_locale();
    return locale == (locale_t)0 ? strtod(text, out_end) : strtod_l(text, out_end, locale);
}

float oribi_number_parse_float(const char *text, char **out_end)
{
    const locale_t locale = c_locale();
    return locale == (locale_t)0 ? strtof(text, out_end) : strtof_l(text, out_end, locale);
}

void oribi_number_print(double value, int precision, char out[ORIBI_NUMBER_TEXT])
{
    const locale_t locale = c_locale();
    const locale_t before = locale == (locale_t)0 ? locale : uselocale(locale);
    (void)snprintf(out, ORIBI_NUMBER_TEXT, "%.*g", precision, value);
    if (locale != (locale_t)0) {
        (void)uselocale(before);
    }
}
