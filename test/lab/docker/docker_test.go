package docker

import (
	"context"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// recorded records its calls and runs nothing.
type recorded struct{ asked []string }

func (r *recorded) note(words ...string) error {
	r.asked = append(r.asked, strings.Join(words, " "))
	if words[len(words)-1] == "absent" {
		return ErrNotFound
	}
	return nil
}

func (r *recorded) Ping(context.Context) error { return ErrUnreachable }
func (r *recorded) Inspect(_ context.Context, name string) (Container, error) {
	return Container{Spec: Spec{Image: "i"}, Running: true}, r.note("inspect", name)
}
func (r *recorded) Create(_ context.Context, name string, s Spec) error {
	return r.note("create", s.Image, name)
}
func (r *recorded) Start(_ context.Context, name string) error { return r.note("start", name) }
func (r *recorded) Stop(_ context.Context, name string) error  { return r.note("stop", name) }
func (r *recorded) Rename(_ context.Context, name, to string) error {
	return r.note("rename", name, to)
}
func (r *recorded) Remove(_ context.Context, name string) error { return r.note("remove", name) }
func (r *recorded) WriteFile(_ context.Context, path string, content []byte) error {
	return r.note("write", string(content), path)
}
func (r *recorded) Healthy(context.Context, string) error { return errors.New("not healthy") }

func TestCalls(t *testing.T) {
	behind := &recorded{}
	key := Key{Token: "secret", Retry: 2 * time.Second}
	server := httptest.NewServer(Handler(key, func(address string) (Host, bool) { return behind, address == "127.2.1.10" }))
	t.Cleanup(server.Close)
	key.Control = strings.TrimPrefix(server.URL, "http://")
	text, err := key.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if key, err = ParseKey(text); err != nil || key.Retry != 2*time.Second {
		t.Fatalf("key %+v, %v", key, err)
	}
	host, ctx := Dial(key, "127.2.1.10"), t.Context()
	if c, err := host.Inspect(ctx, "kubelet"); err != nil || !c.Running || c.Spec.Image != "i" {
		t.Errorf("inspect: %+v, %v", c, err)
	}
	for _, err := range []error{
		host.Create(ctx, "kubelet", Spec{Image: "image"}), host.Start(ctx, "kubelet"), host.Stop(ctx, "kubelet"),
		host.Rename(ctx, "kubelet", "old-kubelet"), host.Remove(ctx, "old-kubelet"), host.WriteFile(ctx, "/etc/x", []byte("text")),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	want := []string{"inspect kubelet", "create image kubelet", "start kubelet", "stop kubelet", "rename kubelet old-kubelet", "remove old-kubelet", "write text /etc/x"}
	if diff := cmp.Diff(want, behind.asked); diff != "" {
		t.Errorf("the machine was asked (-want +got):\n%s", diff)
	}
	if _, err := host.Inspect(ctx, "absent"); !errors.Is(err, ErrNotFound) {
		t.Errorf("inspecting a missing container: %v", err)
	}
	if err := host.Healthy(ctx, "kubelet"); err == nil || err.Error() != "not healthy" {
		t.Errorf("healthy: %v", err)
	}
	stranger := key
	stranger.Token = "other"
	for what, err := range map[string]error{
		"a machine that is off": host.Ping(ctx), "an unknown address": Dial(key, "127.2.1.11").Start(ctx, "kubelet"),
		"a wrong key": Dial(stranger, "127.2.1.10").Start(ctx, "kubelet"),
	} {
		if !errors.Is(err, ErrUnreachable) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := ParseKey([]byte("-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n")); err == nil {
		t.Error("a real private key was read as a lab's")
	}
}
