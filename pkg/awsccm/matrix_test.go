package awsccm

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

func TestImageFor(t *testing.T) {
	for version, want := range map[string]string{
		"v1.22.17+rke2r1":     "v1.22.8",
		"v1.23.17-rancher2-3": "v1.23.20",
		"v1.24.17+rke2r1":     "v1.24.19",
		"1.25.16":             "v1.25.15",
		"v1.26.15+rke2r1":     "v1.26.14",
		"v1.27.16+rke2r2":     "v1.27.10",
		"v1.28.15+rke2r1":     "v1.28.11",
		"v1.29.15+rke2r1":     "v1.29.10",
		"v1.30.14+rke2r1":     "v1.30.10",
		"v1.31.14+rke2r1":     "v1.31.9",
		"v1.32.13+rke2r1":     "v1.32.8",
		"v1.33.13+rke2r1":     "v1.33.4",
		"v1.34.9+rke2r1":      "v1.34.3",
		"v1.35.7+rke2r1":      "v1.35.2",
		"v1.36.3+rke2r1":      "v1.36.1",
		"v1.37.0+rke2r1":      "",
		"v1.21.14+rke2r1":     "",
		"v2.26.0":             "",
		"latest":              "",
		"":                    "",
	} {
		got, err := ImageFor(version)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v; want %q", version, got, err, want)
		}
		if err != nil && fault.ClassOf(err) != fault.Check {
			t.Errorf("%q: class of %v", version, err)
		}
	}
}

func TestParseImage(t *testing.T) {
	sum := "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	for ref, want := range map[string]*Image{
		"v1.26.14":                            {Repository: DefaultRepository, Tag: "v1.26.14"},
		"localhost:5000/ccm:v1.26.14":         {Repository: "localhost:5000/ccm", Tag: "v1.26.14"},
		"localhost:5000/ccm@" + sum:           {Repository: "localhost:5000/ccm", Digest: sum},
		"registry.k8s.io/a/ccm:v1.2.3@" + sum: {Repository: "registry.k8s.io/a/ccm", Tag: "v1.2.3", Digest: sum},
		"localhost:5000/ccm":                  nil,
		"ccm:":                                nil,
		"ccm@sha256":                          nil,
		"a b:v1":                              nil,
		"":                                    nil,
		":v1":                                 nil,
	} {
		got, err := ParseImage(ref)
		if (err == nil) != (want != nil) {
			t.Errorf("%q: %v", ref, err)
			continue
		}
		if want == nil {
			continue
		}
		if diff := cmp.Diff(*want, got); diff != "" {
			t.Errorf("%q:\n%s", ref, diff)
		}
		if ref != "v1.26.14" && got.String() != ref {
			t.Errorf("%q comes back as %q", ref, got)
		}
	}
}

func TestImageAllowed(t *testing.T) {
	for _, c := range []struct {
		tag          string
		file, panics bool
		allowed126   string // reason of the error
	}{
		{"v1.21.0", false, false, "ImageTooOld"},
		{"v1.22.8", false, false, "ImageTooOld"},
		{"v1.23.19", false, true, "ImageTooOld"},
		{"v1.23.20", false, false, "ImageTooOld"},
		{"v1.24.18", true, true, "ImageTooOld"},
		{"v1.24.19", true, false, "ImageTooOld"},
		{"v1.25.14", true, true, ""},
		{"v1.26.0", true, true, ""},
		{"v1.26.10", true, true, ""},
		{"v1.26.14", true, false, ""},
		{"v1.27.5", true, true, "ImageTooNew"},
		{"v1.27.6", true, false, "ImageTooNew"},
		{"v1.28.1", true, false, "ImageTooNew"},
		{"v1.36.1", true, false, "ImageTooNew"},
		{"v1.26", true, true, ""},
		{"latest", true, true, ""},
		{"v1.26.0-mirror", true, true, ""}, // a pre-release of 1.26.0 by its name only
	} {
		img := Image{Repository: "r", Tag: c.tag}
		if got := NeedsMigrationFile(img); got != c.file {
			t.Errorf("%s: file %t", c.tag, got)
		}
		if got := panicsOnForeignProviderID(img); got != c.panics {
			t.Errorf("%s: panics %t", c.tag, got)
		}
		err := ImageAllowed(img, "v1.26.15+rke2r1", "v1.26.15+rke2r1")
		reason := ""
		if f, ok := fault.As(err); ok {
			reason = f.Reason
		}
		if reason != c.allowed126 {
			t.Errorf("%s on 1.26: %v", c.tag, err)
		}
	}
	if !NeedsMigrationFile(Image{Repository: "r", Digest: "sha256:aa"}) {
		t.Error("a digest alone has no version and needs the file")
	}
}

func TestMatrixIsPromotedAndSound(t *testing.T) {
	for i, row := range images {
		img := Image{Repository: DefaultRepository, Tag: row.tag}
		v, ok := img.Version()
		if !ok || v.Minor() != row.minor || row.minor != 22+uint64(i) || row.source == "" {
			t.Errorf("1.%d → %s of %q", row.minor, row.tag, row.source)
		}
		if panicsOnForeignProviderID(img) {
			t.Errorf("%s panics on a foreign ProviderID", row.tag)
		}
		if slices.Contains([]string{"v1.24.20", "v1.25.16", "v1.26.7", "v1.26.13", "v1.28.0", "v1.33.3", "v1.34.1", "v1.35.1", "v1.36.0"}, row.tag) {
			t.Errorf("%s was tagged but never promoted", row.tag)
		}
	}
}

func TestImageTags_matrix_ordered(t *testing.T) {
	tags := ImageTags()
	if len(tags) != len(images) {
		t.Errorf("%v of %v", tags, images)
	}
	for i, tag := range tags {
		if got, err := ImageFor(fmt.Sprintf("v1.%d.1", 22+i)); err != nil || got != tag {
			t.Errorf("1.%d: %s, %v, in the list %s", 22+i, got, err, tag)
		}
	}
}

func TestIAMActions(t *testing.T) {
	names := func(tag string, routes bool) map[string]Purpose {
		out := map[string]Purpose{}
		for _, a := range IAMActions(Image{Repository: "r", Tag: tag}, routes) {
			if _, twice := out[a.Name]; twice {
				t.Errorf("%s twice", a.Name)
			}
			out[a.Name] = a.For
		}
		return out
	}
	for _, c := range []struct {
		tag, action string
		routes      bool
		want        Purpose
	}{
		{"v1.26.0", "ec2:DescribeAvailabilityZones", false, ""},
		{"v1.26.1", "ec2:DescribeAvailabilityZones", false, ForLoadBalancers},
		{"v1.25.15", "ec2:DescribeAvailabilityZones", false, ""},
		{"v1.30.10", "ec2:DescribeAvailabilityZones", false, ForLoadBalancers},
		{"v1.29.10", "ec2:DescribeInstanceTopology", false, ""},
		{"v1.30.3", "ec2:DescribeInstanceTopology", false, ""},
		{"v1.30.4", "ec2:DescribeInstanceTopology", false, ForNodes},
		{"v1.31.1", "ec2:DescribeInstanceTopology", false, ""},
		{"v1.31.9", "ec2:DescribeInstanceTopology", false, ForNodes},
		{"v1.32.0", "ec2:DescribeInstanceTopology", false, ForNodes},
		{"v1.36.1", "ec2:DescribeInstanceTopology", false, ForNodes},
		{"v1.31.9", "elasticloadbalancing:ModifyTargetGroupAttributes", false, ""},
		{"v1.32.8", "elasticloadbalancing:ModifyTargetGroupAttributes", false, ForLoadBalancers},
		{"v1.33.2", "elasticloadbalancing:DescribeTargetGroupAttributes", false, ""},
		{"v1.36.1", "elasticloadbalancing:DescribeTargetGroupAttributes", false, ForLoadBalancers},
		{"private", "elasticloadbalancing:DescribeTargetGroupAttributes", false, ForLoadBalancers},
		{"private", "ec2:DescribeAvailabilityZones", false, ForLoadBalancers},
		{"v1.26.14", "elasticloadbalancing:DeregisterTargets", false, ForLoadBalancers},
		{"v1.26.14", "ec2:CreateRoute", false, ""},
		{"v1.26.14", "ec2:CreateRoute", true, ForRoutes},
		{"v1.26.14", "ec2:DescribeInstances", false, ForNodes},
		{"v1.26.14", "ec2:AttachVolume", true, ""},
	} {
		if got := names(c.tag, c.routes)[c.action]; got != c.want {
			t.Errorf("%s (routes %t): %s for %q, want %q", c.tag, c.routes, c.action, got, c.want)
		}
	}
}

// The error at either end of the table has a reason, the known versions and a fix.
func TestImageFor_outsideTable_typedError(t *testing.T) {
	for version, fix := range map[string]string{"v1.37.0+rke2r1": "--ccm-image", "v1.21.14+rke2r1": "upgrade to 1.22"} {
		_, err := ImageFor(version)
		f, is := fault.As(err)
		if !is || f.Reason != ReasonNoImage || f.Wanted != "1.22 to 1.36" || !strings.Contains(f.Fix, fix) {
			t.Errorf("%s: %v", version, err)
		}
	}
}

// Only the image of 1.32 is built on another minor version than its tag.
func TestNoteOn_images_otherBuild(t *testing.T) {
	for _, tag := range ImageTags() {
		if note := NoteOn(Image{Repository: "mirror.example/ccm", Tag: tag}); strings.Contains(note, "v0.33.0-rc.0") != (tag == "v1.32.8") || (note == "") == (tag == "v1.32.8") {
			t.Errorf("%s: %q", tag, note)
		}
	}
}

// The image is judged by the oldest and by the newest API server.
func TestImageAllowed_skew_bothSides(t *testing.T) {
	const v126, v127, v128, v129 = "v1.26.15+rke2r1", "v1.27.16+rke2r1", "v1.28.15+rke2r1", "v1.29.15+rke2r1"
	for _, tt := range []struct {
		tag, oldest, newest, reason string
	}{
		{"v1.28.11", v128, v128, ""},
		{"v1.27.10", v128, v128, ""},
		{"v1.26.14", v128, v128, ReasonImageTooOld},
		{"v1.28.11", v127, v128, ReasonImageTooNew}, // a rollout that stopped halfway
		{"v1.27.10", v127, v128, ""},
		{"v1.26.14", v127, v128, ReasonImageTooOld},
		{"v1.26.14", v126, v127, ""},
		{"v1.27.10", v129, v129, ReasonImageTooOld},
		{"latest", v126, v129, ""},
	} {
		err := ImageAllowed(Image{Repository: "r", Tag: tt.tag}, tt.oldest, tt.newest)
		reason := ""
		if f, is := fault.As(err); is {
			reason = f.Reason
		}
		if reason != tt.reason {
			t.Errorf("%s on %s to %s: %v, want %q", tt.tag, tt.oldest, tt.newest, err, tt.reason)
		}
	}
	for _, versions := range [][2]string{{"", v126}, {v126, "latest"}} {
		if err := ImageAllowed(Image{Repository: "r", Tag: "v1.26.14"}, versions[0], versions[1]); err == nil {
			t.Errorf("%q is taken", versions)
		}
	}
}

// panicsOnForeignProviderID reports whether the image panics if any Node has a ProviderID that
// is not AWS's, such as "rke2://name" (kubernetes/cloud-provider-aws#604; InstanceIDIndexFunc
// read at every tag). It returns true for an image without a version in its tag.
func panicsOnForeignProviderID(img Image) bool {
	v, ok := img.Version()
	if !ok {
		return true
	}
	firstGood := map[uint64]uint64{23: 20, 24: 19, 25: 15, 26: 11, 27: 6}
	good, indexed := firstGood[v.Minor()]
	return v.Major() == 1 && indexed && v.Patch() < good
}
