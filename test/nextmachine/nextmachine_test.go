package nextmachine

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/rke2checks"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/test/lab/aws"
)

// rancherID is Rancher's ID of the cluster.
const rancherID = "c-m-9"

// pool is a machine pool with its template, and the cluster around it.
type pool struct {
	end, release string
	cluster      string // ID that the CCM works for
	account      string // tokens of the metadata service, if the template leaves them to EC2
	configured   bool   // the cloud config has that ID
	controlPlane bool
	fields       map[string]any // of the Amazonec2Config
}

func (p pool) object() map[string]any {
	object := map[string]any{"apiVersion": "rke-machine-config.cattle.io/v1", "kind": "Amazonec2Config", "metadata": map[string]any{"namespace": "fleet-default", "name": "nc-demo-pool"}}
	for key, value := range p.fields {
		object[key] = value
	}
	return object
}

const (
	byIMDSv1 = "hostnamectl set-hostname $(curl -s http://169.254.169.254/latest/meta-data/local-hostname)"
	byIMDSv2 = "T=$(curl -s -X PUT -H 'X-aws-ec2-metadata-token-ttl-seconds: 60' http://169.254.169.254/latest/api/token)\n" +
		"hostnamectl set-hostname $(curl -s -H \"X-aws-ec2-metadata-token: $T\" http://169.254.169.254/latest/meta-data/local-hostname)"
)

func userData() []string {
	return []string{
		"", "", "", "", "", "", "#cloud-config\n", "#cloud-config\npackages: [jq]\n", "#cloud-config\npackages: [curl]\n", "#cloud-config\nhostname: worker\n", "#cloud-config\nhostname: Worker.example.com\n",
		"#cloud-config\nruncmd:\n- " + byIMDSv1 + "\n", "#cloud-config\nruncmd:\n- [hostnamectl, set-hostname, web]\n", "#!/bin/sh\n" + byIMDSv2 + "\n",
		"#!/bin/sh\n" + byIMDSv1 + "\n", "#!/bin/sh\napt-get update\n", "apt-get update\n", "#cloud-config\nruncmd: reboot\n", "#cloud-config\nwrite_files: {}\n",
		"#cloud-config\n- a\n", "#cloud-config\nhostname: 7\n", "## template: jinja\n#cloud-config\n",
	}
}

func tagWords() []string {
	return []string{
		"team,a", "env,b", "site,c", "owner,d", "kubernetes.io/cluster/prod,owned", "kubernetes.io/cluster/prod,shared", "kubernetes.io/cluster/prod,owned",
		"kubernetes.io/cluster/c-m-9,owned", "KubernetesCluster,prod", "KubernetesCluster,c-m-9", "Name,web", "note,kubernetes.io/cluster/prod", "team", "",
	}
}

func newPool(r *rand.Rand) pool {
	pick := func(values ...string) string { return values[r.IntN(len(values))] }
	p := pool{end: pick("overrides", "external"), release: pick("v1.26.15+rke2r1", "v1.26.15+rke2r1", "v1.31.4+rke2r1"),
		cluster: pick("prod", rancherID), account: pick("optional", "required"), configured: r.IntN(4) == 0, controlPlane: r.IntN(2) == 0, fields: map[string]any{}}
	set := func(key string, values ...string) {
		if value := pick(values...); value != "" {
			p.fields[key] = value
		}
	}
	set("httpTokens", "", "optional", "optional", "required")
	set("httpEndpoint", "", "enabled", "enabled", "enabled", "disabled")
	set("iamInstanceProfile", "", aws.Profile(aws.RoleControlPlane), aws.Profile(aws.RoleControlPlane))
	set("zone", "", "", "a", "c")
	set("userdata", userData()...)
	var tags []string
	for range r.IntN(4) {
		tags = append(tags, pick(tagWords()...))
	}
	if len(tags) > 0 {
		p.fields["tags"] = strings.Join(tags, ",")
	}
	return p
}

// predict returns the findings of AWSM-316 about the pool, and its template as evidence.
func (p pool) predict(t *testing.T) ([]verify.Finding, evidence.MachineTemplate) {
	t.Helper()
	template := evidence.MachineTemplate{Pool: "pool", Object: "Amazonec2Config fleet-default/nc-demo-pool", ControlPlane: p.controlPlane}
	rke2checks.ParseTemplate(p.object(), rancherID, &template)
	var in rke2checks.Prepared
	in.Cluster.Spec.KubernetesVersion = p.release
	in.Choice.State = rke2checks.EndState(p.end)
	in.Next = rke2checks.NextMachines{Cluster: p.cluster, Configured: p.configured, Templates: verify.Got([]evidence.MachineTemplate{template})}
	for _, check := range rke2checks.All() {
		if check.ID == "AWSM-316" {
			return check.Judge(in), template
		}
	}
	t.Fatal("there is no AWSM-316")
	return nil, template
}

// The names that AWSM-316 predicts, as parts of its findings.
const (
	byEC2          = "EC2's private DNS name"
	unlessRequired = "unless its image or the account requires tokens"
	byRancher      = "its machine's name in Rancher"
	fixed          = "the host name of the user data"
	byUserData     = "user data may set"
)

// predictedName returns the predicted name of the Node in the findings. Without one it is EC2's.
func predictedName(found []verify.Finding) string {
	for _, name := range []string{unlessRequired, byRancher, fixed, byUserData} {
		if slices.ContainsFunc(found, func(f verify.Finding) bool { return strings.Contains(f.Seen, name) }) {
			return name
		}
	}
	return byEC2
}

// judge returns the disagreements of a prediction with the lab's machine.
func (p pool) judge(found []verify.Finding, template evidence.MachineTemplate, made outcome) []string {
	ok := !slices.ContainsFunc(found, func(f verify.Finding) bool { return f.Status != verify.OK })
	if made.refused != "" {
		if ok || len(found) != 1 || !strings.Contains(found[0].Seen, "creates no machine") {
			return []string{"the machine is refused"}
		}
		return nil
	}
	var wrong []string
	name := predictedName(found)
	if !slices.Equal(template.Clusters, made.clusters) {
		wrong = append(wrong, "tags")
	}
	if !p.named(name, made) {
		wrong = append(wrong, "name")
	}
	certain := name != byUserData && (name != unlessRequired || p.account == "optional")
	if certain && ok != made.initialized || ok && name == byUserData {
		wrong = append(wrong, "verdict")
	}
	return wrong
}

// The prediction for 200 random templates has the name, the tags and the verdict of the lab's
// machine. Windows is left out, because the lab has none.
func TestPrediction_agreesWithTheLab(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 16))
	seen := map[string]int{}
	for i := range 200 {
		p := newPool(r)
		found, template := p.predict(t)
		made := p.make(t)
		if wrong := p.judge(found, template, made); len(wrong) > 0 {
			t.Errorf("%d: %v: predicted %+v for clusters %v; the lab made %+v of %+v", i, wrong, found, template.Clusters, made, p)
		}
		switch {
		case made.refused != "":
			seen["refused"]++
		case made.initialized:
			seen["initialized"]++
			fallthrough
		default:
			seen[predictedName(found)]++
		}
	}
	t.Log(seen)
	if len(seen) != 7 {
		t.Errorf("some outcomes were never tried: %v", seen)
	}
}

// named reports whether the lab's Node has the predicted name.
func (p pool) named(predicted string, made outcome) bool {
	switch predicted {
	case byEC2: // other findings hide that the account may require tokens
		return made.node == made.dns || p.fields["httpTokens"] == nil && p.account == "required"
	case byRancher:
		return made.node == machineName
	case fixed:
		return made.node == "worker"
	case unlessRequired:
		return p.account == "required" || made.node == made.dns
	}
	return true
}
