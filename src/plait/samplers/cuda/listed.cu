// Sparse form of the synchronous sampler: samplers/kernels/listed.py and held.py, sixteen lanes per document.
//
// The two documents of a warp take different branches, so lanes exchange numbers within their half only. Sums whose
// order matters (topics of the document, in float64) are added one after the other; their terms are computed by all lanes.
//
// Defined by the caller: TOPIC, COUNT (the type of tokens per topic of a document), WIDTH_OF (padded topics), MOST (topics
// that a document can hold), THREADS, MIN_BLOCKS.

#define HALVES_APART
#define BLOCKS 1

#include "random.cuh"
#include "conditional.cuh"

#define QUAD 64
#define MIN_LIST_BLOCKS 3   // of a list that may be longer than the topics of a document, twice
#define CHECKS 16           // running sums of a list that are kept
#define MOST_WEIGHED (WIDTH_OF / 32 + 1) // topics of a document that are weighed instead of a list

struct Lists {
    const long long *starts;
    const int *sizes;
    const unsigned short *topics;
    const float *counts;
    const double *list_sums;
};

struct Frozen {
    const float *alpha;
    const float *scale;
    const float *scale_less;
    const float *base;        // α_k / (n_k + Σβ)
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
    COUNT *counts;    // their tokens
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

// The number of a topic among those of the document; its size if it is not there.
__device__ __forceinline__ int find_held(const Held &held, int topic) {
    for (int begin = 0; begin < held.size; begin += LANES) {
        int number = begin + own_lane();
        unsigned found = half_ballot(number < held.size && held.topics[number] == topic);
        if (found) return begin + __ffs(found) - 1;
    }
    return held.size;
}

// The entry of a topic in the list of a word, or of the last topic before it.
__device__ __forceinline__ int find_topic(const Lists &lists, long long start, int size, int topic) {
    int entry = 0;
    while (size > 1) {
        int half = size >> 1;
        entry += half * (lists.topics[start + place_in_list(entry + half)] <= topic);
        size -= half;
    }
    return entry;
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

// Computes the weights of the document's topics for a token of topic `own`; returns their sum.
__device__ double weigh_held(
    const Held &held, const Lists &lists, long long start, int size, int own, double less, const Frozen &frozen) {
    double running = 0.0;
    __syncwarp(ALL_LANES); // the sums of the token before were read
    for (int begin = 0; begin < held.size; begin += LANES) {
        int number = begin + own_lane();
        double term = 0.0;
        if (number < held.size) {
            int topic = held.topics[number];
            int entry = find_topic(lists, start, size, topic);
            long long place = start + place_in_list(entry);
            double counted = lists.topics[place] == topic ? static_cast<double>(lists.counts[place]) : 0.0;
            double in_document = static_cast<double>(held.counts[number]);
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

// Draws a topic of a word in proportion to α_k n_kw / (n_k + Σβ), which is larger by `excess` at entry `own`.
__device__ __forceinline__ int draw_of_list(
    const Lists &lists, long long start, int size, double target, int own, double excess) {
    int low = 0, high = size - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        double until = lists.list_sums[start + middle];
        if (middle >= own) until += excess;
        if (until > target) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return lists.topics[start + place_in_list(low)];
}

// Draws a topic k of the document's other tokens in proportion to n_dk / (n_k + Σβ).
__device__ int draw_of_document(const Held &held, double target, int old, double less, const Frozen &frozen) {
    int chosen = old;
    double running = 0.0;
    for (int begin = 0; begin < held.size; begin += LANES) {
        int number = begin + own_lane();
        bool there = number < held.size;
        int topic = there ? held.topics[number] : old;
        double in_document = there ? static_cast<double>(held.counts[number]) : 0.0;
        double term = topic == old ? (in_document - 1.0) * less : in_document * static_cast<double>(frozen.scale[topic]);
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
    int low = 0, high = frozen.n_topics - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        double until = frozen.cumulative[middle];
        if (middle >= old) until += excess;
        if (until > target) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

__device__ __forceinline__ float add_quad(
    const Lists &lists, long long place, const float *mixture, int own, float own_mixture, float running) {
    ushort4 topics = *reinterpret_cast<const ushort4 *>(lists.topics + place);
    float4 counts = *reinterpret_cast<const float4 *>(lists.counts + place);
    running = running + weigh_listed(mixture[topics.x], counts.x, own_mixture, topics.x == own);
    running = running + weigh_listed(mixture[topics.y], counts.y, own_mixture, topics.y == own);
    running = running + weigh_listed(mixture[topics.z], counts.z, own_mixture, topics.z == own);
    return running + weigh_listed(mixture[topics.w], counts.w, own_mixture, topics.w == own);
}

// Computes the weight of every topic of a word's list, as `weigh_listed_token` in conditional.py; returns the last running
// sum of the lane. The sums after every `stride` quads are kept.
__device__ __forceinline__ float weigh_list(
    const Lists &lists, long long start, int n_quads, int stride, const Held &held, int own, float own_mixture) {
    long long place = start + own_lane() * 4;
    float running = 0.0f;
    float *check = held.checks + own_lane();
    int until = stride;
#pragma unroll 2
    for (int quad = 0; quad < n_quads; quad++) {
        running = add_quad(lists, place + quad * QUAD, held.mixture, own, own_mixture, running);
        if (quad + 1 == until) {
            *check = running;
            check += LANES;
            until += stride;
        }
    }
    return running;
}

// The entry of a list whose interval contains a target in [0, total): `draw_listed` in conditional.py.
__device__ __forceinline__ int draw_listed(
    const Lists &lists, long long start, int n_blocks, int size, int stride, const Held &held, int own,
    float own_mixture, float across, float target) {
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
            long long place = start + own_lane() * 4 + static_cast<long long>(quad) * QUAD;
            for (int number = 0; number < 4 && !found; number++) {
                int topic = lists.topics[place + number];
                float counted = lists.counts[place + number];
                running = running + weigh_listed(held.mixture[topic], counted, own_mixture, topic == own);
                if (!(running <= rest)) {
                    block = min(4 * quad + number, n_blocks - 1);
                    found = true;
                }
            }
        }
    }
    return min(LANES * lane_at(block, lane) + lane, size - 1);
}

// Counts a token in topic `topic` instead of that with number `number` among those of the document.
__device__ __forceinline__ void move_topic(Held &held, int number, int topic, const Frozen &frozen) {
    int old = held.topics[number];
    int left = static_cast<int>(held.counts[number]) - 1, last = held.size - 1;
    __syncwarp(ALL_LANES);
    if (own_lane() == 0) {
        held.counts[number] = static_cast<COUNT>(left);
        held.mixture[old] = frozen_mixture_of(static_cast<float>(left), frozen.alpha[old], frozen.scale[old], 1.0f);
        if (left == 0) {
            held.topics[number] = held.topics[last];
            held.counts[number] = held.counts[last];
        }
    }
    if (left == 0) held.size = last;
    __syncwarp(ALL_LANES);
    int there = find_held(held, topic);
    bool added = there == held.size;
    int count = added ? 1 : static_cast<int>(held.counts[there]) + 1;
    __syncwarp(ALL_LANES);
    if (own_lane() == 0) {
        held.topics[there] = static_cast<TOPIC>(topic);
        held.counts[there] = static_cast<COUNT>(count);
        held.mixture[topic] = frozen_mixture_of(static_cast<float>(count), frozen.alpha[topic], frozen.scale[topic], 1.0f);
    }
    if (added) held.size++;
    held.reach += static_cast<double>(frozen.scale[topic]) - static_cast<double>(frozen.scale[old]);
    __syncwarp(ALL_LANES);
}

// Resamples the topic of one token given all others; `total` receives the sum of the weights.
__device__ __forceinline__ int resample(
    const Lists &lists, const Frozen &frozen, Held &held, int word, int old, float chance, double &total) {
    long long start = lists.starts[word];
    int size = lists.sizes[word];
    int n_blocks = (size + LANES - 1) / LANES, n_quads = (n_blocks + 3) / 4;
    double less = frozen.scale_less[old], whole = frozen.scale[old], alpha = frozen.alpha[old];
    int number = find_held(held, old);
    double in_document = static_cast<double>(held.counts[number]);
    bool by_document = n_blocks >= MIN_LIST_BLOCKS && 2 * held.size < n_blocks;
    double of_held = 0.0, of_word, own_excess = 0.0;
    int own_entry = 0;
    float across = 0.0f, own_mixture = 0.0f;
    int stride = (n_quads + CHECKS - 1) / CHECKS;
    if (by_document) {
        of_held = weigh_held(held, lists, start, size, old, less, frozen);
        own_entry = find_topic(lists, start, size, old);
        double counted = lists.counts[start + place_in_list(own_entry)];
        own_excess = alpha * (less * (counted - 1.0) - whole * counted);
        double of_list = lists.list_sums[start + size - 1] + own_excess;
        of_word = of_held + (of_list > 0.0 ? of_list : 0.0);
    } else {
        own_mixture = frozen_mixture_of(
            static_cast<float>(held.counts[number]) - 1.0f, frozen.alpha[old], frozen.scale_less[old], 1.0f);
        across = sum_across(weigh_list(lists, start, n_quads, stride, held, old, own_mixture));
        of_word = static_cast<double>(lane_at(across, LANES - 1));
    }
    double left = held.reach - in_document * whole + (in_document - 1.0) * less;
    double of_document = frozen.beta * (left > 0.0 ? left : 0.0);
    double excess = alpha * (less - whole);
    double of_all = frozen.beta * (frozen.cumulative[frozen.n_topics - 1] + excess);
    total = of_word + of_document + of_all;
    double target = static_cast<double>(chance) * total;
    int topic;
    if (target < of_word) {
        if (!by_document) {
            int entry = draw_listed(
                lists, start, n_blocks, size, stride, held, old, own_mixture, across, static_cast<float>(target));
            topic = lists.topics[start + place_in_list(entry)];
        } else if (target < of_held) {
            topic = draw_held(held, target);
        } else {
            topic = draw_of_list(lists, start, size, target - of_held, own_entry, own_excess);
        }
    } else if (target - of_word < of_document) {
        topic = draw_of_document(held, (target - of_word) / frozen.beta, old, less, frozen);
    } else {
        topic = draw_of_all(frozen, (target - of_word - of_document) / frozen.beta, old, excess);
    }
    if (topic != old) move_topic(held, number, topic, frozen);
    return topic;
}

// Counts the topics of a document in the order in which they occur, and computes the mixture.
__device__ __forceinline__ void open_document(const TOPIC *topics, int length, const Frozen &frozen, Held &held) {
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
    for (int number = own_lane(); number < held.size; number += LANES)
        held.counts[number] = static_cast<COUNT>(tally[held.topics[number]]);
    __syncwarp(ALL_LANES);
    for (int topic = own_lane(); topic < WIDTH_OF + LANES; topic += LANES)
        held.mixture[topic] = topic < WIDTH_OF ? frozen.base[topic] : 0.0f;
    __syncwarp(ALL_LANES);
    for (int number = own_lane(); number < held.size; number += LANES) {
        int topic = held.topics[number];
        held.mixture[topic] = frozen_mixture_of(
            static_cast<float>(held.counts[number]), frozen.alpha[topic], frozen.scale[topic], 1.0f);
    }
    __syncwarp(ALL_LANES);
}

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS) sweep_listed(
    const int *order, int n_documents, int *queue, const long long *offsets, long long first_document,
    const int *words, TOPIC *topics, const long long *starts, const int *sizes, const unsigned short *list_topics,
    const float *list_counts, const double *list_sums, int *counted, int *totals, const float *alpha,
    const float *scale, const float *scale_less, const float *base, const double *cumulative, double beta,
    double alpha_sum, int n_topics, key_type key, double *likelihood) {
    extern __shared__ __align__(16) float memory[];
    const int per_document = 4 * (WIDTH_OF + LANES + CHECKS * LANES) + 8 * MOST_WEIGHED + (sizeof(TOPIC) + sizeof(COUNT)) * MOST;
    char *own = reinterpret_cast<char *>(memory) + threadIdx.x / LANES * ((per_document + 15) / 16 * 16);
    Held held;
    held.mixture = reinterpret_cast<float *>(own);
    held.checks = held.mixture + WIDTH_OF + LANES;
    held.sums = reinterpret_cast<double *>(held.checks + CHECKS * LANES);
    held.counts = reinterpret_cast<COUNT *>(held.sums + MOST_WEIGHED);
    held.topics = reinterpret_cast<TOPIC *>(held.counts + MOST);
    Lists lists = {starts, sizes, list_topics, list_counts, list_sums};
    Frozen frozen = {alpha, scale, scale_less, base, cumulative, beta, n_topics};
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
        open_document(topics + first, length, frozen, held);
        double mass = 1.0, log_mass = 0.0;
        for (int begin = 0; begin < length; begin += LANES) {
            int token = begin + lane;
            int word = token < length ? words[first + token] : 0;
            int topic = token < length ? static_cast<int>(topics[first + token]) : 0;
            float chance = uniform(random_key, token);
            int drawn = topic;
            double weight = 1.0;
            int steps = min(LANES, length - begin);
            for (int place = 0; place < steps; place++) {
                int here = lane_at(word, place), old = lane_at(topic, place);
                double total;
                int found = resample(lists, frozen, held, here, old, lane_at(chance, place), total);
                if (found != old && lane < 2) {
                    int moved = lane == 0 ? old : found, change = lane == 0 ? -1 : 1;
                    atomicAdd(counted + static_cast<long long>(here) * WIDTH_OF + moved, change);
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
