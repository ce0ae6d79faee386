package rancher

import "encoding/base64"

// desiredPlan returns the plan that a machine should have: configuration, manifests, probes,
// and the install instruction with its restart stamp. Source:
// rancher/rancher:pkg/capr/planner/planner.go@v2.8.5 (desiredPlan).
func desiredPlan(spec controlPlaneSpec, r release, t target, secret secretReader, cluster, namespace string) (nodePlan, error) {
	plan, config, err := planWithFiles(spec, r, t, secret, cluster, namespace)
	if err != nil {
		return nodePlan{}, err
	}
	plan.Probes = probes(config, t)
	image := installerImage(spec.KubernetesVersion)
	stamp := restartStamp(plan, spec.ProvisionGeneration, image)
	plan.Instructions = append(plan.Instructions, install(image, t.onlyWorker(), "RESTART_STAMP="+stamp))
	return plan, nil
}

// snapshotPlan returns a plan with the same files. Its installer starts nothing, and a snapshot
// follows.
func snapshotPlan(spec controlPlaneSpec, r release, t target, secret secretReader, cluster, namespace string) (nodePlan, error) {
	plan, _, err := planWithFiles(spec, r, t, secret, cluster, namespace)
	if err != nil {
		return nodePlan{}, err
	}
	plan.Instructions = append(plan.Instructions,
		install(installerImage(spec.KubernetesVersion), t.onlyWorker(), "INSTALL_RKE2_SKIP_START=true"), snapshotInstruction())
	return plan, nil
}

func planWithFiles(spec controlPlaneSpec, r release, t target, secret secretReader, cluster, namespace string) (nodePlan, map[string]any, error) {
	config, files, err := render(spec, r, t, secret, cluster, namespace)
	if err != nil {
		return nodePlan{}, nil, err
	}
	plan := nodePlan{Files: files}
	if t.controlPlane() {
		// An emptied field becomes an empty file: the agent cannot delete one.
		plan.Files = append(plan.Files, planFile{
			Path: manifestPath, Content: base64.StdEncoding.EncodeToString([]byte(spec.AdditionalManifest)), Dynamic: true,
		})
	}
	return plan, config, nil
}

// probes returns the probes of the components that the lab runs. Source:
// rancher/rancher:pkg/capr/planner/probe.go@v2.8.5 (generateProbes).
func probes(config map[string]any, t target) map[string]planProbe {
	probe := func(url string) planProbe {
		return planProbe{InitialDelaySeconds: 1, TimeoutSeconds: 5, SuccessThreshold: 1, FailureThreshold: 2, HTTPGet: httpAction{URL: url}}
	}
	out := map[string]planProbe{"kubelet": probe("http://127.0.0.1:10248/healthz")}
	if t.controlPlane() {
		// RKE2's API server answers no anonymous request, so the probe has a certificate.
		server := probe("https://127.0.0.1:6443/readyz")
		const tls = "/var/lib/rancher/rke2/server/tls/"
		server.HTTPGet.CACert = tls + "server-ca.crt"
		server.HTTPGet.ClientCert, server.HTTPGet.ClientKey = tls+"client-kube-apiserver.crt", tls+"client-kube-apiserver.key"
		out["kube-apiserver"] = server
		out["kube-controller-manager"] = probe("https://127.0.0.1:" + securePort(config, "kube-controller-manager", "10257") + "/healthz")
		out["kube-scheduler"] = probe("https://127.0.0.1:" + securePort(config, "kube-scheduler", "10259") + "/healthz")
	}
	return out
}
