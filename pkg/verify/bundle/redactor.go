package bundle

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// Redactor removes the secrets of one bundle and puts marks in their place. Equal texts get equal
// marks, so that they can still be compared. Guessing the text of a mark is not possible, because no
// bundle contains the key.
type Redactor struct{ key [32]byte }

// NewRedactor returns a Redactor with a new key.
func NewRedactor() *Redactor {
	r := &Redactor{}
	_, _ = rand.Read(r.key[:]) // never fails
	return r
}

// Mark returns the mark of a text, or "" for "".
func (r *Redactor) Mark(text string) string {
	if text == "" {
		return ""
	}
	sum := hmac.New(sha256.New, r.key[:])
	sum.Write([]byte(text))
	return placeholder + "-" + hex.EncodeToString(sum.Sum(nil))[:12]
}

// Unread removes secrets from the error of a reading.
func Unread[T any](read verify.Read[T]) verify.Read[T] {
	if read.Err != nil {
		read.Err = errors.New(Scrub(read.Err.Error()))
	}
	return read
}

// Argument redacts an argument "name=value" of a component. The value is kept if a check uses it.
func (r *Redactor) Argument(text string) string { return r.redactArgument(text) }
