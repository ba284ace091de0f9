// Evaluates boards by two threads that share weights, and stops a search: threads WEIGHTS BOARDS.
//
//   c++ -std=c++17 -O2 examples/threads.cpp -Iinclude -L FOLDER -lothello -pthread -o threads
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>
#include "othello.h"

static void check(OthelloStatus status) {
    if (status != OTHELLO_STATUS_OK) {
        std::fprintf(stderr, "error: %s\n", othello_error());
        std::exit(1);
    }
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    OthelloWeights *weights;
    check(othello_weights_load(argv[1], &weights));
    std::vector<OthelloBoard> boards;
    std::ifstream file(argv[2]);
    for (std::string line; std::getline(file, line);) {
        OthelloBoard board;
        check(othello_board_parse(line.c_str(), &board, nullptr));
        boards.push_back(board);
    }
    std::vector<int32_t> alone(boards.size());
    check(othello_evaluate(weights, boards.data(), boards.size(), alone.data()));
    for (int round = 0; round < 100; round++) {
        std::vector<int32_t> values[2] = {alone, alone};
        std::vector<std::thread> threads;
        for (auto &each : values) {
            each.assign(boards.size(), 0);
            threads.emplace_back([&] {
                check(othello_evaluate(weights, boards.data(), boards.size(), each.data()));
            });
        }
        for (auto &thread : threads) thread.join();
        if (values[0] != alone || values[1] != alone) return 1;
    }

    OthelloSearch *search; // A level without end: only the other thread ends it.
    check(othello_search_new(weights, "level=60", 64, 2, &search));
    OthelloBoard start = {0x0000000810000000, 0x0000001008000000};
    OthelloFound found;
    std::thread stopper([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        othello_search_stop(search);
    });
    check(othello_search(search, &start, &found));
    stopper.join();
    check(othello_play(&start, found.best));
    std::printf("%zu boards, stopped before depth 60: %d\n", boards.size(), found.depth < 60);
    othello_search_free(search);
    othello_weights_free(weights);
}
