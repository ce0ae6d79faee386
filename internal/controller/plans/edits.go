package plans

import (
	"context"
	"maps"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
)

// editKey starts the keys of the handed-off edit, one for each form.
const editKey = "edit-"

// Publish stores the next edit in every form and removes the previous one. It returns the
// location in the form for the Cluster's owner, or nil if no edit is due.
func (p Store) Publish(ctx context.Context, edit procedure.NextEdit) (*v1alpha1.Reference, error) {
	stored, err := p.load(ctx)
	if err != nil {
		return nil, err
	}
	next := stored.DeepCopy()
	maps.DeleteFunc(next.Data, func(key, _ string) bool { return strings.HasPrefix(key, editKey) })
	for form, text := range edit.Texts {
		if next.Data == nil {
			next.Data = map[string]string{}
		}
		next.Data[editKey+form] = text
	}
	if !maps.Equal(next.Data, stored.Data) {
		if _, err := p.write(ctx, stored, next); err != nil {
			return nil, err
		}
	}
	var at *v1alpha1.Reference
	if edit.Step != "" {
		at = &v1alpha1.Reference{Name: p.name(), Key: editKey + edit.Form}
	}
	return at, nil
}
