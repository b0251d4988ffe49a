// Initial topics, drawn from the priors alone: samplers/kernels/start.py, without linked documents.
//
// With one number for β all words are alike: the running sums of the weights are computed once, by the caller.

#include "random.cuh"
#include "conditional.cuh"

// Draws the topics of documents whose words are alike. `sums` has the running sums, blocks × lanes, `across` the
// cumulative weights of the lanes.
extern "C" __global__ void start_alike(
    int n_documents, const long long *offsets, long long first_document, TOPIC *topics, const float *sums,
    const float *across, int n_blocks, int n_topics, key_type key) {
    int document = (blockIdx.x * blockDim.x + threadIdx.x) / LANES;
    if (document >= n_documents) return;
    key_type random_key = document_key(key, first_document + document);
    long long first = offsets[document];
    int length = static_cast<int>(offsets[document + 1] - first);
    for (int token = own_lane(); token < length; token += LANES) {
        float target = uniform(random_key, token) * across[LANES - 1];
        int lane = 0;
        for (int number = 0; number < LANES; number++) lane += across[number] <= target;
        lane = min(lane, LANES - 1);
        float rest = target - (lane > 0 ? across[lane - 1] : 0.0f);
        // Running sums do not fall, so that bisection finds the number of those up to the rest.
        int low = 0, high = n_blocks - 1;
        while (low < high) {
            int middle = (low + high) / 2;
            if (sums[LANES * middle + lane] <= rest) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        topics[first + token] = static_cast<TOPIC>(min(LANES * low + lane, n_topics - 1));
    }
}

// Draws the topics of documents with a table of β, as `weigh_token` without counts weighs them. `mixture` is that of an
// empty document; like `prior_table`, it is in the order of lanes.
extern "C" __global__ void start_weighed(
    int n_documents, const long long *offsets, long long first_document, const int *words, TOPIC *topics,
    const float *mixture, const float *prior_table, int n_topics, key_type key) {
    int document = (blockIdx.x * blockDim.x + threadIdx.x) / LANES;
    bool exists = document < n_documents;
    long long first = offsets[exists ? document : 0];
    int length = exists ? static_cast<int>(offsets[document + 1] - first) : 0;
    int longest = max(length, __shfl_xor_sync(ALL_LANES, length, LANES));
    key_type random_key = document_key(key, first_document + document);
    float counts[BLOCKS], priors[BLOCKS], mixed[BLOCKS], sums[BLOCKS];
#pragma unroll
    for (int block = 0; block < BLOCKS; block++) counts[block] = 0.0f;
    load_row(mixture, mixed);
    for (int token = 0; token < longest; token++) {
        bool active = token < length;
        load_row(prior_table + static_cast<long long>(active ? words[first + token] : 0) * WIDTH, priors);
        float across = sum_across(weigh_token(counts, priors, mixed, -1, 0.0f, 0.0f, sums));
        float target = uniform(random_key, token) * lane_at(across, LANES - 1);
        int topic = draw(sums, across, target, n_topics);
        if (active && own_lane() == 0) topics[first + token] = static_cast<TOPIC>(topic);
    }
}
