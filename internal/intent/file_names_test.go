package intent

import "testing"

// TestFrameOf: a paste contains a file by its name with its folder, or by its name alone if the
// paste has no folder.
func TestFrameOf(t *testing.T) {
	for paste, want := range map[string]bool{
		"at src/flow/table.go:12": true, "at /home/me/src/flow/table.go:12": true, "at src/other/table.go:12": false, "panic in table.go": true, "(table.go:3)": true,
		"\"table.go\", line 3": true, "at mytable.go:3": false, "at src/other/table.go, then flow/table.go": true, "": false,
	} {
		if got := isFrameOf(paste, "src/flow/table.go"); got != want {
			t.Errorf("%q: %v, want %v", paste, got, want)
		}
	}
}

func TestNameOnly(t *testing.T) {
	for w, want := range map[string]string{"src/a/login.go": "login", "login.go": "login", "and/or": "and/or", "login": "login", "v1.something-long": "v1.something-long"} {
		if got := baseName(w); got != want {
			t.Errorf("%q: %q, want %q", w, got, want)
		}
	}
}
