package journal

import "strings"

// undoPrefix begins the IDs of steps that take another step back.
const undoPrefix = "undo-"

// ToTakeBack are the intents of a step on an object that carry an inverse, newest
// first: those of the migration that is under way, not of one that was taken back
// before it.
func (r Record) ToTakeBack(step StepID, object string) []Intent {
	var found []Intent
	forward := false
	for i := len(r.Intents) - 1; i >= 0; i-- {
		intent := r.Intents[i]
		switch {
		case strings.HasPrefix(string(intent.Step), undoPrefix):
			if forward {
				return found
			}
			continue
		case len(intent.Inverse) == 0:
			continue // such as cordons given back, which both directions do
		case intent.Step == step && intent.Object == object:
			found = append(found, intent)
		}
		forward = true
	}
	return found
}

// SinceUndo are the intents of the migration that is under way: those after the
// last step that took one back.
func (r Record) SinceUndo() []Intent {
	for i := len(r.Intents) - 1; i >= 0; i-- {
		if strings.HasPrefix(string(r.Intents[i].Step), undoPrefix) {
			return r.Intents[i+1:]
		}
	}
	return r.Intents
}
