// Sixteen lanes, half a warp, work on one document: the operations of samplers/kernels/lanes.py.
//
// Lane l has topics l, 16 + l, 32 + l … of every table. Within a row, the numbers of a lane for GROUP blocks lie
// together, so that a lane reads them at once. Both halves of a warp run the same steps: all lanes take part in every
// exchange, and a document that has ended draws numbers that are not used.
#pragma once

#define LANES 16
#ifdef HALVES_APART // the halves of a warp take different branches: lanes exchange numbers within their half only
#define ALL_LANES (0xffffu << (threadIdx.x & 16))
#else
#define ALL_LANES 0xffffffffu
#endif
#define WIDTH (LANES * BLOCKS)
#define GROUP (BLOCKS % 4 == 0 ? 4 : BLOCKS % 2 == 0 ? 2 : 1)

typedef unsigned long long key_type;

__device__ __forceinline__ int own_lane() { return threadIdx.x & (LANES - 1); }

// Where a block of topics of one lane stands in a row.
__device__ __forceinline__ int place_in_row(int block, int lane) {
    return block / GROUP * (LANES * GROUP) + lane * GROUP + block % GROUP;
}

__device__ __forceinline__ int place_of(int topic) { return place_in_row(topic / LANES, topic % LANES); }

// The topic at a place of a row.
__device__ __forceinline__ int topic_at(int place) {
    int block = place / (LANES * GROUP) * GROUP + place % GROUP;
    return LANES * block + place / GROUP % LANES;
}

// Reads the numbers of the own lane of a row.
__device__ __forceinline__ void load_row(const float *row, float (&values)[BLOCKS]) {
    const float *own = row + own_lane() * GROUP;
#pragma unroll
    for (int block = 0; block < BLOCKS; block += GROUP) {
        const float *from = own + block * LANES;
        if (GROUP == 4) {
            float4 four = *reinterpret_cast<const float4 *>(from);
            values[block] = four.x;
            values[block + 1 < BLOCKS ? block + 1 : 0] = four.y;
            values[block + 2 < BLOCKS ? block + 2 : 0] = four.z;
            values[block + 3 < BLOCKS ? block + 3 : 0] = four.w;
        } else if (GROUP == 2) {
            float2 two = *reinterpret_cast<const float2 *>(from);
            values[block] = two.x;
            values[block + 1 < BLOCKS ? block + 1 : 0] = two.y;
        } else {
            values[block] = *from;
        }
    }
}

template <typename Value> __device__ __forceinline__ Value lane_at(Value value, int lane) {
    return __shfl_sync(ALL_LANES, value, lane, LANES);
}

// The larger number of both halves, which then run equally many steps; the own one if they are apart.
__device__ __forceinline__ int larger_half(int value) {
#ifdef HALVES_APART
    return value;
#else
    return max(value, __shfl_xor_sync(ALL_LANES, value, LANES));
#endif
}

// The cumulative sum of the lanes, added in four doubling steps.
__device__ __forceinline__ float running_sum(float value) {
    int lane = own_lane();
#pragma unroll
    for (int step = 1; step < LANES; step *= 2) {
        float moved = __shfl_up_sync(ALL_LANES, value, step, LANES);
        if (lane >= step) value = value + moved;
    }
    return value;
}

// The sum of all lanes, one half added to the other four times.
template <typename Value> __device__ __forceinline__ Value lane_sum(Value value) {
#pragma unroll
    for (int size = LANES / 2; size > 0; size /= 2) value = value + __shfl_xor_sync(ALL_LANES, value, size, LANES);
    return value;
}

__device__ __forceinline__ float larger(float left, float right) { return left > right ? left : right; }

__device__ __forceinline__ float lane_max(float value) {
#pragma unroll
    for (int size = LANES / 2; size > 0; size /= 2) value = larger(value, __shfl_xor_sync(ALL_LANES, value, size, LANES));
    return value;
}

// The number of lanes that are not larger than a bound.
__device__ __forceinline__ int count_at_most(float value, float bound) {
    unsigned found = __ballot_sync(ALL_LANES, value <= bound);
    return __popc(found >> (threadIdx.x & LANES) & 0xffffu);
}

// exp; numbers above 88 are treated as 88, and those up to −87 give 0.
__device__ __forceinline__ float exponential(float given) {
    bool enough = given > -87.0f;
    float x = enough ? given : -87.0f;
    x = x < 88.0f ? x : 88.0f;
    float whole = (x * 1.4426950408889634f + 12582912.0f) - 12582912.0f;
    float rest = x - whole * 0.693359375f;
    rest = rest - whole * -2.12194440e-4f;
    float series = 0.00139262508f;
    series = series * rest + 0.00836323288f;
    series = series * rest + 0.0416665542f;
    series = series * rest + 0.166665767f;
    series = series * rest + 0.5f;
    series = series * rest + 1.0f;
    series = series * rest + 1.0f;
    float scale = __int_as_float((static_cast<int>(whole) + 127) << 23);
    return enough ? series * scale : 0.0f;
}
