package controller

import (
	"cmp"
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	toolsevents "k8s.io/client-go/tools/events"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// events records Kubernetes events on the objects; `kubectl describe` shows them.
type events struct {
	recorder toolsevents.EventRecorder
	stop     func()
}

func newEvents(ctx context.Context, kube kubernetes.Interface) *events {
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		panic(err) // a programming error: it registers two types
	}
	ctx, cancel := context.WithCancel(ctx)
	broadcaster := toolsevents.NewBroadcaster(&toolsevents.EventSinkImpl{Interface: kube.EventsV1()})
	_ = broadcaster.StartRecordingToSinkWithContext(ctx)
	return &events{recorder: broadcaster.NewRecorder(scheme, "awsmigrate"), stop: func() { broadcaster.Shutdown(); cancel() }}
}

// eventReasons maps events of a run to the reasons of Kubernetes events. Other events are not recorded.
var eventReasons = map[runner.EventType]string{
	runner.LockTaken: "RunStarted", runner.StepFinished: "StepFinished", runner.StepFailed: "StepFailed", runner.RolloutPaused: "BrakePulled",
}

// recordEvent records an event of a run on the object, if the object exists.
func (c *Controller) recordEvent(key Key, e runner.Event) {
	reason := eventReasons[e.Type]
	if reason == "" {
		return
	}
	m, err := c.objects[key.Namespace].Cache().Get(key.Namespace, key.Name)
	if err != nil {
		return
	}
	kind := corev1.EventTypeNormal
	if e.Type == runner.StepFailed || e.Type == runner.RolloutPaused {
		kind = corev1.EventTypeWarning
	}
	action := string(e.Step)
	if action == "" {
		action = "run"
	}
	c.events.recorder.Eventf(m, nil, kind, reason, action, "%s", cut(noteOf(e)))
}

// noteOf describes an event that eventReasons has.
func noteOf(e runner.Event) string {
	switch {
	case e.Type == runner.LockTaken:
		return "the run holds the lock of the cluster"
	case e.Type == runner.StepFinished && len(e.Lines) > 0:
		return fmt.Sprintf("step %s finished in %s: %s", e.Step, e.Elapsed.Round(time.Second), e.Lines[0])
	case e.Type == runner.StepFinished:
		return fmt.Sprintf("step %s finished in %s", e.Step, e.Elapsed.Round(time.Second))
	case e.Type == runner.StepFailed && e.Err != nil:
		return fmt.Sprintf("step %s failed: %v", e.Step, e.Err)
	case e.Err != nil:
		return e.Err.Error()
	}
	return cmp.Or(e.Message, eventReasons[e.Type])
}

// maxNote is the maximum length of a note in bytes
// (k8s.io/kubernetes:pkg/apis/core/validation/events.go, NoteLengthLimit).
const maxNote = 1024

func cut(note string) string {
	if len(note) <= maxNote {
		return note
	}
	return note[:maxNote-len("…")] + "…"
}
