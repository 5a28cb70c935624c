package fsroot

import "testing"

// TestRaceWithoutOpenat2 is TestRace as on a kernel without that call.
func TestRaceWithoutOpenat2(t *testing.T) {
	noOpenat2.Store(true)
	defer noOpenat2.Store(false)
	race(t)
}
