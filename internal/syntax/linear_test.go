//go:build unix

package syntax

import (
	"math"
	"strings"
	"syscall"
	"testing"
)

// TestLexIsLinear: ten times the text takes about ten times as long, whatever is opened in it
// repeatedly and never closed. Looking ahead to the end of a line or text at each token would take
// a hundred times as long. The test takes CPU times, the best of several, relative to lexing the
// same text as single bytes, which uses the same memory: so a busy machine, its caches and its
// memory affect both.
func TestLexIsLinear(t *testing.T) { // not parallel, so that no other test is measured
	for _, c := range []struct {
		langs []Language
		again []string
	}{
		{[]Language{TypeScript, Ruby}, []string{"/[", "(/[", "/[/]", "/\\", "/=", "/ "}},
		{[]Language{TypeScript}, []string{"`${", "`${`", "${", "/*"}},
		{[]Language{Ruby}, []string{"<<A ", "<<~'A' ", "%w", "%(", "\"#{", "?", "=begin "}},
		{[]Language{CSharp}, []string{"#", "# ", "#if ", "/**/#", "\n#if false", "@$", "$\"{", "\"\" ", "@\""}},
		{[]Language{Rust}, []string{"r#", "br#", "r#\"", "'", "b'", "/*", "/**/"}},
		{[]Language{PHP}, []string{"//?><?php ", "#?><?=", "?><?", "<<<", "<<<A\n", "\"{$", "$", "#?"}},
		{[]Language{SQL, TOML, Kotlin}, []string{"'", "''", "\"\"\"", "/*", "--"}},
		{[]Language{Python}, []string{"\"\"\"", "'''\\", "rb", "f'"}},
		{[]Language{Go}, []string{"'", "(", "(]", "[}("}},
	} {
		for _, l := range c.langs {
			for _, again := range c.again {
				if grown := growth(l, again); grown > 5 {
					t.Errorf("%s: ten times as many %q take %.0f times as long", l, again, 10*grown)
				}
			}
		}
	}
}

// growth returns how much more a token costs in a text ten times as long, 1 if that is too little
// to measure.
func growth(l Language, again string) float64 {
	const inf = math.MaxFloat64
	small, large, smallBytes, largeBytes := inf, inf, inf, inf
	for range 8 {
		large = min(large, timeToLex(l, again, 100_000))
		largeBytes = min(largeBytes, timeToLex(None, again, 100_000))
		if large < 3*largeBytes {
			return 1
		}
		small = min(small, timeToLex(l, again, 10_000))
		smallBytes = min(smallBytes, timeToLex(None, again, 10_000))
		if large/largeBytes < 2*small/smallBytes {
			break
		}
	}
	return large / largeBytes / (small / smallBytes)
}

func timeToLex(l Language, again string, times int) float64 {
	src := strings.Repeat(again, times)
	if l == PHP {
		src = "<?php " + src
	}
	begun := used()
	MatchBrackets(Lex(l, []byte(src)))
	return float64(max(used()-begun, 1))
}

// used returns the CPU time of this process in nanoseconds.
func used() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}
