// Package aws is the lab's AWS. It serves enough of EC2, both load balancing APIs, IAM, STS,
// Auto Scaling and the instance metadata service for the in-tree provider of Kubernetes 1.26,
// aws-cloud-controller-manager v1.26 and v1.28, awsmigrate, and the commands in awsmigrate's
// fixes. All of them run unchanged. The state is kept in memory.
//
// One HTTP endpoint serves every API; the Version parameter of the query protocol distinguishes
// them. The path is /as/<caller>/, and every process gets its own, so that the record of calls
// names callers without trusting user agents. The principal is separate: it comes from the
// access key of the request's signature, and its role's policies decide whether the call is
// allowed. The same evaluation answers SimulatePrincipalPolicy.
//
// Real are: authorisation and its error forms, temporary credentials with their session token,
// throttling, paging with its limits, filters with their wildcards and limits, tags on every
// resource, references between security groups, load balancers and instances
// (DependencyViolation, ResourceInUse), the identity of load balancers (a name that is deleted
// and created again gets another DNS name), IMDSv1 and v2 with its hop limit.
//
// It omits verification of the signature itself and its expiry; policy resources, conditions,
// boundaries and session policies (a statement is about actions only); eventual consistency and
// deletion in the background (a write is visible at once, and a deleted load balancer frees its
// security group at once); connection draining; health checks (a running target is healthy);
// volumes and topology (always empty); application and gateway load balancers; certificates;
// more than one VPC, account, region or interface per instance; starting instances through EC2
// (the lab runs them through RunInstance). An unknown action gets InvalidAction and is
// recorded, never ignored.
//
// The package knows nothing of Kubernetes, Rancher or awsmigrate.
package aws
