package node

import (
	"fmt"
	"strings"
	"testing"
)

func TestProbeStatus(t *testing.T) {
	p := planProbe{SuccessThreshold: 1, FailureThreshold: 2}
	var s probeStatus
	for i, step := range []struct {
		ok, healthy bool
	}{{false, false}, {true, true}, {false, true}, {false, false}, {true, true}, {true, true}} {
		if s = s.next(step.ok, p); s.Healthy != step.healthy {
			t.Fatalf("step %d: %+v, wanted healthy %t", i, s, step.healthy)
		}
	}
	if s.SuccessCount != 1 {
		t.Errorf("the count goes beyond its threshold: %+v", s)
	}
}

func TestParsePlan(t *testing.T) {
	p, files, err := parsePlan([]byte(`{"files":[{"path":"/a","content":"eA==","dynamic":true}],"instructions":[{"name":"install","env":["X=1","RESTART_STAMP=abc"]}]}`))
	if err != nil || p.restartStamp() != "abc" || len(files) != 1 || string(files[0].Content) != "x" || !files[0].Dynamic {
		t.Errorf("%+v %+v %v", p, files, err)
	}
	for bad, want := range map[string]string{"{": "reading the plan", `{"files":[{"path":"/a","content":"!"}]}`: "file /a"} {
		if _, _, err := parsePlan([]byte(bad)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// A plan restarts RKE2 if its installer gets another stamp. Without a stamp, as for a snapshot, it
// restarts nothing and leaves the old one, so that the ordinary plan after it does not either.
func TestTryPlan_restarts(t *testing.T) {
	a := &Agent{fs: machineFS(t.TempDir())}
	s := &session{rke2: newRKE2Service(t.Context(), a, nil)}
	const installer = `{"instructions":[{"name":"install","image":"x:v1.26.13-rke2r1","env":["RESTART_STAMP=%s"]}]}`
	for _, test := range []struct {
		plan     string
		restarts bool
	}{
		{fmt.Sprintf(installer, "a"), true},
		{fmt.Sprintf(installer, "a"), false},
		{`{"instructions":[{"name":"install","image":"x:v1.26.13-rke2r1","env":["INSTALL_RKE2_SKIP_START=true"]},{"name":"create"}]}`, false},
		{fmt.Sprintf(installer, "a"), false},
		{fmt.Sprintf(installer, "b"), true},
	} {
		if _, err := a.tryPlan(s, []byte(test.plan)); err != nil {
			t.Fatal(err)
		}
		restarted := false
		select {
		case <-s.rke2.wake:
			restarted = true
		default:
		}
		if restarted != test.restarts {
			t.Errorf("%s: restarted %t", test.plan, restarted)
		}
	}
	if version, err := a.release(); err != nil || version != rke2Version {
		t.Errorf("release %s, %v", version, err)
	}
}

func TestManifestHashMovesWithItsContent(t *testing.T) {
	const file = configDir + "/x"
	pod := StaticPod{KubeControllerManager, []string{"--a=" + file}}
	m := machineFS(t.TempDir())
	write := func(content string) {
		if err := m.write(file, []byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	write("x")
	base := manifest(pod, rke2Version, m)
	if again := manifest(pod, rke2Version, m); again.UID != base.UID {
		t.Error("the same manifest has two hashes")
	}
	if other := manifest(StaticPod{KubeControllerManager, append(pod.Args, "--b=c")}, rke2Version, m); other.UID == base.UID {
		t.Error("a changed argument leaves the hash")
	}
	if other := manifest(pod, "v1.27.16+rke2r1", m); other.UID == base.UID {
		t.Error("another release leaves the hash")
	}
	write("y")
	if other := manifest(pod, rke2Version, m); other.UID == base.UID {
		t.Error("a changed file leaves the hash")
	}
	if got := base.Spec.Containers[0]; got.Command[0] != KubeControllerManager || len(got.Command) != 1 || got.Args[0] != pod.Args[0] {
		t.Errorf("command %v args %v", got.Command, got.Args)
	}
}

// In some releases the UID depends on the path alone, so the first mirror pod stays.
func TestFixedUIDStaysWhateverTheManifestSays(t *testing.T) {
	const release = "v1.26.7+rke2r1"
	none := machineFS(t.TempDir())
	base := manifest(StaticPod{KubeControllerManager, []string{"--a=b"}}, release, none)
	if base.UID != "57585a0305e4e46df816ebab263926f3" { // as on machines with the default data directory
		t.Errorf("UID %s", base.UID)
	}
	changed := manifest(StaticPod{KubeControllerManager, []string{"--a=c"}}, release, none)
	if changed.UID != base.UID || sameManifest(base, changed) {
		t.Errorf("UID %s, taken for the same: %t", changed.UID, sameManifest(base, changed))
	}
	if again := manifest(StaticPod{KubeControllerManager, []string{"--a=b"}}, release, none); !sameManifest(base, again) {
		t.Error("the same manifest is taken for another")
	}
	for version, fixed := range map[string]bool{"v1.23.12+rke2r1": false, "v1.23.17+rke2r1": true, "v1.24.17+rke2r1": false, "v1.25.3+rke2r1": true,
		"v1.26.8+rke2r1": false, rke2Version: false, "v1.26.7-rancher1-1": false, "v1.27.4+rke2r1": true} {
		if fixesUID(version) != fixed {
			t.Errorf("%s: %t", version, !fixed)
		}
	}
}

func TestParseObjects(t *testing.T) {
	got, err := parseObjects([]byte("# only a comment\n---\n\n---\nkind: A\n---\nkind: B\n"))
	if err != nil || len(got) != 2 {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := parseObjects([]byte("kind: A\n---\n{")); err == nil {
		t.Error("broken YAML passed")
	}
}
