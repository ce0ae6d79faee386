package main

import "github.com/awsmigrate/awsmigrate/internal/canvas"

// architecture is who talks to whom. It is drawn by hand: docs/air-gap.md and
// docs/permissions.md have the same in tables.
func architecture() []byte {
	c := newPicture(960, 500, "Who talks to whom in a migration",
		"The command line, a Job or the controller carry out the same run. It edits Rancher's Cluster object and keeps journal and lock beside it; "+
			"Rancher rolls the edit out to the machines. Through Rancher the run reaches the cluster itself, for the grant, the chart and the cordons, and reads leases, pods and Nodes. "+
			"The cloud controllers call AWS; the run reads EC2 and IAM if it may.")
	c.whoStarts()
	c.management()
	c.downstream()
	c.aws()
	c.flows()
	c.Lines(20, 468, 17, "small dim",
		"RKE by a cluster.yml has no Rancher: the run edits the file and starts “rke up”, which reaches the hosts by SSH;",
		"journal and lock are then in the cluster itself.")
	return c.SVG()
}

func (c picture) whoStarts() {
	c.Text(20, 34, "bold", "Who starts a run")
	c.Box(20, 48, 250, 286, "box")
	for i, row := range [][2]string{{"You, or CI", "awsmigrate rke2"}, {"A Job", "awsmigrate job"}, {"The controller", "kind: ClusterMigration"}} {
		y := 60 + i*72
		c.Box(32, y, 226, 60, "inner")
		c.Text(44, y+25, "bold", row[0])
		c.Text(44, y+46, "code dim", row[1])
	}
	c.Lines(34, 296, 18, "small dim", "One lock and one journal: each", "goes on where another stopped.")
}

func (c picture) management() {
	c.Text(380, 34, "bold", "Management cluster")
	c.Box(380, 48, 210, 198, "box")
	c.Text(394, 74, "bold", "Rancher")
	c.Box(392, 90, 186, 60, "inner")
	c.Text(404, 114, "", "Cluster object")
	c.Text(404, 134, "small dim", "what each machine runs")
	c.Box(392, 162, 186, 70, "inner")
	c.Text(404, 184, "code", "awsmigrate-prod")
	c.Text(404, 204, "small dim", "ConfigMap: the journal")
	c.Text(404, 221, "small dim", "Lease: the lock")
}

func (c picture) downstream() {
	c.Text(690, 34, "bold", "Downstream cluster")
	c.Box(690, 48, 250, 286, "box")
	c.Text(704, 74, "bold", "Control planes")
	c.Box(702, 88, 226, 40, "inner")
	c.Text(714, 113, "small bold kcm", "kube-controller-manager")
	c.Box(702, 164, 226, 40, "inner")
	c.Text(714, 189, "small bold ccm", "aws-cloud-controller-manager")
	c.Arrow("flow", canvas.At(722, 128), canvas.At(722, 164))
	c.Lines(736, 143, 14, "small dim", "hands over the controllers", "by the migration lease")
	c.Text(704, 236, "bold", "Nodes")
	c.Box(702, 248, 226, 74, "inner")
	c.Text(714, 272, "", "kubelets")
	c.Lines(714, 292, 17, "small dim", "in-tree → external;", "names, UIDs and pods stay")
}

func (c picture) aws() {
	c.Box(380, 392, 560, 50, "box")
	c.Text(396, 422, "bold", "AWS")
	c.Text(446, 422, "dim", "EC2, load balancers, IAM")
}

func (c picture) flows() {
	c.Arrow("on", canvas.At(270, 120), canvas.At(380, 120))
	c.Text(325, 110, "small on middle", "two edits")
	c.Arrow("on", canvas.At(270, 196), canvas.At(380, 196))
	c.Text(325, 186, "small on middle", "journal, lock")
	c.Arrow("flow", canvas.At(590, 120), canvas.At(690, 120))
	c.Lines(640, 96, 15, "small flow middle", "rolls, machine", "by machine")
	c.Arrow("on", canvas.At(270, 290), canvas.At(690, 290))
	c.Text(480, 280, "small on middle", "through Rancher: grant, chart, cordons;")
	c.Text(480, 308, "small on middle", "reads leases, pods, Nodes, Services")
	c.Arrow("flow", canvas.At(815, 334), canvas.At(815, 392))
	c.Text(804, 368, "small flow end", "load balancers, routes, instances")
	c.Arrow("on", canvas.At(145, 334), canvas.At(145, 417), canvas.At(380, 417))
	c.Text(262, 407, "small on middle", "reads EC2 and IAM, if it may")
}
