// Exact scores of positions with few empty squares: both sides play perfectly to the end.
//
// Each thread takes one position after another from a queue, searches it, and writes the score to
// the element of this position, so the results do not depend on which thread solves which position.
// The search is a loop of equal steps: flip the discs of a move, find the replies, and then either
// record the number of replies or enter the child node. So the threads of a warp stay together,
// although each of them is at another place in its tree. With a function call for each node, or a
// loop for the last squares, most threads would wait for others. The stack is in shared memory,
// with 20 bytes for each level.
//
// The search is a principal variation search. It searches the first move of a node in the full
// window and every other move in a null window, and repeats the search of a move that turns out
// better. In nodes with SORTED_EMPTIES or more empty squares, moves are ordered by the number of
// the opponent's replies, otherwise by the parity of their quadrants. Scores are in steps of 2
// discs, because the score of a finished game is even.

// The greatest number of empty squares of a position that can be solved. The rank of a square among
// the empty squares then fits 4 bits, with one value left for no square.
#define MOST_EMPTIES 14

// The least number of empty squares of a node whose moves are sorted by replies. With fewer empty
// squares, sorting costs more than it saves.
#define SORTED_EMPTIES 6

// The number of levels of the stack. Level n stores the node with n + 2 empty squares on the way to
// the current node.
#define LEVELS (MOST_EMPTIES - 1)

// The number of threads in a block: one warp. At the end of a launch, the last search then keeps
// only one warp busy, and the next launch can use the rest of the device.
#define SOLVERS 32

// The value in place of a score if the search took too many steps, or if the position has too many
// empty squares.
#define UNSOLVED 1000

// A value below every score, in steps of 2 discs.
#define NO_VALUE (-40)

// A bound beyond every score, in steps of 2 discs.
#define FULL_WINDOW 33

// The end of a list of ranks. A list has 4 bits for each rank; the next rank is in the lowest bits.
#define NO_RANK 15u
#define NO_RANKS 0xffffffffffffffffull

#define NIBBLES 0x1111111111111111ull

// The purpose of the next step of a thread: take a position from the queue, begin its search, pass,
// sort a move, or search a move.
enum { FETCH, START, PASS, SORT, SEARCH };

// The node that a thread is searching, from the view of its player.
typedef struct {
    u64 player, opponent;
    // The moves not yet searched: a list of ranks if the node has SORTED_EMPTIES or more empty
    // squares, otherwise a bitboard of squares.
    u64 rest;
    i32 alpha, beta, best;
    u32 empties;
    // 1 if the side to move had to pass in this node; the window and the value are then those of
    // the other side.
    u32 passed;
    // 1 if the next move is searched in the full window, 0 if in a null window.
    u32 full;
} Node;

// The state of sorting the moves of a node.
typedef struct {
    // The squares of moves that are not in the list yet.
    u64 left;
    // The number of ranks in the list, and their keys: 4 bits for each key, of which 3 are used.
    u32 count;
    u64 keys;
} Sorting;

// Returns the discs that a move flips on higher squares. In each direction, adding 1 below a line
// of opponent's discs carries a bit to the first square behind the line. Lines that are not
// vertical exclude opponent's discs on files a and h, so that no line continues in another row.
INLINE u64 flips_up(u64 player, u64 opponent, u32 square)
{
    const u64 inner = opponent & 0x7e7e7e7e7e7e7e7eull;
    const u64 row = 0x00000000000000feull << square, column = 0x0101010101010100ull << square;
    const u64 left = 0x0002040810204080ull << square, right = 0x8040201008040200ull << square;
    const u64 row_end = ((inner | ~row) + 1) & player & row;
    const u64 column_end = ((opponent | ~column) + 1) & player & column;
    const u64 left_end = ((inner | ~left) + 1) & player & left;
    const u64 right_end = ((inner | ~right) + 1) & player & right;
    return ((row_end - (row_end != 0)) & row) | ((column_end - (column_end != 0)) & column) |
           ((left_end - (left_end != 0)) & left) | ((right_end - (right_end != 0)) & right);
}

// Returns the discs that a move flips; 0 if the move is not legal.
INLINE u64 flips_of(u64 player, u64 opponent, u32 square)
{
    const u64 down = flips_up(__brevll(player), __brevll(opponent), 63 - square);
    return flips_up(player, opponent, square) | __brevll(down);
}

// Returns the squares behind straight lines of `inner` discs that begin next to a disc of `player`.
// `step` is the bit distance of the line's squares; both directions are covered.
INLINE u64 behind(u64 player, u64 inner, u32 step)
{
    u64 up = inner & (player << step), down = inner & (player >> step);
    const u64 up_pairs = inner & (inner << step), down_pairs = inner & (inner >> step);
    up |= inner & (up << step);
    down |= inner & (down >> step);
    up |= up_pairs & (up << 2 * step);
    down |= down_pairs & (down >> 2 * step);
    up |= up_pairs & (up << 2 * step);
    down |= down_pairs & (down >> 2 * step);
    return (up << step) | (down >> step);
}

// Returns the squares of the player's legal moves.
INLINE u64 legal_moves(u64 player, u64 opponent)
{
    const u64 inner = opponent & 0x7e7e7e7e7e7e7e7eull;
    const u64 found = behind(player, inner, 1) | behind(player, opponent, 8) |
                      behind(player, inner, 7) | behind(player, inner, 9);
    return found & ~(player | opponent);
}

// Returns the score of a finished game for the player, in steps of 2 discs. Empty squares count for
// the winner.
INLINE i32 finished(u64 player, u64 opponent)
{
    const i32 own = __popcll(player), others = __popcll(opponent);
    return own > others ? 32 - others : own < others ? own - 32 : 0;
}

// Returns the score of a position with one empty square for the player, in steps of 2 discs.
// `moves` contains the square if the player can move there; otherwise `moves` is 0.
INLINE i32 with_one_empty(u64 player, u64 opponent, u64 moves)
{
    const u32 square = (__ffsll(~(player | opponent)) - 1) & 63;
    const u64 flips = moves ? flips_of(player, opponent, square) : flips_of(opponent, player, square);
    const i32 own = __popcll(player), turned = __popcll(flips);
    if (moves)
        return own + turned - 31;
    return turned > 0 || own < 32 ? own - turned - 32 : own - 31;
}

// Returns all squares of the quadrants with an odd number of empty squares, in one half of the
// board (four ranks).
INLINE u32 odd_half(u32 empty)
{
    empty ^= empty >> 1;
    empty ^= empty >> 2;
    empty &= 0x11111111u;
    empty ^= empty >> 8;
    empty ^= empty >> 16;
    return (empty & 0x11u) * 0x0f0f0f0fu;
}

// Returns the square to search next: the lowest of `squares` in a quadrant with an odd number of
// empty squares, or the lowest of all if there is none.
INLINE u32 by_parity(u64 squares, u64 empty)
{
    const u64 odd = squares & (odd_half((u32)empty) | (u64)odd_half((u32)(empty >> 32)) << 32);
    return (__ffsll(odd ? odd : squares) - 1) & 63;
}

// Returns the rank of a square among the empty squares of the root position, counted from 0.
INLINE u32 rank_of(u32 square, u64 empty)
{
    return __popcll(empty & ((1ull << square) - 1));
}

// Returns the sorting key of a move, from 0 (searched first) to 7: the number of the opponent's
// replies, of which corners count twice, in the classes 0 to 5, 6-7, and more. The key of a corner
// move is smaller by 1, since corners are better than their number of replies suggests.
INLINE u32 key_of(u64 disc, u64 replies)
{
    const u64 corners = 0x8100000000000081ull;
    const u32 count = __popcll(replies) + __popcll(replies & corners);
    const u32 key = count < 6 ? count : count < 8 ? 6 : 7;
    return key > 0 && (disc & corners) ? key - 1 : key;
}

// Inserts the rank of a move into a sorted list, behind all ranks whose key is not greater. Returns
// the new list.
INLINE u64 insert(u64 ranks, Sorting *sorting, u32 rank, u32 key)
{
    const u64 greater = ((sorting->keys | 8 * NIBBLES) - (key + 1) * NIBBLES) & 8 * NIBBLES;
    const u32 shift = 4 * (sorting->count - __popcll(greater));
    const u64 below = (1ull << shift) - 1;
    sorting->keys = (sorting->keys & below) | (u64)key << shift | (sorting->keys & ~below) << 4;
    sorting->count++;
    return (ranks & below) | (u64)rank << shift | (ranks & ~below) << 4;
}

// Begins the search of a node whose player has legal moves. Returns the purpose of the next step:
// SORT or SEARCH.
INLINE u32 enter(Node *node, Sorting *sorting, u64 moves, u64 root_empty)
{
    node->best = NO_VALUE;
    node->full = 1;
    node->rest = moves;
    if (node->empties < SORTED_EMPTIES)
        return SEARCH;
    node->rest = NO_RANKS;
    if ((moves & (moves - 1)) == 0) {
        node->rest = NO_RANKS << 4 | rank_of(__ffsll(moves) - 1, root_empty);
        return SEARCH;
    }
    sorting->left = moves;
    sorting->count = 0;
    sorting->keys = 0;
    return SORT;
}

// Updates a node by the value of its move on `square`. A move that exceeds a null window is put
// back to be searched again. Returns 1 if the search of the node is complete.
INLINE u32 take(Node *node, i32 value, u32 square, u64 root_empty)
{
    const u32 sorted = node->empties >= SORTED_EMPTIES;
    const u32 again = !node->full && value > node->alpha && value < node->beta;
    node->best = value > node->best ? value : node->best;
    node->alpha = value > node->alpha ? value : node->alpha;
    node->full = again || !sorted;
    if (again)
        node->rest = node->rest << 4 | rank_of(square, root_empty);
    return node->alpha >= node->beta || node->rest == (sorted ? NO_RANKS : 0);
}

// Packs the window, the best value and the flags of a node into a word, together with the square of
// the move that leads to its child.
INLINE u32 packed(const Node *node, u32 square)
{
    return (u32)(node->alpha + 64) | (u32)(node->beta + 64) << 8 | (u32)(node->best + 64) << 16 |
           square << 24 | node->passed << 30 | node->full << 31;
}

INLINE void unpack(Node *node, u32 word)
{
    node->alpha = (i32)(word & 255) - 64;
    node->beta = (i32)(word >> 8 & 255) - 64;
    node->best = (i32)(word >> 16 & 255) - 64;
    node->passed = word >> 30 & 1;
    node->full = word >> 31;
}

// Solves `count` positions with up to MOST_EMPTIES empty squares. `boards` has two words for each
// position: the discs of the player and of the opponent. `next` is the number of the next position
// in the queue; it must be 0 before the launch. Writes the scores in discs, or UNSOLVED for a
// search that takes `most_steps` steps. Adds the number of nodes to totals[0] and of steps to
// totals[1].
KERNEL solve(const u64 *boards, u32 count, u32 most_steps, u32 *next, i32 *scores, u64 *totals)
{
    __shared__ u64 flipped[LEVELS][SOLVERS];
    __shared__ u64 waiting[LEVELS][SOLVERS];
    __shared__ u32 words[LEVELS][SOLVERS];
    __shared__ u8 squares[MOST_EMPTIES + 2][SOLVERS];
    const u32 thread = threadIdx.x;
    u64 nodes = 0, all_steps = 0, root_empty = 0;
    u32 at = 0, root_empties = 0, steps = 0, mode = FETCH;
    Node node = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    Sorting sorting = {0, 0, 0};

    for (;;) {
        if (mode == FETCH) {
            at = atomicAdd(next, 1u);
            if (at >= count)
                break;
            // The first step only changes sides and finds the player's moves, so the sides are
            // swapped here.
            node.player = boards[2 * at + 1];
            node.opponent = boards[2 * at];
            root_empty = ~(node.player | node.opponent);
            root_empties = __popcll(root_empty);
            node.empties = root_empties;
            node.alpha = -FULL_WINDOW;
            node.beta = FULL_WINDOW;
            node.passed = 0;
            u64 left = root_empty;
            for (u32 rank = 0; rank < root_empties && rank < MOST_EMPTIES; rank++) {
                squares[rank][thread] = __ffsll(left) - 1;
                left &= left - 1;
            }
            steps = 0;
            nodes++;
            mode = START;
            if (root_empties > MOST_EMPTIES) {
                scores[at] = UNSOLVED;
                mode = FETCH;
                continue;
            }
        }

        // The step that all threads do: make a move, or only change sides, and find the replies.
        u64 flips = 0, disc = 0;
        u32 square = 0;
        if (mode >= SORT) {
            const u64 empty = ~(node.player | node.opponent);
            if (mode == SEARCH && node.empties >= SORTED_EMPTIES)
                square = squares[node.rest & 15][thread];
            else
                square = by_parity(mode == SORT ? sorting.left : node.rest, empty);
            disc = 1ull << square;
            flips = flips_of(node.player, node.opponent, square);
        }
        const u64 player = node.opponent ^ flips, opponent = node.player | flips | disc;
        const u64 moves = legal_moves(player, opponent);
        u32 has_value = 0;
        i32 value = 0;
        steps++;

        if (mode == SORT) {
            node.rest = insert(node.rest, &sorting, rank_of(square, root_empty), key_of(disc, moves));
            sorting.left ^= disc;
            mode = sorting.left ? SORT : SEARCH;
        } else if (mode == PASS && !moves) {
            // Neither side has a legal move, so the game is over.
            node.best = NO_VALUE;
            node.full = 1;
            node.rest = node.empties < SORTED_EMPTIES ? 0 : NO_RANKS;
            value = finished(node.player, node.opponent);
            has_value = 1;
        } else if (mode == SEARCH && node.empties <= 2) {
            nodes++;
            node.rest ^= disc;
            value = -(node.empties == 2 ? with_one_empty(player, opponent, moves)
                                        : finished(player, opponent));
            has_value = 1;
        } else {
            if (mode == SEARCH) {
                if (node.empties < SORTED_EMPTIES)
                    node.rest ^= disc;
                else
                    node.rest = node.rest >> 4 | (u64)NO_RANK << 60;
                const u32 level = node.empties - 2;
                flipped[level][thread] = flips;
                waiting[level][thread] = node.rest;
                words[level][thread] = packed(&node, square);
                const i32 alpha = node.alpha;
                node.alpha = node.full ? -node.beta : -alpha - 1;
                node.beta = -alpha;
                node.empties--;
                node.passed = 0;
                nodes++;
            } else if (mode == PASS) {
                const i32 alpha = node.alpha;
                node.alpha = -node.beta;
                node.beta = -alpha;
                node.passed = 1;
            }
            node.player = player;
            node.opponent = opponent;
            mode = moves ? enter(&node, &sorting, moves, root_empty) : PASS;
        }

        // The value moves up the stack as long as it completes the search of a node.
        while (has_value) {
            if (!take(&node, value, square, root_empty)) {
                mode = SEARCH;
                break;
            }
            value = node.passed ? node.best : -node.best;
            if (node.empties == root_empties) {
                scores[at] = -2 * value;
                mode = FETCH;
                break;
            }
            const u64 other = node.passed ? node.player : node.opponent;
            const u64 own = node.passed ? node.opponent : node.player;
            node.empties++;
            const u32 level = node.empties - 2;
            const u32 word = words[level][thread];
            flips = flipped[level][thread];
            square = word >> 24 & 63;
            unpack(&node, word);
            node.rest = waiting[level][thread];
            node.opponent = own ^ flips;
            node.player = other ^ flips ^ 1ull << square;
        }
        if (mode == FETCH || steps >= most_steps) {
            if (mode != FETCH)
                scores[at] = UNSOLVED;
            all_steps += steps;
            mode = FETCH;
        }
    }
    atomicAdd(&totals[0], nodes);
    atomicAdd(&totals[1], all_steps);
}
