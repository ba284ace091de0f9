// Units and formulas of the fixed-point arithmetic: those of the trainer's `backend/fixed.rs`, which
// states the bounds. Everything here is integer arithmetic, so nothing depends on the device.
//
// The sources keep to what C and CUDA C++ share, because the tests compile them with a C compiler.

typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;

// Labels are in 2^-8 disc; this factor makes them 2^-18, the unit of weights.
#define WEIGHTS_PER_LABEL (1 << 10)

// From 2^-18 to 2^-10 disc, the unit of residuals.
#define RESIDUAL_SHIFT 8

// 64 discs in the unit of weights.
#define VALUE_LIMIT (64 << 18)

// Steps of a factor on a row's weight, as a shift.
#define FACTOR_SHIFT 8

#define INLINE static __device__ __forceinline__

// A position as it is stored: 20 bytes, aligned to 4. A warp reads 640 consecutive bytes with five
// loads per thread; the loads after the first hit the level-1 cache.
typedef struct {
    u32 player[2];
    u32 opponent[2];
    i16 label;
    u16 weight;
} Row;

// label (2^-8 disc) - sum (2^-18 disc), rounded to 2^-10 disc. Below 2^23 in size.
INLINE i32 residual(i32 label, i32 sum)
{
    return (label * WEIGHTS_PER_LABEL - sum + (1 << (RESIDUAL_SHIFT - 1))) >> RESIDUAL_SHIFT;
}

// The error of a value clamped to 64 discs either way.
INLINE i32 clamped_error(i32 label, i32 sum)
{
    const i32 low = sum < -VALUE_LIMIT ? -VALUE_LIMIT : sum;
    return residual(label, low > VALUE_LIMIT ? VALUE_LIMIT : low);
}

// A row's weight times the factor of its run of rows, in 1/64 occurrence. At most 2^16 - 1.
INLINE u32 combined_weight(u32 weight, u32 factor)
{
    return (weight * factor + (1u << (FACTOR_SHIFT - 1))) >> FACTOR_SHIFT;
}

// A sum of up to 2^32 terms below 2^63, in two halves that cannot overflow: the terms' low 32 bits
// and the rest.
typedef struct {
    u64 low;
    u64 high;
} Wide;

INLINE void add_wide(Wide *sum, u64 term)
{
    sum->low += term & 0xFFFFFFFFu;
    sum->high += term >> 32;
}

INLINE void flush_wide(u64 *total, Wide sum)
{
    atomicAdd(&total[0], sum.low);
    atomicAdd(&total[1], sum.high);
}

// The kernels over rows or parameters are loops over a grid of any size: the result is the same.
INLINE u32 grid_thread(void)
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

INLINE u32 grid_threads(void)
{
    return gridDim.x * blockDim.x;
}
