package lock

import "testing"

// table is a fake process table.
type table struct {
	here         Place
	alive, known bool
	asked        func(pid int, start uint64)
}

func (f table) Self() (at Place, start uint64) { return f.here, 1 }

func (f table) Alive(pid int, start uint64) (alive, known bool) {
	if f.asked != nil {
		f.asked(pid, start)
	}
	return f.alive, f.known
}

func TestProvenDead(t *testing.T) {
	here := Place{Boot: "boot-1", PIDs: "pid:[1]", Times: "time:[1]"}
	gone := table{here: here, known: true}
	ours := Owner{Host: "jump", PID: 8, Run: "run-2", Place: here, Tick: 200}
	for name, c := range map[string]struct {
		change func(*Owner)
		table  Processes
		want   bool
	}{
		"gone":                        {nil, gone, true},
		"gone, kernel without clocks": {func(o *Owner) { o.Place.Times = "" }, table{here: Place{Boot: "boot-1", PIDs: "pid:[1]"}, known: true}, true},
		"alive":                       {nil, table{here: here, alive: true, known: true}, false},
		"process table unreadable":    {nil, table{here: here, alive: true}, false},
		"not known, though not alive": {nil, table{here: here}, false},
		"no process table":            {nil, nil, false},
		"another host":                {func(o *Owner) { o.Host = "laptop" }, gone, false},
		"another boot":                {func(o *Owner) { o.Place.Boot = "boot-0" }, gone, false},
		"another PID namespace":       {func(o *Owner) { o.Place.PIDs = "pid:[2]" }, gone, false},
		"another time namespace":      {func(o *Owner) { o.Place.Times = "time:[2]" }, gone, false},
		"we do not know where we are": {nil, table{known: true}, false},
		"neither knows where it is":   {func(o *Owner) { o.Place = Place{} }, table{known: true}, false},
		"boot alone is known":         {func(o *Owner) { o.Place = Place{Boot: "boot-1"} }, table{here: Place{Boot: "boot-1"}, known: true}, false},
		"identity without a place":    {func(o *Owner) { o.Place, o.Tick = Place{}, 0 }, gone, false},
		"identity without a start":    {func(o *Owner) { o.Tick = 0 }, gone, false},
		"identity without a pid":      {func(o *Owner) { o.PID = 0 }, gone, false},
	} {
		owner := Owner{Host: "jump", PID: 7, Run: "run-1", Place: here, Tick: 100}
		if c.change != nil {
			c.change(&owner)
		}
		if got := ProvenDead(owner, ours, c.table); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestProvenDead_owner_isAskedFor(t *testing.T) {
	here := Place{Boot: "boot-1", PIDs: "pid:[1]"}
	var pid int
	var start uint64
	f := table{here: here, known: true, asked: func(p int, s uint64) { pid, start = p, s }}
	ProvenDead(Owner{PID: 7, Place: here, Tick: 100}, Owner{PID: 8, Place: here, Tick: 200}, f)
	if pid != 7 || start != 100 {
		t.Errorf("asked for process %d of tick %d", pid, start)
	}
}

func TestIdentity(t *testing.T) {
	old := `{"user":"alice","host":"jump","pid":7,"start":"2026-11-21T09:00:00Z","run":"run-1"}`
	o, ok := parseOwner(old)
	if !ok || o.Place.known() || o.Tick != 0 {
		t.Fatalf("an identity without the new fields: %+v, %v", o, ok)
	}
	if o.Identity() != old {
		t.Errorf("written back as %s", o.Identity())
	}
	o.Place, o.Tick = Place{Boot: "boot-1", PIDs: "pid:[1]", Times: "time:[1]"}, 1<<63
	again, ok := parseOwner(o.Identity())
	if !ok || again != o {
		t.Errorf("%+v was read back as %+v", o, again)
	}
}
