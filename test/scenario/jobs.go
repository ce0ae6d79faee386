package scenario

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// JobImage is the image of awsmigrate in a lab that was booted with JobFlags.
const JobImage = "registry.test/awsmigrate:lab"

// JobFlags returns flags of Boot for a lab whose management cluster runs Jobs.
func JobFlags(bin string) []string {
	return []string{"--pod-image", JobImage + "=" + filepath.Join(bin, "awsmigrate")}
}

// Job is a Job of awsmigrate in the lab's management cluster.
type Job struct {
	Namespace, Name string
	lab             *Lab
	client          kubernetes.Interface
}

// ApplyJob calls ApplyJobFor with the lab's RKE2 cluster.
func (l *Lab) ApplyJob(ctx context.Context, args ...string) (*Job, error) {
	return l.ApplyJobFor(ctx, clusterName, args...)
}

// ApplyJobFor prints a Job with `awsmigrate job` and applies it with kubectl, as people do.
func (l *Lab) ApplyJobFor(ctx context.Context, cluster string, args ...string) (*Job, error) {
	cmd := exec.CommandContext(ctx, l.binary("awsmigrate"), append([]string{"job", "--cluster", cluster, "--image", JobImage}, args...)...)
	var out, problem bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problem
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("awsmigrate job %s: %w: %s", strings.Join(args, " "), err, problem.String())
	}
	if _, err := l.KubectlManagement(ctx, out.String(), "apply", "--validate=strict", "-f", "-"); err != nil {
		return nil, err
	}
	client, err := l.ManagementKube()
	job := &Job{Namespace: "fleet-default", Name: "awsmigrate-" + cluster, lab: l, client: client}
	if i := slices.Index(args, "--namespace"); i >= 0 {
		job.Namespace = args[i+1]
	}
	return job, err
}

// ManagementKube returns an administrator's client of the management cluster.
func (l *Lab) ManagementKube() (kubernetes.Interface, error) {
	config, err := clientcmd.BuildConfigFromFlags("", l.Kubeconfig("management"))
	if err != nil {
		return nil, err
	}
	return kubernetes.NewForConfig(config)
}

// Ended waits until the Job is Complete or Failed, and returns that condition.
func (j *Job) Ended(ctx context.Context) (job *batchv1.Job, condition batchv1.JobCondition, err error) {
	err = Until(ctx, "Job "+j.Name+" to end", func(ctx context.Context) (bool, string, error) {
		if job, err = j.client.BatchV1().Jobs(j.Namespace).Get(ctx, j.Name, metav1.GetOptions{}); err != nil {
			return false, "", err
		}
		for _, c := range job.Status.Conditions {
			if (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) && c.Status == corev1.ConditionTrue {
				condition = c
				return true, "", nil
			}
		}
		return false, fmt.Sprintf("%d active, %d failed", job.Status.Active, job.Status.Failed), nil
	})
	return job, condition, err
}

// Pods returns the Job's pods, the oldest first.
func (j *Job) Pods(ctx context.Context) ([]corev1.Pod, error) {
	pods, err := j.client.CoreV1().Pods(j.Namespace).List(ctx, metav1.ListOptions{LabelSelector: "job-name=" + j.Name})
	if err != nil {
		return nil, err
	}
	for i := range pods.Items {
		for k := i; k > 0 && pods.Items[k].CreationTimestamp.Before(&pods.Items[k-1].CreationTimestamp); k-- {
			pods.Items[k], pods.Items[k-1] = pods.Items[k-1], pods.Items[k]
		}
	}
	return pods.Items, nil
}

// Output returns the output of a pod's container so far.
func (j *Job) Output(pod string) string {
	raw, err := os.ReadFile(filepath.Join(j.lab.Dir, "management", "logs", pod+"_awsmigrate.log"))
	if err != nil {
		return "" // not started
	}
	return string(raw)
}

// Kill sends SIGKILL to a pod's process.
func (j *Job) Kill(ctx context.Context, pod string) error {
	return j.lab.Lab(ctx, "kill", pod+"_awsmigrate")
}

// Suspend pauses or resumes the Job.
func (j *Job) Suspend(ctx context.Context, yes bool) error {
	_, err := j.lab.KubectlManagement(ctx, "", "-n", j.Namespace, "patch", "job", j.Name, "-p", fmt.Sprintf(`{"spec":{"suspend":%t}}`, yes))
	return err
}

// Delete removes the Job and its pods, and waits until they are gone.
func (j *Job) Delete(ctx context.Context) error {
	_, err := j.lab.KubectlManagement(ctx, "", "-n", j.Namespace, "delete", "job", j.Name, "--cascade=foreground", "--wait")
	return err
}
