// Package server has a test that needs a server and, in another file, one that does not.
package server

// Yes says so.
func Yes() bool { return true }
