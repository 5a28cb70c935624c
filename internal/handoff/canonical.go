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

// What bytes depend on. A version goes up with every change that makes other bytes of the
// same input.
const (
	Version       = 1 // of the block
	Serialiser    = "belay-json/1"
	Normaliser    = "belay-text/" + NormaliserVersion
	MaxText       = 2 << 10 // bytes of one string before it is cut with a pointer
	gzipThreshold = 64 << 10
)

// IsLarge reports whether so many bytes are kept compressed.
func IsLarge(n int64) bool { return n > gzipThreshold }

// CanonicalJSON returns v as JSON with sorted keys, in UTF-8, without escapes that HTML would
// need, on one line that ends in a newline. Equal values have equal bytes everywhere.
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
	return encode(tree) // maps are written with sorted keys
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

// SHA256Hex is the SHA-256 of bytes, in hex.
func SHA256Hex(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// PathText returns a path as JSON can hold it: one that is not UTF-8 with its odd bytes
// written as \x...
func PathText(p string) string {
	if utf8.ValidString(p) {
		return p
	}
	return belay.VisibleLine(p)
}

// NormalizeText normalises words of several lines: LF ends, no blanks at the ends of lines, single
// blank lines, none at the start and the end. Words are never folded or dropped: a # is a
// heading in somebody's prose.
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

// TruncateText cuts a text that is longer than MaxText and says where the whole of it is.
func TruncateText(s, pointer string) string {
	if len(s) <= MaxText {
		return s
	}
	tail := fmt.Sprintf("… [cut: %d bytes, sha256 %s; whole: %s]", len(s), SHA256Hex([]byte(s))[:16], pointer)
	return strings.ToValidUTF8(s[:max(0, MaxText-len(tail))], "") + tail
}
