package aws

import (
	"bytes"
	"encoding/xml"
	"net/http"
)

// respond writes an answer in the dialect of its API.
func respond(w http.ResponseWriter, a api, name, id string, result any, refusal *apiError) {
	status := http.StatusOK
	var body []byte
	var err error
	if refusal != nil {
		status = refusal.status
		body, err = encodeError(a, id, refusal)
	} else {
		body, err = encodeResult(a, name, id, result)
	}
	if err != nil {
		http.Error(w, "cannot write the answer of "+name+": "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/xml;charset=UTF-8")
	w.Header().Set("X-Amzn-Requestid", id)
	w.WriteHeader(status)
	_, _ = w.Write(body) // only fails if the client is gone
}

type ec2Error struct {
	XMLName   xml.Name `xml:"Response"`
	Code      string   `xml:"Errors>Error>Code"`
	Message   string   `xml:"Errors>Error>Message"`
	RequestID string
}

type queryError struct {
	XMLName   xml.Name
	Type      string `xml:"Error>Type"`
	Code      string `xml:"Error>Code"`
	Message   string `xml:"Error>Message"`
	RequestID string `xml:"RequestId"`
}

func encodeError(a api, id string, refusal *apiError) ([]byte, error) {
	if a.EC2 {
		return xml.Marshal(ec2Error{Code: refusal.code, Message: refusal.message, RequestID: id})
	}
	kind := "Sender"
	if refusal.status >= http.StatusInternalServerError {
		kind = "Receiver"
	}
	return xml.Marshal(queryError{
		XMLName: xml.Name{Space: a.Namespace, Local: "ErrorResponse"},
		Type:    kind, Code: refusal.code, Message: refusal.message, RequestID: id,
	})
}

// reply is embedded by every EC2 answer, which contains the ID of its request.
type reply struct {
	RequestID string `xml:"requestId"`
}

func (r *reply) named(id string) { r.RequestID = id }

// done is the answer of EC2 actions without a result.
type done struct {
	reply
	Return bool `xml:"return"`
}

func encodeResult(a api, name, id string, result any) ([]byte, error) {
	var out bytes.Buffer
	out.WriteString(xml.Header)
	enc := xml.NewEncoder(&out)
	start := xml.StartElement{Name: xml.Name{Space: a.Namespace, Local: name + "Response"}}
	if a.EC2 {
		if named, ok := result.(interface{ named(string) }); ok {
			named.named(id)
		}
		if err := enc.EncodeElement(result, start); err != nil {
			return nil, err
		}
	} else if err := encodeQueryResult(enc, start, name, id, result); err != nil {
		return nil, err
	}
	if err := enc.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

type responseMetadata struct {
	RequestID string `xml:"RequestId"`
}

func encodeQueryResult(enc *xml.Encoder, start xml.StartElement, name, id string, result any) error {
	if err := enc.EncodeToken(start); err != nil {
		return err
	}
	if err := enc.EncodeElement(result, xml.StartElement{Name: xml.Name{Local: name + "Result"}}); err != nil {
		return err
	}
	metadata := xml.StartElement{Name: xml.Name{Local: "ResponseMetadata"}}
	if err := enc.EncodeElement(responseMetadata{RequestID: id}, metadata); err != nil {
		return err
	}
	return enc.EncodeToken(start.End())
}

// empty is the result of query actions without a result.
type empty struct{}
