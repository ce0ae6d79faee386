package notation

// Element is an argument that an edit added or removed, with its position.
type Element struct {
	At    int    `json:"at"`
	Value string `json:"value"`
}

// Delta returns the arguments that are only in before and only in after, with their positions
// there. One pass over both suffices: edits append and remove arguments and keep the order of the
// rest.
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
