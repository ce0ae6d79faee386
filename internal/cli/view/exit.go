package view

import (
	"context"
	"errors"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// exitCodes maps the class of a fault to an exit code. The codes are the same for every output format.
var exitCodes = map[fault.Class]int{
	fault.Unexpected:   1,
	fault.Usage:        2,
	fault.Check:        3,
	fault.Warnings:     4,
	fault.Pending:      5,
	fault.Gate:         6,
	fault.Declined:     7,
	fault.Locked:       8,
	fault.Stale:        9,
	fault.CouldNotLook: 10,
	fault.NoProgress:   11,
	fault.HungUp:       129,
	fault.Interrupted:  130,
}

// precedence orders the classes for errors of several classes.
var precedence = []fault.Class{
	fault.Interrupted, fault.HungUp, fault.Locked, fault.Stale, fault.Usage, fault.Check, fault.CouldNotLook,
	fault.NoProgress, fault.Warnings, fault.Pending, fault.Gate, fault.Declined,
}

// CodesOf returns the exit codes of the classes that fits accepts, sorted.
func CodesOf(fits func(fault.Class) bool) []int32 {
	var codes []int32
	for class, code := range exitCodes {
		if fits(class) {
			codes = append(codes, int32(code)) //nolint:gosec // at most 255
		}
	}
	slices.Sort(codes)
	return codes
}

// ExitCode returns the exit code of a command that ended with err.
func ExitCode(err error) int {
	if err == nil {
		return 0
	}
	return exitCodes[classOf(err)]
}

func classOf(err error) fault.Class {
	classes := map[fault.Class]bool{}
	collectClasses(err, classes)
	for _, class := range precedence {
		if classes[class] {
			return class
		}
	}
	if errors.Is(err, context.Canceled) {
		return fault.Interrupted
	}
	return fault.Unexpected
}

// collectClasses walks the tree of errors.Join and %w. It collects nothing below a fault, because the fault's
// class already covers its causes.
func collectClasses(err error, into map[fault.Class]bool) {
	switch e := err.(type) { //nolint:errorlint // the tree is walked node by node on purpose
	case *fault.Error:
		into[e.Class] = true
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			collectClasses(inner, into)
		}
	case interface{ Unwrap() error }:
		collectClasses(e.Unwrap(), into)
	}
}
