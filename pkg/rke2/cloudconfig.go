package rke2

import (
	"context"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
)

// CloudConfig implements migration.Backend. Rancher stores the cloud config inline or as
// secret://namespace:name (rancher/rancher:pkg/capr/planner/config.go@v2.8.5).
func (b *Backend) CloudConfig(ctx context.Context, snap migration.Snapshot) (string, error) {
	settings := config.CloudConfigs(rancherFacts(snap).Cluster.Spec, rancherFacts(snap).Configs())
	if err := config.Agree(rancherFacts(snap).ObjectName(), config.KeyCloudConfig, settings); err != nil {
		return "", err
	}
	if len(settings) == 0 || settings[0].Value == "" {
		return "", nil
	}
	ref, isSecret := strings.CutPrefix(settings[0].Value, "secret://")
	if !isSecret {
		return settings[0].Value, nil
	}
	namespace, name, ok := strings.Cut(ref, ":")
	object := fmt.Sprintf("Secret %s/%s", namespace, name)
	if !ok {
		return "", &fault.Error{Class: fault.Check, Reason: "BadCloudConfigReference", Object: rancherFacts(snap).ObjectName(),
			Seen: "cloud-provider-config is " + settings[0].Value, Wanted: "secret://namespace:name"}
	}
	secret, err := b.clients.ManagementKube.CoreV1().Secrets(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return "", migration.CouldNotRead(object, err)
	}
	text, found := secret.Data["credential"]
	if !found {
		return "", &fault.Error{Class: fault.Check, Reason: "BadCloudConfigSecret", Object: object, Seen: "no key \"credential\"", Wanted: "the cloud config there"}
	}
	return string(text), nil
}
