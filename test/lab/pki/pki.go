// Package pki makes the lab's certificate authorities, certificates and tokens. They serve one
// throw-away cluster on loopback; no package outside test/ may import it.
package pki

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"time"
)

// Validity is the lifetime of all certificates of this package.
const Validity = 10 * 365 * 24 * time.Hour

// CA signs certificates.
type CA struct {
	CertPEM, KeyPEM []byte

	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// Pair is a certificate and its key, both PEM.
type Pair struct{ Cert, Key []byte }

// NewCA makes a self-signed authority.
func NewCA(name string) (*CA, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template, err := template(name, nil)
	if err != nil {
		return nil, err
	}
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = nil
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("signing authority %s: %w", name, err)
	}
	pair, err := encode(der, key)
	if err != nil {
		return nil, err
	}
	return ParseCA(pair)
}

// ParseCA parses an authority of NewCA.
func ParseCA(pair Pair) (*CA, error) {
	certBlock, _ := pem.Decode(pair.Cert)
	keyBlock, _ := pem.Decode(pair.Key)
	if certBlock == nil || keyBlock == nil {
		return nil, fmt.Errorf("the authority's certificate or key is not PEM")
	}
	cert, err := x509.ParseCertificate(certBlock.Bytes)
	if err != nil {
		return nil, err
	}
	key, err := x509.ParseECPrivateKey(keyBlock.Bytes)
	if err != nil {
		return nil, err
	}
	return &CA{CertPEM: pair.Cert, KeyPEM: pair.Key, cert: cert, key: key}, nil
}

// Server signs a certificate for the names and addresses in hosts.
func (ca *CA) Server(name string, hosts ...string) (Pair, error) {
	template, err := serving(name, hosts)
	if err != nil {
		return Pair{}, err
	}
	return ca.sign(template)
}

func serving(name string, hosts []string) (*x509.Certificate, error) {
	template, err := template(name, nil)
	if err != nil {
		return nil, err
	}
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
			continue
		}
		template.DNSNames = append(template.DNSNames, host)
	}
	return template, nil
}

// Peer signs a certificate with which a process is both server, for the names and addresses in hosts,
// and client.
func (ca *CA) Peer(name string, hosts ...string) (Pair, error) {
	template, err := serving(name, hosts)
	if err != nil {
		return Pair{}, err
	}
	template.ExtKeyUsage = append(template.ExtKeyUsage, x509.ExtKeyUsageClientAuth)
	return ca.sign(template)
}

// Client signs a certificate for a Kubernetes user (CN) in groups (O).
func (ca *CA) Client(user string, groups ...string) (Pair, error) {
	template, err := template(user, groups)
	if err != nil {
		return Pair{}, err
	}
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	return ca.sign(template)
}

// Issue is Client with the results that the node agent needs.
func (ca *CA) Issue(user string, groups []string) (cert, key []byte, err error) {
	pair, err := ca.Client(user, groups...)
	return pair.Cert, pair.Key, err
}

func (ca *CA) sign(template *x509.Certificate) (Pair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Pair{}, err
	}
	der, err := x509.CreateCertificate(rand.Reader, template, ca.cert, key.Public(), ca.key)
	if err != nil {
		return Pair{}, fmt.Errorf("signing the certificate of %s: %w", template.Subject.CommonName, err)
	}
	return encode(der, key)
}

func template(name string, groups []string) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, err
	}
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: name, Organization: groups},
		NotBefore:    now.Add(-time.Hour),
		NotAfter:     now.Add(Validity),
		KeyUsage:     x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment,
	}, nil
}

func encode(der []byte, key *ecdsa.PrivateKey) (Pair, error) {
	raw, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return Pair{}, err
	}
	return Pair{
		Cert: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		Key:  pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: raw}),
	}, nil
}

// ServiceAccountKey makes the key pair that signs service-account tokens: RSA, as RKE2 and
// kubeadm do.
func ServiceAccountKey() (private, public []byte, err error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, nil, err
	}
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return nil, nil, err
	}
	private = pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	return private, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}), nil
}

// Token returns a random bearer token.
func Token() string {
	raw := make([]byte, 16)
	rand.Read(raw) // never fails (crypto/rand, Go 1.24)
	return hex.EncodeToString(raw)
}
