package target

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/bounded"
	"github.com/awsmigrate/awsmigrate/pkg/build"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration/audit"
	"github.com/awsmigrate/awsmigrate/pkg/plaintext"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/bundle"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Dump saves a reading for --from, completely or not at all.
func Dump(path string, seen session.Reading) error {
	redactor := bundle.NewRedactor()
	b := bundle.Bundle{Producer: build.This(), At: seen.At, Target: seen.Target, Next: seen.NextBare, Input: seen.Input}
	for _, line := range seen.Header { // an error may have several lines
		b.Header = append(b.Header, plaintext.Tidy(line))
	}
	record := seen.Own
	if seen.EncodeBundle != nil {
		side, err := seen.EncodeBundle(redactor)
		if err != nil {
			return err
		}
		b.Side, record = side, slices.DeleteFunc(slices.Clone(seen.Own), func(c verify.Bound) bool { return !c.LiveOnly })
	}
	b.Own = verify.Record(record)
	text, err := bundle.Encode(b, redactor)
	if err != nil {
		return err
	}
	if err := writeAtomically(path, text); err != nil {
		return &fault.Error{Class: fault.Usage, Reason: "UnwritableFile", Object: "flag --dump", Seen: path + " cannot be written", Err: err}
	}
	return nil
}

// writeAtomically writes a file that only its owner may read.
func writeAtomically(path string, text []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // mode 0600
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, ignoreMissing(os.Remove(file.Name())))
	}
	return nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// bundleSource is a saved reading.
type bundleSource struct{ bundle bundle.Bundle }

// readBounded reads a file within limits.
func readBounded(path string, limits bounded.Limits) ([]byte, error) {
	text, err := limits.ReadFile(path)
	if bounded.Exceeded(err) {
		return nil, &fault.Error{Class: fault.Usage, Reason: "NoBundle", Object: "flag --from",
			Seen: fmt.Sprintf("%s has more than %d MB", path, limits.Bytes>>20), Wanted: fmt.Sprintf("a bundle of %d MB at most: one of 5,000 nodes has 8 MB", limits.Bytes>>20)}
	}
	if err != nil {
		return nil, &fault.Error{Class: fault.Usage, Reason: "UnreadableFile", Object: "flag --from", Seen: path + " cannot be read", Err: err}
	}
	return text, nil
}

// OpenBundle opens a reading that Dump saved.
func OpenBundle(path string) (session.Source, error) {
	text, err := readBounded(path, bundle.Limits())
	if err != nil {
		return nil, err
	}
	b, err := bundle.Decode("file "+path, text)
	if err != nil {
		return nil, err
	}
	return &bundleSource{b}, nil
}

// Read implements session.Source.
func (s *bundleSource) Read(context.Context) (session.Reading, error) {
	b := s.bundle
	b.Input.ImageAllowed, b.Input.ImageFor = audit.ImageAllowed, awsccm.ImageFor
	var own []verify.Meta
	var order []string // of the live audit
	for _, meta := range session.SideOf(b.Input.Distribution).All {
		order = append(order, meta.ID)
		if slices.ContainsFunc(b.Own, func(r verify.Recorded) bool { return r.ID == meta.ID }) {
			own = append(own, meta)
		}
	}
	if len(own) != len(b.Own) {
		return session.Reading{}, &fault.Error{Class: fault.Usage, Reason: "NoBundle", Object: "flag --from",
			Seen: fmt.Sprintf("%d of its %d recorded checks are unknown", len(b.Own)-len(own), len(b.Own)), Wanted: "a bundle of this version of awsmigrate"}
	}
	bound, err := s.rebound()
	if err != nil {
		return session.Reading{}, err
	}
	bound = append(bound, verify.Replay(own, b.Own)...)
	slices.SortStableFunc(bound, func(x, y verify.Bound) int {
		return cmp.Compare(slices.Index(order, x.ID), slices.Index(order, y.ID))
	})
	return session.Reading{Inspection: audit.Inspection{Input: b.Input, Own: bound},
		Target: b.Target, Header: b.Header, At: b.At, Next: b.Next}, nil
}

// rebound returns the checks of the configuring side, bound to the saved reading.
func (s *bundleSource) rebound() ([]verify.Bound, error) {
	if len(s.bundle.Side) == 0 {
		return nil, nil
	}
	rebind := session.SideOf(wellknown.Distribution(s.bundle.Target.Kind)).FromBundle
	if rebind == nil {
		return nil, &fault.Error{Class: fault.Usage, Reason: "NoBundle", Object: "flag --from",
			Seen: fmt.Sprintf("target.kind %q with a side that configures the cluster", s.bundle.Target.Kind), Wanted: "a bundle of this version of awsmigrate"}
	}
	bound, err := rebind(s.bundle.Side, s.bundle.Input)
	if err != nil {
		return nil, &fault.Error{Class: fault.Usage, Reason: "NoBundle", Object: "flag --from", Seen: "what it holds of the side that configures the cluster cannot be read", Err: err}
	}
	return bound, nil
}
