package aws

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/aws/aws-sdk-go-v2/config"
)

// credentialVariables are those with which somebody has chosen credentials
// (aws/aws-sdk-go-v2:config/env_config.go@v1.31). A region alone chooses none.
var credentialVariables = []string{
	"AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_ACCESS_KEY", "AWS_SECRET_ACCESS_KEY", "AWS_SECRET_KEY", "AWS_SESSION_TOKEN",
	"AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_ROLE_ARN", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI",
}

// configured says where somebody has configured credentials, whether or not they
// work; "": nowhere, and only then may AWS be left out without a word.
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
		if path := env(name); path != "" && !readable(path) {
			return name
		}
	}
	if defaultProfile(ctx, env) {
		return "the default profile"
	}
	return ""
}

func readable(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	_ = file.Close() // nothing was written
	return true
}

// defaultProfile says whether the shared files have one. A file that is there and
// cannot be read may have.
func defaultProfile(ctx context.Context, env func(string) string) bool {
	_, err := config.LoadSharedConfigProfile(ctx, "default", func(o *config.LoadSharedConfigOptions) {
		o.ConfigFiles = []string{cmp.Or(env("AWS_CONFIG_FILE"), config.DefaultSharedConfigFilename())}
		o.CredentialsFiles = []string{cmp.Or(env("AWS_SHARED_CREDENTIALS_FILE"), config.DefaultSharedCredentialsFilename())}
	})
	var none config.SharedConfigProfileNotExistError
	return err == nil || !errors.As(err, &none) && !errors.Is(err, fs.ErrNotExist)
}
