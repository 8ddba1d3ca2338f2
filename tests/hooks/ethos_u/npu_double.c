/* SPDX-License-Identifier: Apache-2.0 */
/* See npu_double.h.
 * Source   command streams of Vela 5.2 for Ethos-U55 and U65: register numbers and their units.
 */
#include "npu_double.h"

#include <stdbool.h>
#include <string.h>

#include "core_api.h"

enum { /* registers of 16 bits (cmd0) */
       OP_STOP = 0x000,
       OP_CONV = 0x002,
       OP_DEPTHWISE = 0x003,
       OP_POOL = 0x005,
       OP_ELEMENTWISE = 0x006,
       OP_DMA = 0x010,
       OP_LAST = 0x014,
       PAD_TOP = 0x100,
       PAD_LEFT = 0x101,
       PAD_RIGHT = 0x102,
       PAD_BOTTOM = 0x103,
       IFM_DEPTH = 0x104,
       IFM_PRECISION = 0x105,
       IFM_UPSCALE = 0x107,
       IFM_WIDTH0 = 0x10A,
       IFM_HEIGHT0 = 0x10B,
       IFM_HEIGHT1 = 0x10C,
       IFM_REGION = 0x10F,
       OFM_WIDTH = 0x111,
       OFM_HEIGHT = 0x112,
       OFM_DEPTH = 0x113,
       OFM_PRECISION = 0x114,
       OFM_WIDTH0 = 0x11A,
       OFM_HEIGHT0 = 0x11B,
       OFM_HEIGHT1 = 0x11C,
       OFM_REGION = 0x11F,
       KERNEL_WIDTH = 0x120,
       KERNEL_HEIGHT = 0x121,
       KERNEL_STRIDE = 0x122,
       WEIGHT_REGION = 0x128,
       SCALE_REGION = 0x129,
       DMA_FROM_REGION = 0x130,
       DMA_TO_REGION = 0x131,
       IFM2_BROADCAST = 0x180,
       IFM2_PRECISION = 0x185,
       IFM2_WIDTH0 = 0x18A,
       IFM2_HEIGHT0 = 0x18B,
       IFM2_HEIGHT1 = 0x18C,
       IFM2_REGION = 0x18F
};
enum { /* registers of 32 bits and more (cmd1) */
       IFM_BASE = 0x000,
       STRIDES = 4, /* x, y, c, behind the four bases of a map */
       OFM_BASE = 0x010,
       WEIGHT_BASE = 0x020,
       WEIGHT_LENGTH = 0x021,
       SCALE_BASE = 0x022,
       SCALE_LENGTH = 0x023,
       DMA_FROM = 0x030,
       DMA_TO = 0x031,
       DMA_LENGTH = 0x032,
       IFM2_BASE = 0x080,
       WEIGHT1_BASE = 0x090,
       SCALE1_BASE = 0x092
};
enum { WIDE = 0x4000, REGISTERS = 0x200, INTERNAL = 0x100, BROADCAST_SCALAR = 0x80 };
enum { COP1 = 0x31504f43 };

typedef struct npu {
    struct ethosu_driver *driver;
    const uint64_t *bases;
    const size_t *sizes;
    int32_t n_bases;
    uint32_t small[REGISTERS];
    uint64_t large[REGISTERS];
} npu;

static bool fail(npu *n, const char *why)
{
    if (n->driver->fault == NULL) {
        n->driver->fault = why;
    }
    return false;
}

/* Bytes of a region; NULL: they are not all there. */
static uint8_t *bytes_at(npu *n, uint32_t region, uint64_t offset, uint64_t bytes)
{
    if (region >= (uint32_t)n->n_bases) {
        (void)fail(n, "a region without a base");
        return NULL;
    }
    if (offset > n->sizes[region] || bytes > n->sizes[region] - offset) {
        (void)fail(n, "an access outside its region");
        return NULL;
    }
    return (uint8_t *)(uintptr_t)n->bases[region] + offset;
}

static uint32_t mixed(uint32_t hash, const uint8_t *bytes, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        hash = (hash ^ bytes[i]) * 16777619u;
    }
    return hash;
}

static bool read_range(npu *n, uint32_t region, uint64_t offset, uint64_t bytes, uint32_t *hash)
{
    const uint8_t *at = bytes_at(n, region, offset, bytes);
    *hash = at != NULL ? mixed(*hash, at, bytes) : *hash;
    return at != NULL;
}

/* --- Feature maps ----------------------------------------------------------------------------- */

typedef struct map {
    uint32_t region, height, width, depth, element;
    uint32_t width0, height0, height1; /* where tiles end */
    bool is_bricks;                    /* of 16 channels; else NHWC */
    const uint64_t *bases;             /* four tiles, then strides of x, y, c */
} map;

/* What an element of the map is in memory: its bytes; NULL: outside. */
static uint8_t *element_at(npu *n, const map *m, uint32_t y, uint32_t x, uint32_t c)
{
    const bool is_right = x >= m->width0;
    const bool is_low = y >= (is_right ? m->height1 : m->height0);
    const uint64_t *strides = m->bases + STRIDES;
    x -= is_right ? m->width0 : 0u;
    y -= is_low ? (is_right ? m->height1 : m->height0) : 0u;
    uint64_t offset = m->bases[2 * is_low + is_right] + y * strides[1];
    offset += m->is_bricks ? c / 16u * strides[2] + (x * 16u + c % 16u) * (uint64_t)m->element
                           : x * strides[0] + c * (uint64_t)m->element;
    return bytes_at(n, m->region, offset, m->element);
}

static bool read_map(npu *n, const map *m, uint32_t *hash)
{
    for (uint32_t y = 0; y < m->height; y++) {
        for (uint32_t x = 0; x < m->width; x++) {
            for (uint32_t c = 0; c < m->depth; c++) {
                const uint8_t *at = element_at(n, m, y, x, c);
                if (at == NULL) {
                    return false;
                }
                *hash = mixed(*hash, at, m->element);
            }
        }
    }
    return true;
}

static bool write_map(npu *n, const map *m, uint32_t hash)
{
    for (uint32_t y = 0; y < m->height; y++) {
        for (uint32_t x = 0; x < m->width; x++) {
            for (uint32_t c = 0; c < m->depth; c++) {
                uint8_t *at = element_at(n, m, y, x, c);
                for (uint32_t k = 0; at != NULL && k < m->element; k++) {
                    hash = hash * 1103515245u + 12345u;
                    at[k] = (uint8_t)(hash >> 16);
                }
                if (at == NULL) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* What a window of `kernel` every `stride` reads for so many places. */
static uint32_t extent(uint32_t places, uint32_t stride, uint32_t kernel, uint32_t padding,
                       uint32_t upscale)
{
    const uint32_t all = (places - 1u) * stride + kernel;
    const uint32_t read = all > padding ? all - padding : 1u;
    return upscale != 0u ? (read + 1u) / 2u : read;
}

static map input_map(const npu *n, uint32_t op)
{
    const uint32_t *r = n->small;
    const uint32_t stride = r[KERNEL_STRIDE], up = r[IFM_UPSCALE];
    const uint32_t stride_x = 1u + ((stride & 1u) | (stride >> 6 & 7u) << 1);
    const uint32_t stride_y = 1u + ((stride >> 1 & 1u) | (stride >> 9 & 7u) << 1);
    map m = {.region = r[IFM_REGION],
             .height = r[OFM_HEIGHT] + 1u,
             .width = r[OFM_WIDTH] + 1u,
             .depth = r[IFM_DEPTH] + 1u,
             .element = 1u << (r[IFM_PRECISION] >> 2 & 3u),
             .width0 = r[IFM_WIDTH0] + 1u,
             .height0 = r[IFM_HEIGHT0] + 1u,
             .height1 = r[IFM_HEIGHT1] + 1u,
             .is_bricks = (r[IFM_PRECISION] >> 6 & 3u) != 0u,
             .bases = n->large + IFM_BASE};
    if (op != OP_ELEMENTWISE) {
        m.height =
            extent(m.height, stride_y, r[KERNEL_HEIGHT] + 1u, r[PAD_TOP] + r[PAD_BOTTOM], up);
        m.width = extent(m.width, stride_x, r[KERNEL_WIDTH] + 1u, r[PAD_LEFT] + r[PAD_RIGHT], up);
    }
    return m;
}

static map second_map(const npu *n)
{
    const uint32_t *r = n->small;
    const uint32_t broadcast = r[IFM2_BROADCAST];
    return (map){.region = r[IFM2_REGION],
                 .height = (broadcast & 1u) != 0u ? 1u : r[OFM_HEIGHT] + 1u,
                 .width = (broadcast & 2u) != 0u ? 1u : r[OFM_WIDTH] + 1u,
                 .depth = (broadcast & 4u) != 0u ? 1u : r[IFM_DEPTH] + 1u,
                 .element = 1u << (r[IFM2_PRECISION] >> 2 & 3u),
                 .width0 = r[IFM2_WIDTH0] + 1u,
                 .height0 = r[IFM2_HEIGHT0] + 1u,
                 .height1 = r[IFM2_HEIGHT1] + 1u,
                 .is_bricks = (r[IFM2_PRECISION] >> 6 & 3u) != 0u,
                 .bases = n->large + IFM2_BASE};
}

static map output_map(const npu *n)
{
    const uint32_t *r = n->small;
    return (map){.region = r[OFM_REGION],
                 .height = r[OFM_HEIGHT] + 1u,
                 .width = r[OFM_WIDTH] + 1u,
                 .depth = r[OFM_DEPTH] + 1u,
                 .element = 1u << (r[OFM_PRECISION] >> 1 & 3u),
                 .width0 = r[OFM_WIDTH0] + 1u,
                 .height0 = r[OFM_HEIGHT0] + 1u,
                 .height1 = r[OFM_HEIGHT1] + 1u,
                 .is_bricks = (r[OFM_PRECISION] >> 6 & 3u) != 0u,
                 .bases = n->large + OFM_BASE};
}

/* --- Operations ------------------------------------------------------------------------------- */

static bool read_weights(npu *n, uint32_t *hash)
{
    static const uint32_t bases[4] = {WEIGHT_BASE, SCALE_BASE, WEIGHT1_BASE, SCALE1_BASE};
    for (int i = 0; i < 4; i++) {
        const uint32_t region = n->small[i % 2 == 0 ? WEIGHT_REGION : SCALE_REGION];
        if (!read_range(n, region, n->large[bases[i]], n->large[bases[i] + 1u], hash)) {
            return false;
        }
    }
    return true;
}

/* LRELU, ABS and CLZ have one operand. */
static bool has_second(const npu *n, uint32_t op, uint32_t param)
{
    return op == OP_ELEMENTWISE && (param < 5u || param > 7u) &&
           (n->small[IFM2_BROADCAST] & BROADCAST_SCALAR) == 0u;
}

static bool compute(npu *n, uint32_t op, uint32_t param)
{
    const map in = input_map(n, op), out = output_map(n), second = second_map(n);
    uint32_t hash = 2166136261u ^ op;
    n->driver->n_operations++;
    return read_map(n, &in, &hash) && (!has_second(n, op, param) || read_map(n, &second, &hash)) &&
           ((op != OP_CONV && op != OP_DEPTHWISE) || read_weights(n, &hash)) &&
           write_map(n, &out, hash);
}

/* Tables go into the NPU's own memory; else bytes are copied. */
static bool copy(npu *n)
{
    const uint64_t bytes = n->large[DMA_LENGTH];
    const uint8_t *from = bytes_at(n, n->small[DMA_FROM_REGION], n->large[DMA_FROM], bytes);
    if (from == NULL) {
        return false;
    }
    if ((n->small[DMA_TO_REGION] & INTERNAL) != 0u) {
        return true;
    }
    uint8_t *to = bytes_at(n, n->small[DMA_TO_REGION], n->large[DMA_TO], bytes);
    if (to != NULL) {
        memmove(to, from, (size_t)bytes);
    }
    return to != NULL;
}

static bool operate(npu *n, uint32_t op, uint32_t param)
{
    switch (op) {
    case OP_CONV:
    case OP_DEPTHWISE:
    case OP_POOL:
    case OP_ELEMENTWISE:
        return compute(n, op, param);
    case OP_DMA:
        return copy(n);
    default:
        return op <= OP_LAST || fail(n, "an operation that there is not");
    }
}

static uint32_t word_at(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* Words of the registers, from a driver action on. */
static bool run_words(npu *n, const uint8_t *at, uint32_t n_words)
{
    for (uint32_t i = 0; i < n_words; i++) {
        const uint32_t word = word_at(at + 4u * i), number = word & 0x3ffu, param = word >> 16;
        if ((word & WIDE) != 0u) {
            if (number >= REGISTERS || ++i == n_words) {
                return fail(n, "a register that there is not");
            }
            n->large[number] = word_at(at + 4u * i) | (uint64_t)(param & 0xffu) << 32;
        } else if (number >= 0x100u) {
            if (number >= REGISTERS) {
                return fail(n, "a register that there is not");
            }
            n->small[number] = param;
        } else if (number == OP_STOP) {
            return true;
        } else if (!operate(n, number, param)) {
            return false;
        }
    }
    return fail(n, "a stream that does not stop");
}

/* Actions of the core driver: COP1, then configuration, fillers, and one stream. */
static bool run_actions(npu *n, const uint8_t *stream, uint32_t bytes)
{
    uint32_t at = 4;
    if (bytes % 4u != 0u || bytes < 8u || word_at(stream) != COP1) {
        return fail(n, "no command stream");
    }
    while (at < bytes) {
        const uint32_t word = word_at(stream + at), left = (bytes - at) / 4u - 1u;
        const uint32_t length = word >> 16 | (word >> 8 & 0xffu) << 16;
        at += 4u;
        if ((word & 0xffu) == 1u && left >= 2u) {
            at += 8u;
        } else if ((word & 0xffu) == 2u && length <= left) {
            if (((uintptr_t)stream + at) % 16u != 0u || !run_words(n, stream + at, length)) {
                return fail(n, "a stream that is not aligned");
            }
            at += 4u * length;
        } else if ((word & 0xffu) != 5u) {
            return fail(n, "an action that there is not");
        }
    }
    return true;
}

int32_t npu_double_run(struct ethosu_driver *driver, const void *stream, uint32_t bytes,
                       const uint64_t *bases, const size_t *sizes, int32_t n_bases)
{
    static npu n; /* two kilobytes: not on a board's stack */
    memset(&n, 0, sizeof n);
    n.driver = driver;
    n.bases = bases;
    n.sizes = sizes;
    n.n_bases = n_bases;
    for (int32_t i = 0; i < n_bases; i++) {
        if (bases[i] % 16u != 0u) {
            (void)fail(&n, "a base that is not aligned");
            return -1;
        }
    }
    driver->n_jobs++;
    return run_actions(&n, stream, bytes) ? 0 : -1;
}

/* --- The core driver's functions -------------------------------------------------------------- */

static bool fails(struct ethosu_driver *driver)
{
    driver->n_calls++;
    return driver->n_calls == driver->fails_at;
}

int ethosu_request_power(struct ethosu_driver *drv)
{
    if (fails(drv)) {
        return -1;
    }
    drv->power++;
    return 0;
}

void ethosu_release_power(struct ethosu_driver *drv)
{
    drv->power--;
}

int ethosu_invoke_async(struct ethosu_driver *drv, const void *custom_data_ptr,
                        const int custom_data_size, uint64_t *const base_addr,
                        const size_t *base_addr_size, const int num_base_addr, void *user_arg)
{
    (void)user_arg;
    if (drv->is_running || drv->power == 0 || !drv->is_locked) {
        drv->fault = "a job out of order";
        return -1;
    }
    if (fails(drv)) {
        return -1;
    }
    drv->is_running = 1;
    drv->result = npu_double_run(drv, custom_data_ptr, (uint32_t)custom_data_size, base_addr,
                                 base_addr_size, num_base_addr);
    return 0;
}

int ethosu_wait(struct ethosu_driver *drv, bool block)
{
    (void)block;
    drv->is_running = 0;
    return fails(drv) ? -1 : drv->result;
}

int ethosu_invoke_v3(struct ethosu_driver *drv, const void *custom_data_ptr,
                     const int custom_data_size, uint64_t *const base_addr,
                     const size_t *base_addr_size, const int num_base_addr, void *user_arg)
{
    return ethosu_invoke_async(drv, custom_data_ptr, custom_data_size, base_addr, base_addr_size,
                               num_base_addr, user_arg) != 0
               ? -1
               : ethosu_wait(drv, true);
}

/* The test's only NPU is what its mutex is about. */
extern struct ethosu_driver npu_double;

void *ethosu_mutex_create(void)
{
    return &npu_double;
}

void ethosu_mutex_destroy(void *mutex)
{
    (void)mutex;
}

int ethosu_mutex_lock(void *mutex)
{
    struct ethosu_driver *drv = mutex;
    if (drv->is_locked) {
        drv->fault = "a lock taken twice";
        return -1;
    }
    if (fails(drv)) {
        return -1;
    }
    drv->is_locked = 1;
    return 0;
}

int ethosu_mutex_unlock(void *mutex)
{
    struct ethosu_driver *drv = mutex;
    drv->is_locked = 0;
    return 0;
}
