// The primitives of cluster.cuh on a CPU: every thread of every block is a fiber, and a barrier lets the others run.
// Slow and exact, so that a kernel's arithmetic and its barriers are tested where there is no GPU.
#pragma once
#include <ucontext.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#define __global__
#define __device__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __grid_constant__
#define __restrict__
#define __align__(n) alignas(n)

struct alignas(16) float4 { float x, y, z, w; };
struct alignas(8) float2 { float x, y; };
struct alignas(16) uint4 { uint32_t x, y, z, w; };
struct alignas(8) uint2 { uint32_t x, y; };
typedef _Float16 half;
struct half2 { half x, y; };
inline half __float2half(float value) { return half(value); }
inline float __half2float(half value) { return float(value); }
inline half2 __floats2half2_rn(float x, float y) { return {half(x), half(y)}; }
inline float rsqrtf(float value) { return 1.f / std::sqrt(value); }
inline float __expf(float value) { return std::exp(value); }
inline float __fdividef(float x, float y) { return x / y; }
typedef int cudaError_t;
constexpr int cudaSuccess = 0;

namespace fibers {
struct Fiber {
    ucontext_t context;
    std::vector<char> stack;
    int block, thread, waits_for;  // 0: nobody, 1: its warp, 2: its block, 3: the cluster
    bool done;
};
struct Lane { float value; float sums[4]; uint4 a; uint2 b; };
inline std::vector<Fiber> all;
inline std::vector<std::vector<unsigned char>> shared;
inline std::vector<Lane> lanes;
inline std::function<void()> work;
inline ucontext_t scheduler;
inline Fiber *now;
inline int threads;

inline void wait(int scope) {
    now->waits_for = scope;
    swapcontext(&now->context, &scheduler);
}
inline void enter() {
    work();
    now->done = true;
    swapcontext(&now->context, &scheduler);
}
// All of [begin, end) stand at a barrier of this scope: let them go on.
inline bool release(size_t begin, size_t end, int scope) {
    for (size_t i = begin; i < end; i++)
        if (all[i].done || all[i].waits_for != scope) return false;
    for (size_t i = begin; i < end; i++) all[i].waits_for = 0;
    return true;
}
inline void step_on() {
    for (size_t i = 0; i < all.size(); i++) {
        size_t at = i * 7919 % all.size();  // an order that no kernel may rely on
        if (all[at].done || all[at].waits_for) continue;
        now = &all[at];
        swapcontext(&scheduler, &now->context);
    }
}
inline bool release_all() {
    bool any = false;
    for (size_t i = 0; i < all.size(); i += 32) any |= release(i, i + 32, 1);
    for (size_t i = 0; i < all.size(); i += threads) any |= release(i, i + threads, 2);
    return release(0, all.size(), 3) || any;
}
inline int run(int blocks, int per_block, size_t shared_bytes, std::function<void()> body) {
    work = body;
    threads = per_block;
    all = std::vector<Fiber>(size_t(blocks) * per_block);
    lanes.resize(all.size());
    shared.assign(blocks, std::vector<unsigned char>(shared_bytes + 16, 0xFF));  // NaN until someone writes
    for (size_t i = 0; i < all.size(); i++) {
        Fiber &f = all[i];
        f.block = int(i) / per_block, f.thread = int(i) % per_block, f.waits_for = 0, f.done = false;
        f.stack.resize(32768);
        getcontext(&f.context);
        f.context.uc_stack.ss_sp = f.stack.data();
        f.context.uc_stack.ss_size = f.stack.size();
        f.context.uc_link = nullptr;
        makecontext(&f.context, enter, 0);
    }
    for (;;) {
        step_on();
        bool left = std::any_of(all.begin(), all.end(), [](const Fiber &f) { return !f.done; });
        if (!left) return 0;
        bool runs = std::any_of(all.begin(), all.end(), [](const Fiber &f) { return !f.done && !f.waits_for; });
        if (!release_all() && !runs) return 1;  // someone waits for one who will never come
    }
}
inline unsigned char *base(int block) {
    return reinterpret_cast<unsigned char *>((reinterpret_cast<uintptr_t>(shared[block].data()) + 15) / 16 * 16);
}
inline Lane &lane(int number) { return lanes[size_t(now->block) * threads + now->thread / 32 * 32 + number]; }
inline Lane &mine() { return lane(now->thread % 32); }
inline float half_of(uint32_t pair, int which) {
    uint16_t bits = uint16_t(pair >> 16 * which);
    _Float16 value;
    std::memcpy(&value, &bits, 2);
    return float(value);
}
}  // namespace fibers

inline int thread_index() { return fibers::now->thread; }
inline int cluster_rank() { return fibers::now->block; }
inline void block_sync() { fibers::wait(2); }
inline void cluster_sync() { fibers::wait(3); }
inline void cluster_arrive() { fibers::wait(2); }  // less than on a GPU: no one goes on before all have waited
inline void cluster_wait() { fibers::wait(3); }
template <int>
void not_merged() {}
inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
inline float float_of(int bits) { float value; std::memcpy(&value, &bits, 4); return value; }
inline int int_of(float value) { int bits; std::memcpy(&bits, &value, 4); return bits; }
inline void __syncwarp() { fibers::wait(1); }
template <typename T>
T *peer(T *mine, int rank) {
    ptrdiff_t at = reinterpret_cast<unsigned char *>(mine) - fibers::base(fibers::now->block);
    return reinterpret_cast<T *>(fibers::base(rank) + at);
}
template <typename T>
T &shared_memory() {
    return *reinterpret_cast<T *>(fibers::base(fibers::now->block));
}
template <typename Join>
float over_the_warp(float value, Join join) {
    fibers::mine().value = value;
    fibers::wait(1);
    float found = fibers::lane(0).value;
    for (int i = 1; i < 32; i++) found = join(found, fibers::lane(i).value);
    fibers::wait(1);
    return found;
}
inline float warp_sum(float value) { return over_the_warp(value, [](float a, float b) { return a + b; }); }
inline float warp_max(float value) { return over_the_warp(value, [](float a, float b) { return a > b ? a : b; }); }
inline unsigned lanes_with(bool one) {
    fibers::mine().value = one;
    fibers::wait(1);
    unsigned found = 0;
    for (int i = 0; i < 32; i++) found |= unsigned(fibers::lane(i).value != 0) << i;
    fibers::wait(1);
    return found;
}

// As `mma.m16n8k16` spreads its operands over a warp.
inline void multiply(float (&sums)[4], uint4 a, uint2 b) {
    fibers::mine().a = a, fibers::mine().b = b;
    fibers::wait(1);
    int group = fibers::now->thread % 32 / 4, place = fibers::now->thread % 4;
    for (int out = 0; out < 4; out++) {
        int row = group + out / 2 * 8, column = place * 2 + out % 2;
        for (int k = 0; k < 16; k++) {
            const uint4 &from = fibers::lane(row % 8 * 4 + k % 8 / 2).a;
            uint32_t left = k < 8 ? (row < 8 ? from.x : from.y) : (row < 8 ? from.z : from.w);
            const uint2 &other = fibers::lane(column * 4 + k % 8 / 2).b;
            sums[out] += fibers::half_of(left, k % 2) * fibers::half_of(k < 8 ? other.x : other.y, k % 2);
        }
    }
    fibers::wait(1);
}

template <typename Kernel>
int prepare(Kernel *, int, int, size_t) { return 0; }
template <typename... Wanted, typename... Given>
int launch(void (*kernel)(Wanted...), int blocks, int threads, size_t shared_bytes, void *, Given... given) {
    return fibers::run(blocks, threads, shared_bytes, [=] { kernel(Wanted(given)...); });
}
extern "C" const char *cuda_words(int) { return "a barrier that not everyone reaches"; }
