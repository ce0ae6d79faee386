package rkechecks

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkecli"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

type judgement func(Prepared) []verify.Finding

// requires returns a function that judges only if all evidence was read. Each function of
// evidence returns the findings for missing evidence, or none.
func requires(judge judgement, evidence ...judgement) judgement {
	return func(p Prepared) []verify.Finding {
		for _, have := range evidence {
			if missing := have(p); len(missing) > 0 {
				return missing
			}
		}
		return judge(p)
	}
}

func haveFile(p Prepared) []verify.Finding {
	if p.File == nil && !p.Kept {
		return []verify.Finding{verify.Undecided(p.file(), "the configuration was not read")}
	}
	return nil
}

// NeedsCluster is the reason of every check that cluster.yml alone does not decide.
const NeedsCluster = "needs the cluster"

func haveState(p Prepared) []verify.Finding {
	if p.Offline {
		return []verify.Finding{verify.Undecided("rke's state", NeedsCluster)}
	}
	if !p.State.Current.Known {
		return []verify.Finding{verify.Undecided("rke's state", "currentState was not read")}
	}
	return nil
}

// haveVersion requires rke's state, or without a cluster cluster.yml.
func haveVersion(p Prepared) []verify.Finding {
	if p.Offline {
		return haveFile(p)
	}
	return haveState(p)
}

func haveNodes(p Prepared) []verify.Finding {
	if p.Offline {
		return []verify.Finding{verify.Undecided("Nodes", NeedsCluster)}
	}
	switch {
	case len(p.Down.Nodes) > 0:
	case !p.State.Current.Known:
		return []verify.Finding{verify.Undecided("rke's state", "currentState was not read: it maps the machines of cluster.yml to Nodes")}
	default:
		return []verify.Finding{verify.Undecided("Nodes", "no Node was read")}
	}
	return nil
}

func haveHosts(p Prepared) []verify.Finding {
	if len(p.Hosts()) == 0 {
		return []verify.Finding{verify.Undecided(p.file(), "no node was read")}
	}
	return nil
}

// haveBinary requires the rke binary, which awsmigrate only has if it runs rke itself.
func haveBinary(p Prepared) []verify.Finding {
	switch {
	case p.Offline:
		return []verify.Finding{verify.Undecided("rke binary", NeedsCluster)}
	case p.managed():
		return verify.Skipped("Rancher applies the configuration, with the rke that it is built with")
	case p.Binary.OK():
		return nil
	case p.Options.NoRKEUp:
		return []verify.Finding{verify.Warning("flag --no-rke-up", "the rke that you will run cannot be checked here",
			rkecli.Wanted+", and one that knows the cluster's Kubernetes version", "look at `rke --version` before you run it")}
	}
	return verify.Unread(p.Binary, "rke binary")
}

// haveChart requires a computed installation of the chart, or the reason for its absence.
func haveChart(p Prepared) []verify.Finding {
	if p.Offline {
		return []verify.Finding{verify.Undecided("chart", NeedsCluster)}
	}
	if p.ChartErr == nil && p.PlannedSet == nil && p.NotPreviewed == "" {
		return []verify.Finding{verify.Undecided("chart", "the installation was not computed")}
	}
	return nil
}

// managed reports whether Rancher holds the configuration.
func (p Prepared) managed() bool { return p.Path == "" && p.Options.Cluster != "" }

// file returns the name of the configuration for messages.
func (p Prepared) file() string {
	if p.Path != "" {
		return p.Path
	}
	return cmp.Or(p.Object, "cluster.yml")
}

// mistyped returns a question that names the top-level key of the file that probably stands for
// another, or "". rke ignores keys that it does not know.
func (p Prepared) mistyped(key string) string {
	if p.File == nil {
		return ""
	}
	for _, name := range p.File.Keys() {
		if name != key && fault.DidYouMean(name, []string{key}) != "" {
			return fmt.Sprintf("line %d: did you mean %s, not %s?", p.File.Line(name), key, name)
		}
	}
	return ""
}

// where returns a key of the configuration for messages, with its line if it has one.
func (p Prepared) where(path ...string) string {
	name := p.file()
	if p.File != nil && p.Path != "" {
		if line := p.File.Line(path...); line > 0 {
			name = fmt.Sprintf("%s:%d", name, line)
		}
	}
	return name + ": " + strings.Join(path, ".")
}
