/* SPDX-License-Identifier: Apache-2.0 */
/* NumPy's .npz: a zip of .npy members, stored or deflated; written stored. Zip64 is not read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "cli.h"
#include "format/utf8.h"

static void put(uint8_t **at, uint32_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        *(*at)++ = (uint8_t)(value >> 8 * i);
    }
}

/* In pieces, so that the time limit is seen. */
static bool inflate_member(const uint8_t *in, size_t in_bytes, uint8_t *out, size_t out_bytes,
                           const char *what)
{
    const size_t piece = 4u << 20;
    z_stream z = {.next_in = (Bytef *)(uintptr_t)in, .avail_in = (uInt)in_bytes, .next_out = out};
    size_t left = out_bytes;
    int code;

    if (inflateInit2(&z, -15) != Z_OK) {
        cli_no_memory(out_bytes);
    }
    do {
        size_t room = left < piece ? left : piece;
        z.avail_out = (uInt)room;
        code = inflate(&z, Z_NO_FLUSH);
        left -= room - z.avail_out;
    } while (code == Z_OK && left > 0 && z.avail_in > 0 && !cli_budget_is_late(what));
    if (code == Z_OK && left == 0) { /* the end mark takes no room */
        code = inflate(&z, Z_FINISH);
    }
    inflateEnd(&z);
    return code == Z_STREAM_END && left == 0;
}

static TF_Tensor *read_member(const uint8_t *zip, size_t bytes, const uint8_t *entry,
                              const char *what)
{
    uint32_t method = cli_little(entry + 10, 2), packed = cli_little(entry + 20, 4),
             plain = cli_little(entry + 24, 4);
    size_t local = cli_little(entry + 42, 4);

    if (local > bytes || bytes - local < 30 || cli_little(zip + local, 4) != 0x04034b50) {
        cli_error("%s: damaged zip: no member at byte %zu", what, local);
        return NULL;
    }
    size_t start = local + 30 + cli_little(zip + local + 26, 2) + cli_little(zip + local + 28, 2);
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
    if (!cli_budget_take(what, plain)) {
        return NULL;
    }
    uint8_t *out = cli_alloc(plain);
    TF_Tensor *tensor = NULL;
    if (inflate_member(zip + start, packed, out, plain, what)) {
        tensor = cli_npy_parse(out, plain, what);
    } else if (!cli_budget_is_late(what)) {
        cli_error("%s: the packed data at byte %zu is damaged", what, start);
    }
    free(out);
    cli_budget_give(plain);
    return tensor;
}

/* Offset of the central directory's end record, or bytes when there is none. */
static size_t find_end(const uint8_t *zip, size_t bytes)
{
    for (size_t back = 22; back <= bytes && back < 65600; back++) {
        if (cli_little(zip + bytes - back, 4) == 0x06054b50) {
            return bytes - back;
        }
    }
    return bytes;
}

/* Is this the name of the member, or that of its file? */
static bool is_named(const char *name, size_t name_length, const char *member)
{
    size_t length = strlen(member);

    return (name_length == length ||
            (name_length == length + 4 && memcmp(name + length, ".npy", 4) == 0)) &&
           memcmp(name, member, length) == 0;
}

/* Steps over the directory's entries: false at its end and, after a message, where it is damaged.
 */
typedef struct zip_directory {
    const uint8_t *zip;
    const char *path;
    size_t end, at, left;
    const uint8_t *entry; /* the present one; its name follows at 46 */
    size_t name_length;
    bool is_damaged;
} zip_directory;

static zip_directory open_directory(const uint8_t *zip, size_t bytes, const char *path)
{
    zip_directory d = {.zip = zip, .path = path, .end = bytes < 22 ? bytes : find_end(zip, bytes)};

    d.is_damaged = d.end == bytes;
    if (d.is_damaged) {
        cli_error("%s: not a .npz (zip) file", path);
    } else {
        d.at = cli_little(zip + d.end + 16, 4);
        d.left = cli_little(zip + d.end + 10, 2);
    }
    return d;
}

static bool next_entry(zip_directory *d)
{
    if (d->is_damaged || d->left == 0) {
        return false;
    }
    const bool is_whole =
        d->at <= d->end && d->end - d->at >= 46 && cli_little(d->zip + d->at, 4) == 0x02014b50;
    d->name_length = is_whole ? cli_little(d->zip + d->at + 28, 2) : 0;
    if (!is_whole || d->name_length > d->end - d->at - 46) {
        cli_error("%s: damaged zip directory at byte %zu", d->path, d->at);
        d->is_damaged = true;
        return false;
    }
    d->entry = d->zip + d->at;
    d->at += 46 + d->name_length + cli_little(d->entry + 30, 2) + cli_little(d->entry + 32, 2);
    d->left--;
    return true;
}

TF_Tensor *cli_npz_parse(const uint8_t *zip, size_t bytes, const char *path, const char *member)
{
    zip_directory d = open_directory(zip, bytes, path);

    while (next_entry(&d)) {
        if (member == NULL || is_named((const char *)d.entry + 46, d.name_length, member)) {
            return read_member(zip, bytes, d.entry, path);
        }
    }
    if (!d.is_damaged) {
        cli_error("%s: there is no member '%s'", path, member == NULL ? "" : member);
    }
    return NULL;
}

bool cli_npz_each(const char *path, void (*hook)(void *arg, const char *name, TF_Tensor *tensor),
                  void *arg)
{
    size_t bytes;
    uint8_t *zip = cli_read_file(path, &bytes);
    if (zip == NULL) {
        return false;
    }
    zip_directory d = open_directory(zip, bytes, path);

    while (next_entry(&d)) {
        const char *name = (const char *)d.entry + 46;
        const size_t length = d.name_length;
        const bool has_end = length > 4 && memcmp(name + length - 4, ".npy", 4) == 0;
        TF_Tensor *tensor = read_member(zip, bytes, d.entry, path);
        if (tensor == NULL) {
            d.is_damaged = true;
            break;
        }
        char *copy = cli_copy_text(name, has_end ? length - 4 : length);
        hook(arg, copy, tensor);
        free(copy);
    }
    free(zip);
    return !d.is_damaged;
}

TF_Tensor *cli_npz_read(const char *path, const char *member)
{
    size_t bytes;
    uint8_t *zip = cli_read_file(path, &bytes);
    TF_Tensor *tensor = zip == NULL ? NULL : cli_npz_parse(zip, bytes, path, member);

    free(zip);
    return tensor;
}

typedef struct member {
    uint8_t *npy;
    char *name;
    size_t bytes, name_bytes;
    uint32_t crc, offset;
    bool is_utf8; /* the name is not ASCII alone */
} member;

enum { UTF8_NAME = 1 << 11 };

static void put_header(uint8_t **at, const member *m, bool central)
{
    put(at, central ? 0x02014b50 : 0x04034b50, 4);
    put(at, 20, 2);
    if (central) {
        put(at, 20, 2);
    }
    put(at, m->is_utf8 ? UTF8_NAME : 0, 2);
    put(at, 0, 2);
    put(at, 0, 2);
    put(at, 33, 2); /* 1 January 1980: same outputs, same bytes */
    put(at, m->crc, 4);
    put(at, (uint32_t)m->bytes, 4);
    put(at, (uint32_t)m->bytes, 4);
    put(at, (uint32_t)m->name_bytes, 2);
    put(at, 0, 2);
    if (central) {
        put(at, 0, 4);
        put(at, 0, 2);
        put(at, 0, 4);
        put(at, m->offset, 4);
    }
    memcpy(*at, m->name, m->name_bytes);
    *at += m->name_bytes;
}

/* Is the byte one that a name of a member may not have as it is? Archives are unpacked by anybody's
 * program: a member stays in the folder, and no two names become one. */
static bool is_escaped(const char *name, size_t i)
{
    const char c = name[i];

    if ((unsigned char)c < 0x20 || c == 0x7f || c == '%' || c == '\\') {
        return true;
    }
    if (c == '/') {
        return i == 0;
    }
    /* ".." that is all between two slashes */
    size_t from = i, to = i;
    while (from > 0 && name[from - 1] != '/') {
        from--;
    }
    while (name[to] != 0 && name[to] != '/') {
        to++;
    }
    return c == '.' && to - from == 2 && name[from] == '.' && name[from + 1] == '.';
}

/* The output's name with escapes such as %2E, and ".npy"; the caller frees it. */
static void name_member(const char *name, member *m)
{
    const size_t room = 3 * strlen(name) + 5, length = strlen(name);
    size_t n = 0;

    m->name = cli_alloc(room);
    for (size_t i = 0; i < length;) {
        size_t taken = oribi_utf8_bytes(name + i, length - i);
        bool is_c1 = taken == 2 && name[i] == '\xc2' && (unsigned char)name[i + 1] < 0xa0;
        if (taken == 0 || is_c1 || (taken == 1 && is_escaped(name, i))) {
            for (size_t end = i + (taken == 0 ? 1 : taken); i < end; i++) {
                n += (size_t)snprintf(m->name + n, room - n, "%%%02X", (unsigned char)name[i]);
            }
            continue;
        }
        m->is_utf8 = m->is_utf8 || taken > 1;
        memcpy(m->name + n, name + i, taken);
        n += taken;
        i += taken;
    }
    memcpy(m->name + n, ".npy", 5);
    m->name_bytes = n + 4;
}

static int by_name(const void *a, const void *b)
{
    const member *const *left = a, *const *right = b;
    const int order = strcmp((*left)->name, (*right)->name);

    return order != 0 ? order : (*left > *right) - (*left < *right);
}

/* Names that the library's copy made one (it has '?' for control bytes) become two again: the later
 * outputs get a number, behind a sign that no name of a member has otherwise. */
static void tell_apart(member *members, int n)
{
    member **sorted = cli_alloc((size_t)n * sizeof *sorted);

    for (int i = 0; i < n; i++) {
        sorted[i] = &members[i];
    }
    qsort(sorted, (size_t)n, sizeof *sorted, by_name);
    for (int i = n - 1; i > 0; i--) {
        member *m = sorted[i];
        if (strcmp(sorted[i - 1]->name, m->name) == 0) {
            const size_t room = m->name_bytes + 24;
            char *name = cli_alloc(room);
            m->name_bytes = (size_t)snprintf(name, room, "%.*s%%23%d.npy", (int)m->name_bytes - 4,
                                             m->name, (int)(m - members));
            free(m->name);
            m->name = name;
        }
    }
    free(sorted);
}

static bool make_members(const char *const *names, TF_Tensor *const *tensors, int n,
                         member *members, size_t *total)
{
    *total = 22;
    for (int i = 0; i < n; i++) {
        name_member(names[i], &members[i]);
    }
    tell_apart(members, n);
    for (int i = 0; i < n; i++) {
        member *m = &members[i];
        m->npy = cli_npy_format(tensors[i], &m->bytes);
        if (m->npy == NULL) {
            return false;
        }
        *total += m->bytes + 76 + 2 * m->name_bytes;
        if (*total > UINT32_MAX || m->name_bytes > UINT16_MAX || n >= UINT16_MAX) {
            cli_error("the outputs do not fit in an .npz: it holds less than 4 GiB, fewer than "
                      "65534 outputs and names below 64 KiB");
            return false;
        }
        m->crc = (uint32_t)crc32_z(0, m->npy, m->bytes);
    }
    return true;
}

static size_t put_members(member *members, int n, uint8_t *zip)
{
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
    return (size_t)(at - zip);
}

uint8_t *cli_npz_format(const char *const *names, TF_Tensor *const *tensors, int n,
                        size_t *out_bytes)
{
    member *members = cli_alloc((size_t)n * sizeof *members);
    uint8_t *zip = NULL;
    size_t total;

    if (make_members(names, tensors, n, members, &total)) {
        zip = cli_alloc(total);
        *out_bytes = put_members(members, n, zip);
    }
    for (int i = 0; i < n; i++) {
        free(members[i].npy);
        free(members[i].name);
    }
    free(members);
    return zip;
}
