package node

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// variables are the variables of a container, in order; the last one of a name wins.
type variables struct {
	names  []string
	values map[string]string
}

func (v *variables) set(name, value string) {
	if _, known := v.values[name]; !known {
		v.names = append(v.names, name)
	}
	v.values[name] = value
}

func (v *variables) list() []string {
	out := make([]string, 0, len(v.names))
	for _, name := range v.names {
		out = append(out, name+"="+v.values[name])
	}
	return out
}

// environment resolves a container's env and envFrom.
func (w *podWorker) environment(ctx context.Context, container corev1.Container) (*variables, error) {
	env := &variables{values: map[string]string{}}
	for _, from := range container.EnvFrom {
		values, err := w.envFrom(ctx, from)
		if err != nil {
			return nil, err
		}
		for name, value := range values {
			env.set(from.Prefix+name, value)
		}
	}
	for _, e := range container.Env {
		value, found, err := w.envValue(ctx, e)
		if err != nil {
			return nil, err // the kubelet does not name the variable either
		}
		if found {
			env.set(e.Name, expand(value, env))
		}
	}
	return env, nil
}

func (w *podWorker) envFrom(ctx context.Context, from corev1.EnvFromSource) (map[string]string, error) {
	switch {
	case from.ConfigMapRef != nil:
		return w.configMap(ctx, from.ConfigMapRef.Name, isTrue(from.ConfigMapRef.Optional))
	case from.SecretRef != nil:
		return w.secret(ctx, from.SecretRef.Name, isTrue(from.SecretRef.Optional))
	}
	return nil, nil
}

func (w *podWorker) envValue(ctx context.Context, e corev1.EnvVar) (value string, found bool, err error) {
	from := e.ValueFrom
	var values map[string]string
	var key, object string
	var optional bool
	switch {
	case from == nil:
		return e.Value, true, nil
	case from.FieldRef != nil:
		value, err = w.field(from.FieldRef.FieldPath)
		return value, err == nil, err
	case from.ConfigMapKeyRef != nil:
		ref := from.ConfigMapKeyRef
		key, optional, object = ref.Key, isTrue(ref.Optional), "ConfigMap "+w.pod.Namespace+"/"+ref.Name
		values, err = w.configMap(ctx, ref.Name, optional)
	case from.SecretKeyRef != nil:
		ref := from.SecretKeyRef
		key, optional, object = ref.Key, isTrue(ref.Optional), "Secret "+w.pod.Namespace+"/"+ref.Name
		values, err = w.secret(ctx, ref.Name, optional)
	default:
		return "", false, fmt.Errorf("the lab knows values, fieldRef, configMapKeyRef and secretKeyRef only")
	}
	if err != nil {
		return "", false, err
	}
	value, found = values[key]
	if !found && !optional {
		return "", false, fmt.Errorf("couldn't find key %s in %s", key, object)
	}
	return value, found, nil
}

// field returns the value of a field of the downward API.
func (w *podWorker) field(fieldPath string) (string, error) {
	pod := w.pod
	for prefix, from := range map[string]map[string]string{"metadata.labels['": pod.Labels, "metadata.annotations['": pod.Annotations} {
		if rest, ok := strings.CutPrefix(fieldPath, prefix); ok {
			return from[strings.TrimSuffix(rest, "']")], nil
		}
	}
	podIP := w.m.a.c.PrivateIP
	if !pod.Spec.HostNetwork {
		podIP = podAddress(pod.UID)
	}
	value, ok := map[string]string{
		"metadata.name": pod.Name, "metadata.namespace": pod.Namespace, "metadata.uid": string(pod.UID),
		"spec.nodeName": pod.Spec.NodeName, "spec.serviceAccountName": pod.Spec.ServiceAccountName,
		"status.hostIP": w.m.a.c.PrivateIP, "status.podIP": podIP, "status.podIPs": podIP,
	}[fieldPath]
	if !ok {
		return "", fmt.Errorf("the lab does not know the field %s", fieldPath)
	}
	return value, nil
}

func (w *podWorker) configMap(ctx context.Context, name string, optional bool) (map[string]string, error) {
	object, err := w.api().CoreV1().ConfigMaps(w.pod.Namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, missing(err, optional, "configmap", name)
	}
	values := map[string]string{}
	for key, value := range object.BinaryData {
		values[key] = string(value)
	}
	for key, value := range object.Data {
		values[key] = value
	}
	return values, nil
}

func (w *podWorker) secret(ctx context.Context, name string, optional bool) (map[string]string, error) {
	object, err := w.api().CoreV1().Secrets(w.pod.Namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, missing(err, optional, "secret", name)
	}
	values := map[string]string{}
	for key, value := range object.Data {
		values[key] = string(value)
	}
	return values, nil
}

// missing returns the error of a read: nil for a missing object that is optional, and in the kubelet's words
// for another one.
func missing(err error, optional bool, kind, name string) error {
	switch {
	case !apierrors.IsNotFound(err):
		return err
	case optional:
		return nil
	}
	return apierrors.NewNotFound(corev1.Resource(kind), name)
}

func isTrue(b *bool) bool { return b != nil && *b }

// expand replaces $(NAME) by the value of a known variable; "$$" becomes "$".
func expand(text string, env *variables) string {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '$' || i+1 == len(text) {
			out.WriteByte(text[i])
			continue
		}
		if text[i+1] == '$' {
			out.WriteByte('$')
			i++
			continue
		}
		end := strings.IndexByte(text[i:], ')')
		if text[i+1] != '(' || end < 0 {
			out.WriteByte('$')
			continue
		}
		if value, known := env.values[text[i+2:i+end]]; known {
			out.WriteString(value)
		} else {
			out.WriteString(text[i : i+end+1])
		}
		i += end
	}
	return out.String()
}

func expandAll(list []string, env *variables) []string {
	out := make([]string, len(list))
	for i, text := range list {
		out[i] = expand(text, env)
	}
	return out
}
