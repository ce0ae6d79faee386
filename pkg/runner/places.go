package runner

import "strings"

// Places lists the places that a change writes, without values: the field of an object, or the
// keys of changed lines of a file with their signs. It is empty for an object that Helm renders.
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
	for _, line := range lines[min(2, len(lines)):] { // skip the two header lines that name the file
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
