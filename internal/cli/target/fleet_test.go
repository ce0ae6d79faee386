package target

import (
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/inventory"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

func TestFleet_next(t *testing.T) {
	row := func(of inventory.Distribution, state inventory.State) inventory.Row {
		return inventory.Row{Namespace: "clusters", Name: "demo", ID: "c-7kq2x", Distribution: of, State: state}
	}
	back := row(inventory.RKE2, inventory.Begun)
	back.Undoing = true
	works := row(inventory.RKE2, inventory.Locked)
	works.Run = &runner.Account{Life: runner.LifeWorks}
	for _, tt := range []struct {
		row  inventory.Row
		want string
	}{
		{row(inventory.RKE2, inventory.NotBegun), "awsmigrate rke2 plan --cluster demo --namespace clusters"},
		{row(inventory.RKE2, inventory.Begun), "awsmigrate rke2 --cluster demo --namespace clusters"},
		{back, "awsmigrate rke2 undo --cluster demo --namespace clusters"},
		{works, "awsmigrate rke2 status --cluster demo --namespace clusters --watch"},
		{row(inventory.RKE2, inventory.Stopped), "awsmigrate rke2 status --cluster demo --namespace clusters"},
		{row(inventory.RKE, inventory.Unknown), "awsmigrate rke status --cluster c-7kq2x"},
		{row(inventory.RKE, inventory.NotAsked), "awsmigrate rke status --cluster c-7kq2x"},
		{row(inventory.RKE, inventory.Locked), "awsmigrate rke status --cluster c-7kq2x"},
		{row(inventory.RKE2, inventory.Done), ""},
		{row(inventory.RKE2, inventory.None), ""},
		{row(inventory.NotKnown, inventory.Unknown), ""},
	} {
		if got := (&Fleet{}).Next(tt.row, nil); got != tt.want {
			t.Errorf("%s %s: %q, wanted %q", tt.row.Distribution, tt.row.State, got, tt.want)
		}
	}
}
