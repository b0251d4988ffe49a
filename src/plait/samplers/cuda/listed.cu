// Sparse form of the synchronous sampler: samplers/kernels/listed.py and held.py, sixteen lanes per document.
//
// The two documents of a warp take different branches, so lanes exchange numbers within their half only. Sums whose
// order matters (topics of the document, in float64) are added one after the other; their terms are computed by all lanes.
//
// With responses, a drawn topic is a proposal, which is accepted by the change of τ: TILT is 0 without them, 1 with a cached
// tilt, 2 with an exact one.
//
// Tokens of a document per topic are not stored: they follow from its mixture, (n_dk + α_k) / (n_k + Σβ), by rounding.
//
// Defined by the caller: TOPIC, WIDTH_OF (padded topics), MOST (topics that a document can hold), ENTRY, COUNT_BITS (as in
// lists.cu), CHECKS (running sums of a list that are kept), TILT, THREADS, MIN_BLOCKS.

#define HALVES_APART
#define BLOCKS 1

#include "random.cuh"
#include "conditional.cuh"

#define QUAD 64
#define MIN_LIST_BLOCKS 3   // of a list that may be longer than the topics of a document, twice
#define CACHED 1
#define EXACT 2
#define MOST_WEIGHED (WIDTH_OF / 32 + 1) // topics of a document that are weighed instead of a list

struct Lists {
    const long long *starts;
    const int *sizes;
    const ENTRY *entries;
    const int *frozen; // the same counts as a table, words × topics
    const double *list_sums;
};

struct Frozen {
    const float *alpha;
    const float *scale;
    const float *scale_less;
    const float *inverse;     // n_k + Σβ
    const double *cumulative; // sums of `base`
    double beta;
    int n_topics;
};

// The document of half a warp, in shared memory.
struct Held {
    float *mixture;   // WIDTH_OF + 16
    float *checks;    // CHECKS × 16: running sums of a list, by lanes
    double *sums;     // MOST_WEIGHED
    TOPIC *topics;    // topics with a token
    int size;
    double reach;     // Σ_k n_dk / (n_k + Σβ)
};

__device__ __forceinline__ long long place_in_list(int entry) {
    int block = entry / LANES;
    return block / 4 * QUAD + entry % LANES * 4 + block % 4;
}

__device__ __forceinline__ unsigned half_ballot(bool found) {
    return __ballot_sync(ALL_LANES, found) >> (threadIdx.x & LANES) & 0xffffu;
}

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

// The document's tokens in a topic. Less than a millionth of the rounded number is lost by float32.
__device__ __forceinline__ int tokens_in(float mixed, float inverse, float alpha) {
    return static_cast<int>(rintf(mixed * inverse - alpha));
}

__device__ __forceinline__ int tokens_in(const Held &held, const Frozen &frozen, int topic) {
    return tokens_in(held.mixture[topic], frozen.inverse[topic], frozen.alpha[topic]);
}

// The number of a topic among those of the document; its size if it is not there.
__device__ __forceinline__ int find_held(const Held &held, int topic) {
    for (int begin = 0; begin < held.size; begin += LANES) {
        int number = begin + own_lane();
        unsigned found = half_ballot(number < held.size && held.topics[number] == topic);
        if (found) return begin + __ffs(found) - 1;
    }
    return held.size;
}

// Bisection: `falls(middle)` tells whether the wanted place is up to the middle. Four steps at a time: every lane tests the
// middle of one of the fifteen ranges that they may reach.
template <typename Test> __device__ __forceinline__ int bisect(int low, int high, Test falls) {
    while (low < high) {
        int from = low, to = high, node = own_lane();
        for (int bit = 30 - __clz(node); bit >= 0 && from < to; bit--) {
            int middle = (from + to) / 2;
            if (node >> bit & 1) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        unsigned lefts = half_ballot(node > 0 && from < to && falls((from + to) / 2));
        for (int step = 0, at = 1; step < 4 && low < high; step++) {
            int middle = (low + high) / 2;
            bool left = lefts >> at & 1u;
            if (left) {
                high = middle;
            } else {
                low = middle + 1;
            }
            at = 2 * at + !left;
        }
    }
    return low;
}

// The entry of a topic that is in the list of a word.
__device__ __forceinline__ int find_topic(const Lists &lists, long long start, int size, int topic) {
    return bisect(0, size - 1, [&](int middle) { return topic_of(lists.entries[start + place_in_list(middle)]) >= topic; });
}

// Adds the terms of up to sixteen lanes to a running sum one after the other; returns the sum after the own lane.
__device__ __forceinline__ double add_in_order(double &running, double term, int size) {
    double own = 0.0;
    for (int lane = 0; lane < size; lane++) {
        running = running + lane_at(term, lane);
        own = lane == own_lane() ? running : own;
    }
    return own;
}

// Computes the weights of the document's topics for a token of topic `own`; returns their sum. `row` has the counts of the
// word.
__device__ double weigh_held(const Held &held, const int *row, int own, double less, const Frozen &frozen) {
    double running = 0.0;
    __syncwarp(ALL_LANES); // the sums of the token before were read
    for (int begin = 0; begin < held.size; begin += LANES) {
        int number = begin + own_lane();
        double term = 0.0;
        if (number < held.size) {
            int topic = held.topics[number];
            double counted = static_cast<double>(row[topic]);
            double in_document = static_cast<double>(tokens_in(held, frozen, topic));
            if (topic == own) {
                term = (in_document - 1.0) * (counted - 1.0) * less;
            } else {
                term = in_document * counted * static_cast<double>(frozen.scale[topic]);
            }
        }
        double sum = add_in_order(running, term, min(LANES, held.size - begin));
        if (number < held.size) held.sums[number] = sum;
    }
    __syncwarp(ALL_LANES);
    return running;
}

// The topic of the document whose interval contains a target.
__device__ __forceinline__ int draw_held(const Held &held, double target) {
    for (int begin = 0; begin < held.size - 1; begin += LANES) {
        int number = begin + own_lane();
        unsigned found = half_ballot(number < held.size - 1 && held.sums[number] > target);
        if (found) return held.topics[begin + __ffs(found) - 1];
    }
    return held.topics[held.size - 1];
}

// Draws a topic of a word in proportion to α_k n_kw / (n_k + Σβ), which is larger by `excess` for topic `old`.
__device__ __forceinline__ int draw_of_list(
    const Lists &lists, long long start, int size, double target, int old, double excess) {
    int own = find_topic(lists, start, size, old);
    int entry = bisect(0, size - 1, [&](int middle) {
        double until = lists.list_sums[start + middle];
        if (middle >= own) until += excess;
        return until > target;
    });
    return topic_of(lists.entries[start + place_in_list(entry)]);
}

// Draws a topic k of the document's other tokens in proportion to n_dk / (n_k + Σβ).
__device__ int draw_of_document(
    const Held &held, double target, int old, double of_old, double less, const Frozen &frozen) {
    int chosen = old;
    double running = 0.0;
    for (int begin = 0; begin < held.size; begin += LANES) {
        int number = begin + own_lane();
        bool there = number < held.size;
        int topic = there ? held.topics[number] : old;
        double term = 0.0;
        if (there && topic == old) {
            term = (of_old - 1.0) * less;
        } else if (there) {
            term = static_cast<double>(tokens_in(held, frozen, topic)) * static_cast<double>(frozen.scale[topic]);
        }
        double sum = add_in_order(running, term, min(LANES, held.size - begin));
        unsigned found = half_ballot(there && sum > target);
        unsigned others = half_ballot(there && topic != old);
        if (found) return held.topics[begin + __ffs(found) - 1];
        if (others) chosen = held.topics[begin + 31 - __clz(others)];
    }
    return chosen;
}

// Draws a topic k in proportion to α_k / (n_k + Σβ), which is larger by `excess` for topic `old`, by bisection.
__device__ __forceinline__ int draw_of_all(const Frozen &frozen, double target, int old, double excess) {
    return bisect(0, frozen.n_topics - 1, [&](int middle) {
        double until = frozen.cumulative[middle];
        if (middle >= old) until += excess;
        return until > target;
    });
}

__device__ __forceinline__ float weigh_entry(ENTRY entry, const float *mixture, int own) {
    int topic = topic_of(entry);
    return weigh_listed(mixture[topic], count_of(entry), topic == own);
}

// The entries of a lane in four blocks.
struct Quad {
    ENTRY entries[4];
};

__device__ __forceinline__ Quad load_quad(const ENTRY *from) {
#if COUNT_BITS <= 23
    uint4 four = *reinterpret_cast<const uint4 *>(from);
    return {four.x, four.y, four.z, four.w};
#else
    return {from[0], from[1], from[2], from[3]};
#endif
}

__device__ __forceinline__ float add_quad(const Quad &quad, const float *mixture, int own, float running) {
#pragma unroll
    for (int number = 0; number < 4; number++) running = running + weigh_entry(quad.entries[number], mixture, own);
    return running;
}

// Computes the weight of every topic of a word's list, as `weigh_listed_token` in conditional.py; returns the last running
// sum of the lane. The sums after every `stride` quads are kept.
__device__ __forceinline__ float weigh_list(
    const Lists &lists, long long start, const Quad &first, int n_quads, int stride, const Held &held, int own) {
    const ENTRY *entries = lists.entries + start + own_lane() * 4;
    float *check = held.checks + own_lane();
    float running = add_quad(first, held.mixture, own, 0.0f);
    int until = stride;
    for (int quad = 1;; quad++) {
        if (quad == until) {
            *check = running;
            check += LANES;
            until += stride;
        }
        if (quad >= n_quads) return running;
        running = add_quad(load_quad(entries + quad * QUAD), held.mixture, own, running);
    }
}

// The same for a list of one quad, whose running sums are kept.
__device__ __forceinline__ float weigh_short_list(const Quad &quad, const Held &held, int own, float (&sums)[4]) {
    float running = 0.0f;
#pragma unroll
    for (int number = 0; number < 4; number++) {
        running = running + weigh_entry(quad.entries[number], held.mixture, own);
        sums[number] = running;
    }
    return running;
}

// The topic of a list of one quad whose interval contains a target in [0, total). Sums do not fall.
__device__ __forceinline__ int draw_short_list(
    const Lists &lists, long long start, const Quad &quad, const float (&sums)[4], int size, float across, float target) {
    float rest;
    int lane = draw_lane(across, target, rest);
    int n_blocks = (size + LANES - 1) / LANES;
    int block = min((sums[0] <= rest) + (sums[1] <= rest) + (sums[2] <= rest), n_blocks - 1);
    ENTRY low = block & 1 ? quad.entries[1] : quad.entries[0], high = block & 1 ? quad.entries[3] : quad.entries[2];
    int topic = lane_at(topic_of(block & 2 ? high : low), lane);
    if (LANES * lane_at(block, lane) + lane < size) return topic;
    return topic_of(lists.entries[start + place_in_list(size - 1)]); // rounding
}

// The entry of a list whose interval contains a target in [0, total): `draw_listed` in conditional.py.
__device__ __forceinline__ int draw_listed(
    const Lists &lists, long long start, int n_blocks, int size, int stride, const Held &held, int own, float across,
    float target) {
    float rest;
    int lane = draw_lane(across, target, rest);
    int n_quads = (n_blocks + 3) / 4, n_checks = n_quads / stride;
    int passed = 0; // checks that are not larger than the rest
    while (passed < n_checks && held.checks[passed * LANES + own_lane()] <= rest) passed++;
    float running = passed > 0 ? held.checks[(passed - 1) * LANES + own_lane()] : 0.0f;
    // Sums do not fall: the interval lies in the quads after the last check that was passed.
    int block = n_blocks - 1;
    int quad = passed * stride, end = min(quad + stride, n_quads);
    if (own_lane() == lane) {
        for (bool found = false; quad < end && !found; quad++) {
            const ENTRY *entries = lists.entries + start + own_lane() * 4 + static_cast<long long>(quad) * QUAD;
            for (int number = 0; number < 4 && !found; number++) {
                running = running + weigh_entry(entries[number], held.mixture, own);
                if (!(running <= rest)) {
                    block = min(4 * quad + number, n_blocks - 1);
                    found = true;
                }
            }
        }
    }
    return min(LANES * lane_at(block, lane) + lane, size - 1);
}

// Counts one of `in_document` tokens in topic `topic` instead of `old`.
__device__ __forceinline__ void move_topic(Held &held, int old, int in_document, int topic, const Frozen &frozen) {
    if (in_document == 1) {
        int number = find_held(held, old), last = held.size - 1;
        TOPIC moved = held.topics[last];
        __syncwarp(ALL_LANES);
        if (own_lane() == 0) held.topics[number] = moved;
        held.size = last;
    }
    int count = tokens_in(held, frozen, topic);
    bool added = count == 0;
    __syncwarp(ALL_LANES);
    if (own_lane() < 2) { // the first lane has the old topic
        int own = own_lane() ? topic : old, left = own_lane() ? count + 1 : in_document - 1;
        held.mixture[own] = frozen_mixture_of(static_cast<float>(left), frozen.alpha[own], frozen.scale[own], 1.0f);
        if (added && own_lane()) held.topics[held.size] = static_cast<TOPIC>(topic);
    }
    if (added) held.size++;
    held.reach += static_cast<double>(frozen.scale[topic]) - static_cast<double>(frozen.scale[old]);
    __syncwarp(ALL_LANES);
}

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

// Computes what is kept of each observation; `tally` has the counts of the document.
__device__ __forceinline__ void open_observed(
    const Observations &given, long long document, int length, const int *tally, Observed &own) {
    own.first = given.starts[document];
    own.size = length > 0 ? static_cast<int>(given.starts[document + 1] - own.first) : 0;
    own.length = static_cast<double>(length);
    for (int number = 0; number < own.size; number++) {
        const float *direction = given.directions + static_cast<long long>(given.rows[own.first + number]) * WIDTH_OF;
        float total = 0.0f;
#pragma unroll 4
        for (int topic = own_lane(); topic < WIDTH_OF; topic += LANES)
            total = total + direction[topic] * static_cast<float>(tally[topic]);
        double projected = static_cast<double>(lane_sum(total));
        if (number % LANES != own_lane()) continue;
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
    for (int begin = 0; begin < own.size; begin += LANES) {
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
        add_in_order(change, term, min(LANES, own.size - begin));
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

// What is read of a token before its turn.
struct Token {
    int word;
    int topic;
    long long start; // of the word's list
    int size;
    float scale; // of the topic
    float scale_less;
    float alpha;
    float inverse;
    float chance;
};

__device__ __forceinline__ Token token_at(const Token &own, int lane) {
    return {
        lane_at(own.word, lane), lane_at(own.topic, lane), lane_at(own.start, lane), lane_at(own.size, lane),
        lane_at(own.scale, lane), lane_at(own.scale_less, lane), lane_at(own.alpha, lane), lane_at(own.inverse, lane),
        lane_at(own.chance, lane)};
}

// Resamples the topic of one token given all others; `total` receives the sum of the weights.
__device__ __forceinline__ int resample(
    const Lists &lists, const Frozen &frozen, const Observations &observations, const Observed &observed, Held &held,
    const Token &token, const Quad &first, key_type random_key, int position, double &total) {
    int old = token.topic, size = token.size;
    int n_blocks = (size + LANES - 1) / LANES, n_quads = (n_blocks + 3) / 4;
    double less = token.scale_less, whole = token.scale, alpha = token.alpha;
    float kept_mixture = held.mixture[old], sums[4];
    int tokens = tokens_in(kept_mixture, token.inverse, token.alpha);
    double in_document = static_cast<double>(tokens);
    bool by_document = n_blocks >= MIN_LIST_BLOCKS && 2 * held.size < n_blocks;
    double of_held = 0.0, of_word, own_excess = 0.0;
    float across = 0.0f;
    int stride = (n_quads + CHECKS - 1) / CHECKS;
    if (by_document) {
        const int *row = lists.frozen + static_cast<long long>(token.word) * WIDTH_OF;
        double of_all_list = lists.list_sums[token.start + size - 1], counted = static_cast<double>(row[old]);
        of_held = weigh_held(held, row, old, less, frozen);
        own_excess = alpha * (less * (counted - 1.0) - whole * counted);
        double of_list = of_all_list + own_excess;
        of_word = of_held + (of_list > 0.0 ? of_list : 0.0);
    } else {
        // The mixture of the own topic is that without the token while its list is weighed.
        float own_mixture = frozen_mixture_of(
            static_cast<float>(tokens) - 1.0f, token.alpha, token.scale_less, 1.0f);
        __syncwarp(ALL_LANES);
        if (own_lane() == 0) held.mixture[old] = own_mixture;
        __syncwarp(ALL_LANES);
        if (n_quads == 1) {
            across = weigh_short_list(first, held, old, sums);
        } else {
            across = weigh_list(lists, token.start, first, n_quads, stride, held, old);
        }
        across = sum_across(across);
        of_word = static_cast<double>(lane_at(across, LANES - 1));
    }
    double left = held.reach - in_document * whole + (in_document - 1.0) * less;
    double of_document = frozen.beta * (left > 0.0 ? left : 0.0);
    double excess = alpha * (less - whole);
    double of_all = frozen.beta * (frozen.cumulative[frozen.n_topics - 1] + excess);
    total = of_word + of_document + of_all;
    double target = static_cast<double>(token.chance) * total;
    int topic;
    if (target < of_word) {
        if (!by_document && n_quads == 1) {
            topic = draw_short_list(lists, token.start, first, sums, size, across, static_cast<float>(target));
        } else if (!by_document) {
            int entry = draw_listed(
                lists, token.start, n_blocks, size, stride, held, old, across, static_cast<float>(target));
            topic = topic_of(lists.entries[token.start + place_in_list(entry)]);
        } else if (target < of_held) {
            topic = draw_held(held, target);
        } else {
            topic = draw_of_list(lists, token.start, size, target - of_held, old, own_excess);
        }
    } else if (target - of_word < of_document) {
        topic = draw_of_document(held, (target - of_word) / frozen.beta, old, in_document, less, frozen);
    } else {
        topic = draw_of_all(frozen, (target - of_word - of_document) / frozen.beta, old, excess);
    }
    if (TILT && topic != old && !accepts(observations, observed, old, topic, random_key, position)) topic = old;
    if (topic != old) {
        move_topic(held, old, tokens, topic, frozen);
        if (TILT == EXACT) update_observed(observations, observed, old, topic);
    } else if (!by_document) {
        __syncwarp(ALL_LANES);
        if (own_lane() == 0) held.mixture[old] = kept_mixture;
        __syncwarp(ALL_LANES);
    }
    return topic;
}

// Counts the topics of a document in the order in which they occur, and computes the mixture.
__device__ __forceinline__ void open_document(
    const TOPIC *topics, int length, const Frozen &frozen, const Observations &observations, long long document, Held &held,
    Observed &observed) {
    int *tally = reinterpret_cast<int *>(held.mixture);
    __syncwarp(ALL_LANES);
    for (int topic = own_lane(); topic < WIDTH_OF; topic += LANES) tally[topic] = 0;
    held.size = 0;
    held.reach = 0.0;
    __syncwarp(ALL_LANES);
    for (int begin = 0; begin < length; begin += LANES) {
        int token = begin + own_lane();
        bool there = token < length;
        int topic = there ? static_cast<int>(topics[token]) : WIDTH_OF;
        add_in_order(held.reach, there ? static_cast<double>(frozen.scale[topic]) : 0.0, min(LANES, length - begin));
        unsigned alike = __match_any_sync(ALL_LANES, topic) >> (threadIdx.x & LANES) & 0xffffu;
        bool leads = there && __ffs(alike) - 1 == own_lane();
        int before = leads ? tally[topic] : 0;
        unsigned fresh = half_ballot(leads && before == 0);
        if (leads) {
            tally[topic] = before + __popc(alike);
            if (before == 0) held.topics[held.size + __popc(fresh & ((1u << own_lane()) - 1u))] = static_cast<TOPIC>(topic);
        }
        held.size += __popc(fresh);
        __syncwarp(ALL_LANES);
    }
    if (TILT) open_observed(observations, document, length, tally, observed);
    __syncwarp(ALL_LANES);
    for (int topic = own_lane(); topic < WIDTH_OF + LANES; topic += LANES) {
        float counted = topic < WIDTH_OF ? static_cast<float>(tally[topic]) : 0.0f;
        held.mixture[topic] =
            topic < WIDTH_OF ? frozen_mixture_of(counted, frozen.alpha[topic], frozen.scale[topic], 1.0f) : 0.0f;
    }
    __syncwarp(ALL_LANES);
}

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS) sweep_listed(
    const int *order, int n_documents, int *queue, const long long *offsets, long long first_document,
    const int *words, TOPIC *topics, const long long *starts, const int *sizes, const ENTRY *entries,
    const int *frozen_counts, const double *list_sums, int *counted, int *totals, const float *alpha,
    const float *scale, const float *scale_less, const float *inverse, const double *cumulative, double beta,
    double alpha_sum, int n_topics, key_type key, double *likelihood, const long long *observation_starts,
    const int *observation_rows, const double *pull, const double *precision, const float *directions,
    const float *directions_by_topic, int n_rows, int most_observed, double *kept) {
    extern __shared__ __align__(16) float memory[];
    const int per_document = 4 * (WIDTH_OF + LANES + CHECKS * LANES) + 8 * MOST_WEIGHED + sizeof(TOPIC) * MOST;
    char *own = reinterpret_cast<char *>(memory) + threadIdx.x / LANES * ((per_document + 15) / 16 * 16);
    Held held;
    held.mixture = reinterpret_cast<float *>(own);
    held.checks = held.mixture + WIDTH_OF + LANES;
    held.sums = reinterpret_cast<double *>(held.checks + CHECKS * LANES);
    held.topics = reinterpret_cast<TOPIC *>(held.sums + MOST_WEIGHED);
    Lists lists = {starts, sizes, entries, frozen_counts, list_sums};
    Observations observations = {
        observation_starts, observation_rows, pull, precision, directions, directions_by_topic, n_rows};
    Observed observed;
    long long resident = static_cast<long long>(blockIdx.x) * (THREADS / LANES) + threadIdx.x / LANES;
    observed.kept = kept + (TILT ? resident * 2 * most_observed : 0);
    Frozen frozen = {alpha, scale, scale_less, inverse, cumulative, beta, n_topics};
    int lane = own_lane();
    while (true) {
        int pair = threadIdx.x % 32 == 0 ? atomicAdd(queue, 1) : 0;
        pair = __shfl_sync(0xffffffffu, pair, 0);
        if (2 * pair >= n_documents) break;
        int number = 2 * pair + (threadIdx.x / LANES & 1);
        int document = number < n_documents ? order[number] : 0;
        long long first = offsets[document];
        int length = number < n_documents ? static_cast<int>(offsets[document + 1] - first) : 0;
        key_type random_key = document_key(key, first_document + document);
        open_document(topics + first, length, frozen, observations, document, held, observed);
        double mass = 1.0, log_mass = 0.0;
        for (int begin = 0; begin < length; begin += LANES) {
            int token = begin + lane;
            bool there = token < length;
            Token own = {0, 0, 0, 0, 0.0f, 0.0f, 0.0f, 0.0f, uniform(random_key, token)};
            if (there) {
                own.word = words[first + token];
                own.topic = static_cast<int>(topics[first + token]);
                own.start = starts[own.word];
                own.size = sizes[own.word];
                own.scale = scale[own.topic];
                own.scale_less = scale_less[own.topic];
                own.alpha = alpha[own.topic];
                own.inverse = inverse[own.topic];
            }
            int topic = own.topic, drawn = topic;
            double weight = 1.0;
            int steps = min(LANES, length - begin);
            Quad ahead = load_quad(entries + lane_at(own.start, 0) + 4 * lane);
            for (int place = 0; place < steps; place++) {
                Token here = token_at(own, place);
                double total;
                // The beginning of the next token's list is read while the present one is drawn.
                Quad quad = ahead;
                ahead = load_quad(entries + lane_at(own.start, min(place + 1, LANES - 1)) + 4 * lane);
                int found = resample(
                    lists, frozen, observations, observed, held, here, quad, random_key, begin + place, total);
                if (found != here.topic && lane < 2) {
                    int moved = lane == 0 ? here.topic : found, change = lane == 0 ? -1 : 1;
                    atomicAdd(counted + static_cast<long long>(here.word) * WIDTH_OF + moved, change);
                    atomicAdd(totals + moved, change);
                }
                if (lane == place) {
                    drawn = found;
                    weight = total;
                }
            }
            if (drawn != topic) topics[first + token] = static_cast<TOPIC>(drawn);
            mass *= weight;
            if (mass < 1e-200 || mass > 1e200) {
                log_mass += log(mass);
                mass = 1.0;
            }
        }
        double found = lane_sum(log_mass + log(mass)) - length * log(length - 1.0 + alpha_sum);
        if (lane == 0 && number < n_documents) likelihood[document] = length > 0 ? found : 0.0;
        __syncwarp();
    }
}
