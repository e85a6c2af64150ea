// Products of a warpgroup (128 threads) on Hopper's tensor cores: bfloat16 in, float out, operands in shared memory.
//
// A tile in shared memory has rows of 128 bytes (64 numbers), and the eight 16-byte pieces of row r are exchanged by
// r mod 8 ("128-byte swizzle"). An operand is `along` when the direction that is summed runs along its rows, `across`
// when it runs across them.
#pragma once
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <cstdint>

constexpr int ROW_BYTES = 128;

__device__ __forceinline__ uint32_t shared_address(const void *place) {
    return uint32_t(__cvta_generic_to_shared(place));
}

// Where the 16-byte piece `piece` of row `row` lies in a tile.
__device__ __forceinline__ int piece_at(int row, int piece) { return row * ROW_BYTES + ((piece ^ (row & 7)) << 4); }

// What the tensor cores are told of a tile: address, 1,024 bytes from one group of eight rows to the next, swizzle.
__device__ __forceinline__ uint64_t described(uint32_t address) {
    constexpr uint64_t apart = 1024 >> 4;
    return uint64_t((address & 0x3FFFF) >> 4) | apart << 16 | apart << 32 | uint64_t(1) << 62;
}

__device__ __forceinline__ void products_begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void products_end() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}
// What was written to shared memory by plain stores may be read by the tensor cores after the next barrier.
__device__ __forceinline__ void shown_to_products() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

#define SUMS_8(s, i) "+f"(s[i]), "+f"(s[i + 1]), "+f"(s[i + 2]), "+f"(s[i + 3]), "+f"(s[i + 4]), "+f"(s[i + 5]), \
                     "+f"(s[i + 6]), "+f"(s[i + 7])
#define SUMS_32(s, i) SUMS_8(s, i), SUMS_8(s, i + 8), SUMS_8(s, i + 16), SUMS_8(s, i + 24)
#define NAMES_32 "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26," \
                 "%27,%28,%29,%30,%31"
#define NAMES_64 NAMES_32 ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52," \
                          "%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"

// sums[64 x 128] (+)= a[64 x 16] b[128 x 16]^T, both along.
__device__ __forceinline__ void multiply_along(float (&sums)[64], uint64_t a, uint64_t b, int add) {
    asm volatile("{.reg .pred p; setp.ne.b32 p, %66, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {" NAMES_64 "}, %64, %65, p, 1, 1, 0, 0;}"
                 : SUMS_32(sums, 0), SUMS_32(sums, 32)
                 : "l"(a), "l"(b), "r"(add));
}

// sums[64 x 64] (+)= a[16 x 64]^T b[16 x 64], both across.
__device__ __forceinline__ void multiply_across(float (&sums)[32], uint64_t a, uint64_t b, int add) {
    asm volatile("{.reg .pred p; setp.ne.b32 p, %34, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {" NAMES_32 "}, %32, %33, p, 1, 1, 1, 1;}"
                 : SUMS_32(sums, 0)
                 : "l"(a), "l"(b), "r"(add));
}

// sums[64 x 64] (+)= a[64 x 16] b[16 x 64], a in registers, b across.
__device__ __forceinline__ void multiply_held(float (&sums)[32], const uint32_t *a, uint64_t b, int add) {
    asm volatile("{.reg .pred p; setp.ne.b32 p, %37, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {" NAMES_32 "}, {%32,%33,%34,%35}, %36, p, 1, 1, 1;}"
                 : SUMS_32(sums, 0)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add));
}

// Four 8 x 8 matrices of a warp to shared memory; lane 8 i + r gives the address of row r of matrix i.
__device__ __forceinline__ void store_matrices(uint32_t address, const uint32_t *held) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(address), "r"(held[0]),
                 "r"(held[1]), "r"(held[2]), "r"(held[3])
                 : "memory");
}

// 16 bytes of global memory on their way into shared memory.
__device__ __forceinline__ void fetch(uint32_t to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}
__device__ __forceinline__ void fetch_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int LATER>
__device__ __forceinline__ void fetch_wait() {
    asm volatile("cp.async.wait_group %0;" ::"n"(LATER) : "memory");
}

__device__ __forceinline__ uint32_t pair_of(float low, float high) {
    uint32_t both;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
    return both;
}
__device__ __forceinline__ float low_of(uint32_t both) { return __uint_as_float(both << 16); }
__device__ __forceinline__ float high_of(uint32_t both) { return __uint_as_float(both & 0xFFFF0000u); }
