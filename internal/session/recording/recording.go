package recording

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/report"
	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
	"github.com/awsmigrate/awsmigrate/pkg/record/watch"
	"github.com/awsmigrate/awsmigrate/pkg/runner/archive"
)

// again is how long a recorder that could not look waits before it looks again; where that
// is forbidden, longer each time, up to watch.LongestRefused: each try is a line in an audit
// log.
const again = 10 * time.Second

// Options say what is kept of a run, and where.
type Options struct {
	Record, Report       string // files that are not there yet; "": none
	Unasked              string // the record, where none was asked for: what goes wrong with it is not told
	Beside               bool   // keep it beside the journal, too; see KeepBeside
	Command, Version, By string
	Clock                clock.WithTicker
	Timeout              time.Duration // of one request
	Say                  func(string)
}

// Recording is one record. A nil one keeps nothing.
type Recording struct {
	o            Options
	format       string
	file, report *os.File // nil: none
	began        time.Time
	look         func(context.Context, watch.Recorder) error // watch.Recorder's Run

	mu       sync.Mutex
	judge    *judge.Judge
	writer   record.Sink    // nil: nowhere, or no more
	pack     *archive.Pack  // for the record beside the journal; nil: none is asked for
	held     []record.Entry // of runs, until there is a header
	first    time.Time      // when the header came; zero: there is none
	blind    bool           // the header is of one who cannot look
	last     time.Time
	ran      bool // a run had something to say
	worked   bool // it began a step that changes something
	ended    bool
	refused  []string           // what the credentials may not watch
	run      string             // that is under way
	step     string             // of it, that is; "": none
	audited  record.Audit       // the last one that is kept
	runs     []string           // that have a record beside the journal
	kept     Kept               // what became of it
	unpacked error              // why there will be none
	watched  context.CancelFunc // nil: nobody watches
	done     chan struct{}
}

// Open makes the files, before anything is reached. It is nil where nothing is asked for.
func Open(o Options) (*Recording, error) {
	if o.Record == "" && o.Report == "" && o.Unasked == "" && !o.Beside {
		return nil, nil
	}
	r := &Recording{o: o, judge: judge.New(), began: o.Clock.Now(), look: func(ctx context.Context, w watch.Recorder) error { return w.Run(ctx) }}
	if o.Beside {
		r.pack = archive.NewPack()
	}
	var err error
	if o.Report != "" {
		if r.format, err = formatOf(o.Report); err != nil {
			return nil, err
		}
		if r.report, err = NewFile(o.Report); err != nil {
			return nil, err
		}
	}
	if o.Record != "" {
		if r.file, err = NewFile(o.Record); err != nil {
			return nil, errors.Join(err, r.discard())
		}
		r.writer = record.NewWriter(r.file)
	}
	if o.Record == "" && o.Unasked != "" {
		r.unasked()
	}
	return r, nil
}

// unasked makes the file of a record that nobody asked for. Where there is none, what is
// seen is still told at the end.
func (r *Recording) unasked() {
	file, err := NewFile(r.o.Unasked)
	if err != nil {
		return
	}
	r.file, r.writer = file, record.NewWriter(file)
}

// Files returns the files that a run leaves; empty for none.
func (r *Recording) Files() (kept, report string) {
	if r == nil {
		return "", ""
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.keeps() && r.file != nil && r.writer != nil {
		kept = r.file.Name()
	}
	return kept, r.o.Report
}

// Judged returns what was seen so far; ok is false if nothing of the cluster was.
func (r *Recording) Judged() (result judge.Result, ok bool) {
	if r == nil {
		return judge.Result{}, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.judge.Result(), r.seen()
}

// isRefused notes what the credentials may not watch.
func (r *Recording) isRefused(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.refused, what) {
		r.refused = append(r.refused, what)
	}
}

// Refused is what the record of a run lacks since the credentials may not watch it, in the
// order of the alphabet; nothing, where the run changed nothing and nobody asked for one.
func (r *Recording) Refused() []string {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.o.Record == "" && r.o.Report == "" && !r.worked {
		return nil
	}
	return slices.Sorted(slices.Values(r.refused))
}

// keeps reports whether the record is worth its file: one that nobody asked for only if the run
// changed something and the cluster could be watched.
func (r *Recording) keeps() bool { return r.o.Record != "" || r.seen() && r.worked }

// seen reports whether the cluster could be watched.
func (r *Recording) seen() bool { return !r.first.IsZero() && !r.blind }

// say tells what goes wrong with a record that somebody asked for.
func (r *Recording) say(text string) {
	if r.o.Record != "" || r.o.Report != "" {
		r.o.Say(text)
	}
}

// Cluster is the one that a run is on.
type Cluster struct {
	Name     string
	Way      *rest.Config                                    // to its API server
	Machines func(context.Context) ([]record.Machine, error) // nil: nobody knows them
}

// Watch begins to record the cluster that a run is on, once: a second run of the same
// process, which takes the first one back, is in the same record.
func (r *Recording) Watch(ctx context.Context, c Cluster) {
	if r == nil || c.Way == nil || r.watched != nil {
		return
	}
	ctx, r.watched = context.WithCancel(ctx)
	r.done = make(chan struct{})
	recorder := watch.Recorder{Config: c.Way, Machines: c.Machines, Clock: r.o.Clock, Began: r.began, Sink: r, Timeout: r.o.Timeout,
		Name: c.Name, Version: r.o.Version, By: r.o.By, Context: r.o.Command, Refused: r.isRefused}
	go func() {
		defer close(r.done)
		r.follow(ctx, recorder)
	}()
}

// follow records until ctx ends. Where it cannot look it says so once, and looks again.
func (r *Recording) follow(ctx context.Context, recorder watch.Recorder) {
	pause := again
	for said := false; ctx.Err() == nil; said = true {
		err := r.look(ctx, recorder)
		if err == nil || ctx.Err() != nil {
			return
		}
		if !said {
			r.say(fmt.Sprintf("not recorded for now, and the run goes on: %v", err))
		}
		r.mu.Lock()
		r.blindly(recorder.Name)
		r.mu.Unlock()
		if apierrors.IsForbidden(err) {
			r.isRefused(string(record.Leases))
		} else {
			pause = again
		}
		timer := r.o.Clock.NewTimer(pause)
		pause = min(2*pause, watch.LongestRefused)
		select {
		case <-ctx.Done():
		case <-timer.C():
		}
		timer.Stop()
	}
}

// Close ends the record and writes the report. Where no run had anything to say the files
// are taken away again.
func (r *Recording) Close() error {
	if r == nil {
		return nil
	}
	if r.watched != nil {
		r.watched()
		<-r.done
	}
	if !r.ran || !r.keeps() && r.o.Report == "" {
		return r.discard()
	}
	r.end()
	var errs []error
	if r.file != nil {
		errs = append(errs, r.file.Close())
	}
	if r.report != nil {
		errs = append(errs, r.write())
	}
	return errors.Join(errs...)
}

// write writes the report.
func (r *Recording) write() error {
	text, err := report.As(r.format, report.Of(r.judge.Result(), nil))
	if err == nil {
		_, err = r.report.Write(text)
	}
	if err := errors.Join(err, r.report.Close()); err != nil {
		return fmt.Errorf("the report of the run is not written: %w", err)
	}
	return nil
}

// discard takes the files away.
func (r *Recording) discard() error {
	var errs []error
	for _, file := range []*os.File{r.file, r.report} {
		if file != nil {
			errs = append(errs, file.Close(), os.Remove(file.Name()))
		}
	}
	return errors.Join(errs...)
}
