package rancher

import (
	"io"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
)

func TestProxyWithoutFarEnd(t *testing.T) {
	handler, err := farEnd(&rest.Config{Host: "https://" + free4(t)}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest("GET", "/api/v1/nodes", nil))
	body, _ := io.ReadAll(w.Body)
	if w.Code != 502 || !strings.HasPrefix(string(body), "error trying to reach service") {
		t.Errorf("%d %s, wanted 502", w.Code, body)
	}
	if _, err := farEnd(&rest.Config{Host: "nowhere"}, slog.New(slog.DiscardHandler)); err == nil {
		t.Error("no error for an address that is none")
	}
}
