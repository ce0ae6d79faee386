package cluster

import "testing"

func TestClaim(t *testing.T) {
	first, lock, err := Claim(0)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if _, _, err := Claim(first.Number); err == nil {
		t.Error("a number was taken twice")
	}
	second, other, err := Claim(0)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if second.Number == first.Number {
		t.Error("two labs have one number")
	}
	for _, bad := range []int{1, 251, -3} {
		if _, _, err := Claim(bad); err == nil {
			t.Errorf("number %d was accepted", bad)
		}
	}
	addresses := []string{first.Balanced(), first.Proxy(), first.Management(), first.Webhook(), first.AWS(), first.Lock(), first.Control(), first.Machine(0), first.Machine(1)}
	seen := map[string]bool{}
	for _, a := range addresses {
		if seen[a] {
			t.Errorf("address %s has two uses", a)
		}
		seen[a] = true
	}
}
