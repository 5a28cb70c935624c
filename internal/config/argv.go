package config

import (
	"errors"
	"fmt"
	"strings"
)

// Split splits a command like a shell: words between spaces, single and double quotes, backslashes.
// It expands nothing, and rejects what only a shell could do instead of passing it to the program
// literally.
func Split(s string) ([]string, error) {
	w := splitter{rest: s}
	for w.rest != "" {
		c := w.rest[0]
		w.rest = w.rest[1:]
		var err error
		switch {
		case strings.IndexByte(" \t\r\n", c) >= 0:
			w.end()
		case c == '\'':
			err = w.single()
		case c == '"':
			err = w.double()
		case c == '\\' && w.rest == "":
			err = errors.New("it ends in a backslash")
		case c == '\\':
			w.add(w.rest[0])
			w.rest = w.rest[1:]
		case strings.IndexByte("|&;<>()$`", c) >= 0, c == '#' && !w.open, c == '~' && !w.open:
			err = fmt.Errorf(`%q needs a shell: quote it, or use ["sh", "-c", "…"]`, string(c))
		default:
			w.add(c)
		}
		if err != nil {
			return nil, err
		}
	}
	w.end()
	return w.words, nil
}

type splitter struct {
	rest  string
	words []string
	word  strings.Builder
	open  bool // a word has begun; it may be empty
}

func (w *splitter) add(c byte) { w.word.WriteByte(c); w.open = true }

func (w *splitter) end() {
	if w.open {
		w.words = append(w.words, w.word.String())
	}
	w.word.Reset()
	w.open = false
}

func (w *splitter) single() error {
	text, rest, ok := strings.Cut(w.rest, "'")
	if !ok {
		return errors.New("a single quote is not closed")
	}
	w.word.WriteString(text)
	w.open, w.rest = true, rest
	return nil
}

func (w *splitter) double() error {
	w.open = true
	for i := 0; i < len(w.rest); i++ {
		switch c := w.rest[i]; {
		case c == '"':
			w.rest = w.rest[i+1:]
			return nil
		case c == '$' || c == '`':
			return fmt.Errorf(`%q needs a shell: use single quotes, or ["sh", "-c", "…"]`, string(c))
		case c == '\\' && i+1 < len(w.rest) && strings.IndexByte("\"\\$`", w.rest[i+1]) >= 0:
			i++
			w.add(w.rest[i])
		default:
			w.add(c)
		}
	}
	return errors.New("a double quote is not closed")
}
