package edits

import (
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/kube"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
)

// setManifest writes additionalManifest. People and journals see only the chart's document: the
// rest belongs to the user and may contain secrets.
type setManifest struct {
	chart          Chart
	before, after  string
	had, has       bool // whether the field exists before and after
	oldDoc, newDoc string
	glue           string // text added between the manifest and a new document
}

// ManifestUndo is the journal's record of a document added to additionalManifest.
type ManifestUndo struct {
	Chart    Chart  `json:"chart"`
	Glue     string `json:"glue"`              // text added before the document
	Created  bool   `json:"created"`           // the field was absent
	Digest   string `json:"digest"`            // sha256 of the document
	Replaced string `json:"replaced"`          // sha256 of the replaced document, or empty
	Removed  bool   `json:"removed,omitempty"` // the document was removed, not added
}

func (o setManifest) location() string { return "additionalManifest" }

func (o setManifest) values() (before, after any) {
	if o.oldDoc != "" {
		before = o.oldDoc
	}
	if o.newDoc != "" {
		after = o.newDoc
	}
	return before, after
}

func (o setManifest) apply(s *config.Spec) error {
	if s.AdditionalManifest != o.before || s.HasManifest != o.had {
		return stale(s.Object, "additionalManifest", "changed since it was read")
	}
	s.AdditionalManifest, s.HasManifest = o.after, o.has
	return nil
}

func (o setManifest) patch(root string) []kube.PatchOp {
	path := root + "/additionalManifest"
	if !o.had {
		return []kube.PatchOp{kube.Test(path, nil), kube.Add(path, o.after)}
	}
	if !o.has {
		return []kube.PatchOp{kube.Test(path, o.before), kube.Remove(path)}
	}
	return []kube.PatchOp{kube.Test(path, o.before), kube.Replace(path, o.after)}
}

func (o setManifest) missing(s config.Spec) []string {
	doc, found, err := ChartManifest(s, o.chart)
	switch {
	case err != nil:
		return []string{"additionalManifest: " + err.Error()}
	case o.newDoc == "" && found:
		return []string{"additionalManifest: wanted no " + o.chart.String()}
	case o.newDoc != "" && !found:
		return []string{"additionalManifest: wanted " + o.chart.String()}
	case strings.TrimSuffix(doc, "\n") != strings.TrimSuffix(o.newDoc, "\n"):
		return []string{"additionalManifest: " + o.chart.String() + " is not what was written"}
	}
	return nil
}

func (o setManifest) undo() Undo {
	m := &ManifestUndo{Chart: o.chart, Glue: o.glue, Created: !o.had, Digest: docDigest(o.newDoc), Removed: o.newDoc == ""}
	if o.oldDoc != "" {
		m.Replaced = docDigest(o.oldDoc)
	}
	return Undo{Kind: UndoManifest, Manifest: m}
}

func docDigest(doc string) string { return notation.Digest(strings.TrimSuffix(doc, "\n")) }

func (e *editor) undoManifest(u Undo) error {
	m := u.Manifest
	if m == nil {
		return refuse(e.spec.Object, "UnknownInverse", "the recorded inverse of additionalManifest is empty", "chart and digest", "")
	}
	d, found, err := locate(e.spec.Object, e.spec.AdditionalManifest, m.Chart)
	if err != nil {
		return err
	}
	doc, _, err := ChartManifest(e.spec, m.Chart)
	if err != nil {
		return err
	}
	now := docDigest(doc)
	switch {
	case !found && m.Replaced == "":
		return nil
	case found && m.Replaced != "" && now == m.Replaced:
		return nil
	case m.Replaced != "" || m.Removed:
		return refuse(e.spec.Object, "NeedsDocument", "another document of "+m.Chart.String()+" was there before, whose text is not kept",
			"the earlier document", "write the earlier document with SetChartManifest")
	case now != m.Digest:
		u.Where, u.Key = Where{Global: true}, "additionalManifest"
		return e.moved(u, "additionalManifest: "+m.Chart.String()+" is not what was written")
	}
	return e.cutAdded(d, *m)
}
