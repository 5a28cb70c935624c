package config

import (
	"bytes"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// Commands lists everything in the file that runs a program, a line per key, with each argument
// quoted so that nothing in it is hidden; and the variables passed to those programs. hash is the
// SHA-256 of the block in hex. Both are empty if the file runs nothing. Flags do not change them,
// because the person chose those.
func Commands(c Config) (block []byte, hash string) {
	if len(c.block) == 0 {
		return nil, ""
	}
	return bytes.Clone(c.block), Hash(string(c.block))
}

// Typed returns the block of the values given as flags: a person typed them in this invocation.
func Typed(c Config) string {
	return string(c.commands(func(k key) bool { return c.source(k.name) == Flag }))
}

func commandBlock(c Config) []byte {
	b := c.commands(func(key) bool { return true })
	if len(b) > 0 && len(c.Environment.Pass) > 0 {
		b = append(b, "environment.pass: "+TrustArgs(c.Environment.Pass)+"\n"...)
	}
	return b
}

// commands writes the keys that name programs, that lead out of the repository, or that remove
// protection, a line each.
func (c Config) commands(with func(key) bool) []byte {
	var b bytes.Buffer
	write := func(name, words string) {
		if words != "" {
			b.WriteString(name + ": " + words + "\n")
		}
	}
	for _, k := range c.all() {
		if !k.runs && !k.leads && k.frees == "" || !with(k) {
			continue
		}
		switch v := k.field(&c).(type) {
		case *[]string:
			write(k.name, TrustArgs(*v))
		case *string: // an address that gets work needs trust like a program
			if frees := k.frees != "" && *v == k.frees; *v != "" && (k.runs || frees || k.leads && Outside(*v)) {
				write(k.name, TrustArgs([]string{*v}))
			}
		case *bool:
			if text := strconv.FormatBool(*v); text == k.frees {
				write(k.name, TrustArgs([]string{text}))
			}
		case *belay.TestCommand:
			if v.Command != "" {
				write(k.name, TrustShell(v.Command))
			}
			write(k.name, TrustArgs(v.Args))
		}
	}
	return b.Bytes()
}

// Outside reports whether a path of the config leads out of the repository lexically.
func Outside(path string) bool {
	path = filepath.ToSlash(path)
	return strings.HasPrefix(path, "/") || slices.Contains(strings.Split(path, "/"), "..")
}
