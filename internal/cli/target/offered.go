package target

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/internal/cli/kubeconfig"
	"github.com/awsmigrate/awsmigrate/internal/inventory/look"
)

// RancherOf returns the Rancher that any command's flags reach, for a shell completion that waits
// for at most that time.
func RancherOf(flags *pflag.FlagSet, namespace string, wait time.Duration) look.Rancher {
	path, _ := flags.GetString("kubeconfig") // a command without the flag uses the default
	kubeContext, _ := flags.GetString("context")
	return look.Rancher{Server: kubeconfig.Server(path, kubeContext), RequestTimeout: wait, Namespace: namespace, NoReach: true}
}

// Contexts returns the contexts of the kubeconfig that flags name, or of the default one.
func Contexts(flags *pflag.FlagSet) []kubeconfig.Context {
	return kubeconfig.Contexts(kubeconfigOf(flags))
}

// kubeconfigOf returns the file that flags name, or "" for the default. A cluster.yml has its
// own.
func kubeconfigOf(flags *pflag.FlagSet) string {
	path, _ := flags.GetString("kubeconfig")
	config, _ := flags.GetString("config")
	cluster, _ := flags.GetString("cluster")
	if path == "" && config != "" && cluster == "" {
		return reach{Config: config}.kubeconfigPath()
	}
	return path
}

// Profiles returns the profiles in AWS's two files, by the names that --profile accepts
// (aws/aws-sdk-go-v2:config/shared_config.go@v1.33.14).
func Profiles() []string {
	home, _ := os.UserHomeDir() // without one there are no files
	file := func(variable, usual string) string {
		if named := os.Getenv(variable); named != "" {
			return named
		}
		return filepath.Join(home, ".aws", usual)
	}
	names := append(sections(file("AWS_CONFIG_FILE", "config"), "profile "), sections(file("AWS_SHARED_CREDENTIALS_FILE", "credentials"), "")...)
	slices.Sort(names)
	return slices.Compact(names)
}

// sections returns the headings of an INI file that begin with a prefix, without that prefix, and
// the default.
func sections(path, begin string) []string {
	file, err := os.Open(filepath.Clean(path))
	if err != nil {
		return nil
	}
	defer file.Close() //nolint:errcheck // it is only read
	var names []string
	for lines := bufio.NewScanner(file); lines.Scan(); {
		heading, closed := strings.CutSuffix(strings.TrimSpace(lines.Text()), "]")
		heading, opened := strings.CutPrefix(heading, "[")
		name, fits := strings.CutPrefix(heading, begin)
		if closed && opened && (fits || heading == "default") {
			names = append(names, strings.TrimSpace(name))
		}
	}
	return names
}
