package main

// architecture is who talks to whom. It is drawn by hand: docs/air-gap.md and
// docs/permissions.md have the same in tables.
func architecture() []byte {
	c := newCanvas(960, 500, "Who talks to whom in a migration",
		"The command line, a Job or the controller carry out the same run. It edits Rancher's Cluster object and keeps journal and lock beside it; "+
			"Rancher rolls the edit out to the machines. Through Rancher the run reaches the cluster itself, for the grant, the chart and the cordons, and reads leases, pods and Nodes. "+
			"The cloud controllers call AWS; the run reads EC2 and IAM if it may.")
	c.whoStarts()
	c.management()
	c.downstream()
	c.aws()
	c.flows()
	c.lines(20, 468, 17, "small dim",
		"RKE by a cluster.yml has no Rancher: the run edits the file and starts “rke up”, which reaches the hosts by SSH;",
		"journal and lock are then in the cluster itself.")
	return c.svg()
}

func (c *canvas) whoStarts() {
	c.text(20, 34, "bold", "Who starts a run")
	c.box(20, 48, 250, 286, "box")
	for i, row := range [][2]string{{"You, or CI", "awsmigrate rke2"}, {"A Job", "awsmigrate job"}, {"The controller", "kind: ClusterMigration"}} {
		y := 60 + i*72
		c.box(32, y, 226, 60, "inner")
		c.text(44, y+25, "bold", row[0])
		c.text(44, y+46, "code dim", row[1])
	}
	c.lines(34, 296, 18, "small dim", "One lock and one journal: each", "goes on where another stopped.")
}

func (c *canvas) management() {
	c.text(380, 34, "bold", "Management cluster")
	c.box(380, 48, 210, 198, "box")
	c.text(394, 74, "bold", "Rancher")
	c.box(392, 90, 186, 60, "inner")
	c.text(404, 114, "", "Cluster object")
	c.text(404, 134, "small dim", "what each machine runs")
	c.box(392, 162, 186, 70, "inner")
	c.text(404, 184, "code", "awsmigrate-prod")
	c.text(404, 204, "small dim", "ConfigMap: the journal")
	c.text(404, 221, "small dim", "Lease: the lock")
}

func (c *canvas) downstream() {
	c.text(690, 34, "bold", "Downstream cluster")
	c.box(690, 48, 250, 286, "box")
	c.text(704, 74, "bold", "Control planes")
	c.box(702, 88, 226, 40, "inner")
	c.text(714, 113, "small bold kcm", "kube-controller-manager")
	c.box(702, 164, 226, 40, "inner")
	c.text(714, 189, "small bold ccm", "aws-cloud-controller-manager")
	c.arrow("flow", point{722, 128}, point{722, 164})
	c.lines(736, 143, 14, "small dim", "hands over the controllers", "by the migration lease")
	c.text(704, 236, "bold", "Nodes")
	c.box(702, 248, 226, 74, "inner")
	c.text(714, 272, "", "kubelets")
	c.lines(714, 292, 17, "small dim", "in-tree → external;", "names, UIDs and pods stay")
}

func (c *canvas) aws() {
	c.box(380, 392, 560, 50, "box")
	c.text(396, 422, "bold", "AWS")
	c.text(446, 422, "dim", "EC2, load balancers, IAM")
}

func (c *canvas) flows() {
	c.arrow("on", point{270, 120}, point{380, 120})
	c.text(325, 110, "small on middle", "two edits")
	c.arrow("on", point{270, 196}, point{380, 196})
	c.text(325, 186, "small on middle", "journal, lock")
	c.arrow("flow", point{590, 120}, point{690, 120})
	c.lines(640, 96, 15, "small flow middle", "rolls, machine", "by machine")
	c.arrow("on", point{270, 290}, point{690, 290})
	c.text(480, 280, "small on middle", "through Rancher: grant, chart, cordons;")
	c.text(480, 308, "small on middle", "reads leases, pods, Nodes, Services")
	c.arrow("flow", point{815, 334}, point{815, 392})
	c.text(804, 368, "small flow end", "load balancers, routes, instances")
	c.arrow("on", point{145, 334}, point{145, 417}, point{380, 417})
	c.text(262, 407, "small on middle", "reads EC2 and IAM, if it may")
}
