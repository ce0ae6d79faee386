package yamltext_test

import (
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile/yamltext"
)

// Text after a deletion must not join the block above it, and no text of the deleted block may
// remain as a comment.
func TestEdit_deletionNextToBlock_blockUnchanged(t *testing.T) {
	noAWS := yamltext.Delete("cloud_provider", "awsCloudProvider")
	noServices := yamltext.Delete("services")
	for _, c := range []struct {
		what          string
		change        yamltext.Change
		before, after string
	}{
		{
			"a deeper comment below, a block above", noAWS,
			"cloud_provider:\n  customCloudProvider: |\n    a\n  awsCloudProvider:\n    global: {}\n    # of global\n  name: aws\n",
			"cloud_provider:\n  customCloudProvider: |\n    a\n  name: aws\n",
		},
		{
			"a deeper comment below a blank line, a block above", noAWS,
			"cloud_provider:\n  customCloudProvider: |\n    a\n  awsCloudProvider:\n    global: {}\n\n    # of global\n  name: aws\n",
			"cloud_provider:\n  customCloudProvider: |\n    a\n  name: aws\n",
		},
		{
			"a deeper comment below, no block above", noAWS,
			"cloud_provider:\n  name: aws\n  awsCloudProvider:\n    global: {}\n    # of global\n",
			"cloud_provider:\n  name: aws\n    # of global\n",
		},
		{
			"a block above needs the last newline", noServices,
			"addons: |\n  a\nservices: ~", "addons: |\n  a\n",
		},
		{
			"a block above would keep the blank line", noServices,
			"addons: |+\n  a\nservices: {}\n\n# foot\n", "addons: |+\n  a\n# foot\n",
		},
		{
			"no newline at the end", noServices,
			"dns: {}\nservices: {}", "dns: {}",
		},
		{
			"the block's own blank lines", noAWS,
			"cloud_provider:\n  awsCloudProvider:\n    global:\n      zone: |+\n        a\n\n\n  name: aws\n",
			"cloud_provider:\n  name: aws\n",
		},
		{
			"blank lines that are not the block's", noAWS,
			"cloud_provider:\n  awsCloudProvider:\n    global:\n      zone: |\n        a\n\n  name: aws\n",
			"cloud_provider:\n\n  name: aws\n",
		},
		{
			"quoted text that ends like a comment", noAWS,
			"cloud_provider:\n  awsCloudProvider:\n    global:\n      zone: \"a\n  # b\"\n  # c\n  name: aws\n",
			"cloud_provider:\n  # c\n  name: aws\n",
		},
		{
			"a block with an indentation of its own", noAWS,
			"cloud_provider:\n  awsCloudProvider:\n    global:\n      zone: |1\n          a\n       # b\n  # c\n  name: aws\n",
			"cloud_provider:\n  # c\n  name: aws\n",
		},
		{
			"a mapping in braces over lines", noAWS,
			"cloud_provider: {\n  name: aws,\n  awsCloudProvider: {global: {vpc: it's}}\n}\n",
			"cloud_provider: {\n  name: aws\n}\n",
		},
		{
			"in the middle of braces", noAWS,
			"cloud_provider: {customCloudProvider: x, awsCloudProvider: {}, name: aws}\n",
			"cloud_provider: {customCloudProvider: x, name: aws}\n",
		},
		{
			"after an alias in braces", noAWS,
			"x: &a b\ncloud_provider: {customCloudProvider: *a, awsCloudProvider: {}}\n",
			"x: &a b\ncloud_provider: {customCloudProvider: *a}\n",
		},
		{
			"after an alias and a blank in braces", noAWS,
			"x: &a b\ncloud_provider: {customCloudProvider: *a , awsCloudProvider: {}}\n",
			"x: &a b\ncloud_provider: {customCloudProvider: *a }\n",
		},
		{
			"after quoted text over lines, in braces", noAWS,
			"cloud_provider: {name: aws, customCloudProvider: \"a\n  b\", awsCloudProvider: {}}\n",
			"cloud_provider: {name: aws, customCloudProvider: \"a\n  b\"}\n",
		},
		{
			"after plain text over lines, in braces", noAWS,
			"cloud_provider: {name: aws, customCloudProvider: a\n  b, awsCloudProvider: {}}\n",
			"cloud_provider: {name: aws, customCloudProvider: a\n  b}\n",
		},
		{"alone in braces", noAWS, "cloud_provider: { awsCloudProvider: {} } # c\n", "cloud_provider: {} # c\n"},
		{"alone, below an anchor", noAWS, "cloud_provider: &a # c\n  awsCloudProvider: {}\n", "cloud_provider: &a {} # c\n"},
		{
			"its own comment above", noAWS,
			"cloud_provider:\n  name: aws\n  # options\n  # of AWS\n  awsCloudProvider: {}\nx: 1\n",
			"cloud_provider:\n  name: aws\nx: 1\n",
		},
		{
			"its own comment above, and others further up", noAWS,
			"cloud_provider:\n  # who\n  name: aws\n  # rule\n\n # left of it\n  # options\n  awsCloudProvider: {}\n  # next\n  x: 1\n",
			"cloud_provider:\n  # who\n  name: aws\n  # rule\n\n # left of it\n  # next\n  x: 1\n",
		},
		{
			"its own comment, alone in the mapping", noAWS,
			"cloud_provider:\n  # options\n  awsCloudProvider:\n    global: {}\nx: 1\n",
			"cloud_provider: {}\nx: 1\n",
		},
		{
			"quoted text above that looks like its comment", noAWS,
			"cloud_provider:\n  customCloudProvider: \"a\n  # b\"\n  awsCloudProvider: {}\n",
			"cloud_provider:\n  customCloudProvider: \"a\n  # b\"\n",
		},
		{
			"its own comment in braces over lines", noAWS,
			"cloud_provider: {\n  name: aws, # who\n  # options\n  awsCloudProvider: {}\n}\n",
			"cloud_provider: {\n  name: aws # who\n}\n",
		},
		{
			"its own comment in the middle of braces", noAWS,
			"cloud_provider: {\n  # options\n  awsCloudProvider: {},\n  # who\n  name: aws\n}\n",
			"cloud_provider: {\n  # who\n  name: aws\n}\n",
		},
		{
			"a comment above a mapping that an edit had made", yamltext.Delete(flagPath()...).Pruning(yamltext.Made{Created: [][]string{{"services"}, {"services", "kube-controller"}, {"services", "kube-controller", "extra_args"}}}),
			"x: 1\n# the end\nservices:\n  kube-controller:\n    extra_args:\n      enable-leader-migration: \"true\"\n",
			"x: 1\n# the end\n",
		},
		{"not there", noAWS, "cloud_provider: {name: aws}\n", "cloud_provider: {name: aws}\n"},
		{"nothing above it either", noAWS, "dns: {}\n", "dns: {}\n"},
	} {
		e := edit(t, []byte(c.before), c.change)
		same(t, c.what, e.After, []byte(c.after))
		holds(t, e)
	}
}

func TestEdit_quotedValue_keepsQuotes(t *testing.T) {
	ingress := func(v string, s yamltext.Style) yamltext.Change {
		return yamltext.Set(v, s, "ingress", "dns_policy")
	}
	for _, c := range []struct {
		change        yamltext.Change
		before, after string
	}{
		{ingress("true", yamltext.Quoted), "false", `"true"`},
		{ingress("true", yamltext.Quoted), "'false'", "'true'"},
		{ingress("true", yamltext.Quoted), `"false"`, `"true"`},
		{ingress("true", yamltext.Quoted), "true", "true"},
		{ingress("true", yamltext.Plain), "'false'", "true"},
		{ingress("true", yamltext.Plain), `"true"`, "true"},
		{ingress("false", yamltext.Plain), "no", "no"},
		{ingress("false", yamltext.Plain), "yes", "false"},
		{ingress("x-1", yamltext.Plain), "'it''s'", "'x-1'"},
		{ingress("x-1", yamltext.Plain), `"a\"b"`, `"x-1"`},
		{ingress("it's", yamltext.Quoted), "'b'", "'it''s'"},
		{ingress("a\tb", yamltext.Quoted), "'b'", `"a\tb"`},
		{ingress("\"\\\u0001\u00ff\u2028\U0001F600\u00a0", yamltext.Quoted), "b", `"\"\\\x01ÿ\u2028😀\xA0"`},
		{ingress("x", yamltext.Plain), "|-\n    text\n    # more", "x"},
		{ingress("x", yamltext.Plain), "null", "x"},
		{ingress("x", yamltext.Plain), "~ # c", "x # c"},
	} {
		e := edit(t, []byte("ingress:\n  dns_policy: "+c.before+"\n  provider: nginx\n"), c.change)
		same(t, c.before, e.After, []byte("ingress:\n  dns_policy: "+c.after+"\n  provider: nginx\n"))
		holds(t, e)
	}
}
