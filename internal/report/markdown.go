package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
)

// Markdown is the report for a ticket. torn are lines of the record that could not be read.
func Markdown(r judge.Result, torn []record.Torn) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# Who ran the cloud controllers of %s\n", cell(r.Header.Name))
	line("**%s**\n", cell(Sentence(r)))
	line("Recorded from %s to %s by %s with awsmigrate %s; %s, Kubernetes %s. %s\n", r.From.UTC().Format(time.RFC3339), r.Until.UTC().Format(time.RFC3339),
		cell(r.Header.By), cell(r.Header.Version), cell(r.Header.Server), cell(r.Header.Kubernetes), cell(r.Header.Context))
	for _, l := range r.Lanes {
		lane(line, l)
	}
	nodes(line, r.World.Nodes)
	services(line, r.World.Services)
	line("## What was not seen\n")
	blind := append(NotSeen(r), TornLines(torn)...)
	for _, what := range blind {
		line("- %s", cell(what))
	}
	if len(blind) == 0 {
		line("Nothing that was to be watched was missed.")
	}
	return b.String()
}

func lane(line func(string, ...any), l judge.Lane) {
	line("## %s\n", cell(l.Controller))
	if len(l.Intervals) == 0 {
		line("Nobody was seen to run it.\n")
		return
	}
	line("| process | began | ended | by | |\n|---|---|---|---|---|")
	for _, i := range l.Intervals {
		sure := "possibly"
		if i.Certain {
			sure = "certainly"
		}
		line("| %s `%s` | %s | %s | %s | %s |", cell(who(i.Process)), cell(i.Process.Identity), began(i.Start), ended(i), i.End.Source, sure)
	}
	line("")
	for _, g := range l.Gaps {
		line("- %s", cell(GapText(g)))
	}
	for _, o := range l.Overlaps {
		line("- %s", cell(OverlapText(o)))
	}
	line("")
}

func nodes(line func(string, ...any), all []judge.NodeChange) {
	line("## Nodes, before and after\n\n| Node | UID | ProviderID | Ready | addresses |\n|---|---|---|---|---|")
	for _, n := range all {
		line("| %s | %s | %s | %s | %s |", cell(n.First.Name), cell(n.First.UID), change(n.First.ProviderID, n.Last.ProviderID),
			change(n.First.Ready, readiness(n.Last)), change(addresses(n.First), addresses(n.Last)))
	}
	line("")
}

func readiness(n record.Node) string {
	if n.Gone {
		return "gone"
	}
	return n.Ready
}

func addresses(n record.Node) string {
	var all []string
	for _, a := range n.Addresses {
		all = append(all, a.Address)
	}
	return strings.Join(all, " ")
}

func services(line func(string, ...any), all []judge.ServiceChange) {
	line("## Load balancers, before and after\n\n| Service | reached by | changes |\n|---|---|---|")
	for _, s := range all {
		last := strings.Join(s.Last.Ingress, " ")
		if s.Last.Gone {
			last = "gone"
		}
		line("| %s/%s | %s | %d |", cell(s.First.Namespace), cell(s.First.Name), change(strings.Join(s.First.Ingress, " "), last), s.Changes)
	}
	line("")
}

// change is a value, or what it was and what it became.
func change(before, after string) string {
	if before == after {
		return cell(orDash(after))
	}
	return cell(orDash(before)) + " → **" + cell(orDash(after)) + "**"
}

func orDash(text string) string {
	if text == "" {
		return "–"
	}
	return text
}

// cell is other people's text in a table: one line that neither ends a cell nor marks
// anything up.
func cell(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, text)
	return strings.NewReplacer("\\", "\\\\", "|", "\\|", "<", "&lt;", "`", "'", "[", "\\[", "*", "\\*").Replace(text)
}
