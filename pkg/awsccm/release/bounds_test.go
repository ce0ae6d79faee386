package release

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/awsmigrate/awsmigrate/internal/testing/faulty"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

func recordOf(t *testing.T, text string, compressed bool) *corev1.Secret {
	t.Helper()
	var b bytes.Buffer
	if compressed {
		w := gzip.NewWriter(&b)
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	} else {
		b.WriteString(text)
	}
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: wellknown.System, Name: "sh.helm.release.v1.a.v1"},
		Data: map[string][]byte{"release": []byte(base64.StdEncoding.EncodeToString(b.Bytes()))}}
}

// Helm decompresses a release record without a limit: a larger one must never reach it.
func TestFencedSecrets_recordBeyondTheLimits_isRefused(t *testing.T) {
	values := func(n int) string { return `{"config":{"a":[{}` + strings.Repeat(",{}", n-1) + `]}}` }
	at := recordLimits().Values - 3
	for name, tt := range map[string]struct {
		record  *corev1.Secret
		refused bool
	}{
		"at the limit":      {recordOf(t, values(at), true), false},
		"values beyond":     {recordOf(t, values(10*at), true), true},
		"plain, beyond":     {recordOf(t, values(2*at), false), true},
		"bytes beyond":      {recordOf(t, `"`+strings.Repeat("a", 10*recordLimits().Bytes)+`"`, true), true},
		"no record of Helm": {&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: wellknown.System, Name: "sh.helm.release.v1.a.v1"}, Data: map[string][]byte{"release": []byte("?")}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			secrets := fence(fake.NewClientset(tt.record).CoreV1().Secrets(wellknown.System))
			_, get := secrets.Get(t.Context(), tt.record.Name, metav1.GetOptions{})
			_, list := secrets.List(t.Context(), metav1.ListOptions{})
			for _, err := range []error{get, list} {
				if !tt.refused && err != nil {
					t.Error(err)
				}
				if tt.refused {
					faulty.WantClass(t, err, fault.CouldNotLook, tt.record.Name, "has more than", recordLimits().String())
				}
			}
			if used := faulty.Allocated(func() { _ = checkRecord(tt.record) }); used > 48<<20 {
				t.Errorf("%d MB were allocated", used>>20)
			}
		})
	}
}
