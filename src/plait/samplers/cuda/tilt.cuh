// Responses inside a sweep: samplers/kernels/tilt.py. TILT is 0 without responses, 1 for a cached tilt, 2 for an exact one.
// LABELS is the number of observations if all documents have one of each direction, in their order; otherwise 0.
#pragma once

#include "conditional.cuh"

#define CACHED 1
#define EXACT 2
#define LOWEST -1e38f

// Pseudo-observations of documents; directions are rows of WIDTH in the order of lanes.
struct Observations {
    const long long *starts;
    const int *rows;
    const double *pull;
    const double *precision;
    const float *directions;
    const float *by_topic; // with LABELS: topics × labels
};

// Pseudo-observations of the document of half a warp. `most` is that of the half with more of them.
struct Observed {
    long long first;
    int size;
    int most;
    float length;
};

__device__ __forceinline__ Observed observe(const Observations &observations, long long document, int length) {
    Observed own = {0, 0, 0, static_cast<float>(max(length, 1))};
    if (LABELS > 0) {
        own.first = document * LABELS;
        own.size = own.most = LABELS;
        return own;
    }
    if (length > 0) {
        own.first = observations.starts[document];
        own.size = static_cast<int>(observations.starts[document + 1] - own.first);
    }
    own.most = larger_half(own.size);
    return own;
}

// The direction of an observation; those after the last one have the first row of the table, times 0.
__device__ __forceinline__ int direction_of(const Observations &given, const Observed &own, int number) {
    if (LABELS > 0) return number < LABELS ? number : 0;
    return number < own.size ? given.rows[own.first + number] : 0;
}

// The direction of observation `begin` + `number`, which lane `number` has found.
__device__ __forceinline__ int direction_at(int row, int begin, int number) {
    return LABELS > 0 ? begin + number : lane_at(row, number);
}

__device__ __forceinline__ const float *direction_row(const Observations &given, int row) {
    return given.directions + static_cast<long long>(row) * WIDTH;
}

// What observation `number`, whose direction is `row`, has for one topic.
__device__ __forceinline__ float direction_for(const Observations &given, int row, int number, int topic) {
    return LABELS > 0 ? given.by_topic[topic * LABELS + number] : direction_row(given, row)[place_of(topic)];
}

// Fills `result` with τ of every topic of the lane, with each projection multiplied by 1 − `left_out`.
//
// Observations are taken sixteen at a time: all lanes compute their projections one after the other, then each lane the
// slope and the bend of one of them.
__device__ __forceinline__ void fill_log_tilt(
    const Observations &given, const Observed &own, const float *doc_topic, double left_out, int n_topics,
    float *result) {
    float topics[BLOCKS], direction[BLOCKS], tilt[BLOCKS];
    load_row(doc_topic, topics);
#pragma unroll
    for (int block = 0; block < BLOCKS; block++) tilt[block] = 0.0f;
    for (int begin = 0; begin < (LABELS > 0 ? LABELS : own.most); begin += LANES) {
        int mine = begin + own_lane(), end = min(LANES, (LABELS > 0 ? LABELS : own.most) - begin);
        int row = direction_of(given, own, mine);
        float projected = 0.0f;
        for (int number = 0; number < end; number++) {
            load_row(direction_row(given, direction_at(row, begin, number)), direction);
            float total = 0.0f;
#pragma unroll
            for (int block = 0; block < BLOCKS; block++) total = total + direction[block] * topics[block];
            total = lane_sum(total);
            projected = number == own_lane() ? total : projected;
        }
        float slope = 0.0f, bend = 0.0f;
        if (mine < own.size) {
            double precision = given.precision[own.first + mine];
            double value = static_cast<double>(projected / own.length) * (1.0 - left_out);
            double steep = given.pull[own.first + mine] - precision * value;
            slope = static_cast<float>(steep / static_cast<double>(own.length));
            bend = static_cast<float>(0.5 * precision / static_cast<double>(own.length * own.length));
        }
        for (int number = 0; number < end; number++) {
            float slope_of = lane_at(slope, number), bend_of = lane_at(bend, number);
            load_row(direction_row(given, direction_at(row, begin, number)), direction);
#pragma unroll
            for (int block = 0; block < BLOCKS; block++) {
                float change = direction[block] * (slope_of - bend_of * direction[block]);
                tilt[block] = tilt[block] + change;
            }
        }
    }
#pragma unroll
    for (int block = 0; block < BLOCKS; block++)
        result[place_in_row(block, own_lane())] = LANES * block + own_lane() < n_topics ? tilt[block] : LOWEST;
}

__device__ __forceinline__ float largest(const float *exponents) {
    float most = LOWEST;
#pragma unroll
    for (int block = 0; block < BLOCKS; block++) most = larger(most, exponents[place_in_row(block, own_lane())]);
    return lane_max(most);
}

// Computes exp τ of every topic once for a document, up to a constant.
__device__ __forceinline__ void fill_tilt(
    const Observations &given, const Observed &own, const float *doc_topic, int n_topics, float *tilt) {
    fill_log_tilt(given, own, doc_topic, 1.0 / static_cast<double>(own.length), n_topics, tilt);
    float shift = largest(tilt);
#pragma unroll
    for (int block = 0; block < BLOCKS; block++) {
        int place = place_in_row(block, own_lane());
        tilt[place] = exponential(tilt[place] - shift);
    }
}
