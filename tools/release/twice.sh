#!/usr/bin/env bash
# Makes a release twice, the second time from another path, with another home, time zone,
# language and umask, for root also as another user with empty caches of Go, and compares
# every byte. TWICE_CACHES=shared keeps user and caches, for a quick look.
set -euo pipefail
version=$1 platforms=${2:-}
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
chmod 755 "$work"

make release VERSION="$version" PLATFORMS="$platforms" OUT="$work/first" KEY=

other="$work/another/place"
mkdir -p "$other/home" "$other/tmp"
git clone --quiet --no-hardlinks . "$other/source"
as=(env)
if [ "${TWICE_CACHES:-own}" = shared ]; then
	as+=("GOCACHE=$(go env GOCACHE)" "GOMODCACHE=$(go env GOMODCACHE)")
else
	as+=(-u GOCACHE -u GOMODCACHE -u GOPATH)
	if [ "$(id -u)" = 0 ]; then
		chown -R 65534:65534 "$work/another"
		as=(setpriv --reuid=65534 --regid=65534 --clear-groups "${as[@]}")
	fi
fi
(
	umask 077
	cd "$other/source"
	"${as[@]}" HOME="$other/home" TMPDIR="$other/tmp" TZ=Pacific/Kiritimati LC_ALL=C.UTF-8 make release VERSION="$version" PLATFORMS="$platforms" OUT="$other/second" KEY=
)
diff -r "$work/first" "$other/second"
echo "the same $(find "$work/first" -type f | wc -l) files twice"
