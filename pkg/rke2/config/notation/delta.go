package notation

// Element is one argument that an edit put in or took out, and where it stood.
type Element struct {
	At    int    `json:"at"`
	Value string `json:"value"`
}

// Delta says which arguments are only in before and only in after, with their
// positions there. Edits here append and take out and keep the order of the
// rest, so walking both once is enough.
func Delta(before, after any) (removed, added []Element) {
	b, a := Args(before), Args(after)
	left := map[string]int{}
	for _, v := range a {
		left[v]++
	}
	j := 0
	for i, v := range b {
		switch left[v] {
		case 0:
			removed = append(removed, Element{i, v})
			continue
		default:
			for a[j] != v {
				added = append(added, Element{j, a[j]})
				left[a[j]]--
				j++
			}
			left[v]--
			j++
		}
	}
	for ; j < len(a); j++ {
		added = append(added, Element{j, a[j]})
	}
	return removed, added
}
