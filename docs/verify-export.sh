#!/usr/bin/env bash
# Checks an export of the Fleetgate audit with public tools alone: bash, openssl (3.0 or newer), jq, coreutils.
#
#   docs/verify-export.sh <export.ndjson> <verifier key>
#
# The verifier key is what GET /v1/audit/log or `fleetgate audit key` said when the auditor first came; it is given here and
# not taken from the export, since a forged export can contain the key of the forger. The script
#   1. checks the Ed25519 signature of the checkpoint in the first line (C2SP signed-note, tlog-checkpoint),
#   2. computes the Merkle root (RFC 9162) from the lines in their order: an entry is a leaf, SHA-256(0x00 | its bytes);
#      what was left out is there as the hash of its subtree; two of equal height join to SHA-256(0x01 | both),
#   3. compares that root, and the number of leaves, with the ones that were signed.
# Some 300 lines a second: `fleetgate audit verify --export` does the same faster.
set -euo pipefail
export LC_ALL=C

[ $# -eq 2 ] || { echo "Usage: $0 <export.ndjson> <verifier key>" >&2; exit 2; }
file=$1
key=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }

bytes() { tr a-f A-F | basenc --base16 -d; } # hex to bytes
sum() { sha256sum | cut -c 1-64; }

# 1. The signature. A key is <name>+<id>+<base64: 0x01, 32 bytes>; a signature line is "— <name> <base64: id, 64 bytes>".
name=${key%%+*}
head -n 1 "$file" | jq -j .checkpoint >"$work/note"
sed '/^$/,$d' "$work/note" >"$work/text"
sed '1,/^$/d' "$work/note" | while read -r _ signer signature; do
  if [ "$signer" = "$name" ]; then base64 -d <<<"$signature" | tail -c +5; fi
done >"$work/signature"
{ printf 302a300506032b6570032100 | bytes; base64 -d <<<"${key#*+*+}" | tail -c +2; } >"$work/key.der"
openssl pkeyutl -verify -pubin -keyform DER -inkey "$work/key.der" -rawin \
  -in "$work/text" -sigfile "$work/signature" >/dev/null 2>&1 || fail 'the checkpoint is not signed with this key'
{ read -r origin; read -r size; read -r root; read -r _ signed; } <"$work/text"
[ "$origin" = "$name" ] || fail "the checkpoint is of another log, $origin"

# 2. The root. `heights` and `hashes` are the subtrees so far, from left to right.
heights=()
hashes=()
leaves=0
entries=0
join() {
  local right=${#hashes[@]}
  right=$((right - 1))
  hashes[right - 1]=$(printf '01%s%s' "${hashes[right - 1]}" "${hashes[right]}" | bytes | sum)
  heights[right - 1]=$((heights[right - 1] + 1))
  unset "hashes[$right]" "heights[$right]"
}
push() {
  [ $((leaves % (1 << $1))) -eq 0 ] || fail "a hash of height $1 cannot stand after $leaves leaves"
  heights+=("$1")
  hashes+=("$2")
  leaves=$((leaves + (1 << $1)))
  while [ ${#heights[@]} -gt 1 ] && [ "${heights[${#heights[@]} - 1]}" -eq "${heights[${#heights[@]} - 2]}" ]; do join; done
}
ended=no
{
  read -r _
  while IFS= read -r line; do
    [ $ended = no ] || fail 'there are lines after the end'
    if [[ $line =~ ^\{\"proof\":\"hash\",\"height\":([0-9]{1,2}),\"hash\":\"([0-9a-f]{64})\"\}$ ]]; then
      push "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}"
    elif [[ $line == '{"proof":"end",'* ]]; then
      ended=yes
    else
      push 0 "$({ printf '\0'; printf %s "$line"; } | sum)"
      entries=$((entries + 1))
    fi
  done
} <"$file"
[ $ended = yes ] || fail 'the export was cut off: its last line is missing'
while [ ${#hashes[@]} -gt 1 ]; do join; done

# 3. The comparison.
[ "$leaves" -eq "$size" ] || fail "the export stands for $leaves leaves, $size were signed"
[ "$(printf %s "${hashes[0]}" | bytes | base64)" = "$root" ] || fail 'the root of these lines is not the one that was signed'
echo "OK: $entries lines are what $origin signed at $size leaves on $signed"
