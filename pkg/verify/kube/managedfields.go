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

// metadataTransport drops managedFields from lists of metadata before they are decoded.
// managedFields are nine tenths of the 380 MB that the metadata of 150,000 pods has. No check
// reads them, and an API server cannot be asked to omit them. All other responses pass
// unchanged. Only the metadata client uses it: in whole Nodes managedFields are so small a part
// that another copy of each page would cost more.
type metadataTransport struct {
	next  http.RoundTripper
	pages *sync.Pool // of *bytes.Buffer, one page each
}

func dropManagedFields(next http.RoundTripper) http.RoundTripper {
	return metadataTransport{next, &sync.Pool{New: func() any { return new(bytes.Buffer) }}}
}

// RoundTrip implements http.RoundTripper.
func (t metadataTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.next.RoundTrip(req)
	if err != nil || resp.StatusCode != http.StatusOK || !isProtobuf(resp.Header) {
		return resp, err
	}
	page := t.pages.Get().(*bytes.Buffer)
	defer t.pages.Put(page)
	page.Reset()
	_, err = page.ReadFrom(resp.Body)
	_ = resp.Body.Close() // the body was read to its end, or err says why not
	if err != nil {
		return nil, fmt.Errorf("reading the answer to %s %s: %w", req.Method, req.URL.Path, err)
	}
	body := withoutManagedFields(page.Bytes())
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	resp.Header.Set("Content-Length", strconv.Itoa(len(body)))
	return resp, nil
}

func isProtobuf(h http.Header) bool {
	kind, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	return err == nil && kind == "application/vnd.kubernetes.protobuf" && params["stream"] == ""
}

// magic is the prefix of every protobuf response of an API server; a runtime.Unknown follows.
// Source: kubernetes/apimachinery:pkg/runtime/serializer/protobuf/protobuf.go@v0.37.2.
const magic = "k8s\x00"

const metadataList = "PartialObjectMetadataList"

// Field numbers from the files generated.proto of kubernetes/apimachinery@v0.37.2. Every object
// has its metadata in field 1, every list its items in field 2:
// kubernetes/community:contributors/devel/sig-architecture/api-conventions.md.
const (
	unknownType, unknownRaw = 1, 2
	typeKind                = 2
	listItems               = 2
	objectMeta              = 1
	metaManagedFields       = 17
)

// withoutManagedFields copies a response and, if it is a list of metadata, drops the items'
// managedFields. Unreadable bytes are copied unchanged, so that the decoder reports them.
func withoutManagedFields(answer []byte) []byte {
	if message, ok := bytes.CutPrefix(answer, []byte(magic)); ok && readKind(message) == metadataList {
		out := append(make([]byte, 0, len(answer)/2), magic...)
		if out, ok = appendWithout(out, message, unknownRaw, listItems, objectMeta, metaManagedFields); ok {
			return slices.Clip(out)
		}
	}
	return bytes.Clone(answer)
}

// readKind returns the kind in a runtime.Unknown.
func readKind(message []byte) string {
	return string(findField(findField(message, unknownType), typeKind))
}

// findField returns the first field with this number, or nil.
func findField(message []byte, number protowire.Number) []byte {
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

// appendWithout appends a message without the fields at the path of field numbers. It returns
// false if the bytes are not a message.
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

// appendMessage appends a message with its length prefix, which is known only after the fields
// are dropped.
func appendMessage(dst, message []byte, path []protowire.Number) ([]byte, bool) {
	begin := len(dst)
	dst, ok := appendWithout(dst, message, path...)
	if !ok {
		return nil, false
	}
	var length [10]byte
	return slices.Insert(dst, begin, protowire.AppendVarint(length[:0], uint64(len(dst[begin:])))...), true
}
