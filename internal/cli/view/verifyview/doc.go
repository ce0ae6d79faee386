// Package verifyview prints the results of verify: the report of an audit in all formats, the changes during
// a watch, and the missing rights with what grants them.
//
// It takes results and answers. It runs no checks, asks for no rights, and knows no flags.
package verifyview
