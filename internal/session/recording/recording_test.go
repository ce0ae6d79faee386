package recording

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
	"github.com/awsmigrate/awsmigrate/pkg/record/watch"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/archive"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// desk is a recording in a temporary folder, with a fake clock.
type desk struct {
	*Recording
	clock *clocktesting.FakeClock
	said  []string
}

func open(t *testing.T, recordFile, reportFile string) *desk {
	t.Helper()
	d := &desk{clock: clocktesting.NewFakeClock(time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC))}
	r, err := Open(Options{Record: recordFile, Report: reportFile, Command: "awsmigrate rke2 --cluster demo", Version: "v1", By: "u@h", Clock: d.clock,
		Timeout: time.Second, Say: func(line string) { d.said = append(d.said, line) }})
	if err != nil {
		t.Fatal(err)
	}
	d.Recording = r
	return d
}

// run sends the events of a whole run.
func run(to runner.Sink) {
	to.Emit(runner.Event{Type: runner.RunStarted, Message: "r1", Position: "P0"})
	to.Emit(runner.Event{Type: runner.StepDone, Step: "preflight", Message: "all is well"})
	to.Emit(runner.Event{Type: runner.StepStarted, Step: "install-ccm", Title: "Install it"})
	to.Emit(runner.Event{Type: runner.StepFailed, Step: "install-ccm", Err: errors.New("no\nroom")})
	to.Emit(runner.Event{Type: runner.RunFinished, Message: "r1", Position: "P1", Err: errors.New("no room")})
}

func nobody() runner.Sink { return runner.SinkFunc(func(runner.Event) {}) }

// read returns the result of judging a file.
func read(t *testing.T, path string) judge.Result {
	t.Helper()
	file, err := os.Open(filepath.Clean(path))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	j := judge.New()
	if torn, err := record.Read(file, j.Put); err != nil || len(torn) > 0 {
		t.Fatal(torn, err)
	}
	return j.Result()
}

// observeUntilDone writes a header and observes until ctx ends.
func observeUntilDone(ctx context.Context, w watch.Recorder) error {
	at := w.Began
	for _, e := range []record.Entry{{Header: &record.Header{Form: record.Form, Name: w.Name}}, {Begun: &record.Begun{Stream: record.Leases}}, {Begun: &record.Begun{Stream: record.Pods}}} {
		e.At = at
		if err := w.Sink.Put(e); err != nil {
			return err
		}
	}
	<-ctx.Done()
	return w.Sink.Put(record.Entry{At: at, End: &record.End{Why: "asked to"}})
}

func checkRun(t *testing.T, r judge.Result) {
	t.Helper()
	if len(r.Runs) != 1 || r.Runs[0].Before != "P0" || r.Runs[0].After != "P1" || r.Runs[0].Error != "no room" || len(r.Runs[0].Steps) != 2 ||
		r.Runs[0].Steps[1].Outcome != record.Failed || r.Runs[0].Steps[1].Message != "no room" {
		t.Errorf("runs %+v", r.Runs)
	}
	if !r.Ended {
		t.Error("the record is cut off")
	}
}

// A run with a recorder: file and report contain both.
func TestRecording_runAndRecorder_both(t *testing.T) {
	folder := t.TempDir()
	file, page := filepath.Join(folder, "r.jsonl"), filepath.Join(folder, "r.html")
	d := open(t, file, page)
	looked := make(chan struct{})
	d.look = func(ctx context.Context, w watch.Recorder) error {
		<-looked // a run may begin before the first observation
		return observeUntilDone(ctx, w)
	}
	d.Watch(t.Context(), Cluster{Name: "demo", Way: &rest.Config{}})
	shown := 0
	run(d.WrapSink(runner.SinkFunc(func(runner.Event) { shown++ }), About{}))
	close(looked)
	if err := d.Close(); err != nil || shown != 5 || len(d.said) > 0 {
		t.Errorf("%v, %d events shown, said %q", err, shown, d.said)
	}
	r := read(t, file)
	checkRun(t, r)
	text, err := os.ReadFile(page)
	if err != nil || !strings.Contains(string(text), "install-ccm") || !strings.Contains(string(text), "awsmigrate rke2 --cluster demo") {
		t.Errorf("%v in\n%s", err, text)
	}
}

// A recorder that cannot observe reports it once. The report covers the run, with unknown
// pauses.
func TestFollow_unreachable_reportsOnce(t *testing.T) {
	folder := t.TempDir()
	file, page := filepath.Join(folder, "r.jsonl"), filepath.Join(folder, "r.md")
	d := open(t, file, page)
	tries := make(chan struct{})
	d.look = func(ctx context.Context, w watch.Recorder) error {
		select {
		case tries <- struct{}{}:
			return errors.New("forbidden")
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	d.Watch(t.Context(), Cluster{Name: "demo", Way: &rest.Config{}})
	run(d.WrapSink(nobody(), About{}))
	for range 3 {
		<-tries
		for !d.clock.HasWaiters() {
			select {
			case <-t.Context().Done():
				t.Fatal("no timer waits")
			default:
			}
		}
		d.clock.Step(retryInterval)
	}
	if err := d.Close(); err != nil || len(d.said) != 1 {
		t.Errorf("%v, said %q", err, d.said)
	}
	r := read(t, file)
	checkRun(t, r)
	if r.Verdict() != judge.NotSeen {
		t.Errorf("verdict %q without an observation", r.Verdict())
	}
	if text, err := os.ReadFile(page); err != nil || !strings.Contains(string(text), "install-ccm") {
		t.Errorf("%v in\n%s", err, text)
	}
}

// If observing is forbidden, attempts become less frequent. After a changing run, Refused names
// the missing resources.
func TestFollow_forbidden_backsOff(t *testing.T) {
	d := unasked(t, filepath.Join(t.TempDir(), "r.jsonl"))
	tries := make(chan struct{})
	d.look = func(ctx context.Context, _ watch.Recorder) error {
		select {
		case tries <- struct{}{}:
			return &fault.Error{Reason: "LeasesUnread", Err: apierrors.NewForbidden(schema.GroupResource{Resource: "leases"}, "", errors.New("no role"))}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	d.Watch(t.Context(), Cluster{Name: "demo", Way: &rest.Config{}})
	for _, pause := range []time.Duration{retryInterval, 2 * retryInterval, 4 * retryInterval, 8 * retryInterval, 16 * retryInterval, watch.LongestRefused, watch.LongestRefused} {
		<-tries
		for !d.clock.HasWaiters() {
			select {
			case <-t.Context().Done():
				t.Fatal("no timer waits")
			default:
			}
		}
		if d.clock.Step(pause - time.Second); !d.clock.HasWaiters() {
			t.Errorf("tried again before %s", pause)
		}
		d.clock.Step(time.Second)
	}
	if got := d.Refused(); len(got) > 0 {
		t.Errorf("a run that changed nothing lacks %q", got)
	}
	run(d.WrapSink(nobody(), About{}))
	d.addRefused("pods")
	if got := d.Refused(); !slices.Equal(got, []string{"leases", "pods"}) {
		t.Errorf("refused: %q", got)
	}
	if err := d.Close(); err != nil || len(d.said) > 0 {
		t.Errorf("%v, said %q", err, d.said)
	}
}

// Steps before the first failed observation keep their times.
func TestWriteBlindHeader_keepsTimes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "r.jsonl")
	d := open(t, file, "")
	to := d.WrapSink(nobody(), About{})
	to.Emit(runner.Event{Type: runner.RunStarted, Message: "r1", Position: "P0"})
	d.clock.Step(time.Minute)
	to.Emit(runner.Event{Type: runner.RunFinished, Message: "r1", Position: "P1"})
	d.clock.Step(time.Minute)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if r := read(t, file); r.Runs[0].Until.Sub(r.Runs[0].From) != time.Minute || r.Until.Sub(r.From) != 2*time.Minute {
		t.Errorf("%+v", r)
	}
}

// A recorder that succeeds later records the earlier gap.
func TestPut_lateRecorder_recordsGap(t *testing.T) {
	file := filepath.Join(t.TempDir(), "r.jsonl")
	d := open(t, file, "")
	d.writeBlindHeader("demo")
	run(d.WrapSink(nobody(), About{}))
	d.clock.Step(time.Minute)
	for _, e := range []record.Entry{{Header: &record.Header{Form: record.Form, Name: "demo", Kubernetes: "v1.26"}}, {Begun: &record.Begun{Stream: record.Leases}}, {Begun: &record.Begun{Stream: record.Pods}}} {
		e.At = d.now()
		if err := d.Put(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	r := read(t, file)
	checkRun(t, r)
	if r.Header.Kubernetes == "" || r.Verdict() != judge.NotSeen || len(r.Blind()) == 0 || r.Blind()[0].To.Sub(r.Blind()[0].From) != time.Minute {
		t.Errorf("verdict %q, blind %+v", r.Verdict(), r.Blind())
	}
}

// An existing file is an error, and nothing else is created.
func TestOpen_fileExists_fails(t *testing.T) {
	folder := t.TempDir()
	there := filepath.Join(folder, "there.html")
	if err := os.WriteFile(there, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]Options{
		"record there":      {Record: there, Report: filepath.Join(folder, "new.html")},
		"report there":      {Record: filepath.Join(folder, "new.jsonl"), Report: there},
		"report of no kind": {Record: filepath.Join(folder, "new.jsonl"), Report: filepath.Join(folder, "new.pdf")},
		"no folder":         {Record: filepath.Join(folder, "none", "new.jsonl")},
	} {
		o.Clock = clocktesting.NewFakeClock(time.Time{})
		if r, err := Open(o); fault.ClassOf(err) != fault.Usage || r != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	left, err := os.ReadDir(folder)
	if err != nil || len(left) != 1 {
		t.Errorf("%v, left %v", err, left)
	}
}

// A run that never began leaves no file: the same command can run again.
func TestClose_noRun_removesFiles(t *testing.T) {
	folder := t.TempDir()
	d := open(t, filepath.Join(folder, "r.jsonl"), filepath.Join(folder, "r.html"))
	d.look = observeUntilDone
	d.Watch(t.Context(), Cluster{Name: "demo", Way: &rest.Config{}})
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 0 {
		t.Errorf("%v, left %v", err, left)
	}
}

// unasked returns the recording of a run with only the default file.
func unasked(t *testing.T, file string) *desk {
	t.Helper()
	d := &desk{clock: clocktesting.NewFakeClock(time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC))}
	r, err := Open(Options{Unasked: file, Version: "v1", Clock: d.clock, Timeout: time.Second, Say: func(line string) { d.said = append(d.said, line) }})
	if err != nil {
		t.Fatal(err)
	}
	d.Recording = r
	return d
}

// The default file is kept and named at the end, and its errors do not disturb the run.
func TestUnasked(t *testing.T) {
	folder := t.TempDir()
	for name, tc := range map[string]struct {
		file       string
		kept, sees bool
		idle       bool
	}{
		"seen":         {file: filepath.Join(folder, "a.jsonl"), kept: true, sees: true},
		"nothing done": {file: filepath.Join(folder, "d.jsonl"), sees: true, idle: true},
		"no place":     {file: filepath.Join(folder, "none", "b.jsonl"), sees: true},
		"may not look": {file: filepath.Join(folder, "c.jsonl")},
	} {
		d, looked := unasked(t, tc.file), make(chan struct{})
		d.look = func(ctx context.Context, w watch.Recorder) error {
			defer close(looked)
			if !tc.sees {
				return errors.New("forbidden")
			}
			ended, end := context.WithCancel(ctx)
			end()
			return observeUntilDone(ended, w)
		}
		d.Watch(t.Context(), Cluster{Name: "demo", Way: &rest.Config{}})
		if to := d.WrapSink(nobody(), About{}); tc.idle {
			to.Emit(runner.Event{Type: runner.RunStarted, Message: "r1", Position: "P5"})
			to.Emit(runner.Event{Type: runner.StepStarted, Step: "verify"})
		} else {
			run(to)
		}
		<-looked
		file, _ := d.Files()
		judged, sees := d.Judged()
		if (file == tc.file) != tc.kept || sees != tc.sees || tc.sees && len(judged.Runs) != 1 {
			t.Errorf("%s: kept %q, seen %t with %d runs", name, file, sees, len(judged.Runs))
		}
		if err := d.Close(); err != nil || len(d.said) > 0 {
			t.Errorf("%s: %v, said %q", name, err, d.said)
		}
		if _, err := os.Stat(tc.file); (err == nil) != tc.kept {
			t.Errorf("%s: afterwards %v", name, err)
		}
	}
}

// A full disk ends the file, with one message. Run and report continue.
func TestPut_diskFull_endsFile(t *testing.T) {
	d := open(t, filepath.Join(t.TempDir(), "r.jsonl"), "")
	d.writer = failing{}
	d.writeBlindHeader("demo")
	run(d.WrapSink(nobody(), About{}))
	if len(d.said) != 1 || len(d.judge.Result().Runs) != 1 {
		t.Errorf("said %q", d.said)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

type failing struct{}

func (failing) Put(record.Entry) error { return errors.New("no space left on device") }

// Without options nothing is recorded.
func TestOpen_noOptions_nil(t *testing.T) {
	r, err := Open(Options{})
	if r != nil || err != nil {
		t.Fatal(r, err)
	}
	r.Watch(t.Context(), Cluster{Name: "demo"})
	if sink := r.WrapSink(nil, About{}); sink != nil || r.Close() != nil {
		t.Error("it does something")
	}
}

// shelf stores records, or fails.
type shelf struct {
	runs   [][]string
	packed []byte
	err    error
}

func (s *shelf) Keep(_ context.Context, runs []string, packed []byte) error {
	if s.err == nil {
		s.runs, s.packed = append(s.runs, runs), packed
	}
	return s.err
}

// storedOnly returns a recording that is only stored next to the journal.
func storedOnly(t *testing.T) *desk {
	t.Helper()
	d := &desk{clock: clocktesting.NewFakeClock(time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC))}
	r, err := Open(Options{Store: true, Command: "c", Version: "v1", By: "u@h", Clock: d.clock, Timeout: time.Second, Say: func(line string) { d.said = append(d.said, line) }})
	if err != nil {
		t.Fatal(err)
	}
	d.Recording = r
	return d
}

// A finished run's record is stored as a whole. The record of an undo by the same process
// replaces it, and covers both runs.
func TestKeepRecord(t *testing.T) {
	d, to := storedOnly(t), &shelf{}
	d.look = observeUntilDone
	d.Watch(t.Context(), Cluster{Name: "demo", Way: &rest.Config{}})
	run(d.WrapSink(nobody(), About{}))
	d.KeepRecord(t.Context(), to, "r1")
	if d.Kept() != (Kept{Run: "r1"}) {
		t.Fatalf("%+v", d.Kept())
	}
	checkRun(t, unpacked(t, to.packed))
	back := d.WrapSink(nobody(), About{Undo: true})
	back.Emit(runner.Event{Type: runner.RunStarted, Message: "r2", Position: "P1"})
	back.Emit(runner.Event{Type: runner.RunFinished, Message: "r2", Position: "P0"})
	d.KeepRecord(t.Context(), to, "r2")
	if err := d.Close(); err != nil || len(d.said) > 0 {
		t.Errorf("%v, said %q", err, d.said)
	}
	if len(to.runs) != 2 || !slices.Equal(to.runs[1], []string{"r1", "r2"}) {
		t.Errorf("kept as of %v", to.runs)
	}
	if r := unpacked(t, to.packed); len(r.Runs) != 2 || r.Runs[1].Goal != record.Undo || !r.Ended {
		t.Errorf("runs %+v, ended %t", r.Runs, r.Ended)
	}
}

func unpacked(t *testing.T, packed []byte) judge.Result {
	t.Helper()
	j := judge.New()
	if torn, err := archive.Read(packed, j.Put); err != nil || len(torn) > 0 {
		t.Fatal(torn, err)
	}
	return j.Result()
}

// A run without changes, a killed run, and a run without the option store nothing. A failure to
// store is no error of the run.
func TestKeepRecord_nothingToKeep(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	forbidden := errors.New("forbidden")
	looks := func(step journal.StepID) func(runner.Sink) {
		return func(to runner.Sink) {
			to.Emit(runner.Event{Type: runner.RunStarted, Message: "r1", Position: "P0"})
			to.Emit(runner.Event{Type: runner.StepStarted, Step: step})
			to.Emit(runner.Event{Type: runner.RunFinished, Message: "r1", Position: "P0"})
		}
	}
	for name, tt := range map[string]struct {
		ctx    context.Context
		desk   *desk
		run    func(runner.Sink)
		to     *shelf
		failed error
	}{
		"it changed nothing": {t.Context(), storedOnly(t), looks("preflight"), &shelf{}, nil},
		"undo was refused":   {t.Context(), storedOnly(t), looks("undo-preflight"), &shelf{}, nil},
		"it was ended":       {ended, storedOnly(t), run, &shelf{}, nil},
		"no option set":      {t.Context(), open(t, filepath.Join(t.TempDir(), "r.jsonl"), ""), run, &shelf{}, nil},
		"it may not be":      {t.Context(), storedOnly(t), run, &shelf{err: forbidden}, forbidden},
	} {
		tt.run(tt.desk.WrapSink(nobody(), About{}))
		tt.desk.KeepRecord(tt.ctx, tt.to, "r1")
		if got := tt.desk.Kept(); got.Run != "" || !errors.Is(got.Err, tt.failed) || len(tt.to.runs) > 0 {
			t.Errorf("%s: %+v, kept %v", name, got, tt.to.runs)
		}
		if err := tt.desk.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	(*Recording)(nil).KeepRecord(t.Context(), &shelf{}, "r1")
	if (*Recording)(nil).Kept() != (Kept{}) {
		t.Error("a recording that keeps nothing kept something")
	}
}

// If the cluster cannot be observed, the steps of the run are stored.
func TestKeepRecord_unobserved(t *testing.T) {
	d, to := storedOnly(t), &shelf{}
	run(d.WrapSink(nobody(), About{}))
	d.KeepRecord(t.Context(), to, "r1")
	if err := d.Close(); err != nil || d.Kept().Run != "r1" {
		t.Fatal(err, d.Kept())
	}
	if r := unpacked(t, to.packed); len(r.Runs) != 1 || r.Runs[0].ID != "r1" || len(r.Unwatched) == 0 {
		t.Errorf("%+v", r)
	}
}

// A report that the disk does not take leaves no empty file, and its message names another way to it.
func TestClose_reportNotWritten_noFileLeft(t *testing.T) {
	page := filepath.Join(t.TempDir(), "r.html")
	d := open(t, "", page)
	run(d.WrapSink(nobody(), About{}))
	if err := d.report.Close(); err != nil { // so that its write fails
		t.Fatal(err)
	}
	err := d.Close()
	if err == nil || !strings.Contains(err.Error(), page) || !strings.Contains(err.Error(), "awsmigrate report --run last") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(page); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is left: %v", err)
	}
}
