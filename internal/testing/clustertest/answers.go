package clustertest

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// LostAnswer is what becomes of a patch whose answer says nothing, or the wrong thing.
type LostAnswer struct {
	Answer error
	Lands  bool   // the patch is made, although its answer is an error
	Unread bool   // the object cannot be read afterwards
	reason string // "": it is made; "?": nobody knows
}

// LostAnswers are the answers that a patch of an object can get.
func LostAnswers(group schema.GroupResource, name string) map[string]LostAnswer {
	return map[string]LostAnswer{
		"it is made":                    {nil, false, false, ""},
		"it is made, nobody can look":   {nil, false, true, ""},
		"lost, and it is there":         {apierrors.NewTimeoutError("lost", 1), true, false, ""},
		"lost, and it is not":           {apierrors.NewTimeoutError("lost", 1), false, false, "?"},
		"lost, and nobody can look":     {apierrors.NewTimeoutError("lost", 1), true, true, "?"},
		"forbidden":                     {apierrors.NewForbidden(group, name, nil), false, false, fault.ReasonForbidden},
		"not who one was":               {apierrors.NewUnauthorized("who"), false, false, fault.ReasonUnauthorized},
		"it moved":                      {apierrors.NewConflict(group, name, nil), false, false, "ChangedMeanwhile"},
		"its values moved":              {apierrors.NewInvalid(schema.GroupKind{}, name, nil), false, false, "ChangedMeanwhile"},
		"it is gone":                    {apierrors.NewNotFound(group, name), false, false, "ChangedMeanwhile"},
		"it is no patch for the server": {apierrors.NewBadRequest("no"), false, false, "ChangedMeanwhile"},
	}
}

// Said says whether the write said what became of the patch: nothing of one that is
// made, a fault with its reason of one that is not, an error without where nobody knows.
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
