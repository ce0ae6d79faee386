package journal

import "strings"

// undoPrefix starts the IDs of steps that undo another step.
const undoPrefix = "undo-"

// undoneNote is the key of the note that IntentsToUndo reads. For each step it holds how many
// intents the journal had when a run saw that step undone.
const undoneNote = "taken-back"

// IntentsToUndo returns the intents of a step on an object that carry an inverse, newest first. It
// omits intents from before the step was last seen undone completely. An intent of the undo
// proves nothing: it is committed before its effect, and an undo may be reversed half-way. Only
// the object shows which of the rest are still in force: a spent inverse computes an empty edit.
func (r Record) IntentsToUndo(step StepID, object string) []Intent {
	var found []Intent
	for i := len(r.Intents) - 1; i >= r.undoneIntents(step); i-- {
		if in := r.Intents[i]; in.Step == step && in.Object == object && len(in.Inverse) > 0 {
			found = append(found, in)
		}
	}
	return found
}

// Begun reports whether a step was announced and has not been seen undone since.
func (r Record) Begun(step StepID) bool {
	for _, in := range r.Intents[r.undoneIntents(step):] {
		if in.Step == step {
			return true
		}
	}
	return false
}

// Edited reports whether an edit of an object was announced and has not been seen undone since.
func (r Record) Edited(object string) bool {
	for i, in := range r.Intents {
		if in.Object == object && len(in.Inverse) > 0 && !isUndo(in.Step) && i >= r.undoneIntents(in.Step) {
			return true
		}
	}
	return false
}

// undoneIntents returns how many intents precede the moment when a step was seen undone, between 0
// and all. It returns 0 if the note cannot be read: then spent inverses are tried again, but none
// is lost.
func (r Record) undoneIntents(step StepID) int {
	var at map[StepID]int
	if _, err := r.NoteInto(undoneNote, &at); err != nil {
		return 0
	}
	return min(max(at[step], 0), len(r.Intents))
}

// UndoneNote returns the key and value of the note that records steps as undone, with all their
// intents so far.
func (r Record) UndoneNote(steps ...StepID) (key string, value any) {
	var at map[StepID]int
	if _, err := r.NoteInto(undoneNote, &at); err != nil || at == nil {
		at = map[StepID]int{}
	}
	for _, step := range steps {
		at[step] = len(r.Intents)
	}
	return undoneNote, at
}

// SinceUndo returns the intents after the last intent of an undo: those of the current migration.
// It does not serve to find inverses or leftovers of edits; see IntentsToUndo.
func (r Record) SinceUndo() []Intent {
	for i := len(r.Intents) - 1; i >= 0; i-- {
		if isUndo(r.Intents[i].Step) {
			return r.Intents[i+1:]
		}
	}
	return r.Intents
}

func isUndo(step StepID) bool { return strings.HasPrefix(string(step), undoPrefix) }
