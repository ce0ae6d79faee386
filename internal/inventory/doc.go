// Package inventory describes every cluster of one Rancher in one row: its distribution, its
// position on the way from the in-tree AWS provider, the owner of its configuration, and what
// stops it or comes next. Of makes a row from facts; machines read the rows.
//
// The package takes no client: package look reads the facts. It knows no command and no view, and
// makes no checks. Obstacles that a row does not show are found by plan.
package inventory
