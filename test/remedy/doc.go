// Package remedy follows the fixes of `awsmigrate verify` that are commands of aws and helm. It
// breaks one thing in a sound cluster, audits it, runs the command of the finding in a shell, and
// audits again without findings. Fixes by kubectl are tested in test/e2e.
//
// Real: kube-apiserver and etcd 1.26, the reading and judging of `awsmigrate verify --kubeconfig`,
// sh, Helm's own code behind helm's flags.
//
// Replaced: AWS by test/lab/aws, which authorises every call; the user who follows a fix has only
// the permissions that the fixes name. Package tool replaces the aws command and helm's main
// program. AWSMIGRATE_AWS_CLI names a real AWS CLI to use instead: 1.45.11 follows every fix.
//
// Missing: kubelets and controllers, so the checks 1xx and 2xx, which judge processes, do not run.
// Also missing: profiles and roles of the audit, which its user must also give to the command, and
// more than one region.
package remedy
