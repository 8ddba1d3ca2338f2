/* SPDX-License-Identifier: Apache-2.0 */
/* See fourier.h. */
#include "cpu/signal/fourier.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
static const int64_t LONGEST = INT64_C(1) << 28;

static bool is_power(int64_t n)
{
    return (n & (n - 1)) == 0;
}

static void swap(double *a, double *b)
{
    const double re = a[0], im = a[1];
    a[0] = b[0];
    a[1] = b[1];
    b[0] = re;
    b[1] = im;
}

/* Of a power of two. sign -1: the inverse. */
static void radix_two(const double *roots, int64_t size, int64_t n, double sign, double *x)
{
    for (int64_t i = 0, j = 0; i < n; i++) { /* j: i mirrored */
        if (i < j) {
            swap(x + 2 * i, x + 2 * j);
        }
        int64_t bit = n >> 1;
        for (; bit > 0 && (j & bit) != 0; bit >>= 1) {
            j ^= bit;
        }
        j |= bit;
    }
    for (int64_t half = 1; half < n; half *= 2) {
        const int64_t step = size / (2 * half);
        for (int64_t first = 0; first < n; first += 2 * half) {
            double *a = x + 2 * first, *b = x + 2 * (first + half);
            for (int64_t k = 0; k < half; k++) {
                const double re = roots[2 * k * step], im = sign * roots[2 * k * step + 1];
                const double u = b[2 * k] * re - b[2 * k + 1] * im;
                const double v = b[2 * k] * im + b[2 * k + 1] * re;
                b[2 * k] = a[2 * k] - u;
                b[2 * k + 1] = a[2 * k + 1] - v;
                a[2 * k] += u;
                a[2 * k + 1] += v;
            }
        }
    }
}

/* exp(-pi i k^2 / n): k^2 modulo 2 n first, so that the angle is small. */
static void fill_chirp(int64_t n, double *out)
{
    int64_t square = 0;
    for (int64_t k = 0; k < n; k++) {
        const double angle = PI * (double)square / (double)n;
        out[2 * k] = cos(angle);
        out[2 * k + 1] = -sin(angle);
        square = (square + 2 * k + 1) % (2 * n);
    }
}

static void fill_curve(const oribi_fourier *f, double *curve)
{
    memset(curve, 0, (size_t)f->size * 2 * sizeof(double));
    for (int64_t k = 0; k < f->n; k++) {
        const int64_t other = k == 0 ? 0 : f->size - k;
        curve[2 * k] = curve[2 * other] = f->chirp[2 * k] / (double)f->size;
        curve[2 * k + 1] = curve[2 * other + 1] = -f->chirp[2 * k + 1] / (double)f->size;
    }
    radix_two(f->roots, f->size, f->size, 1, curve);
}

bool oribi_fourier_make(oribi_kit_run *run, int64_t n, oribi_fourier *out, TF_Tensor **out_memory)
{
    if (n < 1 || n > LONGEST) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "a transform of %lld numbers is not possible, 1 to 2^28 are",
                              (long long)n);
    }
    *out = (oribi_fourier){.n = n, .size = 1};
    while (out->size < (is_power(n) ? n : 2 * n - 1)) {
        out->size *= 2;
    }
    const int64_t rest = is_power(n) ? 0 : 2 * n + 2 * out->size;
    double *roots =
        oribi_kit_scratch(run, (out->size + 2 + rest) * (int64_t)sizeof(double), out_memory);
    if (roots == NULL) {
        return false;
    }
    for (int64_t k = 0; k < (out->size + 1) / 2; k++) {
        const double angle = 2 * PI * (double)k / (double)out->size;
        roots[2 * k] = cos(angle);
        roots[2 * k + 1] = -sin(angle);
    }
    out->roots = roots;
    out->cost = out->size * 8;
    for (int64_t size = out->size; size > 1; size /= 2) {
        out->cost += out->size * (rest > 0 ? 8 : 4);
    }
    if (rest > 0) {
        double *chirp = roots + out->size + 2, *curve = chirp + 2 * n;
        fill_chirp(n, chirp);
        out->chirp = chirp;
        out->curve = curve;
        fill_curve(out, curve);
    }
    return true;
}

int64_t oribi_fourier_room(const oribi_fourier *f)
{
    return f->chirp == NULL ? 0 : 2 * f->size;
}

/* to[k] = a[k] * b[k]; to may be a. */
static void multiply(const double *a, const double *b, int64_t n, double *to)
{
    for (int64_t k = 0; k < n; k++) {
        const double re = a[2 * k] * b[2 * k] - a[2 * k + 1] * b[2 * k + 1];
        to[2 * k + 1] = a[2 * k] * b[2 * k + 1] + a[2 * k + 1] * b[2 * k];
        to[2 * k] = re;
    }
}

static void conjugate(double *x, int64_t n)
{
    for (int64_t k = 0; k < n; k++) {
        x[2 * k + 1] = -x[2 * k + 1];
    }
}

void oribi_fourier_run(const oribi_fourier *f, bool is_inverse, double *line, double *room)
{
    if (f->chirp == NULL) {
        radix_two(f->roots, f->size, f->n, is_inverse ? -1 : 1, line);
        return;
    }
    if (is_inverse) { /* the conjugate of the transform of the conjugate */
        conjugate(line, f->n);
    }
    memset(room + 2 * f->n, 0, (size_t)(f->size - f->n) * 2 * sizeof(double));
    multiply(line, f->chirp, f->n, room);
    radix_two(f->roots, f->size, f->size, 1, room);
    multiply(room, f->curve, f->size, room);
    radix_two(f->roots, f->size, f->size, -1, room);
    multiply(room, f->chirp, f->n, line);
    if (is_inverse) {
        conjugate(line, f->n);
    }
}
