// Draws from cumulative sums that are computed once per sweep: `find_above` and `draw_above` in samplers/kernels/held.py.
#pragma once

#include "held.cuh"

// The first of the sums, up to number `last`, that is larger than a target; `last` if none is. Sums do not fall.
//
// Every lane looks at the end of one of sixteen quads, then at four sums of the quad that was found.
__device__ __forceinline__ int find_above(const double *sums, int last, double target) {
    int quad = -1;
    for (int begin = 0; __any_sync(ALL_LANES, quad < 0); begin += LANES) {
        int end = QUAD * (begin + own_lane()) + QUAD - 1;
        unsigned found = half_ballot(quad < 0 && (end >= last || sums[end] > target));
        if (found) quad = begin + __ffs(found) - 1;
    }
    int first = QUAD * quad + 4 * own_lane(), below = 0;
#pragma unroll
    for (int next = 0; next < 4; next++) below += first + next < last && sums[first + next] <= target;
    int lane = __popc(half_ballot(below == 4)); // all sums of the lanes before it are below
    return QUAD * quad + 4 * lane + lane_at(below, lane);
}
