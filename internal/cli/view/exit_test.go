package view

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

func TestExitCode(t *testing.T) {
	of := func(c fault.Class) error { return &fault.Error{Class: c, Reason: "X"} }
	tests := []struct {
		name string
		err  error
		want int
	}{
		{"done", nil, 0},
		{"unclassified", errors.New("boom"), 1},
		{"usage", of(fault.Usage), 2},
		{"check", of(fault.Check), 3},
		{"warnings", of(fault.Warnings), 4},
		{"pending", of(fault.Pending), 5},
		{"gate", of(fault.Gate), 6},
		{"declined", of(fault.Declined), 7},
		{"locked", of(fault.Locked), 8},
		{"stale", of(fault.Stale), 9},
		{"could not look", of(fault.CouldNotLook), 10},
		{"no progress", of(fault.NoProgress), 11},
		{"interrupted", of(fault.Interrupted), 130},
		{"wrapped", fmt.Errorf("step: %w", of(fault.Check)), 3},
		{"the wrapping fault judges", &fault.Error{Class: fault.Usage, Err: of(fault.Check)}, 2},
		{"interrupted beats all", errors.Join(of(fault.Check), of(fault.Locked), of(fault.Interrupted)), 130},
		{"locked beats stale", errors.Join(of(fault.Stale), of(fault.Locked)), 8},
		{"a failed check beats an unknown one", errors.Join(of(fault.CouldNotLook), of(fault.Check)), 3},
		{"an unknown beats warnings", errors.Join(of(fault.Warnings), of(fault.CouldNotLook)), 10},
		{"no progress beats pending", errors.Join(of(fault.Pending), of(fault.NoProgress)), 11},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := ExitCode(tt.err); got != tt.want {
				t.Errorf("ExitCode(%v) = %d, want %d", tt.err, got, tt.want)
			}
		})
	}
}

func TestExitCode_everyClass(t *testing.T) {
	seen := map[int]fault.Class{}
	for class := fault.Unexpected; class <= fault.Interrupted; class++ {
		code, ok := exitCodes[class]
		if !ok || code == 0 {
			t.Errorf("class %d has no exit code", class)
		}
		if other, twice := seen[code]; twice {
			t.Errorf("classes %d and %d share exit code %d", other, class, code)
		}
		seen[code] = class
	}
}

func TestExitCode_everyCode_documented(t *testing.T) {
	page, err := os.ReadFile("../../../docs/exit-codes.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	var documented []int
	for _, row := range regexp.MustCompile(`(?m)^\| (\d+) \|`).FindAllStringSubmatch(text, -1) {
		code, err := strconv.Atoi(row[1])
		if err != nil {
			t.Fatal(err)
		}
		documented = append(documented, code)
	}
	known := []int{0}
	for _, code := range exitCodes {
		known = append(known, code)
	}
	slices.Sort(known)
	if diff := cmp.Diff(known, documented); diff != "" {
		t.Errorf("codes in exit.go (-) and rows in docs/exit-codes.md (+):\n%s", diff)
	}
	order := make([]string, 0, len(precedence))
	for _, class := range precedence {
		order = append(order, strconv.Itoa(exitCodes[class]))
	}
	if want := strings.Join(order, ", "); !strings.Contains(text, want) {
		t.Errorf("docs/exit-codes.md does not give the precedence %s", want)
	}
}
