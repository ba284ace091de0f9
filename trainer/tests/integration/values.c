/* A program that uses only the exported header and words, and the counts of the scalar features. */
#include <stdio.h>
#include <string.h>
#include "weights.h"
#include "scalars.h"

static int16_t weights[OTHELLO_BYTES / 2 + 1];

static int value(uint64_t player, uint64_t opponent) {
    int own = __builtin_popcountll(player), theirs = __builtin_popcountll(opponent), counts[OTHELLO_SCALARS + 1];
    if (!moves(player, opponent))
        return moves(opponent, player) ? -value(opponent, player)
            : 32 * (own > theirs ? 64 - 2 * theirs : own < theirs ? 2 * own - 64 : 0);
    for (int k = 0; k < OTHELLO_SCALARS; k++) {
        size_t length = 0;
        while (othello_scalars[k][length]) length++;
        counts[k] = count(scalar_named(othello_scalars[k], length), player, opponent);
    }
    return othello_value(weights, player, opponent, counts);
}

int main(int argc, char **argv) {
    FILE *words = fopen(argv[1], "rb"), *boards = fopen(argv[2], "r");
    size_t all = OTHELLO_BYTES;
    if (argc != 3 || !words || !boards || fread(weights, 1, all + 1, words) != all) return 2;
    for (char board[65], side; fscanf(boards, " %64[-XO] %c", board, &side) == 2;) {
        uint64_t discs[2] = {0, 0};
        for (int s = 0; board[s]; s++) discs[board[s] == 'O'] |= (uint64_t)(board[s] != '-') << s;
        printf("%d\n", value(discs[side == 'O'], discs[side != 'O']));
    }
}
