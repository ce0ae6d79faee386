package choices

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

func TestNamesRoles(t *testing.T) {
	for entry, want := range map[string]bool{
		"arn:aws:iam::111122223333:role/audit": true, "arn:aws-cn:iam::111122223333:role/*": true,
		"*": false, "": false, "audit": false, "arn:aws:iam::111122223333:user/audit": false, "arn:aws:iam::*": false,
	} {
		if got := NamesRoles(entry); got != want {
			t.Errorf("%q: %t", entry, got)
		}
	}
}

func TestAllowRole(t *testing.T) {
	const role = "arn:aws:iam::111122223333:role/audit"
	secret := &v1alpha1.Secret{Name: "keys"}
	for name, tt := range map[string]struct {
		aws     v1alpha1.AWS
		allowed []string
		refused bool
	}{
		"no_role_allowed":                {v1alpha1.AWS{}, nil, false},
		"no_list_refused":                {v1alpha1.AWS{AssumeRole: role}, nil, true},
		"listed_role_allowed":            {v1alpha1.AWS{AssumeRole: role}, []string{"arn:aws:iam::1:role/x", role}, false},
		"other_role_refused":             {v1alpha1.AWS{AssumeRole: role}, []string{"arn:aws:iam::111122223333:role/audit2", "arn:aws:iam::111122223333:role/aud"}, true},
		"role_of_listed_account_allowed": {v1alpha1.AWS{AssumeRole: role}, []string{"arn:aws:iam::111122223333:role/*"}, false},
		"role_of_other_account_refused":  {v1alpha1.AWS{AssumeRole: role}, []string{"arn:aws:iam::111122223334:role/*"}, true},
		"empty_entry_refused":            {v1alpha1.AWS{AssumeRole: role}, []string{""}, true},
		"keys_of_a_secret_allowed":       {v1alpha1.AWS{AssumeRole: role, SecretRef: secret}, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			err := AllowRole(types.NamespacedName{Namespace: "n", Name: "prod"}, tt.aws, tt.allowed)
			if (err != nil) != tt.refused {
				t.Fatalf("%v, refused wanted: %t", err, tt.refused)
			}
			if f, is := fault.As(err); tt.refused && (!is || f.Reason != "RoleRefused" || !strings.Contains(f.Fix, "aws.assumableRoles")) {
				t.Errorf("%+v", err)
			}
		})
	}
}
