package rancher

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
)

// nodePlan is the plan for the agent on a machine, in the JSON of Rancher's system agent
// (rancher/rancher:pkg/apis/rke.cattle.io/v1/plan@v2.8.5).
type nodePlan struct {
	Files        []planFile           `json:"files,omitempty"`
	Instructions []instruction        `json:"instructions,omitempty"`
	Probes       map[string]planProbe `json:"probes,omitempty"`
}

type planFile struct {
	Content     string `json:"content,omitempty"` // base64
	Path        string `json:"path,omitempty"`
	Permissions string `json:"permissions,omitempty"`
	Dynamic     bool   `json:"dynamic,omitempty"`
	Minor       bool   `json:"minor,omitempty"`
}

type instruction struct {
	Name    string   `json:"name,omitempty"`
	Image   string   `json:"image,omitempty"`
	Env     []string `json:"env,omitempty"`
	Args    []string `json:"args,omitempty"`
	Command string   `json:"command,omitempty"`
}

type planProbe struct {
	InitialDelaySeconds int        `json:"initialDelaySeconds,omitempty"`
	TimeoutSeconds      int        `json:"timeoutSeconds,omitempty"`
	SuccessThreshold    int        `json:"successThreshold,omitempty"`
	FailureThreshold    int        `json:"failureThreshold,omitempty"`
	HTTPGet             httpAction `json:"httpGet"`
}

type httpAction struct {
	URL        string `json:"url,omitempty"`
	ClientCert string `json:"clientCert,omitempty"`
	ClientKey  string `json:"clientKey,omitempty"`
	CACert     string `json:"caCert,omitempty"`
}

// encode returns the plan as the Secret holds it. Equal plans have equal bytes, because the
// agent compares checksums.
func (p nodePlan) encode() (string, error) {
	b, err := json.Marshal(p)
	return string(b), err
}

func checksum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// restartStamp returns a hash of everything that makes RKE2 restart: the provision generation,
// the installer image and every file that is not dynamic. Source:
// rancher/rancher:pkg/capr/planner/config.go@v2.8.5 (restartStamp).
func restartStamp(p nodePlan, provisionGeneration int64, image string) string {
	h := sha256.New()
	h.Write([]byte(strconv.FormatInt(provisionGeneration, 10)))
	h.Write([]byte(image))
	for _, f := range p.Files {
		if !f.Dynamic {
			h.Write([]byte(f.Path))
			h.Write([]byte(f.Content))
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// stampOf returns the restart stamp in a plan's install instruction, or empty.
func stampOf(p *nodePlan) string {
	if p == nil {
		return ""
	}
	for _, i := range p.Instructions {
		for _, e := range i.Env {
			if v, ok := strings.CutPrefix(e, "RESTART_STAMP="); ok {
				return v
			}
		}
	}
	return ""
}

func installerImage(kubernetesVersion string) string {
	return "rancher/system-agent-installer-rke2:" + strings.ReplaceAll(kubernetesVersion, "+", "-")
}

func install(image string, onlyWorker bool, env string) instruction {
	i := instruction{Name: "install", Image: image, Command: "sh", Args: []string{"-c", "run.sh"}, Env: []string{env}}
	if onlyWorker {
		i.Env = append(i.Env, "INSTALL_RKE2_EXEC=agent")
	}
	return i
}

// snapshotInstruction saves an etcd snapshot. "save" is required from 1.26 on, and the lab has
// no older version. Source: rancher/rancher:pkg/capr/planner/etcdcreate.go@v2.8.5
// (generateEtcdSnapshotCreatePlan).
func snapshotInstruction() instruction {
	return instruction{Name: "create", Command: "rke2", Args: []string{"etcd-snapshot", "save"}}
}
