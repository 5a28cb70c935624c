package belay

import (
	"strings"
	"testing"
	"time"
)

// TestCost: matching any valid glob is quick, even in the worst case.
func TestCost(t *testing.T) {
	name := strings.Repeat("a", 255)
	deep := strings.TrimSuffix(strings.Repeat("a/", 2000), "/")
	long := strings.Repeat(strings.Repeat("a", 250)+"/", 15) + "a"
	usable := 0
	for what, glob := range map[string]string{
		"stars":                      strings.Repeat("*a", 500) + "*b",
		"folders":                    strings.Repeat("**/a/", 200) + "b",
		"folders with stars":         strings.Repeat("**/*a*a*a/", 90) + "b",
		"alternatives":               strings.Repeat("{*a,*b}", 7) + "c",
		"many alternatives":          "{" + strings.Repeat("*a,", 127) + "*a}c",
		"alternatives, then stars":   strings.Repeat("{a,*}", 7) + strings.Repeat("*a", 300) + "b",
		"alternatives of folders":    strings.Repeat("{**,*}/", 7) + strings.Repeat("**/a/", 100) + "b",
		"alternatives, then folders": strings.Repeat("{**/a,*/a}/", 7) + strings.Repeat("**/*a*a/", 80) + "b",
		"alternatives at the limit":  strings.Repeat("{a,aa}/", 7) + "**/*a*a*a*b",
		"stars and alternatives":     strings.Repeat("*{a,aa}", 5) + strings.Repeat("*a", 20) + "b",
		"two, then stars":            "{**/a,*/a}/" + strings.Repeat("**/*a*a/", 100) + "b",
		"eight, then stars":          strings.Repeat("{**/a,*/a}/", 3) + strings.Repeat("**/*a*a/", 38) + "b",
	} {
		if Valid(glob) != nil {
			continue
		}
		usable++
		for _, path := range []string{name, deep, long} {
			// the fastest of many, because any one may be interrupted
			took := time.Hour
			for n := 0; n < 50 && took > 20*time.Millisecond; n++ {
				began := time.Now()
				Match([]string{glob}, path)
				took = min(took, time.Since(began))
			}
			if took > 20*time.Millisecond {
				t.Errorf("%s: %s for a path of %d bytes", what, took, len(path))
			}
		}
	}
	if usable < 6 {
		t.Errorf("only %d are usable", usable)
	}
	for _, glob := range []string{"**/*.{ts,tsx,js,jsx,mjs,cjs,mts,cts}", "{src,test,lib,docs}/**/*.{go,mod,sum,md}", "{a,b,c,d}{e,f,g,h}*"} {
		if err := Valid(glob); err != nil {
			t.Error(err)
		}
	}
}
