package rancher

import (
	"errors"
	"slices"
	"testing"
	"time"
)

// A run takes Machines from the cache only while nothing shows a change, and never for long.
func TestKnown_change_listsCurrent(t *testing.T) {
	const current, cached = "current", "cached"
	start := time.Date(2026, 11, 28, 18, 0, 0, 0, time.UTC)
	of := parents{"1", "1"}
	first := map[string]string{"a": "1", "b": "1"}
	for name, tt := range map[string]struct {
		of    parents
		after time.Duration
		cache map[string]string // or nil if the cached list fails
		want  []string
	}{
		"nothing changed":           {of, time.Second, first, []string{cached}},
		"the Cluster changed":       {parents{"2", "1"}, time.Second, first, []string{current}},
		"the control plane changed": {parents{"1", "2"}, time.Second, first, []string{current}},
		"a Machine changed":         {of, time.Second, map[string]string{"a": "1", "b": "2"}, []string{cached, current}},
		"a Machine was added":       {of, time.Second, map[string]string{"a": "1", "b": "1", "c": "1"}, []string{cached, current}},
		"a Machine is gone":         {of, time.Second, map[string]string{"a": "1"}, []string{cached, current}},
		"a Machine was replaced":    {of, time.Second, map[string]string{"a": "1", "c": "1"}, []string{cached, current}},
		"too long ago":              {of, maxKnownAge, first, []string{current}},
		"the cache does not answer": {of, time.Second, nil, []string{cached, current}},
	} {
		var lists []string
		list := func(fromCache bool) (machineList, error) {
			if !fromCache {
				lists = append(lists, current)
				return machineList{versions: first}, nil
			}
			lists = append(lists, cached)
			if tt.cache == nil {
				return machineList{}, errors.New("too large resource version")
			}
			return machineList{versions: tt.cache}, nil
		}
		k := &Known{}
		for _, read := range []struct {
			of parents
			at time.Time
		}{{of, start}, {tt.of, start.Add(tt.after)}} {
			if _, err := k.machines(read.of, read.at, false, list); err != nil {
				t.Fatal(err)
			}
		}
		if want := append([]string{current}, tt.want...); !slices.Equal(lists, want) {
			t.Errorf("%s: lists %v, want %v", name, lists, want)
		}
	}
}

// Without a Known every list is as current as the reader needs.
func TestKnown_none_listsAsAsked(t *testing.T) {
	var none *Known
	for _, look := range []bool{true, false} {
		if _, err := none.machines(parents{}, time.Time{}, look, func(fromCache bool) (machineList, error) {
			if fromCache != look {
				t.Errorf("look %t: from the cache %t", look, fromCache)
			}
			return machineList{}, nil
		}); err != nil {
			t.Fatal(err)
		}
	}
}
