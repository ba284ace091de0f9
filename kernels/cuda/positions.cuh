// Computes the parameter indices of a position by arithmetic in registers. This file is included
// after the header of the pattern set, which defines
//
//   FEATURES        the number of parameters that a position has
//   DIMENSIONS      the width of a parameter's factor vector; 0 for a set without factors
//   EACH_FEATURE    a list with one entry for each feature: PAIRED, PLAIN or MAPPED for an instance
//                   of a pattern, or the name of a scalar feature
//
// Each square is a digit: 0 (empty), 1 (player) or 2 (opponent). The 64 digits are stored in 16
// words of four bytes. `DOT` multiplies the digits of one word by four powers of three and adds
// them to a number, in one instruction (dp4a) for up to four squares. A pattern instance of the
// standard set takes about 6 such instructions for the numbers a (from the first squares of its
// mirrored pairs), b (the second squares) and c (the fixed squares). It takes 6 more for the class
// c * stride + x(x + 1)/2 + y, where x is the larger and y the smaller of a and b. With 130
// instructions for the digits, this is about 900 instructions per position, without any table. Two
// alternatives are slower: adding a vector for each disc takes 2,300 additions and as many loads,
// and tables by nibbles take 250 loads and 80 KiB of shared memory.

// Moves bit i of a nibble to the lowest bit of byte i. The product places copies of bit i at i + 7
// j for j = 0..3. All these places differ, and only the copy with j = i is at the lowest bit of a
// byte.
INLINE u32 spread(u32 nibble)
{
    return (nibble * 0x00204081u) & 0x01010101u;
}

INLINE u32 digits_of(u32 player, u32 opponent, u32 word)
{
    const u32 shift = 4 * (word % 8);
    return spread((player >> shift) & 15) + 2 * spread((opponent >> shift) & 15);
}

// Returns the class of a configuration of a pattern with one mirror symmetry. Swapping a and b
// mirrors the configuration, so both orders give the same class.
INLINE u32 paired_class(u32 a, u32 b, u32 c, u32 stride)
{
    const u32 x = a > b ? a : b;
    const u32 y = a > b ? b : a;
    return c * stride + ((x * (x + 1)) >> 1) + y;
}

// Returns the squares next to a straight line of `inner` discs whose other end is a disc of
// `player`. `step` is the bit distance of the line's squares; both directions are covered.
INLINE u64 reached(u64 player, u64 inner, u32 step)
{
    u64 up = player, down = player;
#pragma unroll
    for (u32 i = 0; i < 6; i++) {
        up |= (up << step) & inner;
        down |= (down >> step) & inner;
    }
    return ((up & inner) << step) | ((down & inner) >> step);
}

// Returns the squares of the player's legal moves.
INLINE u64 moves_of(u64 player, u64 opponent)
{
    const u64 inner = opponent & 0x7e7e7e7e7e7e7e7eull;
    const u64 found = reached(player, inner, 1) | reached(player, inner, 7) |
                      reached(player, opponent, 8) | reached(player, inner, 9);
    return found & ~(player | opponent);
}

// Returns the index (0 to 7) of the range that contains the number of `squares`: 0, 1, 2, 3-4, 5-6,
// 7-9, 10-13, 14 or more.
INLINE u32 moves_range(u64 squares)
{
    const u32 moves = __popcll(squares);
    return (moves > 0) + (moves > 1) + (moves > 2) + (moves > 4) + (moves > 6) + (moves > 9) + (moves > 13);
}

// Returns the number of empty squares next to at least one of `discs`.
INLINE u32 potential_moves(u64 discs, u64 empty)
{
    const u64 row = discs | ((discs << 1) & 0xfefefefefefefefeull) | ((discs >> 1) & 0x7f7f7f7f7f7f7f7full);
    return __popcll((row | (row << 8) | (row >> 8)) & empty);
}

// Classifies the quadrants with an odd number of empty squares, up to symmetry. Returns 0 if there
// are none, 1 for one, 2 for two adjacent, 3 for two opposite, 4 for three, and 5 for four.
INLINE u32 odd_quadrants(u64 empty)
{
    const u32 a = __popcll(empty & 0x000000000f0f0f0full) & 1, b = __popcll(empty & 0x00000000f0f0f0f0ull) & 1;
    const u32 c = __popcll(empty & 0x0f0f0f0f00000000ull) & 1, d = __popcll(empty & 0xf0f0f0f000000000ull) & 1;
    const u32 odd = a + b + c + d;
    return odd > 2 ? odd + 1 : odd + (odd == 2 && a == d);
}

// Writes the parameter index of each feature of a position: the first index of its pattern plus the
// class of its configuration.
INLINE void find_parameters(const Row *row, u32 *parameters)
{
    u32 digits[16];
#pragma unroll
    for (u32 word = 0; word < 16; word++)
        digits[word] = digits_of(row->player[word / 8], row->opponent[word / 8], word);

#define DOT(word, powers, sum) dot_bytes(digits[word], powers, sum)
#define PAIRED(feature, first, stride, a, b, c) \
    parameters[feature] = first + paired_class(a, b, c, stride);
#define PLAIN(feature, first, c) parameters[feature] = first + (c);
#define MAPPED(feature, first, c, map) parameters[feature] = first + map[c];
    const u64 player = row->player[0] | (u64)row->player[1] << 32;
    const u64 opponent = row->opponent[0] | (u64)row->opponent[1] << 32;
    const u64 empty = ~(player | opponent);
    // The compiler omits the quantities that no feature of the set uses, and computes those that
    // several features use only once.
    const u64 moves = moves_of(player, opponent), replies = moves_of(opponent, player);
#define SCALAR(feature, first, count) parameters[feature] = first + (count);
#define PLAYER_DISCS(feature, first) SCALAR(feature, first, __popcll(player))
#define PLAYER_MOVES(feature, first) SCALAR(feature, first, __popcll(moves))
#define OPPONENT_MOVES(feature, first) SCALAR(feature, first, __popcll(replies))
#define MOVES_PAIR(feature, first) SCALAR(feature, first, 8 * moves_range(moves) + moves_range(replies))
#define PLAYER_POTENTIAL_MOVES(feature, first) SCALAR(feature, first, potential_moves(opponent, empty))
#define OPPONENT_POTENTIAL_MOVES(feature, first) SCALAR(feature, first, potential_moves(player, empty))
#define ODD_QUADRANTS(feature, first) SCALAR(feature, first, odd_quadrants(empty))
#define BOTH_AT(squares) (5 * __popcll(moves & squares) + __popcll(replies & squares))
#define CORNER_MOVES(feature, first) SCALAR(feature, first, BOTH_AT(0x8100000000000081ull))
#define X_SQUARE_MOVES(feature, first) SCALAR(feature, first, BOTH_AT(0x0042000000004200ull))
    EACH_FEATURE
#undef DOT
#undef PAIRED
#undef PLAIN
#undef MAPPED
#undef SCALAR
#undef PLAYER_DISCS
#undef PLAYER_MOVES
#undef OPPONENT_MOVES
#undef MOVES_PAIR
#undef PLAYER_POTENTIAL_MOVES
#undef OPPONENT_POTENTIAL_MOVES
#undef ODD_QUADRANTS
#undef BOTH_AT
#undef CORNER_MOVES
#undef X_SQUARE_MOVES
}

// The length of arrays with an element for each feature; 1 for a set without features, because C
// has no empty arrays.
#define FEATURE_ARRAY (FEATURES > 0 ? FEATURES : 1)

INLINE i32 sum_of(const i32 *weights, const u32 *parameters)
{
    i32 sum = 0;
#pragma unroll
    for (u32 feature = 0; feature < FEATURES; feature++)
        sum += weights[parameters[feature]];
    return sum;
}
