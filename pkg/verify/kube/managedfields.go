package kube

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"
)

// lean drops managedFields from lists of metadata before they are decoded: they are
// nine tenths of the 380 MB that 150,000 pods have there, no check reads them, and no
// request can ask an API server to leave them out. All other answers pass as they
// are. It is for the client of metadata alone: of whole Nodes managedFields are so
// small a part that another copy of each page would cost more.
type lean struct {
	next  http.RoundTripper
	pages *sync.Pool // of *bytes.Buffer, one page each
}

func newLean(next http.RoundTripper) http.RoundTripper {
	return lean{next, &sync.Pool{New: func() any { return new(bytes.Buffer) }}}
}

// RoundTrip implements http.RoundTripper.
func (t lean) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.next.RoundTrip(req)
	if err != nil || resp.StatusCode != http.StatusOK || !inProtobuf(resp.Header) {
		return resp, err
	}
	page := t.pages.Get().(*bytes.Buffer)
	defer t.pages.Put(page)
	page.Reset()
	_, err = page.ReadFrom(resp.Body)
	_ = resp.Body.Close() // it is read to its end, or err says why not
	if err != nil {
		return nil, fmt.Errorf("reading the answer to %s %s: %w", req.Method, req.URL.Path, err)
	}
	body := withoutManagedFields(page.Bytes())
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	resp.Header.Set("Content-Length", strconv.Itoa(len(body)))
	return resp, nil
}

func inProtobuf(h http.Header) bool {
	kind, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	return err == nil && kind == "application/vnd.kubernetes.protobuf" && params["stream"] == ""
}

// magic is what every answer of an API server in protobuf begins with; a
// runtime.Unknown follows. Source:
// kubernetes/apimachinery:pkg/runtime/serializer/protobuf/protobuf.go@v0.37.2.
const magic = "k8s\x00"

const metadataList = "PartialObjectMetadataList"

// Numbers of fields, from the files generated.proto of kubernetes/apimachinery
// @v0.37.2. Objects have their metadata in 1 and lists their items in 2, whatever
// their kind: kubernetes/community:contributors/devel/sig-architecture/api-conventions.md.
const (
	unknownType, unknownRaw = 1, 2
	typeKind                = 2
	listItems               = 2
	objectMeta              = 1
	metaManagedFields       = 17
)

// withoutManagedFields is a copy of a list of metadata without its items'
// managedFields, and of anything else as it is. What cannot be read is left to the
// decoder's error.
func withoutManagedFields(answer []byte) []byte {
	if message, ok := bytes.CutPrefix(answer, []byte(magic)); ok && kindOf(message) == metadataList {
		out := append(make([]byte, 0, len(answer)/2), magic...)
		if out, ok = appendWithout(out, message, unknownRaw, listItems, objectMeta, metaManagedFields); ok {
			return slices.Clip(out)
		}
	}
	return bytes.Clone(answer)
}

// kindOf is the kind that a runtime.Unknown names.
func kindOf(message []byte) string {
	return string(field(field(message, unknownType), typeKind))
}

// field is the first field of that number, nil if there is none.
func field(message []byte, number protowire.Number) []byte {
	for len(message) > 0 {
		num, typ, head := protowire.ConsumeTag(message)
		if head < 0 {
			return nil
		}
		n := protowire.ConsumeFieldValue(num, typ, message[head:])
		if n < 0 {
			return nil
		}
		if num == number && typ == protowire.BytesType {
			value, _ := protowire.ConsumeBytes(message[head:])
			return value
		}
		message = message[head+n:]
	}
	return nil
}

// appendWithout appends a message without the fields that the path of numbers leads
// to; false where it is no message.
func appendWithout(dst, message []byte, path ...protowire.Number) ([]byte, bool) {
	for len(message) > 0 {
		num, typ, head := protowire.ConsumeTag(message)
		if head < 0 {
			return nil, false
		}
		n := protowire.ConsumeFieldValue(num, typ, message[head:])
		if n < 0 {
			return nil, false
		}
		switch {
		case num != path[0] || typ != protowire.BytesType:
			dst = append(dst, message[:head+n]...)
		case len(path) > 1:
			inner, _ := protowire.ConsumeBytes(message[head:])
			var ok bool
			if dst, ok = appendMessage(append(dst, message[:head]...), inner, path[1:]); !ok {
				return nil, false
			}
		}
		message = message[head+n:]
	}
	return dst, true
}

// appendMessage appends what is left of a message after its length, which is known
// only then.
func appendMessage(dst, message []byte, path []protowire.Number) ([]byte, bool) {
	begin := len(dst)
	dst, ok := appendWithout(dst, message, path...)
	if !ok {
		return nil, false
	}
	var length [10]byte
	return slices.Insert(dst, begin, protowire.AppendVarint(length[:0], uint64(len(dst[begin:])))...), true
}
