package aws

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io"
	"regexp"
	"slices"
	"strings"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	classic "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	v2 "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/awsmigrate/awsmigrate/pkg/bounded"
)

// addAnswerCheck rejects responses that do not come from the service, for every operation of every
// client. The SDK only looks inside a response: it reads the login page of a proxy, and an empty
// body, as "no instances".
func addAnswerCheck(stack *middleware.Stack) error {
	return stack.Deserialize.Insert(middleware.DeserializeMiddlewareFunc("awsmigrateAnswer", checkAnswer), "OperationDeserializer", middleware.After)
}

// xmlServices are the services used here that answer in XML. The credential chain also uses
// services that answer in JSON.
var xmlServices = map[string]bool{"EC2": true, "IAM": true, "STS": true, classic.ServiceID: true, v2.ServiceID: true}

func checkAnswer(ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler) (middleware.DeserializeOutput, middleware.Metadata, error) {
	out, meta, err := next.HandleDeserialize(ctx, in)
	answer, ok := out.RawResponse.(*smithyhttp.Response)
	if ok && answer.Body != nil {
		answer.Body = &limitedBody{ReadCloser: answer.Body, left: maxAnswer}
	}
	if err != nil || !ok || !xmlServices[awsmiddleware.GetServiceID(ctx)] {
		return out, meta, err
	}
	wanted := []string{awsmiddleware.GetOperationName(ctx) + "Response"}
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		wanted = []string{"Response", "ErrorResponse"} // of EC2, and of all others
	}
	var read bytes.Buffer
	root, err := rootOf(io.TeeReader(answer.Body, &read))
	if slices.Contains(wanted, root) || err != nil {
		answer.Body = replayed{io.MultiReader(&read, failAfter(answer.Body, err)), answer.Body}
		return out, meta, nil
	}
	rest, _ := io.ReadAll(io.LimitReader(answer.Body, maxPage)) // a part is enough to describe the page
	_ = answer.Body.Close()
	return out, meta, fmt.Errorf("the answer (HTTP %d) is not AWS's: it %s, wanted %s; is there a proxy between?",
		answer.StatusCode, describePage(append(read.Bytes(), rest...), root), strings.Join(wanted, " or "))
}

// maxAnswer limits the bytes of one response. A page of 1,000 instances has 6 MB.
const maxAnswer = 64 << 20

// limitedBody fails to read beyond its limit, so that a body that is too large does not look
// complete.
type limitedBody struct {
	io.ReadCloser
	left int
}

func (l *limitedBody) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	if l.left -= n; l.left < 0 {
		return 0, &bounded.ExceededError{Limit: maxAnswer, Unit: "bytes"}
	}
	return n, err
}

// maxPage limits the bytes of a page that are searched for its title.
const maxPage = 64 << 10

// rootOf returns the name of the first XML element, or "". It returns only errors of the
// connection, because the SDK retries some of them.
func rootOf(body io.Reader) (string, error) {
	watched := &watchedReader{from: body}
	decoder := xml.NewDecoder(watched)
	decoder.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil }
	for {
		token, err := decoder.Token()
		if start, is := token.(xml.StartElement); is {
			return start.Name.Local, nil
		}
		if err != nil {
			return "", watched.err
		}
	}
}

// watchedReader stores the error of a failed read, except io.EOF.
type watchedReader struct {
	from io.Reader
	err  error
}

func (w *watchedReader) Read(p []byte) (int, error) {
	n, err := w.from.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		w.err = err
	}
	return n, err
}

// replayed is a body that begins with bytes that were already read.
type replayed struct {
	io.Reader
	io.Closer
}

func failAfter(body io.Reader, err error) io.Reader {
	if err != nil {
		return failingReader{err}
	}
	return body
}

type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }

var (
	pageTitle = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)
	pageTag   = regexp.MustCompile(`(?s)<[^>]*>`)
)

// describePage summarizes a response that is not from AWS, for instance a proxy's login page.
func describePage(page []byte, root string) string {
	const maxRunes = 80
	text := strings.TrimSpace(string(page))
	if text == "" {
		return "is empty"
	}
	what := "begins with"
	if strings.EqualFold(root, "html") || bytes.Contains(bytes.ToLower(page), []byte("<html")) {
		what = "is an HTML page that begins with"
		if title := pageTitle.FindStringSubmatch(text); title != nil && strings.TrimSpace(title[1]) != "" {
			what, text = "is an HTML page titled", title[1]
		}
		text = html.UnescapeString(pageTag.ReplaceAllString(text, " "))
	}
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "?")), " ")
	if runes := []rune(text); len(runes) > maxRunes {
		text = string(runes[:maxRunes]) + "…"
	}
	return fmt.Sprintf("%s %q", what, text)
}
