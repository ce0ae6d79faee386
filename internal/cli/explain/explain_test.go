package explain

import "testing"

// Every reason has an explanation besides its exit code.
func TestEveryReasonIsExplained(t *testing.T) {
	all := reasons()
	if len(all) < 150 {
		t.Fatalf("%d reasons", len(all))
	}
	for _, name := range all {
		says := 0
		for _, passage := range explainReason(name).Says {
			for _, fact := range passage.Facts {
				if fact.Name != "exit" && fact.Text != "" {
					says++
				}
			}
		}
		if says == 0 {
			t.Errorf("%s: nothing says what it means; add a note in tools/generate/reasons", name)
		}
	}
}

// A check is found in any case, and by its number alone.
func TestFind_check(t *testing.T) {
	for _, id := range []string{"303", "awsm-303", "AWSM-303"} {
		if doc, err := Find(id); err != nil || doc.Check == nil || doc.Check.ID != "AWSM-303" {
			t.Errorf("%s: %+v, %v", id, doc.Check, err)
		}
	}
}
