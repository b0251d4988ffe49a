// Topics that a document holds: samplers/kernels/held.py, in shared memory where they fit, sixteen lanes per document.
//
// The topics are in quads of blocks, as the lists of words (lists.cu), so that a lane reads four of them at once. Factors
// beyond the last topic are 0. Both halves of a warp run the same steps; only the first lane of a half changes anything.
//
// Tokens of a document per topic are not stored: they follow from its factor, n_dk / (n_k + Σβ), by rounding.
//
// Defined by the caller: TOPIC, WIDTH_OF (padded topics), PLACE (a type for the places of topics).
#pragma once

#include "random.cuh"
#include "conditional.cuh"

#define QUAD 64 // entries of four blocks

// What depends on a topic, the same for all documents.
struct alignas(16) PerTopic {
    float scale; // 1 / (n_k + Σβ)
    float less;  // the same with one token taken out of the total
    float alpha;
    float inverse; // n_k + Σβ
};

struct Held {
    float *factors; // n_dk / (n_k + Σβ)
    float *mixture; // (n_dk + α_k) / (n_k + Σβ)
    float *checks;  // CHECKS × 16: running sums, by lanes
    TOPIC *topics;
    PLACE *places; // of each topic, from 1 on; 0 if the document does not hold it
    int size;
    double reach; // Σ_k n_dk / (n_k + Σβ)
};

template <typename Value, int SIZE> struct alignas(SIZE) Four {
    Value of[4];
};

// Where number e of a list stands.
__device__ __forceinline__ int place_in_list(int entry) {
    int block = entry / LANES;
    return block / 4 * QUAD + entry % LANES * 4 + block % 4;
}

__device__ __forceinline__ unsigned half_ballot(bool found) {
    return __ballot_sync(ALL_LANES, found) >> (threadIdx.x & LANES) & 0xffffu;
}

// The document's tokens in a topic. Less than a millionth of the rounded number is lost by float32.
__device__ __forceinline__ float tokens_in(float factor, float inverse) { return rintf(factor * inverse); }

__device__ __forceinline__ void set_factors(Held &held, int place, float tokens, const PerTopic &topic) {
    held.factors[place] = tokens * topic.scale;
    held.mixture[place] = frozen_mixture_of(tokens, topic.alpha, topic.scale, 1.0f);
}

// Counts one of `tokens` tokens of topic `old`, which is at a place, in topic `topic` instead, where a half moves one.
__device__ __forceinline__ void move_topic(
    bool moves, Held &held, int old, int old_place, float tokens, const PerTopic &of_old, int topic,
    const PerTopic *per_topic) {
    bool drops = moves && tokens == 1.0f, adds = moves && held.places[topic] == 0;
    int last = held.size - 1;
    if (drops) held.size = last;
    int end = held.size;
    if (adds) held.size++;
    __syncwarp();
    if (moves) {
        PerTopic of_new = per_topic[topic];
        if (own_lane() == 0) {
            if (drops) { // the last topic takes the place
                int from = place_in_list(last);
                TOPIC moved = held.topics[from];
                held.factors[old_place] = held.factors[from];
                held.mixture[old_place] = held.mixture[from];
                held.topics[old_place] = moved;
                held.places[moved] = static_cast<PLACE>(old_place + 1);
                held.factors[from] = 0.0f;
                held.places[old] = 0;
            } else {
                set_factors(held, old_place, tokens - 1.0f, of_old);
            }
            int place = held.places[topic] - 1;
            float before = 0.0f;
            if (adds) {
                place = place_in_list(end);
                held.topics[place] = static_cast<TOPIC>(topic);
                held.places[topic] = static_cast<PLACE>(place + 1);
            } else {
                before = tokens_in(held.factors[place], of_new.inverse);
            }
            set_factors(held, place, before + 1.0f, of_new);
        }
        held.reach += static_cast<double>(of_new.scale) - static_cast<double>(of_old.scale);
    }
    __syncwarp();
}

// Counts the topics of a document in the order in which they occur; the factors are the counts. No topic was held before.
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
        int place = leads ? held.places[topic] : 0;
        bool added = leads && place == 0;
        unsigned fresh = half_ballot(added);
        if (added) {
            place = place_in_list(held.size + __popc(fresh & ((1u << own_lane()) - 1u))) + 1;
            held.topics[place - 1] = static_cast<TOPIC>(topic);
            held.places[topic] = static_cast<PLACE>(place);
        }
        if (leads) held.factors[place - 1] += static_cast<float>(__popc(alike));
        held.size += __popc(fresh);
        __syncwarp();
    }
}

// Computes what depends on the counts, which the factors are before.
__device__ __forceinline__ void open_held(Held &held, const PerTopic *per_topic) {
    float total = 0.0f;
    for (int number = own_lane(); number < held.size; number += LANES) {
        int place = place_in_list(number);
        set_factors(held, place, held.factors[place], per_topic[held.topics[place]]);
        total = total + held.factors[place];
    }
    held.reach = static_cast<double>(lane_sum(total));
    __syncwarp();
}

// Removes all topics.
__device__ __forceinline__ void clear_held(Held &held) {
    __syncwarp(); // all lanes have read what the last token needed
    for (int number = own_lane(); number < held.size; number += LANES) {
        int place = place_in_list(number);
        held.places[held.topics[place]] = 0;
        held.factors[place] = 0.0f;
    }
    held.size = 0;
    __syncwarp();
}
