/* SPDX-License-Identifier: Apache-2.0 */
/* Arctangent of floats, within one unit in the last place, in double inside: the same bits on each
 * machine. Read first: float_rules.h.
 */
#ifndef ORIBI_MICRO_ARC_H_
#define ORIBI_MICRO_ARC_H_

#include "micro/math_f32.h"

/* Of a number from 0 to 1: a series around 0, or around 1 above the tangent of pi/8. */
static inline double oribi_micro_arc_of(double x)
{
    const int32_t is_near_1 = x > 0.41421356237309503;
    const double z = is_near_1 ? (x - 1.0) / (x + 1.0) : x, v = z * z;
    double y = 0.040000000000000001;
    y = 0.043478260869565216 - y * v;
    y = 0.047619047619047616 - y * v;
    y = 0.052631578947368418 - y * v;
    y = 0.058823529411764705 - y * v;
    y = 0.066666666666666666 - y * v;
    y = 0.076923076923076927 - y * v;
    y = 0.090909090909090912 - y * v;
    y = 0.1111111111111111 - y * v;
    y = 0.14285714285714285 - y * v;
    y = 0.20000000000000001 - y * v;
    y = 0.33333333333333331 - y * v;
    y = z - z * v * y;
    return is_near_1 ? 0.78539816339744828 + y : y;
}

/* The angle of the point (x, y), with C's special cases. */
static inline float oribi_micro_atan2(float y, float x)
{
    const float up = oribi_micro_magnitude(y), along = oribi_micro_magnitude(x);
    const float least = up < along ? up : along, most = up < along ? along : up;
    if (x != x || y != y) {
        return oribi_micro_nan();
    }
    double angle = least == most ? (most > 0.0F ? 0.78539816339744828 : 0.0)
                                 : oribi_micro_arc_of((double)least / (double)most);
    angle = up > along ? 1.5707963267948966 - angle : angle;
    angle = (oribi_micro_to_bits(x) >> 31) != 0U ? 3.1415926535897931 - angle : angle;
    return oribi_micro_with_sign((float)angle, y);
}

#endif
