// Package choices turns a ClusterMigration into the choices of a run, as flags of the command
// line would, including the Secrets that it may name. It reads those Secrets and nothing else.
package choices
