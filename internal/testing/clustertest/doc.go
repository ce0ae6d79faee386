// Package clustertest makes clusters for the tests of a migration. For each position it offers
// a value (At), a fake API (Served) and backends with answers that the test sets. The comment
// of each fake lists its omissions.
package clustertest
