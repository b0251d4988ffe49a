// Weights of a token in the sparse form: of the topics of its word, or of those of its document; samplers/kernels/listed.py.
//
// Defined by the caller: as in listed.cu.
#pragma once

#include "held.cuh"

typedef Four<ENTRY, 4 * sizeof(ENTRY)> Quad; // the entries of a lane in four blocks

__device__ __forceinline__ int topic_of(ENTRY entry) { return static_cast<int>(entry >> COUNT_BITS); }

// The count of an entry.
__device__ __forceinline__ float count_of(ENTRY entry) {
    ENTRY count = entry & ((static_cast<ENTRY>(1) << COUNT_BITS) - 1);
#if COUNT_BITS <= 23
    return __int_as_float(0x4b000000 | static_cast<int>(count)) - 8388608.0f; // 2^23 + count, less 2^23
#else
    return static_cast<float>(count);
#endif
}

__device__ __forceinline__ Quad load_quad(const ENTRY *from) { return *reinterpret_cast<const Quad *>(from); }

// What the weights of a token's topics depend on.
struct Weighed {
    bool by_document;
    int steps; // blocks
    int size;  // topics
    int own;   // the topic of the token
    float own_mixture;
    float own_weight; // by document
    float beta;
    const float *row;     // counts of the word
    const ENTRY *entries; // of the list, from those of the own lane on
    const PerTopic *per_topic;
};

// Computes the weights of up to four blocks for the own lane: `weigh_held_token` and `weigh_listed_token` in conditional.py.
template <int N>
__device__ __forceinline__ void weigh_quad(
    const Weighed &given, const Held &held, int number, const Quad &quad, float (&weights)[4], int (&topics)[4]) {
    if (given.by_document) {
        FourTopics found = topics_at(held, number * QUAD + own_lane() * 4);
        float counts[N], factors[N];
#pragma unroll
        for (int block = 0; block < N; block++) {
            topics[block] = static_cast<int>(found.of[block]);
            counts[block] = given.row[topics[block]]; // beyond a row is a number that has no weight
        }
#pragma unroll
        for (int block = 0; block < N; block++) factors[block] = factor_of(held, given.per_topic, topics[block]);
#pragma unroll
        for (int block = 0; block < N; block++) {
            float weight = factors[block] * (counts[block] + given.beta);
            weights[block] = topics[block] == given.own ? given.own_weight : weight;
        }
    } else {
#pragma unroll
        for (int block = 0; block < N; block++) {
            int topic = topic_of(quad.of[block]);
            bool own = topic == given.own;
            PerTopic of_topic = given.per_topic[topic];
            float in_document = static_cast<float>(held.counts[topic]);
            float mixed = frozen_mixture_of(in_document, of_topic.alpha, of_topic.scale, 1.0f);
            weights[block] = weigh_listed(own ? given.own_mixture : mixed, count_of(quad.of[block]), own);
            topics[block] = topic;
        }
    }
}

// Computes the weights of at most N ≤ 4 blocks and their running sums; returns the last one of the lane.
template <int N>
__device__ __forceinline__ float weigh_short(
    const Weighed &given, const Held &held, const Quad &first, float (&sums)[4], int (&topics)[4]) {
    float weights[4], running = 0.0f;
    weigh_quad<N>(given, held, 0, first, weights, topics);
#pragma unroll
    for (int block = 0; block < 4; block++) {
        if (block < N) running = running + weights[block];
        if (block >= N) topics[block] = topics[0];
        sums[block] = running;
    }
    return running;
}

// The number of quads after which a running sum is kept.
__device__ __forceinline__ int stride_of(unsigned steps) { return ((steps + 3) / 4 + CHECKS - 1) / CHECKS; }

// The same for any number of blocks. The sums after every `stride_of` quads are kept.
__device__ __forceinline__ float weigh_long(const Weighed &given, const Held &held) {
    int n_quads = (given.steps + 3) / 4, stride = stride_of(given.steps), until = stride;
    float *check = held.checks + own_lane();
    float running = 0.0f;
    for (int number = 0; number < n_quads; number++) {
        Quad quad = {};
        if (!given.by_document) quad = load_quad(given.entries + number * QUAD);
        float weights[4];
        int topics[4];
        weigh_quad<4>(given, held, number, quad, weights, topics);
#pragma unroll
        for (int block = 0; block < 4; block++) running = running + weights[block];
        if (number + 1 == until) {
            *check = running;
            check += LANES;
            until += stride;
        }
    }
    return running;
}

// The block of the own lane whose interval contains a target. Sums do not fall: it lies in the quads after the last sum
// that was passed.
__device__ __forceinline__ int find_block(const Weighed &given, const Held &held, float rest) {
    int n_quads = (given.steps + 3) / 4, stride = stride_of(given.steps), passed = 0;
    while ((passed + 1) * stride <= n_quads && held.checks[passed * LANES + own_lane()] <= rest) passed++;
    float running = passed > 0 ? held.checks[(passed - 1) * LANES + own_lane()] : 0.0f;
    for (int number = passed * stride; number < n_quads; number++) {
        Quad quad = {};
        if (!given.by_document) quad = load_quad(given.entries + number * QUAD);
        float weights[4];
        int topics[4];
        weigh_quad<4>(given, held, number, quad, weights, topics);
        for (int block = 0; block < 4; block++) {
            running = running + weights[block];
            if (!(running <= rest)) return min(4 * number + block, given.steps - 1);
        }
    }
    return given.steps - 1;
}

// The topic of a number of the list, or among those of the document.
__device__ __forceinline__ int topic_at_number(const Weighed &given, const Held &held, int number) {
    int place = place_in_list(number);
    if (given.by_document) return static_cast<int>(held.topics[place]);
    return topic_of(given.entries[place - own_lane() * 4]);
}
