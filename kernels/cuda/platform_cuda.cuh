// The definitions that the sources need on CUDA, for NVRTC. `platform_host.h` has those for an
// ordinary C compiler. The rest of the program, beginning with the header of the pattern set, is
// identical on both platforms.

#define KERNEL extern "C" __global__ void

// Returns sum + a0 b0 + a1 b1 + a2 b2 + a3 b3, where ai and bi are the bytes of the words. This is
// inline PTX because NVRTC 12.0 declares __dp4a without defining it.
static __device__ __forceinline__ unsigned int dot_bytes(unsigned int a, unsigned int b,
                                                         unsigned int sum)
{
    unsigned int dot;
    asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(dot) : "r"(a), "r"(b), "r"(sum));
    return dot;
}
