package aws

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
)

// digest is a fixed function of its parts, so that a lab with the same options has the same IDs
// and keys.
func digest(parts ...any) []byte {
	text, err := json.Marshal(parts)
	if err != nil {
		text = fmt.Append(nil, parts...)
	}
	sum := sha256.Sum256(text)
	return sum[:]
}

// fresh returns a number that is unique in a Cloud: a resource that is created again is another
// resource.
func (c *Cloud) fresh() uint64 {
	c.counter++
	return c.counter
}

// newID returns a resource ID in the long form, e.g. i-0123456789abcdef0.
func (c *Cloud) newID(prefix string) string {
	return prefix + "-0" + hex.EncodeToString(digest(c.account, c.region, prefix, c.fresh()))[:16]
}

// suffix returns the part of an ELBv2 ARN that distinguishes resources of the same name.
func (c *Cloud) suffix() string {
	return hex.EncodeToString(digest(c.account, c.region, "elbv2", c.fresh()))[:16]
}

// dnsNumber returns the number in a classic load balancer's DNS name.
func (c *Cloud) dnsNumber() string {
	n := new(big.Int).SetBytes(digest(c.account, c.region, "elb", c.fresh())[:8])
	return fmt.Sprintf("%010d", n.Mod(n, big.NewInt(10_000_000_000)))
}

func itoa(n int) string { return strconv.Itoa(n) }

func requestID(n uint64) string {
	h := hex.EncodeToString(digest("request", n))
	return h[:8] + "-" + h[8:12] + "-4" + h[13:16] + "-a" + h[17:20] + "-" + h[20:32]
}

func base32ID(length int, parts ...any) string {
	return base32.StdEncoding.EncodeToString(digest(parts...))[:length]
}
