#!/usr/bin/env python3
"""Passes requests on to a web server, and lets a share of them fail, drawn from a seed.

    scripts/object-store/flaky.py SERVER PERCENT SEED

SERVER is such as 127.0.0.1:5000. Prints the port that it listens on. A request fails in one of
four ways: it is refused, or the connection ends before it is passed on, or after that without an
answer, or in the middle of the answer. A server that refuses says 400, too, which clients do not
try again by themselves. The number of failures is kept in the file that $FAILURES names.
"""

import http.client
import os
import random
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

if len(sys.argv) != 4:
    sys.exit(__doc__)
SERVER, PERCENT, SEED = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
WAYS = ["refused", "refused for good", "not passed on", "not answered", "cut short"]
HOP = {"connection", "keep-alive", "transfer-encoding", "content-length", "date", "server"}
draws, lock, failures = random.Random(SEED), threading.Lock(), dict.fromkeys(WAYS, 0)


def draw():
    with lock:
        way = draws.choice(WAYS) if draws.random() * 100 < PERCENT else None
        if way:
            failures[way] += 1
            if path := os.environ.get("FAILURES"):
                with open(path, "w") as file:
                    file.write(", ".join(f"{failures[way]} {way}" for way in WAYS) + "\n")
        return way


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def pass_on(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        way = draw()
        if way in ("refused", "refused for good"):
            self.send_response(503 if way == "refused" else 400)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        if way == "not passed on":
            self.close_connection = True
            return
        server = http.client.HTTPConnection(SERVER)
        server.request(self.command, self.path, body, dict(self.headers))
        answer = server.getresponse()
        content = answer.read()
        if way == "not answered":
            self.close_connection = True
            return
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in HOP:
                self.send_header(name, value)
        length = answer.getheader("Content-Length") if self.command == "HEAD" else len(content)
        self.send_header("Content-Length", str(length or 0))
        self.end_headers()
        if way == "cut short":
            content = content[: len(content) // 2]
            self.close_connection = True
        self.wfile.write(content)

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = pass_on


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
