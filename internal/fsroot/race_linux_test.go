package fsroot

import "testing"

// TestRaceWithoutOpenat2 is TestRace on a kernel without that call.
func TestRaceWithoutOpenat2(t *testing.T) {
	kernelWithoutOpenat2.Store(true)
	defer kernelWithoutOpenat2.Store(false)
	race(t)
}
