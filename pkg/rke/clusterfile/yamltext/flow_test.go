package yamltext_test

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile/yamltext"
)

// Comments may be anywhere in braces. The test puts one into each place and compares the
// meaning of the file.
func TestEdit_bracesWithComments_sameMeaning(t *testing.T) {
	const places = "cloud_provider: {@1\n  name: aws@2,@3\n@4  awsCloudProvider: {@5}@6\n@7}@8\nnodes: []\n"
	forms := []string{
		places,
		strings.Replace(places, "@6\n", "@6,@9\n", 1),
		strings.Replace(places, "name: aws@2,@3\n@4  awsCloudProvider: {@5}", "awsCloudProvider: {@5}@2,@3\n@4  name: aws", 1),
		strings.Replace(places, "  name: aws@2,@3\n@4  awsCloudProvider: {@5}", "  name: aws@2,@3\n@4  awsCloudProvider: {global: {@5 vpc: 'it''s'},}", 1),
		strings.Replace(places, "  name: aws@2,@3\n@4  ", "  name: \"aws\"@2\n  ,@3\n@4  ", 1),
		strings.Replace(places, "{@1\n  name: aws@2,@3\n@4  aws", "{@1 name: aws@2, aws", 1),
		"services: {kube-controller: {@1\n  extra_args: {v: '2'@2,@3\n@4   enable-leader-migration: 'true'@5\n@6 },@7\n } }\n" + places,
	}
	for _, form := range forms {
		for place := '0'; place <= '9'; place++ {
			for _, comment := range []string{" # c, {x: y", "   # it's\n  ", "\n# c}\n\n  "} {
				for _, eol := range []string{"\n", "\r\n"} {
					text := strings.ReplaceAll(withComment(form, place, comment), "\n", eol)
					f, err := yamltext.Parse("x.yml", []byte(text), reader())
					if err != nil {
						continue // a comment is not valid YAML there
					}
					e, err := f.Edit(switchTo(yamltext.Made{})...)
					if err != nil {
						t.Errorf("%v\n%s", err, text)
						continue
					}
					holds(t, e)
				}
			}
		}
	}
}

// withComment puts a comment at the mark of one place and removes the other marks. A comment
// ends its line.
func withComment(form string, place rune, comment string) string {
	var b strings.Builder
	for i := 0; i < len(form); i++ {
		switch {
		case form[i] != '@':
			b.WriteByte(form[i])
		case rune(form[i+1]) == place:
			b.WriteString(comment)
			if form[i+2] != '\n' && !strings.HasSuffix(comment, "  ") {
				b.WriteString("\n  ")
			}
			i++
		default:
			i++
		}
	}
	return b.String()
}

func TestEdit_bracesEntryAfterComment(t *testing.T) {
	e := edit(t, []byte("cloud_provider: {\n  name: aws,   # the name\n  awsCloudProvider: {}\n}\n"), yamltext.Delete("cloud_provider", "awsCloudProvider"))
	same(t, "edited", e.After, []byte("cloud_provider: {\n  name: aws   # the name\n}\n"))
}
