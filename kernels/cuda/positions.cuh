// From a position to its parameters, by arithmetic in registers. Included after the header of the
// pattern set, which defines
//
//   FEATURES        how many parameters a position has
//   EACH_FEATURE    a list of PAIRED, PLAIN, MAPPED and PLAYER_DISCS, one for each of them
//
// Squares are digits 0 (empty), 1 (player), 2 (opponent). The 64 digits lie in 16 words of four
// bytes; `DOT` adds the digits of one word, times four powers of three, to a number: one instruction
// (dp4a) for up to four squares. A lane of the standard set takes about 6 of them for a (the first
// squares of its mirrored pairs), b (the second squares) and c (the fixed squares), and 6 more for
// the class c * stride + x(x + 1)/2 + y, with x the larger and y the smaller of a and b. With 130
// for the digits that is about 900 instructions a position, and no table is looked at. Adding a
// vector for each disc takes 2,300 additions and as many loads; tables by nibbles 250 loads of
// shared memory and room for 80 KiB of them.

// Bit i of a nibble to the lowest bit of byte i: the product places bit i at i + 7 j for j = 0..3,
// all of them different, and only i = j lands on a byte's lowest bit.
INLINE u32 spread(u32 nibble)
{
    return (nibble * 0x00204081u) & 0x01010101u;
}

INLINE u32 digits_of(u32 player, u32 opponent, u32 word)
{
    const u32 shift = 4 * (word % 8);
    return spread((player >> shift) & 15) + 2 * spread((opponent >> shift) & 15);
}

// The class of a pattern with one mirror.
INLINE u32 paired_class(u32 a, u32 b, u32 c, u32 stride)
{
    const u32 x = a > b ? a : b;
    const u32 y = a > b ? b : a;
    return c * stride + ((x * (x + 1)) >> 1) + y;
}

// Writes for each feature its parameter: the first of its pattern and the class. `firsts` 0 gives
// the class alone, which fits 16 bits.
INLINE void find_parameters(const Row *row, u32 firsts, u32 *parameters)
{
    u32 digits[16];
#pragma unroll
    for (u32 word = 0; word < 16; word++)
        digits[word] = digits_of(row->player[word / 8], row->opponent[word / 8], word);

#define DOT(word, powers, sum) dot_bytes(digits[word], powers, sum)
#define PAIRED(feature, first, stride, a, b, c) \
    parameters[feature] = firsts * first + paired_class(a, b, c, stride);
#define PLAIN(feature, first, c) parameters[feature] = firsts * first + (c);
#define MAPPED(feature, first, c, map) parameters[feature] = firsts * first + map[c];
#define PLAYER_DISCS(feature, first) \
    parameters[feature] = firsts * first + __popc(row->player[0]) + __popc(row->player[1]);
    EACH_FEATURE
#undef DOT
#undef PAIRED
#undef PLAIN
#undef MAPPED
#undef PLAYER_DISCS
}

// Arrays by feature, also for a set without any.
#define FEATURE_ARRAY (FEATURES > 0 ? FEATURES : 1)

INLINE i32 sum_of(const i32 *weights, const u32 *parameters)
{
    i32 sum = 0;
#pragma unroll
    for (u32 feature = 0; feature < FEATURES; feature++)
        sum += weights[parameters[feature]];
    return sum;
}
