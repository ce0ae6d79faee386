package scenario

import "fmt"

// Shard is one of several parts of a suite.
type Shard struct{ Number, Of int }

// ParseShard parses "k/n", the k-th of n parts; empty means the whole.
func ParseShard(text string) (Shard, error) {
	s := Shard{1, 1}
	if text == "" {
		return s, nil
	}
	var rest string
	n, err := fmt.Sscanf(text+" ", "%d/%d%s", &s.Number, &s.Of, &rest)
	if n != 2 || err == nil || s.Number < 1 || s.Of < s.Number {
		return Shard{}, fmt.Errorf("SHARD is %q: wanted k/n with 1 ≤ k ≤ n, for example 2/3", text)
	}
	return s, nil
}

// Part returns the shard's part of a list. Each element is in exactly one of the shards, and the
// same list is always divided alike. Neighbours, which are often similar, go to different shards.
func Part[T any](s Shard, list []T) []T {
	var part []T
	for i, one := range list {
		if i%s.Of == s.Number-1 {
			part = append(part, one)
		}
	}
	return part
}
