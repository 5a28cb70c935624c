package handoff

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/belay-dev/belay/internal/belay"
)

// What the bytes depend on. Any change that gives other bytes for the same input needs a new
// version.
const (
	Version       = 1 // of the block
	Serialiser    = "belay-json/1"
	Normaliser    = "belay-text/" + NormaliserVersion
	MaxText       = 2 << 10 // bytes of a string before it is truncated
	gzipThreshold = 64 << 10
)

// IsLarge reports whether n bytes are stored compressed.
func IsLarge(n int64) bool { return n > gzipThreshold }

// CanonicalJSON returns v as JSON in UTF-8 with sorted keys and without HTML escapes, on one line
// that ends with a newline. Equal values give equal bytes everywhere.
func CanonicalJSON(v any) ([]byte, error) {
	text, err := encode(v)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var tree any
	if err := d.Decode(&tree); err != nil {
		return nil, fmt.Errorf("write canonical JSON: %w", err)
	}
	return encode(tree) // maps are encoded with sorted keys
}

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("write canonical JSON: %w", err)
	}
	return b.Bytes(), nil
}

// SHA256Hex returns the SHA-256 of data in hex.
func SHA256Hex(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// PathText returns a path as valid UTF-8, with other bytes escaped as \x...
func PathText(p string) string {
	if utf8.ValidString(p) {
		return p
	}
	return belay.VisibleLine(p)
}

// NormalizeText normalises white space: LF line ends, no blanks at line ends, no repeated blank
// lines, none at the start and the end. It keeps every other character: a # may be a heading in
// somebody's text.
func NormalizeText(s string) string {
	s = strings.ToValidUTF8(string(Normalise([]byte(s))), "\ufffd")
	var out []string
	for line := range strings.SplitSeq(s, "\n") {
		line = strings.TrimRight(line, " \t")
		if line == "" && (len(out) == 0 || out[len(out)-1] == "") {
			continue
		}
		out = append(out, line)
	}
	return strings.TrimRight(strings.Join(out, "\n"), "\n")
}

// TruncateText cuts a text longer than MaxText, and appends where the complete text is.
func TruncateText(s, pointer string) string {
	if len(s) <= MaxText {
		return s
	}
	tail := fmt.Sprintf("… [cut: %d bytes, sha256 %s; whole: %s]", len(s), SHA256Hex([]byte(s))[:16], pointer)
	return strings.ToValidUTF8(s[:max(0, MaxText-len(tail))], "") + tail
}
