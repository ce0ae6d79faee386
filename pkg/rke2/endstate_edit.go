package rke2

import "github.com/awsmigrate/awsmigrate/pkg/rke2/config"

// editState is the end state that the edits are computed for.
func editState(choice EndStateChoice) config.EndState { return config.EndState(choice.State) }
