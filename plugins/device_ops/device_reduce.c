/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions over axes: how threads share the work of one, by what lies side by side in x and by
 * how many outputs there are.
 */
#include "device_ops/device_walk.h"
#include "micro/geometry/geometry_axes.h"

enum {
    SHARED_FROM = 16,     /* elements of one output from which several threads make it */
    OF_THREAD = 8,        /* and then so many of them each, at least */
    ENOUGH = 1 << 16,     /* outputs that occupy any device, a thread each */
    MANY_GROUPS = 256,    /* groups of the wide form that occupy any device */
    WIDE = 32,            /* neighbours of the output that a group makes then */
    NARROW = 8,           /* else: 32 bytes, which is what GPUs read at least */
    WIDTH = 16,           /* of code/vectors.h */
    STRIP = 4 * WIDTH,    /* columns of a thread of a processor */
    GROUP_FROM = 256,     /* elements of one output worth a processor's barriers */
    FEW_STRIPS = 8,       /* fewer of them leave processors idle */
    OF_PROCESSOR = 16384, /* elements worth a thread of a processor */
};

static bool read_axes(op_request *r, oribi_geometry_axes *out_reduced)
{
    oribi_dims axes;
    int32_t at = 0, axis = 0;
    if (!op_read_dims(r, r->y, &axes)) {
        return false;
    }
    const oribi_geometry_naming naming =
        oribi_geometry_name_axes(axes.at, axes.n, TF_NumDims(r->x), out_reduced, &at);
    return naming == ORIBI_GEOMETRY_NAMED ||
           (naming == ORIBI_GEOMETRY_NO_AXIS
                ? op_axis(r, axes.at[at], TF_NumDims(r->x), &axis) /* which fails */
                : op_refuse(r, TF_INVALID_ARGUMENT, "an axis is named twice"));
}

/* The dimensions that are reduced, or those that are not, with their strides over x, as a walk. */
static op_walk walk_of(const oribi_dims *all, const oribi_geometry_axes *reduced, bool is_reduced)
{
    oribi_dims dims = {0};
    oribi_sizes strides = {0};
    op_walk w = {0};
    walk_strides(all, strides.at);
    for (int i = 0; i < all->n; i++) {
        if (oribi_geometry_has_axis(reduced, i) == is_reduced) {
            w.x[dims.n] = strides.at[i];
            (void)oribi_dims_add(&dims, all->at[i]);
        }
    }
    walk_close(&w, &dims);
    return w;
}

/* The form of code/reduce_vectors.c; false where neither fits: short stretches of neighbours. */
static bool launch_vectors(op_kernel *kernel, op_request *r, op_reduction *g)
{
    uint32_t n = 0;
    const int last = g->reduced_rank - 1, columns = g->dims[g->rank - 1];
    if (g->is_beside && columns >= WIDTH) {
        const int rows = g->n / columns;
        g->outputs = g->n / STRIP < FEW_STRIPS ? WIDTH : STRIP;
        n = (uint32_t)(rows * ((columns + g->outputs - 1) / g->outputs));
    } else if (g->reduced_x[last] == 1 && g->reduced_dims[last] >= WIDTH) {
        g->outputs = g->count < OF_PROCESSOR ? OF_PROCESSOR / g->count : 1;
        n = (uint32_t)((g->n + g->outputs - 1) / g->outputs);
    } else {
        return false;
    }
    const char *const *names = kernel->vector_functions;
    const op_code code = {"reduce_vectors", names[g->is_beside], NULL};
    const op_shape shape = {.grid = {n, 1, 1}, .block = {1, 1, 1}};
    const TF_LaunchArg args[] = {op_memory(r->out), op_memory(r->x), op_value(g, sizeof *g)};
    op_launch_code(kernel, r, &code, &shape, args, 3);
    return true;
}

static int outputs_of_group(const op_reduction *g, int threads)
{
    int slices = 2, outputs = 1;
    if (g->is_beside) {
        const int most = g->n / WIDE < MANY_GROUPS ? NARROW : WIDE;
        while (outputs < most && outputs < g->n) {
            outputs *= 2;
        }
        return outputs;
    }
    while (slices < threads && slices * OF_THREAD < g->count) {
        slices *= 2;
    }
    return threads / slices;
}

/* By several threads an output, or by vectors; false where a thread for each output is as good. */
static bool launch_shared(op_kernel *kernel, op_request *r, op_reduction *g)
{
    const uint32_t threads = op_target()->threads;
    const bool is_processor = op_has_vectors(r);
    if (is_processor && launch_vectors(kernel, r, g)) {
        return true;
    }
    if (is_processor ? g->count < GROUP_FROM || g->n >= (int)threads
                     : g->count < SHARED_FROM || (g->is_beside && g->n >= ENOUGH)) {
        return false;
    }
    g->outputs = outputs_of_group(g, (int)threads);
    const TF_LaunchArg args[] = {op_memory(r->out), op_memory(r->x), op_value(g, sizeof *g)};
    const op_shape shape = {
        .grid = {((uint32_t)g->n + (uint32_t)g->outputs - 1) / (uint32_t)g->outputs, 1, 1},
        .block = {threads, 1, 1},
        .shared_bytes = threads * sizeof(float)};
    op_launch(kernel, r, kernel->group_function, &shape, args, 3);
    return true;
}

static void enqueue(op_kernel *kernel, op_request *r, const oribi_dims *all,
                    const oribi_geometry_axes *reduced)
{
    const op_walk kept = walk_of(all, reduced, false), inner = walk_of(all, reduced, true);
    op_reduction g = {.n = kept.n, .rank = kept.rank, .count = inner.n, .reduced_rank = inner.rank};
    for (int i = 0; i < OP_MAX_RANK; i++) {
        g.dims[i] = kept.dims[i];
        g.by_dims[i] = kept.by_dims[i];
        g.x[i] = kept.x[i];
        g.reduced_dims[i] = inner.dims[i];
        g.by_reduced_dims[i] = inner.by_dims[i];
        g.reduced_x[i] = inner.x[i];
    }
    g.is_beside = g.x[g.rank - 1] == 1;
    if (g.n == 0 || g.count == 0 || !launch_shared(kernel, r, &g)) {
        const TF_LaunchArg args[] = {op_memory(r->out), op_memory(r->x), op_value(&g, sizeof g)};
        op_enqueue(kernel, r, g.n, 1, args, 3);
    }
}

static void compute_reduce(void *state, TF_OpKernelContext *ctx)
{
    op_kernel *kernel = state;
    op_request r;
    oribi_dims all, dims;
    oribi_geometry_axes reduced;
    if (op_open(&r, ctx, 2) && op_dims(&r, r.x, &all) && read_axes(&r, &reduced)) {
        dims.n = oribi_geometry_reduce(all.at, all.n, &reduced, kernel->keeps_dims, dims.at);
        if (op_output(&r, &dims)) {
            enqueue(kernel, &r, &all, &reduced);
        }
    }
    op_close(&r);
}

/* names: of the form of device_reduce.c for groups, of reduce_vectors.c's for rows and for columns.
 */
static void *create(TF_OpKernelConstruction *c, const char *function, const char *const *names)
{
    oribi_kit_setup setup;
    op_kernel *kernel = op_begin(&setup, c, "reduce", function, 0);
    if (kernel != NULL) {
        kernel->group_function = names[0];
        kernel->vector_functions = names + 1;
        oribi_kit_attr_bool(&setup, "keep_dims", &kernel->keeps_dims);
    }
    return oribi_kit_setup_end(&setup);
}

#define CREATE(name)                                                                               \
    static void *create_##name(TF_OpKernelConstruction *c)                                         \
    {                                                                                              \
        static const char *const names[] = {"op_" #name "_group", "op_" #name "_rows",             \
                                            "op_" #name "_columns"};                               \
        return create(c, "op_" #name, names);                                                      \
    }
CREATE(sum)
CREATE(mean)
CREATE(prod)
CREATE(max)
CREATE(min)

static const op_entry entries[] = {
    {"Sum", "reduce", create_sum, compute_reduce, {"reduction_indices"}},
    {"Mean", "reduce", create_mean, compute_reduce, {"reduction_indices"}},
    {"Prod", "reduce", create_prod, compute_reduce, {"reduction_indices"}},
    {"Max", "reduce", create_max, compute_reduce, {"reduction_indices"}},
    {"Min", "reduce", create_min, compute_reduce, {"reduction_indices"}},
};
const op_table op_reduce_table = {entries, sizeof entries / sizeof *entries};
