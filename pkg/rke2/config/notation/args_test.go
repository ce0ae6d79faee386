package notation

import "testing"

func TestFlagName_blanks_around_an_argument(t *testing.T) {
	for arg, want := range map[string][2]string{
		"enable-leader-migration ":          {"enable-leader-migration", "true"},
		" cloud-provider=external":          {"cloud-provider", "external"},
		"cloud-provider=external\n":         {"cloud-provider", "external"},
		"\t--cloud_provider=aws \r\n":       {"cloud-provider", "aws"},
		"\u00a0cloud-provider=aws\u00a0":    {"cloud-provider", "aws"},
		"cloud-provider= external":          {"cloud-provider", " external"}, // an inner blank reaches the component
		"cloud-provider =external":          {"cloud-provider ", "external"},
		"feature-gates=A=true, B=false":     {"feature-gates", "A=true, B=false"},
		"enable-leader-migration=false\n\n": {"enable-leader-migration", "false"},
	} {
		if got := [2]string{FlagName(arg), FlagValue(arg)}; got != want {
			t.Errorf("%q: %q, want %q", arg, got, want)
		}
	}
}

func TestLast_blanks_around_an_argument(t *testing.T) {
	args := []string{"cloud-provider=aws", " cloud-provider=external\n", "enable-leader-migration\t"}
	if got, set := Last(args, "cloud-provider"); got != "external" || !set {
		t.Errorf("%q, %t", got, set)
	}
	if got, set := Last([]string{"cloud-provider=aws", " cloud-provider-=external"}, "cloud-provider"); got != "aws" || !set {
		t.Errorf("prepended: %q, %t", got, set)
	}
	if !On(args, "enable-leader-migration") {
		t.Error("the flag is off")
	}
}

func TestIsTrue(t *testing.T) {
	for text, want := range map[string]bool{"true": true, " true\n": true, "T": true, "false ": false, "": false, " ": false, "yes": false} {
		if got := IsTrue(text); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}
