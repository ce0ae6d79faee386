package clusterfile

import (
	"reflect"
	"strings"
)

// known are the keys that a structure of rke's takes, each with the type of its
// value; nil for a type whose keys are data, or Kubernetes' own.
type known struct {
	names  []string // in the order of the structure
	folded []string // the same without case and marks
	types  map[string]reflect.Type
}

// schemas finds out what each type takes, once.
type schemas map[reflect.Type]*known

func (s schemas) of(t reflect.Type) *known {
	if k, done := s[t]; done {
		return k
	}
	var k *known
	switch {
	case t == reflect.TypeFor[systemImages]():
		k = &known{names: systemImageKeys(), types: map[string]reflect.Type{}}
		for _, name := range k.names {
			k.types[name] = t.Elem()
		}
	case t.Kind() == reflect.Struct:
		k = &known{types: map[string]reflect.Type{}}
		k.add(t)
	}
	if k != nil {
		for _, name := range k.names {
			k.folded = append(k.folded, fold(name))
		}
	}
	s[t] = k
	return k
}

func (k *known) add(t reflect.Type) {
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		if options == "inline" {
			k.add(field.Type)
			continue
		}
		k.names = append(k.names, name)
		k.types[name] = field.Type
	}
}

// otherServiceNames are names of the same components elsewhere in Kubernetes.
func otherServiceNames() map[string]string {
	return map[string]string{
		"kubeapiserver":         "kube-api",
		"apiserver":             "kube-api",
		"kubecontrollermanager": "kube-controller",
		"controllermanager":     "kube-controller",
		"controller":            "kube-controller",
		"kubescheduler":         "scheduler",
	}
}
