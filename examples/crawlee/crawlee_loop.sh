#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Rounds of the N best pages until none is left: crawlee_loop.sh N. seeds.txt has the first pages.
export CRAWLEE_PURGE_ON_START=0 # the request queue keeps what is handled
fetched=(--fetched storage/request_queues/default)
cp seeds.txt next-1.txt
for ((i = 1; ; i++)); do
  round=$(printf 'round-%06d' "$i")
  node ranked_crawler.mjs "next-$i.txt" "$round"
  fetched+=(--fetched "storage/datasets/$round")
  if [ -e crawl.mill ]; then
    millrace append crawl.mill "storage/datasets/$round" --replace --gone "storage/datasets/$round"
  else
    millrace build -o crawl.mill "storage/datasets/$round"
  fi
  millrace pagerank crawl.mill "${fetched[@]}" --retries 1 --next "${1-1000}" --urls-only >"next-$((i + 1)).txt"
  [ -s "next-$((i + 1)).txt" ] || break
done
