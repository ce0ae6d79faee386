// Package session makes a run of plain values: a target becomes clients, these a
// procedure with its journal and lock, and Run has the engine carry it out. The command
// line, a Job and a controller call the same function.
//
// It takes no flag and reads no variable of the environment: which kubeconfig is meant,
// whose AWS identity is used and who it is that runs are values, so that several runs in
// one process know nothing of one another. It knows no view and types no next command.
package session
