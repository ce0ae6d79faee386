package kubeconfig

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// unusable returns the error for a kubeconfig without a usable context: the files that were read, and the
// contexts that exist.
func unusable(flag, path, kubeContext string, cause error) error {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = path
	files := rules.GetLoadingPrecedence()
	f := &fault.Error{Class: fault.Usage, Reason: "NoKubeconfig", Object: "kubeconfig " + strings.Join(files, ", "), Fix: "name another one with " + flag}
	var found *clientcmdapi.Config
	found, cause = loadKubeconfig(rules, cause)
	switch contexts := contextNames(found); {
	case len(existing(files)) == 0:
		f.Seen, f.Fix = "does not exist", "name one with "+flag+", or in $KUBECONFIG; to plan from cluster.yml alone, give --offline"
	case found == nil:
		f.Seen, f.Err = "is no kubeconfig", cause
	case len(contexts) == 0:
		f.Seen = "has no contexts"
	case kubeContext != "" && !slices.Contains(contexts, kubeContext):
		f.Seen, f.Wanted = fmt.Sprintf("has no context %q", kubeContext), oneOf(contexts)
		f.Fix = cmp.Or(fault.DidYouMean(kubeContext, contexts), chooseContext(flag))
	case kubeContext == "" && !slices.Contains(contexts, found.CurrentContext):
		f.Seen, f.Wanted = "has no current-context", oneOf(contexts)
		if found.CurrentContext != "" {
			f.Seen = fmt.Sprintf("has no context %q, its current-context", found.CurrentContext)
		}
		f.Fix = chooseContext(flag)
	default:
		f.Seen, f.Err = "cannot be used", cause
		name := cmp.Or(kubeContext, found.CurrentContext)
		if cluster := found.Contexts[name].Cluster; found.Clusters[cluster] == nil {
			f.Seen, f.Err = fmt.Sprintf("has no cluster %q, which its context %q names", cluster, name), nil
		}
	}
	return f
}

// chooseContext returns the fix for a kubeconfig without the wanted context.
func chooseContext(flag string) string {
	if flag == "--kubeconfig" {
		return "choose one with --context"
	}
	return "kubectl config use-context CONTEXT"
}

// loadKubeconfig returns the merged files, or nil and why one of them is no kubeconfig.
func loadKubeconfig(rules *clientcmd.ClientConfigLoadingRules, cause error) (*clientcmdapi.Config, error) {
	found, err := rules.Load()
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return found, cause
	}
	if text := err.Error(); strings.Contains(text, "cannot unmarshal") { // it goes on with a type of Go
		return nil, nil
	}
	return nil, err
}

// maxContexts limits the contexts that an error lists.
const maxContexts = 10

// contextNames returns the sorted names of a configuration's contexts.
func contextNames(config *clientcmdapi.Config) []string {
	if config == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(config.Contexts))
}

func oneOf(names []string) string {
	if len(names) > maxContexts {
		names = append(slices.Clone(names[:maxContexts]), "…")
	}
	return "one of " + strings.Join(names, ", ")
}

// existing returns the files that exist.
func existing(files []string) []string {
	return slices.DeleteFunc(slices.Clone(files), func(path string) bool {
		_, err := os.Stat(path)
		return errors.Is(err, fs.ErrNotExist)
	})
}
