package testrun

import (
	"os"
	"testing"
)

// TestMain removes the flags of the caller's go test from the go test that the tests start: with
// -trimpath it prints other paths.
func TestMain(m *testing.M) {
	os.Setenv("GOFLAGS", "-buildvcs=false")
	os.Exit(m.Run())
}
