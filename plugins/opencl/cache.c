/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled programs, kept in $XDG_CACHE_HOME/oribi/opencl (or ~/.cache/oribi/opencl). A file's name
 * is a hash of source, options, device and driver; its first 16 bytes are two hashes of what
 * follows, so that a file that was cut or changed is compiled again, and written again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "opencl.h"

enum { MAX_PATH = 1024, MAX_FILE = 64 << 20 };

typedef struct digest {
    uint64_t a, b;
} digest;

static const digest fresh = {0xcbf29ce484222325u, 0x9e3779b97f4a7c15u};

/* FNV-1a, and the same with another prime and a turn of the bits. */
static digest mix(digest d, const void *data, size_t bytes)
{
    const unsigned char *at = data;
    for (size_t i = 0; i < bytes; i++) {
        d.a = (d.a ^ at[i]) * 0x100000001b3u;
        d.b = (((d.b << 5) | (d.b >> 59)) ^ at[i]) * 0xff51afd7ed558ccdu;
    }
    return d;
}

static digest key_of(const opencl_device *own, const char *source, size_t bytes,
                     const char *options)
{
    static const cl_device_info facts[] = {CL_DEVICE_NAME, CL_DEVICE_VENDOR, CL_DEVICE_VERSION,
                                           CL_DRIVER_VERSION};
    digest key = mix(fresh, source, bytes);
    key = mix(key, options, strlen(options) + 1);
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        char text[256] = {0};
        (void)clGetDeviceInfo(own->id, facts[i], sizeof text - 1, text, NULL);
        key = mix(key, text, strlen(text) + 1);
    }
    return key;
}

/* Makes the folders that miss; false where there is no place for a cache. */
static bool path_of(digest key, char path[MAX_PATH])
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    const bool has_base = base != NULL && base[0] == '/';
    if (!has_base && (home == NULL || home[0] != '/')) {
        return false;
    }
    const int n =
        snprintf(path, MAX_PATH, "%s%s/oribi/opencl/%016llx%016llx.bin", has_base ? base : home,
                 has_base ? "" : "/.cache", (unsigned long long)key.a, (unsigned long long)key.b);
    if (n <= 0 || n >= MAX_PATH) {
        return false;
    }
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0700);
        *slash = '/';
    }
    return true;
}

/* The whole file, without its digest; NULL when it is not there or damaged. */
static unsigned char *read_file(const char *path, size_t *out_bytes)
{
    digest kept;
    struct stat info;
    FILE *file = fopen(path, "rb");
    unsigned char *data = NULL;
    if (file == NULL) {
        return NULL;
    }
    if (fstat(fileno(file), &info) == 0 && info.st_size > (off_t)sizeof kept &&
        info.st_size <= MAX_FILE && fread(&kept, sizeof kept, 1, file) == 1) {
        *out_bytes = (size_t)info.st_size - sizeof kept;
        data = malloc(*out_bytes);
        if (data != NULL && fread(data, *out_bytes, 1, file) == 1) {
            const digest is = mix(fresh, data, *out_bytes);
            if (is.a == kept.a && is.b == kept.b) {
                (void)fclose(file);
                return data;
            }
        }
    }
    free(data);
    (void)fclose(file);
    return NULL;
}

/* Under another name first: another process sees the whole file or none. */
static void write_file(const char *path, const unsigned char *data, size_t bytes)
{
    char temporary[MAX_PATH + 16];
    const digest kept = mix(fresh, data, bytes);
    snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    const int descriptor = mkstemp(temporary);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
    if (file == NULL) {
        if (descriptor >= 0) {
            (void)close(descriptor);
            (void)unlink(temporary);
        }
        return;
    }
    bool ok = fwrite(&kept, sizeof kept, 1, file) == 1 && fwrite(data, bytes, 1, file) == 1;
    ok = fclose(file) == 0 && ok;
    if (!ok || rename(temporary, path) != 0) {
        (void)unlink(temporary);
    }
}

static cl_program from_file(opencl_device *own, const char *path, const char *options)
{
    size_t bytes = 0;
    cl_int code = CL_SUCCESS;
    unsigned char *data = read_file(path, &bytes);
    if (data == NULL) {
        return NULL;
    }
    const unsigned char *binary = data;
    cl_program program =
        clCreateProgramWithBinary(own->context, 1, &own->id, &bytes, &binary, NULL, &code);
    free(data);
    if (code == CL_SUCCESS &&
        clBuildProgram(program, 1, &own->id, options, NULL, NULL) == CL_SUCCESS) {
        return program;
    }
    if (code == CL_SUCCESS) {
        (void)clReleaseProgram(program);
    }
    return NULL;
}

static void keep(cl_program program, const char *path)
{
    size_t bytes = 0;
    if (clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL) !=
            CL_SUCCESS ||
        bytes == 0 || bytes > MAX_FILE - sizeof(digest)) {
        return;
    }
    unsigned char *data = malloc(bytes);
    if (data != NULL &&
        clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof data, &data, NULL) == CL_SUCCESS) {
        write_file(path, data, bytes);
    }
    free(data);
}

/* The compiler's own words, as far as they fit. */
static void fail_build(const opencl_device *own, cl_program program, TF_Status *status)
{
    char log[800] = {0}, message[900];
    size_t bytes = 0;
    char *whole = NULL;
    if (clGetProgramBuildInfo(program, own->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes) ==
            CL_SUCCESS &&
        bytes > 0 && (whole = malloc(bytes)) != NULL &&
        clGetProgramBuildInfo(program, own->id, CL_PROGRAM_BUILD_LOG, bytes, whole, NULL) ==
            CL_SUCCESS) {
        snprintf(log, sizeof log, "%.*s", (int)(sizeof log - 1), whole);
    }
    free(whole);
    snprintf(message, sizeof message, "clBuildProgram: %s", log);
    TF_SetStatus(status, TF_INVALID_ARGUMENT, message);
}

/* From the disk or compiled. */
static cl_program make(opencl_device *own, const char *source, size_t bytes, const char *options,
                       digest key, TF_Status *status)
{
    char path[MAX_PATH];
    cl_int code = CL_SUCCESS;
    const bool has_path = path_of(key, path);
    cl_program program = has_path ? from_file(own, path, options) : NULL;
    if (program != NULL) {
        return program;
    }
    program = clCreateProgramWithSource(own->context, 1, &source, &bytes, &code);
    if (!opencl_check(code, "clCreateProgramWithSource", status)) {
        return NULL;
    }
    if (clBuildProgram(program, 1, &own->id, options, NULL, NULL) != CL_SUCCESS) {
        fail_build(own, program, status);
        (void)clReleaseProgram(program);
        return NULL;
    }
    if (has_path) {
        keep(program, path);
    }
    return program;
}

/* Many kernels share one program, which is kept while one of them is there. */
struct opencl_kept {
    digest key;
    cl_program program;
    int n_users;
    struct opencl_kept *next;
};

cl_program opencl_program_take(opencl_device *own, const char *source, size_t bytes,
                               const char *options, TF_Status *status)
{
    char all[512]; /* -w: a vendor's compiler writes warnings to the user's terminal */
    if (snprintf(all, sizeof all, "-w%s%s", options != NULL ? " " : "",
                 options != NULL ? options : "") >= (int)sizeof all) {
        TF_SetStatus(status, TF_INVALID_ARGUMENT,
                     "the build options are longer than 500 characters");
        return NULL;
    }
    const digest key = key_of(own, source, bytes, all);
    pthread_mutex_lock(&own->programs_lock);
    struct opencl_kept *kept = own->programs;
    while (kept != NULL && (kept->key.a != key.a || kept->key.b != key.b)) {
        kept = kept->next;
    }
    if (kept == NULL && (kept = calloc(1, sizeof *kept)) == NULL) {
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "load_function: out of memory");
    } else if (kept->n_users == 0) {
        *kept =
            (struct opencl_kept){key, make(own, source, bytes, all, key, status), 0, own->programs};
        if (kept->program == NULL) {
            free(kept);
            kept = NULL;
        } else {
            own->programs = kept;
        }
    }
    cl_program program = kept != NULL ? kept->program : NULL;
    if (kept != NULL) {
        kept->n_users++;
    }
    pthread_mutex_unlock(&own->programs_lock);
    return program;
}

void opencl_program_release(opencl_device *own, cl_program program)
{
    pthread_mutex_lock(&own->programs_lock);
    for (struct opencl_kept **at = &own->programs; *at != NULL; at = &(*at)->next) {
        struct opencl_kept *kept = *at;
        if (kept->program == program) {
            if (--kept->n_users == 0) {
                *at = kept->next;
                (void)clReleaseProgram(program);
                free(kept);
            }
            break;
        }
    }
    pthread_mutex_unlock(&own->programs_lock);
}
