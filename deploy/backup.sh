#!/bin/sh
# Copies the append-only files of a store while its server works; the server is neither asked nor disturbed.
# Usage: backup.sh DATA TARGET      DATA: the server's directory; TARGET: made here, must not exist yet
#
# The files of a moment are those that the manifest names, and each only grows until the server, done with a rewrite,
# names others and deletes them. Hard links to them are made at once and keep them whatever happens to the names; if
# the manifest is still the same then, the links are one set. So no rewrite has to be forbidden, and none stays
# forbidden when a copy is broken off. The links are in DATA, for they cannot leave its file system.
set -eu
umask 077
data=${1:?usage: backup.sh DATA TARGET} target=${2:?usage: backup.sh DATA TARGET}
files=$data/appendonlydir
manifest=appendonly.aof.manifest
check=$(command -v valkey-check-aof || command -v redis-check-aof) ||
  { echo "neither valkey-check-aof nor redis-check-aof is installed" >&2; exit 1; }
links=$data/backup.$$
trap 'rm -rf "$links"' EXIT
trap 'exit 1' HUP INT TERM

link_all() {
  rm -rf "$links"
  mkdir "$links"
  cp "$files/$manifest" "$links/"
  while read -r _ name _ _ _ kind _; do
    # h: what a rewrite has made superfluous and is deleting at this moment.
    [ "$kind" != h ] && ln "$files/$name" "$links/" 2>/dev/null || return 1
  done < "$links/$manifest"
  cmp -s "$files/$manifest" "$links/$manifest"
}

[ -r "$files/$manifest" ] || { echo "$files/$manifest cannot be read" >&2; exit 1; }
tries=0
until link_all; do
  tries=$((tries + 1))
  [ $tries -lt 100 ] || { echo "no set of files stood still in 100 looks at $files" >&2; exit 1; }
  sleep 0.1
done

mkdir "$target"
cp -r "$links" "$target/appendonlydir"
# The copy may end in the middle of what was being written: that was not acknowledged yet, or after we began.
yes 2>/dev/null | "$check" --fix "$target/appendonlydir/$manifest" > "$target/check.txt" 2>&1 ||
  { cat "$target/check.txt" >&2; echo "$target is not usable" >&2; exit 1; }
(cd "$target" && sha256sum appendonlydir/* > SHA256SUMS)
sync
echo "$target: $(du -sh "$target" | cut -f 1); now try it: drill.sh $target"
