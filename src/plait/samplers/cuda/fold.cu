// Topics of new documents: `fold_tokens` of engine/fold_kernels.py, with fixed weights of words in topics.
//
// Sixteen lanes per document, two documents per warp, the longest first, as in frozen.cu. The same lanes make all sweeps
// of a document, so that its counts stay in shared memory. Sums of the kept sweeps are added in float64, sweep by sweep.
//
// Defined by the caller: BLOCKS, TOPIC (the type of a topic), THREADS, MIN_BLOCKS (of threads per multiprocessor).

#include "random.cuh"
#include "conditional.cuh"

#define SLOTS (THREADS / LANES) // documents per block of threads
#define AHEAD (BLOCKS <= 16)    // whether the row of the next token is read while the present one is drawn

// The document of half a warp, in shared memory.
struct Document {
    float *doc_topic;
    float *mixture;
};

// Resamples the topic of one token given all others; `old` is −1 in the first sweep.
__device__ __forceinline__ int resample(
    const float (&weights)[BLOCKS], int old, float number, bool active, int n_topics, const float *alpha, Document &own) {
    int lane = own_lane();
    bool has_old = old >= 0 && lane == old % LANES;
    int old_block = has_old ? old / LANES : -1;
    int place = place_in_row(has_old ? old_block : 0, lane);
    float own_mixture = has_old ? (own.doc_topic[place] - 1.0f) + alpha[place] : 0.0f;
    float priors[BLOCKS], mixture[BLOCKS], sums[BLOCKS];
#pragma unroll
    for (int block = 0; block < BLOCKS; block++) priors[block] = 0.0f;
    load_row(own.mixture, mixture);
    float across = sum_across(weigh_token(weights, priors, mixture, old_block, own_mixture, 0.0f, sums));
    int topic = draw(sums, across, number * lane_at(across, LANES - 1), n_topics);
    if (active && topic != old) {
        if (has_old) {
            own.doc_topic[place] -= 1.0f;
            own.mixture[place] = own_mixture;
        }
        if (lane == topic % LANES) {
            int there = place_in_row(topic / LANES, lane);
            own.doc_topic[there] += 1.0f;
            own.mixture[there] = own.doc_topic[there] + alpha[there];
        }
    }
    return topic;
}

// Adds n_dk + α_k of the present state to the sums of a document.
__device__ __forceinline__ void keep(const Document &own, const float *alpha, int n_topics, double *kept) {
#pragma unroll
    for (int block = 0; block < BLOCKS; block++) {
        int place = place_in_row(block, own_lane()), topic = LANES * block + own_lane();
        if (topic < n_topics) kept[topic] += static_cast<double>(own.doc_topic[place] + alpha[place]);
    }
}

// Divides the sums of a document by their total, which is added in the order of topics; `n_topics` is 0 for no document.
__device__ __forceinline__ void normalise(int n_topics, double *kept) {
    double total = 0.0;
    __syncwarp(ALL_LANES); // all lanes have written
    for (int topic = 0; topic < n_topics; topic++) total += kept[topic];
    __syncwarp(ALL_LANES); // all lanes have read
    for (int topic = own_lane(); topic < n_topics; topic += LANES) kept[topic] /= total;
}

// `order` has the documents, the longest first; `kept` has zeros, documents × topics, and receives proportions. `table` and
// `alpha` are in the order of lanes.
extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS) fold_documents(
    const int *order, int n_documents, int *next, const long long *offsets, const int *words, TOPIC *topics,
    const float *table, const float *alpha_row, const key_type *keys, int n_topics, int n_sweeps, double *kept) {
    extern __shared__ __align__(16) float numbers[];
    float *alpha = numbers;
    for (int place = threadIdx.x; place < WIDTH; place += THREADS) alpha[place] = alpha_row[place];
    __syncthreads();
    int lane = own_lane(), slot = threadIdx.x / LANES;
    Document own = {numbers + WIDTH + 2 * slot * WIDTH, numbers + 2 * WIDTH + 2 * slot * WIDTH};
    while (true) {
        int pair = threadIdx.x % 32 == 0 ? atomicAdd(next, 1) : 0;
        pair = __shfl_sync(0xffffffffu, pair, 0);
        if (2 * pair >= n_documents) break;
        int number = 2 * pair + (slot & 1);
        bool there = number < n_documents;
        int document = there ? order[number] : 0;
        long long first = offsets[document];
        int length = there ? static_cast<int>(offsets[document + 1] - first) : 0;
        int longest = larger_half(length);
        key_type random_key = keys[document];
        double *sums = kept + static_cast<long long>(document) * n_topics;
        for (int place = lane; place < WIDTH; place += LANES) {
            own.doc_topic[place] = 0.0f;
            own.mixture[place] = alpha[place];
        }
        __syncwarp(ALL_LANES);
        for (int sweep = 0; sweep <= n_sweeps; sweep++) {
            long long position = static_cast<long long>(sweep) * length;
            // Each lane reads one of the next sixteen tokens.
            int word = lane < length ? words[first + lane] : 0;
            float even[BLOCKS], odd[BLOCKS];
            if (AHEAD) load_row(table + static_cast<long long>(lane_at(word, 0)) * WIDTH, even);
            for (int begin = 0; begin < longest; begin += LANES) {
                int token = begin + lane;
                int topic = sweep > 0 && token < length ? static_cast<int>(topics[first + token]) : -1;
                int later = token + LANES < length ? words[first + token + LANES] : 0;
                float chance = uniform(random_key, position + token);
                int drawn = topic;
                int steps = min(LANES, longest - begin);
                auto step = [&](int place, float(&row)[BLOCKS], float(&next_row)[BLOCKS]) {
                    if (AHEAD) {
                        int ahead = lane_at(place + 1 < LANES ? word : later, (place + 1) % LANES);
                        load_row(table + static_cast<long long>(ahead) * WIDTH, next_row);
                    } else {
                        load_row(table + static_cast<long long>(lane_at(word, place)) * WIDTH, row);
                    }
                    int found = resample(
                        row, lane_at(topic, place), lane_at(chance, place), begin + place < length, n_topics, alpha, own);
                    if (lane == place) drawn = found;
                };
                if (AHEAD) {
                    for (int place = 0; place < steps; place += 2) {
                        step(place, even, odd);
                        step(place + 1, odd, even);
                    }
                } else {
                    for (int place = 0; place < steps; place++) step(place, even, odd);
                }
                if (token < length && drawn != topic) topics[first + token] = static_cast<TOPIC>(drawn);
                word = later;
            }
            if (there && 2 * sweep >= n_sweeps) keep(own, alpha, n_topics, sums); // the first half is burn-in
        }
        normalise(there ? n_topics : 0, sums);
    }
}
