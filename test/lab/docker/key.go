package docker

import (
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"time"
)

// Key is the content of the file at ssh_key_path, which gives access to the lab's machines.
type Key struct {
	Control string `json:"control"` // host:port of the lab's supervisor
	Token   string `json:"token"`
	// Retry is the pause between rke's attempts; that of the real one is 5 s.
	Retry time.Duration `json:"retry"`
}

const keyType = "LAB SSH PRIVATE KEY"

// Encode returns the key in the form of a private key.
func (k Key) Encode() ([]byte, error) {
	raw, err := json.Marshal(k)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: keyType, Bytes: raw}), nil
}

// ParseKey parses the output of Encode.
func ParseKey(text []byte) (Key, error) {
	block, _ := pem.Decode(text)
	if block == nil || block.Type != keyType {
		return Key{}, errors.New("it is no key of a lab")
	}
	var k Key
	if err := json.Unmarshal(block.Bytes, &k); err != nil {
		return k, fmt.Errorf("reading a lab's key: %w", err)
	}
	return k, nil
}
