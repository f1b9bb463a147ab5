#!/usr/bin/env bash
# Damage: one of so many bytes of each kind of store. `./dev damage` tries all.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${MILLRACE_BUILD_DIR:-$here/../../build/test}
export MILLRACE_FAULTS=$build/tests/libmillrace_faults.so
# Not yet the degrees of classes, which the full check does not read.
stores=()
for store in "$here"/../golden/format-*/*.mill; do
    [[ $store == */classes.mill ]] || stores+=("$store")
done
exec "$build/tests/damage_campaign" "${1:-97}" "${stores[@]}"
