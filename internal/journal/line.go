package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/belay-dev/belay/internal/belay"
)

// A line is exactly
//
//	{"v":1,"seq":N,"time":"T","task":"ID","type":"TYPE","data":JSON,"prev":"HEX","hash":"HEX"}
//
// with the keys in this order and no space between them. The fixed format makes parsing strict:
// missing, duplicate, unknown or misplaced keys are errors.
const (
	frameSeq  = `,"seq":`
	frameTime = `,"time":"`
	frameTask = `","task":"`
	frameType = `","type":"`
	frameData = `","data":`
	framePrev = `,"prev":"`
	frameHash = `,"hash":"`
	frameEnd  = `"}`
	hexLen    = 2 * sha256.Size
	hashLen   = len(frameHash) + hexLen + len(frameEnd)
	tailLen   = len(framePrev) + hexLen + len(`"`) + hashLen
)

// First is the Prev of the first line of a record.
var First = strings.Repeat("0", hexLen)

// isType reports whether an entry's type is a lower-case letter and at most 63 more of a-z, 0-9, "_", "." and "-".
func isType(b []byte) bool {
	for i, c := range b {
		letter := c >= 'a' && c <= 'z'
		if !letter && (i == 0 || (c < '0' || c > '9') && c != '_' && c != '.' && c != '-') {
			return false
		}
	}
	return len(b) > 0 && len(b) <= 64
}

// Line is one parsed line: the entry and its task.
type Line struct {
	Entry
	Task belay.TaskID
}

// Head returns the head of a record that ends with this line.
func (l Line) Head() Head { return Head{Seq: l.Seq, Hash: l.Hash} }

var (
	errFrame = errors.New("it is not an entry")
	errHash  = errors.New("its hash does not match its bytes")
)

// Parse parses one line without its newline. It checks everything that one line allows, including
// its own hash.
func Parse(b []byte) (Line, error) {
	l, err := parseFrame(b)
	if err != nil {
		return l, err
	}
	sum := sha256.Sum256(b[:len(b)-hashLen])
	if hex.EncodeToString(sum[:]) != l.Hash {
		return l, errHash
	}
	return l, nil
}

func parseFrame(b []byte) (l Line, err error) {
	rest, err := checkVersion(b)
	if err != nil {
		return l, err
	}
	if len(rest) < tailLen || !utf8.Valid(rest) {
		return l, errFrame
	}
	front, tail := rest[:len(rest)-tailLen], rest[len(rest)-tailLen:]
	seq, front, ok1 := between(front, frameSeq, frameTime)
	stamp, front, ok2 := between(front, "", frameTask)
	task, front, ok3 := between(front, "", frameType)
	typ, data, ok4 := between(front, "", frameData)
	whole := ok1 && ok2 && ok3 && ok4
	if !whole || !json.Valid(data) || !isType(typ) {
		return l, errFrame
	}
	if l.Seq, err = parseSeq(string(seq)); err != nil {
		return l, err
	}
	if l.Time, err = parseTime(string(stamp)); err != nil {
		return l, err
	}
	if l.Task, err = belay.ParseTaskID(string(task)); err != nil {
		return l, errFrame
	}
	if l.Prev, l.Hash, err = parseTail(tail); err != nil {
		return l, err
	}
	l.Type, l.Data = string(typ), json.RawMessage(data)
	return l, nil
}

// checkVersion removes `{"v":1`. The error for a later version names it: the line is neither parsed
// nor treated as damaged.
func checkVersion(b []byte) ([]byte, error) {
	v, rest, ok := between(b, `{"v":`, ",")
	if !ok {
		return nil, errFrame
	}
	n, err := parseSeq(string(v))
	if err != nil {
		return nil, errFrame
	}
	if n != Version {
		return nil, fmt.Errorf("it has version %d; this belay reads version %d", n, Version)
	}
	return b[len(b)-len(rest)-1:], nil
}

// between removes before from b, and returns the text up to the first after, and the text following
// that.
func between(b []byte, before, after string) (found, rest []byte, ok bool) {
	b, ok = bytes.CutPrefix(b, []byte(before))
	if !ok {
		return nil, nil, false
	}
	return bytes.Cut(b, []byte(after))
}

func parseSeq(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || strconv.Itoa(n) != s {
		return 0, errFrame
	}
	return n, nil
}

func parseTime(s string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil || t.UTC().Format(time.RFC3339Nano) != s {
		return time.Time{}, errFrame
	}
	return t.UTC(), nil
}

func parseTail(b []byte) (prev, hash string, err error) {
	p, rest, ok := between(b, framePrev, `"`)
	h, end, ok2 := between(rest, frameHash, `"`)
	if !ok || !ok2 || string(end) != "}" || !IsHash(string(p)) || !IsHash(string(h)) {
		return "", "", errFrame
	}
	return string(p), string(h), nil
}

// IsHash reports whether s is 64 lower-case hex digits.
func IsHash(s string) bool {
	if len(s) != hexLen {
		return false
	}
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// Make returns the line for l, including the newline, and sets l's hash. It parses the line before
// returning it, so that the store never contains a line that it cannot read.
func Make(l *Line) ([]byte, error) {
	if l.Prev == "" {
		l.Prev = First
	}
	var b bytes.Buffer
	b.Grow(len(l.Data) + 512)
	fmt.Fprintf(&b, `{"v":%d%s%d%s%s%s%s%s%s%s`, Version, frameSeq, l.Seq, frameTime, l.Time.Format(time.RFC3339Nano),
		frameTask, l.Task, frameType, l.Type, frameData)
	b.Write(l.Data)
	b.WriteString(framePrev + l.Prev + `"`)
	sum := sha256.Sum256(b.Bytes())
	l.Hash = hex.EncodeToString(sum[:])
	b.WriteString(frameHash + l.Hash + frameEnd)
	if b.Len() > MaxLine {
		return nil, tooLong(b.Len())
	}
	if _, err := parseFrame(b.Bytes()); err != nil {
		return nil, belay.Refuse(belay.CodeUsage, belay.TaskIDRule+"; a type has lower-case letters, digits, '_', '.' and '-'",
			"an entry of type %q for %q cannot be recorded", l.Type, l.Task)
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

func tooLong(n int) error {
	return belay.Refuse(belay.CodeUsage, "store large data as an attachment", "an entry of %d bytes is too long (at most %d)", n, MaxLine)
}

// Encode returns data as one line of JSON in which no object has a duplicate key: JSON parsers
// differ for such objects, but a record must be unambiguous.
func Encode(data any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(data); err != nil {
		return nil, err
	}
	raw := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	if len(raw) > MaxLine {
		return nil, tooLong(len(raw))
	}
	if !utf8.Valid(raw) {
		return nil, errors.New("the data is not UTF-8")
	}
	if key, twice := DoubleKey(raw); twice {
		return nil, fmt.Errorf("the data has the key %q twice", key)
	}
	return raw, nil
}

// DoubleKey returns a duplicate key of an object in the valid JSON raw.
func DoubleKey(raw []byte) (string, bool) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var open []map[string]bool // nil for an array
	wantKey := false
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) || err != nil {
			return "", false
		}
		switch key, isText := tok.(string); {
		case tok == json.Delim('{'):
			open, wantKey = append(open, map[string]bool{}), true
			continue
		case tok == json.Delim('['):
			open = append(open, nil)
		case tok == json.Delim('}') || tok == json.Delim(']'):
			open = open[:len(open)-1]
		case isText && wantKey:
			if open[len(open)-1][key] {
				return key, true
			}
			open[len(open)-1][key] = true
			wantKey = false
			continue
		}
		wantKey = len(open) > 0 && open[len(open)-1] != nil
	}
}
