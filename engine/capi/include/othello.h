#ifndef OTHELLO_H
#define OTHELLO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The Othello engine as a library.
 *
 * Squares are numbered 0 to 63: a1, b1, ... h1, a2, ... h8. In a bitboard, square S is the bit
 * 1 << S. A board is seen by its player, the side to move. Values and scores are for the player.
 *
 * A function that can fail returns an OthelloStatus; on failure it changes none of its results,
 * and othello_error() returns a text. Handles are made by othello_weights_* and
 * othello_search_new, and freed by the function of the same name with `free`. No pointer may be
 * null unless its description allows it, and a text ends with a zero.
 *
 * All functions may be called by several threads at once. Weights can be shared by any number of
 * threads and searches. Searches with one handle wait for each other; othello_search_stop does
 * not wait.
 */

// A pass, where a function accepts or returns the number of a square (0 to 63).
#define OTHELLO_PASS -1

// The number of steps in one disc. All values are whole numbers of steps.
#define OTHELLO_STEPS_PER_DISC 32

// The status that a function of this library returns.
typedef enum {
  // The call succeeded.
  OTHELLO_STATUS_OK = 0,
  // An argument is not valid: it is null, not a position, not a legal move, or not a setting.
  OTHELLO_STATUS_ARGUMENT = 1,
  // A weights file cannot be read, is damaged, or lacks a required model, such as ProbCut.
  OTHELLO_STATUS_WEIGHTS = 2,
  // There is too little memory, or the system allows no further thread.
  OTHELLO_STATUS_MEMORY = 3,
  // The library panicked, by a bug. Do not use again a handle that was passed to the call.
  OTHELLO_STATUS_INTERNAL = 4,
} OthelloStatus;

// The kind of term that contributes a part to a static value.
typedef enum {
  // The linear weight of one pattern instance, a pattern on fixed squares.
  OTHELLO_PART_KIND_PATTERN = 0,
  // The weight of a scalar feature: a count, such as the number of legal moves.
  OTHELLO_PART_KIND_SCALAR = 1,
  // The pairwise interactions of all patterns and scalar features (factorization machine).
  OTHELLO_PART_KIND_FACTORS = 2,
} OthelloPartKind;

// A handle for searches: settings, threads, and a transposition table with earlier results.
typedef struct OthelloSearch OthelloSearch;

// Weights in memory. Weights never change, so several threads and searches can share them.
typedef struct OthelloWeights OthelloWeights;

// A board: the discs of the player (the side to move) and of the opponent.
typedef struct {
  // The player's discs as a bitboard: bit 0 is a1, bit 1 b1, and so on to bit 63, h8.
  uint64_t player;
  // The opponent's discs as a bitboard, in the same order of squares as the player's.
  uint64_t opponent;
} OthelloBoard;

// The result of a search.
typedef struct {
  // The value, or the score if solved, in steps of 1/OTHELLO_STEPS_PER_DISC disc for the player.
  int32_t value;
  // The square of the best move, 0 to 63; OTHELLO_PASS if the player has no legal move.
  int32_t best;
  // The depth that the search reached, in moves: less than requested if a limit ended it.
  int32_t depth;
  // The confidence of ProbCut pruning in percent; 100 for a search without ProbCut.
  int32_t confidence;
  // True if the value is the score under perfect play.
  bool is_exact;
  // The number of nodes that the search visited.
  uint64_t nodes;
} OthelloFound;

// A part of a static value. The sum of all parts of a board, clamped to -64 to 64 discs, is its
// static value.
typedef struct {
  // The kind of this part of a static value: pattern, scalar feature or factors.
  OthelloPartKind kind;
  // The amount that this part adds to the value, in steps of 1/OTHELLO_STEPS_PER_DISC disc.
  int32_t steps;
  // The squares of the pattern instance as a bitboard; 0 for a part of another kind.
  uint64_t squares;
} OthelloPart;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Returns the error message of the last failed call of this thread: what was wrong, where, and
// what was expected. The text is empty if no call failed, and valid until the next call fails.
const char *othello_error(void);

// Reads a board from a text: 64 squares and the side to move, OBF, or the moves of a game such as
// "f5d6c3". Sets `is_white`, which may be null, to true if white is to move, otherwise to false.
OthelloStatus othello_board_parse(const char *text, OthelloBoard *board, bool *is_white);

// Finds the player's legal moves as a bitboard: 0 if the player must pass or the game is over.
OthelloStatus othello_moves(const OthelloBoard *board, uint64_t *moves);

// Plays a move on `square`, or a pass if it is OTHELLO_PASS. The opponent becomes the player of
// `board`. A pass is legal only if the player has no legal move and the opponent has one.
OthelloStatus othello_play(OthelloBoard *board, int32_t square);

// Finds the final score of the player in discs, -64 to 64. The empty squares count for the winner.
// Fails if the game is not over.
OthelloStatus othello_score(const OthelloBoard *board, int32_t *score);

// Creates a handle for searches and stores it in `search`. Fails if a setting is not valid or
// there is too little memory. `settings` is a level, such as "level=16", or keys separated by
// commas, such as "depth=12,selectivity=73,exact=20,nodes=1000000,ms=500". If there is neither a
// level nor a depth, the level is 10. The keys `nodes` and `ms` limit the nodes and the
// milliseconds of each search. The transposition table has about `hash_mb` MiB. A search uses
// `threads` threads, 1 to 1024. The handle must be freed before `weights`.
OthelloStatus othello_search_new(const OthelloWeights *weights,
                                 const char *settings,
                                 size_t hash_mb,
                                 size_t threads,
                                 OthelloSearch **search);

// Replaces all settings, for later searches. `settings` is a level, such as "level=16", or keys,
// such as "depth=12,exact=20" (see othello_search_new). A key that it omits gets its default.
OthelloStatus othello_search_set(const OthelloSearch *search, const char *settings);

// Searches a board, and stores the best move and its value in `found`. If another thread is
// searching with the same handle, waits until that search ends.
OthelloStatus othello_search(const OthelloSearch *search,
                             const OthelloBoard *board,
                             OthelloFound *found);

// Solves a board: finds the score under perfect play. Up to about 22 empty squares take seconds.
OthelloStatus othello_solve(const OthelloSearch *search,
                            const OthelloBoard *board,
                            OthelloFound *found);

// Finds the best line of the last search, its best move first: at most 60 moves, without passes.
// `squares` must have room for 60 numbers; `count` receives the number of moves. If a move is not
// in the transposition table, searches for it within the limits of the settings.
OthelloStatus othello_line(const OthelloSearch *search, int32_t *squares, size_t *count);

// Stops a search in another thread with this handle. The search returns its best result so far.
void othello_search_stop(const OthelloSearch *search);

// Clears the transposition table and the last result, as in a new handle. The settings remain.
void othello_search_forget(const OthelloSearch *search);

// Frees a search; null is ignored.
void othello_search_free(OthelloSearch *search);

// Loads weights from the file at `path`. In place of a path, "embedded" means the shipped weights,
// "mobility" a hand-written evaluation of mobility, and "none" the value 0 of every position.
OthelloStatus othello_weights_load(const char *path, OthelloWeights **weights);

// Reads weights from a copy of the content of a weights file: `size` bytes at the address `bytes`.
OthelloStatus othello_weights_read(const uint8_t *bytes, size_t size, OthelloWeights **weights);

// Returns the identity of the weights: the SHA-256 of a weights file, or the name of a
// hand-written evaluation. The text is valid until the weights are freed.
const char *othello_weights_identity(const OthelloWeights *weights);

// Frees weights; null is ignored. All searches that use the weights must be freed first.
void othello_weights_free(OthelloWeights *weights);

// Stores the static values of `count` boards in `values`, in steps of 1/OTHELLO_STEPS_PER_DISC
// disc. If the player must pass, the static value is the negated value after the pass. The static
// value of a finished game is its score.
OthelloStatus othello_evaluate(const OthelloWeights *weights,
                               const OthelloBoard *boards,
                               size_t count,
                               int32_t *values);

// Finds the parts of the static value of a board. Stores at most `capacity` parts in `parts`, and
// the total number of parts in `count`. `parts` may be null if `capacity` is 0. Fails for a
// hand-written evaluation, and if the player has no legal move.
OthelloStatus othello_parts(const OthelloWeights *weights,
                            const OthelloBoard *board,
                            OthelloPart *parts,
                            size_t capacity,
                            size_t *count);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* OTHELLO_H */
