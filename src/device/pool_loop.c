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
    /* The caller waits for the last blocks: first it just spins, then it offers the processor to
     * others between looks, then it sleeps. */
    WAIT_ALONE_NS = 10000,
    WAIT_SPIN_NS = 100000
};

static bool is_cancelled(const atomic_int *cancelled)
{
    return cancelled && atomic_load_explicit(cancelled, memory_order_relaxed) != 0;
}

static void run_block(const oribi_pool_slot *slot, int64_t block, int worker)
{
    int64_t begin = block * slot->block_size;
    int64_t left = slot->total - begin;
    slot->fn(slot->object, begin, begin + (left < slot->block_size ? left : slot->block_size),
             worker);
}

static int64_t claim(oribi_pool_slot *slot)
{
    return atomic_fetch_add_explicit(&slot->next, 1, memory_order_relaxed);
}

/* For those who joined, and the caller: the block that they claimed, and blocks until none is left.
 * True when it ran one. */
static bool run_blocks(oribi_pool *pool, oribi_pool_slot *slot, int64_t block, int worker)
{
    int64_t n_blocks = atomic_load_explicit(&slot->n_blocks, memory_order_relaxed);
    bool worked = false;
    while (block < n_blocks && !is_cancelled(slot->cancelled)) {
        run_block(slot, block, worker);
        worked = true;
        block = block < n_blocks - 1 ? claim(slot) : n_blocks; /* none is behind the last one */
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
    return atomic_load_explicit(&slot->next, memory_order_relaxed) <
           atomic_load_explicit(&slot->n_blocks, memory_order_relaxed);
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
        if (slot_has_blocks(slot) && slot_join(slot)) {
            worked |= run_blocks(pool, slot, claim(slot), worker);
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

static void run_alone(const oribi_pool_slot *loop, int64_t n_blocks)
{
    for (int64_t block = 0; block < n_blocks && !is_cancelled(loop->cancelled); block++) {
        run_block(loop, block, 0);
    }
}

static void run_loop(oribi_pool *pool, int64_t total, int64_t block_size, oribi_pool_range_fn fn,
                     void *object, const atomic_int *cancelled)
{
    int64_t n_blocks = total / block_size + (total % block_size != 0);
    oribi_pool_slot *slot = n_blocks > 1 && oribi_pool_threads(pool) > 1 ? slot_take(pool) : NULL;
    if (!slot) { /* also when 64 loops are under way */
        oribi_pool_slot alone = {.total = total,
                                 .block_size = block_size,
                                 .fn = fn,
                                 .object = object,
                                 .cancelled = cancelled};
        run_alone(&alone, n_blocks);
        return;
    }
    slot->total = total;
    slot->block_size = block_size;
    slot->fn = fn;
    slot->object = object;
    slot->cancelled = cancelled;
    atomic_store_explicit(&slot->n_blocks, n_blocks, memory_order_relaxed);
    atomic_store_explicit(&slot->next, 1, memory_order_relaxed); /* the first one is ours */
    atomic_store_explicit(&slot->state, SLOT_OPEN, memory_order_release);
    slot_publish(pool, slot, n_blocks);
    run_blocks(pool, slot, 0, 0);
    slot_close(slot);
    slot_free(pool, slot);
}

void oribi_pool_parallel_blocks(oribi_pool *pool, int64_t total, int64_t block_size,
                                oribi_pool_range_fn fn, void *object, const atomic_int *cancelled)
{
    if (total > 0) {
        run_loop(pool, total, block_size > 0 ? block_size : 1, fn, object, cancelled);
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
    int64_t alone = cycles / CANCEL_BLOCK_CYCLES + 1;
    if (threads == 1 || cycles < INLINE_AWAKE_CYCLES) {
        return alone;
    }
    if (cycles < INLINE_ASLEEP_CYCLES && oribi_pool_count_sleeping(pool) == threads - 1 &&
        !is_one_of_many(pool)) {
        return alone;
    }
    int64_t useful_threads = clamp(cycles / THREAD_CYCLES, 2, threads);
    int64_t most = threads * BLOCKS_PER_THREAD;
    return clamp(cycles / BLOCK_CYCLES, useful_threads, most > alone ? most : alone);
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
    int64_t n_blocks = clamp(count_blocks(pool, cycles), 1, total);
    int64_t block_size = total / n_blocks + (total % n_blocks != 0);
    run_loop(pool, total, block_size, fn, object, cancelled);
}
