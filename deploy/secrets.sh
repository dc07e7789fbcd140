#!/bin/sh
# Makes the secrets of an installation, each file for its owner's eyes alone:
#   users.acl    what the server reads: users.acl beside this script, with the hashes of new passwords
#   <user>.env   the URL of the store with that user's password, for the service's environment
#   seal.key     the key of the seals, unless it is there: it must outlive every password
#   tokens.toml  empty, unless it is there: `python -m services.gateway --new-token` adds to it
# Usage: secrets.sh FOLDER [HOST:PORT of the store, default 127.0.0.1:6379]
set -eu
umask 077
folder=${1:?usage: secrets.sh FOLDER [HOST:PORT]}
address=${2:-127.0.0.1:6379}
template=$(dirname "$0")/users.acl

mkdir -p "$folder"
if [ -e "$folder/users.acl" ]; then
  echo "$folder/users.acl is there: remove it to make new passwords for everybody" >&2
  exit 1
fi
awk '/^#/ || !NF { next } /^[ \t]/ { sub(/^[ \t]+/, " "); printf "%s", $0; next }
     { printf "%s%s", begun, $0; begun = "\n" } END { print "" }' "$template" > "$folder/users.acl.new"
for user in $(sed -n 's/.*#{\([a-z]*\)}.*/\1/p' "$folder/users.acl.new"); do
  password=$(od -An -v -tx1 -N32 /dev/urandom | tr -d ' \n')
  hash=$(printf '%s' "$password" | sha256sum | cut -d ' ' -f 1)
  sed -i "s/#{$user}/#$hash/" "$folder/users.acl.new"
  printf 'TIRAGE_STORE_URL=redis://%s:%s@%s/0\n' "$user" "$password" "$address" > "$folder/$user.env"
done
if [ ! -e "$folder/seal.key" ]; then
  head -c 32 /dev/urandom > "$folder/seal.key.new"
  mv "$folder/seal.key.new" "$folder/seal.key"
fi
[ -e "$folder/tokens.toml" ] || : > "$folder/tokens.toml"
mv "$folder/users.acl.new" "$folder/users.acl"
