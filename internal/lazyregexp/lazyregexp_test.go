package lazyregexp

import (
	"regexp"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRegexp(t *testing.T) {
	t.Parallel()
	const text = `(?i)(a+)(?P<rest>b|c)`
	lazy, made := New(text), regexp.MustCompile(text)
	if lazy.made != nil || lazy.String() != text {
		t.Errorf("it was made before it was used: %+v", lazy)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { lazy.MatchString("x") })
	}
	all.Wait()
	for _, s := range []string{"", "x", "aab AC", "abacAAB"} {
		b := []byte(s)
		got := []any{lazy.Match(b), lazy.MatchString(s), lazy.FindString(s), lazy.FindStringIndex(s), lazy.FindStringSubmatch(s), lazy.FindStringSubmatchIndex(s),
			lazy.FindSubmatch(b), lazy.FindAllString(s, -1), lazy.FindAllStringIndex(s, 1), lazy.FindAllStringSubmatch(s, -1), lazy.FindAllStringSubmatchIndex(s, 2), lazy.ReplaceAllString(s, "$rest")}
		want := []any{made.Match(b), made.MatchString(s), made.FindString(s), made.FindStringIndex(s), made.FindStringSubmatch(s), made.FindStringSubmatchIndex(s),
			made.FindSubmatch(b), made.FindAllString(s, -1), made.FindAllStringIndex(s, 1), made.FindAllStringSubmatch(s, -1), made.FindAllStringSubmatchIndex(s, 2), made.ReplaceAllString(s, "$rest")}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%q:\n%s", s, d)
		}
	}
}

func TestNotWellFormed(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("an expression that is none was made")
		}
	}()
	New("(").MatchString("")
}
