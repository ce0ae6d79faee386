package rke2checks

import (
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

func TestJudgeSupport(t *testing.T) {
	for _, tt := range []struct {
		rancher, release string
		warns            bool
	}{
		{"v2.8.5", "v1.26.15+rke2r1", false},
		{"v2.7.5", "v1.26.15+rke2r1", false},
		{"v2.7.5-rc3", "v1.26.15+rke2r1", false},
		{"v2.7.4", "v1.26.15+rke2r1", true},
		{"v2.9.0", "v1.26.15+rke2r1", true},
		{"v2.12.3", "v1.26.15+rke2r1", true},
		{"v2.8.5", "v1.26.7+rke2r1", true},
		{"v2.7.15", "v1.26.7+rke2r1", false},
		{"v2.8.5", "v1.25.13+rke2r1", false},
		{"v2.8.5", "v1.25.12+rke2r1", true},
		{"v2.8.5", "v1.24.17+rke2r1", true},
		{"v2.7.15", "v1.24.17+rke2r1", false},
		{"v2.7.15", "v1.24.3+rke2r1", false},
		{"v2.7.15", "v1.24.2+rke2r1", true},
		{"v2.6.7", "v1.24.2+rke2r1", false},
		{"v2.6.6", "v1.24.2+rke2r1", true},
		{"v2.6.7", "v1.24.3+rke2r1", false},
		{"v2.6.6", "v1.24.3+rke2r1", true},
		{"v2.8.5", "v1.24.3+rke2r1", true},
		{"v2.6.4", "v1.23.8+rke2r1", false},
		{"v2.6.3", "v1.23.8+rke2r1", true},
		{"v2.7.0", "v1.23.8+rke2r1", true},
		{"v2.7.0", "v1.23.9+rke2r1", false},
		{"v2.6.4", "v1.23.9+rke2r1", false},
		{"v2.6.3", "v1.23.9+rke2r1", true},
		{"v2.8.0", "v1.23.9+rke2r1", true},
		{"v2.6.3", "v1.22.0+rke2r1", false},
		{"v2.6.2", "v1.22.0+rke2r1", true},
		{"v2.7.2", "v1.25.0+rke2r1", false},
		{"v2.7.1", "v1.25.0+rke2r1", true},
		{"v2.7.2", "v1.25.13+rke2r1", false},
		{"v2.7.1", "v1.25.13+rke2r1", true},
		{"v2.9.0", "v1.25.13+rke2r1", true},
		{"v2.7.5", "v1.26.7+rke2r1", false},
		{"v2.7.4", "v1.26.7+rke2r1", true},
		{"v2.8.0", "v1.26.8+rke2r1", false},
		{"v2.7.15", "v1.22.17+rke2r1", true},
		{"v2.6.14", "v1.22.17+rke2r1", false},
		{"v3.0.0", "v1.26.15+rke2r1", true},
		{"dev", "v1.26.15+rke2r1", true},
		{"master-7c2ba528-head", "v1.26.15+rke2r1", true},
		{"v2.9.3", "v1.30.1+rke2r1", false},
		{"v2.12.3", "v1.30.1+rke2r1", true},
		{"v2.11.0", "v1.30.14+rke2r4", false},
		{"v2.12.0", "v1.30.14+rke2r4", true},
		{"v2.12.3", "v1.31.1+rke2r2", false},
		{"v2.9.3", "v1.31.1+rke2r2", true},
		{"v2.15.0", "v1.33.13+rke2r2", true},
		{"v2.99.0", "v1.36.3+rke2r1", false},
		{"v2.12.3", "v1.35.7+rke2r1", false},
		{"v2.8.5", "latest", false},
	} {
		found := judgeSupport(verify.Got(tt.rancher), tt.release)
		if warns := len(found) > 0; warns != tt.warns {
			t.Errorf("Rancher %s, %s: %+v, wanted a warning: %t", tt.rancher, tt.release, found, tt.warns)
		}
		for _, f := range found {
			if f.Status != verify.Warn || f.Object == "" || f.Wanted == "" {
				t.Errorf("Rancher %s, %s: %+v", tt.rancher, tt.release, f)
			}
		}
	}
}
