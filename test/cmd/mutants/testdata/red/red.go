// Package red has a test that fails without any mutant.
package red

// Yes says so.
func Yes() bool { return true }
