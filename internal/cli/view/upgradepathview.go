package view

import (
	"fmt"
	"strings"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/upgradepath"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// UpgradePathDocument is the document of `upgrade-path`.
type UpgradePathDocument struct {
	TypeMeta
	Cluster      string                 `json:"cluster"`
	Distribution wellknown.Distribution `json:"distribution"`
	upgradepath.Path
	// Counts counts the findings by status.
	Counts map[verify.Status]int `json:"counts"`
	Code   int                   `json:"code"` // the exit code with --detailed-exitcode
}

// NewUpgradePath returns the document of a path.
func NewUpgradePath(start upgradepath.Cluster, path upgradepath.Path, code int) UpgradePathDocument {
	doc := UpgradePathDocument{TypeMeta: KindOf("UpgradePath"), Cluster: start.Name, Distribution: start.Distribution, Path: path,
		Counts: map[verify.Status]int{}, Code: code}
	for _, status := range []verify.Status{verify.Fail, verify.Warn, verify.Unknown} {
		if n := len(path.Stops(status)); n > 0 {
			doc.Counts[status] = n
		}
	}
	return doc
}

// WriteUpgradePath prints a block of lines for each step, and the sum.
func WriteUpgradePath(streams console.Streams, doc UpgradePathDocument) {
	s := console.NewScreen(streams, streams.Out)
	s.Header([]string{fmt.Sprintf("%s   Kubernetes %s → %s", doc.Cluster, doc.From, doc.To)})
	for _, step := range doc.Steps {
		s.Line("")
		s.Prose(step.Minor+"  ", strings.Join(partsOf(doc.Distribution, step), " · "))
		for _, r := range step.Avoid {
			s.Prose("      avoid ", rangeText(r))
		}
		for _, f := range step.Findings {
			writeStop(s, f)
		}
	}
	s.Line("")
	if doc.End != "" {
		s.Prose("end    ", doc.End)
	}
	if len(doc.Undecided) > 0 {
		s.Prose("?      ", "undecided, since only the cluster shows it: "+strings.Join(doc.Undecided, ", "))
	}
	s.Prose("", pathSum(doc))
	if doc.Next != "" {
		s.Command("next   ", doc.Next)
	}
}

// partsOf returns the release of a step and what goes with it.
func partsOf(d wellknown.Distribution, step upgradepath.Step) []string {
	manager := "Rancher"
	if d == wellknown.RKE {
		manager = "rke"
	}
	image := "CCM: no image known, name one with --ccm-image"
	if step.Image != "" {
		image = "CCM " + step.Image
	}
	if step.Note != "" {
		image += " (" + step.Note + ")"
	}
	known := manager + " " + step.Manager
	if step.Manager == "" {
		known = manager + ": not known"
	}
	return []string{"take " + step.Release, known, image}
}

func rangeText(r upgradepath.Range) string {
	releases := r.First
	if r.Last != r.First {
		releases += " to " + r.Last
	}
	return releases + ": " + r.Seen + " (" + r.Check + ")"
}

// pathMarks shows the status of a finding without color.
var pathMarks = map[verify.Status]string{verify.Fail: "✗", verify.Warn: "!", verify.Unknown: "?"}

// writeStop prints a finding with its place and its fix.
func writeStop(s console.Screen, f upgradepath.Finding) {
	seen := f.Seen
	if f.Status == verify.Unknown {
		seen = f.Reason
	}
	text := seen + " (" + f.Check + ")"
	if f.Object != "" {
		text = f.Object + ": " + text
	}
	s.Prose("    "+pathMarks[f.Status]+" ", text)
	if f.Fix != "" {
		s.Remedy("      fix: ", f.Fix)
	}
}

// pathSum describes the number of steps and stops.
func pathSum(doc UpgradePathDocument) string {
	if len(doc.Steps) == 0 {
		return "nothing to upgrade"
	}
	parts := []string{fault.Count(len(doc.Steps), "step")}
	for _, one := range []struct {
		status verify.Status
		words  string
	}{{verify.Fail, "stop"}, {verify.Warn, "warning"}, {verify.Unknown, "unknown"}} {
		if n := doc.Counts[one.status]; n > 0 {
			parts = append(parts, fault.Count(n, one.words))
		}
	}
	if doc.Counts[verify.Fail] == 0 && doc.Counts[verify.Unknown] == 0 && len(doc.Undecided) == 0 {
		parts = append(parts, "nothing stops this cluster")
	}
	return strings.Join(parts, " · ")
}
