package rke2checks

import (
	"fmt"
	"sort"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/edits"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// EndState is how a cluster runs after the switch.
type EndState string

const (
	// EndAuto chooses overrides, unless every node was registered with an
	// explicit node-name: only then external keeps names by construction.
	EndAuto EndState = "auto"
	// EndExternal is cloud-provider-name: external.
	EndExternal EndState = "external"
	// EndOverrides keeps cloud-provider-name: aws, which is also the mechanism
	// that names nodes, and overrides the provider per component.
	EndOverrides EndState = "overrides"
)

// EndStateChoice is an end state and the evidence it rests on.
type EndStateChoice struct {
	State EndState
	Why   string
}

// chooseEndState decides how nodes keep their names after the switch. A renamed
// node is the worst outcome, and the operating system's host name, which an
// external kubelet would use, can be read nowhere in the API: the label
// kubernetes.io/hostname, the annotation rke2.io/hostname and the Hostname
// address all repeat the metadata name. So `external` is taken only where every
// node was registered with an explicit node-name equal to its own name, and is
// refused elsewhere, whoever asks. `overrides` keeps what RKE2 passes as
// --hostname-override, which the label repeats: where that is not the Node's name
// (metadata that answers IMDSv2 only, so that RKE2 took `hostname -f`), it would
// rename the Node too.
func chooseEndState(wanted EndState, nodes []downstream.Node) (EndStateChoice, error) {
	unproven := withoutExplicitName(nodes)
	overridden := overriddenOtherwise(nodes)
	switch {
	case len(overridden) > 0 && (wanted == EndOverrides || wanted == EndAuto && len(unproven) > 0):
		return EndStateChoice{}, &fault.Error{Class: fault.Check, Reason: migration.ReasonNamesNotProven,
			Object: "Node " + overridden[0].Name,
			Seen: fmt.Sprintf("label %s is %q, and so is RKE2's --hostname-override: its kubelet would register under that name",
				corev1.LabelHostname, overridden[0].Labels[corev1.LabelHostname]),
			Wanted: fmt.Sprintf("the Node's own name there on every Node (not so on %d of %d), or an explicit --node-name on every Node", len(overridden), len(nodes)),
			Fix:    "set HttpTokens=optional on these instances and restart rke2 there, or replace the machines"}
	case wanted == EndOverrides:
		return EndStateChoice{EndOverrides, "asked for"}, nil
	case len(unproven) == 0 && len(nodes) > 0:
		return EndStateChoice{EndExternal, fmt.Sprintf("all %d nodes were registered with an explicit node-name", len(nodes))}, nil
	case wanted == EndExternal:
		return EndStateChoice{}, &fault.Error{Class: fault.Check, Reason: migration.ReasonNamesNotProven,
			Object: "flag --end-state external",
			Seen:   fmt.Sprintf("%s not registered with an explicit node-name: under `external` its name would be the operating system's host name, which no API shows", nodesAre(unproven)),
			Wanted: "--node-name equal to the Node's name in annotation " + config.NodeArgsAnnotation + " of every Node",
			Fix:    "leave out --end-state, or take --end-state overrides"}
	case len(unproven) == len(nodes):
		return EndStateChoice{EndOverrides, "no node has an explicit node-name"}, nil
	}
	return EndStateChoice{EndOverrides, nodesAre(unproven) + " without an explicit node-name"}, nil
}

func withoutExplicitName(nodes []downstream.Node) []string {
	var names []string
	for i := range nodes {
		args, err := config.ParseNodeArgs(nodes[i].Annotations[config.NodeArgsAnnotation])
		if err != nil || !args.HasNodeName(nodes[i].Name) {
			names = append(names, nodes[i].Name)
		}
	}
	sort.Strings(names)
	return names
}

// overriddenOtherwise are the Nodes whose label is missing or tells another name
// than theirs.
func overriddenOtherwise(nodes []downstream.Node) []*downstream.Node {
	var found []*downstream.Node
	for i := range nodes {
		if strings.ToLower(nodes[i].Labels[corev1.LabelHostname]) != nodes[i].Name {
			found = append(found, &nodes[i])
		}
	}
	return found
}

func nodesAre(names []string) string {
	const most = 3
	switch {
	case len(names) == 1:
		return "Node " + names[0] + " is"
	case len(names) > most:
		return fmt.Sprintf("Nodes %s and %d more are", strings.Join(names[:most], ", "), len(names)-most)
	}
	return "Nodes " + strings.Join(names, ", ") + " are"
}

// EndStateOf is how a cluster is to run: as it does where it is switched, else as
// chooseEndState decides.
func EndStateOf(f rancher.Facts, switched bool, wanted EndState, nodes []downstream.Node) (EndStateChoice, error) {
	if past, ok := pastEndState(f, switched); ok {
		return past, nil
	}
	return chooseEndState(wanted, nodes)
}

// pastEndState is the end state that a switched cluster already has.
func pastEndState(f rancher.Facts, switched bool) (EndStateChoice, bool) {
	if !switched {
		return EndStateChoice{}, false
	}
	for _, setting := range providersOf(f) {
		if setting == "external" {
			return EndStateChoice{EndExternal, "the cluster runs it"}, true
		}
	}
	return EndStateChoice{EndOverrides, "the cluster runs it"}, true
}

// providersOf gives the effective cloud-provider-name of every machine.
func providersOf(f rancher.Facts) map[string]string {
	providers := map[string]string{}
	for _, setting := range config.Providers(f.Cluster.Spec, f.Configs()) {
		providers[setting.Machine] = setting.Value
	}
	return providers
}

// ForEdits is the end state that the edits are computed for.
func (choice EndStateChoice) ForEdits() edits.EndState { return edits.EndState(choice.State) }
