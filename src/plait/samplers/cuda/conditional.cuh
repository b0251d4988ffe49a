// The token conditional: samplers/conditional.py, function by function and term by term.
//
// A function here has the name, the factors and the order of operations of its counterpart there; tests/cuda compares
// their bits. Where that one treats sixteen topics at once, each lane here treats one of them. A product and a sum are
// never fused (--fmad=false).
#pragma once

#include "lanes.cuh"

// The tilt of one topic (1 without responses, or with an exact tilt).
__device__ __forceinline__ float tilt_of(const float *tilt, int place) { return tilt == nullptr ? 1.0f : tilt[place]; }

// The mixture factor of one topic whose total is frozen; `scale` is 1 / (n_k + Σ_v β_kv).
__device__ __forceinline__ float frozen_mixture_of(float in_document, float alpha, float scale, float tilt_factor) {
    return (in_document + alpha) * tilt_factor * scale;
}

// The weight of one topic: mixture × (n_kw + β_kw), with `own_count` taken out of the count.
__device__ __forceinline__ float word_weight(float counted, float own_count, float prior, float mixed) {
    float word = (counted + -own_count) + prior;
    return mixed * word;
}

// Computes the weight of every topic for a token; returns the last running sum of the lane.
//
// `own_block` is the block of the token's topic if the lane has it, otherwise −1; `sums` receives the running sums.
__device__ __forceinline__ float weigh_token(
    const float (&counts)[BLOCKS], const float (&priors)[BLOCKS], const float (&mixture)[BLOCKS], int own_block,
    float own_mixture, float own_count, float (&sums)[BLOCKS]) {
    float running = 0.0f;
#pragma unroll
    for (int block = 0; block < BLOCKS; block++) {
        bool own = block == own_block;
        float mixed = own ? own_mixture : mixture[block];
        running = running + word_weight(counts[block], own ? own_count : 0.0f, priors[block], mixed);
        sums[block] = running;
    }
    return running;
}

// The cumulative sum of the last running sums over the lanes; the last lane holds the total weight.
__device__ __forceinline__ float sum_across(float running) { return running_sum(running); }

// The lane whose interval contains a target in [0, total); `rest` receives what is left of the target.
__device__ __forceinline__ int draw_lane(float across, float target, float &rest) {
    int lane = min(count_at_most(across, target), LANES - 1);
    float below = lane_at(across, (lane + LANES - 1) % LANES);
    rest = target - (lane > 0 ? below : 0.0f);
    return lane;
}

// The topic whose interval of the cumulative weights contains a target in [0, total).
__device__ __forceinline__ int draw(const float (&sums)[BLOCKS], float across, float target, int n_topics) {
    float rest;
    int lane = draw_lane(across, target, rest);
    int block = 0;
#pragma unroll
    for (int number = 0; number < BLOCKS - 1; number++) block += sums[number] <= rest;
    // Rounding can select the padding, about once in ten million draws.
    return min(LANES * lane_at(block, lane) + lane, n_topics - 1);
}

// The weight n_kw × mixture of one topic of a word's list, with the token taken out of the count of its own topic. The
// mixture of that topic is the one without the token.
__device__ __forceinline__ float weigh_listed(float mixed, float counted, bool own) {
    return mixed * (counted - (own ? 1.0f : 0.0f));
}
