// Package rollout decides which cluster of a MigrationRollout begins next, and whether a cluster
// that belongs to one may begin its next block of steps.
//
// It is a function from a rollout and its members to a decision. It takes no client and reads no
// clock. It keeps no state either: a Mark on each ClusterMigration says which rollout set its goal,
// and when its turn began. Everything else is derived from the members as they are now, so a wave
// stands for exactly as long as its clusters have failed.
package rollout
