package verifyview

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// The JUnit format that build servers read: a suite for each category, a case for each check. A failed check
// is a failure, an unknown one an error. A warning is a failure if warnings count; otherwise it is in
// system-out.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Skipped  int          `xml:"skipped,attr"`
		Time     string       `xml:"time,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name       string          `xml:"name,attr"`
		Tests      int             `xml:"tests,attr"`
		Failures   int             `xml:"failures,attr"`
		Errors     int             `xml:"errors,attr"`
		Skipped    int             `xml:"skipped,attr"`
		Timestamp  string          `xml:"timestamp,attr"`
		Properties []junitProperty `xml:"properties>property,omitempty"`
		Cases      []junitCase     `xml:"testcase"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Name      string       `xml:"name,attr"`
		Class     string       `xml:"classname,attr"`
		Failure   *junitDetail `xml:"failure,omitempty"`
		Error     *junitDetail `xml:"error,omitempty"`
		Skipped   *junitDetail `xml:"skipped,omitempty"`
		SystemOut string       `xml:"system-out,omitempty"`
	}
	junitDetail struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Text    string `xml:",chardata"`
	}
)

func writeJUnit(out io.Writer, doc AuditDocument) error {
	all := junitSuites{Name: "awsmigrate verify " + doc.Target.Name, Time: fmt.Sprintf("%.3f", doc.Seconds)}
	if len(doc.Refused) > 0 {
		all.add(refusedSuite(doc))
	}
	for _, category := range doc.categories {
		suite := junitSuite{Name: category, Timestamp: strings.TrimSuffix(doc.Time, "Z")}
		for i, line := range doc.Header {
			suite.Properties = append(suite.Properties, junitProperty{fmt.Sprintf("header.%d", i), line})
		}
		for _, result := range doc.Results {
			if result.Category == category {
				suite.add(caseOf(result, doc.FailOnWarning))
			}
		}
		if suite.Tests > 0 {
			all.add(suite)
		}
	}
	text, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the report as XML: %w", err)
	}
	_, err = out.Write(append(append([]byte(xml.Header), text...), '\n'))
	return err
}

func refusedSuite(doc AuditDocument) junitSuite {
	suite := junitSuite{Name: "selection", Timestamp: strings.TrimSuffix(doc.Time, "Z")}
	for _, r := range doc.Refused {
		suite.add(junitCase{Name: r.ID, Class: "awsmigrate.selection", Error: &junitDetail{Message: r.Reason, Type: "refused"}})
	}
	return suite
}

func (a *junitSuites) add(s junitSuite) {
	a.Tests, a.Failures, a.Errors, a.Skipped = a.Tests+s.Tests, a.Failures+s.Failures, a.Errors+s.Errors, a.Skipped+s.Skipped
	a.Suites = append(a.Suites, s)
}

func (s *junitSuite) add(c junitCase) {
	s.Tests++
	switch {
	case c.Failure != nil:
		s.Failures++
	case c.Error != nil:
		s.Errors++
	case c.Skipped != nil:
		s.Skipped++
	}
	s.Cases = append(s.Cases, c)
}

func caseOf(result verify.Result, warningsCount bool) junitCase {
	c := junitCase{Name: result.ID + " " + result.Title, Class: "awsmigrate." + strings.ReplaceAll(result.Category, " ", "-")}
	detail := &junitDetail{Message: junitMessage(result), Type: string(result.Status), Text: findingsText(result)}
	switch {
	case result.Status == verify.Fail, result.Status == verify.Warn && warningsCount:
		c.Failure = detail
	case result.Status == verify.Unknown:
		c.Error = detail
	case result.Status == verify.Skip, result.Status == verify.Pending:
		c.Skipped = &junitDetail{Message: result.Reason}
	case result.Status == verify.Warn:
		c.SystemOut = "warning\n" + detail.Text
	}
	return c
}

// junitMessage returns the first finding, or the title of a result without findings.
func junitMessage(result verify.Result) string {
	if findings := decidingFindings(result); len(findings) > 0 {
		return observation(findings[0])
	}
	return result.Title
}

func findingsText(result verify.Result) string {
	var lines []string
	for _, f := range decidingFindings(result) {
		line := observation(f)
		if f.Wanted != "" {
			line += "; wanted " + f.Wanted
		}
		if fix := cmp.Or(f.Fix, result.Fix); fix != "" {
			line += "; fix: " + fix
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}
