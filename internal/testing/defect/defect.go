// Package defect switches seeded defects on. Nothing imports it but the overlay that
// test/cmd/seeded builds, and tests that start a program with an environment of their own: no
// program has a defect that could be switched on. It is in the product's module, whose files
// the overlay replaces.
package defect

import "os"

// Variable names the one defect that is on.
const Variable = "AWSMIGRATE_DEFECT"

// On says whether a defect is.
func On(name string) bool { return os.Getenv(Variable) == name }
