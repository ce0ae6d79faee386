package proc

import (
	"slices"
	"testing"
)

// A lab that is booted from the shell of another lab's clients uses its own AWS.
func TestProcessesInheritNoAWS(t *testing.T) {
	got := WithoutAWS([]string{"PATH=/bin", "AWS_EC2_METADATA_DISABLED=true", "AWS_REGION=x", "HOME=/root"})
	if !slices.Equal(got, []string{"PATH=/bin", "HOME=/root"}) {
		t.Errorf("inherited: %q", got)
	}
}
