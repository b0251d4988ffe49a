// Runs CUDA sources on the CPU: every thread of a block is a fiber, which waits at exchanges between lanes and at barriers.
// Blocks run one after the other. Built with -ffp-contract=off, so that the arithmetic is that of --fmad=false.
#include <ucontext.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#define __device__
#define __global__
#define __shared__ static
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)
#define __align__(size) alignas(size)
#define __restrict__

using std::max;
using std::min;

struct float2 { float x, y; };
struct float4 { float x, y, z, w; };
struct uint4 { unsigned x, y, z, w; };
struct Index { int x; };

static Index threadIdx, blockIdx, blockDim, gridDim;
alignas(16) char shared_memory[1 << 20];

namespace host {

enum class Waits { nothing, warp, block, ended };

struct Fiber {
    ucontext_t context;
    std::vector<char> stack;
    Waits waits;
    unsigned mask; // lanes that it waits for
    int parity[2]; // of exchanges among all lanes of a warp, and among some
};

static std::vector<Fiber> fibers;
static ucontext_t scheduler;
static int current;
static uint64_t exchanged[4][1024];
static std::function<void()> body;

static void wait_for(Waits what, unsigned mask = 0xffffffffu) {
    fibers[current].waits = what;
    fibers[current].mask = mask;
    int own = current;
    swapcontext(&fibers[own].context, &scheduler);
    threadIdx.x = own;
}

static void run_fiber() {
    body();
    fibers[current].waits = Waits::ended;
    swapcontext(&fibers[current].context, &scheduler);
}

static void run_block(int n_threads) {
    if (fibers.size() < static_cast<size_t>(n_threads)) fibers.resize(n_threads);
    for (int number = 0; number < n_threads; number++) {
        Fiber &fiber = fibers[number];
        fiber.stack.resize(1 << 16);
        fiber.waits = Waits::nothing;
        fiber.parity[0] = fiber.parity[1] = 0;
        getcontext(&fiber.context);
        fiber.context.uc_stack.ss_sp = fiber.stack.data();
        fiber.context.uc_stack.ss_size = fiber.stack.size();
        fiber.context.uc_link = nullptr;
        makecontext(&fiber.context, run_fiber, 0);
    }
    while (true) {
        int n_ended = 0, n_at_block = 0;
        bool moved = false;
        for (int warp = 0; warp < n_threads; warp += 32) {
            int last = std::min(warp + 32, n_threads);
            for (int number = warp; number < last; number++) {
                if (fibers[number].waits == Waits::nothing) {
                    current = number;
                    threadIdx.x = number;
                    swapcontext(&scheduler, &fibers[number].context);
                    moved = true;
                }
            }
            for (int number = warp; number < last; number++) {
                n_ended += fibers[number].waits == Waits::ended;
                n_at_block += fibers[number].waits == Waits::block;
            }
            unsigned ready = 0; // lanes whose partners have all arrived
            for (int number = warp; number < last; number++) {
                bool all = fibers[number].waits == Waits::warp;
                for (int other = warp; other < last && all; other++)
                    if (fibers[number].mask >> (other - warp) & 1u)
                        all = fibers[other].waits == Waits::ended ||
                              (fibers[other].waits == Waits::warp && fibers[other].mask == fibers[number].mask);
                ready |= static_cast<unsigned>(all) << (number - warp);
            }
            for (int number = warp; number < last; number++)
                if (ready >> (number - warp) & 1u) {
                    fibers[number].waits = Waits::nothing;
                    moved = true;
                }
        }
        if (n_ended == n_threads) return;
        if (n_at_block + n_ended == n_threads) {
            for (int number = 0; number < n_threads; number++)
                if (fibers[number].waits == Waits::block) fibers[number].waits = Waits::nothing;
        } else if (!moved) {
            std::fprintf(stderr, "lanes wait for each other\n");
            std::abort();
        }
    }
}

template <typename Value, typename Pick> Value exchange(unsigned mask, Value value, Pick pick) {
    Fiber &own = fibers[current];
    int number = current, kind = mask != 0xffffffffu, parity = 2 * kind + own.parity[kind];
    own.parity[kind] ^= 1;
    exchanged[parity][number] = 0;
    std::memcpy(&exchanged[parity][number], &value, sizeof(Value));
    wait_for(Waits::warp, mask);
    Value found;
    std::memcpy(&found, &exchanged[parity][(number & ~31) + pick(number & 31)], sizeof(Value));
    return found;
}

} // namespace host

template <typename Value> Value __shfl_sync(unsigned mask, Value value, int lane, int width = 32) {
    return host::exchange(mask, value, [=](int own) { return (own & ~(width - 1)) + (lane & (width - 1)); });
}
template <typename Value> Value __shfl_up_sync(unsigned mask, Value value, int step, int width = 32) {
    return host::exchange(mask, value, [=](int own) { return (own & (width - 1)) < step ? own : own - step; });
}
template <typename Value> Value __shfl_xor_sync(unsigned mask, Value value, int other, int = 32) {
    return host::exchange(mask, value, [=](int own) { return own ^ other; });
}
template <typename Test> unsigned collect(unsigned mask, int value, Test test) {
    int warp = host::current & ~31, kind = mask != 0xffffffffu;
    int parity = 2 * kind + host::fibers[host::current].parity[kind];
    host::exchange<int>(mask, value, [](int own) { return own; });
    unsigned bits = 0;
    for (int lane = 0; lane < 32 && lane + warp < blockDim.x; lane++)
        if (mask >> lane & 1u)
            bits |= static_cast<unsigned>(test(static_cast<int>(host::exchanged[parity][warp + lane]))) << lane;
    return bits;
}
static unsigned __ballot_sync(unsigned mask, bool found) {
    return collect(mask, found, [](int other) { return other != 0; });
}
static unsigned __match_any_sync(unsigned mask, int value) {
    return collect(mask, value, [=](int other) { return other == value; });
}
static bool __any_sync(unsigned mask, bool found) { return __ballot_sync(mask, found) != 0; }
static void __syncwarp(unsigned mask = 0xffffffffu) { host::wait_for(host::Waits::warp, mask); }
static void __syncthreads() { host::wait_for(host::Waits::block); }
static int __popc(unsigned bits) { return __builtin_popcount(bits); }
static int __ffs(int bits) { return __builtin_ffs(bits); }
static int __clz(int bits) { return bits == 0 ? 32 : __builtin_clz(bits); }
static long long __double_as_longlong(double value) {
    long long bits;
    std::memcpy(&bits, &value, 8);
    return bits;
}

static double __longlong_as_double(long long bits) {
    double value;
    std::memcpy(&value, &bits, 8);
    return value;
}

static float __int_as_float(int bits) {
    float value;
    std::memcpy(&value, &bits, 4);
    return value;
}
template <typename Value> Value atomicAdd(Value *place, Value value) {
    Value before = *place;
    *place = before + value;
    return before;
}

// Kernels by name, with their arguments as an array of pointers.
typedef void (*Launcher)(void **, int, int);

template <typename... Given, size_t... Number>
void call(void (*kernel)(Given...), void **given, std::index_sequence<Number...>) {
    kernel(*static_cast<Given *>(given[Number])...);
}

template <typename... Given> void launch_kernel(void (*kernel)(Given...), void **given, int blocks, int threads) {
    gridDim.x = blocks;
    blockDim.x = threads;
    host::body = [=] { call(kernel, given, std::index_sequence_for<Given...>{}); };
    for (int block = 0; block < blocks; block++) {
        blockIdx.x = block;
        host::run_block(threads);
    }
}

#define EXPORT(name) \
    extern "C" void launch_##name(void **given, int blocks, int threads) { launch_kernel(name, given, blocks, threads); }
