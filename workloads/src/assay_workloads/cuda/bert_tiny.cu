// BERT-tiny's class of one sentence as one kernel: token ids in the kernel's parameters, logits in the host's memory.
//
// Why it is faster than a graph of kernels: one launch, no copies (the ids travel with the launch, the logits are
// written into the host's memory together with the number of the call, which the host waits for), and 128 tokens on a
// cluster of 16 blocks, eight tokens each, which meet only where attention needs the keys and values of all: once a
// layer. Weights are read in the order in which the tensor cores want them, a layer's part ahead of its use.
//
// Products are in half precision with float sums, as in the engine `cuda-graph`; norms, softmax and the sum that runs
// through the layers are in float. Like there, the last layer is computed for the first tokens alone.
//
// It cannot hang: blocks meet at their cluster's barrier alone and wait for no one else; the host's wait has an end.

#include "cluster.cuh"

#ifndef ASSAY_ON_CPU
#include <chrono>
#endif

namespace {

constexpr int BLOCKS = 16, THREADS = 512, MINE = 8, TOKENS = BLOCKS * MINE;
constexpr int HIDDEN = 128, HEADS = 2, DIM = 64, FILTER = 512, LAYERS = 2;
constexpr int STEPS = HIDDEN / 16, DEEP = FILTER / 16;  // of 16 inputs each, in a product
constexpr int FRAGMENT = 32;                            // uint4 of 16 x 16 weights: one for each lane
constexpr float EPS = 1e-12f;

// places in the packed matrices, in fragments
constexpr int QKV = 0, OUT = QKV + 3 * STEPS * STEPS, UP = OUT + STEPS * STEPS, DOWN = UP + DEEP * STEPS;
constexpr int LAYER = DOWN + STEPS * DEEP, POOLER = LAYERS * LAYER, MATRICES = POOLER + STEPS * STEPS;
// places in the packed vectors, in floats
constexpr int QKV_B = 0, OUT_B = 384, NORM1 = 512, UP_B = 768, DOWN_B = 1280, NORM2 = 1408, LAYER_V = 1664;
constexpr int NORM0 = LAYERS * LAYER_V, POOLER_B = NORM0 + 256, CLASS_W = POOLER_B + 128, CLASS_B = CLASS_W + 256;
constexpr int VECTORS = CLASS_B + 2;

struct Model {
    const uint4 *matrices;
    const float *vectors, *words, *positions;
    uint4 *keys, *values;       // of a layer: [layer][head][tile][step][lane]
    unsigned long long *answer; // in the host's memory: each logit beside the number of the call
    int vocab;
};

struct Call {
    unsigned short ids[TOKENS];
    int tiles, length;  // of 16 tokens that are computed; tokens that are real
    unsigned number;
};

struct Shared {
    float x[MINE][HIDDEN];                    // what runs through the layers
    float parts[2][MINE][HIDDEN + 4];         // of a product whose inputs two warps share
    float scores[HEADS][MINE][TOKENS + 4];
    half x16[MINE][HIDDEN + 8];               // padded: no two lanes meet in a bank
    half q16[MINE][HIDDEN + 8], o16[MINE][HIDDEN + 8];
    half p16[HEADS][MINE][TOKENS + 8];
    half h16[MINE][FILTER + 8];
};

static_assert(sizeof(Shared) <= 227 * 1024, "a block of compute capability 9.0 has no more");

struct Place {
    int rank, warp, lane, group, pair;  // as `mma` has it: row and column pair of a lane
};

template <int N>
struct Weights {
    uint4 of[N];
    __device__ __forceinline__ void fetch(const uint4 *from, const Place &me) {
#pragma unroll
        for (int i = 0; i < N; i++) of[i] = from[i * FRAGMENT + me.lane];
    }
};

// 16 rows of weights times our eight tokens. A token's values lie one after the other, `stride` apart from the next.
template <int N>
__device__ __forceinline__ void product(float (&sums)[4], const Weights<N> &weights, const half *of, int stride,
                                        const Place &me, int steps = N) {
    const half *at = of + me.group * stride + 2 * me.pair;
#pragma unroll
    for (int k = 0; k < N; k++) {
        if (k >= steps) break;
        uint2 b{*reinterpret_cast<const uint32_t *>(at + 16 * k), *reinterpret_cast<const uint32_t *>(at + 16 * k + 8)};
        multiply(sums, weights.of[k], b);
    }
}

// Element `i` of four sums: row of the tile and token of ours.
__device__ __forceinline__ int row_of(const Place &me, int i) { return me.group + i / 2 * 8; }
__device__ __forceinline__ int token_of(const Place &me, int i) { return 2 * me.pair + i % 2; }

__device__ __forceinline__ void keep_part(Shared &s, const float (&sums)[4], int tile, int part, const Place &me) {
#pragma unroll
    for (int i = 0; i < 4; i++) s.parts[part][token_of(me, i)][tile * 16 + row_of(me, i)] = sums[i];
}

// ---- embeddings and norms ---------------------------------------------------------------------------------------

// A warp has a token, a lane four of its values.
__device__ __forceinline__ void norm(Shared &s, float (&v)[4], int token, const float *gains, const Place &me) {
    float mean = warp_sum(v[0] + v[1] + v[2] + v[3]) / HIDDEN, square = 0;
#pragma unroll
    for (int i = 0; i < 4; i++) v[i] -= mean, square += v[i] * v[i];
    float scale = rsqrtf(warp_sum(square) / HIDDEN + EPS);
#pragma unroll
    for (int i = 0; i < 4; i++) {
        int at = me.lane + 32 * i;
        float y = v[i] * scale * gains[at] + gains[HIDDEN + at];
        s.x[token][at] = y;
        s.x16[token][at] = __float2half(y);
    }
}

__device__ __forceinline__ void embed(Shared &s, const Model &m, const Call &call, const Place &me) {
    if (me.warp >= MINE) return;
    int token = me.rank * MINE + me.warp;
    float v[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        int at = me.lane + 32 * i;
        v[i] = m.words[size_t(call.ids[token]) * HIDDEN + at] + m.positions[token * HIDDEN + at];
    }
    norm(s, v, me.warp, m.vectors + NORM0, me);
}

// x plus both parts of a product plus its bias, normalised.
__device__ __forceinline__ void add_and_norm(Shared &s, const float *bias, const float *gains, const Place &me) {
    if (me.warp >= MINE) return;
    float v[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        int at = me.lane + 32 * i;
        v[i] = s.x[me.warp][at] + s.parts[0][me.warp][at] + s.parts[1][me.warp][at] + bias[at];
    }
    norm(s, v, me.warp, gains, me);
}

// ---- attention --------------------------------------------------------------------------------------------------

__device__ __forceinline__ void keep_queries(Shared &s, float (&sums)[4], int tile, const float *bias, const Place &me) {
#pragma unroll
    for (int i = 0; i < 4; i++) {
        int f = tile * 16 + row_of(me, i);
        s.q16[token_of(me, i)][f] = __float2half((sums[i] + bias[f]) * 0.125f);  // 1 / sqrt(DIM)
    }
}

// As the left side of a product of tensor cores: rows are tokens.
__device__ __forceinline__ void keep_keys(uint4 *keys, float (&sums)[4], int tile, const float *bias, const Place &me) {
    int head = tile / 4, step = tile % 4;
    half *at = reinterpret_cast<half *>(keys + ((head * 8 + me.rank / 2) * 4 + step) * FRAGMENT);
#pragma unroll
    for (int i = 0; i < 4; i++) {
        int d = row_of(me, i), lane = token_of(me, i) * 4 + d % 8 / 2, word = me.rank % 2 + d / 8 * 2;
        at[lane * 8 + word * 2 + d % 2] = __float2half(sums[i] + bias[tile * 16 + d]);
    }
}

// Likewise, but rows are dimensions.
__device__ __forceinline__ void keep_values(uint4 *values, float (&sums)[4], int tile, const float *bias,
                                            const Place &me) {
    half2 *at = reinterpret_cast<half2 *>(values + (tile * 8 + me.rank / 2) * FRAGMENT + me.lane);
#pragma unroll
    for (int i = 0; i < 2; i++) {
        float b = bias[tile * 16 + me.group + 8 * i];
        at[i + me.rank % 2 * 2] = __floats2half2_rn(sums[2 * i] + b, sums[2 * i + 1] + b);
    }
}

__device__ __forceinline__ void keep_scores(Shared &s, const float (&sums)[4], int head, int tile, const Place &me) {
#pragma unroll
    for (int i = 0; i < 4; i++) s.scores[head][token_of(me, i)][tile * 16 + row_of(me, i)] = sums[i];
}

// A warp has a head and a query, a lane four keys.
__device__ __forceinline__ void softmax(Shared &s, const Call &call, const Place &me) {
    int head = me.warp / MINE, query = me.warp % MINE;
    float v[4], top = -INFINITY, total = 0;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        int key = me.lane + 32 * i;
        v[i] = key < call.length ? s.scores[head][query][key] : -INFINITY;
        top = fmaxf(top, v[i]);
    }
    top = warp_max(top);
#pragma unroll
    for (int i = 0; i < 4; i++) total += v[i] = __expf(v[i] - top);
    float scale = 1.f / warp_sum(total);
#pragma unroll
    for (int i = 0; i < 4; i++) s.p16[head][query][me.lane + 32 * i] = __float2half(v[i] * scale);
}

// ---- the layers -------------------------------------------------------------------------------------------------

__device__ __forceinline__ float gelu(float x) {  // in its tanh form
    return __fdividef(x, 1.f + __expf(-1.5957691216057308f * (x + 0.044715f * x * x * x)));
}

// Queries, keys and values of our tokens: warps below 8 have a tile of queries and one of values, the others of keys.
struct Projections {
    Weights<STEPS> first, second;
    __device__ __forceinline__ void fetch(const uint4 *from, const Place &me) {
        first.fetch(from + me.warp * STEPS * FRAGMENT, me);
        if (me.warp < 8) second.fetch(from + (16 + me.warp) * STEPS * FRAGMENT, me);
    }
};

__device__ __forceinline__ void project(Shared &s, const Model &m, const Projections &weights, int layer,
                                        const Place &me) {
    const float *bias = m.vectors + layer * LAYER_V + QKV_B;
    size_t begin = size_t(layer) * HEADS * 8 * 4 * FRAGMENT;
    float sums[4] = {};
    product(sums, weights.first, s.x16[0], HIDDEN + 8, me);
    if (me.warp >= 8) {
        keep_keys(m.keys + begin, sums, me.warp - 8, bias + HIDDEN, me);
        return;
    }
    keep_queries(s, sums, me.warp, bias, me);
    float more[4] = {};
    product(more, weights.second, s.x16[0], HIDDEN + 8, me);
    keep_values(m.values + begin, more, me.warp, bias + 2 * HIDDEN, me);
}

__device__ __forceinline__ uint4 fresh(const uint4 *at) {  // written by other blocks a moment ago
#ifdef ASSAY_ON_CPU
    return *at;
#else
    return __ldcg(at);
#endif
}

// What our queries take from all tokens, in o16.
__device__ __forceinline__ void attend(Shared &s, const Model &m, const Call &call, int layer, const Place &me) {
    int head = me.warp / 8, tile = me.warp % 8;
    size_t begin = size_t(layer) * HEADS * 8 * 4 * FRAGMENT;
    Weights<4> keys;
    Weights<8> values;
    if (tile < call.tiles)
#pragma unroll
        for (int k = 0; k < 4; k++) keys.of[k] = fresh(m.keys + begin + (me.warp * 4 + k) * FRAGMENT + me.lane);
    if (me.warp < 8)
#pragma unroll
        for (int k = 0; k < 8; k++)
            if (k < call.tiles) values.of[k] = fresh(m.values + begin + (me.warp * 8 + k) * FRAGMENT + me.lane);
    if (tile < call.tiles) {
        float sums[4] = {};
        product(sums, keys, s.q16[0] + head * DIM, HIDDEN + 8, me);
        keep_scores(s, sums, head, tile, me);
    }
    block_sync();
    softmax(s, call, me);
    block_sync();
    if (me.warp < 8) {
        float sums[4] = {};
        product(sums, values, s.p16[me.warp / 4][0], TOKENS + 8, me, call.tiles);
#pragma unroll
        for (int i = 0; i < 4; i++) s.o16[token_of(me, i)][me.warp * 16 + row_of(me, i)] = __float2half(sums[i]);
    }
    block_sync();
}

// All of a layer but its keys and values, which are there.
__device__ __forceinline__ void layer(Shared &s, const Model &m, const Call &call, int number, const Place &me,
                                      const Weights<STEPS / 2> &out) {
    const uint4 *w = m.matrices + size_t(number) * LAYER * FRAGMENT;
    const float *v = m.vectors + number * LAYER_V;
    int tile = me.warp % 8, part = me.warp / 8;
    attend(s, m, call, number, me);
    float sums[4] = {};
    product(sums, out, s.o16[0] + part * (HIDDEN / 2), HIDDEN + 8, me);
    keep_part(s, sums, tile, part, me);
    Weights<STEPS> up[2];
    up[0].fetch(w + (UP + me.warp * STEPS) * FRAGMENT, me);
    up[1].fetch(w + (UP + (me.warp + 16) * STEPS) * FRAGMENT, me);
    block_sync();
    add_and_norm(s, v + OUT_B, v + NORM1, me);
    block_sync();
    float wide[2][4] = {};
#pragma unroll
    for (int n = 0; n < 2; n++) product(wide[n], up[n], s.x16[0], HIDDEN + 8, me);
    Weights<DEEP / 2> down;
    down.fetch(w + (DOWN + tile * DEEP + part * (DEEP / 2)) * FRAGMENT, me);
#pragma unroll
    for (int i = 0; i < 8; i++) {
        int f = (me.warp + i / 4 * 16) * 16 + row_of(me, i % 4);
        s.h16[token_of(me, i % 4)][f] = __float2half(gelu(wide[i / 4][i % 4] + v[UP_B + f]));
    }
    block_sync();
    float back[4] = {};
    product(back, down, s.h16[0] + part * (FILTER / 2), FILTER + 8, me);
    keep_part(s, back, tile, part, me);
}

__device__ __forceinline__ void answer(Shared &s, const Model &m, const Call &call, const Place &me) {
    if (me.warp >= 2) return;
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        int at = me.lane + 32 * i;
        float pooled = tanhf(s.parts[0][0][at] + s.parts[1][0][at] + m.vectors[POOLER_B + at]);
        sum += pooled * m.vectors[CLASS_W + me.warp * HIDDEN + at];
    }
    sum = warp_sum(sum) + m.vectors[CLASS_B + me.warp];
    if (me.lane) return;
    union {
        struct { float logit; unsigned number; };
        unsigned long long word;
    } told;
    told.logit = sum, told.number = call.number;
    *reinterpret_cast<volatile unsigned long long *>(m.answer + me.warp) = told.word;
}

__device__ __forceinline__ void end_layer(Shared &s, const Model &m, int number, const Place &me) {
    const float *v = m.vectors + number * LAYER_V;
    block_sync();
    add_and_norm(s, v + DOWN_B, v + NORM2, me);
    block_sync();
}

__device__ __forceinline__ const uint4 *half_tile(const Model &m, int first, const Place &me) {
    return m.matrices + size_t(first + me.warp % 8 * STEPS + me.warp / 8 * (STEPS / 2)) * FRAGMENT;
}

__global__ void __launch_bounds__(THREADS, 1) classify(const __grid_constant__ Model m, const __grid_constant__ Call call) {
    Shared &s = shared_memory<Shared>();
    int thread = thread_index(), rank = cluster_rank();
    const Place me{rank, thread / 32, thread % 32, thread % 32 / 4, thread % 4};
    bool ours = rank / 2 < call.tiles;  // some of our tokens are computed
    Projections weights;
    Weights<STEPS / 2> out;
    if (ours) {
        weights.fetch(m.matrices + QKV * FRAGMENT, me);
        embed(s, m, call, me);
        block_sync();
        project(s, m, weights, 0, me);
        out.fetch(half_tile(m, OUT, me), me);
    }
    cluster_sync();
    if (ours) {
        layer(s, m, call, 0, me, out);
        weights.fetch(m.matrices + (LAYER + QKV) * FRAGMENT, me);
        end_layer(s, m, 0, me);
        project(s, m, weights, 1, me);
        out.fetch(half_tile(m, LAYER + OUT, me), me);
    }
    cluster_sync();
    if (rank) return;  // the class is read off the first token, which is ours if we are the first
    layer(s, m, call, 1, me, out);
    out.fetch(half_tile(m, POOLER, me), me);
    end_layer(s, m, 1, me);
    float sums[4] = {};
    product(sums, out, s.x16[0] + me.warp / 8 * (HIDDEN / 2), HIDDEN + 8, me);
    keep_part(s, sums, me.warp % 8, me.warp / 8, me);
    block_sync();
    answer(s, m, call, me);
}

// What the host keeps of a model.
struct Handle {
    Model model;
    volatile unsigned long long *answer;
    void *stream;
    unsigned number;
};

constexpr int NO_ANSWER = -1, BAD_TOKEN = -2;

// Until both logits carry the number of this call; an end to the waiting, since a broken GPU answers nothing.
int wait_for(const Handle &h, float *logits) {
#ifndef ASSAY_ON_CPU
    std::chrono::steady_clock::time_point late{};
#endif
    for (unsigned spins = 1;; spins++) {
        unsigned long long a = h.answer[0], b = h.answer[1];
        if (unsigned(a >> 32) == h.number && unsigned(b >> 32) == h.number) {
            uint32_t bits[2] = {uint32_t(a), uint32_t(b)};
            __builtin_memcpy(logits, bits, 8);
            return 0;
        }
#ifdef ASSAY_ON_CPU
        return NO_ANSWER;
#else
        if (spins % 65536) continue;
        cudaError_t state = cudaStreamQuery(cudaStream_t(h.stream));
        if (state != cudaSuccess && state != cudaErrorNotReady) return int(state);
        auto now = std::chrono::steady_clock::now();
        if (late == std::chrono::steady_clock::time_point{}) late = now + std::chrono::seconds(10);
        else if (now > late) return NO_ANSWER;
#endif
    }
}

}  // namespace

extern "C" {

int tiny_matrices() { return MATRICES * FRAGMENT * 8; }
int tiny_vectors() { return VECTORS; }
int tiny_scratch() { return 2 * LAYERS * HEADS * 8 * 4 * FRAGMENT * 8; }
int tiny_prepare() { return int(prepare(classify, BLOCKS, THREADS, sizeof(Shared))); }

// Pointers are of the device, but `answer`, which both sides can reach. Null where there is no memory.
void *tiny_open(const void *matrices, const float *vectors, const float *words, const float *positions, int vocab,
                  void *scratch, void *answer, void *stream) {
    uint4 *keys = static_cast<uint4 *>(scratch);
    Model model{static_cast<const uint4 *>(matrices), vectors, words, positions, keys,
                keys + LAYERS * HEADS * 8 * 4 * FRAGMENT, static_cast<unsigned long long *>(answer), vocab};
    return new Handle{model, static_cast<volatile unsigned long long *>(answer), stream, 0};
}

void tiny_close(void *handle) { delete static_cast<Handle *>(handle); }

// `computed` token ids of which `length` are real: logits in `logits`. 0, or what went wrong.
int tiny_classify(void *opened, const int64_t *ids, int computed, int length, float *logits) {
    Handle *handle = static_cast<Handle *>(opened);
    Call call{};
    for (int i = 0; i < computed; i++) {
        if (ids[i] < 0 || ids[i] >= handle->model.vocab) return BAD_TOKEN;
        call.ids[i] = static_cast<unsigned short>(ids[i]);
    }
    call.tiles = (computed + 15) / 16;
    call.length = length;
    call.number = ++handle->number;
    if (!call.number) call.number = ++handle->number;  // 0 is what a fresh answer holds
    int problem = int(launch(classify, BLOCKS, THREADS, sizeof(Shared), handle->stream, handle->model, call));
    return problem ? problem : wait_for(*handle, logits);
}
}
