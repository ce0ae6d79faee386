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

// EndState is the form of the configuration after the switch.
type EndState string

const (
	// EndAuto selects external if every node was registered with an explicit node-name,
	// otherwise overrides. Only explicit names are sure to survive external.
	EndAuto EndState = "auto"
	// EndExternal sets cloud-provider-name: external.
	EndExternal EndState = "external"
	// EndOverrides leaves cloud-provider-name: aws, which also determines node names, and
	// overrides the provider per component.
	EndOverrides EndState = "overrides"
)

// EndStateChoice holds an end state and the reason for it.
type EndStateChoice struct {
	State EndState
	Why   string
}

// chooseEndState returns the end state that keeps the names of all Nodes. A renamed Node is
// the worst outcome.
//
// An external kubelet uses the host name of its operating system, which no API shows: the
// label kubernetes.io/hostname, the annotation rke2.io/hostname and the Hostname address
// repeat the metadata name. External therefore requires that every Node was registered with
// an explicit node-name equal to its name. Otherwise it is refused, even on request.
//
// Overrides keeps RKE2's --hostname-override, which the label repeats. If the label differs
// from the Node's name, overrides would rename the Node. This happens if the metadata service
// only answers IMDSv2, because RKE2 then uses `hostname -f`.
func chooseEndState(wanted EndState, nodes []downstream.Node) (EndStateChoice, error) {
	unproven := namesNotExplicit(nodes)
	overridden := nodesWithOtherLabel(nodes)
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

func namesNotExplicit(nodes []downstream.Node) []string {
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

// nodesWithOtherLabel returns the Nodes whose hostname label is missing or differs from their
// name.
func nodesWithOtherLabel(nodes []downstream.Node) []*downstream.Node {
	var found []*downstream.Node
	for i := range nodes {
		if strings.ToLower(nodes[i].Labels[corev1.LabelHostname]) != nodes[i].Name {
			found = append(found, &nodes[i])
		}
	}
	return found
}

func nodesAre(names []string) string {
	const maxNames = 3
	switch {
	case len(names) == 1:
		return "Node " + names[0] + " is"
	case len(names) > maxNames:
		return fmt.Sprintf("Nodes %s and %d more are", strings.Join(names[:maxNames], ", "), len(names)-maxNames)
	}
	return "Nodes " + strings.Join(names, ", ") + " are"
}

// EndStateOf returns the current end state of a switched cluster, or else the one that
// chooseEndState selects.
func EndStateOf(f rancher.Facts, switched bool, wanted EndState, nodes []downstream.Node) (EndStateChoice, error) {
	if past, ok := pastEndState(f, switched); ok {
		return past, nil
	}
	return chooseEndState(wanted, nodes)
}

// pastEndState returns the end state of a switched cluster, or false if it is not switched.
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

// providersOf returns the effective cloud-provider-name of every machine.
func providersOf(f rancher.Facts) map[string]string {
	providers := map[string]string{}
	for _, setting := range config.Providers(f.Cluster.Spec, f.Configs()) {
		providers[setting.Machine] = setting.Value
	}
	return providers
}

// ForEdits returns the end state as a value for computing edits.
func (choice EndStateChoice) ForEdits() edits.EndState { return edits.EndState(choice.State) }
