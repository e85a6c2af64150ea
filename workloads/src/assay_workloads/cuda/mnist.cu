// Weight updates of the MNIST CNN at batch 8, many to a launch, on one cluster of 16 thread blocks.
//
// Why it is faster than a graph of library kernels: all weights and all that lies between two layers stay in shared
// memory from the first update to the last, and blocks meet at a barrier of their cluster six times an update, where a
// graph starts some forty kernels. As on a CPU, only outputs that pooling looks at are computed, and backward touches
// only the winner of each window.
//
// The arithmetic is that of mnist_step.cpp: SGD on the mean loss of a batch, in fp32, the same dropout from the same
// counter, one update after the other. Sums have a fixed order, so a run can be repeated bit by bit.
//
// Block `rank` convolves sample rank % 8 for the 32 channels of half rank / 8, and holds the hidden layer's weights of
// 100 of its 1600 inputs: channels 4 rank to 4 rank + 3. Lanes of a warp are channels; barriers are bounded, since
// every block makes the same `steps` updates and waits for nothing else.

#include "cluster.cuh"

namespace {

constexpr int BATCH = 8, BLOCKS = 16, THREADS = 640, WARPS = THREADS / 32;
constexpr int C1 = 32, C2 = 64, HALF = 32, SIDE = 12, PIXELS = SIDE * SIDE;  // of map1 only what conv2 reads
constexpr int P2 = 5, WINDOWS = P2 * P2, TAPS = 9 * C1, HID = 128, OUT = 10, INPUTS = 100;
// places in the flat parameters, those of mnist_step.cpp
constexpr int W1 = 0, W2 = W1 + 10 * C1, B2 = W2 + C2 * TAPS, W3 = B2 + C2, B3 = W3 + HID * WINDOWS * C2;
constexpr int W4 = B3 + HID, B4 = W4 + OUT * HID, PARAMS = B4 + 16;
constexpr int ROW2 = TAPS + 4, ROW3 = HID + 4;       // padded: no two lanes meet in a bank
constexpr int OWN2 = 4, OWN2_TAPS = OWN2 * TAPS;     // channels of conv2 that a block sums and updates
constexpr int OWN1 = 20;                             // values of conv1 likewise
constexpr int SLICES = 5, SLICE = INPUTS / SLICES, BACK = 6;  // how the hidden layer is cut

struct Shared {
    float w2[HALF][ROW2];                // [channel][tap][input channel]
    float w3[INPUTS][ROW3];              // [input][unit]
    float map1[PIXELS * C1];             // pooled and rectified
    union {                              // one after the other
        float sums[4][P2 * 20][HALF];    // of conv2, by quarters of its input channels
        float units[SLICES][BATCH][HID]; // of the hidden layer, by slices of our inputs
        float back[BACK][BATCH][INPUTS]; // gradient of our inputs, by slices of units
        struct {
            float strips[P2][4][SIDE][C1];  // gradient of map1: what each row of windows adds to four rows of it
            float w2_parts[BATCH][OWN2_TAPS];  // from each sample: gradient of the channels that we own
        };
        float w1_sums[WARPS][10][C1];    // gradient of conv1, by warps
    };
    float image[28 * 28], table[256];
    float w1[10 * C1];                   // [tap][channel], then the biases
    float b2[HALF], b3[HID], w4[OUT][ROW3], b4[16];
    float inputs[INPUTS][BATCH];         // of the hidden layer: window times 4 plus channel
    float map2[WINDOWS][HALF], d_map2[WINDOWS][HALF];
    float slope[HALF][P2][8];            // gradient at the winner of each window, 0 where there is none
    int place[HALF][P2][8];              // where the winner's patch begins in map1
    int pairs[HALF];                     // how many of the pairs below
    union {
        struct {
            float unit_parts[BLOCKS][8 * BATCH];  // from each block: its inputs' share of the eight units that we own
            float logit_parts[BATCH * OUT][8];
        };
        float4 active[HALF][13];         // slope and place without those that are 0, two and two
    };
    float keep[8 * BATCH];               // dropout of the units that we own: 0 or 2
    float hidden[BATCH][ROW3], d_hidden[HID][BATCH];
    float d_logits[BATCH][12], losses[BATCH];
    float w1_parts[BLOCKS][OWN1], b2_parts[BATCH][OWN2];
    int labels[BATCH];
    unsigned char win1[PIXELS * C1], win2[WINDOWS][HALF];
};

static_assert(sizeof(Shared) <= 227 * 1024, "a block of compute capability 9.0 has no more");

struct Job {
    float *params;
    const float *table;
    const unsigned char *images, *labels;
    const int64_t *order;
    float *losses;
    int64_t first_step;
    uint64_t seed;
    int steps, twice;
    float lr;
};

struct Place {
    int rank, thread, warp, lane, sample, half;
};

// Asked for by every phase anew: what is derived of it would else be kept from one update to the next, and fill the
// registers.
__device__ __forceinline__ Place here() {
    int thread = thread_index(), rank = cluster_rank();
    return {rank, thread, thread / 32, thread % 32, rank % 8, rank / 8};
}

__device__ __forceinline__ float4 four(const float *at) { return *reinterpret_cast<const float4 *>(at); }
__device__ __forceinline__ float2 two(const float *at) { return *reinterpret_cast<const float2 *>(at); }

__device__ __forceinline__ uint64_t mixed(uint64_t x) {  // splitmix64
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

__device__ __forceinline__ bool dropped(uint64_t seed, int64_t step, int sample, int unit) {
    uint64_t bits = mixed(mixed(seed * 0x100000001B3u + uint64_t(step)) + uint64_t(sample) * 2 + uint64_t(unit / 64));
    return bits >> (unit % 64) & 1;
}

// ---- weights between launches -----------------------------------------------------------------------------------

// Element `j` of input `i` of ours in the flat parameters: [unit][window][channel] there.
__device__ __forceinline__ int place3(const Place &me, int i, int j) {
    return W3 + (j * WINDOWS + i / 4) * C2 + 4 * me.rank + i % 4;
}

__device__ void load(Shared &s, const Job &job) {
    const Place me = here();
    const float *p = job.params;
    for (int i = me.thread; i < 256; i += THREADS) s.table[i] = job.table[i];
    for (int i = me.thread; i < 10 * C1; i += THREADS) s.w1[i] = p[W1 + i];
    for (int i = me.thread; i < HALF * TAPS; i += THREADS)
        s.w2[i / TAPS][i % TAPS] = p[W2 + me.half * HALF * TAPS + i];
    for (int i = me.thread; i < INPUTS * HID; i += THREADS)
        s.w3[i % INPUTS][i / INPUTS] = p[place3(me, i % INPUTS, i / INPUTS)];
    for (int i = me.thread; i < OUT * HID; i += THREADS) s.w4[i / HID][i % HID] = p[W4 + i];
    for (int i = me.thread; i < HID; i += THREADS) s.b3[i] = p[B3 + i];
    for (int i = me.thread; i < HALF; i += THREADS) s.b2[i] = p[B2 + me.half * HALF + i];
    for (int i = me.thread; i < OUT; i += THREADS) s.b4[i] = p[B4 + i];
}

// Each part by one block that has it.
__device__ void store(const Shared &s, const Job &job) {
    const Place me = here();
    float *p = job.params;
    for (int i = me.thread; i < INPUTS * HID; i += THREADS)
        p[place3(me, i % INPUTS, i / INPUTS)] = s.w3[i % INPUTS][i / INPUTS];
    int first = OWN2 * me.sample;
    for (int i = me.thread; i < OWN2_TAPS; i += THREADS)
        p[W2 + (me.half * HALF + first) * TAPS + i] = s.w2[first + i / TAPS][i % TAPS];
    if (me.thread < OWN2) p[B2 + me.half * HALF + first + me.thread] = s.b2[first + me.thread];
    if (me.thread < OWN1) p[W1 + me.rank * OWN1 + me.thread] = s.w1[me.rank * OWN1 + me.thread];
    if (me.rank) return;
    for (int i = me.thread; i < OUT * HID; i += THREADS) p[W4 + i] = s.w4[i / HID][i % HID];
    for (int i = me.thread; i < HID; i += THREADS) p[B3 + i] = s.b3[i];
    for (int i = me.thread; i < OUT; i += THREADS) p[B4 + i] = s.b4[i];
}

// ---- forward ----------------------------------------------------------------------------------------------------

// The largest of a window; the first of equals wins, as in torch. So written, a NaN stays one after the ReLU.
__device__ __forceinline__ float pooled(const float (&of)[4], int &who) {
    float best = of[0];
    who = 0;
#pragma unroll
    for (int q = 1; q < 4; q++)
        if (of[q] > best) best = of[q], who = q;
    return best < 0 ? 0 : best;
}

// A warp takes four windows side by side; all blocks of a sample's pair compute all of it.
__device__ void convolve1(Shared &s) {
    const Place me = here();
    float w[9], bias = s.w1[9 * C1 + me.lane];
#pragma unroll
    for (int k = 0; k < 9; k++) w[k] = s.w1[k * C1 + me.lane];
    for (int unit = me.warp; unit < PIXELS / 4; unit += WARPS) {
        int y = unit / 3, x = unit % 3 * 4;
        float a[4][4];
#pragma unroll
        for (int i = 0; i < 16; i++) a[i / 4][i % 4] = bias;
#pragma unroll
        for (int r = 0; r < 4; r++) {
            const float *at = s.image + (2 * y + r) * 28 + 2 * x;
            float4 left = four(at), middle = four(at + 4);
            float2 right = two(at + 8);
            float row[10] = {left.x, left.y, left.z, left.w, middle.x, middle.y, middle.z, middle.w, right.x, right.y};
#pragma unroll
            for (int p = 0; p < 4; p++)
#pragma unroll
                for (int q = 0; q < 4; q++)
#pragma unroll
                    for (int kx = 0; kx < 3; kx++) {
                        int ky = r - q / 2;
                        if (ky >= 0 && ky < 3) a[p][q] += w[ky * 3 + kx] * row[2 * p + q % 2 + kx];
                    }
        }
#pragma unroll
        for (int p = 0; p < 4; p++) {
            int who, at = (y * SIDE + x + p) * C1 + me.lane;
            s.map1[at] = pooled(a[p], who);
            s.win1[at] = who;
        }
    }
}

// A warp takes a row of five windows and a quarter of the input channels: twenty sums a lane.
__device__ void convolve2(Shared &s) {
    const Place me = here();
    int y = me.warp % P2, quarter = me.warp / P2;
    float a[2][10] = {};
#pragma unroll 1
    for (int c = quarter * 8; c < quarter * 8 + 8; c += 4) {
        float4 w[9];
#pragma unroll
        for (int k = 0; k < 9; k++) w[k] = four(&s.w2[me.lane][k * C1 + c]);
#pragma unroll
        for (int r = 0; r < 4; r++)
#pragma unroll
            for (int x = 0; x < SIDE; x++) {
                float4 v = four(s.map1 + ((2 * y + r) * SIDE + x) * C1 + c);
#pragma unroll
                for (int dy = 0; dy < 2; dy++)
#pragma unroll
                    for (int kx = 0; kx < 3; kx++) {
                        int ky = r - dy, at = x - kx;
                        if (ky < 0 || ky > 2 || at < 0 || at > 9) continue;
                        const float4 &k = w[ky * 3 + kx];
                        a[dy][at] += v.x * k.x;
                        a[dy][at] += v.y * k.y;
                        a[dy][at] += v.z * k.z;
                        a[dy][at] += v.w * k.w;
                    }
            }
    }
#pragma unroll
    for (int i = 0; i < 20; i++) s.sums[quarter][y * 20 + i][me.lane] = a[i / 10][i % 10];
}

// Add up the quarters, pool, and bring each value to the block that has its weights.
__device__ void pool2(Shared &s, const Job &job, int64_t step) {
    const Place me = here();
    for (int i = me.thread; i < WINDOWS * HALF; i += THREADS) {
        int window = i / HALF, c = i % HALF, who;
        float of[4];
#pragma unroll
        for (int q = 0; q < 4; q++) {
            int at = window / P2 * 20 + q / 2 * 10 + window % P2 * 2 + q % 2;
            of[q] = s.b2[c] + (s.sums[0][at][c] + s.sums[1][at][c]) + (s.sums[2][at][c] + s.sums[3][at][c]);
        }
        float value = pooled(of, who);
        s.map2[window][c] = value;
        s.win2[window][c] = who;
        *peer(&s.inputs[window * 4 + c % 4][me.sample], me.half * 8 + c / 4) = value;
    }
    int i = me.thread - (THREADS - 8 * BATCH);  // threads that have nothing else to do
    if (i >= 0) s.keep[i] = dropped(job.seed, step, i % BATCH, me.rank * 8 + i / BATCH) ? 0 : 2;
}

// Our inputs' share of every unit: a thread takes a unit and a slice of the inputs, for all samples.
__device__ void hidden_slices(Shared &s) {
    const Place me = here();
    int j = me.thread % HID, slice = me.thread / HID;
    float a[8] = {};
#pragma unroll
    for (int i = slice * SLICE; i < slice * SLICE + SLICE; i++) {
        float w = s.w3[i][j];
        float4 x = four(s.inputs[i]), y = four(s.inputs[i] + 4);
        a[0] += w * x.x, a[1] += w * x.y, a[2] += w * x.z, a[3] += w * x.w;
        a[4] += w * y.x, a[5] += w * y.y, a[6] += w * y.z, a[7] += w * y.w;
    }
#pragma unroll
    for (int b = 0; b < BATCH; b++) s.units[slice][b][j] = a[b];
}

__device__ void hidden_shares(Shared &s) {
    const Place me = here();
    for (int i = me.thread; i < HID * BATCH; i += THREADS) {
        int b = i / HID, j = i % HID;
        float sum = 0;
#pragma unroll
        for (int slice = 0; slice < SLICES; slice++) sum += s.units[slice][b][j];
        *peer(&s.unit_parts[me.rank][j % 8 * BATCH + b], j / 8) = sum;
    }
}

// Eight units of ours for all samples, brought to every block.
__device__ void hidden_units(Shared &s) {
    const Place me = here();
    int i = me.thread % 64, to = me.thread / 64, u = i / BATCH, b = i % BATCH;
    if (to >= BLOCKS / 2) return;
    float z = 0, more = s.b3[me.rank * 8 + u];
#pragma unroll
    for (int from = 0; from < BLOCKS; from += 2) z += s.unit_parts[from][i], more += s.unit_parts[from + 1][i];
    z += more;
    float value = z < 0 ? 0 : z * s.keep[i], *at = &s.hidden[b][me.rank * 8 + u];
    *peer(at, to) = value;
    *peer(at, to + BLOCKS / 2) = value;
}

// Every block for itself from here to the hidden layer's gradient: cheaper than meeting again.
__device__ void logits(Shared &s) {
    const Place me = here();
    int out = me.thread / 8, part = me.thread % 8, b = out / OUT, k = out % OUT;
    float sum = part ? 0 : s.b4[k];
#pragma unroll
    for (int j = part * 4; j < HID; j += 32) {
        float4 w = four(&s.w4[k][j]), h = four(&s.hidden[b][j]);
        sum += w.x * h.x + w.y * h.y + (w.z * h.z + w.w * h.w);
    }
    s.logit_parts[out][part] = sum;
}

__device__ __forceinline__ float softmax(const float (&z)[OUT], float (&p)[OUT]) {  // gives back log(sum(exp(z)))
    float top = z[0], total = 0;
#pragma unroll
    for (int k = 1; k < OUT; k++) top = z[k] > top ? z[k] : top;
#pragma unroll
    for (int k = 0; k < OUT; k++) total += p[k] = expf(z[k] - top);
    float scale = 1.f / total;
#pragma unroll
    for (int k = 0; k < OUT; k++) p[k] *= scale;
    return top + logf(total);
}

__device__ void losses(Shared &s, const Job &job) {
    const Place me = here();
    if (me.thread >= BATCH * OUT) return;
    int b = me.thread / OUT, mine = me.thread % OUT, label = s.labels[b];
    float z[OUT], p[OUT], q[OUT], share = 1.f / BATCH;
#pragma unroll
    for (int k = 0; k < OUT; k++) {
        float4 x = four(s.logit_parts[b * OUT + k]), y = four(s.logit_parts[b * OUT + k] + 4);
        z[k] = ((x.x + x.y) + (x.z + x.w)) + ((y.x + y.y) + (y.z + y.w));
    }
    float whole = softmax(z, p), along = 0, d = 0, at_label = 0;
    if (job.twice) {  // the tutorial's model ends in a softmax, and cross-entropy applies one again
        whole = softmax(p, q);
#pragma unroll
        for (int k = 0; k < OUT; k++) along += (q[k] - (k == label)) * share * p[k];
    }
#pragma unroll
    for (int k = 0; k < OUT; k++) {
        float one = k == label ? 1.f : 0.f;
        if (k == label) at_label = job.twice ? p[k] : z[k];
        if (k == mine) d = job.twice ? p[k] * ((q[k] - one) * share - along) : (p[k] - one) * share;
    }
    s.d_logits[b][mine] = d;
    if (!mine) s.losses[b] = (whole - at_label) * share;
}

// ---- backward ---------------------------------------------------------------------------------------------------

// What was dropped or not positive has a hidden value of 0; what was kept counts twice.
__device__ void hidden_gradient(Shared &s) {
    const Place me = here();
    int j = me.thread % HID, b = me.thread / HID * 2;
    if (b >= BATCH) return;
    float d = 0, e = 0;
#pragma unroll
    for (int k = 0; k < OUT; k++) {
        float w = s.w4[k][j];
        d += s.d_logits[b][k] * w, e += s.d_logits[b + 1][k] * w;
    }
    float2 found{s.hidden[b][j] == 0 ? 0 : d * 2, s.hidden[b + 1][j] == 0 ? 0 : e * 2};
    *reinterpret_cast<float2 *>(&s.d_hidden[j][b]) = found;
}

// Gradient of our inputs: a thread takes an input and a sixth of the units, for all samples.
__device__ void input_slices(Shared &s) {
    const Place me = here();
    if (me.thread >= INPUTS * BACK) return;
    int i = me.thread % INPUTS, slice = me.thread / INPUTS;
    float a[8] = {};
#pragma unroll 2
    for (int j = slice * (HID / 4) / BACK * 4; j < (slice + 1) * (HID / 4) / BACK * 4; j += 4) {
        float4 weights = four(&s.w3[i][j]);
        float w[4] = {weights.x, weights.y, weights.z, weights.w};
#pragma unroll
        for (int n = 0; n < 4; n++) {
            float4 x = four(s.d_hidden[j + n]), y = four(s.d_hidden[j + n] + 4);
            a[0] += w[n] * x.x, a[1] += w[n] * x.y, a[2] += w[n] * x.z, a[3] += w[n] * x.w;
            a[4] += w[n] * y.x, a[5] += w[n] * y.y, a[6] += w[n] * y.z, a[7] += w[n] * y.w;
        }
    }
#pragma unroll
    for (int b = 0; b < BATCH; b++) s.back[slice][b][i] = a[b];
}

// The gradient goes back to the block that convolved the sample.
__device__ void input_gradient(Shared &s) {
    const Place me = here();
    for (int n = me.thread; n < INPUTS * BATCH; n += THREADS) {
        int b = n / INPUTS, i = n % INPUTS;
        float sum = 0;
#pragma unroll
        for (int slice = 0; slice < BACK; slice++) sum += s.back[slice][b][i];
        *peer(&s.d_map2[i / 4][me.sample * 4 + i % 4], me.half * 8 + b) = sum;
    }
}

__device__ void update_hidden(Shared &s, const Job &job) {
    const Place me = here();
    int j = me.thread % HID, slice = me.thread / HID;
    float4 d = four(s.d_hidden[j]), e = four(s.d_hidden[j] + 4);
#pragma unroll
    for (int i = slice * SLICE; i < slice * SLICE + SLICE; i++) {
        float4 x = four(s.inputs[i]), y = four(s.inputs[i] + 4);
        float g = d.x * x.x + d.y * x.y + d.z * x.z + d.w * x.w + e.x * y.x + e.y * y.y + e.z * y.z + e.w * y.w;
        s.w3[i][j] -= job.lr * g;
    }
    if (slice == 0) s.b3[j] -= job.lr * (((d.x + d.y) + (d.z + d.w)) + ((e.x + e.y) + (e.z + e.w)));
    for (int i = me.thread; i < OUT * HID; i += THREADS) {
        float g = 0;
#pragma unroll
        for (int b = 0; b < BATCH; b++) g += s.d_logits[b][i / HID] * s.hidden[b][i % HID];
        s.w4[i / HID][i % HID] -= job.lr * g;
    }
    if (me.thread >= OUT) return;
    float g = 0;
    for (int b = 0; b < BATCH; b++) g += s.d_logits[b][me.thread];
    s.b4[me.thread] -= job.lr * g;
}

// A warp has a channel, a lane a window.
__device__ void winners(Shared &s) {
    const Place me = here();
    for (int c = me.warp; c < HALF; c += WARPS) {
        float g = 0;
        int at = 0;
        if (me.lane < WINDOWS) {
            int y = me.lane / P2, x = me.lane % P2, who = s.win2[me.lane][c];
            g = s.map2[me.lane][c] > 0 ? s.d_map2[me.lane][c] : 0;
            at = ((2 * y + who / 2) * SIDE + 2 * x + who % 2) * C1;
            s.slope[c][y][x] = g;
            s.place[c][y][x] = at;
        }
        bool counts = g != 0 || g != g;
        unsigned who = lanes_with(counts);
        int before = __popc(who & ((1u << me.lane) - 1)), many = __popc(who);
        float *to = reinterpret_cast<float *>(s.active[c]);
        if (counts) to[2 * before] = g, to[2 * before + 1] = float_of(at);
        if (me.lane == 0) {
            if (many % 2) to[2 * many] = 0, to[2 * many + 1] = float_of(0);
            s.pairs[c] = (many + 1) / 2;
        }
    }
}

// Our sample's gradient of conv2's weights: lanes are input channels, a warp takes one output channel at a time.
__device__ __forceinline__ void weights2(Shared &s, const Place &me) {
#pragma unroll 1
    for (int c = me.warp; c < HALF; c += WARPS) {
        float a[9] = {}, total = 0;
        int pairs = s.pairs[c];
#pragma unroll 2
        for (int n = 0; n < pairs; n++) {
            float4 pair = s.active[c][n];
            const float *one = s.map1 + int_of(pair.y) + me.lane, *other = s.map1 + int_of(pair.w) + me.lane;
#pragma unroll
            for (int k = 0; k < 9; k++) {
                a[k] += pair.x * one[(k / 3 * SIDE + k % 3) * C1];
                a[k] += pair.z * other[(k / 3 * SIDE + k % 3) * C1];
            }
            total += pair.x + pair.z;
        }
        int owner = me.half * 8 + c / OWN2;
        float *to = peer(s.w2_parts[me.sample] + c % OWN2 * TAPS + me.lane, owner);
#pragma unroll
        for (int k = 0; k < 9; k++) to[k * C1] = a[k];
        if (me.lane == 0) *peer(&s.b2_parts[me.sample][c % OWN2], owner) = total;
    }
}

template <int DY, int DX>
__device__ __forceinline__ void spread(float (&a)[4][SIDE], const float (&w)[9], float g, int x) {
#pragma unroll
    for (int k = 0; k < 9; k++) a[DY + k / 3][2 * x + DX + k % 3] += g * w[k];
    not_merged<DY * 2 + DX>();
}

// Gradient of map1: a warp takes a row of windows and a quarter of the output channels, and adds in registers.
__device__ __forceinline__ void inputs2(Shared &s, const Place &me, float (&a)[4][SIDE]) {
    int y = me.warp % P2, quarter = me.warp / P2;
#pragma unroll 1
    for (int c = quarter * 8; c < quarter * 8 + 8; c++) {
        float w[9], g[P2];
        int from[P2];
#pragma unroll
        for (int x = 0; x < P2; x++) g[x] = s.slope[c][y][x], from[x] = s.place[c][y][x] - (2 * y * SIDE + 2 * x) * C1;
#pragma unroll
        for (int k = 0; k < 9; k++) w[k] = s.w2[c][k * C1 + me.lane];
#pragma unroll
        for (int x = 0; x < P2; x++) {
            if (g[x] == 0) continue;  // a NaN counts
            if (from[x] < SIDE * C1) {
                if (from[x] == 0) spread<0, 0>(a, w, g[x], x);
                else spread<0, 1>(a, w, g[x], x);
            } else {
                if (from[x] == SIDE * C1) spread<1, 0>(a, w, g[x], x);
                else spread<1, 1>(a, w, g[x], x);
            }
        }
    }
}

template <int ROW>
__device__ __forceinline__ void add_row(Shared &s, const Place &me, const float (&a)[4][SIDE], bool first) {
#pragma unroll
    for (int x = 0; x < SIDE; x++) {
        float *at = &s.strips[me.warp % P2][ROW][x][me.lane];
        *at = first ? a[ROW][x] : *at + a[ROW][x];
    }
    not_merged<ROW>();
}

// The four quarters add up in one place: in each turn every quarter has another of the four rows.
__device__ __forceinline__ void add_up(Shared &s, const Place &me, const float (&a)[4][SIDE]) {
#pragma unroll
    for (int turn = 0; turn < 4; turn++) {
        int row = (me.warp / P2 + turn) % 4;
        if (row == 0) add_row<0>(s, me, a, turn == 0);
        if (row == 1) add_row<1>(s, me, a, turn == 0);
        if (row == 2) add_row<2>(s, me, a, turn == 0);
        if (row == 3) add_row<3>(s, me, a, turn == 0);
        block_sync();
    }
}

// Both gradients of conv2. One waits for shared memory, the other computes: warps take them in different order.
__device__ void gradients2(Shared &s) {
    const Place me = here();
    float a[4][SIDE] = {};
    if (me.warp % 2) weights2(s, me);
    inputs2(s, me, a);
    if (me.warp % 2 == 0) weights2(s, me);
    add_up(s, me, a);
}

// Our half's share of the sample's gradient of conv1, pixel by pixel of map1.
__device__ void weights1(Shared &s) {
    const Place me = here();
    float a[9] = {}, total = 0;
#pragma unroll 2
    for (int pixel = me.warp; pixel < PIXELS; pixel += WARPS) {
        int y = pixel / SIDE, x = pixel % SIDE, at = pixel * C1 + me.lane, who = s.win1[at];
        const float *from = s.image + (2 * y + who / 2) * 28 + 2 * x + who % 2;
        float upper = y / 2 < P2 ? s.strips[y / 2][y % 2][x][me.lane] : 0;
        float lower = y >= 2 ? s.strips[y / 2 - 1][y % 2 + 2][x][me.lane] : 0;
        float g = s.map1[at] > 0 ? upper + lower : 0;
#pragma unroll
        for (int k = 0; k < 9; k++) a[k] += g * from[k / 3 * 28 + k % 3];
        total += g;
    }
    block_sync();
#pragma unroll
    for (int k = 0; k < 9; k++) s.w1_sums[me.warp][k][me.lane] = a[k];
    s.w1_sums[me.warp][9][me.lane] = total;
    block_sync();
    if (me.thread >= 10 * C1) return;
    float sum = 0;
#pragma unroll
    for (int w = 0; w < WARPS; w++) sum += s.w1_sums[w][me.thread / C1][me.thread % C1];
    *peer(&s.w1_parts[me.rank][me.thread % OWN1], me.thread / OWN1) = sum;
}

// What we own of the convolutions: add up the parts, update, bring it to all who use it.
__device__ void update_convolutions(Shared &s, const Job &job) {
    const Place me = here();
    int pair = me.thread * 2, c = me.sample * OWN2 + pair / TAPS;
    if (pair < OWN2_TAPS) {
        float2 *weights = reinterpret_cast<float2 *>(&s.w2[c][pair % TAPS]), value = *weights;
        float x = 0, y = 0;
#pragma unroll
        for (int b = 0; b < BATCH; b++) {
            float2 part = two(s.w2_parts[b] + pair);
            x += part.x, y += part.y;
        }
        value.x -= job.lr * x, value.y -= job.lr * y;
#pragma unroll
        for (int b = 0; b < BATCH; b++) *peer(weights, me.half * 8 + (me.sample + b) % 8) = value;
    } else if (me.thread < OWN2_TAPS / 2 + OWN1) {
        float *weight = &s.w1[me.rank * OWN1 + me.thread - OWN2_TAPS / 2], sum = 0;
#pragma unroll
        for (int from = 0; from < BLOCKS; from++) sum += s.w1_parts[from][me.thread - OWN2_TAPS / 2];
        float value = *weight - job.lr * sum;
#pragma unroll
        for (int to = 0; to < BLOCKS; to++) *peer(weight, to) = value;
    } else if (me.thread >= THREADS - OWN2) {
        int n = me.thread - (THREADS - OWN2);
        float *bias = &s.b2[me.sample * OWN2 + n], sum = 0;
#pragma unroll
        for (int b = 0; b < BATCH; b++) sum += s.b2_parts[b][n];
        float value = *bias - job.lr * sum;
#pragma unroll
        for (int b = 0; b < BATCH; b++) *peer(bias, me.half * 8 + b) = value;
    }
}

// ---- images, fetched an update ahead ----------------------------------------------------------------------------

constexpr int WORDS = 28 * 28 / 4, LABELS = 224;  // threads that fetch four pixels each, and the first that fetches a label

struct Ahead {
    int64_t index;  // of the image of the update after the next
    uint32_t word;  // pixels or label of the next update
};

__device__ __forceinline__ void look_up(Ahead &ahead, const Job &job, const Place &me, int step) {
    if (step >= job.steps) return;
    if (me.thread < WORDS) ahead.index = job.order[int64_t(step) * BATCH + me.sample];
    else if (me.thread >= LABELS && me.thread < LABELS + BATCH)
        ahead.index = job.order[int64_t(step) * BATCH + me.thread - LABELS];
}

__device__ __forceinline__ void fetch(Ahead &ahead, const Job &job, const Place &me, int step) {
    if (step >= job.steps) return;
    if (me.thread < WORDS) ahead.word = reinterpret_cast<const uint32_t *>(job.images + ahead.index * 784)[me.thread];
    else if (me.thread >= LABELS && me.thread < LABELS + BATCH) ahead.word = job.labels[ahead.index];
}

__device__ __forceinline__ void unpack(Shared &s, const Ahead &ahead, const Place &me) {
    if (me.thread < WORDS)
        for (int i = 0; i < 4; i++) s.image[me.thread * 4 + i] = s.table[ahead.word >> 8 * i & 255];
    else if (me.thread >= LABELS && me.thread < LABELS + BATCH) s.labels[me.thread - LABELS] = int(ahead.word);
}

// ---- all of it --------------------------------------------------------------------------------------------------

__device__ __forceinline__ void forward(Shared &s, const Job &job, int64_t step) {
    convolve1(s);
    block_sync();
    convolve2(s);
    block_sync();
    pool2(s, job, step);
    cluster_sync();
    hidden_slices(s);
    block_sync();
    hidden_shares(s);
    cluster_sync();
    hidden_units(s);
    cluster_sync();
    logits(s);
    block_sync();
    losses(s, job);
    block_sync();
}

__device__ __forceinline__ void backward(Shared &s, const Job &job) {
    hidden_gradient(s);
    block_sync();
    input_slices(s);
    block_sync();
    input_gradient(s);
    cluster_arrive();
    update_hidden(s, job);  // needs only this block's memory, so it runs while the gradients travel
    cluster_wait();
    winners(s);
    block_sync();
    gradients2(s);
    weights1(s);
    cluster_sync();
}

__global__ void __launch_bounds__(THREADS, 1) train(Job job) {
    Shared &s = shared_memory<Shared>();
    const Place me = here();
    Ahead ahead{};
    load(s, job);
    look_up(ahead, job, me, 0);
    fetch(ahead, job, me, 0);
    look_up(ahead, job, me, 1);
    block_sync();
    unpack(s, ahead, me);
    cluster_sync();  // no one reaches into another block before it has begun
    for (int step = 0; step < job.steps; step++) {
        fetch(ahead, job, me, step + 1);
        look_up(ahead, job, me, step + 2);
        forward(s, job, job.first_step + step);
        if (me.rank == 0 && me.thread == 0) {
            float sum = 0;
            for (int b = 0; b < BATCH; b++) sum += s.losses[b];
            job.losses[step] = sum;
        }
        backward(s, job);
        update_convolutions(s, job);
        unpack(s, ahead, me);
        cluster_sync();
    }
    store(s, job);
}

}  // namespace

extern "C" {

int mnist_params() { return PARAMS; }

// 0 where this GPU can run it; else what CUDA says of it.
int mnist_prepare() { return int(prepare(train, BLOCKS, THREADS, sizeof(Shared))); }

// `steps` weight updates on the images that `order` names, eight at a time. All pointers are of the device.
int mnist_train(float *params, const float *table, const unsigned char *images, const unsigned char *labels,
                const int64_t *order, float *losses, int64_t first_step, uint64_t seed, int steps, int double_softmax,
                float lr, void *stream) {
    Job job{params, table, images, labels, order, losses, first_step, seed, steps, double_softmax, lr};
    return int(launch(train, BLOCKS, THREADS, sizeof(Shared), stream, job));
}
}
