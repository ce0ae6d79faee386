package aws

import (
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/smithy-go/middleware"
	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/internal/testing/standin"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
)

// answerOf is a realistic page of instances.
func answerOf(t testing.TB, n int) string {
	t.Helper()
	w := httptest.NewRecorder()
	form := url.Values{"Action": {"DescribeInstances"}, "Filter.1.Name": {"tag-key"}, "Filter.1.Value.1": {cloud.TagCluster + standin.Cluster}, "MaxResults": {"1000"}}
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	(&standin.AWS{Count: n}).ServeHTTP(w, r)
	return w.Body.String()
}

// The pruned answer decodes to the same instances as the whole one.
func TestPruneLosesNothingThatIsRead(t *testing.T) {
	text := strings.Replace(answerOf(t, 5), "<reason/>", "<reason>User &lt;initiated&gt;</reason><ipv6Address>fd00::9</ipv6Address>", 1)
	text = strings.Replace(text, "<key>example.com/some-key-3</key>", "<key>a&amp;b</key>", 1)
	text = strings.Replace(text, "<key>example.com/some-key-4</key>", "<key>"+cloud.TagLegacy+"</key>", 2)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }))
	defer server.Close()
	serve(t, &fake{})
	t.Setenv("AWS_ENDPOINT_URL", server.URL)
	c, _, err := Connect(t.Context(), Options{Identity: ofProcess(), Mode: On}, "us-east-1")
	if err != nil {
		t.Fatal(err)
	}
	whole := func(o *ec2.Options) {
		o.APIOptions = append(o.APIOptions, func(s *middleware.Stack) error {
			_, err := s.Deserialize.Remove("awsmigratePrune")
			return err
		})
	}
	var got [2][]cloud.Instance
	for i, options := range [][]func(*ec2.Options){nil, {whole}} {
		out, err := ec2Client(c, "").DescribeInstances(t.Context(), &ec2.DescribeInstancesInput{}, options...)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range out.Reservations {
			for _, x := range r.Instances {
				got[i] = append(got[i], newWords().instance(x))
			}
		}
	}
	if diff := cmp.Diff(got[1], got[0]); diff != "" || len(got[0]) != 5 {
		t.Errorf("whole (-) and pruned (+):\n%s", diff)
	}
	if before, after := len(text), len(prune([]byte(text))); after > before/2 {
		t.Errorf("%d of %d bytes are left, want less than half", after, before)
	}
}

// wellFormed says whether a text is XML from end to end.
func wellFormed(text []byte) bool {
	d := xml.NewDecoder(strings.NewReader(string(text)))
	for {
		if _, err := d.Token(); err != nil {
			return errors.Is(err, io.EOF)
		}
	}
}

// An answer that was cut off anywhere is still cut off.
func TestPruneKeepsWhatIsCutOffSo(t *testing.T) {
	text := answerOf(t, 2)
	if !wellFormed(prune([]byte(text))) {
		t.Fatal("the whole answer is broken by pruning")
	}
	for at := 1; at < len(text); at++ {
		if wellFormed(prune([]byte(text[:at]))) {
			t.Fatalf("cut off behind %q it reads as if it were whole", text[max(0, at-60):at])
		}
	}
}

func FuzzPrune(f *testing.F) {
	f.Add("<a><reason>x</reason><tagSet><item><key>k</key></item></tagSet></a>")
	f.Add("<a><reason>x</reasons></reason></a>")
	f.Add("<tagSet><item><key>kubernetes.io/cluster/a</key></item><item>")
	f.Fuzz(func(t *testing.T, text string) {
		got := prune([]byte(text))
		if len(got) > len(text) {
			t.Fatalf("%q grew to %q", text, got)
		}
		if strings.Count(string(got), cloud.TagCluster) > strings.Count(text, cloud.TagCluster) {
			t.Fatalf("%q has a tag that was not there: %q", text, got)
		}
	})
}
