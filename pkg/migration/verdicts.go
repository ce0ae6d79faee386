package migration

import "github.com/awsmigrate/awsmigrate/pkg/runner"

// Met is the verdict that a step's end was seen.
func Met(evidence ...string) runner.Verdict {
	return runner.Verdict{Kind: runner.Met, Evidence: evidence}
}

// Braked is the verdict that going on would do harm.
func Braked(err error) runner.Verdict { return runner.Verdict{Kind: runner.Braked, Err: err} }

// Failed is the verdict that waiting does not mend it.
func Failed(err error) runner.Verdict { return runner.Verdict{Kind: runner.Failed, Err: err} }
