package viarancher

import (
	"fmt"
	"net/url"
	"reflect"
	"strings"

	"k8s.io/client-go/rest"
	clientcmdv1 "k8s.io/client-go/tools/clientcmd/api/v1"
	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/pkg/bounded"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// kubeconfigFields holds the fields that a kubeconfig from a cluster may have: those that
// Rancher writes (rancher/rancher:pkg/provisioningv2/kubeconfig/manager.go@v2.8.5), and an
// inline client certificate. Some of client-go's other fields, present or future, run a
// command, read a local file or send the credentials elsewhere.
var kubeconfigFields = map[string]bool{
	"kind": true, "apiVersion": true, "current-context": true, "preferences": true,
	"clusters": true, "clusters.name": true, "clusters.cluster": true,
	"clusters.cluster.server": true, "clusters.cluster.certificate-authority-data": true,
	"users": true, "users.name": true, "users.user": true, "users.user.token": true,
	"users.user.client-certificate-data": true, "users.user.client-key-data": true,
	"contexts": true, "contexts.name": true, "contexts.context": true,
	"contexts.context.cluster": true, "contexts.context.user": true,
}

// ReasonRefused marks a kubeconfig with a field or address that Rancher does not write.
const ReasonRefused = "KubeconfigRefused"

// limits returns the limits of a kubeconfig. Rancher's has 10 kB and 40 values, and one more
// context for each control plane.
func limits() bounded.Limits { return bounded.Limits{Bytes: 256 << 10, Values: 1 << 12} }

// parseKubeconfig returns a client configuration from a kubeconfig in the Secret object. A
// writer of that Secret must not be able to run commands or read files here. The
// configuration is therefore built from the accepted fields one by one, and a kubeconfig with
// any other field is refused, even if that field is not in use. No part comes from the
// environment. The caller decides how to reach the server (HTTPS_PROXY, NO_PROXY), as with
// every client.
func parseKubeconfig(raw []byte, object string) (*rest.Config, error) {
	var file clientcmdv1.Config
	if err := limits().CheckYAML(raw); err != nil {
		return nil, refusedKubeconfig(object, err.Error()+"; wanted at most "+limits().String())
	}
	if err := yaml.Unmarshal(raw, &file); err != nil {
		return nil, noKubeconfig(object, `key "value" holds no kubeconfig`, err)
	}
	if err := yaml.UnmarshalStrict(raw, &clientcmdv1.Config{}); err != nil {
		return nil, refusedKubeconfig(object, "has an unknown field, or a duplicate one: "+err.Error())
	}
	if field := foreignField(reflect.ValueOf(file), "", ""); field != "" {
		return nil, refusedKubeconfig(object, "has the field "+field)
	}
	cluster, user, err := currentContext(file, object)
	if err != nil {
		return nil, err
	}
	if why := unfitServer(cluster.Server); why != "" {
		return nil, refusedKubeconfig(object, why)
	}
	if why := unfitUser(user); why != "" {
		return nil, refusedKubeconfig(object, why)
	}
	return &rest.Config{Host: cluster.Server, BearerToken: user.Token, TLSClientConfig: rest.TLSClientConfig{
		CAData: cluster.CertificateAuthorityData, CertData: user.ClientCertificateData, KeyData: user.ClientKeyData}}, nil
}

// foreignField returns the path of the first field that has a value and is not in
// kubeconfigFields, or is empty. An empty list or map counts as no value.
func foreignField(v reflect.Value, path, shown string) string {
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		field := v.Field(i)
		if field.IsZero() || hasLength(field) && field.Len() == 0 {
			continue
		}
		if !kubeconfigFields[path+name] {
			return shown + name
		}
		if found := foreignBelow(field, path+name+".", shown+name); found != "" {
			return found
		}
	}
	return ""
}

func foreignBelow(field reflect.Value, path, shown string) string {
	switch {
	case field.Kind() == reflect.Struct:
		return foreignField(field, path, shown+".")
	case field.Kind() == reflect.Slice && field.Type().Elem().Kind() == reflect.Struct:
		for i := range field.Len() {
			if found := foreignField(field.Index(i), path, fmt.Sprintf("%s[%d].", shown, i)); found != "" {
				return found
			}
		}
	}
	return ""
}

func hasLength(v reflect.Value) bool { return v.Kind() == reflect.Slice || v.Kind() == reflect.Map }

// currentContext returns the cluster and the user of the current context.
func currentContext(file clientcmdv1.Config, object string) (clientcmdv1.Cluster, clientcmdv1.AuthInfo, error) {
	contexts, clusters, users := map[string]clientcmdv1.Context{}, map[string]clientcmdv1.Cluster{}, map[string]clientcmdv1.AuthInfo{}
	for _, c := range file.Contexts {
		contexts[c.Name] = c.Context
	}
	for _, c := range file.Clusters {
		clusters[c.Name] = c.Cluster
	}
	for _, u := range file.AuthInfos {
		users[u.Name] = u.AuthInfo
	}
	context, found := contexts[file.CurrentContext]
	cluster, hasCluster := clusters[context.Cluster]
	user, hasUser := users[context.AuthInfo]
	var err error
	switch {
	case file.Kind != "" && file.Kind != "Config":
		err = noKubeconfig(object, fmt.Sprintf("its kind is %q", file.Kind), nil)
	case len(contexts) < len(file.Contexts) || len(clusters) < len(file.Clusters) || len(users) < len(file.AuthInfos):
		err = refusedKubeconfig(object, "has two contexts, clusters or users of one name")
	case !found:
		err = noKubeconfig(object, fmt.Sprintf("its current-context is %q, which it does not have", file.CurrentContext), nil)
	case !hasCluster:
		err = noKubeconfig(object, fmt.Sprintf("its current context names the cluster %q, which it does not have", context.Cluster), nil)
	case !hasUser:
		err = noKubeconfig(object, fmt.Sprintf("its current context names the user %q, which it does not have", context.AuthInfo), nil)
	}
	return cluster, user, err
}

// unfitServer describes the fault of an address, or is empty. It does not repeat the
// address, which may hold a password.
func unfitServer(server string) string {
	address, err := url.Parse(server)
	if err != nil || address.Scheme != "https" || address.Host == "" || address.User != nil || address.RawQuery != "" || address.Fragment != "" {
		return "the server of its current context is no plain https address"
	}
	return ""
}

func unfitUser(user clientcmdv1.AuthInfo) string {
	certificate, key := len(user.ClientCertificateData) > 0, len(user.ClientKeyData) > 0
	switch {
	case certificate != key:
		return "the user of its current context has only one of client-certificate-data and client-key-data"
	case user.Token == "" && !certificate:
		return "the user of its current context has neither token nor client-certificate-data"
	}
	return ""
}

func noKubeconfig(object, seen string, err error) error {
	return &fault.Error{Class: fault.CouldNotLook, Reason: "NoDownstreamKubeconfig", Object: object,
		Seen: seen, Fix: "name one with --downstream-kubeconfig", Err: err}
}

func refusedKubeconfig(object, seen string) error {
	return &fault.Error{Class: fault.CouldNotLook, Reason: ReasonRefused, Object: object,
		Seen:   "its kubeconfig " + seen,
		Wanted: "what Rancher writes there: server (https), certificate-authority-data, and token or an inline client certificate with its key; anything else may run commands or send files from here",
		Fix:    "find out who changed the Secret; a kubeconfig that you trust, of any kind: --downstream-kubeconfig"}
}
