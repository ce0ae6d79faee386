package journal

import (
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// Foreign returns the fault for an inverse that does not come from an edit of awsmigrate; err
// names the key or value. The journal is neither secret nor signed, so its parser must accept an
// inverse before it is used.
func (r Record) Foreign(intent Intent, err error) error {
	return &fault.Error{
		Class: fault.Stale, Reason: reasonBroken, Object: r.objectName(),
		Seen:   fmt.Sprintf("the inverse of %q is not awsmigrate's: %v; nothing was written", intent.What, err),
		Wanted: "an inverse that restores what an edit of awsmigrate changed",
		Fix:    "find out who wrote to the object, put it back from a backup, and run again",
	}
}

// BrokenNote returns the fault for a note that cannot be read.
func (r Record) BrokenNote(key string, err error) error {
	return brokenFault(r.objectName(), fmt.Sprintf("the note %q cannot be read", key), err)
}

func (r Record) objectName() string {
	if r.Object == "" {
		return "the journal"
	}
	return r.Object
}

// object names the ConfigMap that holds the target's journal.
func (t Target) object() string {
	if t.Name == "" {
		return ""
	}
	return fmt.Sprintf("ConfigMap %s/%s", t.Namespace, Name(t.Name))
}
