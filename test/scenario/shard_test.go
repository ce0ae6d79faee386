package scenario

import (
	"slices"
	"testing"
)

func TestParseShard(t *testing.T) {
	for text, want := range map[string]Shard{"": {1, 1}, "1/1": {1, 1}, "2/3": {2, 3}, "10/12": {10, 12}} {
		if got, err := ParseShard(text); err != nil || got != want {
			t.Errorf("%q: %v, %v; wanted %v", text, got, err, want)
		}
	}
	for _, text := range []string{"1", "0/3", "4/3", "1/0", "-1/2", "a/b", "1/2/3", "1/2 x", "/"} {
		if got, err := ParseShard(text); err == nil {
			t.Errorf("%q is taken for %v", text, got)
		}
	}
}

func TestPart_allShards_makeTheWhole(t *testing.T) {
	list := []int{0, 1, 2, 3, 4, 5, 6}
	for of := 1; of <= 9; of++ {
		var all []int
		for k := 1; k <= of; k++ {
			all = append(all, Part(Shard{k, of}, list)...)
		}
		slices.Sort(all)
		if !slices.Equal(all, list) {
			t.Errorf("%d parts hold %v", of, all)
		}
	}
}
