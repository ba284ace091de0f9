/* Evaluates, searches and solves the boards of a file, one a line: engine WEIGHTS BOARDS.
 *
 *   cc -O2 examples/engine.c -Iinclude -L FOLDER -lothello -o engine */
#include <stdio.h>
#include <stdlib.h>
#include "othello.h"

static void check(OthelloStatus status) {
    if (status != OTHELLO_STATUS_OK) {
        fprintf(stderr, "error: %s\n", othello_error());
        exit(1);
    }
}

static double discs(int32_t steps) { return (double)steps / OTHELLO_STEPS_PER_DISC; }

int main(int argc, char **argv) {
    OthelloWeights *weights;
    OthelloSearch *search;
    OthelloBoard board;
    OthelloFound found;
    int32_t value, line[60];
    size_t moves;
    char text[256];
    FILE *file = argc == 3 ? fopen(argv[2], "r") : NULL;
    if (!file) {
        fprintf(stderr, "usage: engine WEIGHTS BOARDS\n");
        return 2;
    }
    check(othello_weights_load(argv[1], &weights));
    check(othello_search_new(weights, "depth=6,exact=12", 16, 1, &search));
    while (fgets(text, sizeof text, file)) {
        check(othello_board_parse(text, &board, NULL));
        check(othello_evaluate(weights, &board, 1, &value));
        check(othello_search(search, &board, &found));
        printf("static %+.2f, depth %d %+.2f, line", discs(value), found.depth, discs(found.value));
        check(othello_line(search, line, &moves));
        for (size_t i = 0; i < moves; i++) printf(" %c%c", 'a' + line[i] % 8, '1' + line[i] / 8);
        printf("\n");
    }
    fclose(file);
    othello_search_free(search);
    othello_weights_free(weights);
}
