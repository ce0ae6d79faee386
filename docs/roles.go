package docs

import _ "embed" // for the files below

// ReadOnlyRoles holds manifests of the roles that `verify`, `list` and `record` need.
//
//go:embed clusterrole-readonly.yaml
var ReadOnlyRoles string
