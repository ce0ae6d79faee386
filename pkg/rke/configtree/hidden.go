package configtree

import "strings"

// NotShown replaces a value that may be secret or is long.
const NotShown = "(not shown)"

// Hidden reports whether the values below a path may be secret.
func Hidden(path string) bool {
	lower := strings.ToLower(path)
	for _, word := range []string{
		"password", "secret", "token", "_key", "-key", "etcd.key", "credential", "custom_config", "customcloudprovider",
		"config_file", "addons", "extra_env", "custom_ca", "ca_cert", "etcd.cert",
	} {
		if strings.Contains(lower, word) {
			return true
		}
	}
	return false
}
