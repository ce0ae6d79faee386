package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/awsmigrate/awsmigrate/internal/report"
	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
)

// exampleRecord is a record that the tests of reports are made with, too.
const exampleRecord = "internal/report/testdata/clean.jsonl"

// timeLine is the time line of a report as the product draws it.
func timeLine(root string) ([]byte, error) {
	file, err := os.Open(filepath.Join(root, exampleRecord))
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // it is only read
	judged := judge.New()
	if _, err := record.Read(file, judged.Put); err != nil {
		return nil, fmt.Errorf("%s: %w", exampleRecord, err)
	}
	return report.SVG(judged.Result()), nil
}
