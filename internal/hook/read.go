package hook

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Limits for what is kept of an input. Shell text is kept completely up to a limit; of other texts
// only the start is kept.
const (
	maxCommand  = 1 << 20
	maxText     = 4 << 10
	maxToolText = 32 << 10
	maxKept     = 4 << 20 // of all values together, and again of those that decide
	maxValues   = 4096
	maxInput    = 512 << 20 // the rest of a larger input is not read
	maxDepth    = 6         // of the values that are kept
)

// fields contains the texts in a JSON object by path, such as "tool_input.command". The items of a
// list have the list's path.
type fields struct {
	values     map[string][]string
	keptBytes  int
	decisive   int // bytes of values that decide
	count      int
	incomplete bool
	tooLong    bool // a text that decides was not kept completely
}

func (f *fields) get(path string) []string { return f.values[path] }

// first returns the first non-empty text at one of the paths.
func (f *fields) first(paths ...string) string {
	for _, p := range paths {
		for _, v := range f.values[p] {
			if v != "" {
				return v
			}
		}
	}
	return ""
}

// readFields reads the texts of one JSON value and stops at its end, because an agent need not
// close the pipe.
func readFields(in io.Reader) *fields {
	f := &fields{values: map[string][]string{}}
	s := &scanner{in: bufio.NewReaderSize(io.LimitReader(in, maxInput), 64<<10)}
	if err := f.readValue(s); err != nil {
		f.incomplete = true
	}
	return f
}

// bytesToKeep returns how many bytes of the text at a path are kept.
func bytesToKeep(path string) int {
	switch last := path[strings.LastIndexByte(path, '.')+1:]; last {
	case "command", "cmd", "script", "patch", "patchText", "input", "tool_input", "toolArgs", "tool_args", "diff":
		return maxCommand
	case "transcript_path":
		return 0
	}
	if isToolText(path) {
		return maxToolText
	}
	return maxText
}

// isToolText reports whether a text is part of a tool's input or output. Of a long one, the start
// and a hash of the rest are kept.
func isToolText(path string) bool {
	top, _, _ := strings.Cut(path, ".")
	switch top {
	case "tool_input", "toolInput", "toolArgs", "tool_args", "tool_response", "toolResult", "tool_result", "error":
		return true
	}
	return false
}

// decides reports whether a call is judged by the value at a path. Any number of other values must
// not displace it.
func decides(path string) bool {
	switch last := path[strings.LastIndexByte(path, '.')+1:]; last {
	case "tool_name", "toolName", "hook_event_name", "hookEventName", "session_id", "sessionId", "conversation_id", "cwd",
		"workspace_roots", "workdir", "directory", "dir_path":
		return true
	default:
		return bytesToKeep(path) == maxCommand ||
			slices.ContainsFunc(pathFields, func(p string) bool { return p == last || strings.HasSuffix(p, "."+last) })
	}
}

func (f *fields) addText(path, text string, whole bool) {
	switch {
	case path == "":
		return
	case decides(path):
		if f.decisive += len(text) + 16; f.decisive > maxKept {
			f.incomplete, f.tooLong = true, true
			return
		}
	case f.count >= maxValues || f.keptBytes+len(text) > maxKept:
		return
	default:
		f.count++
		f.keptBytes += len(text)
	}
	f.values[path] = append(f.values[path], text)
	if !whole && bytesToKeep(path) == maxCommand {
		f.incomplete, f.tooLong = true, true
	}
	if inner := strings.TrimSpace(text); whole && strings.HasPrefix(inner, "{") && strings.Count(path, ".") == 0 {
		sub := &fields{values: map[string][]string{}} // some agents send the tool's input as JSON in a string
		if sub.readValue(&scanner{in: bufio.NewReader(strings.NewReader(inner))}) == nil {
			for p, list := range sub.values {
				f.values[path+"."+p] = append(f.values[path+"."+p], list...)
			}
			f.incomplete, f.tooLong = f.incomplete || sub.incomplete, f.tooLong || sub.tooLong
		}
	}
}

var errSyntax = errors.New("not JSON")

// jsonLevel is an object or list that is being read.
type jsonLevel struct {
	path    string // of its values
	isList  bool
	tooDeep bool // nothing inside is kept
}

// readValue reads one value with all its content. It is not recursive, so deep nesting is no
// problem.
func (f *fields) readValue(s *scanner) error {
	var stack []jsonLevel
	path := ""
	for {
		opened, err := f.readOne(s, path, &stack)
		if err != nil {
			return err
		}
		if opened {
			more, err := s.hasItems(&stack)
			if err != nil {
				return err
			}
			if more {
				if path, err = f.nextKey(s, &stack); err != nil {
					return err
				}
				continue
			}
		}
		for {
			if len(stack) == 0 {
				return nil
			}
			more, err := s.nextItem(stack[len(stack)-1].isList)
			if err != nil {
				return err
			}
			if more {
				break
			}
			stack = stack[:len(stack)-1]
		}
		if path, err = f.nextKey(s, &stack); err != nil {
			return err
		}
	}
}

// readOne reads a string, number or literal, or the start of an object or list, which it pushes on
// the stack.
func (f *fields) readOne(s *scanner, path string, stack *[]jsonLevel) (opened bool, err error) {
	c, err := s.peek()
	if err != nil {
		return false, err
	}
	deep := len(*stack) > 0 && (*stack)[len(*stack)-1].tooDeep
	switch c {
	case '{', '[':
		if len(*stack) > 100_000 {
			return false, errSyntax
		}
		*stack = append(*stack, jsonLevel{path: path, isList: c == '[', tooDeep: deep || len(*stack) >= maxDepth})
		return true, s.skipByte()
	case '"':
		limit := bytesToKeep(path)
		if deep {
			limit = 0
		}
		text, whole, err := s.readString(limit)
		if err == nil && limit > 0 {
			if !whole && limit == maxToolText {
				text += fmt.Sprintf(" …%x", s.restHash)
			}
			f.addText(path, text, whole)
		}
		return false, err
	}
	word, err := s.readLiteral()
	if err == nil && !deep {
		f.addText(path, word, true)
	}
	return false, err
}

// nextKey reads the next value's key, if it has one, and returns its path.
func (f *fields) nextKey(s *scanner, stack *[]jsonLevel) (string, error) {
	top := (*stack)[len(*stack)-1]
	if top.isList {
		return top.path, nil
	}
	key, _, err := s.readString(256)
	if err != nil {
		return "", err
	}
	if c, err := s.peek(); err != nil || c != ':' {
		return "", errors.Join(errSyntax, err)
	}
	if err := s.skipByte(); err != nil {
		return "", err
	}
	if top.tooDeep {
		return "", nil
	}
	if top.path == "" {
		delete(f.values, key) // of equal keys the last one counts
		return key, nil
	}
	return top.path + "." + key, nil
}

// scanner reads the tokens of JSON.
type scanner struct {
	in       *bufio.Reader
	buf      []byte
	restHash uint64 // FNV-1a hash of the part of a text that is not kept
}

// peek skips spaces and returns the next byte without consuming it.
func (s *scanner) peek() (byte, error) {
	for {
		c, err := s.in.ReadByte()
		if err != nil {
			return 0, err
		}
		if c == ' ' || c == '\t' || c == '\n' || c == '\r' {
			continue
		}
		return c, s.in.UnreadByte()
	}
}

func (s *scanner) skipByte() error {
	_, err := s.in.ReadByte()
	return err
}

// hasItems reports whether the object or list just opened has items. If it has none, it closes it.
func (s *scanner) hasItems(stack *[]jsonLevel) (bool, error) {
	top := (*stack)[len(*stack)-1]
	c, err := s.peek()
	if err != nil {
		return false, err
	}
	if c != '}' && c != ']' {
		return true, nil
	}
	if top.isList != (c == ']') {
		return false, errSyntax
	}
	*stack = (*stack)[:len(*stack)-1]
	return false, s.skipByte()
}

// nextItem reads what follows a value: a comma, or the end of the object or list.
func (s *scanner) nextItem(list bool) (bool, error) {
	c, err := s.peek()
	if err != nil {
		return false, err
	}
	switch {
	case c == ',':
		return true, s.skipByte()
	case c == ']' && list || c == '}' && !list:
		return false, s.skipByte()
	}
	return false, errSyntax
}

// readString reads a string and keeps at most limit bytes.
func (s *scanner) readString(limit int) (text string, whole bool, err error) {
	if c, err := s.peek(); err != nil || c != '"' {
		return "", false, errors.Join(errSyntax, err)
	}
	if err := s.skipByte(); err != nil {
		return "", false, err
	}
	raw, escaped, whole := append(s.buf[:0], '"'), false, true
	for {
		c, err := s.in.ReadByte()
		if err != nil {
			return "", false, err
		}
		if c == '"' && !escaped {
			break
		}
		escaped = c == '\\' && !escaped
		if len(raw) <= limit {
			raw = append(raw, c)
			continue
		}
		if whole {
			s.restHash, whole = 14695981039346656037, false
		}
		if limit == maxToolText {
			s.restHash = (s.restHash ^ uint64(c)) * 1099511628211
		}
	}
	s.buf = raw
	if limit == 0 {
		return "", len(raw) == 1, nil
	}
	if !whole {
		raw = trimHalfEscape(raw)
	}
	err = json.Unmarshal(append(raw, '"'), &text)
	return text, whole, err
}

// trimHalfEscape removes an incomplete escape sequence from the end.
func trimHalfEscape(raw []byte) []byte {
	i := bytes.LastIndexByte(raw, '\\')
	if i < 0 || len(raw)-i > 6 {
		return raw
	}
	for i > 0 && raw[i-1] == '\\' {
		i--
	}
	return raw[:i]
}

// readLiteral reads a number, true, false or null.
func (s *scanner) readLiteral() (string, error) {
	var w []byte
	for {
		c, err := s.in.ReadByte()
		if err != nil && !errors.Is(err, io.EOF) || len(w) > 64 {
			return "", errors.Join(errSyntax, err)
		}
		if err == nil && strings.IndexByte("+-.0123456789aeflnrstuE", c) >= 0 {
			w = append(w, c)
			continue
		}
		if err == nil {
			if err := s.in.UnreadByte(); err != nil {
				return "", err
			}
		}
		if !json.Valid(w) {
			return "", errSyntax
		}
		return string(w), nil
	}
}
