package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// watch looks again and again until it is interrupted, and ends with what the
// last report came to. A reading that fails is told and tried again: API servers
// go away while machines are rolled.
func (v *auditor) watch(ctx context.Context, view string, every time.Duration) error {
	if view != "text" && view != "wide" && view != "short" {
		return usage(fmt.Errorf("flag --watch: with -o %s, wanted -o text, wide or short", view))
	}
	ticker := v.clock.NewTicker(every)
	defer ticker.Stop()
	s := newScreen(v.app.streams, v.app.streams.Out)
	var last *auditDocument
	var failed error
	for {
		doc, err := v.look(ctx)
		switch {
		case err != nil && fault.ClassOf(err) != fault.CouldNotLook:
			return err
		case err != nil:
			if last == nil {
				return err
			}
			if failed == nil || failed.Error() != err.Error() {
				s.line("%s  could not look: %v", v.clock.Now().UTC().Format(time.TimeOnly), err)
			}
			failed = err
		case last == nil:
			if err := writeAudit(v.app.streams, view, doc); err != nil {
				return err
			}
			last, failed = &doc, nil
		default:
			for _, line := range changed(*last, doc) {
				s.line("%s  %s", v.clock.Now().UTC().Format(time.TimeOnly), line)
			}
			last, failed = &doc, nil
		}
		select {
		case <-v.app.interrupts:
			s.line("%s   exit %d", auditCounts(*last), ExitCode(ending(*last, failed)))
			return shown(ending(*last, failed))
		case <-ctx.Done():
			return shown(ending(*last, failed))
		case <-ticker.C():
		}
	}
}

// ending is the last report's error, or that the last look could not be had.
func ending(last auditDocument, failed error) error {
	if failed != nil {
		return failed
	}
	return last.err
}

// changed are the results that differ between two reports, and the position.
func changed(before, after auditDocument) []string {
	var lines []string
	if before.Position != after.Position || before.Summary != after.Summary {
		lines = append(lines, fmt.Sprintf("position %s → %s %s", before.Position, after.Position, after.Summary))
	}
	then := map[string]verify.Result{}
	for _, result := range before.Results {
		then[result.ID] = result
	}
	for _, result := range after.Results {
		was, known := then[result.ID]
		if known && was.Status == result.Status && firstFinding(was) == firstFinding(result) || after.Elsewhere(result) && before.Elsewhere(was) {
			continue
		}
		status := migration.OrElse(string(was.Status), "new")
		lines = append(lines, fmt.Sprintf("%s → %s  %s", auditMarks[was.Status], shortLine(result), status+" before"))
	}
	return lines
}

func firstFinding(result verify.Result) verify.Finding {
	for _, finding := range telling(result) {
		if finding.Status != verify.OK {
			return finding
		}
	}
	return verify.Finding{}
}
