package procedure

import (
	"errors"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/guard"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/continuity"
)

// compareWithFingerprint returns how much of the cluster still matches the fingerprint, from
// the facts of an audit.
func compareWithFingerprint(snap migration.Snapshot, facts evidence.Input) []runner.Compared {
	then, known, err := guard.Fingerprint(snap.Record)
	if err == nil && !known {
		err = errors.New(noFingerprint)
	}
	found := continuity.NotCompared(err)
	if err == nil {
		found = then.Compare(facts.Facts, facts.Cloud, snap.Reading.Refs())
	}
	var all []runner.Compared
	for _, c := range found {
		one := runner.Compared{Kind: c.Kind, By: c.By, Same: c.Same, Of: c.Of, Others: c.Others}
		if c.Err != nil {
			one.Unread = c.Err.Error()
		}
		all = append(all, one)
	}
	return all
}

const noFingerprint = "the journal has no fingerprint from before the migration"
