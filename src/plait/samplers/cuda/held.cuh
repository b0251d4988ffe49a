// Topics that a document holds: samplers/kernels/held.py, in shared memory where they fit, sixteen lanes per document.
//
// The topics are in quads of blocks, as the lists of words (lists.cu), so that a lane reads four of them at once; beyond
// the last one is topic WIDTH_OF, which has no tokens. Both halves of a warp run the same steps.
//
// Defined by the caller: TOPIC, WIDTH_OF (padded topics), COUNT (a type for the tokens of a document).
#pragma once

#include "random.cuh"
#include "conditional.cuh"

#define QUAD 64 // entries of four blocks

// What the mixture of a topic depends on, the same for all documents; topic WIDTH_OF has 0.
struct alignas(8) PerTopic {
    float alpha;
    float scale; // 1 / (n_k + Σβ)
};

struct Held {
    COUNT *counts; // n_dk of all topics
    float *checks; // CHECKS × 16: running sums, by lanes
    TOPIC *topics; // with a token
    int size;      // the number of them
    double reach;  // Σ_k n_dk / (n_k + Σβ)
};

template <typename Value, int SIZE> struct alignas(SIZE) Four {
    Value of[4];
};
typedef Four<TOPIC, 4 * sizeof(TOPIC)> FourTopics;

// Where number e of a list stands.
__device__ __forceinline__ int place_in_list(unsigned entry) {
    unsigned block = entry / LANES;
    return block / 4 * QUAD + entry % LANES * 4 + block % 4;
}

// The number of blocks of a list.
__device__ __forceinline__ int blocks_of(unsigned size) { return (size + LANES - 1) / LANES; }

__device__ __forceinline__ unsigned half_ballot(bool found) {
    return __ballot_sync(ALL_LANES, found) >> (threadIdx.x & LANES) & 0xffffu;
}

// n_dk / (n_k + Σβ)
__device__ __forceinline__ float factor_of(const Held &held, const PerTopic *per_topic, int topic) {
    return static_cast<float>(held.counts[topic]) * per_topic[topic].scale;
}

__device__ __forceinline__ FourTopics topics_at(const Held &held, int place) {
    return *reinterpret_cast<const FourTopics *>(held.topics + place);
}

// Replaces a topic by the last one, which is left as it is.
__device__ __forceinline__ void replace_by_last(Held &held, int topic, int last) {
    int from = place_in_list(last);
    TOPIC moved = held.topics[from];
    for (int number = 0; number * QUAD <= last; number++) {
        int begin = number * QUAD + own_lane() * 4;
        FourTopics found = topics_at(held, begin);
#pragma unroll
        for (int block = 0; block < 4; block++)
            if (static_cast<int>(found.of[block]) == topic && begin + block != from) held.topics[begin + block] = moved;
    }
}

// Counts one of `tokens` tokens of topic `old` in topic `topic` instead, where a half moves one.
__device__ __forceinline__ void move_topic(
    bool moves, Held &held, int old, int tokens, int topic, const PerTopic *per_topic) {
    int before = held.counts[topic], last = held.size - 1;
    bool drops = moves && tokens == 1, adds = moves && before == 0;
    __syncwarp(); // all lanes have read what the last token needed
    if (drops) {
        replace_by_last(held, old, last);
        held.size = last;
    }
    __syncwarp();
    if (moves) {
        if (own_lane() == 0) {
            held.counts[old] = static_cast<COUNT>(tokens - 1);
            held.counts[topic] = static_cast<COUNT>(before + 1);
            if (drops || adds) held.topics[place_in_list(held.size)] = static_cast<TOPIC>(adds ? topic : WIDTH_OF);
        }
        if (adds) held.size++;
        held.reach += static_cast<double>(per_topic[topic].scale) - static_cast<double>(per_topic[old].scale);
    }
    __syncwarp();
}

// Counts the topics of a document, and notes them in the order in which they occur. No topic was held before.
__device__ __forceinline__ void count_topics(const TOPIC *topics, int length, Held &held) {
    held.size = 0;
    int most = larger_half(length);
    for (int begin = 0; begin < most; begin += LANES) {
        int token = begin + own_lane();
        bool there = token < length;
        int topic = there ? static_cast<int>(topics[token]) : WIDTH_OF;
        // The halves have different documents.
        unsigned alike =
            __match_any_sync(ALL_LANES, topic * 2 + (threadIdx.x / LANES & 1)) >> (threadIdx.x & LANES) & 0xffffu;
        bool leads = there && __ffs(alike) - 1 == own_lane();
        int before = leads ? static_cast<int>(held.counts[topic]) : 0;
        unsigned fresh = half_ballot(leads && before == 0);
        if (leads && before == 0)
            held.topics[place_in_list(held.size + __popc(fresh & ((1u << own_lane()) - 1u)))] = static_cast<TOPIC>(topic);
        if (leads) held.counts[topic] = static_cast<COUNT>(before + __popc(alike));
        held.size += __popc(fresh);
        __syncwarp();
    }
}

// Computes the sum of the factors.
__device__ __forceinline__ void open_held(Held &held, const PerTopic *per_topic) {
    float total = 0.0f;
    for (int number = own_lane(); number < held.size; number += LANES)
        total = total + factor_of(held, per_topic, held.topics[place_in_list(number)]);
    held.reach = static_cast<double>(lane_sum(total));
}

// Removes all topics.
__device__ __forceinline__ void clear_held(Held &held) {
    __syncwarp(); // all lanes have read what the last token needed
    for (int number = own_lane(); number < held.size; number += LANES) {
        int place = place_in_list(number);
        held.counts[held.topics[place]] = 0;
        held.topics[place] = WIDTH_OF;
    }
    held.size = 0;
    __syncwarp();
}
