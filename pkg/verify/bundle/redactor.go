package bundle

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// Redactor leaves secrets out of one bundle. What it leaves out it marks: equal
// texts get equal marks, so that what is compared can still be compared, and nobody
// can try what a mark stands for, because the key is in no bundle.
type Redactor struct{ key [32]byte }

// NewRedactor has a key of its own.
func NewRedactor() *Redactor {
	r := &Redactor{}
	_, _ = rand.Read(r.key[:]) // it never fails
	return r
}

// Mark stands for a text; "" stays as it is.
func (r *Redactor) Mark(text string) string {
	if text == "" {
		return ""
	}
	sum := hmac.New(sha256.New, r.key[:])
	sum.Write([]byte(text))
	return gone + "-" + hex.EncodeToString(sum.Sum(nil))[:12]
}

// Unread leaves secrets out of why something could not be read.
func Unread[T any](read verify.Read[T]) verify.Read[T] {
	if read.Err != nil {
		read.Err = errors.New(Scrub(read.Err.Error()))
	}
	return read
}

// Argument is an argument "name=value" of a component: the value stays where a
// check judges it.
func (r *Redactor) Argument(text string) string { return r.argument(text) }
