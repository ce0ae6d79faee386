package aws

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Configured credentials that do not work are an error. AWS is skipped only if nothing is configured.
func TestRead_brokenCredentials_error(t *testing.T) {
	for name, tc := range map[string]struct {
		env    map[string]string
		config string
		off    bool
	}{
		"nothing":                       {off: true},
		"only a region":                 {env: map[string]string{"AWS_REGION": "eu-west-1"}, off: true},
		"another profile alone":         {config: "[profile other]\nregion = eu-west-1\n", off: true},
		"a profile that is not there":   {env: map[string]string{"AWS_PROFILE": "nope"}},
		"a key without secret":          {env: map[string]string{"AWS_ACCESS_KEY_ID": "AKIDTEST"}},
		"a secret without key":          {env: map[string]string{"AWS_SECRET_ACCESS_KEY": "x"}},
		"a token file that is missing":  {env: map[string]string{"AWS_WEB_IDENTITY_TOKEN_FILE": "/nonexistent", "AWS_ROLE_ARN": "arn:aws:iam::1:role/a"}},
		"a token file without role":     {env: map[string]string{"AWS_WEB_IDENTITY_TOKEN_FILE": "/nonexistent"}},
		"a container without endpoint":  {env: map[string]string{"AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://127.0.0.1:1/"}},
		"a process that fails":          {config: "[default]\ncredential_process = /bin/false\n"},
		"a process, by profile":         {config: "[profile p]\ncredential_process = /bin/false\n", env: map[string]string{"AWS_PROFILE": "p"}},
		"SSO without a login":           {config: "[profile sso]\nsso_start_url = https://x.awsapps.com/start\nsso_region = us-east-1\nsso_account_id = 1\nsso_role_name = r\n", env: map[string]string{"AWS_PROFILE": "sso"}},
		"SSO by session":                {config: "[default]\nsso_session = s\nsso_account_id = 1\nsso_role_name = r\n[sso-session s]\nsso_start_url = https://x.awsapps.com/start\nsso_region = us-east-1\n"},
		"a default profile of nothing":  {config: "[default]\nregion = eu-west-1\n"},
		"half a default profile":        {config: "[default]\naws_access_key_id = AKIDTEST\n"},
		"a config file that is missing": {env: map[string]string{"AWS_CONFIG_FILE": "/nonexistent"}},
	} {
		t.Run(name, func(t *testing.T) {
			serve(t, &fake{})
			t.Setenv("HOME", t.TempDir())
			t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
			for _, name := range credentialVariables {
				t.Setenv(name, "")
			}
			if tc.config != "" {
				file := filepath.Join(t.TempDir(), "config")
				if err := os.WriteFile(file, []byte(tc.config), 0o600); err != nil {
					t.Fatal(err)
				}
				t.Setenv("AWS_CONFIG_FILE", file)
			}
			for k, v := range tc.env {
				t.Setenv(k, v)
			}
			nodes, _ := many(1, "us-east-1", "")
			got := Read(t.Context(), nodes, Options{Identity: ofProcess(), Mode: Auto})
			if tc.off {
				if got.On || !strings.Contains(got.Off, "no AWS credentials") {
					t.Errorf("%+v, want that AWS is left out", got)
				}
				return
			}
			if !got.On || got.Instances.OK() || got.Instances.Err == nil || !strings.Contains(got.Instances.Err.Error(), "do not work") {
				t.Errorf("taken for nothing configured: %+v", got)
			}
		})
	}
}
