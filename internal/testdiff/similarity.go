package testdiff

import (
	"maps"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/syntax"
)

// IsSimilar reports whether two tests do nearly the same: three quarters of their tokens are
// shared.
func (u Test) IsSimilar(a Test) bool {
	return !u.Group && len(u.Body) >= 6 && u.CountShared(a)*4 >= max(len(a.Body), len(u.Body))*3
}

// CountShared counts the tokens that both tests have.
func (u Test) CountShared(a Test) int {
	counts := map[string]int{}
	for _, t := range u.Body {
		counts[t.Text]++
	}
	n := 0
	for _, t := range a.Body {
		if counts[t.Text]--; counts[t.Text] >= 0 {
			n++
		}
	}
	return n
}

// calledNames returns the names that a test calls, and those that it calls without a receiver.
func (u Test) calledNames() (names, plain map[string]bool) {
	names, plain = map[string]bool{}, map[string]bool{}
	for i := 0; i+1 < len(u.Body); i++ {
		if u.Body[i].Kind != syntax.Word || !u.Body[i+1].Is("(") && !u.Body[i+1].Is("!") {
			continue
		}
		names[u.Body[i].Text] = true
		if u.Body[i+1].Is("(") && (i == 0 || !u.Body[i-1].Is(".")) {
			plain[u.Body[i].Text] = true
		}
	}
	return names, plain
}

// CallsMore reports whether a test calls something that b did not, such as a helper that may
// assert. A function call is not the same as a method call of that name, as t.match(x) was.
func (u Test) CallsMore(b Test) bool {
	names, plain := u.calledNames()
	had, hadPlain := b.calledNames()
	maps.DeleteFunc(names, func(name string, _ bool) bool { return had[name] })
	maps.DeleteFunc(plain, func(name string, _ bool) bool { return hadPlain[name] })
	return len(names)+len(plain) > 0
}

// CanFail reports whether a failed assertion can fail the test.
func (u Test) CanFail() bool { return u.Asserts > len(u.Unreachable)+len(u.Swallowed) }

// commonWords are words that occur in tests of any subject.
var commonWords = lazyregexp.Of(`if for while switch case catch try except func function return range def lambda async await
	new let const var val in is not and or
	true false True False nil null None undefined self this end do done it test describe expect assert require t b f tb
	should to not_to eq eql be
	must suite qt want got wanted expected actual err error errors name cases string int bool float String Integer public void static fn mut
	Run Log Logf Helper Parallel Error Errorf Fatal Fatalf Fail FailNow Equal NotEqual NoError Nil NotNil Len Contains That fail raises`)

// CommonCalls returns the names that more than a third of the tests call, so that they do not
// identify a test's subject. Fewer than three tests have none.
func CommonCalls(tests []Test) map[string]bool {
	counts, n := map[string]int{}, 0
	for _, u := range tests {
		if u.Group || len(u.Body) == 0 {
			continue
		}
		n++
		names, _ := u.calledNames()
		for name := range names {
			counts[name]++
		}
	}
	common := map[string]bool{}
	for name, k := range counts {
		common[name] = n >= 3 && k*3 > n
	}
	return common
}

// HasSameSubject reports whether the test a calls a function that u calls, or names it in its
// table. If u calls nothing, they have to share a word. Common names do not count.
func (u Test) HasSameSubject(a Test, common map[string]bool) bool {
	wanted := map[string]bool{}
	none := true
	names, _ := u.calledNames()
	for name := range names {
		if isSubjectWord(name) {
			none = false
			wanted[name] = !common[name]
		}
	}
	if none {
		for _, t := range u.Body {
			if t.Kind == syntax.Word && isSubjectWord(t.Text) {
				wanted[t.Text] = true
			}
		}
	}
	return slices.ContainsFunc(slices.Concat(a.Body, a.Table), func(t syntax.Token) bool { return t.Kind == syntax.Word && wanted[t.Text] })
}

// isSubjectWord reports whether a word can belong to the tested code, and not to the test
// framework.
func isSubjectWord(word string) bool {
	low := strings.ToLower(word)
	matcher := len(word) > 2 && strings.HasPrefix(word, "to") && word[2] >= 'A' && word[2] <= 'Z'
	return !commonWords.Has(word) && !matcher && !strings.HasPrefix(low, "assert") && !strings.HasPrefix(low, "expect")
}

// IsInTable reports whether a's table contains at least half of the values of u, or its name.
func (u Test) IsInTable(a Test) bool {
	has := map[string]bool{}
	for _, t := range a.Table {
		if t.Kind == syntax.Number || t.Kind == syntax.Text || t.Kind == syntax.Word {
			has[t.Value()] = true
		}
		if t.Kind == syntax.Text && len(t.Text) < 4096 { // 1, 2 in a string: rows of a CSV
			for _, word := range strings.FieldsFunc(t.Value(), func(r rune) bool { return strings.ContainsRune(" \t\n,|;${}'", r) }) {
				has[word] = true
			}
		}
	}
	if _, leaf, ok := strings.Cut(u.ShortName, "/"); ok && has[leaf] {
		return true
	}
	all, there := 0, 0
	for _, t := range u.Body {
		if t.Kind != syntax.Number && t.Kind != syntax.Text || t.Kind == syntax.Text && strings.Contains(t.Text, "%") {
			continue
		}
		if all++; has[t.Value()] {
			there++
		}
	}
	return all > 0 && there*2 >= all
}
