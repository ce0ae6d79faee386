package release

import (
	"bytes"
	"encoding/base64"

	corev1 "k8s.io/api/core/v1"

	"github.com/awsmigrate/awsmigrate/pkg/bounded"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// recordLimits returns the limits of a release record, which Helm decompresses without a limit
// (helm/helm:pkg/storage/driver/util.go@v3.22.0). A record of the CCM's chart has 60 kB and 100
// values.
func recordLimits() bounded.Limits { return bounded.Limits{Bytes: 8 << 20, Values: 1 << 16} }

// checkRecord returns an error if Helm would decode more of a Secret than a record of the CCM
// can hold. A Secret without a record passes: Helm refuses it.
func checkRecord(s *corev1.Secret) error {
	text, err := base64.StdEncoding.DecodeString(string(s.Data["release"]))
	if err == nil && bytes.HasPrefix(text, []byte{0x1f, 0x8b}) { // records of Helm before 2.7 are not compressed
		text, err = recordLimits().Gunzip(text)
	}
	if err == nil {
		err = recordLimits().CheckJSON(text)
	}
	if !bounded.Exceeded(err) {
		return nil
	}
	return &fault.Error{Class: fault.CouldNotLook, Reason: "ReleaseTooLarge", Object: "Secret " + wellknown.System + "/" + s.Name, Seen: "the release record " + err.Error(),
		Wanted: "at most " + recordLimits().String(), Fix: "find out who wrote this Secret; Helm's records of the CCM have less than 100 kB"}
}
