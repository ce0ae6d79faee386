// Package choices turns what a ClusterMigration says into the choices of a run, as the flags
// of the command line would have them, with the Secrets that it may name. It reads those
// Secrets and nothing else.
package choices
