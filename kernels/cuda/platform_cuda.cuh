// What the sources need of the platform, for NVRTC. `platform_host.h` is the same for an ordinary C
// compiler: everything else, from the pattern set's header on, is the same bytes in both.

#define KERNEL extern "C" __global__ void

// sum + a0 b0 + a1 b1 + a2 b2 + a3 b3, of the words' bytes. In PTX because NVRTC 12.0 declares
// __dp4a without defining it.
static __device__ __forceinline__ unsigned int dot_bytes(unsigned int a, unsigned int b,
                                                         unsigned int sum)
{
    unsigned int dot;
    asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(dot) : "r"(a), "r"(b), "r"(sum));
    return dot;
}
