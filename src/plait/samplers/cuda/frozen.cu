// Dense form of the synchronous sampler: samplers/kernels/frozen.py. samplers/synchronous.py defines the arithmetic.
//
// Sixteen lanes per document, two documents per warp. Documents are taken from a queue, the longest first, so that the
// two of a warp have about the same length. A lane reads and writes the numbers of its own topics only, which are in
// shared memory; the row of the next token is read while the present one is drawn. Moves are added to the counts of the
// next sweep at once, by integer atomics, whose order cannot change a sum.
//
// With linked documents (SOURCES), the two documents of a warp have different numbers of candidates: the halves are apart.
//
// Defined by the caller: SOURCES (0 or 1), BLOCKS, TOPIC (the type of a topic), TILT, LABELS, KEPT, PRIOR_TABLE (0 or 1), THREADS,
// MIN_BLOCKS (of threads per multiprocessor).

#if SOURCES
#define HALVES_APART
#endif

#include "random.cuh"
#include "proposal.cuh"
#include "sources.cuh"

#define SLOTS (THREADS / LANES)               // documents per block of threads
// In shared memory: n_dk, mixture, tilt, squares of a proposal, scale of candidates.
#define ROWS_PER_DOCUMENT (2 + TILT + SOURCES)
#define PER_DOCUMENT (ROWS_PER_DOCUMENT * WIDTH + 4 * KEPT) // numbers in shared memory

// What all documents of a block of threads read, in shared memory.
struct Shared {
    float *alpha;
    float *scale;
    float *scale_less;
    int *totals; // changes
};

// The document of half a warp.
struct Document {
    float *doc_topic;
    float *mixture;
    float *tilt; // nullptr without responses
    Proposal proposal; // with an exact tilt
    Observed observed;
    Candidates candidates;
};

// What a token's draw returns: the topic, and the weight of the token for the likelihood.
struct Drawn {
    int topic;
    float weight;
};

__device__ __forceinline__ float mixture_at(const Shared &shared, const Document &own, int place) {
    return frozen_mixture_of(
        own.doc_topic[place], shared.alpha[place], shared.scale[place], tilt_of(own.tilt, place));
}

// Resamples the topic of one token given all others.
__device__ __forceinline__ Drawn resample(
    const float (&counts)[BLOCKS], const float *prior_row, float prior_value, int old, float number, bool active,
    int n_topics, const Observations &observations, const Sources &sources, long long token, key_type random_key,
    int position, const Shared &shared, Document &own, float accept_chance) {
    int lane = own_lane(), old_lane = old % LANES, old_block = old / LANES;
    int place = place_in_row(old_block, lane); // used by the lane of the topic only
    int own_block = lane == old_lane ? old_block : -1;
    int source = 0;
    float own_mixture;
    if (SOURCES) {
        source = sources.drawn[token];
        mix_without(sources, own.candidates, source, own_block, shared.alpha, own.mixture);
        own_mixture = own.mixture[place] * (shared.scale_less[place] / shared.scale[place]);
    } else {
        own_mixture = frozen_mixture_of(
            own.doc_topic[place] - 1.0f, shared.alpha[place], shared.scale_less[place], tilt_of(own.tilt, place));
    }
    float priors[BLOCKS], mixture[BLOCKS], sums[BLOCKS];
    if (PRIOR_TABLE) {
        load_row(prior_row, priors);
    } else {
#pragma unroll
        for (int block = 0; block < BLOCKS; block++) priors[block] = prior_value;
    }
    load_row(own.mixture, mixture);
    float across = sum_across(weigh_token(counts, priors, mixture, own_block, own_mixture, 1.0f, sums));
    float weight = lane_at(across, LANES - 1);
    int topic = draw(sums, across, number * weight, n_topics);
    if (TILT == EXACT) {
        bool asks = active && topic != old;
        if (__any_sync(ALL_LANES, asks)) {
            bool accepted = accepts(observations, own.observed, own.proposal, old, topic, accept_chance);
            topic = asks && !accepted ? old : topic;
        }
    }
    bool moves = active && topic != old;
    if (SOURCES) {
        int chosen = draw_candidate(
            sources, own.candidates, source, old, topic, shared.alpha, random_key, position);
        if (lane == 0) sources.drawn[token] = chosen;
    }
    if (TILT == EXACT && moves) move_projections(observations, own.observed, own.proposal, old, topic);
    if (moves && lane == old_lane) {
        own.doc_topic[place] -= 1.0f;
        if (!SOURCES) own.mixture[place] = mixture_at(shared, own, place);
        atomicAdd(shared.totals + old, -1);
    }
    if (moves && lane == topic % LANES) {
        int there = place_in_row(topic / LANES, lane);
        own.doc_topic[there] += 1.0f;
        if (!SOURCES) own.mixture[there] = mixture_at(shared, own, there);
        atomicAdd(shared.totals + topic, 1);
    }
    return {topic, weight};
}

// Computes the mixture of every topic, or what its candidates' shares are multiplied by.
__device__ __forceinline__ void apply_tilt(const Shared &shared, Document &own, bool needed) {
    if (!needed) return;
#pragma unroll
    for (int block = 0; block < BLOCKS; block++) {
        int place = place_in_row(block, own_lane());
        if (SOURCES) {
            own.candidates.scale[place] = tilt_of(own.tilt, place) * shared.scale[place];
        } else {
            own.mixture[place] = mixture_at(shared, own, place);
        }
    }
}

// Begins a run of tokens; returns Σ_k (n_dk + α_k) tilt_dk, or its counterpart with candidates: a diagnostic.
__device__ __forceinline__ double open_run(
    const Observations &observations, const Sources &sources, const Shared &shared, Document &own, int topic, int first,
    int size, int n_tokens, int n_topics) {
    renew_tilt(observations, own.observed, own.proposal, topic, first, size, n_tokens, n_topics, own.tilt);
    apply_tilt(shared, own, size > 0);
    if (SOURCES) {
        double untilted;
        return expected_shares(sources, own.candidates, shared.alpha, own.tilt, untilted);
    }
    float mass = 0.0f;
#pragma unroll
    for (int block = 0; block < BLOCKS; block++) {
        int place = place_in_row(block, own_lane());
        mass = mass + (own.doc_topic[place] + shared.alpha[place]) * own.tilt[place];
    }
    return static_cast<double>(lane_sum(mass));
}

// Counts the topics of a document and computes its tilt and its mixture.
__device__ __forceinline__ void open_document(
    const TOPIC *topics, int length, long long document, int n_topics, const Observations &observations,
    const Sources &sources, const Shared &shared, Document &own) {
    int *tally = reinterpret_cast<int *>(own.doc_topic);
    __syncwarp(ALL_LANES); // the counts of the document before were those of other lanes
    for (int place = own_lane(); place < WIDTH; place += LANES) tally[place] = 0;
    __syncwarp(ALL_LANES);
    for (int token = own_lane(); token < length; token += LANES) atomicAdd(tally + place_of(topics[token]), 1);
    __syncwarp(ALL_LANES);
#pragma unroll
    for (int block = 0; block < BLOCKS; block++) {
        int place = place_in_row(block, own_lane());
        own.doc_topic[place] = static_cast<float>(tally[place]);
    }
    if (TILT) own.observed = observe(observations, document, length);
    if (TILT == CACHED) fill_tilt(observations, own.observed, own.doc_topic, n_topics, own.tilt);
    if (TILT == EXACT) {
        own.proposal.run = run_length(length);
        open_proposal(observations, own.observed, own.doc_topic, own.proposal);
    } else {
        apply_tilt(shared, own, true);
    }
    if (SOURCES) {
        own.candidates.size = 0;
        if (length > 0) open_candidates(sources, document, own.candidates);
    }
}

// What turns Σ log weight of a document's tokens into Σ log p(token | rest).
__device__ __forceinline__ double close_document(
    int length, const Sources &sources, const Shared &shared, const Document &own) {
    double mass = 0.0, untilted = 0.0;
    if (SOURCES) {
        mass = expected_shares(sources, own.candidates, shared.alpha, own.tilt, untilted);
        if (TILT == EXACT) mass = 1.0; // `open_run` returns that of every run
        return -length * log(mass * (untilted - 1.0) / untilted);
    }
#pragma unroll
    for (int block = 0; block < BLOCKS; block++) {
        int place = place_in_row(block, own_lane());
        float expected = own.doc_topic[place] + shared.alpha[place];
        untilted += expected;
        mass += expected * tilt_of(own.tilt, place);
    }
    untilted = lane_sum(untilted);
    mass = TILT == EXACT ? 1.0 : lane_sum(mass);
    return -length * log(mass * (untilted - 1.0) / untilted);
}

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS) sweep_frozen(
    const int *order, int n_documents, int *queue, const long long *offsets, long long first_document,
    const int *words, TOPIC *topics, const float *table, const float *prior_table, float prior_value, int *counted,
    int *totals, const float *alpha, const float *scale, const float *scale_less, int n_topics, key_type key,
    double *likelihood, const long long *observation_starts, const int *observation_rows, const double *pull,
    const double *precision, const float *directions, const float *by_topic, float4 *kept, int most_observed,
    const long long *source_starts,
    const int *source_documents, const double *gamma, double *taken, int *drawn_from, const float *source_topic,
    int *source_counted, double alpha_sum, int most_sources, float *source_rows, double *source_numbers) {
    extern __shared__ __align__(16) float memory[];
    Shared shared = {memory, memory + WIDTH, memory + 2 * WIDTH, reinterpret_cast<int *>(memory + 3 * WIDTH)};
    for (int place = threadIdx.x; place < WIDTH; place += THREADS) {
        int topic = topic_at(place);
        shared.alpha[place] = alpha[topic];
        shared.scale[place] = scale[topic];
        shared.scale_less[place] = scale_less[topic];
        shared.totals[place] = 0;
    }
    __syncthreads();
    Observations observations = {observation_starts, observation_rows, pull, precision, directions, by_topic};
    Sources sources = {
        source_starts, source_documents, gamma, taken, drawn_from, source_topic, source_counted, alpha_sum};
    int slot = threadIdx.x / LANES, lane = own_lane();
    float *rows = memory + 4 * WIDTH + slot * PER_DOCUMENT;
    Document own;
    own.doc_topic = rows;
    own.mixture = rows + WIDTH;
    own.tilt = TILT ? rows + 2 * WIDTH : nullptr;
    own.proposal.squares = rows + 3 * WIDTH;
    long long resident = static_cast<long long>(blockIdx.x) * SLOTS + slot;
    own.proposal.kept =
        KEPT ? reinterpret_cast<float4 *>(rows + ROWS_PER_DOCUMENT * WIDTH) : kept + resident * most_observed;
    own.candidates.rows = source_rows + (SOURCES ? resident * most_sources * WIDTH : 0);
    own.candidates.drawn = source_numbers + (SOURCES ? resident * 2 * most_sources : 0);
    own.candidates.ratios = reinterpret_cast<float *>(own.candidates.drawn + (SOURCES ? most_sources : 0));
    own.candidates.scale = rows + (ROWS_PER_DOCUMENT - 1) * WIDTH;
    while (true) {
        int pair = threadIdx.x % 32 == 0 ? atomicAdd(queue, 1) : 0;
        pair = __shfl_sync(0xffffffffu, pair, 0);
        if (2 * pair >= n_documents) break;
        int number = 2 * pair + (slot & 1);
        int document = number < n_documents ? order[number] : 0;
        long long first = offsets[document];
        int length = number < n_documents ? static_cast<int>(offsets[document + 1] - first) : 0;
        int longest = larger_half(length);
        key_type random_key = document_key(key, first_document + document);
        open_document(topics + first, length, document, n_topics, observations, sources, shared, own);
        double mass = 1.0, log_mass = 0.0;
        // Each lane reads one of the next sixteen tokens; the first row of the next sixteen is read ahead, too.
        int word = lane < length ? words[first + lane] : 0;
        float even[BLOCKS], odd[BLOCKS];
        load_row(table + static_cast<long long>(lane_at(word, 0)) * WIDTH, even);
        for (int begin = 0; begin < longest; begin += LANES) {
            int token = begin + lane;
            int topic = token < length ? static_cast<int>(topics[first + token]) : 0;
            int later = token + LANES < length ? words[first + token + LANES] : 0;
            float chance = uniform(random_key, token);
            // The key is scrambled twice to get a stream other than those of topics and sources.
            float accept_chance = TILT == EXACT ? uniform(scramble(scramble(random_key)), token) : 0.0f;
            int drawn = topic;
            float weight = 1.0f;
            double divisor = 1.0; // with an exact tilt, of the token's run
            int steps = min(LANES, longest - begin);
            auto step = [&](int place, const float(&row)[BLOCKS], float(&next)[BLOCKS]) {
                int ahead = lane_at(place + 1 < LANES ? word : later, (place + 1) % LANES);
                load_row(table + static_cast<long long>(ahead) * WIDTH, next);
                int here = lane_at(word, place), old = lane_at(topic, place);
                bool active = begin + place < length;
                long long at = static_cast<long long>(here) * WIDTH;
                Drawn found = resample(
                    row, prior_table + (PRIOR_TABLE ? at : 0), prior_value, old, lane_at(chance, place), active,
                    n_topics, observations, sources, first + begin + place, random_key, begin + place, shared, own,
                    TILT == EXACT ? lane_at(accept_chance, place) : 0.0f);
                if (active && found.topic != old) {
                    if (lane == old % LANES) atomicAdd(counted + at + old, -1);
                    if (lane == found.topic % LANES) atomicAdd(counted + at + found.topic, 1);
                }
                if (active && lane == place) {
                    drawn = found.topic;
                    weight = found.weight;
                }
            };
            if (TILT == EXACT || SOURCES) { // a larger step: once in the code
                for (int place = 0; place < steps; place++) {
                    int left = length - begin - place;
                    bool renews = TILT == EXACT && left > 0 && (place & (own.proposal.run - 1)) == 0;
                    if (TILT == EXACT && __any_sync(ALL_LANES, renews)) {
                        int size = renews ? min(own.proposal.run, left) : 0;
                        double mass_of_run = open_run(
                            observations, sources, shared, own, topic, place, size, length, n_topics);
                        if (lane >= place && lane < place + size) divisor = mass_of_run;
                    }
                    step(place, even, odd);
#pragma unroll
                    for (int block = 0; block < BLOCKS; block++) even[block] = odd[block];
                }
            } else {
                for (int place = 0; place < steps; place += 2) {
                    step(place, even, odd);
                    step(place + 1, odd, even);
                }
            }
            if (drawn != topic) topics[first + token] = static_cast<TOPIC>(drawn);
            mass *= TILT == EXACT ? weight / divisor : weight;
            if (mass < 1e-200 || mass > 1e200) {
                log_mass += log(mass);
                mass = 1.0;
            }
            word = later;
        }
        double found = lane_sum(log_mass + log(mass));
        double rest = close_document(length, sources, shared, own);
        if (lane == 0 && number < n_documents) likelihood[document] = length > 0 ? found + rest : 0.0;
    }
    __syncthreads();
    for (int topic = threadIdx.x; topic < WIDTH; topic += THREADS)
        if (shared.totals[topic] != 0) atomicAdd(totals + topic, shared.totals[topic]);
}
