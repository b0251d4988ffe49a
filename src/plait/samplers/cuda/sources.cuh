// Linked documents inside a sweep: samplers/kernels/sources.py. The rows of a document's candidates are copied at its
// start and follow its own tokens only. A lane reads and writes its own topics of these rows; what belongs to a candidate
// as a whole is written by the first lane.
#pragma once

#include "conditional.cuh"
#include "random.cuh"

// Candidate sources of all documents.
struct Sources {
    const long long *starts;
    const int *documents;      // row of each candidate
    const double *gamma;
    double *taken;             // m_dc
    int *drawn;                // candidate of every token
    const float *source_topic; // frozen counts, in the order of lanes
    int *counted;              // counts after the sweep, in the order of topics
    double alpha_sum;
};

// Candidates of the document of half a warp.
struct Candidates {
    long long first;
    int size;
    float *rows;    // size × WIDTH
    double *drawn;  // n_c
    float *ratios;  // (m_dc + γ_dc) / (n_c + Σα)
    float *scale;   // tilt_dk / (n_k + Σ_v β_kv)
};

// (m_dc + γ_dc) / (n_c + Σα), the weight of a candidate source.
__device__ __forceinline__ double source_ratio(double taken, double gamma, double drawn, double alpha_sum) {
    return (taken + gamma) / (drawn + alpha_sum);
}

__device__ __forceinline__ float ratio_of(const Sources &sources, const Candidates &own, int place, double less) {
    long long at = own.first + place;
    return static_cast<float>(source_ratio(
        sources.taken[at] - less, sources.gamma[at], own.drawn[place] - less, sources.alpha_sum));
}

// Loads the candidates of a document and their counts.
__device__ __forceinline__ void open_candidates(const Sources &sources, long long document, Candidates &own) {
    own.first = sources.starts[document];
    own.size = static_cast<int>(sources.starts[document + 1] - own.first);
    for (int place = 0; place < own.size; place++) {
        const float *frozen = sources.source_topic + static_cast<long long>(sources.documents[own.first + place]) * WIDTH;
        float counted = 0.0f;
#pragma unroll
        for (int block = 0; block < BLOCKS; block++) {
            int at = place_in_row(block, own_lane());
            own.rows[place * WIDTH + at] = frozen[at];
            counted = counted + frozen[at];
        }
        counted = lane_sum(counted);
        if (own_lane() == 0) {
            own.drawn[place] = static_cast<double>(counted);
            own.ratios[place] = ratio_of(sources, own, place, 0.0);
        }
    }
    __syncwarp(ALL_LANES);
}

// Computes the mixture factor of every topic without one token: `mix_without`, and `fill_linked_mixture` of conditional.py.
__device__ __forceinline__ void mix_without(
    const Sources &sources, const Candidates &own, int source, int own_block, const float *alpha, float *mixture) {
    float own_ratio = ratio_of(sources, own, source, 1.0);
    float all_ratios = own_ratio;
    for (int place = 0; place < own.size; place++) all_ratios += place == source ? 0.0f : own.ratios[place];
#pragma unroll
    for (int block = 0; block < BLOCKS; block++) {
        int at = place_in_row(block, own_lane());
        float total = own_ratio * (own.rows[source * WIDTH + at] + (block == own_block ? -1.0f : 0.0f));
        for (int place = 0; place < own.size; place++) {
            float ratio = place == source ? 0.0f : own.ratios[place];
            total = total + ratio * own.rows[place * WIDTH + at];
        }
        total = total + all_ratios * alpha[at];
        mixture[at] = total * own.scale[at];
    }
}

// Draws the source of a token that moves from topic `old` to `topic`, and updates the counts; returns the candidate.
__device__ __forceinline__ int draw_candidate(
    const Sources &sources, Candidates &own, int source, int old, int topic, const float *alpha, key_type random_key,
    int position) {
    int lane = own_lane(), there = place_of(topic), chosen = 0;
    float without = ratio_of(sources, own, source, 1.0);
    if (lane == topic % LANES) {
        float total = 0.0f;
        for (int place = 0; place < own.size; place++) {
            float counted = own.rows[place * WIDTH + there];
            if (place == source && topic == old) counted -= 1.0f;
            total += (place == source ? without : own.ratios[place]) * (counted + alpha[there]);
        }
        // The key is scrambled once more to get a stream other than that of the topics.
        float target = uniform(scramble(random_key), position) * total;
        total = 0.0f;
        for (int place = 0; place < own.size - 1; place++) {
            float counted = own.rows[place * WIDTH + there];
            if (place == source && topic == old) counted -= 1.0f;
            total += (place == source ? without : own.ratios[place]) * (counted + alpha[there]);
            chosen += total <= target;
        }
    }
    chosen = lane_at(chosen, topic % LANES);
    if (chosen == source && topic == old) return chosen;
    __syncwarp(ALL_LANES);
    if (lane == old % LANES) own.rows[source * WIDTH + place_of(old)] -= 1.0f;
    if (lane == topic % LANES) own.rows[chosen * WIDTH + there] += 1.0f;
    if (lane == 0) {
        own.ratios[source] = without;
        sources.taken[own.first + source] -= 1.0;
        own.drawn[source] -= 1.0;
        sources.taken[own.first + chosen] += 1.0;
        own.drawn[chosen] += 1.0;
        own.ratios[chosen] = ratio_of(sources, own, chosen, 0.0);
        atomicAdd(sources.counted + static_cast<long long>(sources.documents[own.first + source]) * WIDTH + old, -1);
        atomicAdd(sources.counted + static_cast<long long>(sources.documents[own.first + chosen]) * WIDTH + topic, 1);
    }
    __syncwarp(ALL_LANES);
    return chosen;
}

// Σ_k Σ_c ratio_c (n_ck + α_k) tilt_dk, and the same without the tilt: m_d + Σγ. A diagnostic.
__device__ __forceinline__ double expected_shares(
    const Sources &sources, const Candidates &own, const float *alpha, const float *tilt, double &untilted) {
    untilted = 0.0;
    for (int place = 0; place < own.size; place++)
        untilted += sources.taken[own.first + place] + sources.gamma[own.first + place];
    if (tilt == nullptr) return untilted;
    double mass = 0.0;
    for (int place = 0; place < own.size; place++)
        for (int block = 0; block < BLOCKS; block++) {
            int at = place_in_row(block, own_lane());
            mass += static_cast<double>(own.ratios[place]) * (own.rows[place * WIDTH + at] + alpha[at]) * tilt[at];
        }
    return lane_sum(mass);
}
