#!/usr/bin/env bash
# Looks at a folder that `make release` made as those look who use it: every sum that one file
# has of another, what each binary says it is, and what runs on this machine, started from PATH.
set -euo pipefail
cd "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*" >&2; exit 1; }
sum() { sha256sum "$1" | cut -d ' ' -f 1; }
has() { grep -qF -- "$2" "$1" || fail "$1 lacks $2"; }

sha256sum --check --strict --quiet checksums.txt
find . -type f ! -name 'checksums.txt*' -printf '%P\n' | sort > "$work/there"
cut -c 67- checksums.txt | sort | diff - "$work/there" || fail "checksums.txt (<) and the folder (>) differ"

set -- awsmigrate_*_image.tar
version=${1#awsmigrate_} version=${version%_image.tar} number=${version#v}
own=$(go env GOHOSTOS)_$(go env GOHOSTARCH)
for archive in awsmigrate_"$version"_*.tar.gz; do
	name=${archive%.tar.gz} platform=${name#awsmigrate_"$version"_}
	tar -xzf "$archive" -C "$work"
	for file in LICENSE THIRD_PARTY_NOTICES kubectl-awsmigrate kubectl_complete-awsmigrate completions/{awsmigrate.bash,_awsmigrate,awsmigrate.fish} man/man1/awsmigrate{,-rke2-undo,-verify}.1; do
		[ -s "$work/$name/$file" ] || fail "$archive lacks $file"
	done
	go version -m "$work/$name/awsmigrate" > "$work/says"
	has "$work/says" "GOOS=${platform%_*}"
	has "$work/says" "GOARCH=${platform#*_}"
	has "$work/says" "$version"
	has "$name.cdx.json" "$(sum "$work/$name/awsmigrate")"
	has awsmigrate.yaml "kubectl-$archive"
	has awsmigrate.yaml "$(sum "kubectl-$archive")"
	mkdir "$work/plugin"
	tar -xzf "kubectl-$archive" -C "$work/plugin"
	cmp "$work/plugin/kubectl-awsmigrate" "$work/$name/awsmigrate"
	rm -r "$work/plugin"
done

image=$(grep -o '"digest": *"sha256:[0-9a-f]*"' image/index.json | grep -o 'sha256:[0-9a-f]*')
tar -xzf "awsmigrate-$number.tgz" -C "$work"
has "$work/awsmigrate/values.yaml" "$image"
for arch in $(cd "$work" && ls -d awsmigrate_*_linux_* | sed 's/.*_//'); do
	has "image/blobs/sha256/${image#sha256:}" "\"$arch\""
done
mkdir "$work/image"
tar -xf "awsmigrate_${version}_image.tar" -C "$work/image"
diff -r image "$work/image"
has "awsmigrate_${version}_image.cdx.json" "$image"
for chart in awsmigrate awsmigrate-crd; do
	has index.yaml "$(sum "$chart-$number.tgz")"
	has index.yaml "- $chart-$number.tgz"
done
has awsmigrate-images.txt "awsmigrate/awsmigrate:$number"
has release-notes.md "make release VERSION=$version"

if [ -d "$work/awsmigrate_${version}_$own" ]; then
	run() { env -i PATH="$work/awsmigrate_${version}_$own:/usr/bin:/bin" HOME="$work" "$@"; }
	run awsmigrate --version > "$work/says"
	has "$work/says" "$version"
	run kubectl-awsmigrate --help > "$work/says"
	has "$work/says" "kubectl awsmigrate"
	run kubectl_complete-awsmigrate rke2 un > "$work/says" 2> /dev/null
	has "$work/says" "$(printf 'undo\t')"
	run awsmigrate __complete rke2 un 2> /dev/null | diff "$work/says" -
fi
echo "$version: $(wc -l < checksums.txt) files fit each other"
