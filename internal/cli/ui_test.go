package cli

import (
	"slices"
	"testing"

	"github.com/spf13/pflag"
)

// TestFleetUI: belay-fleet gets the given flags, and a remote is never parsed as a flag.
func TestFleetUI(t *testing.T) {
	var p ServeFlags
	f := pflag.NewFlagSet("ui", pflag.ContinueOnError)
	p.Add(f)
	if err := f.Parse([]string{"--open", "--idle", "1h", "--", "--upload-pack=x"}); err != nil {
		t.Fatal(err)
	}
	want := []string{"ui", "--open=true", "--idle=1h0m0s", "--", "--upload-pack=x"}
	if got := fleetUI(f, f.Args()); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
