package podstarter

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func TestPathsAreRewrittenWhereTheyBegin(t *testing.T) {
	inside := rewriter(
		corev1.Container{VolumeMounts: []corev1.VolumeMount{{Name: "plan", MountPath: "/plan"}, {Name: "account", MountPath: accountPath}}},
		map[string]string{"plan": "/lab/plan", "account": "/lab/account"},
	)
	for argument, want := range map[string]string{
		"/plan/plan.json":        "/lab/plan/plan.json",
		"--plan=/plan/plan.json": "--plan=/lab/plan/plan.json",
		"/plan":                  "/lab/plan",
		"/planned/plan.json":     "/planned/plan.json",
		"cat " + accountPath + "/token; ls /plan": "cat /lab/account/token; ls /lab/plan",
		"--plan": "--plan",
	} {
		if got := inside(argument); got != want {
			t.Errorf("%s became %s, wanted %s", argument, got, want)
		}
	}
}
