//go:build slow && real

package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/test/likeness"
	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// updateSight is the variable with which TestReal writes what it sees anew.
const updateSight = "AWSMIGRATE_UPDATE_SIGHT"

// TestReal migrates clusters of RKE2 and of the real rke on machines with real kubelets, undoes that,
// and migrates others with interruptions. Its parts share a machine, so they follow each other.
func TestReal(t *testing.T) {
	for _, part := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"RKE2 there and back", func(t *testing.T) { realThereAndBack(t, "rke2") }},
		{"RKE2 with pods that do not start", realTrouble},
		{"RKE2 killed in every step", func(t *testing.T) { killInEveryStep(t, bootReal(t, "rke2"), writingSteps) }},
		{"RKE there and back", func(t *testing.T) { realThereAndBack(t, "rke") }},
		{"RKE killed in every step", func(t *testing.T) { killInEveryStep(t, bootReal(t, "rke"), rkeSteps) }},
		{"rke killed while it stops a kube-apiserver", realRKEKilled},
		{"supervisor killed", realSupervisorKilled},
	} {
		t.Run(part.name, part.run)
	}
}

// bootReal boots a lab on real machines, whose runs use awsmigrate's defaults. Such labs exclude each
// other on one machine.
func bootReal(t *testing.T, distro string, flags ...string) *scenario.Lab {
	t.Helper()
	lab := bootInTurn(t, append([]string{"--distro", distro, "--machines", "real", "--workers", "1"}, flags...)...)
	lab.Natural = false
	return lab
}

// realThereAndBack runs the demonstration, whose evidence is the observer's, and an undo.
func realThereAndBack(t *testing.T, distro string) {
	lab := bootReal(t, distro)
	lab.Fixed = true // an undo is compared with the machines of the beginning
	ctx := within(t, 30*time.Minute)
	workers, err := lab.Workers(ctx)
	must(t, err)
	seenOnRealMachines(ctx, t, lab, "p0")
	must(t, lab.Cordon(ctx, workers[0], true))
	beginning, err := lab.Beginning(ctx)
	must(t, err)
	course := follow(ctx, t, lab)
	evidence, err := scenario.DemoOn(ctx, lab, testWriter{t}, nil)
	must(t, err)
	for _, controller := range evidence.Observation.Controllers {
		for _, gap := range controller.Gaps {
			t.Logf("%s ran nowhere for %.1f s", controller.Name, gap.Seconds)
		}
	}
	seenOnRealMachines(ctx, t, lab, "p5")
	wentOnRealMachines(t, lab, course)
	keptAsObserved(ctx, t, lab)
	u := undo{lab: lab, beginning: beginning}
	u.goes(ctx, t, "undo")
	u.isBack(ctx, t)
}

// seenOnRealMachines compares the lab with the record, or writes the record if the variable
// updateSight is set.
func seenOnRealMachines(ctx context.Context, t *testing.T, lab *scenario.Lab, position string) {
	t.Helper()
	if os.Getenv(updateSight) == "" {
		asOnRealMachines(ctx, t, lab, position)
		return
	}
	seen, err := lab.Sight(ctx)
	must(t, err)
	writeSight(t, sightFile(lab, position), seen)
}

// wentOnRealMachines does the same for the changes during the migration, which it adds to the record,
// and prints their delays.
func wentOnRealMachines(t *testing.T, lab *scenario.Lab, course *likeness.Course) {
	t.Helper()
	t.Log(strings.Join(course.Delays(), "\n"))
	if os.Getenv(updateSight) == "" {
		wentAsOnRealMachines(t, lab, course)
		return
	}
	writeSight(t, sightFile(lab, "course"), likeness.Merge(recordOf(t, lab, "course"), course.Lines()))
}

// realTrouble compares what kubelets say of pods that do not start with the record, or adds to it.
func realTrouble(t *testing.T) {
	lab := bootReal(t, "rke2")
	ctx := within(t, 15*time.Minute)
	record := recordOf(t, lab, "pods")
	seen := podsInTrouble(ctx, t, lab, record)
	if os.Getenv(updateSight) != "" {
		writeSight(t, sightFile(lab, "pods"), likeness.Merge(record, seen))
		return
	}
	if different := likeness.Differences(record, seen); len(different) > 0 {
		t.Errorf("not as in %s:\n%s", sightFile(lab, "pods"), strings.Join(different, "\n"))
	}
}

func writeSight(t *testing.T, file string, lines []string) {
	t.Helper()
	must(t, os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o644))
}

// realRKEKilled kills rke in the five seconds in which it waits for an API server's end. The
// container then stays stopped, and the next rke starts it with its old arguments.
func realRKEKilled(t *testing.T) {
	lab := bootReal(t, "rke")
	ctx := within(t, 30*time.Minute)
	before, err := lab.Identities(ctx)
	must(t, err)
	start := time.Now()
	run, err := lab.Start(ctx, testWriter{t}, lab.Command("", "--yes")...)
	must(t, err)
	must(t, scenario.Until(ctx, "rke to stop a kube-apiserver", func(context.Context) (bool, string, error) {
		_, after, found := strings.Cut(run.Stdout()+run.Stderr(), "◐  switch-provider")
		if !found || !strings.Contains(after, "Stopping container [kube-apiserver]") {
			return false, "awsmigrate runs", run.Ended()
		}
		return true, "", syscall.Kill(childOf(run.PID(), lab.ClusterFile), syscall.SIGKILL)
	}))
	if code, err := run.Wait(ctx); err != nil || code != 3 {
		t.Fatalf("rke killed: exit %d, %v, wanted 3", code, err)
	}
	if code, _, _, err := lab.Awsmigrate(ctx, testWriter{t}, lab.Command("", "--yes")...); err != nil || code != 0 {
		t.Fatalf("the same command: exit %d, %v, wanted 0", code, err)
	}
	judgeEnd(ctx, t, lab, before, start)
}

// realSupervisorKilled kills the lab's supervisor. Every process of its hosts ends with it, and
// `lab down` leaves this machine as it was.
func realSupervisorKilled(t *testing.T) {
	settings, cgroups := kernelSettings(t), containerCgroups()
	lab := bootReal(t, "rke", "--control-planes", "1", "--workers", "0")
	ctx := within(t, 10*time.Minute)
	hosts, err := lab.Running("host")
	must(t, err)
	if len(hosts) != 1 {
		t.Fatalf("%d hosts, wanted 1", len(hosts))
	}
	must(t, pausedPod(ctx, lab))
	if during := containerCgroups(); len(during) < len(cgroups)+2 {
		t.Fatalf("cgroups %v with a pod, wanted those of Docker and containerd", during)
	}
	network, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/net", hosts[0].PID))
	must(t, err)
	if processesIn(t, network) < 10 {
		t.Fatalf("%d processes on the host before, wanted all of a control plane", processesIn(t, network))
	}
	must(t, syscall.Kill(parentOf(t, hosts[0].PID), syscall.SIGKILL))
	must(t, scenario.Until(ctx, "the host's processes to end", func(context.Context) (bool, string, error) {
		left := processesIn(t, network)
		return left == 0, strconv.Itoa(left) + " are left", nil
	}))
	must(t, lab.Down(ctx))
	if left, _ := filepath.Glob("/sys/class/net/awslab*"); len(left) > 0 {
		t.Errorf("devices are left: %v", left)
	}
	if left := containerCgroups(); !slices.Equal(left, cgroups) {
		t.Errorf("cgroups %v, were %v", left, cgroups)
	}
	if mounts, err := os.ReadFile("/proc/mounts"); err != nil || strings.Contains(string(mounts), lab.Dir) {
		t.Errorf("mounts are left (%v)", err)
	}
	if now := kernelSettings(t); now != settings {
		t.Errorf("kernel settings %s, were %s", now, settings)
	}
}

// pausedPod starts a pod, whose container has a cgroup of containerd.
func pausedPod(ctx context.Context, lab *scenario.Lab) error {
	const pod = `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "paused", "namespace": "default"}, "spec": {
		"tolerations": [{"operator": "Exists"}], "containers": [{"name": "pause", "image": "rancher/mirrored-pause:3.7"}]}}`
	if _, err := lab.Kubectl(ctx, pod, "apply", "-f", "-"); err != nil {
		return err
	}
	_, err := lab.Kubectl(ctx, "", "wait", "--for=condition=Ready", "--timeout=1m", "pod/paused")
	return err
}

// containerCgroups returns the parents of containers' cgroups.
func containerCgroups() []string {
	var all []string
	for _, name := range []string{"awsmigrate-lab", "k8s.io"} {
		for _, pattern := range []string{"/sys/fs/cgroup/", "/sys/fs/cgroup/*/"} {
			found, _ := filepath.Glob(pattern + name) // the patterns are well formed
			all = append(all, found...)
		}
	}
	return all
}

// parentOf returns the ID of a process's parent.
func parentOf(t *testing.T, pid int) int {
	t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	must(t, err)
	_, rest, _ := strings.Cut(string(raw), "\nPPid:")
	line, _, _ := strings.Cut(rest, "\n")
	parent, err := strconv.Atoi(strings.TrimSpace(line))
	must(t, err)
	return parent
}

// processesIn counts the processes in a network namespace.
func processesIn(t *testing.T, network string) int {
	t.Helper()
	links, err := filepath.Glob("/proc/[0-9]*/ns/net")
	must(t, err)
	count := 0
	for _, link := range links {
		if name, err := os.Readlink(link); err == nil && name == network {
			count++
		}
	}
	return count
}

// kernelSettings returns those that a kubelet changes.
func kernelSettings(t *testing.T) string {
	t.Helper()
	var all []string
	for _, name := range []string{"vm/overcommit_memory", "kernel/panic", "kernel/panic_on_oops"} {
		raw, err := os.ReadFile("/proc/sys/" + name)
		must(t, err)
		all = append(all, name+"="+strings.TrimSpace(string(raw)))
	}
	return strings.Join(all, " ")
}
