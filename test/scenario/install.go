package scenario

import (
	"context"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/releaseutil"
	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/yaml"
)

// Release identifies a Helm release.
type Release struct{ Name, Namespace string }

// controllerRelease returns the release of the controller in Rancher's catalogue.
func controllerRelease() Release {
	return Release{Name: "awsmigrate", Namespace: "cattle-awsmigrate-system"}
}

// Account returns the user of the controller in a release.
func (r Release) Account() string { return "system:serviceaccount:" + r.Namespace + ":" + r.Name }

// Installation is the controller's chart in the lab's management cluster. The cluster runs no
// Deployments, so the container's program is started here instead.
type Installation struct {
	Release   Release
	Program   string // the build of awsmigrate to start
	lab       *Lab
	container corev1.Container
	objects   []string // of the release, except its Deployment
}

// Install applies the charts awsmigrate-crd and awsmigrate of a folder, with values for the
// latter, and logs in as the controller's account. A program that it starts has only the rights of
// the chart.
func (l *Lab) Install(ctx context.Context, charts string, values map[string]any) (*Installation, error) {
	return l.InstallAs(ctx, controllerRelease(), charts, values)
}

// InstallAs installs the charts as another release.
func (l *Lab) InstallAs(ctx context.Context, as Release, charts string, values map[string]any) (*Installation, error) {
	definitions, err := rendered(as, filepath.Join(charts, "awsmigrate-crd"), nil)
	if err != nil {
		return nil, err
	}
	release, err := rendered(as, filepath.Join(charts, "awsmigrate"), values)
	if err != nil {
		return nil, err
	}
	i := &Installation{Release: as, Program: l.binary("awsmigrate"), lab: l}
	for _, object := range release {
		var deployment appsv1.Deployment
		switch err := yaml.Unmarshal([]byte(object), &deployment); {
		case deployment.Annotations["helm.sh/hook"] != "": // a hook, which Helm runs at its time
		case err == nil && deployment.Kind == "Deployment":
			i.container = deployment.Spec.Template.Spec.Containers[0]
		default:
			i.objects = append(i.objects, object)
		}
	}
	if i.container.Name == "" {
		return nil, fmt.Errorf("chart %s/awsmigrate has no Deployment", charts)
	}
	return i, i.apply(ctx, definitions)
}

// apply applies the given objects and then those of the release, and logs in as its account.
func (i *Installation) apply(ctx context.Context, before []string) error {
	l := i.lab
	if err := l.finishNamespace(ctx, i.Release.Namespace); err != nil {
		return err
	}
	namespace := "apiVersion: v1\nkind: Namespace\nmetadata: {name: " + i.Release.Namespace + "}\n"
	all := slices.Concat([]string{namespace}, before, i.objects)
	if _, err := l.KubectlManagement(ctx, strings.Join(all, "\n---\n"), "apply", "--server-side", "--validate=strict", "-f", "-"); err != nil {
		return err
	}
	if _, err := l.KubectlManagement(ctx, "", "wait", "--for=condition=Established", "--timeout=30s", "crd/clustermigrations.awsmigrate.io", "crd/migrationrollouts.awsmigrate.io"); err != nil {
		return err
	}
	return i.login(ctx)
}

// Uninstall deletes the objects of the release, as `helm uninstall` does without its hooks.
// Definitions and their objects stay.
func (i *Installation) Uninstall(ctx context.Context) error {
	_, err := i.lab.KubectlManagement(ctx, strings.Join(i.objects, "\n---\n"), "delete", "--ignore-not-found", "-f", "-")
	return err
}

// Reinstall applies the release again.
func (i *Installation) Reinstall(ctx context.Context) error { return i.apply(ctx, nil) }

// finishNamespace finishes the deletion of a namespace, because the lab's management cluster has
// no controller for it.
func (l *Lab) finishNamespace(ctx context.Context, name string) error {
	client, err := l.ManagementKube()
	if err != nil {
		return err
	}
	namespace, err := client.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) || err == nil && namespace.DeletionTimestamp == nil {
		return nil
	}
	if err != nil {
		return err
	}
	namespace.Spec.Finalizers = nil
	_, err = client.CoreV1().Namespaces().Finalize(ctx, namespace, metav1.UpdateOptions{})
	return err
}

// rendered returns the objects that Helm would apply, in the order of its file names.
func rendered(as Release, folder string, values map[string]any) ([]string, error) {
	ch, err := loader.Load(folder)
	if err != nil {
		return nil, fmt.Errorf("load chart %s: %w", folder, err)
	}
	all, err := chartutil.ToRenderValues(ch, values, chartutil.ReleaseOptions{Name: as.Name, Namespace: as.Namespace, Revision: 1, IsInstall: true}, nil)
	if err != nil {
		return nil, fmt.Errorf("values of chart %s: %w", folder, err)
	}
	files, err := engine.Engine{Strict: true}.Render(ch, all)
	if err != nil {
		return nil, fmt.Errorf("render chart %s: %w", folder, err)
	}
	var objects []string
	for _, file := range slices.Sorted(maps.Keys(files)) {
		if !strings.HasSuffix(file, ".yaml") {
			continue
		}
		documents := releaseutil.SplitManifests(files[file])
		for _, name := range slices.Sorted(maps.Keys(documents)) {
			objects = append(objects, documents[name])
		}
	}
	return objects, nil
}

// kubeconfig returns the name of the account's kubeconfig.
func (i *Installation) kubeconfig() string { return "controller-" + i.Release.Name }

// login writes a kubeconfig with a token of the account, as in a pod.
func (i *Installation) login(ctx context.Context) error {
	client, err := i.lab.ManagementKube()
	if err != nil {
		return err
	}
	day := int64(24 * time.Hour / time.Second)
	made, err := client.CoreV1().ServiceAccounts(i.Release.Namespace).CreateToken(ctx, i.Release.Name,
		&authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &day}}, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("a token of ServiceAccount %s/%s: %w", i.Release.Namespace, i.Release.Name, err)
	}
	kubeconfig, err := clientcmd.LoadFromFile(i.lab.Kubeconfig("management"))
	if err != nil {
		return err
	}
	for user := range kubeconfig.AuthInfos {
		kubeconfig.AuthInfos[user] = &clientcmdapi.AuthInfo{Token: made.Status.Token}
	}
	return clientcmd.WriteToFile(*kubeconfig, i.lab.Kubeconfig(i.kubeconfig()))
}

// Args returns the words of the container's command without its port, because several programs run
// on one machine here. Flags are appended, where they win.
func (i *Installation) Args(flags ...string) []string {
	var args []string
	for _, arg := range i.container.Args {
		if !strings.HasPrefix(arg, "--listen=") {
			args = append(args, arg)
		}
	}
	return append(append(args, "--listen=127.0.0.1:0"), flags...)
}

// Start starts the container's program in a pod of that name, as its account. The log goes to out.
func (i *Installation) Start(ctx context.Context, out io.Writer, pod string, flags ...string) (*Run, error) {
	return i.lab.startWith(ctx, i.Program, append(i.environment(pod), "KUBECONFIG="+i.lab.Kubeconfig(i.kubeconfig())), out, i.Args(flags...)...)
}

// environment returns the variables that the kubelet would set for the container.
func (i *Installation) environment(pod string) []string {
	fields := map[string]string{"metadata.name": pod, "metadata.uid": "uid-of-" + pod, "metadata.namespace": i.Release.Namespace, "spec.nodeName": "node-of-" + pod}
	var env []string
	for _, e := range i.container.Env {
		value := e.Value
		if from := e.ValueFrom; from != nil && from.FieldRef != nil {
			value = fields[from.FieldRef.FieldPath]
		} else if from != nil && from.ResourceFieldRef != nil {
			value = fmt.Sprint(i.container.Resources.Limits.Memory().Value())
		}
		env = append(env, e.Name+"="+value)
	}
	return env
}
