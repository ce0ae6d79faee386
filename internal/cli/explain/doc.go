// Package explain has the command that explains a step, a check, a position or the reason of an
// error, from the pages of this version.
package explain
