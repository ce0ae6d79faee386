package downstream

import "testing"

func TestOnECR(t *testing.T) {
	for image, want := range map[string]bool{
		"123456789012.dkr.ecr.eu-west-1.amazonaws.com/web:1":            true,
		"123456789012.dkr.ecr-fips.us-gov-west-1.amazonaws.com/a/b@sha": true,
		"123456789012.dkr.ecr.cn-north-1.amazonaws.com.cn/web":          true,
		"123456789012.dkr.ecr.us-iso-east-1.c2s.ic.gov/web":             true,
		"public.ecr.aws/docker/library/nginx":                           false,
		"123456789012.dkr.ecr.eu-west-1.amazonaws.com":                  false,
		"mirror.local/123456789012.dkr.ecr.eu-west-1.amazonaws.com/web": false,
		"123456789012.dkr-ecr.eu-west-1.on.aws/web":                     false, // up to 1.26 no kubelet has credentials for it
		"nginx": false,
	} {
		if got := OnECR(image); got != want {
			t.Errorf("%s: %t, want %t", image, got, want)
		}
	}
}
