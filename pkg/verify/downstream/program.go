package downstream

import (
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// RunsKCM returns the container that runs a kube-controller-manager, or false.
func RunsKCM(cs []Container) (Container, bool) { return findProgram(cs, wellknown.KCM) }

// RunsCCM returns the container that runs an AWS cloud controller manager, or false. The
// upstream image is cloud-controller-manager under provider-aws and has no command. RKE2's own
// stub, rke2-cloud-provider, does not count. A renamed copy is identified by flags that only
// controller managers have.
func RunsCCM(cs []Container) (Container, bool) {
	if c, ok := findProgram(cs, wellknown.CCM); ok {
		return c, true
	}
	for _, c := range cs {
		line := c.line()
		if _, kcm := findProgram([]Container{c}, wellknown.KCM); kcm || line.harmless {
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

// managerFlags returns flags that only controller managers with a cloud provider have, and no
// other program with --cloud-provider: not kubelet, kube-apiserver, cluster-autoscaler
// (k8s.io/cloud-provider@v0.26.0:options; kubernetes/autoscaler:main.go@1.26).
func managerFlags() []string {
	return []string{component.ConfigureCloudRoutes, component.EnableLeaderMigration, component.LeaderMigrationConfig,
		"allow-untagged-cloud", "concurrent-service-syncs", "route-reconciliation-period", "use-service-account-credentials"}
}

// runsAny reports whether one of the containers runs a controller manager.
func runsAny(cs []Container) bool {
	_, kcm := RunsKCM(cs)
	_, ccm := RunsCCM(cs)
	return kcm || ccm
}

// Interesting reports whether containers run a controller manager or an API server. The API
// server shows which cluster a controller manager next to it belongs to.
func Interesting(cs []Container) bool { return runsAny(cs) || runsAPIServer(cs) }

func runsAPIServer(cs []Container) bool {
	_, ok := findProgram(cs, wellknown.APIServer)
	return ok
}

// findProgram returns the container that runs a program. Either its command line names the
// program, or its image or name does and the command line can run it.
func findProgram(cs []Container, program string) (Container, bool) {
	for _, c := range cs {
		line := c.line()
		if line.names(program) || !line.harmless && (repository(c.Image) == program || c.Name == program) {
			return c, true
		}
	}
	return Container{}, false
}

// commandLine holds the commands that a container starts.
type commandLine struct {
	commands [][]string // each command of a shell script separately
	// harmless reports whether all commands are known to be other programs, such as the
	// sleep of a DaemonSet that pulls images, or Helm with a chart of that name.
	harmless bool
}

// ScriptMarks are the characters that make a word of a command line a shell script.
// CommandEnds are the characters that end a command in it.
const (
	ScriptMarks = " \t\n;&|"
	CommandEnds = ";&|\n()`"
)

// line splits command and args into commands. A word with spaces is a shell script. Without a
// command the image's own program runs, which usually has the image's name.
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
	harmless := false
	for _, command := range line.commands {
		first := startedProgram(command)
		if first == "" {
			continue
		}
		if !isOtherProgram(first) {
			return line
		}
		harmless = true
	}
	line.harmless = harmless
	return line
}

// names reports whether the line starts the program or passes its name to a command that may
// start it. Values of options do not count.
func (l commandLine) names(program string) bool {
	for _, command := range l.commands {
		if isOtherProgram(startedProgram(command)) {
			continue
		}
		hyperkube := slices.ContainsFunc(command, func(w string) bool { return base(w) == "hyperkube" })
		for i, word := range command {
			option := i > 0 && strings.HasPrefix(command[i-1], "--") && len(command[i-1]) > 2 && !strings.Contains(command[i-1], "=")
			if strings.HasPrefix(word, "-") || option {
				continue
			}
			name := trimArch(base(word))
			if name == program || hyperkube && "kube-"+name == program {
				return true
			}
		}
	}
	return false
}

// startedProgram returns the program that a command starts, after any shell words, or "".
func startedProgram(command []string) string {
	for _, word := range command {
		if isShellWord(base(word)) || strings.HasPrefix(word, "-") || strings.Contains(word, "=") {
			continue
		}
		return base(word)
	}
	return ""
}

// StartsOther reports whether a word of a command line is safe to publish: a shell, a shell's
// keyword, or a known program that is not a controller manager.
func StartsOther(word string) bool {
	return isShellWord(base(word)) || isOtherProgram(base(word)) || base(word) == "hyperkube"
}

func isShellWord(name string) bool {
	switch name {
	case "sh", "bash", "ash", "dash", "exec", "env", "sudo", "nohup", "time", "do", "then", "else", "if", "while", "until", "!", "{", "}", "done", "fi":
		return true
	}
	return false
}

// isOtherProgram reports whether a program starts no controller manager, although its
// arguments may contain the name of one.
func isOtherProgram(program string) bool {
	switch program {
	case "sleep", "pause", "true", "false", ":", "tail", "cat", "ls", "cp", "mv", "rm", "install", "echo", "test", "[", "set", "trap", "wait",
		"mkdir", "chmod", "chown", "ln", "tar", "touch", "find", "sed", "awk", "head", "wc", "jq", "yq", "printf", "diff", "stat", "date",
		"grep", "pgrep", "pkill", "killall", "pidof", "ps", "kubectl", "crictl", "ctr", "docker", "podman", "nerdctl", "curl", "wget",
		"helm", "klipper-helm", "kustomize", "flux", "argocd", "git", "skopeo", "crane", "oras", "aws":
		return true
	}
	return false
}

// imagePath returns an image without the host of its registry.
func imagePath(image string) string {
	host, rest, ok := strings.Cut(image, "/")
	if ok && (strings.ContainsAny(host, ".:") || host == "localhost") {
		return rest
	}
	return image
}

// repository returns the last path element of an image without tag, digest and architecture.
func repository(image string) string {
	image, _, _ = strings.Cut(image, "@")
	name := base(image)
	name, _, _ = strings.Cut(name, ":")
	return trimArch(name)
}

func trimArch(name string) string {
	for _, arch := range []string{"-amd64", "-arm64", "-arm", "-ppc64le", "-s390x"} {
		name = strings.TrimSuffix(name, arch)
	}
	return name
}

func base(path string) string { return path[strings.LastIndex(path, "/")+1:] }
