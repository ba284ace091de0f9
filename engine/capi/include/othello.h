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

// The number that stands for a pass in the place of a square.
#define OTHELLO_PASS -1

// Values are in steps; this many steps are one disc.
#define OTHELLO_STEPS_PER_DISC 32

// The result of a call.
typedef enum {
  // Done.
  OTHELLO_STATUS_OK = 0,
  // An argument is null, not a position, not a legal move, or not a setting.
  OTHELLO_STATUS_ARGUMENT = 1,
  // A weights file cannot be read, is damaged, or has no model for the search.
  OTHELLO_STATUS_WEIGHTS = 2,
  // There is too little memory or no further thread.
  OTHELLO_STATUS_MEMORY = 3,
  // A fault of the library. The handle of the call must not be used any more.
  OTHELLO_STATUS_INTERNAL = 4,
} OthelloStatus;

// The origin of a part of a value.
typedef enum {
  // The weight of one pattern's configuration on its squares.
  OTHELLO_PART_KIND_PATTERN = 0,
  // The weight of a scalar feature, which has no squares.
  OTHELLO_PART_KIND_SCALAR = 1,
  // The sum of all factors, which have no squares of their own.
  OTHELLO_PART_KIND_FACTORS = 2,
} OthelloPartKind;

// A search: its settings, threads and transposition table, which keeps what earlier searches
// found.
typedef struct OthelloSearch OthelloSearch;

// Weights in memory. They never change, so that threads and searches share them.
typedef struct OthelloWeights OthelloWeights;

// A board: the discs of the player (the side to move) and of the opponent.
typedef struct {
  // The player's discs.
  uint64_t player;
  // The opponent's discs.
  uint64_t opponent;
} OthelloBoard;

// The result of a search.
typedef struct {
  // The value for the player in steps; a solved position has its score times
  // OTHELLO_STEPS_PER_DISC.
  int32_t value;
  // The best move; OTHELLO_PASS if the player has none.
  int32_t best;
  // The depth of the search in moves; a smaller one than was asked for if a limit ended it.
  int32_t depth;
  // The confidence of the search in percent: 100 if nothing was pruned by ProbCut.
  int32_t confidence;
  // True if the value is the score under perfect play.
  bool is_exact;
  // The number of nodes.
  uint64_t nodes;
} OthelloFound;

// A part of a value. All parts of a value sum to it, before it is limited to 64 discs.
typedef struct {
  // The origin of the part.
  OthelloPartKind kind;
  // The part in steps.
  int32_t steps;
  // The squares of a pattern's instance; otherwise 0.
  uint64_t squares;
} OthelloPart;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Returns the text of the last failed call of this thread: the fault, its place, and the expected
// form. It is valid until the next call that fails; empty if none failed.
const char *othello_error(void);

// Reads a board from a text: 64 squares and the side to move, OBF, or the moves of a game such as
// "f5d6c3". `is_white` becomes true if white is to move; it may be null.
OthelloStatus othello_board_parse(const char *text, OthelloBoard *board, bool *is_white);

// Finds the player's legal moves. If there are none, the player must pass, or the game is over.
OthelloStatus othello_moves(const OthelloBoard *board, uint64_t *moves);

// Plays a move, or passes with OTHELLO_PASS. Afterwards the opponent is the player. A pass is
// legal only if the player has no move and the opponent has.
OthelloStatus othello_play(OthelloBoard *board, int32_t square);

// Finds the final score in discs, -64 to 64, with the empty squares counted for the winner.
// Fails if the game is not over.
OthelloStatus othello_score(const OthelloBoard *board, int32_t *score);

// Makes a search. `settings` are those of a player: "level=16", or keys such as
// "depth=12,selectivity=73,exact=20,nodes=1000000,ms=500", separated by commas; without a level or
// a depth, level 10. `nodes` and `ms` limit each search. The transposition table has about
// `hash_mb` MiB. The weights must not be freed before the search.
OthelloStatus othello_search_new(const OthelloWeights *weights,
                                 const char *settings,
                                 size_t hash_mb,
                                 size_t threads,
                                 OthelloSearch **search);

// Changes the settings of later searches.
OthelloStatus othello_search_set(const OthelloSearch *search, const char *settings);

// Searches a board. Waits while another thread searches with the same handle.
OthelloStatus othello_search(const OthelloSearch *search,
                             const OthelloBoard *board,
                             OthelloFound *found);

// Solves a board: perfect play by both sides. Up to about 22 empty squares take seconds.
OthelloStatus othello_solve(const OthelloSearch *search,
                            const OthelloBoard *board,
                            OthelloFound *found);

// Finds the best line of the last search: at most 60 moves, without passes, from its best move on.
// Most of the tree is still in the table; the rest is searched within the same limits.
OthelloStatus othello_line(const OthelloSearch *search, int32_t *squares, size_t *count);

// Ends the search that another thread runs with this handle, which returns its result so far.
// Without such a search, nothing happens.
void othello_search_stop(const OthelloSearch *search);

// Forgets earlier searches, so that later ones give the same results as with a new handle.
void othello_search_forget(const OthelloSearch *search);

// Frees a search; null is ignored.
void othello_search_free(OthelloSearch *search);

// Loads weights: the path of a file, or "mobility" for an evaluation by hand.
OthelloStatus othello_weights_load(const char *path, OthelloWeights **weights);

// Reads weights from the `size` bytes of a weights file in memory, which are copied.
OthelloStatus othello_weights_read(const uint8_t *bytes, size_t size, OthelloWeights **weights);

// Returns what identifies the weights: the sha256 of a file's content, or the name of an
// evaluation by hand. The text is valid until the weights are freed.
const char *othello_weights_identity(const OthelloWeights *weights);

// Frees weights. No search may use them any more; null is ignored.
void othello_weights_free(OthelloWeights *weights);

// Finds the static values of `count` boards, in steps, on the calling thread. If the player must
// pass, the value is the negated value after the pass; a finished game has its score.
OthelloStatus othello_evaluate(const OthelloWeights *weights,
                               const OthelloBoard *boards,
                               size_t count,
                               int32_t *values);

// Takes the static value of a board apart: stores at most `capacity` parts, and in `count` how
// many there are. `parts` may be null if `capacity` is 0. Fails for an evaluation by hand, and if
// the player has no legal move.
OthelloStatus othello_parts(const OthelloWeights *weights,
                            const OthelloBoard *board,
                            OthelloPart *parts,
                            size_t capacity,
                            size_t *count);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* OTHELLO_H */
