/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers that the host hands to kernels: one struct a kernel, of numbers of 4 bytes alone, so
 * that both sides lay it out alike. Strides are in elements.
 */
#ifndef DEVICE_OPS_CODE_PARAMETERS_H_
#define DEVICE_OPS_CODE_PARAMETERS_H_

#define OP_MAX_RANK 8
#define OP_STRIP    1024 /* elements that a thread of strips_code.c makes */

typedef struct op_count {
    int n;
    float alpha, beta; /* of the functions that have them */
} op_count;

typedef struct op_clip { /* bounds are one number (step 0) or one for each element (step 1) */
    int n, low_step, high_step;
} op_clip;

/* How to divide by a number without a division: op_divide in divide.h; from walk_divisor. Members
 * of that type stand beside the number that they divide by, named by_...
 */
typedef struct op_divisor {
    unsigned multiplier;
    int shift;
} op_divisor;

/* Where element i of the output finds its operands. rank is at least 1; dims[0] is not looked at.
 */
typedef struct op_walk {
    int n, rank;
    int dims[OP_MAX_RANK];
    op_divisor by_dims[OP_MAX_RANK];
    int x[OP_MAX_RANK];
    int y[OP_MAX_RANK];
    int x_first; /* of op_move */
} op_walk;

/* Rows of `columns` elements, n elements in all, from one pace to another. */
typedef struct op_runs {
    int n, columns;
    op_divisor by_columns;
    int x_first, x_stride;
    int z_first, z_stride;
} op_runs;

typedef struct op_pad {
    int n, rank;
    int dims[OP_MAX_RANK]; /* of the output */
    op_divisor by_dims[OP_MAX_RANK];
    int in[OP_MAX_RANK];
    int before[OP_MAX_RANK];
    int x[OP_MAX_RANK];
    int is_mirror, skip; /* skip 1: the edge is not repeated */
    float value;
} op_pad;

typedef struct op_reduction {
    int n, rank; /* outputs, and where each begins in x */
    int dims[OP_MAX_RANK];
    op_divisor by_dims[OP_MAX_RANK];
    int x[OP_MAX_RANK];
    int count, reduced_rank; /* elements of each, and where they are from there on */
    int reduced_dims[OP_MAX_RANK];
    op_divisor by_reduced_dims[OP_MAX_RANK];
    int reduced_x[OP_MAX_RANK];
    int outputs;   /* of a group, or of a processor's thread */
    int is_beside; /* elements of neighbouring outputs are neighbours in x */
} op_reduction;

/* A product: z [rows, columns] = activation(alpha x [rows, taps * depth] w + bias + beta q), for
 * each of some groups. A convolution's row is a place of its output, its taps are its window's; a
 * matrix product's row is a row of its own, and it has one tap. Lists are height, width.
 */
typedef struct op_tile {
    int rows, columns; /* of a group */
    int groups;
    int depth;  /* elements of x at a tap */
    int out[2]; /* row / out[1] / out[0] is the picture */
    int in[2];
    int size[2];
    int stride[2];
    int dilation[2];
    int before[2];
    int x[4]; /* steps: picture, row, column, element */
    int w[2]; /* from element to element (the taps' lie one after the other), column to column */
    int z[4]; /* picture, row, column, channel; of q too */
    int group[4]; /* from group to group: x, w, z and q, bias */
    int has_bias;
    int has_residual; /* q */
    int activation;   /* OP_RELU, ... */
    float slope;      /* of OP_LEAKY_RELU */
    float alpha, beta;
} op_tile;

typedef struct op_bias { /* of n elements, `columns` in a row */
    int n, columns;
    int has_bias;
    int activation; /* OP_RELU, ... */
    float alpha;
} op_bias;

typedef struct op_rows {
    int rows, columns;
    int is_log;    /* of softmax: the logarithm of it */
    int of_row;    /* threads that make a row */
    int of_thread; /* rows that a processor's thread makes */
} op_rows;

typedef struct op_norm { /* element i is of channel i / inner % channels */
    int n, channels, inner;
    op_divisor by_channels, by_inner;
    float epsilon;
    int has_side, has_relu;
} op_norm;

typedef struct op_resize { /* lists are height, width */
    int n, channels;
    int in[2];
    int out[2];
    op_divisor by_channels, by_out[2];
    float scale[2]; /* of x over the output */
    float offset;   /* 0.5: pixels are their centres */
    int rounds;     /* to the nearest; else down */
} op_resize;

typedef struct op_lrn { /* channels innermost */
    int n, channels, radius;
    op_divisor by_channels;
    float bias, alpha, beta;
} op_lrn;

typedef struct op_window { /* convolutions and pools; lists are height, width */
    int n;
    int out[3]; /* height, width, channels */
    int in[2];
    int depth; /* input channels of a group */
    int group; /* output channels of a group */
    int size[2];
    int stride[2];
    int dilation[2];
    int before[2];
    int x[4]; /* steps: picture, row, column, channel */
    int z[4];
    int has_bias;
    int has_residual;
    int activation; /* OP_RELU, ... */
    float alpha;
} op_window;

#define OP_NO_ACTIVATION 0
#define OP_RELU          1
#define OP_RELU6         2
#define OP_ELU           3
#define OP_LEAKY_RELU    4
#define OP_SIGMOID       5
#define OP_TANH          6

#endif
