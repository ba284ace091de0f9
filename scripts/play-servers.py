#!/usr/bin/env python3
"""Plays whole games against the engine's servers, as GoGui and NBoard would, and checks all that they say.

    scripts/play-servers.py [--engine PATH] [--games N] [--levels 1,5,10] [--threads 1,2] [--protocols gtp,nboard]

Every client keeps a board of its own. A game is played by the server against itself, after some moves by chance.
What goes wrong is an incident: an illegal move, an answer that does not come or is not understood, a board that
differs, a process that ends by itself or does not end when it is told to. The times of the moves are printed for
each protocol, level and number of threads; the exit status is 1 where there was an incident.

Needs Python 3 alone.
"""

import argparse
import queue
import random
import subprocess
import sys
import threading
import time

DIRECTIONS = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if (x, y) != (0, 0)]


class Incident(Exception):
    """Something that must not happen."""


class Board:
    """The rules of the game: a dictionary from squares to `*` (black) and `O` (white)."""

    def __init__(self):
        self.discs = {(3, 3): "O", (4, 4): "O", (4, 3): "*", (3, 4): "*"}
        self.side = "*"

    @staticmethod
    def other(side):
        return "O" if side == "*" else "*"

    def flips(self, square, side=None):
        side = side or self.side
        if square in self.discs:
            return []
        turned = []
        for right, down in DIRECTIONS:
            row, (x, y) = [], (square[0] + right, square[1] + down)
            while self.discs.get((x, y)) == self.other(side):
                row.append((x, y))
                x, y = x + right, y + down
            if self.discs.get((x, y)) == side:
                turned += row
        return turned

    def moves(self, side=None):
        squares = [(x, y) for y in range(8) for x in range(8)]
        return [square for square in squares if self.flips(square, side)]

    def is_over(self):
        return not self.moves("*") and not self.moves("O")

    def play(self, square):
        """Plays a square of the side to move, or a pass, which is `None`."""
        if square is None:
            if self.moves():
                raise Incident("a pass by a side that can move")
        else:
            turned = self.flips(square)
            if not turned:
                raise Incident(f"{name(square)} is not legal")
            for one in turned + [square]:
                self.discs[one] = self.side
        self.side = self.other(self.side)

    def score(self):
        """The score for black, empty squares to the winner."""
        counts = [list(self.discs.values()).count(side) for side in "*O"]
        empty = 64 - sum(counts)
        difference = counts[0] - counts[1]
        return difference + (empty if difference > 0 else -empty if difference < 0 else 0)


def name(square):
    return "abcdefgh"[square[0]] + str(square[1] + 1)


def square_of(text):
    text = text.lower()
    if text in ("pass", "pa"):
        return None
    if len(text) != 2 or text[0] not in "abcdefgh" or text[1] not in "12345678":
        raise Incident(f"`{text}` is not a square")
    return "abcdefgh".index(text[0]), int(text[1]) - 1


class Server:
    """A process that is spoken to line by line."""

    def __init__(self, command, patience):
        self.patience = patience
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        self.process = subprocess.Popen(command, text=True, bufsize=1, **pipes)
        self.lines = queue.Queue()
        self.errors = []
        for stream, take in [(self.process.stdout, self.lines.put), (self.process.stderr, self.errors.append)]:
            threading.Thread(target=self.read, args=(stream, take), daemon=True).start()

    @staticmethod
    def read(stream, take):
        for line in stream:
            take(line.rstrip("\n"))
        take(None)

    def say(self, line):
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        except OSError as error:
            raise Incident(f"nobody listens to `{line}`: {error}") from error

    def hear(self):
        try:
            line = self.lines.get(timeout=self.patience)
        except queue.Empty:
            raise Incident(f"no answer within {self.patience} s") from None
        if line is None:
            raise Incident("the server ended by itself")
        return line

    def quit(self):
        """Says `quit`, and waits until the process ends."""
        self.say("quit")
        self.process.stdin.close()
        try:
            status = self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            raise Incident("`quit` did not end the server within 10 s") from None
        if status != 0:
            raise Incident(f"exit status {status}")
        errors = [line for line in self.errors if line]
        if errors:
            raise Incident(f"on standard error: {errors[0]}")

    def end(self):
        self.process.kill()
        self.process.wait()


class Gtp(Server):
    """GoGui's way: a command, an answer that ends with an empty line; the board is told move by move."""

    number = 0

    def ask(self, command):
        self.number += 1
        self.say(f"{self.number} {command}")
        said = [self.hear()]
        while said[-1] != "":
            said.append(self.hear())
        head = f"={self.number}"
        if not said[0].startswith(head):
            raise Incident(f"`{command}`: {said[0]}")
        return "\n".join([said[0][len(head):]] + said[1:]).strip()

    def begin(self):
        for command in ("name", "version", "list_commands", "boardsize 8", "clear_board"):
            self.ask(command)

    def tell(self, board, square):
        turn = "pass" if square is None else name(square)
        self.ask(f"play {'black' if board.side == '*' else 'white'} {turn}")

    def choose(self, board, _turns):
        legal = self.ask("gogui-rules_legal_moves").split()
        if sorted(legal) != sorted(map(name, board.moves())):
            raise Incident(f"legal moves {legal} differ from {sorted(map(name, board.moves()))}")
        begun = time.perf_counter()
        said = self.ask(f"genmove {'black' if board.side == '*' else 'white'}")
        return square_of(said), time.perf_counter() - begun

    def finish(self, board, _turns):
        score = board.score()
        expected = "0" if score == 0 else f"{'B' if score > 0 else 'W'}+{abs(score)}"
        said = self.ask("final_score")
        if said != expected:
            raise Incident(f"final_score {said}, expected {expected}")

    def think_long(self, board):
        """Asks for a move that takes very long, and interrupts the search for it."""
        self.ask("level 60")
        self.ask("clear_board")
        self.number += 1
        self.say(f"{self.number} genmove black")
        time.sleep(1)
        self.say("# interrupt")
        begun = time.perf_counter()
        said = self.hear()
        if time.perf_counter() - begun > 5:
            raise Incident("an interrupted search went on for 5 s")
        if square_of(said.split()[-1]) not in board.moves():
            raise Incident(f"an interrupted search says `{said}`")
        self.hear()


class Nboard(Server):
    """NBoard's way: the game so far, `ping` and `pong`, then a question."""

    number = 0

    def synchronize(self):
        self.number += 1
        self.say(f"ping {self.number}")
        while True:
            line = self.hear()
            if line == f"pong {self.number}":
                return
            if line.startswith("==="):
                raise Incident(f"`{line}` was not asked for")

    def begin(self):
        self.say("nboard 2")
        self.synchronize()

    def tell(self, _board, _square):
        pass

    def game(self, turns):
        start = "-" * 27 + "O*------*O" + "-" * 27
        moves = "".join(f"{'B' if side == '*' else 'W'}[{'PA' if square is None else name(square)}]"
                        for side, square in turns)
        return f"(;GM[Othello]PC[play-servers]PB[a]PW[b]RE[?]TI[0]TY[8]BO[8 {start} *]{moves};)"

    def choose(self, board, turns):
        self.say(f"set game {self.game(turns)}")
        self.synchronize()
        begun = time.perf_counter()
        self.say("go")
        while True:
            line = self.hear()
            if line.startswith("==="):
                break
            if line.startswith("status set game"):
                raise Incident(line)
        seconds = time.perf_counter() - begun
        return square_of(line[3:].split("/")[0].strip()), seconds

    def finish(self, _board, turns):
        self.say(f"set game {self.game(turns)}")
        self.synchronize()

    def think_long(self, _board):
        """Asks for hints that take very long; the position changes."""
        self.say("set depth 60")
        self.say(f"set game {self.game([])}")
        self.synchronize()
        self.say("hint 4")
        time.sleep(1)
        begun = time.perf_counter()
        self.synchronize()
        if time.perf_counter() - begun > 5:
            raise Incident("`ping` ended no search within 5 s")


PROTOCOLS = {"gtp": Gtp, "nboard": Nboard}


def play(server, generator, plies):
    """Plays a game, and returns the seconds of every search."""
    board, turns, times = Board(), [], []
    server.begin()
    while not board.is_over():
        side, moves = board.side, board.moves()
        if len(turns) < plies and moves:
            square = generator.choice(moves)
            server.tell(board, square)
        elif moves:
            square, seconds = server.choose(board, turns)
            times.append(seconds)
        else:
            square = None
            server.tell(board, None)
        board.play(square)
        turns.append((side, square))
    server.finish(board, turns)
    return times


def row(times):
    times = sorted(times)
    if not times:
        return "no move"
    mean, p95 = sum(times) / len(times), times[min(len(times) - 1, int(0.95 * len(times)))]
    return f"{len(times):6} moves, mean {mean:8.4f} s, p95 {p95:8.4f} s, slowest {times[-1]:8.4f} s"


def numbers(text):
    return [int(number) for number in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--engine", default="target/release/othello-engine", help="the program to play with")
    parser.add_argument("--games", type=int, default=10, help="games for each protocol, level and number of threads")
    parser.add_argument("--levels", type=numbers, default=[1, 5, 10], help="levels, such as 1,5,10")
    parser.add_argument("--threads", type=numbers, default=[1, 2], help="numbers of threads, such as 1,2")
    parser.add_argument("--protocols", default="gtp,nboard", help="gtp, nboard or both")
    parser.add_argument("--weights", default="embedded", help="weights for the engine")
    parser.add_argument("--plies", type=int, default=8, help="moves by chance before the first search")
    parser.add_argument("--seed", type=int, default=1, help="seed of these moves")
    parser.add_argument("--patience", type=float, default=600, help="seconds to wait for an answer")
    options = parser.parse_args()
    incidents = games = 0
    for protocol in options.protocols.split(","):
        for threads in options.threads:
            for level in options.levels:
                command = [options.engine, protocol, "--level", str(level), "--threads", str(threads)]
                command += ["--weights", options.weights]
                times, server = [], None
                generator = random.Random(f"{options.seed} {level}")
                for game in range(options.games + 1):
                    try:
                        server = server or PROTOCOLS[protocol](command, options.patience)
                        if game < options.games:
                            times += play(server, generator, options.plies)
                            games += 1
                        else:
                            server.think_long(Board())
                            server.quit()
                    except Incident as incident:
                        incidents += 1
                        print(f"{protocol}, level {level}, {threads} threads, game {game + 1}: {incident}",
                              file=sys.stderr)
                        if server:
                            server.end()
                        server = None
                print(f"{protocol:6} level {level:2}, {threads} threads: {row(times)}", flush=True)
    print(f"{games} games, {incidents} incidents")
    return 1 if incidents else 0


if __name__ == "__main__":
    sys.exit(main())
