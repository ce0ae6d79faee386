package realkubelet

import (
	"fmt"
	"os"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Component describes a pod with one component of a control plane, on the host's network.
type Component struct {
	Name     string
	Program  string // wellknown.KCM or wellknown.CCM
	Provider string // its --cloud-provider; another value makes another manifest
	Stays    bool   // ignores SIGTERM
	Probe    int    // port of its liveness probe, or 0
	Grace    int64  // seconds before it is killed
}

// Static returns the name of the static pod in the API.
func (c Component) Static() string { return c.Name + "-" + NodeName }

// Pod returns the pod without a Node.
func (c Component) Pod() *corev1.Pod {
	container := corev1.Container{
		Name: c.Program, Image: imageName, ImagePullPolicy: corev1.PullNever,
		Command:      []string{"/" + c.Program},
		Args:         []string{nameFlag + c.Name, "--cloud-provider=" + c.Provider, "--beats=/beats", fmt.Sprintf("--stays=%t", c.Stays)},
		VolumeMounts: []corev1.VolumeMount{{Name: "beats", MountPath: "/beats"}},
	}
	if c.Probe != 0 {
		container.Args = append(container.Args, fmt.Sprintf("--serve=127.0.0.1:%d", c.Probe))
		container.LivenessProbe = &corev1.Probe{
			ProbeHandler:  corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Host: "127.0.0.1", Port: intstr.FromInt32(int32(c.Probe)), Path: "/healthz"}},
			PeriodSeconds: 2, FailureThreshold: 3, TimeoutSeconds: 1,
		}
	}
	directory := corev1.HostPathDirectory
	return &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Namespace: wellknown.System, Name: c.Name},
		Spec: corev1.PodSpec{
			HostNetwork: true, TerminationGracePeriodSeconds: ptr.To(c.Grace), EnableServiceLinks: ptr.To(false),
			Tolerations: []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
			Containers:  []corev1.Container{container},
			Volumes:     []corev1.Volume{{Name: "beats", VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: beatsDir, Type: &directory}}}},
		},
	}
}

// writeManifest writes the manifest of the static pod atomically.
func (c Component) writeManifest() error {
	text, err := yaml.Marshal(c.Pod())
	if err != nil {
		return fmt.Errorf("write static pod %s: %w", c.Name, err)
	}
	whole := filepath.Join(Place, c.Name+".yaml")
	if err := os.WriteFile(whole, text, 0o644); err != nil {
		return fmt.Errorf("write static pod %s: %w", c.Name, err)
	}
	if err := os.Rename(whole, c.manifest()); err != nil {
		return fmt.Errorf("put static pod %s in its place: %w", c.Name, err)
	}
	return nil
}

func (c Component) manifest() string { return filepath.Join(manifests, c.Name+".yaml") }
