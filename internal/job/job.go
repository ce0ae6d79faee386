package job

import (
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// containerName is the name of the Job's only container.
	containerName = "awsmigrate"
	// user is the UID 65534, which owns no file of the image.
	user = 65534
	// stopWithin is the maximum time of a stopping run for the current write, its journal and the
	// lock. Each waits at most one request timeout (30 s) for an API.
	stopWithin = 90 * time.Second
	// heldLock is the maximum time that another run may hold the lock before the Job gives up.
	heldLock = time.Hour
)

// Variables of the downward API that identify the pod of a run.
const (
	EnvPodName       = "POD_NAME"
	EnvPodUID        = "POD_UID"
	EnvNodeName      = "NODE_NAME"
	EnvContainerName = "CONTAINER_NAME"
)

func (o Options) job() *batchv1.Job {
	limit, one := BackoffLimit(heldLock), int32(1)
	return &batchv1.Job{
		TypeMeta:   metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"},
		ObjectMeta: o.meta(o.Namespace, o.jobName()),
		Spec: batchv1.JobSpec{
			Suspend: &o.Suspend, Parallelism: &one, Completions: &one,
			BackoffLimit: &limit, PodFailurePolicy: o.Exits.policy(),
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: o.labels()}, Spec: o.pod()},
		},
	}
}

// pod returns the pod of the run. It has no writable volume, because a run stores its state in
// the cluster.
func (o Options) pod() corev1.PodSpec {
	yes, id, grace := true, int64(user), int64(stopWithin/time.Second)
	return corev1.PodSpec{
		RestartPolicy:      corev1.RestartPolicyNever, // required by podFailurePolicy
		ServiceAccountName: o.serviceAccount(), AutomountServiceAccountToken: &yes,
		TerminationGracePeriodSeconds: &grace,
		NodeSelector:                  map[string]string{corev1.LabelOSStable: "linux"},
		Tolerations: []corev1.Toleration{ // Rancher's taint on Linux nodes of clusters with Windows
			{Key: "cattle.io/os", Operator: corev1.TolerationOpEqual, Value: "linux", Effect: corev1.TaintEffectNoSchedule},
		},
		SecurityContext: &corev1.PodSecurityContext{
			RunAsNonRoot: &yes, RunAsUser: &id, RunAsGroup: &id,
			SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
		},
		Containers: []corev1.Container{o.container()}, Volumes: o.volumes(),
	}
}

func (o Options) container() corev1.Container {
	yes, no := true, false
	c := corev1.Container{
		Name: containerName, Image: o.Image, Args: o.args(),
		Env: []corev1.EnvVar{
			field(EnvPodName, "metadata.name"), field(EnvPodUID, "metadata.uid"), field(EnvNodeName, "spec.nodeName"),
			{Name: EnvContainerName, Value: containerName},
		},
		Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse("50m"), corev1.ResourceMemory: resource.MustParse("128Mi"),
		}},
		SecurityContext: &corev1.SecurityContext{
			AllowPrivilegeEscalation: &no, ReadOnlyRootFilesystem: &yes, Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		},
	}
	for _, v := range o.volumes() {
		c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: v.Name, MountPath: "/" + v.Name, ReadOnly: true})
	}
	if o.AWSSecret != "" {
		c.EnvFrom = []corev1.EnvFromSource{{SecretRef: &corev1.SecretEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: o.AWSSecret}}}}
	}
	return c
}

func field(name, path string) corev1.EnvVar {
	return corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: path}}}
}

const (
	planVolume       = "plan"
	downstreamVolume = "downstream"
	downstreamKey    = "value" // as in Rancher's Secrets
)

func (o Options) volumes() []corev1.Volume {
	var volumes []corev1.Volume
	if o.Plan != nil {
		volumes = append(volumes, corev1.Volume{Name: planVolume, VolumeSource: corev1.VolumeSource{
			ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: o.planName()}}}})
	}
	if o.DownstreamSecret != "" {
		volumes = append(volumes, corev1.Volume{Name: downstreamVolume, VolumeSource: corev1.VolumeSource{
			Secret: &corev1.SecretVolumeSource{SecretName: o.DownstreamSecret}}})
	}
	return volumes
}

// args returns the command line of the run. A saved plan is its own approval.
func (o Options) args() []string {
	args := []string{string(o.Distribution), "--cluster", o.Cluster}
	if !o.Distribution.NamedByID() {
		args = append(args, "--namespace", o.Namespace)
	}
	if o.DownstreamSecret != "" {
		args = append(args, "--downstream-kubeconfig", "/"+downstreamVolume+"/"+downstreamKey)
	}
	if o.Plan != nil {
		args = append(args, "--plan", "/"+planVolume+"/"+planKey)
	} else {
		args = append(args, "--yes")
	}
	args = slices.Concat(args, []string{"-o", "jsonl"}, o.Args)
	for i := range args {
		args[i] = literal(args[i])
	}
	return args
}
