#!/bin/sh
# Restores a backup to a directory of its own, on a server of its own that nobody else can reach, and verifies every
# tournament in it: the hashes of its events, the proofs of its pairings. Nothing outside that directory is touched.
# Usage: drill.sh BACKUP [--recompute]      --recompute makes every published pairing again
# Ends with the exit code of `tirage rehash`: 0 everything holds, 8 a log is broken, 9 a proof does not hold.
set -eu
umask 077
backup=${1:?usage: drill.sh BACKUP [--recompute]}
shift
here=$(cd "$(dirname "$0")" && pwd)
tirage=${TIRAGE:-$here/../.venv/bin/tirage}
server=$(command -v valkey-server || command -v redis-server) ||
  { echo "neither valkey-server nor redis-server is installed" >&2; exit 1; }
folder=$(mktemp -d)
pid=
end() {
  [ -z "$pid" ] || { kill "$pid" 2>/dev/null && wait "$pid"; } || true
  rm -rf "$folder"
}
trap end EXIT
trap 'exit 1' HUP INT TERM

(cd "$backup" && sha256sum --check --quiet SHA256SUMS)
cp -r "$backup/appendonlydir" "$folder/"
: > "$folder/log"
"$server" "$here/valkey.conf" --dir "$folder" --port 0 --unixsocket "$folder/socket" --unixsocketperm 700 \
  --aclfile "" >> "$folder/log" 2>&1 &
pid=$!
until grep -qi "ready to accept connections" "$folder/log"; do # said when the data are loaded
  kill -0 "$pid" 2>/dev/null || { cat "$folder/log" >&2; echo "the server refuses the backup" >&2; exit 6; }
  sleep 0.1
done
"$tirage" rehash --url "unix://$folder/socket" "$@"
