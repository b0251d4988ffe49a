// Exact tilt by proposals: samplers/kernels/proposal.py. KEPT is the number of observations per document that have room in
// shared memory; if it is 0, their numbers are in the memory of the device.
#pragma once

#include "random.cuh"
#include "tilt.cuh"

#define MAX_RUN 16 // tokens
#define RUNS 8     // at least, in a document of several tokens

// The observations of a document, and the tilt of its present run of tokens. Lane l has observations l, 16 + l …
struct Proposal {
    float4 *kept;   // a_r, b_r, P_r, Q_r
    float *squares; // Σ_r b_r u_rk² / 2
    int run;        // tokens per run
};

__device__ __forceinline__ int run_length(int n_tokens) {
    int run = 1;
    while (run < MAX_RUN && 2 * RUNS * run <= n_tokens) run *= 2;
    return run;
}

// Computes what a document's proposals need once.
__device__ __noinline__ void open_proposal(Observations given, Observed own, const float *doc_topic, Proposal proposal) {
    float topics[BLOCKS], direction[BLOCKS], squares[BLOCKS];
    load_row(doc_topic, topics);
#pragma unroll
    for (int block = 0; block < BLOCKS; block++) squares[block] = 0.0f;
    for (int begin = 0; begin < (LABELS > 0 ? LABELS : own.most); begin += LANES) {
        int mine = begin + own_lane(), end = min(LANES, (LABELS > 0 ? LABELS : own.most) - begin);
        int row = direction_of(given, own, mine);
        float4 kept = {0.0f, 0.0f, 0.0f, 0.0f};
        if (mine < own.size) {
            kept.x = static_cast<float>(given.pull[own.first + mine] / static_cast<double>(own.length));
            kept.y = static_cast<float>(given.precision[own.first + mine] / static_cast<double>(own.length * own.length));
        }
        for (int number = 0; number < end; number++) {
            load_row(direction_row(given, direction_at(row, begin, number)), direction);
            float total = 0.0f, half = 0.5f * lane_at(kept.y, number);
#pragma unroll
            for (int block = 0; block < BLOCKS; block++) {
                total = total + direction[block] * topics[block];
                squares[block] = squares[block] + (half * direction[block]) * direction[block];
            }
            total = lane_sum(total);
            kept.z = number == own_lane() ? total : kept.z;
        }
        if (mine < own.size) proposal.kept[mine] = kept;
    }
#pragma unroll
    for (int block = 0; block < BLOCKS; block++) proposal.squares[place_in_row(block, own_lane())] = squares[block];
}

// Computes the tilt of a run of `size` tokens, up to a constant; 0: the other half of the warp has one. Lane l has the topic
// of the run's token `first` + l.
__device__ __noinline__ void renew_tilt(
    Observations given, Observed own, Proposal proposal, int topic, int first, int size, int n_tokens, int n_topics,
    float *result) {
    float tilt[BLOCKS], direction[BLOCKS];
    float ratio = static_cast<float>(n_tokens - 1) / static_cast<float>(max(n_tokens - size, 1));
    int longest = larger_half(size);
#pragma unroll
    for (int block = 0; block < BLOCKS; block++) tilt[block] = 0.0f;
    for (int begin = 0; begin < (LABELS > 0 ? LABELS : own.most); begin += LANES) {
        int mine = begin + own_lane(), end = min(LANES, (LABELS > 0 ? LABELS : own.most) - begin);
        int row = direction_of(given, own, mine);
        bool there = mine < own.size && size > 0;
        float4 kept = {0.0f, 0.0f, 0.0f, 0.0f};
        if (there) kept = proposal.kept[mine];
        float outside = kept.z;
        for (int number = 0; number < longest; number++) {
            int other = lane_at(topic, (first + number) % LANES);
            if (there && number < size) outside = outside - direction_for(given, row, mine, other);
        }
        float proposed = outside * ratio;
        if (there) proposal.kept[mine].w = proposed;
        float slope = there ? kept.x - kept.y * proposed : 0.0f;
#pragma unroll 4
        for (int number = 0; number < end; number++) {
            float slope_of = lane_at(slope, number);
            load_row(direction_row(given, direction_at(row, begin, number)), direction);
#pragma unroll
            for (int block = 0; block < BLOCKS; block++) tilt[block] = tilt[block] + slope_of * direction[block];
        }
    }
    float most = LOWEST;
#pragma unroll
    for (int block = 0; block < BLOCKS; block++) {
        float exponent = tilt[block] - proposal.squares[place_in_row(block, own_lane())];
        tilt[block] = LANES * block + own_lane() < n_topics ? exponent : LOWEST;
        most = larger(most, tilt[block]);
    }
    float shift = lane_max(most);
    if (size > 0) {
#pragma unroll
        for (int block = 0; block < BLOCKS; block++)
            result[place_in_row(block, own_lane())] = exponential(tilt[block] - shift);
    }
}

// Whether a token moves from topic `old` to the proposed topic.
__device__ __forceinline__ bool accepts(
    const Observations &given, const Observed &own, const Proposal &proposal, int old, int proposed, float chance) {
    float total = 0.0f;
    for (int begin = 0; begin < (LABELS > 0 ? LABELS : own.most); begin += LANES) {
        int mine = begin + own_lane();
        if (mine >= own.size) continue;
        int row = direction_of(given, own, mine);
        float4 kept = proposal.kept[mine];
        float before = direction_for(given, row, mine, old);
        float moved = direction_for(given, row, mine, proposed) - before;
        float without = kept.z - before;
        total = total + moved * (kept.y * (kept.w - without));
    }
    float change = lane_sum(total);
    return change >= 0.0f || chance < exponential(change);
}

// Updates the projections for a token that moves.
__device__ __forceinline__ void move_projections(
    const Observations &given, const Observed &own, const Proposal &proposal, int old, int topic) {
    for (int mine = own_lane(); mine < own.size; mine += LANES) {
        int row = direction_of(given, own, mine);
        float change = direction_for(given, row, mine, topic) - direction_for(given, row, mine, old);
        proposal.kept[mine].z = proposal.kept[mine].z + change;
    }
}
