package standin

import (
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"
)

// Nodes and instances have the size of those in real clusters.
func TestNode_size_realistic(t *testing.T) {
	raw, err := json.Marshal(Node(7))
	if err != nil {
		t.Fatal(err)
	}
	if len(raw) < 18_000 || len(raw) > 24_000 {
		t.Errorf("a Node has %d bytes, want about 20 KB", len(raw))
	}
	var b strings.Builder
	writeInstance(&b, 7)
	if b.Len() < 4000 || b.Len() > 7000 {
		t.Errorf("an instance has %d bytes, want about 5 KB", b.Len())
	}
	if err := xml.Unmarshal([]byte(b.String()), new(struct{})); err != nil {
		t.Error(err)
	}
}

func TestNode_severalNodes_differ(t *testing.T) {
	names, ids := map[string]bool{}, map[string]bool{}
	for i := range 70_000 {
		names[Name(i)], ids[InstanceID(i)] = true, true
	}
	if len(names) != 70_000 || len(ids) != 70_000 {
		t.Errorf("%d names, %d ids", len(names), len(ids))
	}
}
