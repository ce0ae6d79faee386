package rancher

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	admissionv1 "k8s.io/api/admission/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	mutatePath   = "/v1/webhook/mutation/clusters.provisioning.cattle.io"
	validatePath = "/v1/webhook/validation/clusters.provisioning.cattle.io"
)

// webhookHandler is Rancher's admission webhook for provisioning Clusters.
func (r *Rancher) webhookHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc(mutatePath, admit(r.mutateCluster))
	mux.HandleFunc(validatePath, admit(r.validateCluster))
	return mux
}

type admission func(context.Context, *admissionv1.AdmissionRequest) (*admissionv1.AdmissionResponse, error)

func admit(f admission) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		var review admissionv1.AdmissionReview
		if err := json.NewDecoder(req.Body).Decode(&review); err != nil || review.Request == nil {
			http.Error(w, fmt.Sprintf("no AdmissionReview: %v", err), http.StatusBadRequest)
			return
		}
		response, err := f(req.Context(), review.Request)
		if err != nil {
			response = deniedResponse(http.StatusInternalServerError, err.Error())
		}
		response.UID = review.Request.UID
		review.Request, review.Response = nil, response
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(review) // the API server sees a broken answer itself
	}
}

func deniedResponse(code int32, message string) *admissionv1.AdmissionResponse {
	return &admissionv1.AdmissionResponse{Result: &metav1.Status{Status: metav1.StatusFailure, Code: code, Message: message, Reason: metav1.StatusReasonInvalid}}
}

func allowedResponse() *admissionv1.AdmissionResponse {
	return &admissionv1.AdmissionResponse{Allowed: true}
}

// mutateCluster rewrites the arguments and files for a pod security template. A dry run passes
// unchanged. Source:
// rancher/webhook:pkg/resources/provisioning.cattle.io/v1/cluster/mutator.go@v0.4.18 (Admit).
func (r *Rancher) mutateCluster(ctx context.Context, req *admissionv1.AdmissionRequest) (*admissionv1.AdmissionResponse, error) {
	if req.DryRun != nil && *req.DryRun {
		return allowedResponse(), nil
	}
	c := &object{}
	if err := json.Unmarshal(req.Object.Raw, &c.Object); err != nil {
		return nil, err
	}
	var patch []patchOperation
	if req.Operation == admissionv1.Create {
		patch = append(patch, creatorPatch(c, req.UserInfo.Username)...)
	}
	if c.GetName() != localManagementName && mapAt(c, "spec", "rkeConfig") != nil && c.GetDeletionTimestamp() == nil {
		more, refused, err := r.psactPatch(ctx, c)
		if err != nil || refused != nil {
			return refused, err
		}
		patch = append(patch, more...)
	}
	response := allowedResponse()
	if len(patch) == 0 {
		return response, nil
	}
	b, err := json.Marshal(patch)
	if err != nil {
		return nil, err
	}
	kind := admissionv1.PatchTypeJSONPatch
	response.Patch, response.PatchType = b, &kind
	return response, nil
}

type patchOperation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

func creatorPatch(c *object, user string) []patchOperation {
	if c.GetAnnotations() == nil {
		return []patchOperation{{Op: "add", Path: "/metadata/annotations", Value: map[string]string{annotationCreator: user}}}
	}
	return []patchOperation{{Op: "add", Path: "/metadata/annotations/field.cattle.io~1creatorId", Value: user}}
}

// psactPatch creates or removes the Secret of the cluster's template and returns the change of
// the Cluster's spec.
func (r *Rancher) psactPatch(ctx context.Context, c *object) (patch []patchOperation, refused *admissionv1.AdmissionResponse, err error) {
	name := str(c, "spec", "defaultPodSecurityAdmissionConfigurationTemplateName")
	var content []byte
	if name != "" {
		template, err := r.get(ctx, gvrPSACT, "", name)
		if err != nil {
			return nil, nil, err
		}
		if template == nil {
			return nil, deniedResponse(http.StatusBadRequest, fmt.Sprintf("podsecurityadmissionconfigurationtemplates.management.cattle.io %q not found", name)), nil
		}
		if content, err = admissionConfiguration(template); err != nil {
			return nil, nil, err
		}
	}
	if err := r.keepPSACTSecret(ctx, c, content); err != nil {
		return nil, nil, err
	}
	var files []selectorFiles
	raw, _, _ := unstructured.NestedSlice(c.Object, "spec", "rkeConfig", "machineSelectorFiles")
	if err := decode(raw, &files); err != nil {
		return nil, nil, err
	}
	if after := psactFiles(files, c.GetName(), content); len(after)+len(files) > 0 {
		patch = append(patch, patchOperation{Op: "add", Path: "/spec/rkeConfig/machineSelectorFiles", Value: after})
	}
	global := mapAt(c, "spec", "rkeConfig", "machineGlobalConfig")
	args, changed := rewriteAPIServerArgs(global[apiServerArg], name != "", shuffled)
	if !changed {
		return patch, nil, nil
	}
	if global == nil {
		global = map[string]any{}
	}
	global[apiServerArg] = args
	if len(args) == 0 {
		delete(global, apiServerArg)
	}
	return append(patch, patchOperation{Op: "add", Path: "/spec/rkeConfig/machineGlobalConfig", Value: global}), nil, nil
}

func (r *Rancher) keepPSACTSecret(ctx context.Context, c *object, content []byte) error {
	secrets := r.mgmt.CoreV1().Secrets(c.GetNamespace())
	name := psactSecretName(c.GetName())
	if content == nil {
		if err := secrets.Delete(ctx, name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
		return nil
	}
	have, err := secrets.Get(ctx, name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		_, err = secrets.Create(ctx, psactSecret(c, content), metav1.CreateOptions{})
	case err == nil && string(have.Data[psactSecretKey]) != string(content):
		have.Data = map[string][]byte{psactSecretKey: content}
		_, err = secrets.Update(ctx, have, metav1.UpdateOptions{})
	}
	return err
}

// validateCluster refuses the removal of rkeConfig, and a cluster without a Kubernetes version.
// Source: rancher/webhook:pkg/resources/provisioning.cattle.io/v1/cluster/validator.go@v0.4.18.
func (r *Rancher) validateCluster(_ context.Context, req *admissionv1.AdmissionRequest) (*admissionv1.AdmissionResponse, error) {
	was, is := &object{}, &object{}
	if err := json.Unmarshal(req.Object.Raw, &is.Object); err != nil {
		return nil, err
	}
	if len(req.OldObject.Raw) > 0 {
		if err := json.Unmarshal(req.OldObject.Raw, &was.Object); err != nil {
			return nil, err
		}
	}
	if is.GetDeletionTimestamp() != nil {
		return allowedResponse(), nil
	}
	if mapAt(was, "spec", "rkeConfig") != nil && mapAt(is, "spec", "rkeConfig") == nil {
		return deniedResponse(http.StatusUnprocessableEntity, "spec.rkeConfig: Invalid value: null: RKEConfig cannot be changed from non-null to null"), nil
	}
	return allowedResponse(), nil
}
