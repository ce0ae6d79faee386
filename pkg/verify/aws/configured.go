package aws

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/aws/aws-sdk-go-v2/config"
)

// credentialVariables are the environment variables that configure credentials
// (aws/aws-sdk-go-v2:config/env_config.go@v1.31). A region is not among them.
var credentialVariables = []string{
	"AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_ACCESS_KEY", "AWS_SECRET_ACCESS_KEY", "AWS_SECRET_KEY", "AWS_SESSION_TOKEN",
	"AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_ROLE_ARN", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI",
}

// configured returns where credentials are configured, whether or not they work. Only if it
// returns "" may AWS be skipped silently.
func configured(ctx context.Context, o Options) string {
	switch {
	case o.Profile != "":
		return "--profile " + o.Profile
	case o.AssumeRole != "":
		return "--assume-role " + o.AssumeRole
	case o.Identity.Keys.ID != "":
		return o.Identity.Keys.String()
	case o.Identity.Process == nil:
		return ""
	}
	env := o.Identity.Process
	for _, name := range credentialVariables {
		if env(name) != "" {
			return name
		}
	}
	for _, name := range []string{"AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"} {
		if path := env(name); path != "" && !isReadable(path) {
			return name
		}
	}
	if hasDefaultProfile(ctx, env) {
		return "the default profile"
	}
	return ""
}

func isReadable(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	_ = file.Close() // nothing was written
	return true
}

// hasDefaultProfile reports whether the shared files have a default profile. An existing file that
// cannot be read counts as having one.
func hasDefaultProfile(ctx context.Context, env func(string) string) bool {
	_, err := config.LoadSharedConfigProfile(ctx, "default", func(o *config.LoadSharedConfigOptions) {
		o.ConfigFiles = []string{cmp.Or(env("AWS_CONFIG_FILE"), config.DefaultSharedConfigFilename())}
		o.CredentialsFiles = []string{cmp.Or(env("AWS_SHARED_CREDENTIALS_FILE"), config.DefaultSharedCredentialsFilename())}
	})
	var none config.SharedConfigProfileNotExistError
	return err == nil || !errors.As(err, &none) && !errors.Is(err, fs.ErrNotExist)
}
