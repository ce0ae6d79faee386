package runner

import "strings"

// Places names every place that a change writes: the field of an object, or the keys of
// the lines of a file behind their signs, without values. It is empty for an object that
// Helm renders.
func (c Change) Places() []string {
	if c.Form == FileDiff {
		return filePlaces(c.Diff)
	}
	if c.Location == "" {
		return nil
	}
	return []string{c.Location}
}

func filePlaces(diff string) []string {
	var places []string
	lines := strings.Split(strings.TrimSuffix(diff, "\n"), "\n")
	for _, line := range lines[min(2, len(lines)):] { // behind the two that name the file
		if line == "" || line[0] != '+' && line[0] != '-' {
			continue
		}
		key, _, _ := strings.Cut(strings.TrimSpace(line[1:]), ":")
		if strings.HasPrefix(key, "#") {
			key = "a comment"
		}
		places = append(places, line[:1]+" "+key)
	}
	return places
}
