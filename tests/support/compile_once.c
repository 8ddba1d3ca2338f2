/* SPDX-License-Identifier: Apache-2.0 */
/* A compiler for the tests of emitted C that compiles a text once: hundreds of programs carry the
 * same kernels.
 *
 * A folder with links of the compilers' names to this program stands first in PATH of those tests.
 * A source whose text after preprocessing, flags and compiler were seen before is taken from
 * ORIBI_OBJECTS (where its files are all as before, without preprocessing: once_sources.c), with
 * the frames that gcc notes beside it when it is told -fcallgraph-info; what
 * the compiler says something about, and any command that does more than compile and link (-E, -S,
 * -M…, -x, a file of options, an .incbin), goes to the compiler as it is. A program, no script: a
 * test that verifies a model calls it fifty times.
 */
#define _GNU_SOURCE
#include "once_text.h"

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PIECE = 1 << 16 };

/* What is asked for: which arguments are sources, and what they are compiled with. */
typedef struct plan {
    const char **flags, *output;
    int *sources;
    int n_flags, n_sources;
    bool has_c, has_frames;
} plan;

static const char *compiler;

static void *make(size_t count, size_t size)
{
    void *block = calloc(count, size);
    if (!block) {
        fputs("compile_once: out of memory\n", stderr);
        exit(1);
    }
    return block;
}

bool starts(const char *word, const char *const *list)
{
    while (*list && strncmp(word, *list, strlen(*list)) != 0) {
        list++;
    }
    return *list;
}

bool is_in(const char *word, const char *const *list)
{
    while (*list && strcmp(word, *list) != 0) {
        list++;
    }
    return *list;
}

/* Takes our folder out of PATH, and finds who has our name there. A link is not followed: clang++
 * is clang under a name that says C++. */
static void find_compiler(const char *called)
{
    const char *slash = strrchr(called, '/');
    const char *name = slash ? slash + 1 : called;
    char here[PATH_MAX], real[PATH_MAX], *path = strdup(getenv("PATH") ? getenv("PATH") : "");
    char *rest = make(strlen(path) + 2, 1), *save = NULL;
    const ssize_t n = readlink("/proc/self/exe", here, sizeof here - 1);
    here[n < 0 ? 0 : n] = '\0';
    *(strrchr(here, '/') ? strrchr(here, '/') : here) = '\0';
    for (char *folder = strtok_r(path, ":", &save); folder; folder = strtok_r(NULL, ":", &save)) {
        if (realpath(folder, real) && strcmp(real, here) == 0) {
            continue;
        }
        strcat(strcat(rest, rest[0] ? ":" : ""), folder);
        char *found = make(strlen(folder) + strlen(name) + 2, 1);
        sprintf(found, "%s/%s", folder, name);
        compiler = !compiler && access(found, X_OK) == 0 ? found : compiler;
    }
    if (!compiler) {
        fprintf(stderr, "%s: no such compiler on the path behind this one\n", called);
        exit(1);
    }
    setenv("PATH", rest, 1);
}

static bool is_source(const char *word)
{
    const char *end = strrchr(word, '.');
    return word[0] != '-' && end && is_in(end, (const char *const[]){".c", ".cc", ".cpp", NULL});
}

/* False: the command is not ours. */
static bool parse(int argc, char **argv, plan *p)
{
    static const char *const with_value[] = {
        "-o", "-I", "-isystem", "-iquote", "-idirafter", "-include", "-imacros",
        "-D", "-U", "-T",       "-L",      "-Xlinker",   "-z",       NULL};
    static const char *const link_only[] = {"-T",
                                            "-L",
                                            "-Xlinker",
                                            "-z",
                                            "-shared",
                                            "-static",
                                            "-nostdlib",
                                            "-nostartfiles",
                                            "-nodefaultlibs",
                                            "-rdynamic",
                                            "-pie",
                                            "-no-pie",
                                            "-r",
                                            "-c",
                                            NULL};
    static const char *const link_words[] = {"-l", "-L", "-T", "-Wl,", NULL};
    static const char *const not_ours[] = {"-E",
                                           "-S",
                                           "-M",
                                           "-x",
                                           "-fsyntax-only",
                                           "-save-temps",
                                           "-fstack-usage",
                                           "-fdump",
                                           "-flto",
                                           "-ftime",
                                           "-v",
                                           "-#",
                                           "@",
                                           "--coverage",
                                           "-fprofile",
                                           "-dump",
                                           "-print",
                                           "-gsplit",
                                           "-g3",
                                           "-Wp,",
                                           "-Wa,",
                                           NULL};
    p->flags = make((size_t)argc, sizeof *p->flags);
    p->sources = make((size_t)argc, sizeof *p->sources);
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        const int more = is_in(word, with_value);
        if (starts(word, not_ours) || strcmp(word, "-") == 0 || i + more >= argc ||
            (strncmp(word, "-o", 2) == 0 && word[2])) {
            return false;
        }
        p->has_c = p->has_c || strcmp(word, "-c") == 0;
        p->has_frames = p->has_frames || strncmp(word, "-fcallgraph-info", 16) == 0;
        if (strcmp(word, "-o") == 0) {
            p->output = argv[i + 1];
        } else if (is_source(word)) {
            p->sources[p->n_sources++] = i;
        } else if (word[0] == '-' && !is_in(word, link_only) && !starts(word, link_words)) {
            p->flags[p->n_flags++] = word;
            if (more) {
                p->flags[p->n_flags++] = argv[i + 1];
            }
        }
        i += more;
    }
    const char *end = p->output ? strrchr(p->output, '.') : NULL;
    return p->n_sources > 0 && p->output && (!p->has_c || p->n_sources == 1) &&
           (!p->has_frames || (p->has_c && end && strcmp(end, ".o") == 0));
}

/* Exit code of the compiler with those flags and the last words. What it writes to `fd` is out; its
 * complaints too when there is to be all, and nowhere else. */
static int run(const plan *p, const char *const *last, text *out, bool wants_all)
{
    const char **words = make((size_t)p->n_flags + 8, sizeof *words);
    int ends[2], n = 0, status = -1;
    size_t room = 0;
    ssize_t got = 0;
    words[n++] = compiler;
    for (int i = 0; i < p->n_flags; i++) {
        words[n++] = p->flags[i];
    }
    while (*last) {
        words[n++] = *last++;
    }
    const pid_t child = pipe(ends) == 0 ? vfork() : -1;
    if (child < 0) {
        return -1;
    }
    if (child == 0) {
        const int nowhere = wants_all ? ends[1] : open("/dev/null", O_WRONLY);
        dup2(ends[1], STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
        close(ends[0]);
        execv(compiler, (char **)words);
        _exit(127);
    }
    close(ends[1]);
    do {
        out->length += (size_t)got;
        if (room - out->length < PIECE) {
            room = 2 * room + 2 * PIECE;
            out->data = realloc(out->data, room);
        }
        got = out->data ? read(ends[0], out->data + out->length, room - out->length - 1) : -1;
    } while (got > 0);
    close(ends[0]);
    free(words);
    return waitpid(child, &status, 0) == child && got == 0 && WIFEXITED(status)
               ? WEXITSTATUS(status)
               : -1;
}

void hash_add(hash *h, const char *bytes, size_t n)
{
    const hash prime = ((hash)1 << 88) + 0x13b;
    for (size_t i = 0; i < n; i++) {
        *h = (*h ^ (unsigned char)bytes[i]) * prime;
    }
}

/* The name in a line `# 12 "folder/name" 1 ...`, which says where the text behind it stands; else
 * NULL. */
static const char *place_of(const char *line)
{
    const size_t number = line[0] == '#' && line[1] == ' ' ? strspn(line + 2, "0123456789") : 0;
    return number > 0 && strncmp(line + 2 + number, " \"", 2) == 0 ? line + number + 4 : NULL;
}

/* A place where no text stands, as a header of macros leaves it. The system's (flag 3) count: the
 * compiler forgives their macros more. */
static bool is_empty_place(const char *name, const char *stop)
{
    const char *quote = memchr(name, '"', (size_t)(stop - name));
    const bool is_system = quote && name[0] != '<' && memchr(quote, '3', (size_t)(stop - quote));
    return !is_system && place_of(stop + strspn(stop, "\n"));
}

/* Of the name of a place the folder is another one each time, and counts for nothing. */
static void add_text(hash *h, const text *t)
{
    const char *at = t->data, *end = t->data + t->length;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at)), *name = place_of(at);
        stop = stop ? stop + 1 : end;
        if (name && is_empty_place(name, stop)) {
            at = stop + strspn(stop, "\n");
            continue;
        }
        if (name) {
            const char *quote = memchr(name, '"', (size_t)(stop - name));
            const char *slash = quote ? memrchr(name, '/', (size_t)(quote - name)) : NULL;
            hash_add(h, at, (size_t)(name - at));
            at = slash ? slash + 1 : name;
        }
        hash_add(h, at, (size_t)(stop - at));
        at = stop;
    }
}

/* How many words from this flag on only say what the text is, which is known here. */
static int words_of_text(const char *flag)
{
    static const char *const joined[] = {"-I", "-D", "-U", NULL};
    static const char *const apart[] = {"-isystem", "-iquote",  "-idirafter",
                                        "-include", "-imacros", NULL};
    return is_in(flag, joined) || is_in(flag, apart) ? 2 : starts(flag, joined);
}

/* A name in the folder of objects for what was hashed, which begins with the compiler's, and with
 * the source's where frames are noted, which say it. */
static hash begin(const plan *p, const char *source)
{
    hash h = ((hash)0x6c62272e07bb0142 << 64) + 0x62b821756295c58d;
    struct stat info = {0};
    char stamp[64];
    (void)stat(compiler, &info);
    snprintf(stamp, sizeof stamp, "%lld %ld %lld", (long long)info.st_mtim.tv_sec,
             info.st_mtim.tv_nsec, (long long)info.st_size);
    hash_add(&h, compiler, strlen(compiler) + 1);
    hash_add(&h, stamp, strlen(stamp) + 1);
    if (p->has_frames) {
        hash_add(&h, source, strlen(source) + 1);
    }
    return h;
}

static char *name_of(const char *source, hash h, const char *end)
{
    char *path = make(2 * PATH_MAX, 1);
    const char *slash = strrchr(source, '/'), *name = slash ? slash + 1 : source;
    snprintf(path, 2 * PATH_MAX, "%s/%.*s-%016llx%016llx.%s", getenv("ORIBI_OBJECTS"),
             (int)(strrchr(name, '.') - name), name, (unsigned long long)(h >> 64),
             (unsigned long long)h, end);
    return path;
}

static hash hash_text(const plan *p, const char *source, const text *t)
{
    hash h = begin(p, source);
    for (int i = 0; i < p->n_flags; i++) {
        const int n = words_of_text(p->flags[i]);
        if (n > 0) {
            i += n - 1;
        } else {
            hash_add(&h, p->flags[i], strlen(p->flags[i]) + 1);
        }
    }
    add_text(&h, t);
    return h;
}

/* Where gcc notes the frames of an object, whose name ends in .o. */
static char *frames_of(const char *object)
{
    const size_t length = strlen(object);
    char *path = make(length + 2, 1);
    memcpy(path, object, length - 1);
    return strcat(path, "ci");
}

/* A draft becomes what others may take: its frames before it. */
static bool publish(const plan *p, const char *draft, const char *path)
{
    return (!p->has_frames || rename(frames_of(draft), frames_of(path)) == 0) &&
           rename(draft, path) == 0;
}

/* Its object in the cache by its text after preprocessing, made if need be; NULL when the compiler
 * has something to say. */
static char *object_of_text(const plan *p, const char *source)
{
    char draft[2 * PATH_MAX + 32];
    text before = {0}, said = {0};
    const int code = run(p, (const char *const[]){"-E", source, NULL}, &before, false);
    if (code != 0 || !before.data || memmem(before.data, before.length, ".incbin", 7)) {
        return NULL; /* of another file there is no word in the text */
    }
    before.data[before.length] = '\0';
    char *path = name_of(source, hash_text(p, source, &before), "o");
    free(before.data);
    if (access(path, R_OK) == 0) {
        return path;
    }
    mkdir(getenv("ORIBI_OBJECTS"), 0777);
    snprintf(draft, sizeof draft, "%s.%ld.o", path, (long)getpid());
    if (run(p, (const char *const[]){"-c", source, "-o", draft, NULL}, &said, true) != 0 ||
        said.length > 0 || !publish(p, draft, path)) {
        unlink(draft);
        unlink(frames_of(draft));
        return NULL;
    }
    free(said.data);
    return path;
}

/* The same, without preprocessing where its sources and flags were seen before: a link by their
 * hash. */
static char *object_of(const plan *p, const char *source)
{
    hash h = begin(p, source);
    if (!hash_add_sources(&h, source, p->flags, p->n_flags)) {
        return object_of_text(p, source);
    }
    char *link = name_of(source, h, "sources"), draft[2 * PATH_MAX + 32];
    if (access(link, R_OK) == 0) {
        return link;
    }
    char *path = object_of_text(p, source);
    if (path) {
        snprintf(draft, sizeof draft, "%s.%ld", link, (long)getpid());
        (void)(symlink(strrchr(path, '/') + 1, draft) == 0 && rename(draft, link));
    }
    free(link);
    return path;
}

static bool copy(const char *from, const char *to)
{
    char piece[PIECE];
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    size_t n = 0;
    bool ok = in && out;
    while (ok && (n = fread(piece, 1, sizeof piece, in)) > 0) {
        ok = fwrite(piece, 1, n, out) == n;
    }
    ok = ok && !ferror(in);
    if (in) {
        fclose(in);
    }
    return out && fclose(out) == 0 && ok;
}

/* An object of the cache, or a link to one, with its frames. */
static bool hand_out(const plan *p, const char *object)
{
    char real[PATH_MAX];
    return (!p->has_frames ||
            (realpath(object, real) && copy(frames_of(real), frames_of(p->output)))) &&
           copy(object, p->output);
}

int main(int argc, char **argv)
{
    plan p = {0};
    find_compiler(argv[0]);
    bool is_ours = getenv("ORIBI_OBJECTS") && parse(argc, argv, &p);
    char **words = make((size_t)argc + 1, sizeof *words);
    memcpy(words, argv, (size_t)argc * sizeof *words);
    const int n = is_ours ? p.n_sources : 0;
    for (int i = 0; i < n; i++) {
        char **word = &words[p.sources[i]];
        *word = object_of(&p, *word);
        is_ours = is_ours && *word;
    }
    if (is_ours && p.has_c) {
        return hand_out(&p, words[p.sources[0]]) ? 0 : 1;
    }
    argv[0] = words[0] = (char *)compiler;
    execv(compiler, is_ours ? words : argv); /* which says what is wrong, else */
    perror(compiler);
    return 1;
}
