/* A program that uses only two exported C files: one by values from scratch and move by move, one for its names. */
#include <stdio.h>
#include "weights.h"
#include "other.h"

static int16_t words[OTHER_BYTES / 2 + 1];

/* The discs that a move on a square flips, by definition. */
static uint64_t flips(uint64_t player, uint64_t opponent, int square) {
    uint64_t found = 0;
    for (int direction = 0; direction < 9; direction++) {
        int x = square % 8, y = square / 8, dx = direction % 3 - 1, dy = direction / 3 - 1;
        uint64_t line = 0;
        while (x += dx, y += dy, x >= 0 && x < 8 && y >= 0 && y < 8 && (dx || dy) && opponent >> (8 * y + x) & 1)
            line |= UINT64_C(1) << (8 * y + x);
        if (x >= 0 && x < 8 && y >= 0 && y < 8 && player >> (8 * y + x) & 1) found |= line;
    }
    return found;
}

/* Checks values move by move against values from scratch for a game of first legal moves; returns the moves. */
static int follow(uint64_t player, uint64_t opponent, int side) {
    weights_state state;
    int moves = 0;
    weights_begin(&state, side > 0 ? player : opponent, side > 0 ? opponent : player);
    for (uint64_t legal; (legal = weights_moves(player, opponent)) || weights_moves(opponent, player);) {
        int square = 0;
        uint64_t flipped, before = player;
        if (legal) {
            int value = weights_value_of(weights_weights, &state, side, player, opponent);
            if (value != weights_value(weights_weights, player, opponent)) return -1;
            while (!(legal >> square & 1)) square++;
            flipped = flips(player, opponent, square);
            weights_move(&state, square, flipped, side);
            player |= flipped | UINT64_C(1) << square, opponent ^= flipped, moves++;
            before = player;
        }
        player = opponent, opponent = before, side = -side;
    }
    return moves;
}

int main(int argc, char **argv) {
    FILE *raw = fopen(argv[1], "rb"), *boards = fopen(argv[2], "r");
    if (argc != 3 || !raw || !boards || fread(words, 1, OTHER_BYTES + 1, raw) != OTHER_BYTES) return 2;
    for (char board[65], side; fscanf(boards, " %64[-XO] %c", board, &side) == 2;) {
        uint64_t discs[2] = {0, 0}, player, opponent;
        for (int s = 0; board[s]; s++) discs[board[s] == 'O'] |= (uint64_t)(board[s] != '-') << s;
        player = discs[side == 'O'], opponent = discs[side != 'O'];
        int value = weights_value(weights_weights, player, opponent);
        if (value != other_value(words, player, opponent)) return 3;
        if (follow(player, opponent, side == 'X' ? 1 : -1) < 0) return 4;
        printf("%d\n", value);
    }
}
