package elb

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
)

// pages is the number of requests that one reading of a longList makes to the classic API.
const pages = 30

// longList answers both APIs without load balancers; the classic API does so in many pages.
type longList struct{}

// Do implements aws.HTTPClient.
func (longList) Do(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, err
	}
	more := ""
	if page, _ := strconv.Atoi(form.Get("Marker")); form.Get("Version") == "2012-06-01" && page < pages-1 {
		more = fmt.Sprintf("<NextMarker>%d</NextMarker>", page+1)
	}
	text := "<DescribeLoadBalancersResponse><DescribeLoadBalancersResult>" + more + "</DescribeLoadBalancersResult></DescribeLoadBalancersResponse>"
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(text)), Request: r}, nil
}

// AWS counts the requests of an account in a region. Readings that share a Pace take as long as one
// reading with the requests of both.
func TestPace(t *testing.T) {
	keys := func(id, account string) awssdk.Credentials {
		return awssdk.Credentials{AccessKeyID: id, SecretAccessKey: "secret", AccountID: account}
	}
	const apart, together = (pages - burst) / callsPerSecond, (2*pages - burst) / callsPerSecond
	for _, test := range []struct {
		name          string
		first, second awssdk.Credentials
		region        string // of the second; the first is in eu-west-1
		pace          *Pace
		seconds       int
	}{
		{"an account with two keys", keys("a", "111"), keys("b", "111"), "eu-west-1", &Pace{}, together},
		{"another region", keys("a", "111"), keys("a", "111"), "us-east-1", &Pace{}, apart},
		{"another account", keys("a", "111"), keys("b", "222"), "eu-west-1", &Pace{}, apart},
		{"one key of an unknown account", keys("a", ""), keys("a", ""), "eu-west-1", &Pace{}, together},
		{"two keys of unknown accounts", keys("a", ""), keys("b", ""), "eu-west-1", &Pace{}, apart},
		{"no Pace", keys("a", "111"), keys("a", "111"), "eu-west-1", nil, apart},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				var readings sync.WaitGroup
				for _, of := range []struct {
					keys   awssdk.Credentials
					region string
				}{{test.first, "eu-west-1"}, {test.second, test.region}} {
					cfg := awssdk.Config{Region: of.region, HTTPClient: longList{}, Credentials: credentials.StaticCredentialsProvider{Value: of.keys}}
					readings.Go(func() {
						if read := Read(t.Context(), cfg, test.pace, Query{}); !read.OK() {
							t.Error(read.Err)
						}
					})
				}
				readings.Wait()
				if took := int(time.Since(began).Seconds()); took != test.seconds {
					t.Errorf("took %d s, wanted %d", took, test.seconds)
				}
			})
		})
	}
}
