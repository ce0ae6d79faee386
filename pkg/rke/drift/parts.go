package drift

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/rke/configtree"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
)

// removedArguments finds arguments of a service that are stored but no longer in the file. rke
// adds none itself but etcd's two timings and a checksum.
func (d *differ) removedArguments(file, state map[string]any) {
	ours := map[string]bool{"services.etcd.extra_args.election-timeout": true, "services.etcd.extra_args.heartbeat-interval": true}
	for _, service := range strings.Fields(d.schema["services"]) {
		at := configtree.Join("services", service)
		now, was := configtree.In(file, "services", service), configtree.In(state, "services", service)
		for _, entry := range strings.Fields(serviceKeys) {
			key := strings.TrimSuffix(entry, "*")
			path, stored := configtree.Join(at, key), configtree.LookUp(was, key)
			if key != entry {
				d.removedKeys(path, configtree.Map(now[key]), configtree.Map(stored), ours)
			} else if list, ok := withoutChecksum(stored).([]any); ok && len(list) > 0 && nothing(now[key]) {
				d.add(path, nil, list)
			}
		}
	}
}

func (d *differ) removedKeys(path string, file, state map[string]any, but map[string]bool) {
	for _, key := range configtree.Keys(state) {
		if _, given := file[key]; !given && !but[configtree.Join(path, key)] {
			d.add(configtree.Join(path, key), nil, state[key])
		}
	}
}

// compareNodes compares nodes by address, in any order.
func (d *differ) compareNodes(file, state []any) {
	was := map[string]map[string]any{}
	for _, one := range state {
		node := configtree.Map(one)
		was[fmt.Sprint(node["address"])] = node
	}
	for _, one := range file {
		node := configtree.Map(one)
		address := fmt.Sprint(node["address"])
		stored, known := was[address]
		delete(was, address)
		path := "nodes[" + address + "]"
		if !known {
			d.add(path, configtree.Text("added"), nil)
			continue
		}
		d.compareNode(path, node, stored)
	}
	for _, address := range sortedNodes(was) {
		d.add("nodes["+address+"]", configtree.Text("removed"), "a node")
	}
}

func (d *differ) compareNode(path string, file, state map[string]any) {
	own := map[string]any{}
	maps.Copy(own, file)
	if name, ok := own["hostname_override"].(configtree.Text); ok {
		own["hostname_override"] = configtree.Text(strings.ToLower(string(name)))
	}
	if roles, ok := own["role"].([]any); ok {
		delete(own, "role")
		if !slices.Equal(texts(roles), texts(configtree.List(state["role"]))) {
			d.add(configtree.Join(path, "role"), roles, state["role"])
		}
	}
	// If the file omits them, rke derives its defaults from address.
	address := fmt.Sprint(file["address"])
	for key, byDefault := range map[string]string{"internal_address": address, "hostname_override": strings.ToLower(address)} {
		if stored := configtree.LookUp(state, key); nothing(own[key]) && stored != nil && stored != "" {
			own[key] = configtree.Text(byDefault)
		}
	}
	d.compareObject(path, "nodes", own, state)
	d.removedKeys(configtree.Join(path, "labels"), configtree.Map(own["labels"]), configtree.Map(state["labels"]), nil)
	if taints := configtree.List(state["taints"]); len(taints) > 0 && nothing(own["taints"]) {
		d.add(configtree.Join(path, "taints"), nil, taints)
	}
}

// compareProvider compares the cloud config. It compares the options of the in-tree provider as
// long as both file and state use it: the changes of the switch, and of its undo from the
// backup, are ours.
func (d *differ) compareProvider(file, state map[string]any) {
	own, stored := maps.Clone(configtree.In(file, "cloud_provider")), configtree.In(state, "cloud_provider")
	if own["name"] == configtree.Text(rkestate.ProviderExternal) || stored["name"] == rkestate.ProviderExternal {
		delete(own, "awsCloudProvider")
	}
	d.compareObject("cloud_provider", "cloud_provider", own, stored)
}

// compareImages compares the binary's images for the version in force with the stored ones: a
// newer binary may have others. The binary lists them without their keys, so they are compared
// by repository.
func (d *differ) compareImages(f rkestate.Facts, file map[string]any) {
	if !f.Binary.OK() {
		return
	}
	taken := f.Binary.Value.Images[f.State.Current.Config.KubernetesVersion]
	if len(taken) == 0 {
		return
	}
	prefix := configtree.DefaultRegistry(file, "private_registries", "is_default")
	binary, stored := map[string][]string{}, map[string][]string{}
	for _, image := range taken {
		binary[repository(image)] = append(binary[repository(image)], image)
	}
	for _, image := range f.State.Current.Config.SystemImages {
		plain := strings.TrimPrefix(image, prefix)
		if repo := repository(plain); !slices.Contains(stored[repo], plain) {
			stored[repo] = append(stored[repo], plain)
		}
	}
	set := map[string]bool{"windowspodinfracontainer": true} // the binary does not list it
	for key, value := range configtree.In(file, "system_images") {
		set[configtree.Folded(key)] = set[configtree.Folded(key)] || !nothing(value)
	}
	for key, image := range f.State.Current.Config.SystemImages {
		plain := strings.TrimPrefix(image, prefix)
		repo := repository(plain)
		if plain == "" || set[configtree.Folded(key)] || slices.Contains(binary[repo], plain) {
			continue
		}
		// By repository, two images of one repository look like one.
		if len(binary[repo]) == 1 && len(stored[repo]) > 1 && slices.Contains(stored[repo], binary[repo][0]) {
			continue
		}
		slices.Sort(binary[repo])
		d.add("system_images."+key, configtree.Text(cmp.Or(strings.Join(binary[repo], " or "), "another image")+", by rke "+f.Binary.Value.Version), image)
	}
}

func repository(image string) string {
	image, _, _ = strings.Cut(image, "@")
	if i := strings.LastIndexByte(image, ':'); i > strings.LastIndexByte(image, '/') {
		return image[:i]
	}
	return image
}

func texts(list []any) []string {
	out := make([]string, 0, len(list))
	for _, one := range list {
		out = append(out, fmt.Sprint(one))
	}
	slices.Sort(out)
	return out
}

func sortedNodes(m map[string]map[string]any) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}
