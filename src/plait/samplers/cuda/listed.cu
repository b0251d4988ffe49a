// Sparse form of the synchronous sampler: samplers/kernels/listed.py and held.py, sixteen lanes per document.
//
// Both halves of a warp run the same steps, and all lanes take part in every exchange: what only one half needs is computed
// by both, or skipped by both. A document has its words by falling frequency, so that the halves mostly need the same.
//
// Defined by the caller: TOPIC, WIDTH_OF (padded topics), MOST (topics that a document can hold, in quads), PLACE (a type
// for the places of topics), ENTRY, COUNT_BITS (as in lists.cu), CHECKS (running sums that are kept), LONG (blocks from
// which on a list is long), MARGIN (as in kernels/held.py), OUTSIDE (whether documents are too large for shared memory),
// TILT, THREADS, MIN_BLOCKS.

#define BLOCKS 1

#include "random.cuh"
#include "conditional.cuh"
#include "held.cuh"
#include "observed.cuh"

struct Lists {
    const long long *starts;
    const int *sizes;
    const ENTRY *entries;
    const int *frozen; // the same counts as a table, words × topics
    const double *list_sums;
};

struct Frozen {
    const PerTopic *per_topic;
    const float *base;        // α_k / (n_k + Σβ), in shared memory; 0 for the padding
    const double *cumulative; // sums of `base`
    double of_topics;         // their last
    float beta;
    int n_topics;
};

typedef Four<float, 16> FourFloats;
typedef Four<TOPIC, 4 * sizeof(TOPIC)> FourTopics;
typedef Four<ENTRY, 16> Quad; // the entries of a lane in four blocks

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

// What is known of a token before its turn. A lane has one token of its document.
struct Token {
    int word;
    int topic;
    int start; // of the word's list, in quads
    int size;  // of the list; 0 if there is no token
    float chance;
    float counted; // tokens of the word in the topic, for long lists
    float of_list; // Σ_k α_k n_kw / (n_k + Σβ) without the token, for long lists
    float of_all;  // β Σ_k α_k / (n_k + Σβ) without the token
};

__device__ __forceinline__ Token token_at(const Token &own, int lane) {
    return {
        lane_at(own.word, lane), lane_at(own.topic, lane), lane_at(own.start, lane), lane_at(own.size, lane),
        lane_at(own.chance, lane), lane_at(own.counted, lane), lane_at(own.of_list, lane), lane_at(own.of_all, lane)};
}

// What α_k / (n_k + Σβ) of a token's own topic gains without the token.
__device__ __forceinline__ double excess_of(const PerTopic &topic) {
    return static_cast<double>(topic.alpha) * (static_cast<double>(topic.less) - static_cast<double>(topic.scale));
}

// The same for α_k n_kw / (n_k + Σβ).
__device__ __forceinline__ double list_excess_of(const PerTopic &topic, float counted) {
    double count = static_cast<double>(counted);
    return static_cast<double>(topic.alpha) *
           (static_cast<double>(topic.less) * (count - 1.0) - static_cast<double>(topic.scale) * count);
}

__device__ __forceinline__ Token read_token(
    const Lists &lists, const Frozen &frozen, int word, int topic, float chance) {
    Token own = {word, topic, static_cast<int>(lists.starts[word] / QUAD), lists.sizes[word], chance, 0.0f, 0.0f, 0.0f};
    PerTopic of_topic = frozen.per_topic[topic];
    if (own.size > LANES * (LONG - 1)) {
        own.counted = static_cast<float>(lists.frozen[static_cast<long long>(word) * WIDTH_OF + topic]);
        double of_list =
            lists.list_sums[static_cast<long long>(own.start) * QUAD + own.size - 1] + list_excess_of(of_topic, own.counted);
        own.of_list = static_cast<float>(of_list > 0.0 ? of_list : 0.0);
    }
    own.of_all = static_cast<float>(static_cast<double>(frozen.beta) * (frozen.of_topics + excess_of(of_topic)));
    return own;
}

// What the weights of a token's topics depend on.
struct Weighed {
    bool by_document;
    int steps; // blocks
    int size;  // topics
    int own;   // the topic of the token
    int own_place; // among those of the document
    float own_mixture;
    float own_weight; // by document
    float beta;
    const int *row; // counts of the word
    const ENTRY *entries; // of the list, from those of the own lane on
};

// Computes the weights of four blocks for the own lane: `weigh_held_token` and `weigh_listed_token` in conditional.py.
__device__ __forceinline__ void weigh_quad(
    const Weighed &given, const Held &held, const float *base, int number, const Quad &quad, float (&weights)[4],
    int (&topics)[4]) {
    if (given.by_document) {
        int place = number * QUAD + own_lane() * 4;
        FourTopics found = *reinterpret_cast<const FourTopics *>(held.topics + place);
        FourFloats factors = *reinterpret_cast<const FourFloats *>(held.factors + place);
        int counts[4];
#pragma unroll
        for (int block = 0; block < 4; block++) {
            topics[block] = static_cast<int>(found.of[block]);
            counts[block] = factors.of[block] > 0.0f ? given.row[topics[block]] : 0;
        }
#pragma unroll
        for (int block = 0; block < 4; block++) {
            float weight = factors.of[block] * (static_cast<float>(counts[block]) + given.beta);
            weights[block] = place + block == given.own_place ? given.own_weight : weight;
        }
    } else {
#pragma unroll
        for (int block = 0; block < 4; block++) {
            int topic = topic_of(quad.of[block]);
            bool own = topic == given.own;
            int place = held.places[topic];
            float mixed = *(place > 0 ? held.mixture + (place - 1) : base + topic);
            weights[block] = weigh_listed(own ? given.own_mixture : mixed, count_of(quad.of[block]), own);
            topics[block] = topic;
        }
    }
}

__device__ __forceinline__ Quad load_quad(const ENTRY *from) { return *reinterpret_cast<const Quad *>(from); }

// Computes the weights of at most four blocks and their running sums; returns the last one of the lane.
__device__ __forceinline__ float weigh_short(
    const Weighed &given, const Held &held, const float *base, const Quad &first, float (&sums)[4], int (&topics)[4]) {
    float weights[4], running = 0.0f;
    weigh_quad(given, held, base, 0, first, weights, topics);
#pragma unroll
    for (int block = 0; block < 4; block++) {
        running = running + weights[block];
        sums[block] = running;
    }
    return running;
}

// The number of quads after which a running sum is kept.
__device__ __forceinline__ int stride_of(const Weighed &given) { return ((given.steps + 3) / 4 + CHECKS - 1) / CHECKS; }

// The same for any number of blocks. The sums after every `stride_of` quads are kept.
__device__ __forceinline__ float weigh_long(const Weighed &given, const Held &held, const float *base) {
    int n_quads = (given.steps + 3) / 4, stride = stride_of(given), until = stride;
    float *check = held.checks + own_lane();
    float running = 0.0f;
    for (int number = 0; number < n_quads; number++) {
        Quad quad = {};
        if (!given.by_document) quad = load_quad(given.entries + number * QUAD);
        float weights[4];
        int topics[4];
        weigh_quad(given, held, base, number, quad, weights, topics);
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
__device__ __forceinline__ int find_block(const Weighed &given, const Held &held, const float *base, float rest) {
    int n_quads = (given.steps + 3) / 4, stride = stride_of(given), n_checks = n_quads / stride;
    int passed = 0;
    while (passed < n_checks && held.checks[passed * LANES + own_lane()] <= rest) passed++;
    float running = passed > 0 ? held.checks[(passed - 1) * LANES + own_lane()] : 0.0f;
    for (int number = passed * stride; number < n_quads; number++) {
        Quad quad = {};
        if (!given.by_document) quad = load_quad(given.entries + number * QUAD);
        float weights[4];
        int topics[4];
        weigh_quad(given, held, base, number, quad, weights, topics);
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

// Draws a topic k of the document's other tokens in proportion to n_dk / (n_k + Σβ).
__device__ __forceinline__ int draw_of_document(const Held &held, float target, int own_place, float own_factor) {
    int n_blocks = (held.size + LANES - 1) / LANES;
    float running = 0.0f;
    for (int block = 0; block < n_blocks; block++) {
        int place = block / 4 * QUAD + own_lane() * 4 + block % 4;
        running = running + (place == own_place ? own_factor : held.factors[place]);
    }
    float rest, across = sum_across(running);
    int lane = draw_lane(across, target, rest), found = 0;
    running = 0.0f;
    for (int block = 0; block < n_blocks - 1; block++) {
        int place = block / 4 * QUAD + own_lane() * 4 + block % 4;
        running = running + (place == own_place ? own_factor : held.factors[place]);
        found += running <= rest;
    }
    return held.topics[place_in_list(max(min(LANES * lane_at(found, lane) + lane, held.size - 1), 0))];
}

// Bisection: `falls(middle)` tells whether the wanted place is up to the middle. Four steps at a time: every lane tests the
// middle of one of the fifteen ranges that they may reach.
template <typename Test> __device__ __forceinline__ int bisect(int low, int high, Test falls) {
    while (__any_sync(ALL_LANES, low < high)) {
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

// Draws a topic in proportion to α_k n_kw / (n_k + Σβ) of a word, or to α_k / (n_k + Σβ), which are larger by an excess for
// the token's own topic. A half that draws none has a range of one place.
__device__ __forceinline__ int draw_of_prior(
    bool draws, bool of_list, const Lists &lists, const Frozen &frozen, const Token &token, const PerTopic &of_old,
    double target) {
    const ENTRY *entries = lists.entries + static_cast<long long>(token.start) * QUAD;
    const double *sums = of_list ? lists.list_sums + static_cast<long long>(token.start) * QUAD : frozen.cumulative;
    double excess = of_list ? list_excess_of(of_old, token.counted) : excess_of(of_old);
    int last = draws ? (of_list ? token.size : frozen.n_topics) - 1 : 0;
    int found = bisect(0, last, [&](int middle) {
        int topic = of_list ? topic_of(entries[place_in_list(middle)]) : middle;
        double until = sums[middle];
        if (topic >= token.topic) until += excess;
        return until > target;
    });
    return draws && of_list ? topic_of(entries[place_in_list(found)]) : found;
}

// Resamples the topic of one token given all others, in each half that has one; `total` receives the sum of the weights.
__device__ __forceinline__ int resample(
    const Lists &lists, const Frozen &frozen, const Observations &observations, const Observed &observed, Held &held,
    const Token &token, const Quad &first, key_type random_key, int position, float &total) {
    int old = token.topic;
    bool there = token.size > 0;
    PerTopic of_old = frozen.per_topic[old];
    int n_blocks = (token.size + LANES - 1) / LANES;
    int place = there ? held.places[old] - 1 : 0;
    float tokens = tokens_in(held.factors[place], of_old.inverse);
    float own_factor = (tokens - 1.0f) * of_old.less;
    Weighed given;
    given.by_document = n_blocks >= LONG && MARGIN * held.size <= 2 * LANES * (n_blocks - 1);
    given.size = given.by_document ? held.size : token.size;
    given.steps = (given.size + LANES - 1) / LANES;
    given.own = old;
    given.own_place = place;
    given.own_mixture = frozen_mixture_of(tokens - 1.0f, of_old.alpha, of_old.less, 1.0f);
    given.own_weight = own_factor * ((token.counted - 1.0f) + frozen.beta);
    given.beta = frozen.beta;
    given.row = lists.frozen + static_cast<long long>(token.word) * WIDTH_OF;
    given.entries = lists.entries + static_cast<long long>(token.start) * QUAD + own_lane() * 4;
    bool is_short = !__any_sync(ALL_LANES, given.steps > 4);
    float sums[4], running;
    int topics[4];
    if (is_short) {
        running = weigh_short(given, held, frozen.base, first, sums, topics);
    } else {
        running = weigh_long(given, held, frozen.base);
    }
    float across = sum_across(running);
    float of_first = lane_at(across, LANES - 1);
    float left = (static_cast<float>(held.reach) - tokens * of_old.scale) + own_factor;
    float of_second = given.by_document ? token.of_list : frozen.beta * (left > 0.0f ? left : 0.0f);
    total = (of_first + of_second) + token.of_all;
    float target = token.chance * total;
    bool in_first = target < of_first, in_second = !in_first && target - of_first < of_second;
    float rest;
    int lane = draw_lane(across, target, rest), topic;
    if (is_short) {
        int block = min((sums[0] <= rest) + (sums[1] <= rest) + (sums[2] <= rest), given.steps - 1);
        int low = block & 1 ? topics[1] : topics[0], high = block & 1 ? topics[3] : topics[2];
        topic = lane_at(LANES * block + own_lane() < given.size ? (block & 2 ? high : low) : -1, lane);
        if (there && topic < 0) topic = topic_at_number(given, held, given.size - 1); // rounding
    } else {
        int block = 0;
        if (own_lane() == lane && in_first) block = find_block(given, held, frozen.base, rest);
        int number = LANES * lane_at(block, lane) + lane;
        topic = there ? topic_at_number(given, held, min(number, given.size - 1)) : 0;
    }
    if (__any_sync(ALL_LANES, there && !in_first)) {
        bool of_document = in_second && !given.by_document, of_prior = there && !in_first && !of_document;
        float beyond = target - of_first;
        if (__any_sync(ALL_LANES, there && of_document)) {
            int found = draw_of_document(held, beyond / frozen.beta, place, own_factor);
            if (of_document) topic = found;
        }
        if (__any_sync(ALL_LANES, of_prior)) {
            double wanted = in_second ? static_cast<double>(beyond)
                                      : static_cast<double>(beyond - of_second) / static_cast<double>(frozen.beta);
            int found = draw_of_prior(of_prior, of_prior && in_second, lists, frozen, token, of_old, wanted);
            if (of_prior) topic = found;
        }
    }
    bool moves = there && topic != old;
    if (TILT && __any_sync(ALL_LANES, moves))
        moves = accepts(observations, observed, old, moves ? topic : old, random_key, position) && moves;
    topic = moves ? topic : old;
    if (__any_sync(ALL_LANES, moves)) {
        move_topic(moves, held, old, place, tokens, of_old, topic, frozen.per_topic);
        if (TILT == EXACT && moves) update_observed(observations, observed, old, topic);
    }
    return topic;
}

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS) sweep_listed(
    const int *order, int n_documents, int *queue, const long long *offsets, long long first_document,
    const int *words, TOPIC *topics, const long long *starts, const int *sizes, const ENTRY *entries,
    const int *frozen_counts, const double *list_sums, int *counted, int *totals, const PerTopic *per_topic,
    const float *base, const double *cumulative, float beta, double alpha_sum, int n_topics, key_type key,
    double *likelihood, const long long *observation_starts, const int *observation_rows, const double *pull,
    const double *precision, const float *directions, const float *directions_by_topic, int n_rows, int most_observed,
    double *kept, char *outside) {
    extern __shared__ __align__(16) float memory[];
    const int per_document = (8 + sizeof(TOPIC)) * MOST + 4 * CHECKS * LANES + sizeof(PLACE) * (WIDTH_OF + LANES);
    for (int topic = threadIdx.x; topic < WIDTH_OF + LANES; topic += THREADS)
        memory[topic] = topic < WIDTH_OF ? base[topic] : 0.0f;
    long long resident = static_cast<long long>(blockIdx.x) * (THREADS / LANES) + threadIdx.x / LANES;
    char *own = OUTSIDE ? outside + resident * ((per_document + 15) / 16 * 16)
                        : reinterpret_cast<char *>(memory + WIDTH_OF + LANES) +
                              threadIdx.x / LANES * ((per_document + 15) / 16 * 16);
    Held held;
    held.factors = reinterpret_cast<float *>(own);
    held.mixture = held.factors + MOST;
    held.checks = held.mixture + MOST;
    held.topics = reinterpret_cast<TOPIC *>(held.checks + CHECKS * LANES);
    held.places = reinterpret_cast<PLACE *>(held.topics + MOST);
    for (int place = own_lane(); place < MOST; place += LANES) {
        held.factors[place] = 0.0f;
        held.topics[place] = 0;
    }
    for (int topic = own_lane(); topic < WIDTH_OF + LANES; topic += LANES) held.places[topic] = 0;
    __syncthreads();
    Lists lists = {starts, sizes, entries, frozen_counts, list_sums};
    Observations observations = {
        observation_starts, observation_rows, pull, precision, directions, directions_by_topic, n_rows};
    Observed observed;
    observed.kept = kept + (TILT ? resident * 2 * most_observed : 0);
    observed.size = 0;
    Frozen frozen = {per_topic, memory, cumulative, cumulative[n_topics - 1], beta, n_topics};
    int lane = own_lane();
    while (true) {
        int pair = threadIdx.x % 32 == 0 ? atomicAdd(queue, 1) : 0;
        pair = __shfl_sync(ALL_LANES, pair, 0);
        if (2 * pair >= n_documents) break;
        int number = 2 * pair + (threadIdx.x / LANES & 1);
        int document = number < n_documents ? order[number] : 0;
        long long first = offsets[document];
        int length = number < n_documents ? static_cast<int>(offsets[document + 1] - first) : 0;
        key_type random_key = document_key(key, first_document + document);
        count_topics(topics + first, length, held);
        if (TILT) open_observed(observations, document, length, held, observed);
        __syncwarp();
        open_held(held, per_topic);
        double mass = 1.0, log_mass = 0.0;
        int most = larger_half(length);
        for (int begin = 0; begin < most; begin += LANES) {
            int token = begin + lane;
            bool there = token < length;
            Token own = {};
            if (there)
                own = read_token(
                    lists, frozen, words[first + token], static_cast<int>(topics[first + token]),
                    uniform(random_key, token));
            int drawn = own.topic;
            float weight = 1.0f;
            int steps = min(LANES, most - begin);
            Quad ahead = load_quad(entries + static_cast<long long>(lane_at(own.start, 0)) * QUAD + 4 * lane);
            for (int place = 0; place < steps; place++) {
                Token here = token_at(own, place);
                // The beginning of the next token's list is read while the present one is drawn.
                Quad quad = ahead;
                ahead = load_quad(
                    entries + static_cast<long long>(lane_at(own.start, min(place + 1, LANES - 1))) * QUAD + 4 * lane);
                float total;
                int found = resample(
                    lists, frozen, observations, observed, held, here, quad, random_key, begin + place, total);
                if (lane == place) {
                    drawn = found;
                    weight = total;
                }
            }
            if (there && drawn != own.topic) {
                topics[first + token] = static_cast<TOPIC>(drawn);
                int *row = counted + static_cast<long long>(own.word) * WIDTH_OF;
                atomicAdd(row + own.topic, -1);
                atomicAdd(row + drawn, 1);
                atomicAdd(totals + own.topic, -1);
                atomicAdd(totals + drawn, 1);
            }
            if (there) mass *= static_cast<double>(weight);
            if (mass < 1e-200 || mass > 1e200) {
                log_mass += log(mass);
                mass = 1.0;
            }
        }
        double found = lane_sum(log_mass + log(mass)) - length * log(length - 1.0 + alpha_sum);
        if (lane == 0 && number < n_documents) likelihood[document] = length > 0 ? found : 0.0;
        clear_held(held);
    }
}
