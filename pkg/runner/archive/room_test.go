package archive

import (
	"fmt"
	"slices"
	"testing"
)

// The newest records remain, as many as fit; a new one always fits.
func TestDropped(t *testing.T) {
	many := map[string]int{}
	for i := range maxRecords + 2 {
		many[keyOf([]string{fmt.Sprintf("20261125T1%05dZ", i)})] = 1
	}
	for name, tt := range map[string]struct {
		have map[string]int
		runs []string
		size int
		gone []string
	}{
		"the first":                    {nil, []string{"b"}, 1, nil},
		"room for all":                 {map[string]int{"a.jsonl.gz": 10}, []string{"b"}, 10, nil},
		"the same again":               {map[string]int{"b.jsonl.gz": maxTotal}, []string{"b"}, maxTotal, nil},
		"no room":                      {map[string]int{"a.jsonl.gz": maxTotal}, []string{"b"}, 1, []string{"a.jsonl.gz"}},
		"the oldest":                   {map[string]int{"a.jsonl.gz": 10, "b.jsonl.gz": 10}, []string{"c"}, maxTotal - 15, []string{"a.jsonl.gz"}},
		"all behind one without room":  {map[string]int{"a.jsonl.gz": 1, "b.jsonl.gz": 20}, []string{"c"}, maxTotal - 15, []string{"b.jsonl.gz", "a.jsonl.gz"}},
		"that of its first run":        {map[string]int{"a.jsonl.gz": 1, "b.jsonl.gz": 1}, []string{"b", "c"}, 1, []string{"b.jsonl.gz"}},
		"not one whose name begins so": {map[string]int{"b.jsonl.gz": 1}, []string{"bb", "c"}, 1, nil},
		"too many":                     {many, []string{"z"}, 1, []string{"20261125T100002Z.jsonl.gz", "20261125T100001Z.jsonl.gz", "20261125T100000Z.jsonl.gz"}},
	} {
		if got := dropped(tt.have, keyOf(tt.runs), tt.size); !slices.Equal(got, tt.gone) {
			t.Errorf("%s: %v, wanted %v", name, got, tt.gone)
		}
	}
}
