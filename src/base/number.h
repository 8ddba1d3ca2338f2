/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers with a fraction as text, with a point, whatever the locale of the application: a comma
 * locale must not change what 0.5 means, nor what is written into JSON, C and op definitions.
 */
#ifndef ORIBI_BASE_NUMBER_H_
#define ORIBI_BASE_NUMBER_H_

enum { ORIBI_NUMBER_TEXT = 40 };

/* strtod and strtof. */
double oribi_number_parse(const char *text, char **out_end);
float oribi_number_parse_float(const char *text, char **out_end);
/* "%.*g" of 1 to 17 digits. */
void oribi_number_print(double value, int precision, char out[ORIBI_NUMBER_TEXT]);

#endif
