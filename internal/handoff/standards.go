package handoff

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/belay-dev/belay/internal/belay"
)

// Normaliser is the version of Normalise and of the hashes made with it. It is written
// beside every hash, so that another version is never compared with this one.
const NormaliserVersion = "1"

// MaxSize is how many bytes a file of rules may have.
const MaxSize = 4 << 20

// Normalise returns a text with one kind of line end: CRLF and a lone CR become LF, a byte
// order mark at the start goes. A checkout with other line ends has the same hash.
func Normalise(text []byte) []byte {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if bytes.IndexByte(text, '\r') < 0 {
		return text
	}
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	return bytes.ReplaceAll(text, []byte("\r"), []byte("\n"))
}

// Hash is the SHA-256 of the normalised text, in hex.
func Hash(text []byte) string { return SHA256Hex(Normalise(text)) }

// File is one file of rules. Path is from the repository's root.
type File struct {
	Path string
	Text []byte
}

// Document is a file as it was read.
type Document struct {
	Path     string
	Hash     string
	Bytes    int // normalised
	Sections []Section
}

// Section is a heading with everything up to the next heading of its level or a higher
// one. Lines count from 1 and include both ends. The part of a file before its first
// heading, and a file without any, is a section with an empty Slug.
type Section struct {
	Slug  string // of the heading, as forges make anchors; a second one of a name ends in -1
	Title string
	Start int
	End   int
	Own   int    // the last line before the next heading of any level
	Text  string // Start to End, without blank lines at its end
	Body  string // Start to Own, likewise
}

// Read finds the sections of a file. Errors (belay.CodeUsage): a file that is larger than
// MaxSize, not UTF-8, or holds NUL.
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

// lines cuts a text at its line ends, which are not part of the lines.
func textLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// Find returns the section that a name means: its slug, or its title in any case.
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
