package lazyregexp

import (
	"sync"
	"testing"
)

func TestSet(t *testing.T) {
	t.Parallel()
	s := Of("add  remove\n\tdon't é")
	if s.made != nil {
		t.Error("it was made before it was asked")
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { s.Has("x") })
	}
	all.Wait()
	for word, want := range map[string]bool{"add": true, "remove": true, "don't": true, "é": true, "Add": false, "": false, " ": false, "add  remove": false, "move": false} {
		if got := s.Has(word); got != want {
			t.Errorf("Has(%q) = %v", word, got)
		}
	}
	if Of("").Has("") || Of(" \n").Has(" ") {
		t.Error("a set of nothing has something")
	}
}
