package checks

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
)

// A CCM from v1.32 on reads its file strictly. resourceLock is a field of v1beta1 only.
func TestUnknownFields_failFromV132(t *testing.T) {
	lock := newerFile + "resourceLock: leases\n"
	for name, tt := range map[string]struct {
		text, image string
		fails       bool
	}{
		"lock in v1, 1.31":      {lock, "v1.31.9", false},
		"lock in v1, 1.32":      {lock, "v1.32.8", true},
		"lock in v1beta1, 1.32": {strings.Replace(lock, "k8s.io/v1", "k8s.io/v1beta1", 1), "v1.32.8", false},
		"another field, 1.31":   {newerFile + "leaderNames: a\n", "v1.31.9", false},
		"another field, 1.32":   {newerFile + "leaderNames: a\n", "v1.32.8", true},
		"fields of v1, 1.32":    {newerFile, "v1.32.8", false},
	} {
		v, err := component.ImageVersion("r:" + tt.image)
		if err != nil {
			t.Fatal(err)
		}
		if got := unknownFields("f", tt.text, v); (len(got) > 0) != tt.fails {
			t.Errorf("%s: %v", name, got)
		}
	}
}
