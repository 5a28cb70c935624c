package intent

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestParts(t *testing.T) {
	for name, want := range map[string][]string{
		"StockPage": {"stock", "page"}, "stock_page": {"stock", "page"}, "stock-page.2": {"stock", "page", "2"}, "HTTPServer": {"http", "server"},
		"parseURL": {"parse", "url"}, "V21__stock_fix": {"v21", "stock", "fix"}, "[id]": {"id"}, "__": nil, "": nil, "ÜberSeite": {"über", "seite"}, "größe_x": {"größe", "x"},
	} {
		if got := splitName(name); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// TestPartsOfASCII: the fast path returns the same as the general one.
func TestPartsOfASCII(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringOf(rapid.RuneFrom([]rune("abXYZ09_-.[]/@`{ "))).Draw(t, "name")
		if got, want := splitName(name), splitForeignName(name); !slices.Equal(got, want) {
			t.Fatalf("%q: %q, want %q", name, got, want)
		}
	})
}
