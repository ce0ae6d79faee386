// Package awschecks holds the checks 4xx: Nodes compared with their EC2 instances, tags,
// networks, the metadata service, and the permissions of the control plane's role.
//
// Their cases are in the tables of package checks, which demands one for every ID.
package awschecks
