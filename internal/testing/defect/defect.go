// Package defect enables seeded defects. Only two importers exist: the overlay of
// test/cmd/seeded, and tests that start a program with their own environment. No released
// program therefore contains a defect. The package is in the product's module because the
// overlay replaces files of that module.
package defect

import "os"

// Variable is the environment variable that names the enabled defect.
const Variable = "AWSMIGRATE_DEFECT"

// On reports whether a defect is enabled.
func On(name string) bool { return os.Getenv(Variable) == name }
