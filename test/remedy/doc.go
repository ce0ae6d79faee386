// Package remedy follows the fixes of `awsmigrate verify` that are commands of
// aws and of helm: a sound cluster, one thing broken, the audit that names it,
// the command out of its finding run by a shell, and an audit in which nothing
// is wrong. Those of kubectl are followed in test/e2e.
//
// Real: kube-apiserver and etcd 1.26, the reading and judging of
// `awsmigrate verify --kubeconfig`, sh, Helm's own code behind helm's flags.
//
// Stood in for: AWS (test/lab/aws; it authorises every call, and whoever follows
// a fix may do no more than the fixes ask for); the aws command and helm's main program
// (package tool; AWSMIGRATE_AWS_CLI names a real AWS CLI to take instead: 1.45.11
// follows every fix).
//
// Left out: kubelets and controllers, so that the checks 1xx and 2xx, which judge
// processes, are not made; profiles and roles that were given to the audit and
// that its user has to give to the command too; more than one region.
package remedy
