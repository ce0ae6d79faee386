// Package rollouts has the commands about MigrationRollouts. They show, approve, pause and retry;
// the controller decides which cluster begins.
package rollouts
