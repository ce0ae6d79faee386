package main

import (
	"context"
	"fmt"
	"path"
	"slices"

	cdx "github.com/CycloneDX/cyclonedx-go"

	"github.com/awsmigrate/awsmigrate/internal/cli"
	"github.com/awsmigrate/awsmigrate/internal/cli/usage"
	"github.com/awsmigrate/awsmigrate/tools/release/internal/pack"
)

// plugin is the name by which kubectl finds the program.
const plugin = "kubectl-" + program

// completer is the script that kubectl runs to complete words after `kubectl awsmigrate`
// (kubernetes/kubectl:pkg/cmd/plugin_completion.go).
const completer = "#!/bin/sh\nexec " + plugin + " __complete \"$@\"\n"

// archives writes the archive for people, the archive for krew, and the bill of materials of
// each platform's binary. It also writes krew's manifest.
func (r release) archives(context.Context) error {
	licences, err := r.licences()
	if err != nil {
		return err
	}
	beside, err := r.commonEntries()
	if err != nil {
		return err
	}
	plugins := map[pack.Platform]pack.Download{}
	for _, platform := range r.platforms {
		r.say("packing for " + platform.String())
		data := r.binaries[platform].data
		if err := r.archive(program, platform, slices.Concat(beside, licences, []pack.Entry{{Path: program, Executable: true, Data: data}})); err != nil {
			return err
		}
		name, archive, err := r.krewArchive(platform, licences)
		if err != nil {
			return err
		}
		plugins[platform] = pack.Download{Address: home + "/releases/download/" + r.version.String() + "/" + name, Data: archive}
		if err := r.bill(platform); err != nil {
			return err
		}
	}
	manifest, err := pack.KrewManifest(pack.Plugin{
		Name: program, Home: home, Version: r.version, Binary: plugin,
		Short:       "Move Rancher clusters to the external AWS provider",
		Caveats:     "For completion put kubectl_complete-awsmigrate, from the archive of the program, into PATH.\n",
		Description: about + ",\nstep by step, resumable, and proven from the cluster itself.\n",
	}, plugins)
	if err != nil {
		return err
	}
	return r.write(program+".yaml", manifest)
}

func (r release) licences() ([]pack.Entry, error) {
	var entries []pack.Entry
	for _, name := range []string{"LICENSE", "THIRD_PARTY_NOTICES"} {
		text, err := r.read(name)
		if err != nil {
			return nil, err
		}
		entries = append(entries, pack.Entry{Path: name, Data: text})
	}
	return entries, nil
}

// commonEntries returns the entries of an archive besides the program, equal for every
// platform.
func (r release) commonEntries() ([]pack.Entry, error) {
	tree := cli.Tree(program)
	completions, err := pack.Completions(tree, "completions")
	if err != nil {
		return nil, err
	}
	for i := range completions {
		if path.Ext(completions[i].Path) == ".fish" {
			completions[i].Data = append(completions[i].Data, usage.FishFiles(program)...)
		}
	}
	manual, err := pack.Manual(tree, "man/man1", r.version, r.commit.Time)
	if err != nil {
		return nil, err
	}
	return slices.Concat(completions, manual, []pack.Entry{
		{Path: plugin, Link: program},
		{Path: "kubectl_complete-" + program, Executable: true, Data: []byte(completer)},
	}), nil
}

// archive writes an archive with all entries below a folder of the archive's name.
func (r release) archive(name string, platform pack.Platform, entries []pack.Entry) error {
	base := fmt.Sprintf("%s_%s_%s", name, r.version, platform)
	below := make([]pack.Entry, 0, len(entries))
	for _, e := range entries {
		e.Path = base + "/" + e.Path
		below = append(below, e)
	}
	data, err := pack.TarGz(below, pack.Usual(), r.commit.Time)
	if err != nil {
		return err
	}
	return r.write(base+".tar.gz", data)
}

// krewArchive writes an archive without links: krew refuses links
// (kubernetes-sigs/krew:internal/download/downloader.go).
func (r release) krewArchive(platform pack.Platform, licences []pack.Entry) (string, []byte, error) {
	entries := slices.Concat(licences, []pack.Entry{{Path: plugin, Executable: true, Data: r.binaries[platform].data}})
	data, err := pack.TarGz(entries, pack.Usual(), r.commit.Time)
	if err != nil {
		return "", nil, err
	}
	name := fmt.Sprintf("%s_%s_%s.tar.gz", plugin, r.version, platform)
	return name, data, r.write(name, data)
}

func (r release) bill(platform pack.Platform) error {
	built := r.binaries[platform]
	subject := pack.Subject{
		Type: cdx.ComponentTypeApplication, Name: program, PURL: "pkg:golang/" + module + "@" + r.version.String(),
		SHA256: pack.Digest(built.data), Version: r.version, At: r.commit.Time, License: licence, Platform: platform.OS + "/" + platform.Arch,
	}
	text, err := pack.BillOfMaterials(subject, pack.Modules(built.info))
	if err != nil {
		return err
	}
	return r.write(fmt.Sprintf("%s_%s_%s.cdx.json", program, r.version, platform), text)
}
