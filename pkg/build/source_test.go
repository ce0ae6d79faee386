package build

import "testing"

func TestSource(t *testing.T) {
	for stamp, at := range map[Stamp]string{
		{Version: "v1.2.0", Commit: "abc"}:                                            "v1.2.0",
		{Version: "v0.1.0-rc.1"}:                                                      "v0.1.0-rc.1",
		{Version: "v1.2.1-0.20260102030405-0123456789ab", Commit: "0123"}:             "0123",
		{Version: "v1.2.1-0.20260102030405-0123456789ab+dirty", Commit: "0123+dirty"}: "main",
		{Version: "devel"}:                                                            "main",
	} {
		if got, want := stamp.Source("docs/rke.md"), "https://github.com/awsmigrate/awsmigrate/blob/"+at+"/docs/rke.md"; got != want {
			t.Errorf("%+v: %s, want %s", stamp, got, want)
		}
	}
}
