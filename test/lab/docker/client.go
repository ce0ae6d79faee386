package docker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// request is one call for one machine.
type request struct {
	Name    string `json:"name,omitempty"`
	To      string `json:"to,omitempty"`
	Spec    *Spec  `json:"spec,omitempty"`
	Path    string `json:"path,omitempty"`
	Content []byte `json:"content,omitempty"`
}

type client struct {
	key     Key
	address string
}

// Dial returns the machine at that address. It does not connect yet.
func Dial(key Key, address string) Host { return client{key, address} }

func (c client) Ping(ctx context.Context) error { return c.call(ctx, "ping", request{}, nil) }

func (c client) Inspect(ctx context.Context, name string) (Container, error) {
	var out Container
	return out, c.call(ctx, "inspect", request{Name: name}, &out)
}

func (c client) Create(ctx context.Context, name string, spec Spec) error {
	return c.call(ctx, "create", request{Name: name, Spec: &spec}, nil)
}

func (c client) Start(ctx context.Context, name string) error {
	return c.call(ctx, "start", request{Name: name}, nil)
}

func (c client) Stop(ctx context.Context, name string) error {
	return c.call(ctx, "stop", request{Name: name}, nil)
}

func (c client) Rename(ctx context.Context, name, to string) error {
	return c.call(ctx, "rename", request{Name: name, To: to}, nil)
}

func (c client) Remove(ctx context.Context, name string) error {
	return c.call(ctx, "remove", request{Name: name}, nil)
}

func (c client) WriteFile(ctx context.Context, path string, content []byte) error {
	return c.call(ctx, "write", request{Path: path, Content: content}, nil)
}

func (c client) Healthy(ctx context.Context, name string) error {
	return c.call(ctx, "healthy", request{Name: name}, nil)
}

func (c client) call(ctx context.Context, what string, body request, into any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	url := "http://" + c.key.Control + prefix + c.address + "/" + what
	post, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(raw))
	if err != nil {
		return err
	}
	post.Header.Set("Authorization", "Bearer "+c.key.Token)
	answer, err := http.DefaultClient.Do(post)
	if err != nil {
		return fmt.Errorf("%w: dial tcp %s:22: %w", ErrUnreachable, c.address, err)
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	said := strings.TrimSpace(string(content))
	switch answer.StatusCode {
	case http.StatusOK:
		if into == nil {
			return nil
		}
		return json.Unmarshal(content, into)
	case http.StatusNotFound:
		return fmt.Errorf("%w: %s", ErrNotFound, body.Name)
	case http.StatusBadGateway:
		return fmt.Errorf("%w: %s", ErrUnreachable, said)
	}
	return errors.New(said)
}
