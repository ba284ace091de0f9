/* An Othello evaluation, written by `othello-trainer export --format c`.
 *
 * @name@_value(weights, player, opponent) is the value of a position for the side to move, in steps of 1/@STEPS@ disc.
 * @name@_begin, @name@_move and @name@_value_of keep the configurations of a line of play up to date.
 * Bit 0 of a board is a1, bit 7 is h1, bit 63 is h8. Nothing is allocated, and only `state` is written. The machine
 * is little-endian.
 *
 * @WHERE@
 * @BYTES@ bytes, SHA-256 @SHA256@. */
#ifndef @NAME@_H
#define @NAME@_H
#include <stdint.h>

#define @NAME@_STEPS_PER_DISC @STEPS@
#define @NAME@_PHASES @PHASES@ /* or groups of phases, where these share weights */
#define @NAME@_PHASES_OF_WEIGHTS @OWN@ /* phases that share weights */
#define @NAME@_BYTES @BYTES@ /* of the weights, and the factors after them */
#define @NAME@_WEIGHTS_OF_PHASE @OF_PHASE@
#define @NAME@_FACTORS @FACTORS@ /* the dimensions of a factor vector */
#define @NAME@_PHASES_OF_FACTORS @SHARED@ /* phases that share factors */
#define @NAME@_INSTANCES @INSTANCES@
#define @NAME@_SCALARS @SCALARS@
#define @NAME@_FIRST_SCALAR @FIRST_SCALAR@
#define @NAME@_COUNTS @COUNTS@ /* weights of a scalar feature */

/* The instances of the patterns: the place of the configuration of empty squares, and the squares. */
static const struct { int32_t empty; int8_t count; int8_t squares[10]; } @name@_instances[@NAME@_INSTANCES] = {
@ROWS@};

/* The scalar features by number: 0 discs of the player, 1 moves of the player, 2 of the opponent, 3 both, 4 and 5
 * potential moves of the player and of the opponent, 6 odd quadrants, 7 moves to corners, 8 to X squares. */
static const int8_t @name@_scalars[@NAME@_SCALARS + 1] = {@SCALAR_NUMBERS@};

/* The instances that each square belongs to, with its power of 3; those of square s begin at @name@_at[s]. */
static const struct { int8_t instance; int16_t power; } @name@_touched[] = {
@TOUCHED@};
static const int16_t @name@_at[65] = {@AT@};

static inline int @name@_bits(uint64_t set) {
    int bits = 0;
    for (; set; set &= set - 1) bits++;
    return bits;
}

/* The legal moves of the player. */
static inline uint64_t @name@_moves(uint64_t player, uint64_t opponent) {
    static const int steps[4] = {1, 7, 8, 9};
    uint64_t found = 0;
    for (int k = 0; k < 4; k++) {
        uint64_t inner = opponent & (steps[k] == 8 ? ~UINT64_C(0) : UINT64_C(0x7E7E7E7E7E7E7E7E)), up = player, down = player;
        for (int i = 0; i < 6; i++) up |= up << steps[k] & inner, down |= down >> steps[k] & inner;
        found |= (up & inner) << steps[k] | (down & inner) >> steps[k];
    }
    return found & ~(player | opponent);
}

static inline int @name@_range(int n) {
    return (n > 0) + (n > 1) + (n > 2) + (n > 4) + (n > 6) + (n > 9) + (n > 13);
}

/* The count of a scalar feature. */
static inline int @name@_count(int scalar, uint64_t player, uint64_t opponent) {
    uint64_t empty = ~(player | opponent), near = scalar == 4 ? opponent : player, squares = UINT64_C(0x42000000004200);
    if (scalar == 0) return @name@_bits(player);
    if (scalar == 4 || scalar == 5) {
        near |= (near & UINT64_C(0x7F7F7F7F7F7F7F7F)) << 1 | (near & UINT64_C(0xFEFEFEFEFEFEFEFE)) >> 1;
        return @name@_bits((near | near << 8 | near >> 8) & empty);
    }
    if (scalar == 6) {
        int odd[4], all = 0;
        for (int q = 0; q < 4; q++)
            all += odd[q] = @name@_bits(empty >> (q % 2 * 4 + q / 2 * 32) & UINT64_C(0x0F0F0F0F)) % 2;
        return all < 2 ? all : all > 2 ? all + 1 : 2 + (odd[0] == odd[3]);
    }
    uint64_t own = @name@_moves(player, opponent), other = @name@_moves(opponent, player);
    if (scalar < 3) return @name@_bits(scalar == 1 ? own : other);
    if (scalar == 3) return 8 * @name@_range(@name@_bits(own)) + @name@_range(@name@_bits(other));
    if (scalar == 7) squares = UINT64_C(0x8100000000000081);
    return 5 * @name@_bits(own & squares) + @name@_bits(other & squares);
}

/* The configurations of all instances, as black sees them: +1 for a black disc, -1 for a white one, times its power. */
typedef struct { int32_t index[@NAME@_INSTANCES]; } @name@_state;

static inline void @name@_add(@name@_state *state, int square, int amount) {
    for (int i = @name@_at[square]; i < @name@_at[square + 1]; i++)
        state->index[@name@_touched[i].instance] += amount * @name@_touched[i].power;
}

/* Begins with a position. */
static inline void @name@_begin(@name@_state *state, uint64_t black, uint64_t white) {
    for (int i = 0; i < @NAME@_INSTANCES; i++) state->index[i] = 0;
    for (int s = 0; s < 64; s++)
        if ((black | white) >> s & 1) @name@_add(state, s, black >> s & 1 ? 1 : -1);
}

/* Places a disc of a side (+1 black, -1 white) and flips discs. A pass changes nothing; to undo, copy the state before. */
static inline void @name@_move(@name@_state *state, int square, uint64_t flips, int side) {
    @name@_add(state, square, side);
    for (int s = 0; flips; s++, flips >>= 1)
        if (flips & 1) @name@_add(state, s, 2 * side);
}

/* The value for the player, who has a legal move and is of this side (+1 black, -1 white). */
static inline int @name@_value_of(
    const int16_t *weights, const @name@_state *state, int side, uint64_t player, uint64_t opponent) {
    const int phase = @name@_bits(player | opponent) - 4;
    const int8_t *factors = (const int8_t *)(weights + (int64_t)@NAME@_PHASES * @NAME@_WEIGHTS_OF_PHASE);
    int sum = 0, sums[@NAME@_FACTORS + 1] = {0};
    factors += (int64_t)(phase / @NAME@_PHASES_OF_FACTORS) * @NAME@_WEIGHTS_OF_PHASE * @NAME@_FACTORS;
    weights += (int64_t)(phase / @NAME@_PHASES_OF_WEIGHTS) * @NAME@_WEIGHTS_OF_PHASE;
    for (int i = 0; i < @NAME@_INSTANCES + @NAME@_SCALARS; i++) {
        int64_t place = i < @NAME@_INSTANCES
            ? @name@_instances[i].empty + side * state->index[i]
            : @NAME@_FIRST_SCALAR + @NAME@_COUNTS * (i - @NAME@_INSTANCES)
                + @name@_count(@name@_scalars[i - @NAME@_INSTANCES], player, opponent);
        sum += weights[place];
        for (int d = 0; d < @NAME@_FACTORS; d++) sums[d] += factors[@NAME@_FACTORS * place + d];
    }
    /* Half the squares of the first half of the sums, less half those of the second half, rounded down from 1/2. */
    int64_t squares = 0;
    for (int d = 0; d < @NAME@_FACTORS; d++)
        squares += (2 * d < @NAME@_FACTORS ? 1 : -1) * (int64_t)sums[d] * sums[d];
    sum += (int)((squares + 128 + ((int64_t)1 << 40)) / 256 - ((int64_t)1 << 32));
    const int most = 64 * @NAME@_STEPS_PER_DISC;
    return sum > most ? most : sum < -most ? -most : sum;
}

/* The value of any position for the side to move: after a pass if it has no move, the score if the game is over. */
static inline int @name@_value(const int16_t *weights, uint64_t player, uint64_t opponent) {
    if (!@name@_moves(player, opponent)) {
        int own = @name@_bits(player), theirs = @name@_bits(opponent);
        return @name@_moves(opponent, player) ? -@name@_value(weights, opponent, player)
            : @NAME@_STEPS_PER_DISC * (own > theirs ? 64 - 2 * theirs : own < theirs ? 2 * own - 64 : 0);
    }
    @name@_state state;
    @name@_begin(&state, player, opponent);
    return @name@_value_of(weights, &state, 1, player, opponent);
}
@TABLES@#endif
