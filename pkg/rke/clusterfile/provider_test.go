package clusterfile

import "testing"

func TestResolved(t *testing.T) {
	aws := &AWSCloudProvider{}
	for name, tt := range map[string]struct {
		c    CloudProvider
		want string
	}{
		"none":                       {CloudProvider{}, ""},
		"aws":                        {CloudProvider{Name: "aws"}, "aws"},
		"its options alone":          {CloudProvider{AWS: aws}, "aws"},
		"its options, another name":  {CloudProvider{Name: "external-aws", AWS: aws}, "aws"},
		"options of Azure besides":   {CloudProvider{Name: "aws", AWS: aws, Blocks: []string{"azure"}}, "aws"},
		"of Azure alone":             {CloudProvider{Blocks: []string{"azure"}}, "azure"},
		"of Azure, another name":     {CloudProvider{Name: "x", Blocks: []string{"azure"}}, "x"},
		"of two, the last one":       {CloudProvider{Blocks: []string{"azure", "vsphere"}}, "vsphere"},
		"named, and no options":      {CloudProvider{Name: "azure", AWS: aws}, "azure"},
		"openstack, and no options":  {CloudProvider{Name: "openstack", AWS: aws}, "openstack"},
		"vsphere, and no options":    {CloudProvider{Name: "vsphere", AWS: aws}, "vsphere"},
		"harvester by its name":      {CloudProvider{Name: "harvester"}, "external"},
		"harvester by its options":   {CloudProvider{Name: "x", Blocks: []string{"harvester"}}, "external"},
		"harvester before another":   {CloudProvider{Blocks: []string{"harvester", "azure"}}, "azure"},
		"custom text keeps the name": {CloudProvider{Name: "x", Custom: "text", AWS: aws}, "x"},
	} {
		if got := tt.c.Resolved(); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// The keys that a migration depends on must be filled in; rke handles the others.
func TestParse_placeholders(t *testing.T) {
	for text, refused := range map[string]bool{
		"kubernetes_version: '{{ version }}'\n":                          true,
		"cluster_name: '{{ name }}'\n":                                   false,
		"cloud_provider: {name: '${PROVIDER}'}\n":                        true,
		"cloud_provider: {useInstanceMetadataHostname: <bool>}\n":        true,
		"cloud_provider: {customCloudProvider: '{{ x }}'}\n":             false,
		"nodes:\n- {address: '%host%', user: u}\n":                       true,
		"nodes:\n- {internal_address: $HOST, user: u}\n":                 true,
		"nodes:\n- {hostname_override: '@@name@@', user: u}\n":           true,
		"nodes:\n- {address: a, role: ['__role__']}\n":                   true,
		"nodes:\n- {address: a, user: '{{ user }}'}\n":                   false,
		"services: {kubelet: {extra_args: {name: '{{ x }}'}}}\n":         false,
		"services: {kube-api: {name: '<%= x %>', address: '{% x %}'}}\n": false,
	} {
		if _, err := Parse("cluster.yml", []byte(text)); (err != nil) != refused {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// People find the backup next to its file by the first characters of its digest.
func TestBackupPath(t *testing.T) {
	for digest, want := range map[string]string{"0123456789abcdef": "dir/cluster.yml.awsmigrate-0123456789ab.bak", "0123456789ab": "dir/cluster.yml.awsmigrate-0123456789ab.bak", "01": "dir/cluster.yml.awsmigrate-01.bak"} {
		if got := BackupPath("dir/cluster.yml", digest); got != want {
			t.Errorf("%s: %s", digest, got)
		}
	}
}
