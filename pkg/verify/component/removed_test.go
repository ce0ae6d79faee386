package component

import (
	"fmt"
	"testing"
)

func TestFlagRemoved(t *testing.T) {
	for _, c := range []struct {
		program, flag string
		from          int
	}{
		{"kube-controller-manager", "pod-eviction-timeout", 27}, {Kubelet, "container-runtime", 27}, {Scheduler, "lock-object-name", 28},
		{Proxy, "proxy-port-range", 31}, {"kube-apiserver", "cloud-config", 33}, {Kubelet, "cloud-config", 34}, {Kubelet, "pod-infra-container-image", 35},
		{Kubelet, "pod-eviction-timeout", 99}, {"etcd", "container-runtime", 99},
	} {
		for minor := 26; minor <= 36; minor++ {
			if got := FlagRemoved(c.program, c.flag, Version{1, minor, 0}); got != (minor >= c.from) {
				t.Errorf("%s --%s at 1.%d: %t", c.program, c.flag, minor, got)
			}
		}
	}
}

func TestRefused(t *testing.T) {
	gates := ParseGates("EphemeralContainers=true,DisableCloudProviders=false,AllBeta=false,RotateKubeletServerCertificate=true")
	const removed, unknown = "{EphemeralContainers %s does not know it and exits}", "{DisableCloudProviders %s does not know it and exits}"
	for version, want := range map[string]string{
		"1.26.15": "[]",
		"1.27.16": "[" + fmt.Sprintf(removed, "1.27.16") + "]",
		"1.31.3":  "[{DisableCloudProviders=false 1.31.3 has it locked on and exits} " + fmt.Sprintf(removed, "1.31.3") + "]",
		"1.33.0":  "[" + fmt.Sprintf(unknown, "1.33.0") + " " + fmt.Sprintf(removed, "1.33.0") + "]",
	} {
		v, err := ParseVersion(version)
		if got := fmt.Sprint(gates.Refused(v)); err != nil || got != want {
			t.Errorf("%s: %s, want %s", version, got, want)
		}
	}
}
