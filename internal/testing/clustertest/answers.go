package clustertest

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// LostAnswer describes the fate of a patch whose answer is lost or wrong.
type LostAnswer struct {
	Answer error
	Lands  bool   // the patch is applied although its answer is an error
	Unread bool   // the object cannot be read afterwards
	reason string // reason of the fault; empty if the patch is applied, "?" if that is unknown
}

// LostAnswers returns the answers that a patch of an object can get, by name.
func LostAnswers(group schema.GroupResource, name string) map[string]LostAnswer {
	return map[string]LostAnswer{
		"it is made":                    {nil, false, false, ""},
		"it is made, then unreadable":   {nil, false, true, ""},
		"lost, and it is there":         {apierrors.NewTimeoutError("lost", 1), true, false, ""},
		"lost, and it is not":           {apierrors.NewTimeoutError("lost", 1), false, false, "?"},
		"lost, then unreadable":         {apierrors.NewTimeoutError("lost", 1), true, true, "?"},
		"forbidden":                     {apierrors.NewForbidden(group, name, nil), false, false, fault.ReasonForbidden},
		"not who one was":               {apierrors.NewUnauthorized("who"), false, false, fault.ReasonUnauthorized},
		"it moved":                      {apierrors.NewConflict(group, name, nil), false, false, "ChangedMeanwhile"},
		"its values moved":              {apierrors.NewInvalid(schema.GroupKind{}, name, nil), false, false, "ChangedMeanwhile"},
		"it is gone":                    {apierrors.NewNotFound(group, name), false, false, "ChangedMeanwhile"},
		"it is no patch for the server": {apierrors.NewBadRequest("no"), false, false, "ChangedMeanwhile"},
	}
}

// Said reports whether err is the right result of a write: nil if the patch is applied, a
// fault if it is not, or another error if that is unknown.
func (l LostAnswer) Said(err error) bool {
	f, known := fault.As(err)
	switch l.reason {
	case "":
		return err == nil
	case "?":
		return err != nil && !known
	}
	return known && f.Reason == l.reason
}
