package worktree_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/belay-dev/belay/internal/testutil"
	"github.com/belay-dev/belay/internal/worktree"
)

func init() { testutil.Examples(30) } // fewer, because other tests of this package run git

// folderMode is git's mode of a folder. Only empty folders have an entry.
const folderMode = 0o40000

// join merges the texts of these tests. They are three letters long, each letter counts as a line,
// and the object name is the text itself. "bin" is not text.
func join(base, ours, theirs string) (worktree.Joined, error) {
	if ours == "bin" || theirs == "bin" {
		return worktree.Joined{Kind: worktree.KindBinary}, nil
	}
	if len(base) != 3 || len(ours) != 3 || len(theirs) != 3 {
		return worktree.Joined{OID: "<" + ours + "|" + theirs + ">"}, nil
	}
	out := ""
	for i := range 3 {
		b, o, t := base[i], ours[i], theirs[i]
		switch {
		case o == t, t == b:
			out += string(o)
		case o == b:
			out += string(t)
		default:
			return worktree.Joined{OID: "<" + ours + "|" + theirs + ">"}, nil
		}
	}
	return worktree.Joined{OID: out, Clean: true}, nil
}

// state parses a list of "path=text" (with a "*" at the end for an executable file), "path->target"
// for a link and "path/" for an empty folder.
func state(words string) worktree.State {
	s := worktree.State{}
	for _, w := range strings.Fields(words) {
		if path, ok := strings.CutSuffix(w, "/"); ok {
			s[path] = worktree.Entry{Mode: folderMode, Perm: 0o755}
		} else if path, target, ok := strings.Cut(w, "->"); ok {
			s[path] = worktree.Entry{Mode: 0o120000, OID: target}
		} else {
			path, text, _ := strings.Cut(w, "=")
			e := worktree.Entry{Mode: 0o100644, Perm: 0o644}
			if text, ok = strings.CutSuffix(text, "*"); ok {
				e.Mode, e.Perm = 0o100755, 0o755
			}
			e.OID = text
			s[path] = e
		}
	}
	return s
}

func words(s worktree.State) string {
	var out []string
	for path, e := range s {
		switch e.Mode {
		case folderMode:
			out = append(out, path+"/")
		case 0o120000:
			out = append(out, path+"->"+e.OID)
		case 0o100755:
			out = append(out, path+"="+e.OID+"*")
		default:
			out = append(out, path+"="+e.OID)
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func after(ours worktree.State, p worktree.Plan) worktree.State {
	s := maps.Clone(ours)
	for _, c := range p.Changes {
		if c.Now.Mode == 0 {
			delete(s, c.Path)
		} else {
			s[c.Path] = c.Now
		}
	}
	return s
}

func TestOf(t *testing.T) {
	for _, c := range []struct {
		name               string
		base, ours, theirs string
		here, away         string // renames: old:new
		want               string // the tree afterwards
		conflicts          string // path:kind
	}{
		{"each its own", "a=abc b=abc", "a=xbc b=abc", "a=abc b=abx c=new", "", "", "a=xbc b=abx c=new", ""},
		{"deleted by the task", "a=abc b=abc", "a=abc b=abc", "a=abc", "", "", "a=abc", ""},
		{"deleted here", "a=abc b=abc", "a=abc", "a=abc b=abc", "", "", "a=abc", ""},
		{"both alike", "a=abc", "a=xyz n=new", "a=xyz n=new", "", "", "a=xyz n=new", ""},
		{"joined", "a=abc", "a=xbc", "a=aby", "", "", "a=xby", ""},
		{"the same line", "a=abc", "a=xbc", "a=ybc", "", "", "a=xbc", "a:content"},
		{"both made it", "", "a=abc", "a=abd", "", "", "a=abc", "a:added"},
		{"both made it, one as a program", "", "a=abc", "a=abc*", "", "", "a=abc", "a:mode"},
		{"binary", "a=abc", "a=bin", "a=abd", "", "", "a=bin", "a:binary"},
		{"content here, mode there", "a=abc", "a=xbc", "a=abc*", "", "", "a=xbc*", ""},
		{"mode here, content there", "a=abc", "a=abc*", "a=xbc", "", "", "a=xbc*", ""},
		{"changed here, deleted there", "a=abc", "a=xbc", "", "", "", "a=xbc", "a:deleted"},
		{"deleted here, changed there", "a=abc", "", "a=xbc", "", "", "", "a:deleted"},
		{"a link against a file", "a=abc", "a=xbc", "a->b", "", "", "a=xbc", "a:type"},
		{"two links", "a->x", "a->y", "a->z", "", "", "a->y", "a:link"},
		{"a file became a folder there", "a=abc", "a=abc b=new", "a/x=new", "", "", "a/x=new b=new", ""},
		{"a file became a folder there and changed here", "a=abc", "a=xbc", "a/x=new", "", "", "a=xbc", "a:deleted a:folder"},
		{"a folder became a file there and grew here", "a/x=abc", "a/x=abc a/y=new", "a=abc", "", "", "a/x=abc a/y=new", "a:folder"},
		{"a new file in the place of a new folder", "", "a=abc", "a/x=new", "", "", "a=abc", "a:folder"},
		{"an empty folder comes", "", "b=abc", "a/", "", "", "a/ b=abc", ""},
		{"empty folders in one another", "h/ h/e/ b=abc", "h/ h/e/ b=xbc", "h/ h/e/ h/f/ b=abc", "", "", "h/ h/e/ h/f/ b=xbc", ""},
		{"an empty folder fills up there", "a/", "a/", "a/x=new", "", "", "a/x=new", ""},
		{"an empty folder fills up here", "", "a/x=new", "a/", "", "", "a/x=new", ""},
		{"renamed there, changed here", "a=abc", "a=xbc", "b=abc", "", "a:b", "b=xbc", ""},
		{"renamed and changed there, changed here", "a=abc", "a=xbc", "b=aby", "", "a:b", "b=xby", ""},
		{"renamed here, changed there", "a=abc", "b=abc", "a=xbc", "a:b", "", "b=xbc", ""},
		{"renamed there, the same line changed", "a=abc", "a=xbc", "b=ybc", "", "a:b", "a=xbc", "b:content"},
		{"renamed alike", "a=abc", "b=xbc", "b=aby", "a:b", "a:b", "b=xby", ""},
		{"renamed differently", "a=abc", "b=abc", "c=abc", "a:b", "a:c", "b=abc", "a:renamed"},
		{"renamed there, deleted here", "a=abc", "", "b=abc", "", "a:b", "", "a:renamed"},
		{"renamed here, deleted there", "a=abc", "b=abc", "", "a:b", "", "b=abc", "a:renamed"},
		{"renamed there to what is new here", "a=abc", "a=xbc b=own", "b=abc", "", "a:b", "a=xbc b=own", "a:renamed b:added"},
		{"renamed there below what is a file here", "f=abc", "f=xbc a=own", "a/f=abc", "", "f:a/f", "a=own f=xbc", "a:folder"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := worktree.Input{Base: state(c.base), Ours: state(c.ours), Theirs: state(c.theirs), OursMoved: renames(c.here), TheirsMoved: renames(c.away), Join: join}
			p, err := worktree.Of(in)
			if err != nil {
				t.Fatal(err)
			}
			var met []string
			for _, x := range p.Conflicts {
				met = append(met, x.Path+":"+string(x.Kind))
			}
			if got := strings.Join(met, " "); got != c.conflicts {
				t.Errorf("conflicts %q, want %q", got, c.conflicts)
			}
			if got := words(after(in.Ours, p)); got != words(state(c.want)) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func renames(s string) map[string]string {
	m := map[string]string{}
	for _, w := range strings.Fields(s) {
		from, to, _ := strings.Cut(w, ":")
		m[from] = to
	}
	return m
}

// TestChoose checks that a chosen side decides conflicts and nothing else.
func TestChoose(t *testing.T) {
	for _, c := range []struct {
		base, ours, theirs, away string
		side                     worktree.Side
		want                     string
	}{
		{"a=abc b=abc", "a=xbc b=xbc", "a=ybc b=aby", "", worktree.Ours, "a=xbc b=xby"},
		{"a=abc b=abc", "a=xbc b=xbc", "a=ybc b=aby", "", worktree.Theirs, "a=ybc b=xby"},
		{"a=abc", "a=xbc", "", "", worktree.Theirs, ""},
		{"a=abc", "", "a=xbc", "", worktree.Theirs, "a=xbc"},
		{"", "a=abc", "a/x=new", "", worktree.Theirs, "a/x=new"},
		{"", "a/x=new", "a=abc", "", worktree.Ours, "a/x=new"},
		{"f=abc", "f=xbc a=own", "a/f=abc", "f:a/f", worktree.Ours, "f=xbc a=own"},
		{"f=abc", "f=xbc", "g=ybc", "f:g", worktree.Theirs, "g=ybc"},
		{"f=abc", "f=xbc", "g=ybc", "f:g", worktree.Ours, "f=xbc"},
		{"f=abc", "f=xbc", "g=aby", "f:g", worktree.Ours, "g=xby"},
	} {
		in := worktree.Input{Base: state(c.base), Ours: state(c.ours), Theirs: state(c.theirs), TheirsMoved: renames(c.away), Join: join,
			Choose: func(string) worktree.Side { return c.side }}
		p, err := worktree.Of(in)
		if err != nil || len(p.Conflicts) > 0 {
			t.Errorf("%v: %v %v", c, p.Conflicts, err)
		}
		if got := words(after(in.Ours, p)); got != words(state(c.want)) {
			t.Errorf("%v: %q", c, got)
		}
	}
}

func TestMarkersAndHidden(t *testing.T) {
	in := worktree.Input{Base: state("a=abc b=abc"), Ours: state("a=xbc b=bin"), Theirs: state("a=ybc b=abd .env=new"), Join: join, WriteMarkers: true,
		OursHidden: func(p string) bool { return p == ".env" }}
	p, err := worktree.Of(in)
	if err != nil {
		t.Fatal(err)
	}
	want := []worktree.Conflict{{Path: ".env", Kind: worktree.KindIgnored}, {Path: "a", Kind: worktree.KindContent, Marked: true}, {Path: "b", Kind: worktree.KindBinary}}
	if d := cmp.Diff(want, p.Conflicts, cmpopts.IgnoreFields(worktree.Conflict{}, "Says")); d != "" {
		t.Error(d)
	}
	if got := words(after(in.Ours, p)); got != "a=<xbc|ybc> b=bin" {
		t.Error(got)
	}
	if len(p.Open()) != 2 {
		t.Errorf("%v", p.Open())
	}
}

var places = []string{"a", "b", "c", "a/x", "a/y", "b/x", "d/e/f"}

// drawState draws a tree in which no path is both a file and a folder.
func drawState(t *rapid.T, name string) worktree.State {
	s := worktree.State{}
	for _, p := range rapid.SliceOfDistinct(rapid.SampledFrom(places), rapid.ID).Draw(t, name) {
		clash := false
		for q := range s {
			clash = clash || strings.HasPrefix(p, q+"/") || strings.HasPrefix(q, p+"/")
		}
		if !clash {
			maps.Copy(s, state(p+rapid.SampledFrom([]string{"=abc", "=xbc", "=abx", "=abc*", "=bin", "->abc", "/"}).Draw(t, name+" "+p)))
		}
	}
	return s
}

// drawMoves draws renames that git could have found.
func drawMoves(t *rapid.T, name string, base, side worktree.State) map[string]string {
	m, used := map[string]string{}, map[string]bool{}
	for _, from := range slices.Sorted(maps.Keys(base)) {
		if _, still := side[from]; still || base[from].Mode == folderMode || !rapid.Bool().Draw(t, name+" "+from) {
			continue
		}
		for _, to := range slices.Sorted(maps.Keys(side)) {
			if _, had := base[to]; !had && !used[to] && side[to].Mode == base[from].Mode {
				m[from], used[to] = to, true
				break
			}
		}
	}
	return m
}

func drawInput(t *rapid.T) worktree.Input {
	in := worktree.Input{Base: drawState(t, "base"), Ours: drawState(t, "ours"), Theirs: drawState(t, "theirs"), Join: join}
	in.OursMoved, in.TheirsMoved = drawMoves(t, "here", in.Base, in.Ours), drawMoves(t, "away", in.Base, in.Theirs)
	return in
}

func of(t *rapid.T, in worktree.Input) worktree.Plan {
	p, err := worktree.Of(in)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func clashes(s worktree.State) string {
	for p := range s {
		for q := range s {
			if bare := s[p].Mode == folderMode && s[q].Mode == folderMode; strings.HasPrefix(q, p+"/") && !bare {
				return fmt.Sprintf("%s and %s", p, q)
			}
		}
	}
	return ""
}

// TestLaws checks properties that hold for any three trees.
func TestLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		none := of(t, worktree.Input{Base: in.Base, Ours: in.Ours, Theirs: in.Base, OursMoved: in.OursMoved, Join: join})
		if len(none.Changes)+len(none.Conflicts) > 0 {
			t.Fatalf("a task that changed nothing changes %v, %v", none.Changes, none.Conflicts)
		}
		all := of(t, worktree.Input{Base: in.Base, Ours: in.Base, Theirs: in.Theirs, TheirsMoved: in.TheirsMoved, Join: join})
		if got := after(in.Base, all); !maps.Equal(got, in.Theirs) || len(all.Conflicts) > 0 {
			t.Fatalf("without changes of ours, want the task's tree: %q, %v", words(got), all.Conflicts)
		}
		p := of(t, in)
		got := after(in.Ours, p)
		if c := clashes(got); c != "" {
			t.Fatalf("no tree: %s", c)
		}
		kept(t, in, got, p)
		symmetric(t, in, got, p)
	})
}

// kept checks that what ours changed is still there, at its path, at its new path or in a merged
// text.
func kept(t *rapid.T, in worktree.Input, got worktree.State, p worktree.Plan) {
	for path, e := range in.Ours {
		if e == in.Base[path] || e.Mode == folderMode {
			continue
		}
		now, there := got[path]
		if to := in.TheirsMoved[path]; !there && to != "" {
			now, there = got[to]
		}
		if !there {
			t.Fatalf("%s was changed in ours and is missing", path)
		}
		if now == e {
			continue
		}
		for i := range 3 {
			own := len(e.OID) == 3 && len(in.Base[path].OID) == 3 && e.OID[i] != in.Base[path].OID[i]
			if own && now.OID[i] != e.OID[i] {
				t.Fatalf("a line of %s is missing: %q of %q", path, now.OID, e.OID)
			}
		}
	}
	for _, c := range p.Conflicts {
		if was, now := in.Ours[c.Path], got[c.Path]; !c.Marked && was != now && was.Mode != folderMode {
			t.Fatalf("%s is a conflict and was changed: %v %v", c.Path, was, now)
		}
	}
}

// symmetric checks that swapping the sides gives the same tree when there is no conflict.
func symmetric(t *rapid.T, in worktree.Input, got worktree.State, p worktree.Plan) {
	other := worktree.Input{Base: in.Base, Ours: in.Theirs, Theirs: in.Ours, OursMoved: in.TheirsMoved, TheirsMoved: in.OursMoved, Join: join}
	q := of(t, other)
	if (len(p.Conflicts) == 0) != (len(q.Conflicts) == 0) {
		t.Fatalf("conflicts depend on the order of the sides: %v, %v", p.Conflicts, q.Conflicts)
	}
	if len(p.Conflicts) == 0 {
		if turned := after(in.Theirs, q); !maps.Equal(got, turned) {
			t.Fatalf("%q, but %q with the sides swapped", words(got), words(turned))
		}
	}
}

// TestChooseAll checks that choosing a side for everything leaves no conflict.
func TestChooseAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		side := rapid.SampledFrom([]worktree.Side{worktree.Ours, worktree.Theirs}).Draw(t, "side")
		in.Choose = func(string) worktree.Side { return side }
		p := of(t, in)
		if len(p.Conflicts) > 0 {
			t.Fatalf("%v", p.Conflicts)
		}
		got := after(in.Ours, p)
		if c := clashes(got); c != "" {
			t.Fatalf("no tree: %s", c)
		}
		if side == worktree.Ours {
			kept(t, in, got, p)
		}
	})
}
