package checks

import (
	"fmt"
	"maps"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// pair is a Node with its instance.
type pair struct {
	node     downstream.Node
	zone, id string
	instance cloud.Instance
	found    bool
}

func (p pair) object() string { return "Node " + p.node.Name + " (" + p.id + ")" }

// withAWS hands every Node that has an AWS ProviderID to judge, with its
// instance. Without a look at AWS it skips or is unknown; Nodes that EC2 was not
// asked about, or gave no answer for, are unknown and not handed on. Where none of
// all instances is found, AWSM-401 says so for all checks: it is more likely that
// the wrong place was asked than that everything is missing.
func (in Input) withAWS(judge func([]pair) []verify.Finding) []verify.Finding {
	return in.compared(func(pairs []pair) []verify.Finding {
		if noneFound(pairs) {
			return []verify.Finding{unknown("EC2 instances", fmt.Sprintf("could not look: none of %d was found (AWSM-401)", len(pairs)))}
		}
		return judge(pairs)
	})
}

// noneFound says whether instances were asked for and not one is there.
func noneFound(pairs []pair) bool {
	return len(pairs) > 0 && !slices.ContainsFunc(pairs, func(p pair) bool { return p.found })
}

// compared is withAWS for whoever can say something where no instance is found.
func (in Input) compared(judge func([]pair) []verify.Finding) []verify.Finding {
	if !in.Cloud.On {
		return verify.Skipped("AWS was not asked: " + orElse(in.Cloud.Off, "off"))
	}
	if !in.Nodes.OK() {
		return verify.Unread(in.Nodes, "nodes")
	}
	return verify.Judge(in.Cloud.Instances, "EC2 instances", func(instances map[string]cloud.Instance) []verify.Finding {
		pairs, missed := in.pairs(instances)
		switch {
		case len(pairs) > 0:
			return append(unasked(missed), judge(pairs)...)
		case len(missed) > 0:
			return unasked(missed)
		}
		return verify.Skipped("no node has the ProviderID of an EC2 instance")
	})
}

// pairs are the Nodes that EC2 was asked about. Of the others there is the number,
// by the reason.
func (in Input) pairs(instances map[string]cloud.Instance) (pairs []pair, missed map[string]int) {
	pairs, missed = make([]pair, 0, len(in.Nodes.Value)), map[string]int{}
	for _, n := range in.Nodes.Value {
		zone, id, ok := downstream.ParseProviderID(n.ProviderID)
		if !ok {
			continue // AWSM-301
		}
		i, found := instances[id]
		if why := in.Cloud.MissedIn(zone); !found && why != "" {
			missed[why]++
			continue
		}
		pairs = append(pairs, pair{n, zone, id, i, found})
	}
	return pairs, missed
}

// withCluster is withAWS for what is told by the cluster's tag. Where no instance
// has one, there is nothing to hold anything against.
func (in Input) withCluster(judge func(pairs []pair, id string) []verify.Finding) []verify.Finding {
	return in.withAWS(func(pairs []pair) []verify.Finding {
		id := cluster(pairs)
		if id == "" {
			return verify.Skipped("no instance is tagged for a cluster (AWSM-406), so there is nothing to look for")
		}
		return judge(pairs, id)
	})
}

// unasked says of how many Nodes nothing is known, for each reason.
func unasked(missed map[string]int) []verify.Finding {
	var out []verify.Finding
	for _, why := range slices.Sorted(maps.Keys(missed)) {
		out = append(out, unknown(fmt.Sprintf("%d nodes", missed[why]), "could not look: "+why))
	}
	return out
}

// eachInstance judges every pair whose instance exists; AWSM-401 has the others.
func eachInstance(in Input, judge func(pair) []verify.Finding) []verify.Finding {
	return in.withAWS(func(pairs []pair) []verify.Finding {
		var out []verify.Finding
		for _, p := range pairs {
			if p.found {
				out = append(out, judge(p)...)
			}
		}
		return out
	})
}

// cluster is the id that most instances are tagged for.
func cluster(pairs []pair) string {
	tags := make([]cloud.Tags, 0, len(pairs))
	for _, p := range pairs {
		tags = append(tags, p.instance.Tags)
	}
	return cloud.MostTagged(tags)
}

func orElse(s, fallback string) string {
	if s == "" {
		return fallback
	}
	return s
}
