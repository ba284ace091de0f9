/* The scalar features of a board, as ../formats.md defines them, for weights.c. */
static const char *const SCALARS[9] = {"player_discs", "player_moves", "opponent_moves", "moves_pair",
    "player_potential_moves", "opponent_potential_moves", "odd_quadrants",
    "corner_moves", "x_square_moves"};

/* The number of the feature with this name; 9 for none. */
static int scalar_named(const char *name, size_t length) {
    int known = 0;
    while (known < 9 && (strncmp(name, SCALARS[known], length) || SCALARS[known][length])) known++;
    return known;
}
static uint64_t moves(uint64_t player, uint64_t opponent) {
    uint64_t found = 0;
    for (int step = 1; step < 10; step += step == 1 ? 6 : 1) { /* 1, 7, 8, 9, and back */
        uint64_t inner = opponent & (step == 8 ? ~0ull : 0x7E7E7E7E7E7E7E7E), up = player, down = up;
        for (int i = 0; i < 6; i++) up |= up << step & inner, down |= down >> step & inner;
        found |= ((up & inner) << step | (down & inner) >> step) & ~(player | opponent);
    }
    return found;
}
static int range(int n) {
    return (n > 0) + (n > 1) + (n > 2) + (n > 4) + (n > 6) + (n > 9) + (n > 13);
}
/* 5 times the moves of one side at squares, plus those of the other. */
static int both_at(uint64_t squares, uint64_t own, uint64_t other) {
    return 5 * __builtin_popcountll(own & squares) + __builtin_popcountll(other & squares);
}
static int count(int scalar, uint64_t player, uint64_t opponent) {
    uint64_t empty = ~(player | opponent), near = scalar == 4 ? opponent : player;
    uint64_t own_moves = moves(player, opponent), other_moves = moves(opponent, player);
    int own = __builtin_popcountll(own_moves), other = __builtin_popcountll(other_moves);
    int odd[4], all = 0; /* quadrants: left and right below, left and right above */
    for (int q = 0; q < 4; q++)
        all += odd[q] = __builtin_popcountll(empty >> (q % 2 * 4 + q / 2 * 32) & 0x0F0F0F0F) % 2;
    near |= (near & 0x7F7F7F7F7F7F7F7F) << 1 | (near & 0xFEFEFEFEFEFEFEFE) >> 1;
    near = (near | near << 8 | near >> 8) & empty;
    int counts[9] = {__builtin_popcountll(player), own, other, 8 * range(own) + range(other),
        __builtin_popcountll(near), __builtin_popcountll(near),
        all < 2 ? all : all > 2 ? all + 1 : 2 + (odd[0] == odd[3]),
        both_at(0x8100000000000081, own_moves, other_moves), both_at(0x0042000000004200, own_moves, other_moves)};
    return counts[scalar];
}
