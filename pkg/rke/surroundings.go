package rke

import (
	"regexp"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm/ccmchart"
	"github.com/awsmigrate/awsmigrate/pkg/rke/configtree"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
)

// hideEnv removes the values of environment variables from the unchanged lines of a diff. They may
// be secret, and no edit changes them.
func hideEnv(diff string) string {
	lines := strings.Split(diff, "\n")
	for i, line := range lines {
		lines[i] = envLine.ReplaceAllString(line, "${1}"+configtree.NotShown)
	}
	return strings.Join(lines, "\n")
}

// envLine matches an unchanged item NAME=value of a list, and an unchanged list in one line.
var envLine = regexp.MustCompile(`^( +- +["']?[A-Za-z_][A-Za-z0-9_]*=| .*\bextra_env: *).+$`)

// surroundingsOf returns the environment and the host's paths that rke gives to every
// kube-controller-manager: those of the service, and /etc/kubernetes
// (rancher/rke:cluster/plan.go@v1.5.9, BuildKubeControllerProcess).
func surroundingsOf(service rkestate.Service) ccmchart.Surroundings {
	s := ccmchart.Surroundings{Binds: []ccmchart.Bind{{Host: "/etc/kubernetes", Path: "/etc/kubernetes"}}, Literal: true}
	for _, line := range service.ExtraEnv {
		if name, value, is := strings.Cut(line, "="); is {
			s.Env = append(s.Env, ccmchart.Variable{Name: name, Value: value})
		}
	}
	for _, line := range service.ExtraBinds {
		if parts := strings.Split(line, ":"); len(parts) > 1 && strings.HasPrefix(parts[0], "/") {
			s.Binds = append(s.Binds, ccmchart.Bind{Host: parts[0], Path: strings.TrimSuffix(parts[1], "/")})
		}
	}
	return s
}
