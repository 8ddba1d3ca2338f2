/* SPDX-License-Identifier: Apache-2.0 */
/* NumPy's .npz: a zip of .npy members, stored or deflated; written stored. Zip64 is not read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "cli.h"

static uint32_t get(const uint8_t *at, int bytes)
{
    uint32_t value = 0;

    for (int i = 0; i < bytes; i++) {
        value |= (uint32_t)at[i] << 8 * i;
    }
    return value;
}

static void put(uint8_t **at, uint32_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        *(*at)++ = (uint8_t)(value >> 8 * i);
    }
}

static bool inflate_member(const uint8_t *in, size_t in_bytes, uint8_t *out, size_t out_bytes)
{
    z_stream z = {.next_in = (Bytef *)(uintptr_t)in,
                  .avail_in = (uInt)in_bytes,
                  .next_out = out,
                  .avail_out = (uInt)out_bytes};

    if (inflateInit2(&z, -15) != Z_OK) {
        return false;
    }
    int code = inflate(&z, Z_FINISH);
    inflateEnd(&z);
    return code == Z_STREAM_END && z.avail_out == 0;
}

static TF_Tensor *read_member(const uint8_t *zip, size_t bytes, const uint8_t *entry,
                              const char *what)
{
    uint32_t method = get(entry + 10, 2), packed = get(entry + 20, 4), plain = get(entry + 24, 4);
    size_t local = get(entry + 42, 4);

    if (local > bytes || bytes - local < 30 || get(zip + local, 4) != 0x04034b50) {
        cli_error("%s: damaged zip: no member at byte %zu", what, local);
        return NULL;
    }
    size_t start = local + 30 + get(zip + local + 26, 2) + get(zip + local + 28, 2);
    if (start > bytes || packed > bytes - start || (method == 0 && packed != plain)) {
        cli_error("%s: damaged zip: the member at byte %zu is cut off", what, local);
        return NULL;
    }
    if (method == 0) {
        return cli_npy_parse(zip + start, packed, what);
    }
    if (method != 8 || plain / 1032 > packed) { /* deflate never packs better than 1032 */
        cli_error("%s: the member at byte %zu is packed in a way that is not supported", what,
                  local);
        return NULL;
    }
    uint8_t *out = cli_alloc(plain);
    TF_Tensor *tensor = NULL;
    if (inflate_member(zip + start, packed, out, plain)) {
        tensor = cli_npy_parse(out, plain, what);
    } else {
        cli_error("%s: the packed data at byte %zu is damaged", what, start);
    }
    free(out);
    return tensor;
}

/* Offset of the central directory's end record, or bytes when there is none. */
static size_t find_end(const uint8_t *zip, size_t bytes)
{
    for (size_t back = 22; back <= bytes && back < 65600; back++) {
        if (get(zip + bytes - back, 4) == 0x06054b50) {
            return bytes - back;
        }
    }
    return bytes;
}

TF_Tensor *cli_npz_read(const char *path, const char *member)
{
    size_t bytes, length = member == NULL ? 0 : strlen(member);
    uint8_t *zip = cli_read_file(path, &bytes);
    TF_Tensor *tensor = NULL;

    if (zip == NULL) {
        return NULL;
    }
    size_t end = bytes < 22 ? bytes : find_end(zip, bytes);
    if (end == bytes) {
        cli_error("%s: not a .npz (zip) file", path);
        free(zip);
        return NULL;
    }
    size_t at = get(zip + end + 16, 4), count = get(zip + end + 10, 2);
    bool found = false;
    for (size_t i = 0; i < count && !found; i++) {
        if (at > end || end - at < 46 || get(zip + at, 4) != 0x02014b50) {
            cli_error("%s: damaged zip directory at byte %zu", path, at);
            goto done;
        }
        size_t name_length = get(zip + at + 28, 2);
        if (name_length > end - at - 46) {
            cli_error("%s: damaged zip directory at byte %zu", path, at);
            goto done;
        }
        const char *name = (const char *)zip + at + 46;
        if (member == NULL || (name_length == length && memcmp(name, member, length) == 0) ||
            (name_length == length + 4 && memcmp(name, member, length) == 0 &&
             memcmp(name + length, ".npy", 4) == 0)) {
            found = true;
            tensor = read_member(zip, bytes, zip + at, path);
        }
        at += 46 + name_length + get(zip + at + 30, 2) + get(zip + at + 32, 2);
    }
    if (!found) {
        cli_error("%s: no member '%s'", path, member == NULL ? "" : member);
    }
done:
    free(zip);
    return tensor;
}

typedef struct member {
    uint8_t *npy;
    size_t bytes;
    uint32_t crc, offset;
    char name[256];
} member;

static void put_header(uint8_t **at, const member *m, bool central)
{
    put(at, central ? 0x02014b50 : 0x04034b50, 4);
    put(at, 20, 2);
    if (central) {
        put(at, 20, 2);
    }
    put(at, 0, 2);
    put(at, 0, 2);
    put(at, 0, 2);
    put(at, 33, 2); /* 1 January 1980: same outputs, same bytes */
    put(at, m->crc, 4);
    put(at, (uint32_t)m->bytes, 4);
    put(at, (uint32_t)m->bytes, 4);
    put(at, (uint32_t)strlen(m->name), 2);
    put(at, 0, 2);
    if (central) {
        put(at, 0, 4);
        put(at, 0, 2);
        put(at, 0, 4);
        put(at, m->offset, 4);
    }
    memcpy(*at, m->name, strlen(m->name));
    *at += strlen(m->name);
}

bool cli_npz_write(const char *path, const char *const *names, TF_Tensor *const *tensors, int n,
                   bool force)
{
    member *members = cli_alloc((size_t)n * sizeof *members);
    size_t total = 22;
    bool good = false;
    uint8_t *zip = NULL;

    for (int i = 0; i < n; i++) {
        member *m = &members[i];
        snprintf(m->name, sizeof m->name, "%.240s.npy", names[i]);
        for (char *c = m->name; *c != 0; c++) {
            *c = *c == '/' || *c == '\\' ? '_' : *c; /* a member never leaves its folder */
        }
        m->npy = cli_npy_format(tensors[i], &m->bytes);
        if (m->npy == NULL || m->bytes > UINT32_MAX / 2) {
            goto done;
        }
        m->crc = (uint32_t)crc32(0, m->npy, (uInt)m->bytes);
        total += m->bytes + 76 + 2 * strlen(m->name);
    }
    if (total > UINT32_MAX) {
        cli_error("%s: more than 4 GiB do not fit in a .npz", path);
        goto done;
    }
    zip = cli_alloc(total);
    uint8_t *at = zip;
    for (int i = 0; i < n; i++) {
        members[i].offset = (uint32_t)(at - zip);
        put_header(&at, &members[i], false);
        memcpy(at, members[i].npy, members[i].bytes);
        at += members[i].bytes;
    }
    uint32_t directory = (uint32_t)(at - zip);
    for (int i = 0; i < n; i++) {
        put_header(&at, &members[i], true);
    }
    uint32_t directory_bytes = (uint32_t)(at - zip) - directory;
    put(&at, 0x06054b50, 4);
    put(&at, 0, 4);
    put(&at, (uint32_t)n, 2);
    put(&at, (uint32_t)n, 2);
    put(&at, directory_bytes, 4);
    put(&at, directory, 4);
    put(&at, 0, 2);
    good = cli_write_file(path, zip, (size_t)(at - zip), force);
done:
    for (int i = 0; i < n; i++) {
        free(members[i].npy);
    }
    free(members);
    free(zip);
    return good;
}
