package audit

import (
	"errors"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// JudgeReport is the error that a report comes to; it adds warnings to what stops, if the user wants that.
func JudgeReport(report verify.Report, options migration.Options) error {
	if err := report.Err(); fault.ClassOf(err) == fault.Usage {
		return err
	} else if err != nil {
		others := faultsOf(report, verify.Fail, verify.Unknown)
		return errors.Join(append([]error{err}, others[min(1, len(others)):]...)...) // Err tells the first
	}
	if options.FailOnWarning {
		return errors.Join(faultsOf(report, verify.Warn)...)
	}
	return nil
}

// faultsOf are the findings of results with these statuses, as faults, so that
// one run shows all that stops it.
func faultsOf(report verify.Report, statuses ...verify.Status) []error {
	var faults []error
	for _, status := range statuses {
		for _, result := range report.With(status) {
			for i, finding := range matching(result) {
				if i == mostFindings {
					break
				}
				faults = append(faults, faultOf(result, finding))
			}
		}
	}
	return faults
}

func faultOf(result verify.Result, finding verify.Finding) error {
	f := &fault.Error{Class: fault.Check, Reason: "CheckFailed", Object: result.ID + " " + result.Status.Of(result.Title),
		Seen: migration.OrElse(finding.Seen, finding.Reason), Wanted: finding.Wanted, Fix: fixOf(result, finding), Checks: []string{result.ID}}
	if finding.Object != "" {
		f.Object += " (" + finding.Object + ")"
	}
	switch result.Status {
	case verify.Unknown:
		f.Class, f.Reason = fault.CouldNotLook, "CheckUnknown"
	case verify.Warn:
		f.Class, f.Reason = fault.Warnings, "CheckWarns"
	case verify.OK, verify.Skip, verify.Fail:
	}
	return f
}
