package seal

import (
	"bytes"
	"crypto"
	"encoding/base64"
	"fmt"

	"github.com/sigstore/sigstore/pkg/cryptoutils"
	"github.com/sigstore/sigstore/pkg/signature"
)

// Sign signs a list with a private key: a key of `cosign generate-key-pair` with its password,
// or any key in PEM. The signature has the format of `cosign sign-blob`: base64 of the key's
// signature of the list's SHA-256.
func Sign(list, key []byte, password func() []byte) ([]byte, error) {
	private, err := cryptoutils.UnmarshalPEMToPrivateKey(key, func(bool) ([]byte, error) { return password(), nil })
	if err != nil {
		return nil, fmt.Errorf("private key: %w", err)
	}
	signer, err := signature.LoadSigner(private, crypto.SHA256)
	if err != nil {
		return nil, fmt.Errorf("private key: %w", err)
	}
	raw, err := signer.SignMessage(bytes.NewReader(list))
	if err != nil {
		return nil, fmt.Errorf("sign %s: %w", ListFile, err)
	}
	return []byte(base64.StdEncoding.EncodeToString(raw)), nil
}

// checkSignature returns an error unless the owner of the public key signed the list.
func checkSignature(list, signed, key []byte) error {
	public, err := cryptoutils.UnmarshalPEMToPublicKey(key)
	if err != nil {
		return fmt.Errorf("public key: %w", err)
	}
	verifier, err := signature.LoadVerifier(public, crypto.SHA256)
	if err != nil {
		return fmt.Errorf("public key: %w", err)
	}
	raw, err := base64.StdEncoding.DecodeString(string(bytes.TrimSpace(signed)))
	if err != nil {
		return fmt.Errorf("%s: %w", SignatureFile, err)
	}
	if err := verifier.VerifySignature(bytes.NewReader(raw), bytes.NewReader(list)); err != nil {
		return fmt.Errorf("%s was not signed by this key as it is: %w", ListFile, err)
	}
	return nil
}
