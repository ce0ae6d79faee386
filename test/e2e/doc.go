// Package e2e migrates the lab, end to end, as a person at a terminal would.
package e2e
