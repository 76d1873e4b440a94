#!/usr/bin/env bash
# Mirrors the audit log by curl: hashes and entries as C2SP tlog-tiles has them, and the checkpoint that covers them, last. Run it
# again for what has been added: files that are there are not asked for again.
# Usage: FLEETGATE_URL=… FLEETGATE_API_KEY=… docs/mirror-audit.sh <folder>
set -euo pipefail
folder=${1:?the folder of the mirror}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The key is not among the arguments, which other users of the machine can read.
get() {
  mkdir -p "$(dirname "$2")"
  printf 'header = "authorization: Bearer %s"\n' "${FLEETGATE_API_KEY:?}" |
    curl --config - --silent --show-error --fail-with-body --output "$work/part" "${FLEETGATE_URL:?}/v1/audit/tiles/$1" ||
    { cat "$work/part" >&2 && return 1; }
  mv "$work/part" "$2"
}

# 1234067 is x001/x234/067.
index() {
  local text rest=$(($1 / 1000))
  text=$(printf '%03d' $(($1 % 1000)))
  while [ "$rest" -gt 0 ]; do
    text=$(printf 'x%03d/%s' $((rest % 1000)) "$text")
    rest=$((rest / 1000))
  done
  echo "$text"
}

# All full tiles of a level, then the one that is not full.
level() {
  local at tile full=$(($2 / 256)) rest=$(($2 % 256))
  for ((at = 0; at < full; at++)); do
    tile="tile/$1/$(index "$at")"
    [ -e "$folder/$tile" ] || get "$tile" "$folder/$tile"
  done
  [ "$rest" -eq 0 ] || get "tile/$1/$(index "$full").p/$rest" "$folder/tile/$1/$(index "$full").p/$rest"
}

get checkpoint "$work/checkpoint"
size=$(sed -n 2p "$work/checkpoint")
level entries "$size"
count=$size
for ((at = 0; count > 0; at++)); do
  level "$at" "$count"
  count=$((count / 256))
done
mv "$work/checkpoint" "$folder/checkpoint"
echo "$size leaves in $folder"
