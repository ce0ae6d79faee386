package audit

import (
	"errors"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Selection returns the checks of an audit at a position. It makes exactly those that options name,
// because no write depends on it.
func Selection(options migration.Options, at position.Result) verify.Options {
	o := options.Checks(at.Position)
	o.KeepGuards = false
	o.PositionUnknown, o.AlsoAt = at.Position == position.Unknown && !at.HandMade, at.AlsoAt()
	return o
}

// JudgeReport returns an error if a check of the report fails or is unknown. With
// options.FailOnWarning, warnings are errors too.
func JudgeReport(report verify.Report, options migration.Options) error {
	if err := report.Err(); fault.ClassOf(err) == fault.Usage {
		return err
	} else if err != nil {
		others := faultsOf(report, verify.Fail, verify.Unknown)
		return errors.Join(append([]error{err}, others[min(1, len(others)):]...)...) // Err contains the first
	}
	if options.FailOnWarning {
		return errors.Join(faultsOf(report, verify.Warn)...)
	}
	return nil
}

// faultsOf returns a fault for each finding with one of statuses, so that one run reports
// every obstacle.
func faultsOf(report verify.Report, statuses ...verify.Status) []error {
	var faults []error
	for _, status := range statuses {
		for _, result := range report.With(status) {
			for i, finding := range matching(result) {
				if i == maxFindings {
					break
				}
				faults = append(faults, faultOf(result, finding))
			}
		}
	}
	return faults
}

func faultOf(result verify.Result, finding verify.Finding) error {
	f := &fault.Error{Class: fault.Check, Reason: "CheckFailed", Object: result.ID,
		Seen: migration.OrElse(finding.Seen, finding.Reason), Wanted: migration.OrElse(finding.Wanted, result.Title), Fix: fixOf(result, finding), Checks: []string{result.ID}}
	if finding.Object != "" {
		f.Object += " " + finding.Object
	}
	switch result.Status {
	case verify.Unknown:
		f.Class, f.Reason = fault.CouldNotLook, "CheckUnknown"
	case verify.Warn:
		f.Class, f.Reason = fault.Warnings, "CheckWarns"
	case verify.OK, verify.Skip, verify.Fail, verify.Pending:
	}
	return f
}
