package charts_test

import (
	"encoding/xml"
	"errors"
	"io"
	"maps"
	"os"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart/loader"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
)

// Rancher's catalogue identifies the app by these marks, which match the chart.
func TestChart_catalogueMarks_matchRancher(t *testing.T) {
	ch := controllerChart(t)
	want := map[string]string{
		"auto-install": "awsmigrate-crd=match", "display-name": "AWS Cloud Provider Migration", "kube-version": ch.Metadata.KubeVersion,
		"namespace": home, "os": "linux", "permits-os": "linux,windows", "provides-gvr": "clustermigrations.awsmigrate.io/v1alpha1",
		"rancher-version": ">= 2.8.0-0", "release-name": controller, "scope": "management", "type": "cluster-tool", "upstream-version": ch.Metadata.AppVersion,
	}
	got := map[string]string{}
	for key, value := range ch.Metadata.Annotations {
		got[strings.TrimPrefix(key, "catalog.cattle.io/")] = value
	}
	if !maps.Equal(got, want) {
		t.Errorf("annotations %v, want %v", got, want)
	}
	if gvr := "clustermigrations." + v1alpha1.SchemeGroupVersion.String(); want["provides-gvr"] != gvr {
		t.Errorf("provides %s, the kind is %s", want["provides-gvr"], gvr)
	}
	definitions, err := loader.Load("awsmigrate-crd")
	if err != nil {
		t.Fatal(err)
	}
	if name := definitions.Metadata.Annotations["catalog.cattle.io/release-name"]; want["auto-install"] != name+"=match" {
		t.Errorf("installs %s, the definitions are in %s", want["auto-install"], name)
	}
	packaged := map[string]bool{}
	for _, file := range ch.Files {
		packaged[file.Name] = true
	}
	for _, name := range []string{"app-readme.md", "questions.yaml", "README.md", path.Base(ch.Metadata.Icon)} {
		if !packaged[name] {
			t.Errorf("the chart lacks %s", name)
		}
	}
}

// The icon is a picture that loads nothing and runs nothing.
func TestIcon_svg_isPlainPicture(t *testing.T) {
	text, err := os.Open("awsmigrate/icon.svg")
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	decoder := xml.NewDecoder(text)
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if element, is := token.(xml.StartElement); is && !slices.Contains([]string{"svg", "rect", "path"}, element.Name.Local) {
			t.Errorf("has a %s", element.Name.Local)
		}
	}
}

// form is the form of Rancher's UI
// (rancher/dashboard:shell/components/Questions/index.vue@03cea42).
type form struct {
	Questions []question `json:"questions"`
}

type question struct {
	Variable           string     `json:"variable"`
	Label              string     `json:"label"`
	Description        string     `json:"description"`
	Type               string     `json:"type"`
	Options            []string   `json:"options,omitempty"`
	Min                *float64   `json:"min,omitempty"`
	Max                *float64   `json:"max,omitempty"`
	Required           bool       `json:"required,omitempty"`
	Default            any        `json:"default"`
	Group              string     `json:"group,omitempty"`
	ShowSubquestionsIf any        `json:"show_subquestion_if,omitempty"`
	Subquestions       []question `json:"subquestions,omitempty"`
}

// The form asks for existing values, offers what their schema accepts, and does not change
// unanswered ones.
func TestQuestions_variables_existAsValues(t *testing.T) {
	ch := controllerChart(t)
	groups := map[string]bool{}
	var all []question
	for _, q := range readYAML[form](t, "awsmigrate/questions.yaml").Questions {
		groups[q.Group] = true
		all = append(append(all, q), q.Subquestions...)
		if (len(q.Subquestions) > 0) != (q.ShowSubquestionsIf == true) || len(q.Subquestions) > 0 && q.Type != "boolean" {
			t.Errorf("%s: subquestions shown if %v", q.Variable, q.ShowSubquestionsIf)
		}
	}
	if want := []string{"AWS", "General", "Limits", "Monitoring"}; !slices.Equal(slices.Sorted(maps.Keys(groups)), want) {
		t.Errorf("groups %v", groups)
	}
	asked := map[string]bool{}
	for _, q := range all {
		if asked[q.Variable] || q.Label == "" || q.Description == "" {
			t.Errorf("%+v", q)
		}
		asked[q.Variable] = true
		value, schema := valueAt(ch.Values, q.Variable), schemaOf(t, q.Variable)
		if value == nil || asJSON(t, value) != asJSON(t, q.Default) {
			t.Errorf("%s: default %v in the form, %v in values.yaml", q.Variable, q.Default, value)
		}
		if want := typesOf(schema); !slices.Contains(want, q.Type) {
			t.Errorf("%s: type %s, want one of %v", q.Variable, q.Type, want)
		}
		if q.Type == "enum" && !reflect.DeepEqual(asJSON(t, q.Options), asJSON(t, schema["enum"])) {
			t.Errorf("%s: offers %v of %v", q.Variable, q.Options, schema["enum"])
		}
		if q.Type == "int" && (asJSON(t, q.Min) != asJSON(t, schema["minimum"]) || asJSON(t, q.Max) != asJSON(t, schema["maximum"])) {
			t.Errorf("%s: %v to %v", q.Variable, q.Min, q.Max)
		}
	}
	for _, variable := range []string{"mode", "namespaces", "access.clusters", "maxConcurrent", "aws.mode", "serviceMonitor.enabled"} {
		if !asked[variable] {
			t.Errorf("the form does not ask for %s", variable)
		}
	}
}

// typesOf returns the types of a question that fit a schema.
func typesOf(schema map[string]any) []string {
	switch {
	case schema["enum"] != nil:
		return []string{"enum"}
	case schema["type"] == "array":
		return []string{"array[string]"}
	case schema["type"] == "integer":
		return []string{"int"}
	case schema["type"] == "boolean":
		return []string{"boolean"}
	}
	return []string{"string"}
}

// schemaOf returns the schema of one value.
func schemaOf(t *testing.T, variable string) map[string]any {
	t.Helper()
	text, err := os.ReadFile("awsmigrate/values.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	schema := parsed(t, string(text))
	for name := range strings.SplitSeq(variable, ".") {
		properties, _ := schema["properties"].(map[string]any)
		if schema, _ = properties[name].(map[string]any); schema == nil {
			t.Errorf("the schema has no %s", variable)
			return nil
		}
	}
	return schema
}

// The chart asks for a definition that has every field of this version.
func TestChart_definition_hasEveryField(t *testing.T) {
	helpers, err := os.ReadFile("awsmigrate/templates/_helpers.tpl")
	if err != nil {
		t.Fatal(err)
	}
	if want := `{{- define "awsmigrate.schema" -}}` + strconv.Itoa(v1alpha1.Schema) + `{{- end }}`; !strings.Contains(string(helpers), want) {
		t.Errorf("_helpers.tpl lacks %s", want)
	}
}
