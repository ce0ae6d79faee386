// Package session runs a migration from plain values. A target becomes clients, the clients
// become a procedure with journal and lock, and Run passes it to the engine. The command line,
// a Job and a controller call the same function.
//
// It takes no flag and reads no environment variable. Kubeconfig, AWS identity and user are
// values, so several runs in one process are independent. It knows no view and prints no next
// command.
package session
