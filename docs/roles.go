package docs

import _ "embed" // for the files below

// ReadOnlyRoles are the roles that suffice for `verify`, `list` and `record`: manifests,
// as somebody applies them.
//
//go:embed clusterrole-readonly.yaml
var ReadOnlyRoles string
