package sim

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// command is one command of a sequence: forward to a step, or back to one; an empty step means the
// end.
type command struct {
	undo  bool
	until journal.StepID
}

func (c command) String() string {
	words := "on"
	if c.undo {
		words = "back"
	}
	if c.until != "" {
		words += " until " + string(c.until)
	}
	return words
}

// sequence lists consecutive commands.
type sequence []command

func (s sequence) String() string {
	var words []string
	for _, c := range s {
		words = append(words, c.String())
	}
	return strings.Join(words, ", ")
}

// sequences returns every "forward to X, back to Y, forward to Z, back to the end" of a scenario.
// A fast run omits those in which the first undo undoes no step, or the second migration ends
// before the first one's step.
func sequences(s scenario) []sequence {
	var on, back []journal.StepID
	for _, info := range procedure.StepInfos() {
		if info.Irreversible == "" && (info.ID != migration.StepHandOver || s.run.Early) {
			on = append(on, info.ID)
		}
	}
	for _, info := range procedure.UndoOrder() {
		back = append(back, info.ID)
	}
	var all []sequence
	for i, x := range on {
		for _, y := range back {
			takes := slices.Index(on, journal.StepID(strings.TrimPrefix(string(y), "undo-")))
			if sampleStride(2) > 1 && (takes < 0 || takes > i || !strings.HasPrefix(string(y), "undo-")) {
				continue
			}
			for j, z := range on {
				if sampleStride(2) > 1 && j < i {
					continue
				}
				all = append(all, sequence{{until: x}, {undo: true, until: y}, {until: z}, {undo: true}})
			}
		}
	}
	return all
}

// kill names the call of a sequence at which the process dies: the n-th of all, or the n-th write.
type kill struct {
	command, n int
	write      bool
	outcome    Outcome
}

func (k kill) String() string {
	of := "call"
	if k.write {
		of = "write"
	}
	return fmt.Sprintf("killed in command %d at %s %d (outcome %d)", k.command+1, of, k.n, k.outcome)
}

func (k kill) before(c Call) Outcome {
	if k.write && c.Writes && c.Write == k.n || !k.write && c.N == k.n {
		return k.outcome
	}
	return Pass
}

// played is the state after the first commands of a sequence.
type played struct {
	world    *World
	ended    Ended // of the last command
	commands int
}

// player runs sequences of a scenario. It runs a shared beginning once.
type player struct {
	t      *testing.T
	run    Run
	begun  map[string]played
	config string            // at the start
	dump   map[string]string // at the start

	staleRuns int // consecutive ones
}

func newPlayer(t *testing.T, s scenario) *player {
	t.Helper()
	w := s.world()
	return &player{t: t, run: s.run, begun: map[string]played{"": {world: w}}, config: w.config(), dump: withoutTraces(w.Dump())}
}

// begin returns the state after the first commands of a sequence. It stores those of one or two
// commands, and the last of three.
func (p *player) begin(s sequence) (played, error) {
	name := s.String()
	if done, ok := p.begun[name]; ok {
		return done, nil
	}
	before, err := p.begin(s[:len(s)-1])
	if err != nil {
		return before, err
	}
	after, err := p.play(before.world.clone(), s[len(s)-1], nil)
	if err != nil || len(s) > 3 {
		return after, err
	}
	if len(s) == 3 {
		maps.DeleteFunc(p.begun, func(_ string, kept played) bool { return kept.commands == 3 })
	}
	after.commands = len(s)
	p.begun[name] = after
	return after, err
}

// play runs one command. It repeats a killed command, and one that finds its plan stale: during a
// rollout, its tool cordons one Node after the other.
func (p *player) play(w *World, c command, at *kill) (played, error) {
	r := p.run
	r.ID, r.Undo, r.Until = w.nextRun(), c.undo, c.until
	if at != nil {
		r.Before = at.before
	}
	ended := do(p.t, r, w)
	if ended.Killed || p.isStale(ended.Err) {
		return p.play(w, c, nil)
	}
	if ended.Err != nil {
		return played{}, fmt.Errorf("%s: %w", c, ended.Err)
	}
	return played{world: w, ended: ended}, nil
}

// isStale reports whether a command found its plan stale. Three consecutive ones are a fault.
func (p *player) isStale(err error) bool {
	if fault.ClassOf(err) != fault.Stale {
		p.staleRuns = 0
		return false
	}
	p.staleRuns++
	return p.staleRuns <= 2
}

// playWhole plays a sequence to its end and returns the state after each command.
func (p *player) playWhole(s sequence) (all []played, wrong []string) {
	for n := range s {
		next, err := p.begin(s[:n+1])
		if err != nil {
			return nil, []string{err.Error()}
		}
		all = append(all, next)
	}
	return all, p.judge(all[len(s)-1])
}

// playKilled plays a sequence once more, with a kill in one of its commands.
func (p *player) playKilled(s sequence, all []played, k kill) []string {
	w := p.begun[""].world.clone()
	if k.command > 0 {
		w = all[k.command-1].world.clone()
	}
	last, err := p.play(w, s[k.command], &k)
	for n := k.command + 1; n < len(s) && err == nil; n++ {
		last, err = p.play(last.world, s[n], nil)
	}
	if err != nil {
		return []string{err.Error()}
	}
	return p.judge(last)
}

// judge returns the faults at the end of a sequence.
func (p *player) judge(end played) []string {
	w := end.world.clone()
	wrong := slices.Concat(w.Violations(), w.cordonFaults(), journalFaults(w))
	if end.ended.Result.Position != position.P0.String() {
		wrong = append(wrong, "the cluster is at "+end.ended.Result.Position)
	}
	w.advanceBy(time.Minute)
	if diff := cmp.Diff(p.config, w.config()); diff != "" {
		return append(wrong, "the configuration differs (-before +after):\n"+diff)
	}
	if diff := cmp.Diff(p.dump, withoutTraces(w.Dump())); diff != "" {
		wrong = append(wrong, "the cluster differs (-before +after):\n"+diff)
	}
	return wrong
}

// killAt chooses a call of one of the commands, by a seed.
func killAt(seed uint64, all []played) kill {
	random := rand.New(rand.NewPCG(seed, 1))
	k := kill{command: random.IntN(len(all)), outcome: Kill}
	if random.IntN(2) == 0 {
		k.outcome = KillAfter
	}
	ended := all[k.command].ended
	if k.write = ended.Writes > 0 && random.IntN(2) == 0; k.write {
		k.n = random.IntN(ended.Writes)
	} else {
		k.n = random.IntN(ended.Calls)
	}
	return k
}

// Any order of forward and back that ends with an undo ends in the original state. So does one
// with a command that is killed at some call and run again.
func TestUndoSequences(t *testing.T) {
	for _, s := range scenarios {
		t.Run(s.name+"_back_and_forth_ends_as_it_began", func(t *testing.T) {
			t.Parallel()
			p, all := newPlayer(t, s), sequences(s)
			tried, kills := 0, 0
			random := rand.New(rand.NewPCG(uint64(len(s.name)), 0))
			for _, i := range random.Perm(len(all))[:max(1, len(all)/sampleStride(45))] {
				tried++
				states, wrong := p.playWhole(all[i])
				if len(wrong) > 0 {
					t.Errorf("%s: %s", all[i], strings.Join(wrong, "\n"))
					continue
				}
				kills++
				k := killAt(uint64(i), states)
				if wrong := p.playKilled(all[i], states, k); len(wrong) > 0 {
					t.Errorf("%s; %s: %s", all[i], k, strings.Join(wrong, "\n"))
				}
			}
			if tried == 0 {
				t.Error("no sequences were tried")
			}
			t.Logf("counts: %s: %d of %d sequences, %d of them also with a kill", s.name, tried, len(all), kills)
		})
	}
}

// If an undo was reversed once, by a person or by the end of a run, the next undo leaves nothing
// behind.
func TestUndoTurnedRound(t *testing.T) {
	for name, s := range map[string]sequence{
		"installed_turned_round_at_the_install": {{until: migration.StepInstall}, {undo: true, until: migration.StepUndoInstall}, {until: migration.StepInstall}, {undo: true}},
		"migrated_turned_round_at_the_end":      {{}, {undo: true, until: migration.StepUndoDisable}, {}, {undo: true}},
		"migrated_turned_round_at_the_switch":   {{}, {undo: true, until: migration.StepUndoSwitch}, {}, {undo: true}},
		"migrated_turned_round_twice": {{}, {undo: true, until: migration.StepUndoSwitch}, {until: migration.StepSwitch}, {undo: true, until: migration.StepUndoEnable},
			{}, {undo: true}},
	} {
		for _, kind := range []scenario{scenarios[0], scenarios[2], scenarios[inRancher]} {
			t.Run(kind.name+"_"+name+"_ends_as_it_began", func(t *testing.T) {
				t.Parallel()
				if _, wrong := newPlayer(t, kind).playWhole(s); len(wrong) > 0 {
					t.Errorf("%s: %s", s, strings.Join(wrong, "\n"))
				}
			})
		}
	}
}

// An undo reverts the installation of the cloud controller manager, regardless of its flags. A
// field of the Cluster object that was missing is absent again, not empty.
func TestUndo_manifestWithoutFlags_restoresFields(t *testing.T) {
	for name, undo := range map[string]Run{
		"handed_over_undone_with_the_method_is_absent": {Undo: true, Method: migration.InstallManifest},
		"handed_over_undone_with_no_flag_is_absent":    {Undo: true},
		"handed_over_undone_with_all_flags_is_absent":  {Undo: true, Method: migration.InstallManifest, Early: true},
	} {
		for _, until := range []journal.StepID{migration.StepHandOver, migration.StepDisable} {
			t.Run(string(until)+"_"+name, func(t *testing.T) {
				t.Parallel()
				p := newPlayer(t, scenario{world: NewRKE2, run: Run{Method: migration.InstallManifest, Early: true}})
				there, err := p.begin(sequence{{until: until}})
				if err != nil {
					t.Fatal(err)
				}
				p.run = undo
				back, err := p.play(there.world, command{undo: true}, nil)
				if err != nil {
					t.Fatal(err)
				}
				if wrong := p.judge(back); len(wrong) > 0 {
					t.Error(strings.Join(wrong, "\n"))
				}
			})
		}
	}
}
