//go:build slow

package e2e

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/test/likeness"
	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// podFault is a change with which the CCM's pods do not start.
type podFault struct {
	name  string
	flags []string
	says  []string // by the run
}

func podFaults(t *testing.T) []podFault {
	return []podFault{
		{"image", []string{"--ccm-image", repository + ":v1.26.999"}, []string{"cannot pull " + repository + ":v1.26.999: rpc error: code = "}},
		{"argument", valuesFile(t, "args: [--v=2, --cloud-provider=aws, --configure-cloud-routes=false, --bogus-flag=1]"),
			[]string{"unknown flag: --bogus-flag", "correct args in --values"}},
		{"variable", valuesFile(t, "env: [{name: X, valueFrom: {secretKeyRef: {name: no-such-secret, key: x}}}]"),
			[]string{`CreateContainerConfigError: secret "no-such-secret" not found`, "correct --values"}},
		{"volume", valuesFile(t, "{extraVolumes: [{name: more, secret: {secretName: no-such-secret}}], extraVolumeMounts: [{name: more, mountPath: /more}]}"),
			[]string{`MountVolume.SetUp failed for volume "more" : secret "no-such-secret" not found`, "named in --values must exist"}},
	}
}

// podsInTrouble installs the CCM with each fault and returns what the kubelets say, which goes on until
// that of the record was seen. Then it installs the CCM without any.
func podsInTrouble(ctx context.Context, t *testing.T, lab *scenario.Lab, record []string) []string {
	t.Helper()
	var seen []string
	for _, fault := range podFaults(t) {
		stops(ctx, t, lab, append(fault.says, "Pod kube-system/aws-cloud-controller-manager-"), append(fault.flags, "--until", "install-ccm")...)
		prefix := fault.name + " "
		wanted := slices.DeleteFunc(slices.Clone(record), func(line string) bool { return !strings.HasPrefix(line, prefix) })
		of := map[string]bool{}
		within, cancel := context.WithTimeout(ctx, 30*time.Second)
		_ = scenario.Until(within, "the record's lines", func(ctx context.Context) (bool, string, error) { // the caller compares
			now, err := lab.Trouble(ctx)
			for _, line := range now {
				of[prefix+line] = true
			}
			return len(wanted) > 0 && !slices.ContainsFunc(wanted, func(line string) bool { return !of[line] }), "", err
		})
		cancel()
		for line := range of {
			seen = append(seen, line)
		}
	}
	migrate(ctx, t, lab, 0, "--no-etcd-snapshot", "--until", "install-ccm")
	slices.Sort(seen)
	return seen
}

// failingPods compares what the kubelets say with the record of real ones.
func failingPods(ctx context.Context, t *testing.T, lab *scenario.Lab) {
	since := time.Now()
	record := recordOf(t, lab, "pods")
	if different := likeness.Differences(record, podsInTrouble(ctx, t, lab, record)); len(different) > 0 {
		t.Errorf("not as in %s:\n%s", sightFile(lab, "pods"), strings.Join(different, "\n"))
	}
	if running, err := lab.Running(scenario.CloudControllerManager); err != nil || len(running) != 3 {
		t.Errorf("cloud controller managers %v, %v; wanted 3", running, err)
	}
	inTreeStays(ctx, t, lab, since, "aws with flag")
}
