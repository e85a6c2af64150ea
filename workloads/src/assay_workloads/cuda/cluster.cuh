// A cluster of thread blocks that share their memory: the few primitives that the kernels here are written in.
// With ASSAY_ON_CPU the tests put a stand-in of the same primitives in their place and run the kernels on a CPU.
#pragma once
#ifdef ASSAY_ON_CPU
#include "cuda_on_cpu.h"
#else
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cstddef>
#include <cstdint>

// `volatile`: looked up where it is asked for, not kept in a register from the kernel's begin.
__device__ __forceinline__ int thread_index() {
    int thread;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
    return thread;
}

__device__ __forceinline__ int cluster_rank() {
    int rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

__device__ __forceinline__ void block_sync() { __syncthreads(); }

// Our block has come here, and what it wrote before will be seen by those who wait. One thread's fence serves its
// block, since the block's barrier comes before it.
__device__ __forceinline__ void cluster_arrive() {
    __syncthreads();
    if (threadIdx.x == 0) asm volatile("fence.acq_rel.cluster;" ::: "memory");
    __syncwarp();
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}

// Until all blocks have come.
__device__ __forceinline__ void cluster_wait() { asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"); }

__device__ __forceinline__ void cluster_sync() {
    cluster_arrive();
    cluster_wait();
}

// Keeps branches that differ in an index alone from becoming one with a variable index, which no register has.
template <int NUMBER>
__device__ __forceinline__ void not_merged() {
    asm volatile("// %0" ::"n"(NUMBER));
}

__device__ __forceinline__ unsigned lanes_with(bool one) { return __ballot_sync(~0u, one); }
__device__ __forceinline__ float float_of(int bits) { return __int_as_float(bits); }
__device__ __forceinline__ int int_of(float bits) { return __float_as_int(bits); }

// The same place in the shared memory of another block of the cluster.
template <typename T>
__device__ __forceinline__ T *peer(T *mine, int rank) {
    T *theirs;
    asm("mapa.u64 %0, %1, %2;" : "=l"(theirs) : "l"(mine), "r"(rank));
    return theirs;
}

__device__ __forceinline__ float warp_sum(float value) {
    for (int apart = 16; apart; apart /= 2) value += __shfl_xor_sync(~0u, value, apart);
    return value;
}

__device__ __forceinline__ float warp_max(float value) {
    for (int apart = 16; apart; apart /= 2) value = fmaxf(value, __shfl_xor_sync(~0u, value, apart));
    return value;
}

// sums[16 x 8] += a[16 x 16] b[16 x 8]: half precision in, float out, spread over a warp as `mma` has it.
__device__ __forceinline__ void multiply(float (&sums)[4], uint4 a, uint2 b) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
                 : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.x), "r"(b.y));
}

// Shared memory of the block, as the kernel's own struct.
template <typename T>
__device__ __forceinline__ T &shared_memory() {
    extern __shared__ __align__(16) unsigned char bytes[];
    return *reinterpret_cast<T *>(bytes);
}

template <typename... Arguments>
cudaLaunchConfig_t cluster_of(int blocks, int threads, size_t shared_bytes, cudaStream_t stream,
                              cudaLaunchAttribute *attribute) {
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = shared_bytes;
    config.stream = stream;
    attribute->id = cudaLaunchAttributeClusterDimension;
    attribute->val.clusterDim.x = blocks;
    attribute->val.clusterDim.y = attribute->val.clusterDim.z = 1;
    config.attrs = attribute;
    config.numAttrs = 1;
    return config;
}

// Whether this GPU can hold the whole cluster at once; asks for what a kernel of this size needs.
template <typename Kernel>
cudaError_t prepare(Kernel *kernel, int blocks, int threads, size_t shared_bytes) {
    cudaError_t problem = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared_bytes));
    if (problem == cudaSuccess && blocks > 8)
        problem = cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    if (problem != cudaSuccess) return problem;
    cudaLaunchAttribute attribute;
    cudaLaunchConfig_t config = cluster_of(blocks, threads, shared_bytes, nullptr, &attribute);
    int clusters = 0;
    problem = cudaOccupancyMaxActiveClusters(&clusters, kernel, &config);
    return problem == cudaSuccess && clusters < 1 ? cudaErrorInvalidConfiguration : problem;
}

template <typename... Wanted, typename... Given>
cudaError_t launch(void (*kernel)(Wanted...), int blocks, int threads, size_t shared_bytes, void *stream,
                   Given... given) {
    cudaLaunchAttribute attribute;
    cudaLaunchConfig_t config = cluster_of(blocks, threads, shared_bytes, cudaStream_t(stream), &attribute);
    return cudaLaunchKernelEx(&config, kernel, Wanted(given)...);
}

extern "C" const char *cuda_words(int number) { return cudaGetErrorString(cudaError_t(number)); }
#endif
