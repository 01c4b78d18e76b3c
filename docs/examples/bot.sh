#!/usr/bin/env bash
# Plays one seat of a match of any game, at random, with curl alone: bash bot.sh http://127.0.0.1:7406 MATCH SEAT [LUCK]
set -u
match="${1%/}/api/matches/$2" seat=$3
RANDOM=$(cksum <<<"${4:-bot}" | cut -d ' ' -f 1) # bash draws its numbers from it
moved=0
who=() # in a house with keys: the token of the seat, or of the player who sits there
[ "${TOKEN:-}" ] && who=(--header "Authorization: Bearer $TOKEN")

# --retry asks again when there is no answer, or one that begins with 5; under the same key that is harmless.
ask() { curl --silent --show-error --retry 20 --retry-delay 1 --retry-all-errors "${who[@]}" "$@"; }
choices() { ask --get "$match/choices" --data "seat=$seat" "$@"; }
first() { grep --only-matching "\"$1\": *$2" | head -n 1 | sed 's/^[^:]*: *//'; }

move() {
  local path=() keys menu command
  menu=$(choices)
  while true; do
    command=$(sed -n 's/.*"command": *\({.*}\)}$/\1/p' <<<"$menu")
    mapfile -t keys < <(grep --only-matching '"key": *"[^"]*"' <<<"$menu" | sed 's/.*: *"//; s/"$//')
    if [ -n "$command" ] && { [ ${#keys[@]} -eq 0 ] || ((RANDOM % 2)); }; then break; fi
    if [ ${#keys[@]} -eq 0 ]; then first detail '"[^"]*"' <<<"$menu"; return; fi # refused: the next position tells
    path+=(--data-urlencode "path=${keys[RANDOM % ${#keys[@]}]}")
    menu=$(choices "${path[@]}")
  done
  ask "$match/commands" --header 'Content-Type: application/json' --header "Idempotency-Key: $seat-$1" \
    --data "{\"seat\": $seat, \"command\": $command}"
  echo
}

# From the position as it stands now, then a line for each fact, each position, and the end; again if the line drops.
watch() {
  local now
  now=$(ask "$match?viewer=seat:$seat")
  echo "$now"
  curl --silent --no-buffer "${who[@]}" --header 'Accept: application/x-ndjson' \
    "$match/stream?viewer=seat:$seat&after=$(first revision '[0-9]*' <<<"$now")"
}

ended=
until [ "$ended" ]; do
  while read -r line; do
    if [[ $line =~ \"event\":\ *\"end\" ]]; then ended=yes; break; fi
    revision=$(first revision '[0-9]*' <<<"$line")
    if [[ $(first pending_seats '\[[^]]*\]' <<<"$line") =~ [^0-9]$seat[^0-9] ]] && [ "$revision" -gt "$moved" ]; then
      moved=$revision
      move "$revision"
    fi
  done < <(watch)
  [ "$ended" ] || sleep 0.2
done
