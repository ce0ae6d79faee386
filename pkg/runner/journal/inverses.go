package journal

import "strings"

// undoPrefix begins the IDs of steps that take another step back.
const undoPrefix = "undo-"

// takenBackNote is the key of the note that ToTakeBack reads: for each step, how many
// intents the journal held when a run saw that step taken back.
const takenBackNote = "taken-back"

// ToTakeBack returns the intents of a step on an object that carry an inverse, newest
// first. Left out are those from before the step was last seen taken back to its end. An
// intent of the undo alone proves nothing: it is committed before its effect, and an undo
// may be turned round half-way. Which of the rest are still in force only the object
// shows: the edit that an inverse computes is empty once it is spent.
func (r Record) ToTakeBack(step StepID, object string) []Intent {
	var found []Intent
	for i := len(r.Intents) - 1; i >= r.takenBack(step); i-- {
		if in := r.Intents[i]; in.Step == step && in.Object == object && len(in.Inverse) > 0 {
			found = append(found, in)
		}
	}
	return found
}

// Begun reports whether a step was announced and not seen taken back since.
func (r Record) Begun(step StepID) bool {
	for _, in := range r.Intents[r.takenBack(step):] {
		if in.Step == step {
			return true
		}
	}
	return false
}

// Edited reports whether an edit of an object was announced and not seen taken back since.
func (r Record) Edited(object string) bool {
	for i, in := range r.Intents {
		if in.Object == object && len(in.Inverse) > 0 && !isUndo(in.Step) && i >= r.takenBack(in.Step) {
			return true
		}
	}
	return false
}

// takenBack returns how many intents are from before a step was seen taken back, from 0 to
// all of them. A note that cannot be read counts as 0: then inverses are tried that are
// spent, and none is lost.
func (r Record) takenBack(step StepID) int {
	var at map[StepID]int
	if _, err := r.NoteInto(takenBackNote, &at); err != nil {
		return 0
	}
	return min(max(at[step], 0), len(r.Intents))
}

// TakenBack returns key and value of the note which says that steps are taken back, all
// that the journal has announced of them.
func (r Record) TakenBack(steps ...StepID) (key string, value any) {
	var at map[StepID]int
	if _, err := r.NoteInto(takenBackNote, &at); err != nil || at == nil {
		at = map[StepID]int{}
	}
	for _, step := range steps {
		at[step] = len(r.Intents)
	}
	return takenBackNote, at
}

// SinceUndo returns the intents after the last one of an undo: what the journal announced
// since the migration last went forward. Inverses and what edits left are not looked for
// here; see ToTakeBack.
func (r Record) SinceUndo() []Intent {
	for i := len(r.Intents) - 1; i >= 0; i-- {
		if isUndo(r.Intents[i].Step) {
			return r.Intents[i+1:]
		}
	}
	return r.Intents
}

func isUndo(step StepID) bool { return strings.HasPrefix(string(step), undoPrefix) }
