package yamltext_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile/yamltext"
)

// migrationEdits returns every edit that a migration needs.
func migrationEdits() [][]yamltext.Change {
	created := yamltext.Made{Created: [][]string{{"services"}, {"services", "kube-controller"}, {"services", "kube-controller", "extra_args"}}}
	return [][]yamltext.Change{
		{enable()},
		switchTo(yamltext.Made{}),
		switchTo(created),
		append([]yamltext.Change{enable()}, switchTo(created)...),
		{yamltext.Delete("cloud_provider", "awsCloudProvider")},
		{yamltext.Delete(flagPath()...)},
		{yamltext.Delete(flagPath()...).Pruning(created)},
		{yamltext.Set("v1.27.16-rancher1-1", yamltext.Plain, "kubernetes_version")},
		{yamltext.Set("aws", yamltext.Plain, "cloud_provider", "name"), yamltext.Set("false", yamltext.Plain, "cloud_provider", "useInstanceMetadataHostname")},
		{yamltext.Set("[Global]\nZone=eu-west-1a\n\n# end\n", yamltext.Literal, "cloud_provider", "customCloudProvider")},
		{yamltext.Set("a \"quoted\"\ttext\\ é\n", yamltext.Quoted, "cloud_provider", "customCloudProvider")},
		{yamltext.Delete("services", "kube-controller", "extra_args"), yamltext.Delete("cloud_provider")},
	}
}

func FuzzEdit(f *testing.F) {
	for n, g := range goldens(f) {
		for i := range migrationEdits() {
			if (n+i)%3 == 0 {
				f.Add(g.before, uint8(i))
			}
		}
		f.Add(g.flagged, uint8(2))
		f.Add(g.switched, uint8(8))
	}
	for _, odd := range []string{
		"services:\n  kube-controller:\n    extra_args: {v: 2,\n      # c\n      w: 3 # d\n    }\n",
		"cloud_provider: {name: aws, awsCloudProvider: {global: {vpc: it's, zone: 'a''b'}}, }\n",
		"? services\n: {}\n", "services: &a\n  kube-controller: {}\nx: *a\n",
		"cloud_provider:\n  awsCloudProvider: !!map\n    global: {}\n  name: |-\n    aws\n",
		"cloud_provider:\n  name: aws # \"\n  customCloudProvider: >2+\n     a\n\n    # b\n\nx: y",
		"\ufeff---\r\n  services:\r\n  cloud_provider: ~ # x\r\n  ...\r\n",
		"services:\u2028  kube-controller:\u2028    extra_args: {}\u2028",
		"cloud_provider:\n  awsCloudProvider:\n    global:\n      zone: \"a\n  # b\"\n# c\n",
		"cloud_provider: { name: aws # c\n, useInstanceMetadataHostname: off }\n",
		"cloud_provider:\n  name: aws\nkubernetes_version: v1.26.9-rancher1-1\n",
		"cloud_provider: {\n  name: aws,   # the name\n  awsCloudProvider: {}\n}\n",
		"kubernetes_version: v1.26.9-rancher1-1\ncloud_provider: {name: aws}\n",
	} {
		for i := range migrationEdits() {
			f.Add([]byte(odd), uint8(i))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, order uint8) {
		changes := migrationEdits()[int(order)%len(migrationEdits())]
		file, err := yamltext.Parse("x.yml", text, reader())
		if err != nil {
			isRefusal(t, err)
			return
		}
		e, err := file.Edit(changes...)
		if err != nil {
			isRefusal(t, err)
			return
		}
		holds(t, e)
		undoWithLaterLines(t, e)
		editWithComments(t, e)
	})
}

func isRefusal(t *testing.T, err error) {
	t.Helper()
	bad, ok := fault.As(err)
	if !ok || bad.Class != fault.Usage || bad.Seen == "" || !strings.HasPrefix(bad.Object, "x.yml") {
		t.Errorf("no refusal: %#v", err)
	}
}

// editWithComments puts a comment after a comma, where it has no meaning. Editable text must
// remain editable.
func editWithComments(t *testing.T, e yamltext.Edit) {
	t.Helper()
	const maxTries = 4
	for at, tried := 0, 0; tried < maxTries; tried++ {
		next := bytes.IndexByte(e.Before[at:], ',')
		if next < 0 {
			return
		}
		at += next + 1
		text := slices.Concat(e.Before[:at], []byte(" # c, {\n   "), e.Before[at:])
		f, err := yamltext.Parse("x.yml", text, reader())
		if err != nil || !meansTheSame(t, e.Before, text) {
			continue
		}
		commented, err := f.Edit(e.Changes...)
		if err != nil {
			t.Errorf("refused with a comment: %v\n%s", err, text)
			continue
		}
		holds(t, commented)
	}
}

// undoWithLaterLines undoes an edit in a file to which another writer has added comments above
// or below. The result must be that file without the edit. Undo may refuse only if the lines
// occur twice.
func undoWithLaterLines(t *testing.T, e yamltext.Edit) {
	t.Helper()
	const later = "# added later\n# and more\n# and more yet\n# and enough\n"
	if e.Empty() || bytes.HasPrefix(e.After, []byte("\ufeff")) || bytes.HasPrefix(e.After, []byte("%")) {
		return
	}
	undoBetween(t, e, []byte(later), nil)
	if bytes.HasSuffix(e.After, []byte("\n")) && bytes.HasSuffix(e.Before, []byte("\n")) {
		undoBetween(t, e, nil, []byte(later))
	}
}

func undoBetween(t *testing.T, e yamltext.Edit, above, below []byte) {
	t.Helper()
	around := func(text []byte) []byte { return slices.Concat(above, text, below) }
	f, err := yamltext.Parse("x.yml", around(e.After), reader())
	if err != nil {
		return
	}
	back, err := f.Undo(e.Receipt(), e.Before)
	if err != nil {
		isRefusal(t, err)
		if !strings.Contains(err.Error(), "are here and at line") && meansTheSame(t, e.After, around(e.After)) && meansTheSame(t, e.Before, around(e.Before)) {
			t.Errorf("refused with comments: %v\n%s", err, around(e.After))
		}
		return
	}
	same(t, "undone with comments", back.After, around(e.Before))
}

// meansTheSame compares texts without their comments. Text of a block is no comment.
func meansTheSame(t *testing.T, a, b []byte) bool {
	t.Helper()
	return fmt.Sprintf("%#v", meaning(t, a)) == fmt.Sprintf("%#v", meaning(t, b))
}
