package handoff

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/belay-dev/belay/internal/belay"
)

// NormaliserVersion is the version of Normalise and of the hashes made with it. It is written
// beside every hash, so that hashes of different versions are not compared.
const NormaliserVersion = "1"

// MaxSize is the maximum size of a file of rules, in bytes.
const MaxSize = 4 << 20

// Normalise returns a text with LF line ends and without a byte order mark, so that checkouts with
// other line ends have the same hash.
func Normalise(text []byte) []byte {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if bytes.IndexByte(text, '\r') < 0 {
		return text
	}
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	return bytes.ReplaceAll(text, []byte("\r"), []byte("\n"))
}

// Hash returns the SHA-256 of the normalised text, in hex.
func Hash(text []byte) string { return SHA256Hex(Normalise(text)) }

// File is a file of rules. Path is relative to the repository's root.
type File struct {
	Path string
	Text []byte
}

// Document is a parsed file of rules.
type Document struct {
	Path     string
	Hash     string
	Bytes    int // normalised size
	Sections []Section
}

// Section is a heading with everything up to the next heading of the same or a higher level. Lines
// count from 1, both ends included. The part before the first heading, or a file without headings,
// is a section with an empty Slug.
type Section struct {
	Slug  string // the heading's anchor as on forges; a repeated one ends in -1
	Title string
	Start int
	End   int
	Own   int    // the last line before the next heading of any level
	Text  string // lines Start to End, without trailing blank lines
	Body  string // lines Start to Own, without trailing blank lines
}

// Read finds the sections of a file. Errors (belay.CodeUsage): it is larger than MaxSize, not
// UTF-8, or contains NUL.
func Read(f File) (Document, error) {
	bad := func(try, what string) error {
		return belay.Refuse(belay.CodeUsage, try, "%s cannot be cited: %s", belay.VisibleLine(f.Path), what)
	}
	switch {
	case len(f.Text) > MaxSize:
		return Document{}, bad("split it into several files", fmt.Sprintf("it is larger than %d MiB", MaxSize>>20))
	case bytes.IndexByte(f.Text, 0) >= 0:
		return Document{}, bad("name only text files in standards", "it is not text")
	case !utf8.Valid(f.Text):
		return Document{}, bad("save it as UTF-8", "it is not UTF-8")
	}
	text := Normalise(f.Text)
	d := Document{Path: f.Path, Hash: Hash(f.Text), Bytes: len(text)}
	d.Sections = sectionsOf(textLines(string(text)))
	return d, nil
}

// textLines splits a text into lines without line ends.
func textLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// Find returns the section with this slug, or else with this title, ignoring case.
func (d Document) Find(name string) (Section, bool) {
	name = strings.TrimPrefix(strings.TrimSpace(name), "#")
	for _, s := range d.Sections {
		if s.Slug == strings.ToLower(name) {
			return s, true
		}
	}
	for _, s := range d.Sections {
		if strings.EqualFold(s.Title, name) {
			return s, true
		}
	}
	return Section{}, false
}
