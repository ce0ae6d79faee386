package plans

import (
	"context"
	"maps"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
)

// editKey begins the keys, beside those of plans, of the edit that somebody else is to
// commit: one for each form of it.
const editKey = "edit-"

// Publish writes the next edit down in every form, in place of the one before, and gives
// where it is in the form of whoever keeps the Cluster; nil: none is due.
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
