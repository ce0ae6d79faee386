package downstream

import (
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// RunsKCM finds the container that runs a kube-controller-manager.
func RunsKCM(cs []Container) (Container, bool) { return runs(cs, wellknown.KCM) }

// RunsCCM finds the container that runs an AWS cloud controller manager. The
// upstream image is named cloud-controller-manager under provider-aws and has no
// command; RKE2's own stub is named rke2-cloud-provider and is not meant. A copy
// under another name is known by flags that nothing but a controller manager has.
func RunsCCM(cs []Container) (Container, bool) {
	if c, ok := runs(cs, wellknown.CCM); ok {
		return c, true
	}
	for _, c := range cs {
		line := c.line()
		if _, kcm := runs([]Container{c}, wellknown.KCM); kcm || line.harmless {
			continue
		}
		flags := c.Flags()
		aws := flags.Last(component.CloudProvider) == "aws"
		path := strings.ToLower(imagePath(c.Image))
		if strings.Contains(path, "cloud-controller-manager") && (aws || strings.Contains(path, "aws")) {
			return c, true
		}
		if aws && slices.ContainsFunc(managerFlags(), flags.Has) {
			return c, true
		}
	}
	return Container{}, false
}

// managerFlags are flags of controller managers with a cloud provider that no other
// program with --cloud-provider has: not kubelet, kube-apiserver, cluster-autoscaler
// (k8s.io/cloud-provider@v0.26.0:options; kubernetes/autoscaler:main.go@1.26).
func managerFlags() []string {
	return []string{component.ConfigureCloudRoutes, component.EnableLeaderMigration, component.LeaderMigrationConfig,
		"allow-untagged-cloud", "concurrent-service-syncs", "route-reconciliation-period", "use-service-account-credentials"}
}

// runsAny says whether a program that matters here is among the containers.
func runsAny(cs []Container) bool {
	_, kcm := RunsKCM(cs)
	_, ccm := RunsCCM(cs)
	return kcm || ccm
}

// Interesting says whether containers run a controller manager, or the API server
// that tells whose one beside it is.
func Interesting(cs []Container) bool { return runsAny(cs) || runsAPIServer(cs) }

func runsAPIServer(cs []Container) bool {
	_, ok := runs(cs, wellknown.APIServer)
	return ok
}

// runs finds the container that runs a program: its command line names it, or its
// image or the container itself is named so and the command line is for nothing else.
func runs(cs []Container, program string) (Container, bool) {
	for _, c := range cs {
		line := c.line()
		if line.names(program) || !line.harmless && (repository(c.Image) == program || c.Name == program) {
			return c, true
		}
	}
	return Container{}, false
}

// commandLine is what a container starts, as far as its words tell.
type commandLine struct {
	commands [][]string // of a shell's script each of its own
	// harmless: all that it starts is known to be something else, such as the sleep of
	// a DaemonSet that fetches images, or Helm with a chart of that name.
	harmless bool
}

// ScriptMarks make a word of a command line a shell's script; CommandEnds end a
// command in one.
const (
	ScriptMarks = " \t\n;&|"
	CommandEnds = ";&|\n()`"
)

// line takes command and args apart. A word with spaces is a shell's script. Without
// a command the image's own program runs, which has its name more often than not.
func (c Container) line() commandLine {
	var plain []string
	if len(c.Command) == 0 {
		plain = append(plain, repository(c.Image))
	}
	var scripts [][]string
	for _, word := range slices.Concat(c.Command, c.Args) {
		if strings.HasPrefix(word, "-") || !strings.ContainsAny(word, ScriptMarks) {
			plain = append(plain, word)
			continue
		}
		for _, part := range strings.FieldsFunc(word, func(r rune) bool { return strings.ContainsRune(CommandEnds, r) }) {
			scripts = append(scripts, strings.FieldsFunc(part, func(r rune) bool { return strings.ContainsRune(" \t\"'", r) }))
		}
	}
	line := commandLine{commands: append([][]string{plain}, scripts...)}
	seen := false
	for _, command := range line.commands {
		first := starts(command)
		if first == "" {
			continue
		}
		if !elsewhereUsed(first) {
			return line
		}
		seen = true
	}
	line.harmless = seen
	return line
}

// names says whether the line starts the program, or hands its name to something
// that may. An option's value is no program.
func (l commandLine) names(program string) bool {
	for _, command := range l.commands {
		if elsewhereUsed(starts(command)) {
			continue
		}
		hyperkube := slices.ContainsFunc(command, func(w string) bool { return base(w) == "hyperkube" })
		for i, word := range command {
			option := i > 0 && strings.HasPrefix(command[i-1], "--") && len(command[i-1]) > 2 && !strings.Contains(command[i-1], "=")
			if strings.HasPrefix(word, "-") || option {
				continue
			}
			name := withoutArch(base(word))
			if name == program || hyperkube && "kube-"+name == program {
				return true
			}
		}
	}
	return false
}

// starts is the program that a command begins with, behind a shell's words.
func starts(command []string) string {
	for _, word := range command {
		if shellWord(base(word)) || strings.HasPrefix(word, "-") || strings.Contains(word, "=") {
			continue
		}
		return base(word)
	}
	return ""
}

// StartsOther says whether a word tells what is started, and it is no controller
// manager: a shell, a shell's keyword, or a program known for something else.
func StartsOther(word string) bool {
	return shellWord(base(word)) || elsewhereUsed(base(word)) || base(word) == "hyperkube"
}

func shellWord(name string) bool {
	switch name {
	case "sh", "bash", "ash", "dash", "exec", "env", "sudo", "nohup", "time", "do", "then", "else", "if", "while", "until", "!", "{", "}", "done", "fi":
		return true
	}
	return false
}

// elsewhereUsed are programs that may have the name of a controller manager among
// their words and start none.
func elsewhereUsed(program string) bool {
	switch program {
	case "sleep", "pause", "true", "false", ":", "tail", "cat", "ls", "cp", "mv", "rm", "install", "echo", "test", "[", "set", "trap", "wait",
		"mkdir", "chmod", "chown", "ln", "tar", "touch", "find", "sed", "awk", "head", "wc", "jq", "yq", "printf", "diff", "stat", "date",
		"grep", "pgrep", "pkill", "killall", "pidof", "ps", "kubectl", "crictl", "ctr", "docker", "podman", "nerdctl", "curl", "wget",
		"helm", "klipper-helm", "kustomize", "flux", "argocd", "git", "skopeo", "crane", "oras", "aws":
		return true
	}
	return false
}

// imagePath is an image without its registry's host, which may have any name.
func imagePath(image string) string {
	host, rest, ok := strings.Cut(image, "/")
	if ok && (strings.ContainsAny(host, ".:") || host == "localhost") {
		return rest
	}
	return image
}

// repository is the last path element of an image without tag, digest and processor.
func repository(image string) string {
	image, _, _ = strings.Cut(image, "@")
	name := base(image)
	name, _, _ = strings.Cut(name, ":")
	return withoutArch(name)
}

func withoutArch(name string) string {
	for _, arch := range []string{"-amd64", "-arm64", "-arm", "-ppc64le", "-s390x"} {
		name = strings.TrimSuffix(name, arch)
	}
	return name
}

func base(path string) string { return path[strings.LastIndex(path, "/")+1:] }
