// Pseudo-observations of documents in the sparse form: a drawn topic is a proposal, which is accepted by the change of τ.
// TILT is 0 without them, 1 with a cached tilt, 2 with an exact one. Both halves of a warp run the same steps.
#pragma once

#include "held.cuh"

#define CACHED 1
#define EXACT 2

// Pseudo-observations of documents. Directions are in the order of topics, rows × topics and topics × rows.
struct Observations {
    const long long *starts;
    const int *rows;
    const double *pull;
    const double *precision;
    const float *directions;
    const float *by_topic;
    int n_rows;
};

// Pseudo-observations of the document of half a warp. Lane l has observations l, 16 + l …; two numbers of each are kept:
// Σ_k u_k n_dk with an exact tilt, the slope of τ with a cached one, and the bend.
struct Observed {
    long long first;
    int size;
    double length;
    double *kept;
};

__device__ __forceinline__ double slope_of(double pull, double precision, double without, double length) {
    return (pull - precision * without / length) / length;
}

// Computes what is kept of each observation.
__device__ __forceinline__ void open_observed(
    const Observations &given, long long document, int length, const Held &held, Observed &own) {
    own.first = given.starts[document];
    own.size = length > 0 ? static_cast<int>(given.starts[document + 1] - own.first) : 0;
    own.length = static_cast<double>(length);
    int most = larger_half(own.size);
    for (int number = 0; number < most; number++) {
        bool there = number < own.size;
        long long row = there ? given.rows[own.first + number] : 0;
        const float *direction = given.directions + row * WIDTH_OF;
        float total = 0.0f;
#pragma unroll 4
        for (int topic = own_lane(); topic < WIDTH_OF; topic += LANES)
            total = total + direction[topic] * static_cast<float>(held.counts[topic]);
        double projected = static_cast<double>(lane_sum(total));
        if (!there || number % LANES != own_lane()) continue;
        double precision = given.precision[own.first + number];
        if (TILT == CACHED) {
            double without = projected * (1.0 - 1.0 / own.length);
            projected = slope_of(given.pull[own.first + number], precision, without, own.length);
        }
        own.kept[2 * number] = projected;
        own.kept[2 * number + 1] = 0.5 * precision / (own.length * own.length);
    }
}

// Whether a token moves from topic `old` to the proposed topic: `_accepts` in kernels/listed.py.
__device__ __forceinline__ bool accepts(
    const Observations &given, const Observed &own, int old, int proposed, key_type random_key, int position) {
    double change = 0.0; // τ(proposed) − τ(old)
    int most = larger_half(own.size);
    for (int begin = 0; begin < most; begin += LANES) {
        int number = begin + own_lane();
        double term = 0.0;
        if (number < own.size) {
            int row = given.rows[own.first + number];
            double before = given.by_topic[static_cast<long long>(old) * given.n_rows + row];
            double after = given.by_topic[static_cast<long long>(proposed) * given.n_rows + row];
            double slope = own.kept[2 * number], bend = own.kept[2 * number + 1];
            if (TILT == EXACT)
                slope = slope_of(
                    given.pull[own.first + number], given.precision[own.first + number], slope - before, own.length);
            term = (after - before) * (slope - bend * (after + before));
        }
        // Terms are added one after the other.
        int end = min(LANES, most - begin);
        for (int lane = 0; lane < end; lane++) {
            double added = change + lane_at(term, lane);
            change = begin + lane < own.size ? added : change;
        }
    }
    // The key is scrambled once more to get a stream other than that of the topics.
    float number = uniform(scramble(random_key), position);
    return change >= 0.0 || number < exponential(static_cast<float>(change));
}

// Updates the projections for a token that moves.
__device__ __forceinline__ void update_observed(const Observations &given, const Observed &own, int old, int topic) {
    for (int number = own_lane(); number < own.size; number += LANES) {
        int row = given.rows[own.first + number];
        double projected = own.kept[2 * number];
        projected = projected + static_cast<double>(given.by_topic[static_cast<long long>(topic) * given.n_rows + row]);
        own.kept[2 * number] =
            projected - static_cast<double>(given.by_topic[static_cast<long long>(old) * given.n_rows + row]);
    }
}
