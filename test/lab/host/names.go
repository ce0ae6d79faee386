package host

import "strings"

// rootsFile holds certificate authorities. Go programs read it first.
const rootsFile = "/etc/ssl/certs/ca-certificates.crt"

// Region is the region of the lab's AWS.
const Region = "us-east-1"

// NamesOfAWS returns the host names of the services that a cloud provider calls. On hosts of RKE2
// they lead to the lab's AWS, so that no configuration of a cluster names it.
func NamesOfAWS() []string {
	return []string{"ec2." + Region + ".amazonaws.com", "elasticloadbalancing." + Region + ".amazonaws.com"}
}

func namesOfAWS() string {
	return "127.0.0.1 localhost\n" + Gateway + " " + strings.Join(NamesOfAWS(), " ") + "\n"
}
