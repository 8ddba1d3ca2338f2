/* SPDX-License-Identifier: Apache-2.0 */
/* An archive of files, in the form that POSIX calls ustar. */
#ifndef ORIBI_COMPILE_TAR_H_
#define ORIBI_COMPILE_TAR_H_

#include <stdint.h>

#include "base/text.h"

/* Appends one file. time: seconds since 1970. A name has at most 255 bytes, and a '/' where it can
 * be cut into 155 and 100, and there are less than 8 GiB; otherwise the text fails. */
void oribi_tar_add(oribi_text *out, const char *name, const void *data, size_t bytes, int64_t time);
void oribi_tar_end(oribi_text *out);

#endif
