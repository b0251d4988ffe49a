// Sparse form of the synchronous sampler: samplers/kernels/listed.py and held.py, sixteen lanes per document.
//
// Both halves of a warp run the same steps, and all lanes take part in every exchange: what only one half needs is computed
// by both, or skipped by both. A document has its words by falling frequency, so that the halves mostly need the same.
//
// Defined by the caller: TOPIC, WIDTH_OF (padded topics), MOST (topics that a document can hold, in quads), COUNT (a type
// for the tokens of a document), ENTRY, COUNT_BITS (as in lists.cu), CHECKS (running sums that are kept), LONG (blocks
// from which on a list is long), MARGIN (as in kernels/held.py), OUTSIDE (whether documents are too large for shared
// memory), TILT, THREADS, MIN_BLOCKS.

#define BLOCKS 1

#include "weights.cuh"
#include "observed.cuh"
#include "search.cuh"

struct Lists {
    const long long *starts;
    const int *sizes;
    const ENTRY *entries;
    const float *frozen; // the same counts as a table, words × topics
    const double *list_sums;
};

// What depends on the topic that a token has.
struct alignas(8) OwnTopic {
    float less;   // 1 / (n_k + Σβ) with one token taken out of the total
    float of_all; // β Σ_k α_k / (n_k + Σβ) without the token
};

struct Frozen {
    const PerTopic *per_topic; // in shared memory
    const OwnTopic *own_topic;
    const double *cumulative; // sums of α_k / (n_k + Σβ)
    float beta;
    int n_topics;
};

// What is known of a token before its turn.
struct alignas(16) Token {
    int word;
    int start;            // of the word's list, in quads
    unsigned short topic;
    unsigned short size;  // of the list; 0 if there is no token
    float chance;
    float counted; // tokens of the word in the topic, for long lists
    float of_list; // Σ_k α_k n_kw / (n_k + Σβ) without the token, for long lists
    OwnTopic own;
};

// What α_k / (n_k + Σβ) of a token's own topic gains without the token.
__device__ __forceinline__ double excess_of(const PerTopic &topic, float less) {
    return static_cast<double>(topic.alpha) * (static_cast<double>(less) - static_cast<double>(topic.scale));
}

// The same for α_k n_kw / (n_k + Σβ).
__device__ __forceinline__ double list_excess_of(const PerTopic &topic, float less, float counted) {
    double count = static_cast<double>(counted);
    return static_cast<double>(topic.alpha) *
           (static_cast<double>(less) * (count - 1.0) - static_cast<double>(topic.scale) * count);
}

__device__ __forceinline__ Token read_token(
    const Lists &lists, const Frozen &frozen, int word, int topic, float chance) {
    int start = static_cast<int>(lists.starts[word] / QUAD), size = lists.sizes[word];
    Token token = {
        word, start, static_cast<unsigned short>(topic), static_cast<unsigned short>(size), chance, 0.0f, 0.0f,
        frozen.own_topic[topic]};
    if (size > LANES * (LONG - 1)) {
        token.counted = lists.frozen[static_cast<long long>(word) * WIDTH_OF + topic];
        double of_list = lists.list_sums[static_cast<long long>(start) * QUAD + size - 1] +
                         list_excess_of(frozen.per_topic[topic], token.own.less, token.counted);
        token.of_list = static_cast<float>(of_list > 0.0 ? of_list : 0.0);
    }
    return token;
}

// Draws a topic k of the document's other tokens in proportion to n_dk / (n_k + Σβ).
__device__ __forceinline__ int draw_of_document(
    const Held &held, const PerTopic *per_topic, float target, int own, float own_factor) {
    int n_blocks = blocks_of(held.size);
    float rest = 0.0f, across = 0.0f;
    int lane = 0, found = 0;
    for (int pass = 0; pass < 2; pass++) { // the sums of the lanes, then the block of the lane that is drawn
        float running = 0.0f;
        for (int block = 0; block < n_blocks - pass; block++) {
            int topic = held.topics[place_in_list(LANES * block + own_lane())];
            running = running + (topic == own ? own_factor : factor_of(held, per_topic, topic));
            found += pass == 1 && running <= rest;
        }
        if (pass == 0) {
            across = sum_across(running);
            lane = draw_lane(across, target, rest);
        }
    }
    return held.topics[place_in_list(max(min(LANES * lane_at(found, lane) + lane, held.size - 1), 0))];
}

// Draws a topic in proportion to α_k n_kw / (n_k + Σβ) of a word, or to α_k / (n_k + Σβ): `draw_above` in held.py. A half
// that draws none has one sum.
__device__ __forceinline__ int draw_of_prior(
    bool draws, bool of_list, const Lists &lists, const Frozen &frozen, const Token &token, double target) {
    PerTopic of_old = frozen.per_topic[token.topic];
    long long start = static_cast<long long>(token.start) * QUAD;
    const double *sums = of_list ? lists.list_sums + start : frozen.cumulative;
    double excess =
        of_list ? list_excess_of(of_old, token.own.less, token.counted) : excess_of(of_old, token.own.less);
    int last = draws ? (of_list ? token.size : frozen.n_topics) - 1 : 0, old = token.topic;
    int number = find_above(sums, last, target);
    int topic = draws && of_list ? topic_of(lists.entries[start + place_in_list(number)]) : number;
    double beyond = target - excess;
    // The first sum above is that without the excess, unless it is not above, or the one before is above, too.
    bool again = draws && topic >= old;
    if (again) again = sums[number] <= beyond || (number > 0 && sums[number - 1] > beyond);
    if (__any_sync(ALL_LANES, again)) {
        int next = find_above(sums, again ? last : 0, beyond);
        if (again) number = max(next, of_list ? number : old);
        if (again) topic = of_list ? topic_of(lists.entries[start + place_in_list(number)]) : number;
    }
    return topic;
}

// Resamples the topic of one token given all others, in each half that has one; `total` receives the sum of the weights.
__device__ __forceinline__ int resample(
    const Lists &lists, const Frozen &frozen, const Observations &observations, const Observed &observed, Held &held,
    const Token &token, const Quad &first, key_type random_key, int position, float &total) {
    int old = token.topic, size = token.size, n_blocks = blocks_of(size);
    bool there = size > 0;
    PerTopic of_old = frozen.per_topic[old];
    int in_topic = held.counts[old];
    float tokens = static_cast<float>(in_topic), less = token.own.less;
    float own_factor = (tokens - 1.0f) * less;
    Weighed given;
    given.by_document = n_blocks >= LONG && MARGIN * held.size <= 2 * LANES * (n_blocks - 1);
    given.size = given.by_document ? held.size : size;
    given.steps = blocks_of(given.size);
    given.own = old;
    given.own_mixture = frozen_mixture_of(tokens - 1.0f, of_old.alpha, less, 1.0f);
    given.own_weight = own_factor * ((token.counted - 1.0f) + frozen.beta);
    given.beta = frozen.beta;
    given.row = lists.frozen + static_cast<long long>(token.word) * WIDTH_OF;
    given.entries = lists.entries + static_cast<long long>(token.start) * QUAD + own_lane() * 4;
    given.per_topic = frozen.per_topic;
    bool is_short = !__any_sync(ALL_LANES, given.steps > 4);
    float sums[4], running;
    int topics[4];
    if (is_short) {
        if (__any_sync(ALL_LANES, given.steps > 1)) {
            running = weigh_short<4>(given, held, first, sums, topics);
        } else {
            running = weigh_short<1>(given, held, first, sums, topics);
        }
    } else {
        running = weigh_long(given, held);
    }
    float across = sum_across(running);
    float of_first = lane_at(across, LANES - 1);
    float left = (static_cast<float>(held.reach) - tokens * of_old.scale) + own_factor;
    float of_second = given.by_document ? token.of_list : frozen.beta * (left > 0.0f ? left : 0.0f);
    total = (of_first + of_second) + token.own.of_all;
    float target = token.chance * total;
    bool in_first = target < of_first, in_second = !in_first && target - of_first < of_second;
    float rest;
    int lane = draw_lane(across, target, rest), topic;
    if (is_short) {
        int block = min((sums[0] <= rest) + (sums[1] <= rest) + (sums[2] <= rest), given.steps - 1);
        int low = block & 1 ? topics[1] : topics[0], high = block & 1 ? topics[3] : topics[2];
        topic = lane_at(LANES * block + own_lane() < given.size ? (block & 2 ? high : low) : -1, lane);
        if (__any_sync(ALL_LANES, there && topic < 0)) // rounding
            topic = there && topic < 0 ? topic_at_number(given, held, given.size - 1) : topic;
    } else {
        int block = 0;
        if (own_lane() == lane && in_first) block = find_block(given, held, rest);
        int number = LANES * lane_at(block, lane) + lane;
        topic = there ? topic_at_number(given, held, min(number, given.size - 1)) : 0;
    }
    if (__any_sync(ALL_LANES, there && !in_first)) {
        bool of_document = in_second && !given.by_document, of_prior = there && !in_first && !of_document;
        float beyond = target - of_first;
        if (__any_sync(ALL_LANES, there && of_document)) {
            int found = draw_of_document(held, frozen.per_topic, beyond / frozen.beta, old, own_factor);
            if (of_document) topic = found;
        }
        if (__any_sync(ALL_LANES, of_prior)) {
            double wanted = static_cast<double>(beyond);
            if (of_prior && !in_second)
                wanted = static_cast<double>(beyond - of_second) / static_cast<double>(frozen.beta);
            int found = draw_of_prior(of_prior, of_prior && in_second, lists, frozen, token, wanted);
            if (of_prior) topic = found;
        }
    }
    bool moves = there && topic != old;
    if (TILT && __any_sync(ALL_LANES, moves))
        moves = accepts(observations, observed, old, moves ? topic : old, random_key, position) && moves;
    topic = moves ? topic : old;
    if (__any_sync(ALL_LANES, moves)) {
        move_topic(moves, held, old, in_topic, topic, frozen.per_topic);
        if (TILT == EXACT && moves) update_observed(observations, observed, old, topic);
    }
    return topic;
}

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS) sweep_listed(
    const int *order, int n_documents, int *queue, const long long *offsets, long long first_document,
    const int *words, TOPIC *topics, const long long *starts, const int *sizes, const ENTRY *entries,
    const float *frozen_counts, const double *list_sums, int *counted, int *totals, const PerTopic *per_topic,
    const OwnTopic *own_topic, const double *cumulative, float beta, double alpha_sum, int n_topics, key_type key,
    double *likelihood, const long long *observation_starts, const int *observation_rows, const double *pull,
    const double *precision, const float *directions, const float *directions_by_topic, int n_rows, int most_observed,
    double *kept, char *outside) {
    extern __shared__ __align__(16) char memory[];
    const int tables = sizeof(PerTopic) * (WIDTH_OF + LANES);
    const int per_document =
        sizeof(Token) * LANES + 4 * CHECKS * LANES + sizeof(TOPIC) * MOST + sizeof(COUNT) * (WIDTH_OF + LANES);
    PerTopic *shared = reinterpret_cast<PerTopic *>(memory);
    for (int topic = threadIdx.x; topic < WIDTH_OF + LANES; topic += THREADS)
        shared[topic] = topic < WIDTH_OF ? per_topic[topic] : PerTopic{0.0f, 0.0f};
    long long resident = static_cast<long long>(blockIdx.x) * (THREADS / LANES) + threadIdx.x / LANES;
    char *own = OUTSIDE ? outside + resident * ((per_document + 15) / 16 * 16)
                        : memory + tables + threadIdx.x / LANES * ((per_document + 15) / 16 * 16);
    Token *tokens = reinterpret_cast<Token *>(own);
    Held held;
    held.checks = reinterpret_cast<float *>(tokens + LANES);
    held.topics = reinterpret_cast<TOPIC *>(held.checks + CHECKS * LANES);
    held.counts = reinterpret_cast<COUNT *>(held.topics + MOST);
    for (int place = own_lane(); place < MOST; place += LANES) held.topics[place] = WIDTH_OF;
    for (int topic = own_lane(); topic < WIDTH_OF + LANES; topic += LANES) held.counts[topic] = 0;
    __syncthreads();
    Lists lists = {starts, sizes, entries, frozen_counts, list_sums};
    Observations observations = {
        observation_starts, observation_rows, pull, precision, directions, directions_by_topic, n_rows};
    Observed observed;
    observed.kept = kept + (TILT ? resident * 2 * most_observed : 0);
    observed.size = 0;
    Frozen frozen = {shared, own_topic, cumulative, beta, n_topics};
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
        open_held(held, shared);
        double mass = 1.0, log_mass = 0.0;
        int most = larger_half(length);
        for (int begin = 0; begin < most; begin += LANES) {
            int token = begin + lane, word = 0, drawn = 0, old = 0;
            bool there = token < length;
            Token next = {};
            if (there) {
                word = words[first + token];
                old = drawn = static_cast<int>(topics[first + token]);
                next = read_token(lists, frozen, word, old, uniform(random_key, token));
            }
            __syncwarp(); // all lanes have read the tokens before
            tokens[lane] = next;
            __syncwarp();
            float weight = 1.0f;
            int steps = min(LANES, most - begin);
            Quad ahead = load_quad(entries + static_cast<long long>(tokens[0].start) * QUAD + 4 * lane);
            for (int place = 0; place < steps; place++) {
                // The beginning of the next token's list is read while the present one is drawn.
                Quad quad = ahead;
                int start = tokens[min(place + 1, LANES - 1)].start;
                ahead = load_quad(entries + static_cast<long long>(start) * QUAD + 4 * lane);
                Token here = tokens[place];
                float total;
                int found = resample(
                    lists, frozen, observations, observed, held, here, quad, random_key, begin + place, total);
                if (lane == place) {
                    drawn = found;
                    weight = total;
                }
            }
            if (there && drawn != old) {
                topics[first + token] = static_cast<TOPIC>(drawn);
                int *row = counted + static_cast<long long>(word) * WIDTH_OF;
                atomicAdd(row + old, -1);
                atomicAdd(row + drawn, 1);
                atomicAdd(totals + old, -1);
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
