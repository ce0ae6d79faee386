package rancher

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"sort"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// controlPlaneSpec holds the fields of an RKEControlPlane's spec that the planner reads.
type controlPlaneSpec struct {
	userConfig               `json:",inline"`
	MachineSelectorFiles     []selectorFiles `json:"machineSelectorFiles"`
	AdditionalManifest       string          `json:"additionalManifest"`
	KubernetesVersion        string          `json:"kubernetesVersion"`
	ProvisionGeneration      int64           `json:"provisionGeneration"`
	UpgradeStrategy          upgradeStrategy `json:"upgradeStrategy"`
	ETCD                     etcdOptions     `json:"etcd"`
	ETCDSnapshotCreate       map[string]any  `json:"etcdSnapshotCreate"`
	ManagementClusterName    string          `json:"managementClusterName"`
	LocalClusterAuthEndpoint struct {
		Enabled bool `json:"enabled"`
	} `json:"localClusterAuthEndpoint"`
}

type upgradeStrategy struct {
	ControlPlaneConcurrency  string       `json:"controlPlaneConcurrency"`
	ControlPlaneDrainOptions drainOptions `json:"controlPlaneDrainOptions"`
	WorkerConcurrency        string       `json:"workerConcurrency"`
	WorkerDrainOptions       drainOptions `json:"workerDrainOptions"`
}

type etcdOptions struct {
	DisableSnapshots     bool   `json:"disableSnapshots"`
	SnapshotRetention    int64  `json:"snapshotRetention"`
	SnapshotScheduleCron string `json:"snapshotScheduleCron"`
}

// target is the machine for which a configuration is rendered.
type target struct {
	UID      string
	Labels   map[string]string
	NodeName string            // of custom machines registered with --node-name, or empty
	Own      map[string]string // node labels of its pool
	Taints   []corev1.Taint    // taints of its pool
	Join     string            // URL of the server it joins; "-" for the first one
}

func (t target) controlPlane() bool { return t.Labels[labelControlPlane] == "true" }
func (t target) etcd() bool         { return t.Labels[labelEtcd] == "true" }
func (t target) worker() bool       { return t.Labels[labelWorker] == "true" }
func (t target) onlyWorker() bool   { return t.worker() && !t.controlPlane() && !t.etcd() }

// secretReader returns the data of a Secret and the clusters that may use it.
type secretReader func(namespace, name string) (*corev1.Secret, error)

const (
	configPath   = "/etc/rancher/rke2/config.yaml.d/50-rancher.yaml"
	manifestPath = "/var/lib/rancher/rke2/server/manifests/rancher/addons.yaml"
	filesPath    = "/var/lib/rancher/rke2/etc/config-files/"
	psactPath    = "/etc/rancher/rke2/config/rancher-psact.yaml"
	webhookPath  = "/var/lib/rancher/rke2/kube-api-authn-webhook.yaml"
)

// render returns the whole configuration of one machine and the files that it names: the merged
// and filtered user configuration, then Rancher's own additions. Source:
// rancher/rancher:pkg/capr/planner/config.go@v2.8.5 (addConfigFile).
func render(spec controlPlaneSpec, r release, t target, secret secretReader, cluster, namespace string) (map[string]any, []planFile, error) {
	merged, err := merge(spec.userConfig, t.Labels)
	if err != nil {
		return nil, nil, err
	}
	config := filter(merged, isServer(t.Labels), r)
	addEtcd(config, spec.ETCD, t)
	addRole(config, t)
	if spec.LocalClusterAuthEndpoint.Enabled && !t.onlyWorker() {
		// A string is lost here: Rancher converts lists only (norman ToStringSlice).
		var args []string
		if _, isString := config["kube-apiserver-arg"].(string); !isString {
			args = stringList(config["kube-apiserver-arg"])
		}
		config["kube-apiserver-arg"] = anyList(append(args, "authentication-token-webhook-config-file="+webhookPath))
	}
	addLabelsAndTaints(config, t)

	var files []planFile
	for _, key := range []string{"audit-policy-file", "cloud-provider-config"} {
		v, ok := config[key]
		if !ok {
			continue
		}
		content, err := fileContent(key, strings.TrimSpace(fmt.Sprint(v)), secret, cluster)
		if err != nil {
			return nil, nil, err
		}
		config[key] = filesPath + key
		files = append(files, planFile{Path: filesPath + key, Content: base64.StdEncoding.EncodeToString(content)})
	}
	more, err := selectedFiles(spec.MachineSelectorFiles, t, secret, cluster, namespace)
	if err != nil {
		return nil, nil, err
	}
	files = append(files, more...)
	pruneEmpty(config)
	data, err := json.MarshalIndent(config, "", "  ")
	if err != nil {
		return nil, nil, err
	}
	return config, append(files, planFile{Path: configPath, Content: base64.StdEncoding.EncodeToString(data)}), nil
}

func addEtcd(config map[string]any, o etcdOptions, t target) {
	if !t.etcd() {
		return
	}
	if o.DisableSnapshots {
		config["etcd-disable-snapshots"] = true
	}
	if o.SnapshotRetention > 0 {
		config["etcd-snapshot-retention"] = o.SnapshotRetention
	}
	if o.SnapshotScheduleCron != "" {
		config["etcd-snapshot-schedule-cron"] = o.SnapshotScheduleCron
	}
}

func addRole(config map[string]any, t target) {
	if t.Join != "" && t.Join != "-" {
		config["server"] = t.Join
	}
	switch {
	case t.etcd() && !t.controlPlane():
		config["disable-scheduler"] = true
		config["disable-apiserver"] = true
		config["disable-controller-manager"] = true
	case t.controlPlane() && !t.etcd():
		config["disable-etcd"] = true
	}
	if t.controlPlane() {
		withProbeArguments(config, "kube-controller-manager", "10257")
		withProbeArguments(config, "kube-scheduler", "10259")
	}
	if t.NodeName != "" {
		config["node-name"] = t.NodeName
	}
}

func addLabelsAndTaints(config map[string]any, t target) {
	labels := []string{labelMachineUID + "=" + t.UID}
	for k, v := range t.Own {
		labels = append(labels, k+"="+v)
	}
	sort.Strings(labels)
	config["node-label"] = anyList(labels)
	var taints []string
	for _, taint := range nodeTaints(t) {
		if taint.Key != "" {
			taints = append(taints, taint.ToString())
		}
	}
	sort.Strings(taints)
	config["node-taint"] = anyList(taints)
}

// nodeTaints returns the pool's taints and Rancher's two, which have no value and are for
// machines without the worker role. Source: rancher/rancher:pkg/capr/planner/planner.go@v2.8.5
// (getTaints).
func nodeTaints(t target) []corev1.Taint {
	out := append([]corev1.Taint(nil), t.Taints...)
	if t.worker() {
		return out
	}
	if t.etcd() {
		out = append(out, corev1.Taint{Key: "node-role.kubernetes.io/etcd", Effect: corev1.TaintEffectNoExecute})
	}
	if t.controlPlane() {
		out = append(out, corev1.Taint{Key: "node-role.kubernetes.io/control-plane", Effect: corev1.TaintEffectNoSchedule})
	}
	return out
}

func pruneEmpty(config map[string]any) {
	for k, v := range config {
		switch t := v.(type) {
		case nil:
			delete(config, k)
		case string:
			if t == "" {
				delete(config, k)
			}
		case []any:
			if len(t) == 0 {
				delete(config, k)
			}
		}
	}
}
