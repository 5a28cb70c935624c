package testrun

import (
	"os"
	"testing"
)

// TestMain keeps the flags of whoever runs these tests from the go test that they start: with
// -trimpath it prints other paths.
func TestMain(m *testing.M) {
	os.Setenv("GOFLAGS", "-buildvcs=false")
	os.Exit(m.Run())
}
