package target

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/bounded"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration/audit"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/bundle"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// A file that is too large is refused by name and limit before it is in memory.
func TestBundleIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bundle.json")
	const most = 1 << 20
	for size, refused := range map[int]bool{most: false, most + 1: true, 3 * most: true} {
		if err := os.WriteFile(path, bytes.Repeat([]byte(" "), size), 0o600); err != nil {
			t.Fatal(err)
		}
		text, err := readBounded(path, bounded.Limits{Bytes: most})
		if refused != (fault.ClassOf(err) == fault.Usage) || !refused && len(text) != size {
			t.Errorf("%d bytes: %d read, %v", size, len(text), err)
		}
		if refused && (!strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "more than 1 MB")) {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

// A partial reading is dumped as a valid bundle: an error in the header may have several lines.
func TestDumpOfAPartialAuditIsJudged(t *testing.T) {
	why := fmt.Errorf("partly visible: %w", errors.Join(errors.New("Nodes: \x1b[31mforbidden"), errors.New(strings.Repeat("long ", 2000))))
	path := filepath.Join(t.TempDir(), "demo.json")
	seen := session.Reading{At: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC), Target: bundle.Target{Kind: "rke2", Name: "demo", Namespace: "fleet-default"}, Header: []string{"demo   Kubernetes v1.26.13", why.Error()}}
	if err := Dump(path, seen); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Decode(path, text)
	if err != nil || len(b.Header) != 2 || !strings.HasPrefix(b.Header[1], "partly visible: Nodes: ") {
		t.Errorf("%v, %q", err, b.Header)
	}
}

// A recorded shared check is restored as the variant of the cluster's distribution.
func TestOpenBundle_sharedCheck_isOfItsDistribution(t *testing.T) {
	for d, fix := range map[wellknown.Distribution]string{
		wellknown.RKE2: "give the machines named an entry of machineSelectorConfig of their own, with their present arguments",
		wellknown.RKE:  "see the finding",
	} {
		path := filepath.Join(t.TempDir(), "demo.json")
		seen := session.Reading{At: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC), Target: bundle.Target{Kind: string(d), Name: "demo"},
			Inspection: audit.Inspection{Input: evidence.Input{Distribution: d}, Own: verify.Unjudged([]verify.Meta{{ID: "AWSM-116"}}, "forbidden")}}
		if err := Dump(path, seen); err != nil {
			t.Fatal(err)
		}
		source, err := OpenBundle(path)
		if err != nil {
			t.Fatal(err)
		}
		back, err := source.Read(t.Context())
		if err != nil || len(back.Own) != 1 || back.Own[0].Fix != fix {
			t.Errorf("%s: %v, %+v", d, err, back.Own)
		}
	}
}
