package rke

import (
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm/ccmchart"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
)

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
