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

// retryInterval is the delay before another attempt to observe the cluster. If that is
// forbidden, the delay grows up to watch.LongestRefused, because each attempt adds a line to an
// audit log.
const retryInterval = 10 * time.Second

// Options holds what a recording stores, and where.
type Options struct {
	Record, Report       string // new files, or empty
	Unasked              string // default record file; its errors are not reported
	Store                bool   // also store it next to the journal; see KeepRecord
	Command, Version, By string
	Clock                clock.WithTicker
	Timeout              time.Duration // limit of one request
	Say                  func(string)
}

// Recording is one record. A nil Recording records nothing.
type Recording struct {
	o            Options
	format       string
	file, report *os.File // or nil
	began        time.Time
	look         func(context.Context, watch.Recorder) error // Run of a watch.Recorder

	mu       sync.Mutex
	judge    *judge.Judge
	writer   record.Sink    // nil if there is no file, or writing failed
	pack     *archive.Pack  // for the stored record, or nil
	held     []record.Entry // entries of runs before the header
	first    time.Time      // time of the header, or zero
	blind    bool           // the header was written without a working recorder
	last     time.Time
	ran      bool // a run added an entry
	worked   bool // a changing step began
	ended    bool
	refused  []string           // resources that the credentials cannot watch
	run      string             // current run
	step     string             // current step, or empty
	audited  record.Audit       // last recorded audit
	runs     []string           // runs with a stored record
	kept     Kept               // state of the stored record
	unpacked error              // why no record can be stored
	watched  context.CancelFunc // stops the recorder; nil before Watch
	done     chan struct{}
}

// Open creates the files before any connection. It returns nil if nothing is requested.
func Open(o Options) (*Recording, error) {
	if o.Record == "" && o.Report == "" && o.Unasked == "" && !o.Store {
		return nil, nil
	}
	r := &Recording{o: o, judge: judge.New(), began: o.Clock.Now(), look: func(ctx context.Context, w watch.Recorder) error { return w.Run(ctx) }}
	if o.Store {
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
		r.openDefaultFile()
	}
	return r, nil
}

// openDefaultFile creates the default record file. Without it, results are only shown at the
// end.
func (r *Recording) openDefaultFile() {
	file, err := NewFile(r.o.Unasked)
	if err != nil {
		return
	}
	r.file, r.writer = file, record.NewWriter(file)
}

// Files returns the files that remain after a run, or empty.
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

// Judged returns the results so far; ok is false if the cluster was not observed.
func (r *Recording) Judged() (result judge.Result, ok bool) {
	if r == nil {
		return judge.Result{}, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.judge.Result(), r.isObserved()
}

// addRefused adds a resource that the credentials cannot watch.
func (r *Recording) addRefused(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.refused, what) {
		r.refused = append(r.refused, what)
	}
}

// Refused returns, sorted, what the record lacks because the credentials cannot watch it. It is
// empty if the run changed nothing and no record was requested.
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

// keeps reports whether the record file remains. The default file remains only if the run
// changed something and the cluster was observed.
func (r *Recording) keeps() bool { return r.o.Record != "" || r.isObserved() && r.worked }

// isObserved reports whether the cluster could be observed.
func (r *Recording) isObserved() bool { return !r.first.IsZero() && !r.blind }

// say reports an error of a requested record.
func (r *Recording) say(text string) {
	if r.o.Record != "" || r.o.Report != "" {
		r.o.Say(text)
	}
}

// Cluster identifies the cluster of a run.
type Cluster struct {
	Name     string
	Way      *rest.Config                                    // configuration of its API server
	Machines func(context.Context) ([]record.Machine, error) // may be nil
}

// Watch starts to record the cluster of a run, once. A second run of the same process, such as
// an undo, adds to the same record.
func (r *Recording) Watch(ctx context.Context, c Cluster) {
	if r == nil || c.Way == nil || r.watched != nil {
		return
	}
	ctx, r.watched = context.WithCancel(ctx)
	r.done = make(chan struct{})
	recorder := watch.Recorder{Config: c.Way, Machines: c.Machines, Clock: r.o.Clock, Began: r.began, Sink: r, Timeout: r.o.Timeout,
		Name: c.Name, Version: r.o.Version, By: r.o.By, Context: r.o.Command, Refused: r.addRefused}
	go func() {
		defer close(r.done)
		r.follow(ctx, recorder)
	}()
}

// follow records until ctx ends. It reports the first failure to observe, and retries.
func (r *Recording) follow(ctx context.Context, recorder watch.Recorder) {
	pause := retryInterval
	for said := false; ctx.Err() == nil; said = true {
		err := r.look(ctx, recorder)
		if err == nil || ctx.Err() != nil {
			return
		}
		if !said {
			r.say(fmt.Sprintf("recording failed for now; the run continues: %v", err))
		}
		r.mu.Lock()
		r.writeBlindHeader(recorder.Name)
		r.mu.Unlock()
		if apierrors.IsForbidden(err) {
			r.addRefused(string(record.Leases))
		} else {
			pause = retryInterval
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

// Close ends the record and writes the report. It removes the files if no run added an entry.
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
		errs = append(errs, r.writeReport())
	}
	return errors.Join(errs...)
}

// writeReport writes the report. It leaves no file that is empty or cut off.
func (r *Recording) writeReport() error {
	text, err := report.As(r.format, report.Of(r.judge.Result(), nil))
	if err == nil {
		_, err = r.report.Write(text)
	}
	if err := errors.Join(err, r.report.Close()); err != nil {
		err = errors.Join(err, os.Remove(r.report.Name()))
		return fmt.Errorf("no report %s: could not be written; `awsmigrate report --run last` with the cluster's flags prints it from the record next to the journal: %w", r.report.Name(), err)
	}
	return nil
}

// discard closes and removes the files.
func (r *Recording) discard() error {
	var errs []error
	for _, file := range []*os.File{r.file, r.report} {
		if file != nil {
			errs = append(errs, file.Close(), os.Remove(file.Name()))
		}
	}
	return errors.Join(errs...)
}
