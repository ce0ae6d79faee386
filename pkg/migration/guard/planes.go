package guard

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// controlPlanesNote is the journal's key for the control-plane machines of a preflight, if
// they differ from those of the fingerprint.
const controlPlanesNote = "control-planes"

// NoteControlPlanes records the control-plane machines after a preflight has passed. From
// then on the run accepts the new ones, since the preflight checked them.
func NoteControlPlanes(ctx context.Context, tx *runner.Tx, s migration.Snapshot) error {
	then, known, err := controlPlanesThen(tx.Record())
	if err != nil || !known || slices.Equal(then, controlPlanesNow(s)) {
		return err
	}
	return tx.Note(ctx, controlPlanesNote, controlPlanesNow(s))
}

// controlPlanesThen returns the sorted control-plane machines of the last preflight that passed.
func controlPlanesThen(record journal.Record) (then []string, known bool, err error) {
	if known, err := record.NoteInto(controlPlanesNote, &then); err != nil || known {
		return then, known, err
	}
	before, known, err := Fingerprint(record)
	for _, node := range before.Nodes {
		if node.ControlPlane {
			then = append(then, migration.OrElse(node.Machine, node.Name))
		}
	}
	sort.Strings(then)
	return then, known, err
}

// controlPlanesNow returns the sorted control-plane machines of the last reading.
func controlPlanesNow(s migration.Snapshot) []string {
	var now []string
	for _, m := range s.Reading.Members {
		if m.ControlPlane {
			now = append(now, controlPlaneID(m))
		}
	}
	sort.Strings(now)
	return now
}

func controlPlaneID(m migration.Member) string {
	return migration.OrElse(m.ID, strings.Join(m.Nodes, ","))
}

// RequireSameControlPlanes returns an error if a control-plane machine joined or left after
// the preflight. A new one may run with other arguments.
func RequireSameControlPlanes(s migration.Snapshot) error {
	then, known, err := controlPlanesThen(s.Record)
	if err != nil || !known || slices.Equal(then, controlPlanesNow(s)) {
		return err
	}
	return &fault.Error{Class: fault.Stale, Reason: "ControlPlanesChanged", Object: s.Reading.Object,
		Seen:   fmt.Sprintf("its control-plane machines are no longer those that the preflight saw (%d now, %d then)", len(controlPlanesNow(s)), len(then)),
		Wanted: "the same control-plane machines during a run",
		Fix:    "check that the new ones are healthy, then run the same command again; its preflight checks them"}
}

// NewControlPlanes returns the Nodes of control planes that the last preflight did not see.
func NewControlPlanes(s migration.Snapshot) []string {
	then, known, err := controlPlanesThen(s.Record)
	if err != nil || !known {
		return nil
	}
	var nodes []string
	for _, m := range s.Reading.Members {
		if m.ControlPlane && !slices.Contains(then, controlPlaneID(m)) {
			nodes = append(nodes, m.Nodes...)
		}
	}
	return nodes
}
