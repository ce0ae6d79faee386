// Package view renders what commands print for people and machines: documents, a plan and the question
// whether to carry it out, a status, a list, an explanation, and errors with their exit codes. The views of
// a run and of verify have their own packages below it.
//
// It takes values and writers. It knows no flags, clients or distributions, asks no questions itself, and
// decides nothing about a cluster. The wording of a text never decides what is shown.
package view
