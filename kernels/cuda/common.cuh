// The units and formulas of the fixed-point arithmetic. They are the same as in the trainer's
// `backend/fixed.rs`, which states the bounds. All of this arithmetic is on integers, so its
// results do not depend on the device.
//
// The sources use only the common part of C and CUDA C++, because the tests compile them with a C
// compiler.

typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;

// The factor that converts labels from 2^-8 disc to 2^-18 disc, the unit of weights.
#define WEIGHTS_PER_LABEL (1 << 10)

// The shift that converts from 2^-18 disc to 2^-10 disc, the unit of residuals.
#define RESIDUAL_SHIFT 8

// The limit of clamped values: 64 discs in 2^-18 disc, the unit of weights.
#define VALUE_LIMIT (64 << 18)

// The weight of a row is multiplied by a factor in units of 2^-8; this shift divides by these
// units.
#define FACTOR_SHIFT 8

#define INLINE static __device__ __forceinline__

// A position in device memory: 20 bytes, aligned to 4. A warp reads 640 consecutive bytes with five
// loads per thread; the loads after the first one hit the level-1 cache.
typedef struct {
    u32 player[2];
    u32 opponent[2];
    i16 label;
    u16 weight;
} Row;

// Returns the residual label - sum, rounded to 2^-10 disc, where the label is in 2^-8 disc and the
// sum in 2^-18 disc. The absolute value of the result is below 2^23.
INLINE i32 residual(i32 label, i32 sum)
{
    return (label * WEIGHTS_PER_LABEL - sum + (1 << (RESIDUAL_SHIFT - 1))) >> RESIDUAL_SHIFT;
}

// Returns the residual for a sum that is first clamped to -64 to 64 discs.
INLINE i32 clamped_error(i32 label, i32 sum)
{
    const i32 low = sum < -VALUE_LIMIT ? -VALUE_LIMIT : sum;
    return residual(label, low > VALUE_LIMIT ? VALUE_LIMIT : low);
}

// Returns the weight of a row times the factor of its run of rows, in 1/64 occurrence. The result
// is at most 2^16 - 1.
INLINE u32 combined_weight(u32 weight, u32 factor)
{
    return (weight * factor + (1u << (FACTOR_SHIFT - 1))) >> FACTOR_SHIFT;
}

// A sum of up to 2^32 terms below 2^63, stored as two sums that cannot overflow: `low` of the low
// 32 bits of each term, and `high` of the remaining bits.
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

// The number of this thread in the grid. Kernels over rows or parameters loop with the step
// `grid_threads()`, so their results do not depend on the size of the grid.
INLINE u32 grid_thread(void)
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

INLINE u32 grid_threads(void)
{
    return gridDim.x * blockDim.x;
}
