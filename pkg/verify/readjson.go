package verify

import (
	"encoding/json"
	"errors"
)

// readForm is the JSON form of a Read: a value, or the text of its error.
type readForm[T any] struct {
	Looked bool   `json:"looked"`
	Value  *T     `json:"value,omitempty"`
	Error  string `json:"error,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (r Read[T]) MarshalJSON() ([]byte, error) {
	form := readForm[T]{Looked: r.Looked}
	switch {
	case r.Err != nil:
		form.Error = r.Err.Error()
	case r.Looked:
		form.Value = &r.Value
	}
	return json.Marshal(form)
}

// UnmarshalJSON implements json.Unmarshaler. An error keeps only its text.
func (r *Read[T]) UnmarshalJSON(text []byte) error {
	var form readForm[T]
	if err := json.Unmarshal(text, &form); err != nil {
		return err
	}
	*r = Read[T]{Looked: form.Looked}
	switch {
	case form.Error != "":
		r.Err = errors.New(form.Error)
	case form.Value != nil:
		r.Value = *form.Value
	}
	return nil
}
