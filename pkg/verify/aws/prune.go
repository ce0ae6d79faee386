package aws

import (
	"bytes"
	"context"
	"io"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/awsmigrate/awsmigrate/pkg/bounded"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
)

// pruned takes out of EC2's answers, before the SDK decodes them, what no rule
// looks at: of five kilobytes of XML for one instance it is three quarters, and
// decoding it would be most of the time that a large audit takes.
func pruned(stack *middleware.Stack) error {
	return stack.Deserialize.Insert(middleware.DeserializeMiddlewareFunc("awsmigratePrune", pruneAnswer), "OperationDeserializer", middleware.After)
}

func pruneAnswer(ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler) (middleware.DeserializeOutput, middleware.Metadata, error) {
	out, meta, err := next.HandleDeserialize(ctx, in)
	answer, ok := out.RawResponse.(*smithyhttp.Response)
	if err != nil || !ok || answer.StatusCode != 200 || awsmiddleware.GetOperationName(ctx) != "DescribeInstances" {
		return out, meta, err
	}
	answer.Body = io.NopCloser(prunedBody(answer.Body))
	return out, meta, err
}

// maxAnswer bounds one page of instances. One of 1,000 has 6 MB.
const maxAnswer = 64 << 20

// prunedBody reads a body to its end. Where that fails the SDK is to meet the
// error as it reads: it knows which to send again.
func prunedBody(body io.ReadCloser) io.Reader {
	text, err := bounded.Limits{Bytes: maxAnswer}.ReadAll(body)
	_ = body.Close() // it was read, or the reading failed
	if err != nil {
		return io.MultiReader(bytes.NewReader(text), failing{err})
	}
	return bytes.NewReader(prune(text))
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// unread are the elements of DescribeInstances that become no part of a
// cloud.Instance. None of them can hold another one of its own name.
var unread = map[string]bool{
	"amiLaunchIndex": true, "architecture": true, "association": true, "attachment": true, "blockDeviceMapping": true, "bootMode": true,
	"capacityReservationSpecification": true, "clientToken": true, "cpuOptions": true, "currentInstanceBootMode": true, "ebsOptimized": true,
	"enaSupport": true, "enclaveOptions": true, "hibernationOptions": true, "hypervisor": true, "imageId": true, "instanceType": true,
	"keyName": true, "macAddress": true, "maintenanceOptions": true, "monitoring": true, "networkPerformanceOptions": true, "operator": true,
	"ownerId": true, "platformDetails": true, "privateDnsNameOptions": true, "productCodes": true, "reason": true, "rootDeviceName": true,
	"rootDeviceType": true, "stateReason": true, "usageOperation": true, "usageOperationUpdateTime": true, "virtualizationType": true,
}

// prune drops the unread elements and all tags but those of clusters. What it
// cannot make out it leaves as it is, so that an answer which was cut off stays
// one. It writes into text.
func prune(text []byte) []byte {
	out, rest := text[:0], text
	for {
		at := bytes.IndexByte(rest, '<')
		if at < 0 {
			return append(out, rest...)
		}
		end := bytes.IndexByte(rest[at:], '>')
		if end < 0 {
			return append(out, rest...)
		}
		name := rest[at+1 : at+end]
		after := rest[at+end+1:]
		switch {
		case unread[string(name)]:
			_, behind, closed := cutElement(after, name)
			if !closed {
				return append(out, rest...)
			}
			out = append(out, rest[:at]...)
			rest = behind
		case string(name) == "tagSet":
			tags, behind, closed := cutElement(after, name)
			if !closed {
				return append(out, rest...)
			}
			out = append(out, rest[:at+end+1]...)
			out = append(out, clusterItems(tags)...)
			out = append(out, "</tagSet>"...)
			rest = behind
		default:
			out = append(out, rest[:at+end+1]...)
			rest = after
		}
	}
}

// cutElement splits the text behind an opening tag at the closing one.
func cutElement(text, name []byte) (inside, behind []byte, closed bool) {
	for from := 0; ; {
		at := bytes.Index(text[from:], name)
		if at < 0 {
			return nil, nil, false
		}
		start, end := from+at, from+at+len(name)
		if start >= 2 && text[start-1] == '/' && text[start-2] == '<' && end < len(text) && text[end] == '>' {
			return text[:start-2], text[end+1:], true
		}
		from = end
	}
}

// clusterItems are the items of a tagSet that tie to a cluster; all of them where
// an entity stands for a character.
func clusterItems(tags []byte) []byte {
	if bytes.IndexByte(tags, '&') >= 0 {
		return tags
	}
	var kept []byte
	for rest := tags; ; {
		from := bytes.Index(rest, []byte("<item>"))
		if from < 0 {
			return kept
		}
		inside, behind, closed := cutElement(rest[from+len("<item>"):], []byte("item"))
		if !closed {
			return tags
		}
		if bytes.Contains(inside, []byte(cloud.TagCluster)) || bytes.Contains(inside, []byte(cloud.TagLegacy)) {
			kept = append(kept, rest[from:len(rest)-len(behind)]...)
		}
		rest = behind
	}
}
