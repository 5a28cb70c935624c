package check

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"

	"github.com/belay-dev/belay/internal/syntax"
)

// decodeUTF16File returns a file's texts as UTF-8 if they are UTF-16: settings of Windows programs
// and PowerShell scripts are, and a search for bytes treats them as binary. Line numbers stay the
// same.
func decodeUTF16File(f *syntax.File) *syntax.File {
	after, ok := decodeUTF16(f.After)
	if !ok {
		return f
	}
	before, ok := decodeUTF16(f.Before)
	if !ok {
		before = f.Before
	}
	return &syntax.File{Path: f.Path, Before: before, After: after}
}

// decodeUTF16 decodes UTF-16, recognised by its byte order mark or by its zero bytes; ok is false
// for other texts.
func decodeUTF16(text []byte) ([]byte, bool) {
	order := utf16ByteOrder(text)
	if order == nil {
		return nil, false
	}
	units := make([]uint16, 0, len(text)/2)
	for i := 0; i+1 < len(text); i += 2 {
		units = append(units, order.Uint16(text[i:]))
	}
	if len(units) > 0 && units[0] == 0xfeff {
		units = units[1:]
	}
	return []byte(string(utf16.Decode(units))), true
}

const utf16SampleSize = 4096 // number of bytes in which zero bytes are counted

// utf16ByteOrder recognises UTF-16: a byte order mark, or nearly every other byte is zero and
// nearly none of the others, as in mostly ASCII text.
func utf16ByteOrder(text []byte) binary.ByteOrder {
	switch {
	case bytes.HasPrefix(text, []byte{0xff, 0xfe, 0, 0}), bytes.HasPrefix(text, []byte{0, 0, 0xfe, 0xff}):
		return nil // UTF-32
	case bytes.HasPrefix(text, []byte{0xff, 0xfe}):
		return binary.LittleEndian
	case bytes.HasPrefix(text, []byte{0xfe, 0xff}):
		return binary.BigEndian
	}
	head := text[:min(len(text), utf16SampleSize)&^1]
	if len(head) < 16 {
		return nil
	}
	var zeros [2]int
	for i, c := range head {
		if c == 0 {
			zeros[i%2]++
		}
	}
	half := len(head) / 2
	switch {
	case zeros[1] > half*7/10 && zeros[0] < half/20+1:
		return binary.LittleEndian
	case zeros[0] > half*7/10 && zeros[1] < half/20+1:
		return binary.BigEndian
	}
	return nil
}
