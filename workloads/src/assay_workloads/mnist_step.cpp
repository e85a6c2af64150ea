// Weight updates of the MNIST CNN on a CPU, many to a call. Plain C++ on the compiler's own vectors: no library, no
// intrinsics, so the same file serves AVX-512, AVX2 and ARM.
//
// Why it is faster than a framework at batch 8: no dispatch between forty small operations; convolution, pooling and
// ReLU in one pass, which computes only outputs that pooling looks at (100 of 121); backward through a pooled
// convolution touches only the winner of each window (a quarter of the outputs, fewer after ReLU); the largest layer is
// updated in the pass that reads it for its gradient; and threads keep the weights they own in their own cache.
//
// The arithmetic is the model's: SGD on the mean loss of a batch, in fp32, one update after the other. Channels are
// last in memory. Sums have a fixed order for a given number of threads, so a run can be repeated bit by bit.

#include <atomic>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

namespace {

typedef float vec __attribute__((vector_size(64)));
typedef int32_t ivec __attribute__((vector_size(64)));
constexpr int W = 16;  // floats in a vec

constexpr int C1 = 32, C2 = 64, P1 = 13, P2 = 5, HID = 128, OUT = 10;
constexpr int ROW1 = P1 * C1;           // one row of the first pooled image
constexpr int MAP1 = P1 * P1 * C1;      // 13 x 13 x 32
constexpr int PIX2 = P2 * P2;           // 25 pooled pixels
constexpr int FLAT = PIX2 * C2;         // 1600
constexpr int TAPS = 9 * C1;            // 288 inputs of one output of the second convolution
// places in the flat parameters: each begins on a vec
constexpr int W1 = 0, B1 = W1 + 9 * C1, W2 = B1 + C1, B2 = W2 + C2 * TAPS, W3 = B2 + C2, B3 = W3 + HID * FLAT;
constexpr int W4 = B3 + HID, B4 = W4 + OUT * HID, PARAMS = B4 + W;

inline vec load(const float *p) { vec v; std::memcpy(&v, p, sizeof v); return v; }
inline void store(float *p, vec v) { std::memcpy(p, &v, sizeof v); }
inline ivec load_i(const int32_t *p) { ivec v; std::memcpy(&v, p, sizeof v); return v; }
inline void store_i(int32_t *p, ivec v) { std::memcpy(p, &v, sizeof v); }
inline float sum(vec v) {
    float s = 0;
    typedef float half __attribute__((vector_size(32)));
    typedef float quarter __attribute__((vector_size(16)));
    half h[2];
    std::memcpy(h, &v, sizeof v);
    h[0] += h[1];
    quarter q[2];
    std::memcpy(q, &h[0], sizeof h[0]);
    q[0] += q[1];
    for (int i = 0; i < 4; i++) s += q[0][i];
    return s;
}

float *floats(size_t count) {
    void *p = std::aligned_alloc(64, (count * sizeof(float) + 63) / 64 * 64);
    if (!p) throw std::bad_alloc();
    std::memset(p, 0, (count * sizeof(float) + 63) / 64 * 64);
    return static_cast<float *>(p);
}

// What a sample leaves behind on its way forward.
struct Sample {
    float *image;     // 784, normalised
    float *map1;      // 13 x 13 x 32, pooled and rectified
    int32_t *win1;    // which of the four won
    float *map2;      // 25 x 64
    int32_t *win2;
    float *hidden;    // 128, after ReLU and dropout
    float *d_hidden;  // its gradient before both
};

struct Job {
    const float *table;  // 256: the normalised value of a byte
    float *params, *grads;
    const uint8_t *images;
    const int64_t *labels, *order;
    int64_t steps, first_step, first_sample, count;
    uint64_t seed;
    float lr;
    bool double_softmax, train;
    float *losses;
    int32_t *guesses;
};

struct Context {
    int batch, threads;
    std::vector<Sample> samples;
    float *packed;                      // second convolution's weights, [288][64]
    std::vector<float *> part_d_map2;   // each thread's part of the gradient of map2: [batch][1600]
    std::vector<float *> part_conv;     // each thread's gradients of both convolutions
    float *dense_grads;                 // of the last layer and the biases
    std::vector<float *> memory;
    Job job;
    // the pool: threads sleep between calls and spin at barriers inside one
    std::vector<std::thread> workers;
    std::mutex lock;
    std::condition_variable wake;
    uint64_t call = 0;
    bool closing = false;
    std::atomic<int> arrived{0}, done{0};
    std::atomic<uint32_t> turn{0};
};

void barrier(Context &c) {
    if (c.threads == 1) return;
    uint32_t turn = c.turn.load(std::memory_order_acquire);
    if (c.arrived.fetch_add(1, std::memory_order_acq_rel) == c.threads - 1) {
        c.arrived.store(0, std::memory_order_relaxed);
        c.turn.store(turn + 1, std::memory_order_release);
        return;
    }
    for (int spins = 0; c.turn.load(std::memory_order_acquire) == turn; spins++)
        if (spins > 4000) std::this_thread::yield();  // someone else has our core
}

// ---- forward ----------------------------------------------------------------------------------------------------

inline void keep_winner(vec &best, ivec &who, vec value, int index) {
    ivec better = value > best;  // the first of equals wins, as in torch
    best = better ? value : best;
    who = better ? (ivec{} + index) : who;
}

void convolve1(const Sample &s, const float *params) {
    for (int half = 0; half < C1; half += W) {
        vec w[9], bias = load(params + B1 + half);
        for (int k = 0; k < 9; k++) w[k] = load(params + W1 + k * C1 + half);
        for (int y = 0; y < P1; y++)
            for (int x = 0; x < P1; x++) {
                const float *in = s.image + 2 * y * 28 + 2 * x;
                vec a[4] = {bias, bias, bias, bias};
                for (int k = 0; k < 9; k++) {
                    const float *at = in + k / 3 * 28 + k % 3;
                    a[0] += w[k] * at[0];
                    a[1] += w[k] * at[1];
                    a[2] += w[k] * at[28];
                    a[3] += w[k] * at[29];
                }
                vec best = a[0];
                ivec who = {};
                for (int q = 1; q < 4; q++) keep_winner(best, who, a[q], q);
                int at = (y * P1 + x) * C1 + half;
                store(s.map1 + at, best < 0.f ? vec{} : best);  // so written, a NaN stays one
                store_i(s.win1 + at, who);
            }
    }
}

// V vecs of channels for the four outputs of one pooling window: 4 V sums held in registers
template <int V>
void convolve2(const Sample &s, const float *packed, const float *bias) {
    for (int base = 0; base < C2; base += V * W)
        for (int y = 0; y < P2; y++)
            for (int x = 0; x < P2; x++) {
                const float *in = s.map1 + 2 * y * ROW1 + 2 * x * C1;
                vec a[4][V];
                for (int v = 0; v < V; v++)
                    for (int q = 0; q < 4; q++) a[q][v] = load(bias + base + v * W);
                for (int ky = 0; ky < 3; ky++) {
                    const float *row = in + ky * ROW1, *weights = packed + ky * 3 * C1 * C2 + base;
                    for (int r = 0; r < 3 * C1; r++) {
                        float x0 = row[r], x1 = row[r + C1], x2 = row[r + ROW1], x3 = row[r + ROW1 + C1];
                        for (int v = 0; v < V; v++) {
                            vec w = load(weights + r * C2 + v * W);
                            a[0][v] += w * x0;
                            a[1][v] += w * x1;
                            a[2][v] += w * x2;
                            a[3][v] += w * x3;
                        }
                    }
                }
                for (int v = 0; v < V; v++) {
                    vec best = a[0][v];
                    ivec who = {};
                    for (int q = 1; q < 4; q++) keep_winner(best, who, a[q][v], q);
                    int at = (y * P2 + x) * C2 + base + v * W;
                    store(s.map2 + at, best < 0.f ? vec{} : best);
                    store_i(s.win2 + at, who);
                }
            }
}

void convolutions(const Context &c, const Sample &s, const uint8_t *image) {
    for (int i = 0; i < 784; i++) s.image[i] = c.job.table[image[i]];
    convolve1(s, c.job.params);
#if defined(__AVX512F__)
    convolve2<4>(s, c.packed, c.job.params + B2);
#else
    convolve2<1>(s, c.packed, c.job.params + B2);
#endif
}

inline uint64_t mixed(uint64_t x) {  // splitmix64: a counter in, random bits out
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

// Dropout of one half: a bit decides, and it depends on nothing but seed, step, sample and unit.
inline bool dropped(uint64_t seed, int64_t step, int64_t sample, int unit) {
    uint64_t bits = mixed(mixed(seed * 0x100000001B3u + uint64_t(step)) + uint64_t(sample) * 2 + uint64_t(unit / 64));
    return bits >> (unit % 64) & 1;
}

// Units [from, to) of the hidden layer for samples [first, last): eight samples and two units at a time.
void hidden_forward(Context &c, int first, int last, int from, int to) {
    const float *p = c.job.params;
    for (int b = first; b < last; b += 8) {
        int many = last - b < 8 ? last - b : 8;
        const float *in[8];
        for (int i = 0; i < 8; i++) in[i] = c.samples[b + (i < many ? i : 0)].map2;
        for (int j = from; j < to; j += 2) {
            vec a[8][2] = {};
            const float *w = p + W3 + size_t(j) * FLAT;
            for (int i = 0; i < FLAT; i += W) {
                vec w0 = load(w + i), w1 = load(w + FLAT + i);
                for (int n = 0; n < 8; n++) {
                    vec x = load(in[n] + i);
                    a[n][0] += w0 * x;
                    a[n][1] += w1 * x;
                }
            }
            for (int n = 0; n < many; n++)
                for (int u = 0; u < 2; u++) {
                    float z = sum(a[n][u]) + p[B3 + j + u];
                    c.samples[b + n].hidden[j + u] = z < 0 ? 0 : z;
                }
        }
    }
}

void logits_of(const Sample &s, const float *params, float *z) {
    for (int k = 0; k < OUT; k++) {
        vec a = {};
        for (int j = 0; j < HID; j += W) a += load(params + W4 + k * HID + j) * load(s.hidden + j);
        z[k] = sum(a) + params[B4 + k];
    }
}

float softmax(const float *z, float *p) {  // gives back log(sum(exp(z)))
    float top = z[0], total = 0;
    for (int k = 1; k < OUT; k++) top = z[k] > top ? z[k] : top;
    for (int k = 0; k < OUT; k++) total += p[k] = std::exp(z[k] - top);
    for (int k = 0; k < OUT; k++) p[k] /= total;
    return top + std::log(total);
}

// The loss of one sample and its gradient by the logits, both for a mean over the batch.
float loss_of(const float *z, int64_t label, bool twice, float share, float *dz) {
    float p[OUT], q[OUT];
    float whole = softmax(z, p);
    if (!twice) {
        for (int k = 0; k < OUT; k++) dz[k] = (p[k] - (k == label)) * share;
        return (whole - z[label]) * share;
    }
    whole = softmax(p, q);  // the tutorial's model ends in a softmax, and cross-entropy applies one again
    float dp[OUT], along = 0;
    for (int k = 0; k < OUT; k++) along += (dp[k] = (q[k] - (k == label)) * share) * p[k];
    for (int k = 0; k < OUT; k++) dz[k] = p[k] * (dp[k] - along);
    return (whole - p[label]) * share;
}

// ---- backward ---------------------------------------------------------------------------------------------------

// Hidden units [from, to), eight at a time: gradient by map2 (this thread's part of it) and, in the same pass over the
// weights, either their update or their gradient.
void hidden_backward(Context &c, int thread, int from, int to) {
    const Job &job = c.job;
    float *part = c.part_d_map2[thread], *w = job.params + W3;
    std::memset(part, 0, sizeof(float) * size_t(c.batch) * FLAT);
    constexpr int U = 8;
    for (int j = from; j < to; j += U) {
        for (int i = 0; i < FLAT; i += W) {
            vec gradient[U] = {}, weight[U];
            for (int u = 0; u < U; u++) weight[u] = load(w + size_t(j + u) * FLAT + i);
            for (int b = 0; b < c.batch; b++) {
                const float *dh = c.samples[b].d_hidden + j;
                vec x = load(c.samples[b].map2 + i), back = load(part + size_t(b) * FLAT + i);
                for (int u = 0; u < U; u++) {
                    back += weight[u] * dh[u];
                    gradient[u] += x * dh[u];
                }
                store(part + size_t(b) * FLAT + i, back);
            }
            for (int u = 0; u < U; u++) {
                size_t at = size_t(j + u) * FLAT + i;
                if (job.grads) store(job.grads + W3 + at, gradient[u]);
                else store(w + at, weight[u] - gradient[u] * job.lr);
            }
        }
    }
}

// One winner with a gradient: how much, and where its patch begins in map1.
struct Winner {
    float gradient;
    int32_t at;
};

void convolutions_backward(Context &c, int b, float *grads) {
    const Sample &s = c.samples[b];
    const float *params = c.job.params;
    alignas(64) static thread_local float d_map1[MAP1];
    alignas(64) static thread_local float d_map2[FLAT];
    std::memset(d_map1, 0, sizeof d_map1);
    for (int i = 0; i < FLAT; i += W) {
        vec d = {};
        for (int t = 0; t < c.threads; t++) d += load(c.part_d_map2[t] + size_t(b) * FLAT + i);
        store(d_map2 + i, load(s.map2 + i) > 0.f ? d : vec{});
    }
    for (int co = 0; co < C2; co++) {
        Winner winners[PIX2];
        int many = 0;
        float total = 0;
        for (int p = 0; p < PIX2; p++) {
            float g = d_map2[p * C2 + co];
            int q = s.win2[p * C2 + co];
            winners[many] = {g, (2 * (p / P2) + q / 2) * ROW1 + (2 * (p % P2) + q % 2) * C1};
            many += g != 0;  // a NaN counts
            total += g;
        }
        grads[B2 + co] += total;
        float *gw = grads + W2 + co * TAPS;
        const float *w = params + W2 + co * TAPS;
        for (int ky = 0; ky < 3; ky++) {
            vec a[6], k[6];
            for (int v = 0; v < 6; v++) a[v] = load(gw + ky * 3 * C1 + v * W), k[v] = load(w + ky * 3 * C1 + v * W);
            for (int n = 0; n < many; n++) {
                const float *x = s.map1 + winners[n].at + ky * ROW1;
                float *dx = d_map1 + winners[n].at + ky * ROW1, g = winners[n].gradient;
                for (int v = 0; v < 6; v++) {
                    a[v] += load(x + v * W) * g;
                    store(dx + v * W, load(dx + v * W) + k[v] * g);
                }
            }
            for (int v = 0; v < 6; v++) store(gw + ky * 3 * C1 + v * W, a[v]);
        }
    }
    for (int half = 0; half < C1; half += W) {
        vec a[9], bias = load(grads + B1 + half);
        for (int k = 0; k < 9; k++) a[k] = load(grads + W1 + k * C1 + half);
        for (int y = 0; y < P1; y++)
            for (int x = 0; x < P1; x++) {
                int at = (y * P1 + x) * C1 + half;
                vec g = load(s.map1 + at) > 0.f ? load(d_map1 + at) : vec{};
                ivec who = load_i(s.win1 + at);
                const float *in = s.image + 2 * y * 28 + 2 * x;
                bias += g;
                for (int q = 0; q < 4; q++) {
                    vec part = who == q ? g : vec{};
                    const float *from = in + q / 2 * 28 + q % 2;
                    for (int k = 0; k < 9; k++) a[k] += part * from[k / 3 * 28 + k % 3];
                }
            }
        for (int k = 0; k < 9; k++) store(grads + W1 + k * C1 + half, a[k]);
        store(grads + B1 + half, bias);
    }
}

// ---- one thread's share of a call -------------------------------------------------------------------------------

struct Range {
    int from, to;
};

Range share(int count, int unit, int thread, int threads) {  // whole units, in order
    int units = count / unit;
    return {units * thread / threads * unit, units * (thread + 1) / threads * unit};
}

void pack(Context &c, Range taps) {
    for (int r = taps.from; r < taps.to; r++)
        for (int co = 0; co < C2; co++) c.packed[r * C2 + co] = c.job.params[W2 + co * TAPS + r];
}

void apply(Context &c, int begin, int end, const float *gradient) {
    for (int i = begin; i < end; i += W) {
        vec g = load(gradient + i);
        if (c.job.grads) store(c.job.grads + i, g);
        else store(c.job.params + i, load(c.job.params + i) - g * c.job.lr);
    }
}

void train(Context &c, int thread) {
    const Job &job = c.job;
    const int B = c.batch, T = c.threads;
    const Range mine{B * thread / T, B * (thread + 1) / T}, units = share(HID, 8, thread, T);
    const Range conv = share(W3, W, thread, T), taps = share(TAPS, W, thread, T);
    std::vector<float> d_logits(size_t(B) * OUT);
    pack(c, taps);
    barrier(c);
    for (int64_t step = 0; step < job.steps; step++) {
        const int64_t *order = job.order + step * B;
        for (int b = mine.from; b < mine.to; b++) convolutions(c, c.samples[b], job.images + order[b] * 784);
        barrier(c);
        hidden_forward(c, 0, B, units.from, units.to);
        for (int b = 0; b < B; b++)
            for (int j = units.from; j < units.to; j++) {
                float *h = c.samples[b].hidden + j;
                *h = dropped(job.seed, job.first_step + step, job.first_sample + b, j) ? 0 : *h * 2;
            }
        barrier(c);
        float loss = 0;
        for (int b = 0; b < B; b++) {  // every thread for itself: cheaper than meeting again
            float z[OUT];
            logits_of(c.samples[b], job.params, z);
            loss += loss_of(z, job.labels[order[b]], job.double_softmax, 1.f / B, &d_logits[b * OUT]);
        }
        if (thread == 0) job.losses[step] = loss;
        for (int j = units.from; j < units.to; j++) {
            float bias = 0, last[OUT] = {};
            for (int b = 0; b < B; b++) {
                float d = 0, h = c.samples[b].hidden[j];
                for (int k = 0; k < OUT; k++) {
                    d += d_logits[b * OUT + k] * job.params[W4 + k * HID + j];
                    last[k] += d_logits[b * OUT + k] * h;
                }
                // what was dropped or not positive has a hidden value of 0; what was kept counts twice
                d = dropped(job.seed, job.first_step + step, job.first_sample + b, j) || h == 0 ? 0 : d * 2;
                c.samples[b].d_hidden[j] = d;
                bias += d;
            }
            c.dense_grads[j] = bias;
            for (int k = 0; k < OUT; k++) c.dense_grads[W4 - B3 + k * HID + j] = last[k];
        }
        if (thread == 0)
            for (int k = 0; k < OUT; k++) {
                float total = 0;
                for (int b = 0; b < B; b++) total += d_logits[b * OUT + k];
                c.dense_grads[B4 - B3 + k] = total;
            }
        hidden_backward(c, thread, units.from, units.to);
        barrier(c);
        float *own = c.part_conv[thread];
        std::memset(own, 0, sizeof(float) * W3);
        for (int b = mine.from; b < mine.to; b++) convolutions_backward(c, b, own);
        barrier(c);
        for (int i = conv.from; i < conv.to; i += W) {
            vec g = load(c.part_conv[0] + i);
            for (int t = 1; t < T; t++) g += load(c.part_conv[t] + i);
            if (job.grads) store(job.grads + i, g);
            else store(job.params + i, load(job.params + i) - g * job.lr);
        }
        if (thread == T - 1) apply(c, B3, PARAMS, c.dense_grads - B3);
        barrier(c);
        if (!job.grads) {
            pack(c, taps);
            barrier(c);
        }
    }
}

void evaluate(Context &c, int thread) {
    const Job &job = c.job;
    const int B = c.batch, T = c.threads;
    const Range mine{B * thread / T, B * (thread + 1) / T};
    pack(c, share(TAPS, W, thread, T));
    barrier(c);
    for (int64_t first = 0; first < job.count; first += B)
        for (int b = mine.from; b < mine.to; b += 8) {
            int many = 0;
            for (; many < 8 && b + many < mine.to && first + b + many < job.count; many++)
                convolutions(c, c.samples[b + many], job.images + (first + b + many) * 784);
            if (many == 0) break;
            hidden_forward(c, b, b + many, 0, HID);
            for (int n = 0; n < many; n++) {
                float z[OUT];
                logits_of(c.samples[b + n], job.params, z);
                int best = 0;
                for (int k = 1; k < OUT; k++) best = z[k] > z[best] ? k : best;
                job.guesses[first + b + n] = best;
            }
        }
}

void take_part(Context &c, int thread) {
    if (c.job.train) train(c, thread);
    else evaluate(c, thread);
}

void work(Context *c, int thread) {
    for (uint64_t seen = 0;;) {
        {
            std::unique_lock<std::mutex> held(c->lock);
            c->wake.wait(held, [&] { return c->closing || c->call != seen; });
            if (c->closing) return;
            seen = c->call;
        }
        take_part(*c, thread);
        c->done.fetch_add(1, std::memory_order_release);
    }
}

void run(Context &c) {
    c.done.store(0);
    {
        std::lock_guard<std::mutex> held(c.lock);
        c.call++;
    }
    c.wake.notify_all();
    take_part(c, 0);
    while (c.done.load(std::memory_order_acquire) != c.threads - 1) std::this_thread::yield();
}

}  // namespace

extern "C" {

void mnist_close(Context *c) {
    if (!c) return;
    {
        std::lock_guard<std::mutex> held(c->lock);
        c->closing = true;
    }
    c->wake.notify_all();
    for (auto &worker : c->workers) worker.join();
    for (float *block : c->memory) std::free(block);
    delete c;
}

Context *mnist_open(int batch, int threads) {
    Context *c = new (std::nothrow) Context;
    if (!c) return nullptr;
    try {
        auto take = [&](size_t count) {
            float *block = floats(count);
            c->memory.push_back(block);
            return block;
        };
        c->batch = batch;
        c->threads = threads;
        for (int b = 0; b < batch; b++) {
            Sample s;
            s.image = take(784);
            s.map1 = take(MAP1);
            s.win1 = reinterpret_cast<int32_t *>(take(MAP1));
            s.map2 = take(FLAT);
            s.win2 = reinterpret_cast<int32_t *>(take(FLAT));
            s.hidden = take(HID);
            s.d_hidden = take(HID);
            c->samples.push_back(s);
        }
        c->packed = take(TAPS * C2);
        c->dense_grads = take(PARAMS - B3);
        for (int t = 0; t < threads; t++) {
            c->part_d_map2.push_back(take(size_t(batch) * FLAT));
            c->part_conv.push_back(take(W3));
        }
        for (int t = 1; t < threads; t++) c->workers.emplace_back(work, c, t);
    } catch (...) {
        mnist_close(c);
        return nullptr;
    }
    return c;
}

int mnist_params() { return PARAMS; }

// `steps` weight updates on the images that `order` names, `batch` at a time. With `grads` no weight changes: the
// gradient of the last step is left there, for several processes to average.
void mnist_train(Context *c, float *params, float *grads, const float *table, const uint8_t *images,
                 const int64_t *labels, const int64_t *order, int64_t steps, int64_t first_step, int64_t first_sample,
                 uint64_t seed, float lr, int double_softmax, float *losses) {
    c->job = Job{table, params, grads, images, labels, order, steps, first_step, first_sample, 0, seed, lr,
                 double_softmax != 0, true, losses, nullptr};
    run(*c);
}

void mnist_evaluate(Context *c, float *params, const float *table, const uint8_t *images, int64_t count,
                    int32_t *guesses) {
    c->job = Job{table, params, nullptr, images, nullptr, nullptr, 0, 0, 0, count, 0, 0, false, false, nullptr, guesses};
    run(*c);
}

}  // extern "C"
