package controller

import (
	"context"

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
	runner.LockTaken: "RunStarted", runner.StepFinished: "StepFinished", runner.StepFailed: "StepFailed", runner.BrakePulled: "BrakePulled",
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
	kind, note := corev1.EventTypeNormal, e.Title
	if e.Type == runner.StepFailed || e.Type == runner.BrakePulled {
		kind = corev1.EventTypeWarning
	}
	switch {
	case e.Err != nil:
		note = e.Err.Error()
	case e.Message != "":
		note = e.Message
	case note == "":
		note = reason
	}
	action := string(e.Step)
	if action == "" {
		action = "run"
	}
	c.events.recorder.Eventf(m, nil, kind, reason, action, "%s", cut(note))
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
