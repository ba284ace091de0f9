// What the device could do at most: each kind of work that the gradient kernels do, alone. For
// `bench`; no fit runs them. Every kernel adds what it found to a checksum, or leaves it in the sums,
// so that none of its work can be left out and the caller sees that it touched what it should.
//
//                  instructions  stream read    memory accesses measured
//   index_only         1,150       20, the row    none
//   global_gathers       550       65 * 4 bytes   65 gathers of 4 bytes in global memory
//   global_atomics       480       65 * 4 bytes   65 reductions of 8 bytes in global memory
//   shared_gathers       420       65 * 2 bytes   65 gathers of 4 bytes in shared memory
//   shared_atomics       390       65 * 2 bytes   65 reductions of 4 bytes in shared memory
//
// (For each position of the standard set; PTX instructions, counted in what NVRTC writes.) Streams
// hold the parameters of the same positions that the gradient kernels run over, computed beforehand,
// so that the accesses meet the same addresses as often, with about the same conflicts.
// `residual_sums` is limited by index_only, global_gathers and global_atomics; the tiles by
// index_only, shared_gathers and shared_atomics. Each limit takes one kind of work alone: a kernel
// that does several reaches it only where the others hide behind it.

// Computes the parameters of rows. Checksum: the sum of them all.
KERNEL index_only(const Row *rows, u32 count, u64 *checksum)
{
    u64 total = 0;
    for (u32 at = grid_thread(); at < count; at += grid_threads()) {
        const Row row = rows[at];
        u32 parameters[FEATURE_ARRAY];
        find_parameters(&row, 1, parameters);
        // At most 65 * 2^22.
        u32 sum = 0;
#pragma unroll
        for (u32 feature = 0; feature < FEATURES; feature++)
            sum += parameters[feature];
        total += sum;
    }
    atomicAdd(checksum, total);
}

// Gathers the weights of a stream parameters[feature * count + row]: 32 threads read 128
// neighbouring bytes of it, 65 gathers of a thread do not wait for each other. Checksum: their sum.
KERNEL global_gathers(const u32 *parameters, u32 count, const i32 *weights, u64 *checksum)
{
    i64 total = 0;
    for (u32 at = grid_thread(); at < count; at += grid_threads()) {
        i32 sum = 0;
#pragma unroll
        for (u32 feature = 0; feature < FEATURES; feature++)
            sum += weights[parameters[feature * count + at]];
        total += sum;
    }
    atomicAdd(checksum, (u64)total);
}

// What is added by the atomics: small, and not the same for all threads of a warp, which hardware adds
// up at once where they meet.
INLINE u32 small_term(u32 at)
{
    return 1 + at % 16;
}

// Adds a small term for each parameter of the same stream to its 64-bit sum.
KERNEL global_atomics(const u32 *parameters, u32 count, u64 *sums)
{
    for (u32 at = grid_thread(); at < count; at += grid_threads()) {
        // All reads come before the first atomic, which the compiler lets none pass.
        u32 found[FEATURE_ARRAY];
#pragma unroll
        for (u32 feature = 0; feature < FEATURES; feature++)
            found[feature] = parameters[feature * count + at];
#pragma unroll
        for (u32 feature = 0; feature < FEATURES; feature++)
            atomicAdd(&sums[found[feature]], small_term(at));
    }
}

// A part of the stream that meets one range of parameters, which fits shared memory.
typedef struct {
    u32 first_parameter;
    u32 classes;
    // Which words of `places`: four places of 16 bits each, counted from the first parameter. The
    // place behind the last class fills up a tile's last word; it is there and counts for nothing.
    u32 begin;
    u32 end;
} Slice;

#define PLACES_PER_WORD 4

// Words that a thread reads at once, before it uses any of them: so the reads wait for each other no
// more than the accesses to shared memory do.
#define WORDS_AT_ONCE 4

// Reads the words at, at + blockDim.x, … of a slice; in the place of those behind its end, words that
// count for nothing.
INLINE void read_words(const Slice *slice, const u64 *places, u32 at, u64 *words)
{
#pragma unroll
    for (u32 word = 0; word < WORDS_AT_ONCE; word++) {
        const u32 next = at + word * blockDim.x;
        words[word] = next < slice->end ? places[next] : slice->classes * 0x0001000100010001ull;
    }
}

INLINE u32 place_of(u64 word, u32 number)
{
    return (u32)(word >> (16 * number)) & 0xFFFF;
}

// Gathers weights from shared memory: a slice for each block. Checksum: their sum.
KERNEL shared_gathers(const Slice *slices, const u64 *places, const i32 *weights, u64 *checksum)
{
    DYNAMIC_SHARED(i32, table);
    const Slice slice = slices[blockIdx.x];
    for (u32 at = threadIdx.x; at <= slice.classes; at += blockDim.x)
        table[at] = at < slice.classes ? weights[slice.first_parameter + at] : 0;
    __syncthreads();
    i64 total = 0;
    for (u32 at = slice.begin + threadIdx.x; at < slice.end; at += WORDS_AT_ONCE * blockDim.x) {
        u64 words[WORDS_AT_ONCE];
        read_words(&slice, places, at, words);
        i32 sum = 0;
#pragma unroll
        for (u32 number = 0; number < WORDS_AT_ONCE * PLACES_PER_WORD; number++)
            sum += table[place_of(words[number / PLACES_PER_WORD], number % PLACES_PER_WORD)];
        total += sum;
    }
    atomicAdd(checksum, (u64)total);
}

// Adds a small term at each place, in shared memory: at most 16 for each of a slice's places, so that
// 32 bits do. Checksum: the sum of (parameter + 1) * what was added to it.
KERNEL shared_atomics(const Slice *slices, const u64 *places, u64 *checksum)
{
    DYNAMIC_SHARED(u32, added);
    const Slice slice = slices[blockIdx.x];
    for (u32 at = threadIdx.x; at <= slice.classes; at += blockDim.x)
        added[at] = 0;
    __syncthreads();
    for (u32 at = slice.begin + threadIdx.x; at < slice.end; at += WORDS_AT_ONCE * blockDim.x) {
        u64 words[WORDS_AT_ONCE];
        read_words(&slice, places, at, words);
#pragma unroll
        for (u32 number = 0; number < WORDS_AT_ONCE * PLACES_PER_WORD; number++) {
            const u32 place = place_of(words[number / PLACES_PER_WORD], number % PLACES_PER_WORD);
            atomicAdd(&added[place], small_term(at));
        }
    }
    __syncthreads();
    u64 total = 0;
    for (u32 at = threadIdx.x; at < slice.classes; at += blockDim.x)
        total += (u64)(slice.first_parameter + at + 1) * added[at];
    atomicAdd(checksum, total);
}
