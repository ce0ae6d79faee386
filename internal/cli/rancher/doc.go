// Package rancher has the commands about all clusters of one Rancher: list shows them, controller
// carries out their ClusterMigrations, and approve approves the plan of one.
package rancher
