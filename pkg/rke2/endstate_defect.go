//go:build defect_endstate

package rke2

import "github.com/awsmigrate/awsmigrate/pkg/rke2/config"

// editState is a seeded defect: whatever was chosen, and whatever the checks
// found to be safe, the edits make the cluster `external`, which renames every
// Node without an explicit name. The end-to-end tests build awsmigrate with it
// to see the brake hold all machines but one.
func editState(EndStateChoice) config.EndState { return config.External }
