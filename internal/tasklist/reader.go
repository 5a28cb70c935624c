package tasklist

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// issueReader finds issues and their lines in a file.
type issueReader struct {
	name string
	data []byte
}

// maxDepth limits the nesting of lists and objects around an issue.
const maxDepth = 12

func (r issueReader) lineAt(offset int64) int {
	return 1 + bytes.Count(r.data[:min(int(offset), len(r.data))], []byte{'\n'})
}

// readAll reads all values of a file: gh prints one for each page.
func (r issueReader) readAll() ([]issue, error) {
	var list []issue
	dec := json.NewDecoder(bytes.NewReader(r.data))
	for {
		start := nextValue(r.data, dec.InputOffset())
		var raw json.RawMessage
		err := dec.Decode(&raw)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			var syntax *json.SyntaxError
			if errors.As(err, &syntax) {
				start = syntax.Offset - 1
			}
			return nil, fmt.Errorf("%s:%d: not JSON: %w", r.name, r.lineAt(max(0, start)), err)
		}
		more, err := r.readValue(raw, start, 0)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: contains no issue", r.name)
	}
	return list, nil
}

// nextValue returns the offset of the next value.
func nextValue(data []byte, at int64) int64 {
	for int(at) < len(data) && strings.IndexByte(" \t\r\n,:", data[at]) >= 0 {
		at++
	}
	return at
}

// member is a value of a list or an object, with its offset there.
type member struct {
	key string
	raw json.RawMessage
	at  int64
}

// splitMembers returns the values of a list or an object.
func splitMembers(raw json.RawMessage) ([]member, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	open, err := dec.Token()
	if err != nil {
		return nil, err
	}
	var list []member
	for dec.More() {
		var m member
		if open == json.Delim('{') {
			key, err := dec.Token()
			if err != nil {
				return nil, err
			}
			m.key, _ = key.(string)
		}
		m.at = nextValue(raw, dec.InputOffset())
		if err := dec.Decode(&m.raw); err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, nil
}

// wrapperKeys are the keys that contain issues: pages of lists, parts of a GraphQL answer, items of
// a project, the content of a webhook.
var wrapperKeys = []string{"data", "repository", "organization", "user", "viewer", "node", "search", "projectV2", "issues",
	"issue", "edges", "nodes", "items", "content", "subIssues"}

// readValue reads the issues in a value at an offset of the file.
func (r issueReader) readValue(raw json.RawMessage, start int64, depth int) ([]issue, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("%s:%d: not an issue: nested too deep", r.name, r.lineAt(start))
	}
	if len(raw) == 0 || raw[0] != '[' && raw[0] != '{' {
		var is issue
		return nil, fmt.Errorf("%s:%d: not an issue: %w", r.name, r.lineAt(start), json.Unmarshal(raw, &is))
	}
	parts, err := splitMembers(raw)
	if err != nil {
		return nil, fmt.Errorf("%s:%d: %w", r.name, r.lineAt(start), err)
	}
	if raw[0] == '[' {
		return r.readMembers(parts, start, depth)
	}
	has := func(key string) bool {
		return slices.ContainsFunc(parts, func(m member) bool { return m.key == key && string(m.raw) != "null" })
	}
	inside := slices.DeleteFunc(slices.Clone(parts), func(m member) bool {
		return !slices.Contains(wrapperKeys, m.key) || len(m.raw) == 0 || m.raw[0] != '[' && m.raw[0] != '{'
	})
	if has("issue") { // other keys of a webhook, such as the repository, are not issues
		inside = slices.DeleteFunc(inside, func(m member) bool { return m.key != "issue" })
	}
	if !has("number") && len(inside) > 0 && (!has("title") || has("content") || has("items")) {
		list, err := r.readMembers(inside, start, depth)
		if err == nil && len(list) == 0 {
			err = r.failure(parts, start)
		}
		return withItemStatus(list, parts), err
	}
	if depth > 0 && !has("number") && !has("title") {
		return nil, nil // an empty page, or an issue without permission to read it
	}
	return r.readIssue(raw, parts, start)
}

// withItemStatus closes issues without a state if their project item has the status done.
func withItemStatus(list []issue, item []member) []issue {
	for _, m := range item {
		var status string
		if m.key != "status" || json.Unmarshal(m.raw, &status) != nil || StateOf(status) != Done {
			continue
		}
		for i := range list {
			list[i].Closed = list[i].Closed || list[i].State == ""
		}
	}
	return list
}

// readMembers reads the issues in the members of a value. A null is an issue without permission to
// read it.
func (r issueReader) readMembers(parts []member, start int64, depth int) ([]issue, error) {
	var list []issue
	for _, m := range parts {
		if string(m.raw) == "null" {
			continue
		}
		more, err := r.readValue(m.raw, start+m.at, depth+1)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	return list, nil
}

func (r issueReader) readIssue(raw json.RawMessage, parts []member, start int64) ([]issue, error) {
	var is issue
	err := json.Unmarshal(raw, &is)
	if is.line = r.lineAt(start); err != nil {
		return nil, fmt.Errorf("%s:%d: not an issue: %w", r.name, is.line, err)
	}
	if is.Number > 0 || strings.TrimSpace(is.Title) != "" {
		return []issue{is}, nil
	}
	if err := r.failure(parts, start); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("%s:%d: not an issue: no number and no title", r.name, is.line)
}

// failure returns the error that a forge's answer contains: a message, or errors instead of data.
func (r issueReader) failure(parts []member, start int64) error {
	for _, m := range parts {
		said := ""
		switch m.key {
		case "message":
			_ = json.Unmarshal(m.raw, &said)
		case "errors":
			var list []struct {
				Message string `json:"message"`
			}
			if json.Unmarshal(m.raw, &list) == nil && len(list) > 0 {
				said = list[0].Message
			}
		}
		if said != "" {
			return fmt.Errorf("%s:%d: not an issue but an error of the forge: %s", r.name, r.lineAt(start+m.at), said)
		}
	}
	return nil
}
