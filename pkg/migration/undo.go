package migration

import (
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Undo takes a migration back to where it began: the positions backwards, each
// proven before the next. It is a procedure of its own over the same readings, so
// that everything the engine promises of a migration holds for its undo: intents
// before effects, resume, lock, brake.
func (m *Migration) Undo() *Migration {
	undo := *m
	undo.Options.KubernetesVersion = "" // no undo upgrades anything
	undo.back = true
	return &undo
}

// undoHeader says the direction below cluster and position.
func undoHeader(lines []string) []string {
	return append(lines[:min(2, len(lines))], fmt.Sprintf("undo   back to %s   %s", position.P0, position.P0.Summary()))
}
