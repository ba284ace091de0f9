/* Values boards by a weights file: cc -O2 weights.c -lzstd -o weights && ./weights WEIGHTS BOARDS
 * For each board line, prints the value for the side to move in steps of 1/32 disc; refuses other
 * lines by line and column, status 2. A reader to learn from, written from ../formats.md, in C11
 * with libzstd.
 * Of the checksums it leaves only the SHA-256, which names the content, to weights.py. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include "container.h"
#include "changes.h"
#include "factors.h"
#include "scalars.h"

static struct Pattern { int squares[10], count, symmetries, parameter_of[59049]; } set[64];
static int patterns, parameters, scalars[10], scalar_count; /* parameters: weights of a phase */
static uint8_t *phases[61];               /* the weights of each */

/* What stands on an image of a pattern, as a number from 0 on: opponent 0, empty 1, player 2. */
static int configuration(const struct Pattern *p, int symmetry, const int *digits) {
    int sum = 0;
    for (int i = p->count - 1; i >= 0; i--) {
        int s = p->squares[i] ^ (symmetry & 1 ? 7 : 0) ^ (symmetry & 2 ? 56 : 0); /* two mirrors */
        sum = 3 * sum + digits[symmetry & 4 ? s % 8 * 8 + s / 8 : s];
    }
    return sum;
}
static void number_classes(struct Pattern *p, int size) { /* of the pattern's `size` configurations */
    int digits[64];
    for (int s = 0; s < 64; s++) digits[s] = size; /* more than any configuration */
    for (int c = 0; c < size; c++) {
        int smallest = c; /* of the configurations that a symmetry of the pattern ties to c */
        for (int i = 0, rest = c; i < p->count; i++, rest /= 3) digits[p->squares[i]] = rest % 3;
        for (int symmetry = 0; symmetry < 8; symmetry++) {
            int tied = configuration(p, symmetry, digits); /* at least `size` off the pattern */
            smallest = tied < smallest ? tied : smallest, p->symmetries += c + tied == 0;
        }
        p->parameter_of[c] = smallest < c ? p->parameter_of[smallest] : parameters++;
    }
}
static void read_pattern_set(char *at) { /* formats.md: the keys begin lines, in this very form */
    const char *name = strstr(at, "\nscalars = [");
    check(name != NULL, "no scalar features, not even none"), read_shape(at);
    for (name += 12; *name == '"'; name += 1 + strspn(name + 1, ", ")) {
        size_t length = strcspn(++name, "\"\n");
        scalars[scalar_count++] = scalar_named(name, length), name += length;
        check(scalar_count < 10 && scalars[scalar_count - 1] < 9, "unknown scalar features");
    }
    for (int size = 1; patterns < 64 && (at = strstr(at, "\nsquares = \"")); size = 1) {
        struct Pattern *p = &set[patterns++];
        for (at += 12; *at != '"'; at += at[2] == ' ' ? 3 : 2, size *= 3) {
            int x = at[0] - 'a', y = at[1] - '1', valid = x >= 0 && x < 8 && y >= 0 && y < 8;
            check(valid && p->count < 10, "a pattern's squares are not valid");
            p->squares[p->count++] = 8 * y + x;
        }
        number_classes(p, size);
    }
    parameters += 65 * scalar_count;
}
static void read_section(void) {
    uint8_t *head = take(24 + number(file + place + 4, 4)), *packed = take(number(head + 8, 8));
    uint64_t size = number(head + 16, 8), stored = number(head + 8, 8);
    char *name = (char *)head + 24, *content = size > 1 << 30 ? NULL : calloc(size + 1, 1);
    name[number(head + 4, 4)] = 0; /* in place of the checksum */
    check(content && ZSTD_decompress(content, size, packed, stored) == size, "cannot unpack");
    unsigned phase = 60; /* stands for all other sections */
    if (!strcmp(name, "pattern set") && !parameters) read_pattern_set(content);
    int changes = sscanf(name, "weight changes %2u", &phase);
    if (changes == 1 || sscanf(name, "weights %2u", &phase) == 1)
        check(phase < 60 && parameters && size == 2u * parameters, "weights of another pattern set");
    if (changes == 1) {
        check(!phase || phases[phase - 1], "changes to weights that did not come before");
        add_changes((uint8_t *)content, parameters, phase ? phases[phase - 1] : NULL);
    }
    if (!is_group(name, size, content, parameters))
        free(phases[phase]), phases[phase] = (uint8_t *)content;
}
static int value(uint64_t player, uint64_t opponent) {
    int discs = __builtin_popcountll(player), theirs = __builtin_popcountll(opponent), digits[64];
    if (!moves(player, opponent)) /* a pass, or the end: the empty squares go to the winner */
        return moves(opponent, player) ? -value(opponent, player)
            : 32 * (discs > theirs ? 64 - 2 * theirs : discs < theirs ? 2 * discs - 64 : 0);
    const int phase = discs + theirs - 4, first = parameters - 65 * scalar_count;
    int sum = 0, factors[128] = {0};
    for (int n = 0; n < scalar_count; n++) {
        int parameter = first + 65 * n + count(scalars[n], player, opponent);
        sum += (int16_t)number(phases[phase] + 2 * parameter, 2), add_factors(factors, phase, parameter, 8);
    }
    for (int s = 0; s < 64; s++) digits[s] = 1 + (int)(player >> s & 1) - (int)(opponent >> s & 1);
    for (struct Pattern *p = set; p < set + patterns; p++) {
        int images = 0; /* every instance comes up as often as the pattern has symmetries */
        for (int n = 0; n < 8; n++) {
            int parameter = p->parameter_of[configuration(p, n, digits)];
            images += (int16_t)number(phases[phase] + 2 * parameter, 2);
            add_factors(factors, phase, parameter, 8 / p->symmetries);
        }
        sum += images / p->symmetries;
    }
    sum += together(factors);
    return sum > 2048 ? 2048 : sum < -2048 ? -2048 : sum;
}
static void refuse(const char *path, int line, long column, const char *expected) {
    fprintf(stderr, "%s, line %d, column %ld: expected %s\n", path, line, column + 1, expected);
    exit(2);
}
/* Reads 64 squares, then perhaps the side to move (else X) and a score: {the player's, the opponent's}. */
static void read_board(const char *path, int line, const char *text, uint64_t discs[2]) {
    const char *at = text + 64;
    discs[0] = discs[1] = 0;
    for (int s = 0; s < 64; s++) {
        if (!text[s] || !strchr("X*O-.", text[s])) refuse(path, line, s, "one of X, *, O, - and . for 64 squares");
        discs[text[s] == 'O'] |= (uint64_t)(text[s] != '-' && text[s] != '.') << s;
    }
    if (!*at || !strchr(" \t\r\n", *at)) refuse(path, line, 64, "a blank or the end of the line after 64 squares");
    at += strspn(at, " \t");
    int states_side = *at && strchr("XO*", *at) && (!at[1] || strchr(" \t\r\n", at[1]));
    if (states_side && *at == 'O') { uint64_t black = discs[0]; discs[0] = discs[1], discs[1] = black; }
    if (states_side) at += 1 + strspn(at + 1, " \t");
    char *end = (char *)at;
    if (strchr("+-0123456789", *at)) strtod(at, &end);
    if (*(end += strspn(end, " \t\r\n"))) refuse(path, line, end - text, "the side to move (X or O), a score, or the end");
    if (__builtin_popcountll(discs[0] | discs[1]) < 4) refuse(path, line, 0, "at least four discs");
}
int main(int argc, char **argv) {
    FILE *in = argc == 3 ? fopen(argv[1], "rb") : NULL, *boards = in ? fopen(argv[2], "r") : NULL;
    check(boards && !fseek(in, 0, SEEK_END), "expected two files to read, WEIGHTS BOARDS");
    file_size = (uint64_t)ftell(in), file = calloc(file_size + 64, 1), rewind(in);
    check(file && fread(file, 1, file_size, in) == file_size, "cannot read the weights");
    check(!memcmp(file, "OTHELLOW\1\0\0", 12), "this is not a weights file of version 1");
    take(16 + number(file + 12, 4));
    while (!memcmp(file + place, "SECT", 4)) read_section();
    check(!memcmp(take(44), "END.", 4) && place == file_size, "the end is not where it should be");
    for (int phase = 0; phase < 60; phase++)
        check(phases[phase] && (!dimensions || groups[phase / shared_by]), "a phase is missing");
    char text[256];
    for (int line = 1; fgets(text, sizeof text, boards); line++) {
        uint64_t discs[2];
        if (!strchr(text, '\n') && !feof(boards)) refuse(argv[2], line, 255, "a shorter line");
        if (!text[strspn(text, " \t\r\n")]) continue;
        read_board(argv[2], line, text, discs), printf("%d\n", value(discs[0], discs[1]));
    }
}
