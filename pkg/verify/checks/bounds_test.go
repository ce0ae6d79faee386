package checks

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/faulty"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
)

func TestJudgeConfig_beyondTheLimits_fails(t *testing.T) {
	var found []verify.Finding
	text := "controllerLeaders: [" + strings.Repeat("{},", 1<<14) + "]\n"
	used := faulty.Allocated(func() {
		found = judgeConfig("ConfigMap a/b", text, component.Version{})
	})
	if len(found) != 1 || found[0].Status != verify.Fail || !strings.Contains(found[0].Seen, "has more than") || used > 1<<20 {
		t.Errorf("%d MB, %+v", used>>20, found)
	}
}
