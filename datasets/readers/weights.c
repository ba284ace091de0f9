/* Reads a weights file and values boards:
 *     cc -std=c11 -O2 weights.c -lzstd -o weights && ./weights FILE.weights BOARDS
 * Prints one whole number for each board line: the value for the side to move, in steps of 1/32 disc.
 * A reader to learn from, written from ../formats.md. It checks the checksum of every part; the
 * SHA-256 over all of them, which names the content, is left to weights.py. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

static struct { int squares[10], count, first, own; uint16_t *class_of; } patterns[64];
static int pattern_count, parameters, scalar_count;
static uint8_t *file, *phases[60]; /* the file, with zeros after its end; each phase's weights */
static uint64_t file_size, place, phase_bytes[60];

static void check(int condition, const char *problem) {
    if (condition) return;
    fprintf(stderr, "weights file, near byte %llu: %s\n", (unsigned long long)place, problem);
    exit(2);
}
static uint64_t number(const uint8_t *at, int bytes) { /* the lowest byte first */
    return bytes ? *at | number(at + 1, bytes - 1) << 8 : 0;
}
static uint8_t *take(uint64_t bytes) { /* the next part of the file, which its checksum follows */
    check(file_size - place >= 4 && bytes <= file_size - place - 4, "the file is cut short");
    uint8_t *part = file + place;
    uint32_t crc = ~0u;
    for (uint64_t i = 0; i < 8 * bytes; i++) {
        if (i % 8 == 0) crc ^= part[i / 8];
        crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
    }
    check((uint32_t)~crc == number(part + bytes, 4), "the checksum is wrong");
    place += bytes + 4;
    return part;
}
static int image(int symmetry, int square) { /* mirrored left and right, top and bottom, transposed */
    int x = symmetry & 1 ? 7 - square % 8 : square % 8, y = symmetry & 2 ? 7 - square / 8 : square / 8;
    return symmetry & 4 ? 8 * x + y : 8 * y + x;
}
static void add_pattern(const int *squares, int count) { /* finds the classes of its configurations */
    int size = 1, classes = 0, own = 0; /* own: how many symmetries map the pattern onto itself */
    for (int i = 0; i < count; i++) size *= 3;
    uint16_t *class_of = calloc(size, sizeof *class_of); /* first the smallest configuration of each */
    check(class_of && pattern_count < 64 && count > 0, "too many patterns, or an empty one");
    for (int c = 0; c < size; c++) class_of[c] = (uint16_t)c;
    for (int symmetry = 0; symmetry < 8; symmetry++) {
        int power[10] = {0}, found = 0; /* what each digit counts where the symmetry takes it */
        for (int i = 0; i < count; i++)
            for (int j = 0, p = 1; j < count; j++, p *= 3)
                if (squares[j] == image(symmetry, squares[i])) power[i] = p, found++;
        if (found < count) continue;
        own++;
        for (int c = 0; c < size; c++) {
            int tied = 0;
            for (int i = 0, rest = c; i < count; i++, rest /= 3) tied += rest % 3 * power[i];
            if (tied < class_of[c]) class_of[c] = (uint16_t)tied;
        }
    }
    for (int c = 0; c < size; c++)
        class_of[c] = class_of[c] == c ? (uint16_t)classes++ : class_of[class_of[c]];
    patterns[pattern_count].count = count, patterns[pattern_count].own = own;
    patterns[pattern_count].first = parameters, patterns[pattern_count].class_of = class_of;
    memcpy(patterns[pattern_count++].squares, squares, count * sizeof *squares);
    parameters += classes;
}
static void read_pattern_set(char *toml) { /* the two keys that matter stand on lines of their own */
    for (char *line = strtok(toml, "\n"); line; line = strtok(NULL, "\n")) {
        int squares[10], count = 0;
        if (!strncmp(line, "squares = \"", 11)) {
            for (line += 11; *line && *line != '"'; line += 2 + (line[2] == ' ')) {
                int valid = count < 10 && *line >= 'a' && *line <= 'h' && line[1] >= '1' && line[1] <= '8';
                check(valid, "a pattern has no valid squares");
                squares[count++] = *line - 'a' + 8 * (line[1] - '1');
            }
            add_pattern(squares, count);
        } else if (!strncmp(line, "scalars = ", 10)) {
            scalar_count = !strcmp(line + 10, "[\"player_discs\"]");
            check(scalar_count || !strcmp(line + 10, "[]"), "unknown scalar features");
        }
    }
}
static void read_weights(void) { /* the container: header, sections, end */
    check(!memcmp(file, "OTHELLOW\1\0\0", 12), "it is no weights file of version 1");
    take(16 + number(file + 12, 4));
    while (!memcmp(file + place, "SECT", 4)) {
        uint8_t *head = take(24 + number(file + place + 4, 4));
        uint64_t name_bytes = number(head + 4, 4), stored = number(head + 8, 8), bytes = number(head + 16, 8);
        check(bytes <= 1 << 30, "a section is too large");
        uint8_t *content = calloc(bytes + 1, 1), *packed = take(stored);
        check(content && ZSTD_decompress(content, bytes, packed, stored) == bytes, "it cannot be unpacked");
        head[24 + name_bytes] = 0; /* the name's end, in place of the checksum */
        char *name = (char *)head + 24;
        int phase = !strncmp(name, "weights ", 8) && strlen(name) == 10 ? atoi(name + 8) : -1;
        if (!strcmp(name, "pattern set")) read_pattern_set((char *)content);
        if (phase >= 0 && phase < 60) phases[phase] = content, phase_bytes[phase] = bytes;
        else free(content);
    }
    check(!memcmp(take(44), "END.", 4) && place == file_size, "its end is not where it should be");
    for (int p = 0; p < 60; p++)
        check(phases[p] && phase_bytes[p] == 2ull * (parameters + 65 * scalar_count), "wrong weights");
}
static int can_move(const int *board) { /* 1 the player's disc, -1 the opponent's, 0 empty */
    for (int i = 0; i < 64 * 9; i++) {
        int x = i / 9 % 8, y = i / 72, right = i % 3 - 1, down = i / 3 % 3 - 1, taken = 0;
        if (board[8 * y + x]) continue;
        do x += right, y += down, taken++;
        while (x >= 0 && x < 8 && y >= 0 && y < 8 && board[8 * y + x] == -1);
        if (taken > 1 && x >= 0 && x < 8 && y >= 0 && y < 8 && board[8 * y + x] == 1) return 1;
    }
    return 0;
}
static int value(const int *board, int passed) {
    int opposite[64], player = 0, opponent = 0, sum = 0;
    for (int s = 0; s < 64; s++)
        opposite[s] = -board[s], player += board[s] == 1, opponent += board[s] == -1;
    int sign = (player > opponent) - (player < opponent), empty = 64 - player - opponent;
    if (!can_move(board)) /* after two passes the game is over: the empty squares go to the winner */
        return passed ? -32 * (player - opponent + sign * empty) : -value(opposite, 1);
    return 0;
}
