// The backward of attention over 128 tokens with heads of 64 numbers: one block takes one head of one sample whole.
//
// Two warpgroups share the queries for what goes by query (probabilities, scores' gradient, dQ) and the keys for what
// goes by key (dK, dV); the two matrices of 128 x 128 pass through shared memory once each to be turned. A probability
// that is dropped is negative from then on, which costs no register beside it. 112 KiB and 128 registers a thread: two
// blocks live on a multiprocessor, and one computes while the other waits for memory.
#include "wgmma.cuh"

#include <cuda_fp8.h>

constexpr int TOKENS = 128, SIZE = 64, THREADS = 256, PLACES = 64;
constexpr int TILE = TOKENS * ROW_BYTES, HALF_TILE = TILE / 2;
// of what is turned: 16 queries, over which a product sums at a time
constexpr int STEP = 16 * ROW_BYTES;

struct Shared {
    unsigned char q[TILE], k[TILE], v[TILE], dy[TILE];
    unsigned char turning[2][TILE];       // [half of the keys][query][key]
    unsigned char leaving[2][HALF_TILE];  // of each warpgroup: results on their way out
};

struct Backward {
    const __nv_bfloat16 *grad, *qkv;
    const int64_t *lengths;
    const uint32_t *key;
    const float *logarithm;
    unsigned char *d_qkv, *turned;
    const float *scale8;
    int *largest;
    float *sums;
    int heads, tokens;
    uint32_t threshold;
    float keep_scale, log2_scale;
    uint32_t nothing = 0;  // which the compiler does not know
};

// A tile's rows from global memory; `stride` is from row to row there, in bytes.
__device__ __forceinline__ void fetch_tile(uint32_t to, const void *from, int64_t stride) {
#pragma unroll
    for (int turn = 0; turn < TILE / 16 / THREADS; turn++) {
        int row = (threadIdx.x + turn * THREADS) >> 3, piece = threadIdx.x & 7;
        fetch(to + piece_at(row, piece), static_cast<const char *>(from) + row * stride + piece * 16);
    }
}

__device__ __forceinline__ void warpgroup_sync(int group) { asm volatile("bar.sync %0, 128;" ::"r"(group + 1) : "memory"); }

__device__ __forceinline__ float power_of_two(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

// p, negative where the element with this mixed index is dropped: `mask.kept` of the other kernels.
__device__ __forceinline__ float marked(float p, uint32_t mixed, uint32_t second, uint32_t threshold) {
    uint32_t hash = mixed * 0x7FEB352Du;
    hash = (hash ^ (hash >> 15) ^ second) * 0x846CA68Bu;
    return hash < threshold ? -p : p;
}

__device__ __forceinline__ uint32_t no_less_than_zero(uint32_t both) {
    uint32_t most;
    asm("max.bf16x2 %0, %1, %2;" : "=r"(most) : "r"(both), "r"(0u));
    return most;
}

// Half of what two lanes hold to each, added up.
template <int HALF>
__device__ __forceinline__ void fold(const float *held, float *sums, int lane) {
    bool upper = lane & (2 * HALF);
#pragma unroll
    for (int i = 0; i < HALF; i++) {
        float low = held[i], high = held[i + HALF];
        float other = __shfl_xor_sync(~0u, upper ? low : high, 2 * HALF);
        sums[i] = (upper ? high : low) + other;
    }
}

// Sums over the 16 rows of a warp: two columns a lane, 8 (lane / 4) + 2 (lane mod 4) and the next.
__device__ __forceinline__ float2 column_sums(const float (&tile)[32], int lane) {
    float sixteen[16], eight[8], four[4], two[2];
#pragma unroll
    for (int i = 0; i < 16; i++) sixteen[i] = tile[(i >> 1) * 4 + (i & 1)] + tile[(i >> 1) * 4 + 2 + (i & 1)];
    fold<8>(sixteen, eight, lane);
    fold<4>(eight, four, lane);
    fold<2>(four, two, lane);
    return {two[0], two[1]};
}

__device__ __forceinline__ float largest_of(const float (&tile)[32], float top) {
#pragma unroll
    for (int i = 0; i < 32; i++) top = fmaxf(top, fabsf(tile[i]));
    return top;
}

__device__ __forceinline__ uint32_t narrow_pair(float low, float high) {
    uint16_t both;
    asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(both) : "f"(high), "f"(low));
    return both;
}

// 64 rows of one head in 8 bits, from `row` on and in the columns from `column` on, as rows and turned.
__device__ __forceinline__ void emit_narrow(const Backward &to, const float (&tile)[32], unsigned char *leaving,
                                            int group, int64_t row, int column, float scale) {
    int thread = threadIdx.x & 127, lane = thread & 31, warp = thread >> 5, own = 16 * warp + (lane >> 2);
    unsigned char *turned = leaving + HALF_TILE / 2;
#pragma unroll
    for (int j = 0; j < 8; j++) {
        int across = (((j >> 1) ^ ((own >> 1) & 3)) << 4) + (j & 1) * 8 + 2 * (lane & 3);
        int down = (8 * j + 2 * (lane & 3)) * 64 + ((warp ^ (lane & 3)) << 4) + (lane >> 2);
#pragma unroll
        for (int eight = 0; eight < 2; eight++) {
            uint32_t both = narrow_pair(tile[4 * j + 2 * eight] * scale, tile[4 * j + 2 * eight + 1] * scale);
            *reinterpret_cast<uint16_t *>(leaving + (own + 8 * eight) * 64 + across) = uint16_t(both);
            turned[down + 8 * eight] = uint8_t(both);
            turned[down + 64 + 8 * eight] = uint8_t(both >> 8);
        }
    }
    warpgroup_sync(group);
    int width = 3 * to.heads * SIZE;
#pragma unroll
    for (int turn = 0; turn < 2; turn++) {
        int line = (thread + 128 * turn) >> 2, piece = thread & 3, at = line * 64 + ((piece ^ ((line >> 1) & 3)) << 4);
        *reinterpret_cast<uint4 *>(to.d_qkv + (row + line) * width + column + 16 * piece) =
            *reinterpret_cast<uint4 *>(leaving + at);
        *reinterpret_cast<uint4 *>(to.turned + int64_t(column + line) * to.tokens + row + 16 * piece) =
            *reinterpret_cast<uint4 *>(turned + at);
    }
    warpgroup_sync(group);
}

// The same in bfloat16, as rows alone.
__device__ __forceinline__ void emit_wide(const Backward &to, const float (&tile)[32], unsigned char *leaving,
                                          int group, int64_t row, int column) {
    int thread = threadIdx.x & 127, lane = thread & 31, warp = thread >> 5;
    int own = 16 * warp + (lane & 15);
#pragma unroll
    for (int c = 0; c < 4; c++) {
        uint32_t held[4];
#pragma unroll
        for (int i = 0; i < 4; i++) held[i] = pair_of(tile[8 * c + 2 * i], tile[8 * c + 2 * i + 1]);
        store_matrices(shared_address(leaving) + piece_at(own, 2 * c + (lane >> 4)), held);
    }
    warpgroup_sync(group);
    int width = 3 * to.heads * SIZE;
#pragma unroll
    for (int turn = 0; turn < 4; turn++) {
        int line = (thread + 128 * turn) >> 3, piece = thread & 7;
        *reinterpret_cast<uint4 *>(to.d_qkv + ((row + line) * width + column + 8 * piece) * 2) =
            *reinterpret_cast<uint4 *>(leaving + piece_at(line, piece));
    }
    warpgroup_sync(group);
}

// A warpgroup's 64 queries x 128 keys into shared memory, each half of the keys a tile.
__device__ __forceinline__ void put_turning(uint32_t turning, const uint32_t (&held)[32], int group, bool positive) {
    int lane = threadIdx.x & 31, row = 64 * group + 16 * ((threadIdx.x >> 5) & 3) + (lane & 15);
#pragma unroll
    for (int c = 0; c < 8; c++) {
        uint32_t four[4];
#pragma unroll
        for (int i = 0; i < 4; i++) four[i] = positive ? no_less_than_zero(held[4 * c + i]) : held[4 * c + i];
        store_matrices(turning + (c >> 2) * TILE + piece_at(row, 2 * (c & 3) + (lane >> 4)), four);
    }
    shown_to_products();
}

template <bool EIGHT, bool PADDED>
__global__ void __launch_bounds__(THREADS, 2) attention_backward_kernel(const __grid_constant__ Backward of) {
    extern __shared__ __align__(1024) unsigned char bytes[];
    Shared &shared = *reinterpret_cast<Shared *>(bytes);
    int head = blockIdx.x, sample = blockIdx.y, hidden = of.heads * SIZE;
    int group = threadIdx.x >> 7, lane = threadIdx.x & 31, quad = lane & 3;
    int64_t first = int64_t(sample) * TOKENS;
    int64_t width = 3 * hidden * sizeof(__nv_bfloat16);
    const __nv_bfloat16 *own = of.qkv + first * 3 * hidden + head * SIZE;
    uint32_t q = shared_address(shared.q), k = shared_address(shared.k), v = shared_address(shared.v);
    uint32_t dy = shared_address(shared.dy), turning = shared_address(shared.turning);

    fetch_tile(q, own, width);
    fetch_tile(k, own + hidden, width);
    fetch_commit();
    fetch_tile(dy, of.grad + first * hidden + head * SIZE, hidden * sizeof(__nv_bfloat16));
    fetch_tile(v, own + 2 * hidden, width);
    fetch_commit();

    int row = (sample * of.heads + head) * TOKENS + 64 * group + 16 * ((threadIdx.x >> 5) & 3) + (lane >> 2);
    float natural[2] = {of.logarithm[row] * 1.4426950408889634f, of.logarithm[row + 8] * 1.4426950408889634f};
    uint32_t second = of.key[1], mixed[2];
#pragma unroll
    for (int i = 0; i < 2; i++) {
        uint32_t index = (uint32_t(row + 8 * i) * TOKENS) ^ of.key[0];
        mixed[i] = index ^ (index >> 16) ^ (2 * quad);  // a key's number changes the low seven bits alone
    }
    int length = PADDED ? int(of.lengths[sample]) : TOKENS;
    float scale8 = EIGHT ? *of.scale8 : 1.0f;

    uint32_t held[32];  // [tile of eight keys][row, row + 8]: two numbers each
    {
        float scores[64];
        fetch_wait<1>();
        shown_to_products();
        __syncthreads();
        products_begin();
#pragma unroll
        for (int step = 0; step < 4; step++)
            multiply_along(scores, described(q + group * HALF_TILE + 32 * step), described(k + 32 * step), step);
        products_end();
#pragma unroll
        for (int j = 0; j < 16; j++)
#pragma unroll
            for (int i = 0; i < 2; i++) {
                float p[2];
#pragma unroll
                for (int e = 0; e < 2; e++) {
                    p[e] = power_of_two(fmaf(scores[4 * j + 2 * i + e], of.log2_scale, -natural[i]));
                    if (PADDED && 8 * j + 2 * quad + e >= length) p[e] = 0.0f;
                    p[e] = marked(p[e], mixed[i] ^ (8 * j + e), second, of.threshold);
                }
                held[2 * j + i] = pair_of(p[0], p[1]);
            }
    }
    put_turning(turning, held, group, true);
    fetch_wait<0>();
    shown_to_products();
    __syncthreads();

    {
        float dp[64];
        products_begin();
#pragma unroll
        for (int step = 0; step < 4; step++)
            multiply_along(dp, described(dy + group * HALF_TILE + 32 * step), described(v + 32 * step), step);
        products_end();
        float level[2] = {0.0f, 0.0f}, factor = of.keep_scale * of.log2_scale * 0.6931471805599453f;
#pragma unroll
        for (int n = 0; n < 32; n++) {
            dp[2 * n] *= fmaxf(low_of(held[n]), 0.0f);
            dp[2 * n + 1] *= fmaxf(high_of(held[n]), 0.0f);
            level[n & 1] += dp[2 * n] + dp[2 * n + 1];
        }
#pragma unroll
        for (int i = 0; i < 2; i++) {
            level[i] += __shfl_xor_sync(~0u, level[i], 1);
            level[i] += __shfl_xor_sync(~0u, level[i], 2);
        }
        // what is dropped has no share in p dp, and all of p in what the level takes away
#pragma unroll
        for (int n = 0; n < 32; n++) {
            held[n] ^= of.nothing;  // taken apart again: 64 numbers kept would not fit beside these
            held[n] = pair_of(fmaf(-fabsf(low_of(held[n])), level[n & 1], dp[2 * n]) * factor,
                              fmaf(-fabsf(high_of(held[n])), level[n & 1], dp[2 * n + 1]) * factor);
        }
    }
    float top = 0.0f;
    float2 sums_v;
    unsigned char *leaving = shared.leaving[group];
    int64_t from = first + 64 * group;
    {
        float dv[32];
        products_begin();
#pragma unroll
        for (int step = 0; step < 8; step++)
            multiply_across(dv, described(turning + group * TILE + step * STEP), described(dy + step * STEP), step);
        products_end();
#pragma unroll
        for (int i = 0; i < 32; i++) dv[i] *= of.keep_scale;
        sums_v = column_sums(dv, lane);
        if (EIGHT) {
            top = largest_of(dv, top);
            emit_narrow(of, dv, leaving, group, from, 2 * hidden + head * SIZE, scale8);
        } else
            emit_wide(of, dv, leaving, group, from, 2 * hidden + head * SIZE);
    }
    __syncthreads();  // both warpgroups have read the probabilities
    put_turning(turning, held, group, false);
    __syncthreads();
    float2 sums_q;
    {
        float dq[32], dk[32];
        products_begin();
#pragma unroll
        for (int step = 0; step < 8; step++) multiply_held(dq, held + 4 * step, described(k + step * STEP), step);
#pragma unroll
        for (int step = 0; step < 8; step++)
            multiply_across(dk, described(turning + group * TILE + step * STEP), described(q + step * STEP), step);
        products_end();
        sums_q = column_sums(dq, lane);
        if (EIGHT) {
            top = largest_of(dk, largest_of(dq, top));
            emit_narrow(of, dq, leaving, group, from, head * SIZE, scale8);
            emit_narrow(of, dk, leaving, group, from, hidden + head * SIZE, scale8);
        } else {
            emit_wide(of, dq, leaving, group, from, head * SIZE);
            emit_wide(of, dk, leaving, group, from, hidden + head * SIZE);
        }
    }
    if (EIGHT) {
        for (int apart = 16; apart; apart /= 2) top = fmaxf(top, __shfl_xor_sync(~0u, top, apart));
        if (lane == 0) atomicMax(of.largest + (head + sample) % PLACES, __float_as_int(top));
    }
    // V is not needed any more: the sums of eight warps meet there, always in the same order
    auto meeting = reinterpret_cast<float(*)[8][SIZE]>(shared.v);
    int column = (lane >> 2) * 8 + 2 * quad;
    *reinterpret_cast<float2 *>(&meeting[0][threadIdx.x >> 5][column]) = sums_q;
    *reinterpret_cast<float2 *>(&meeting[1][threadIdx.x >> 5][column]) = sums_v;
    __syncthreads();
    if (threadIdx.x < 3 * SIZE) {
        // softmax does not see a shift of the keys' bias: its gradient is nothing but rounding
        int part = threadIdx.x / SIZE;
        float total = 0.0f;
        if (part != 1)
            for (int warp = 0; warp < 8; warp++) total += meeting[part / 2][warp][threadIdx.x % SIZE];
        of.sums[int64_t(sample) * 3 * hidden + part * hidden + head * SIZE + threadIdx.x % SIZE] = total;
    }
}

template <bool EIGHT, bool PADDED>
static cudaError_t launched(const Backward &of, int batch, cudaStream_t stream) {
    auto kernel = attention_backward_kernel<EIGHT, PADDED>;
    cudaError_t problem = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Shared));
    if (problem != cudaSuccess) return problem;
    kernel<<<dim3(of.heads, batch), THREADS, sizeof(Shared), stream>>>(of);
    return cudaGetLastError();
}

// d_qkv in 8 bits (e5m2) and turned where `turned` is given, else in bfloat16.
extern "C" int attention_backward(const void *grad, const void *qkv, const void *lengths, const void *key,
                                  const void *logarithm, void *d_qkv, void *turned, const void *scale8, void *largest,
                                  void *sums, int batch, int heads, uint32_t threshold, float keep_scale,
                                  float log2_scale, void *stream) {
    Backward of{static_cast<const __nv_bfloat16 *>(grad), static_cast<const __nv_bfloat16 *>(qkv),
                static_cast<const int64_t *>(lengths), static_cast<const uint32_t *>(key),
                static_cast<const float *>(logarithm), static_cast<unsigned char *>(d_qkv),
                static_cast<unsigned char *>(turned), static_cast<const float *>(scale8), static_cast<int *>(largest),
                static_cast<float *>(sums), heads, batch * TOKENS, threshold, keep_scale, log2_scale};
    auto on = cudaStream_t(stream);
    if (turned) return lengths ? launched<true, true>(of, batch, on) : launched<true, false>(of, batch, on);
    return lengths ? launched<false, true>(of, batch, on) : launched<false, false>(of, batch, on);
}

extern "C" const char *cuda_words(int number) { return cudaGetErrorString(cudaError_t(number)); }
