/* SPDX-License-Identifier: Apache-2.0 */
/* Thread pool, the loops: slots, claiming of blocks, joining, and the cost model that decides
 * between inline and shared work. Not here: threads and sleeping (pool.c). Read first:
 * pool_internal.h.
 */
#include "base/futex.h"
#include "device/pool_internal.h"

/* Cost model, in cycles of about a third of a nanosecond. Sharing a loop costs a microsecond when a
 * worker is awake, and several when one must be woken, so that much work must be saved at least. */
enum {
    INLINE_AWAKE_CYCLES = 9000,    /* 3 us: less is done by the caller alone */
    INLINE_ASLEEP_CYCLES = 50000,  /* 17 us: the same, when workers sleep and nothing points to */
    SOON_NS = 100000,              /* more loops: another one so short a time ago does */
    THREAD_CYCLES = 4500,          /* a further thread for each so many */
    BLOCK_CYCLES = 20000,          /* wished size of a block: claiming one is 1 % of that */
    BLOCKS_PER_THREAD = 8,         /* so that a late thread costs an eighth of its share at most */
    CANCEL_BLOCK_CYCLES = 3000000, /* alone, look at `cancelled` about each millisecond */
    MOST_BLOCKS = 1 << 30,         /* their square fits */
    /* The caller waits for the last blocks: first it just spins, then it offers the processor to
     * others between looks, then it sleeps. */
    WAIT_ALONE_NS = 10000,
    WAIT_SPIN_NS = 100000
};

static bool is_cancelled(const atomic_int *cancelled)
{
    return cancelled && atomic_load_explicit(cancelled, memory_order_relaxed) != 0;
}

/* First unit of a block: the rest of total / n_blocks is spread over all, or the last has it. */
static int64_t block_begin(const oribi_pool_loop *loop, int64_t block)
{
    if (loop->block_size > 0) {
        return block < loop->n_blocks ? block * loop->block_size : loop->total;
    }
    return loop->total / loop->n_blocks * block +
           loop->total % loop->n_blocks * block / loop->n_blocks;
}

static void run_block(const oribi_pool_loop *loop, int64_t block, int worker)
{
    loop->fn(loop->object, block_begin(loop, block), block_begin(loop, block + 1), worker);
}

static bool lane_has_blocks(oribi_pool_lane *lane)
{
    return atomic_load_explicit(&lane->next, memory_order_relaxed) <
           atomic_load_explicit(&lane->end, memory_order_relaxed);
}

/* The next block of the lane, or of the one after it that has any; -1: none is left. Moves *lane
 * there. */
static int64_t claim(oribi_pool_slot *slot, int *lane)
{
    const int n_lanes = atomic_load_explicit(&slot->n_lanes, memory_order_relaxed);
    for (int i = 0; i < n_lanes; i++) {
        oribi_pool_lane *at = &slot->lanes[*lane];
        if (lane_has_blocks(at)) {
            const int64_t block = atomic_fetch_add_explicit(&at->next, 1, memory_order_relaxed);
            if (block < atomic_load_explicit(&at->end, memory_order_relaxed)) {
                return block;
            }
        }
        *lane = *lane + 1 < n_lanes ? *lane + 1 : 0;
    }
    return -1;
}

/* For those who joined, and the caller: blocks until none is left. True when it ran one. */
static bool run_blocks(oribi_pool *pool, oribi_pool_slot *slot, int worker)
{
    int lane = worker * atomic_load_explicit(&slot->n_lanes, memory_order_relaxed) /
               oribi_pool_threads(pool);
    int64_t block = claim(slot, &lane);
    bool worked = false;
    while (block >= 0 && !is_cancelled(slot->loop.cancelled)) {
        run_block(&slot->loop, block, worker);
        worked = true;
        block = claim(slot, &lane);
    }
    /* Nothing to be had here any more: out of the sight of idle workers. (The slot cannot be a
     * later loop's: it is not freed before we leave.) */
    uint64_t bit = 1ull << (slot - pool->slots);
    if (atomic_load_explicit(&pool->open_slots, memory_order_relaxed) & bit) {
        atomic_fetch_and(&pool->open_slots, ~bit);
    }
    return worked;
}

static bool slot_has_blocks(oribi_pool_slot *slot)
{
    const int n_lanes = atomic_load_explicit(&slot->n_lanes, memory_order_relaxed);
    for (int i = 0; i < n_lanes; i++) {
        if (lane_has_blocks(&slot->lanes[i])) {
            return true;
        }
    }
    return false;
}

bool oribi_pool_has_blocks(oribi_pool *pool)
{
    uint64_t open = atomic_load(&pool->open_slots);
    for (; open; open &= open - 1) {
        if (slot_has_blocks(&pool->slots[__builtin_ctzll(open)])) {
            return true;
        }
    }
    return false;
}

static bool slot_join(oribi_pool_slot *slot)
{
    uint32_t state = atomic_load_explicit(&slot->state, memory_order_relaxed);
    while (state & SLOT_OPEN) {
        if (atomic_compare_exchange_weak_explicit(&slot->state, &state, state + 1,
                                                  memory_order_acquire, memory_order_relaxed)) {
            return true;
        }
    }
    return false;
}

static void slot_leave(oribi_pool_slot *slot)
{
    uint32_t before = atomic_fetch_sub_explicit(&slot->state, 1, memory_order_acq_rel);
    if (before - 1 == SLOT_WAITING) { /* last one out of a closed slot whose caller sleeps */
        oribi_futex_wake(&slot->state, 1);
    }
}

bool oribi_pool_help(oribi_pool *pool, int worker)
{
    bool worked = false;
    uint64_t open = atomic_load(&pool->open_slots);
    while (open) {
        oribi_pool_slot *slot = &pool->slots[__builtin_ctzll(open)];
        if (slot_join(slot)) { /* seldom one whose blocks are gone: run_blocks hides it */
            worked |= run_blocks(pool, slot, worker);
            slot_leave(slot);
        }
        open &= open - 1;
    }
    return worked;
}

/* Closes the slot and waits for the workers in it; everything they wrote is visible then. */
static void slot_close(oribi_pool_slot *slot)
{
    uint32_t state =
        atomic_fetch_and_explicit(&slot->state, ~(uint32_t)SLOT_OPEN, memory_order_acquire);
    state &= ~(uint32_t)SLOT_OPEN;
    uint64_t begin = 0;
    for (uint32_t spins = 1; state & SLOT_JOINED; spins++) {
        oribi_cpu_relax();
        state = atomic_load_explicit(&slot->state, memory_order_acquire);
        if (spins % 32 != 0 || !(state & SLOT_JOINED)) {
            continue;
        }
        uint64_t now = oribi_now_ns();
        begin = begin ? begin : now;
        if (now - begin < WAIT_SPIN_NS) {
            if (now - begin > WAIT_ALONE_NS) {
                oribi_thread_yield(); /* the worker may be waiting for this very processor */
            }
            continue;
        }
        if ((state & SLOT_WAITING) ||
            atomic_compare_exchange_strong_explicit(&slot->state, &state, state | SLOT_WAITING,
                                                    memory_order_acquire, memory_order_acquire)) {
            oribi_futex_wait(&slot->state, state | SLOT_WAITING);
            state = atomic_load_explicit(&slot->state, memory_order_acquire);
            spins = 31; /* a worker left or it was a false alarm: look again at once */
        }
    }
}

static oribi_pool_slot *slot_take(oribi_pool *pool)
{
    uint64_t used = atomic_load_explicit(&pool->used_slots, memory_order_relaxed);
    while (~used) {
        uint64_t bit = ~used & (used + 1);
        if (atomic_compare_exchange_weak_explicit(&pool->used_slots, &used, used | bit,
                                                  memory_order_acquire, memory_order_relaxed)) {
            return &pool->slots[__builtin_ctzll(bit)];
        }
    }
    return NULL;
}

static void slot_free(oribi_pool *pool, oribi_pool_slot *slot)
{
    atomic_store_explicit(&slot->state, 0, memory_order_relaxed);
    atomic_fetch_and_explicit(&pool->used_slots, ~(1ull << (slot - pool->slots)),
                              memory_order_release);
}

/* Shows the slot to the workers and wakes as many as it can use beyond those awake. */
static void slot_publish(oribi_pool *pool, oribi_pool_slot *slot, int64_t n_blocks)
{
    uint64_t others = atomic_fetch_or(&pool->open_slots, 1ull << (slot - pool->slots));
    int sleeping = oribi_pool_count_sleeping(pool);
    if (sleeping == 0) {
        return;
    }
    int workers = pool->n_threads - 1;
    int idle = workers - sleeping - atomic_load_explicit(&pool->n_busy, memory_order_relaxed);
    int64_t wanted = n_blocks - 1 < workers ? n_blocks - 1 : workers;
    if (!others && idle > 0) {
        wanted -= idle; /* nobody else works here, so those awake are looking for work */
    }
    if (wanted > 0) {
        oribi_pool_wake(pool, (int)wanted);
    }
}

static void run_alone(const oribi_pool_loop *loop)
{
    for (int64_t block = 0; block < loop->n_blocks && !is_cancelled(loop->cancelled); block++) {
        run_block(loop, block, 0);
    }
}

static void make_lanes(oribi_pool_slot *slot, int n_threads, int64_t n_blocks)
{
    int n = n_threads < POOL_LANES ? n_threads : POOL_LANES;
    n = n_blocks < n ? (int)n_blocks : n;
    int64_t end = 0;
    for (int i = 0; i < n; i++) {
        atomic_store_explicit(&slot->lanes[i].next, end, memory_order_relaxed);
        end = n_blocks / n * (i + 1) + n_blocks % n * (i + 1) / n;
        atomic_store_explicit(&slot->lanes[i].end, end, memory_order_relaxed);
    }
    atomic_store_explicit(&slot->n_lanes, n, memory_order_relaxed);
}

static void run_loop(oribi_pool *pool, const oribi_pool_loop *loop)
{
    const int n_threads = oribi_pool_threads(pool);
    oribi_pool_slot *slot = loop->n_blocks > 1 && n_threads > 1 ? slot_take(pool) : NULL;
    if (!slot) { /* also when 64 loops are under way */
        run_alone(loop);
        return;
    }
    slot->loop = *loop;
    make_lanes(slot, n_threads, loop->n_blocks);
    atomic_store_explicit(&slot->state, SLOT_OPEN, memory_order_release);
    slot_publish(pool, slot, loop->n_blocks);
    run_blocks(pool, slot, 0);
    slot_close(slot);
    slot_free(pool, slot);
}

void oribi_pool_parallel_blocks(oribi_pool *pool, int64_t total, int64_t block_size,
                                oribi_pool_range_fn fn, void *object, const atomic_int *cancelled)
{
    if (total > 0) {
        const int64_t size = block_size > 0 ? block_size : 1;
        const int64_t n_blocks = total / size + (total % size != 0);
        const oribi_pool_loop loop = {total, n_blocks, size, fn, object, cancelled};
        run_loop(pool, &loop);
    }
}

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* Was there a loop a moment ago that was too short to wake somebody for? Then it pays for the next
 * ones, because a worker that is awake stays so for a while. */
static bool is_one_of_many(oribi_pool *pool)
{
    uint64_t now = oribi_now_ns();
    uint64_t last = atomic_load_explicit(&pool->last_short_ns, memory_order_relaxed);
    atomic_store_explicit(&pool->last_short_ns, now, memory_order_relaxed);
    return now - last < SOON_NS;
}

/* How many blocks a loop of so many cycles is cut into. */
static int64_t count_blocks(oribi_pool *pool, int64_t cycles)
{
    int64_t threads = oribi_pool_threads(pool);
    int64_t alone = clamp(cycles / CANCEL_BLOCK_CYCLES + 1, 1, MOST_BLOCKS);
    if (threads == 1 || cycles < INLINE_AWAKE_CYCLES) {
        return alone;
    }
    if (cycles < INLINE_ASLEEP_CYCLES && oribi_pool_count_sleeping(pool) == threads - 1 &&
        !is_one_of_many(pool)) {
        return alone;
    }
    int64_t useful_threads = clamp(cycles / THREAD_CYCLES, 2, threads);
    int64_t most = threads * BLOCKS_PER_THREAD;
    int64_t wished = clamp(cycles / BLOCK_CYCLES, 1, most > alone ? most : alone);
    int64_t each = (wished + useful_threads - 1) / useful_threads;
    return each * useful_threads;
}

void oribi_pool_parallel_for(oribi_pool *pool, int64_t total, int64_t cost_per_unit,
                             oribi_pool_range_fn fn, void *object, const atomic_int *cancelled)
{
    if (total <= 0) {
        return;
    }
    int64_t cycles;
    if (__builtin_mul_overflow(total, cost_per_unit > 0 ? cost_per_unit : 1, &cycles)) {
        cycles = INT64_MAX;
    }
    const int64_t n_blocks = clamp(count_blocks(pool, cycles), 1, total);
    const oribi_pool_loop loop = {total, n_blocks, 0, fn, object, cancelled};
    run_loop(pool, &loop);
}
