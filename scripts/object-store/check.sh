#!/usr/bin/env bash
# Takes a million games, a dataset and weights to an object store on this machine and back, and
# prints bytes, seconds and checksums; then again with a command that is killed while it sends, and
# through a proxy that lets requests fail at random. Takes minutes; --quick plays 10,000 games.
#
#   scripts/object-store/check.sh [--quick] [BINARIES]      default: target/release
#
# The programs must be built with `--features object-store`. The server is moto's, of
# requirements.txt; without it, makes an environment of its own from PyPI. Exits with 3 where it
# cannot be had.
set -euo pipefail
scripts=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$scripts/../.." && pwd)
games=1000000 percent=5
if [[ ${1-} == --quick ]]; then
    games=10000
    shift
fi
binaries=$(cd "${1:-$root/target/release}" && pwd)
PATH=$binaries:$PATH
folder=$(mktemp -d /tmp/othello-objects.XXXXXX)
stop() {
    kill $(jobs -p) 2>/dev/null || true
    rm -rf "$folder" || true
}
trap stop EXIT
cd "$folder"

if ! command -v moto_server >/dev/null; then
    "${PYTHON:-python3}" -m venv "$folder/python" &&
        "$folder/python/bin/pip" install --quiet --requirement "$scripts/requirements.txt" ||
        { echo "moto could not be installed" >&2 && exit 3; }
    PATH=$PATH:$folder/python/bin
fi
# A port that is free at this moment.
port=$("${PYTHON:-python3}" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
moto_server --host 127.0.0.1 --port "$port" >moto.log 2>&1 &
direct=http://127.0.0.1:$port
for _ in {1..300}; do curl --silent --output /dev/null "$direct" && break || sleep 0.2; done
curl --silent --show-error --fail --output /dev/null --request PUT "$direct/bucket"

export AWS_ENDPOINT_URL=$direct AWS_ALLOW_HTTP=true AWS_REGION=us-east-1
export AWS_ACCESS_KEY_ID=check AWS_SECRET_ACCESS_KEY=check OTHELLO_STAGE=$folder/stage
field() { sed -n "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/p" "$2" | tail -n 1; }
same() { [[ $1 == "$2" ]] || { echo "different: $1 and $2" >&2 && exit 1; }; }
none_left() { [[ ! -e $OTHELLO_STAGE ]] || { find "$OTHELLO_STAGE" >&2 && exit 1; }; }
# The lines of how much was moved, in what time.
moved() { grep -E ' bytes .*(sent|fetched)' "$1" || true; }
play=(othello-engine selfplay --seed 1 --depth 1 --exact 4 --weights none --no-values --json)
copy=(othello-trainer merge a.games --json)
fit=(othello-trainer fit --phases 40..41 --patterns edax --optimizer lsq --json)

echo "== Games that are played to the store, and a dataset and weights from them"
small=("${play[@]}" --games 3000)
"${small[@]}" --out s3://bucket/run/small.games >played.json 2>played.log
moved played.log
none_left
"${small[@]}" --out small.games >local.json 2>/dev/null
same "$(field sha256 played.json)" "$(field sha256 local.json)"
grep -q "sent.*sha256 $(sha256sum <small.games | cut -d ' ' -f 1)" played.log
echo "the games are those of the same command on this disk"
"${small[@]}" --out s3://bucket/run/small.games >again.json 2>again.log
same "$(field sha256 played.json)" "$(field sha256 again.json)"
grep -q 'sent and read back' again.log && { echo "finished work was sent again" >&2 && exit 1; }
echo "played again: finished work is known"
if "${play[@]}" --games 2000 --out s3://bucket/run/small.games >/dev/null 2>refused.log; then exit 1; fi
grep -q 's3://bucket/run/small.games: exists' refused.log
echo "fewer games: $(tail -n 1 refused.log)"
othello-trainer dataset s3://bucket/run/small.games --out s3://bucket/run/dataset >/dev/null 2>dataset.log
moved dataset.log
"${fit[@]}" s3://bucket/run/dataset --out s3://bucket/run/a.weights >fitted.json 2>fitted.log
moved fitted.log
"${fit[@]}" small.games --out a.weights >local.json 2>/dev/null
same "$(field sha256 fitted.json)" "$(field sha256 local.json)"
rm a.weights*
echo "the weights are those of the same command on this disk"
none_left

echo "== $games games to the store, and from it"
"${play[@]}" --games "$games" --out a.games >played.json 2>/dev/null
"${copy[@]}" --out s3://bucket/a.games >copied.json 2>copied.log
moved copied.log
othello-trainer merge s3://bucket/a.games --out back.games --json >back.json 2>back.log
moved back.log
cmp a.games back.games
same "$(field sha256 played.json)" "$(field sha256 copied.json)"
echo "sha256 of the games: $(field sha256 back.json), as they were played"
none_left

echo "== A command that is killed while it sends"
"${copy[@]}" --out s3://bucket/killed.games >/dev/null 2>killed.log &
killed=$!
until grep -q '"PUT /bucket/killed.games' moto.log || ! kill -0 $killed 2>/dev/null; do sleep 0.02; done
kill -9 $killed 2>/dev/null || echo "it was too quick to be killed"
wait $killed 2>/dev/null || true
"${copy[@]}" --out s3://bucket/killed.games >again.json 2>>killed.log
same "$(field sha256 played.json)" "$(field sha256 again.json)"
moved killed.log
none_left

echo "== A store that fails at random: $percent of 100 requests"
export FAILURES=$folder/failures
"${PYTHON:-python3}" "$scripts/flaky.py" "127.0.0.1:$port" "$percent" 1 >flaky.port 2>flaky.log &
until [[ -s flaky.port ]]; do sleep 0.1; done
export AWS_ENDPOINT_URL=http://127.0.0.1:$(<flaky.port)
# Runs a command until it succeeds: each time the same one.
persist() {
    local log=$1 attempts=1 status=0
    shift
    until "$@" 2>>"$log" >"$log.json"; do
        status=$?
        [[ $status == 75 ]] || { echo "status $status" >&2 && tail -n 3 "$log" >&2 && exit 1; }
        attempts=$((attempts + 1))
    done
    echo "${*: -1}: done at attempt $attempts"
}
persist flaky-1 "${copy[@]}" --out s3://bucket/flaky.games
same "$(field sha256 played.json)" "$(field sha256 flaky-1.json)"
moved flaky-1
persist flaky-2 othello-trainer dataset s3://bucket/run/small.games --out s3://bucket/flaky
persist flaky-3 "${fit[@]}" s3://bucket/flaky --out s3://bucket/flaky.weights
same "$(field sha256 fitted.json)" "$(field sha256 flaky-3.json)"
persist flaky-4 othello-trainer validate s3://bucket/flaky.games
none_left
echo "failed requests: $(<failures)"
echo "nothing is lost: games and weights are the same"
