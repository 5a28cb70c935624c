package config

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// Most is the largest whole number accepted.
const Most = 1_000_000_000

var oneVariable = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

var hours = lazyregexp.New(`^([01][0-9]|2[0-3]):[0-5][0-9]-([01][0-9]|2[0-3]):[0-5][0-9]( [A-Za-z][A-Za-z0-9_+/-]*)?$`)

var variable = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*\*?$`)

// Says describes the values of the kind.
func (r Rule) Says() string {
	switch r.Kind {
	case Version:
		return "the number 1"
	case Whole:
		return fmt.Sprintf("a whole number from %d", r.Least)
	case Money:
		return "a number of dollars, like 2.50"
	case Duration:
		return "a time with a unit, like 90s, 30m or 2h"
	case Size:
		return "a size with a unit, like 512KiB, 256MiB or 5GiB"
	case Truth:
		return "true or false"
	case Choice:
		return "one of " + strings.Join(r.Choices, ", ")
	case Variable:
		return "the name of an environment variable"
	case Hours:
		return "hours of a day, like 22:00-07:00 or 22:00-07:00 Europe/Berlin"
	case List:
		if len(r.Choices) > 0 {
			return "a list of " + strings.Join(r.Choices, ", ")
		}
		return "a list, like " + cmp.Or(r.Like, `["src/**", "docs/**"]`)
	case Names:
		return `a list of names, like ["HTTPS_PROXY", "MYAPP_*"]`
	case Args:
		return `a program and its arguments, like ["claude", "-p"] or "claude -p"`
	case Shell:
		return `a shell line, like "go test ./...", or a list of a program and its arguments`
	}
	return "one line of text"
}

// FromText parses a flag's value, or the text of a plain value in the file.
func (r Rule) FromText(s string) (any, error) {
	switch r.Kind {
	case Version:
		if s != "1" {
			return nil, errors.New("this belay reads version 1")
		}
		return 1, nil
	case Whole:
		n, err := strconv.Atoi(s)
		if err != nil || n < r.Least || n > Most {
			return nil, errors.New("it is not " + r.Says())
		}
		return n, nil
	case Money:
		n, err := strconv.ParseFloat(s, 64)
		if err != nil || n < 0 || math.IsInf(n, 0) || math.IsNaN(n) {
			return nil, errors.New("it is not " + r.Says())
		}
		return n, nil
	case Duration:
		return belay.ParseDuration(s)
	case Size:
		n, err := belay.ParseSize(s)
		if err == nil && n < int64(r.Least) {
			err = errors.New("it must be greater than 0")
		}
		return n, err
	case Choice:
		if !slices.Contains(r.Choices, s) {
			return nil, errors.New("it is not " + r.Says())
		}
		return s, nil
	case Truth:
		if s != "true" && s != "false" {
			return nil, errors.New("it is not " + r.Says())
		}
		return s == "true", nil
	case Text:
		return s, r.checkItem(0, s)
	case Variable:
		if !oneVariable.MatchString(s) {
			return nil, errors.New("it is not " + r.Says())
		}
		return s, nil
	case Hours:
		if !hours.MatchString(s) {
			return nil, errors.New("it is not " + r.Says())
		}
		return s, nil
	}
	return r.fromWords(s)
}

// fromWords parses a list or a command from one text.
func (r Rule) fromWords(s string) (any, error) {
	list, isList := jsonList(s)
	switch {
	case isList:
		return r.checkList(list)
	case r.Kind == Shell:
		return s, shellLine(s)
	case r.Kind == Args:
		return r.commandWords(s)
	}
	return r.checkList(splitList(s))
}

func shellLine(s string) error {
	switch {
	case strings.TrimSpace(s) == "":
		return errors.New("it is empty")
	case strings.ContainsRune(s, 0):
		return errors.New("it contains a zero byte")
	}
	return nil
}

func (r Rule) commandWords(s string) (any, error) {
	words, err := Split(s)
	if err != nil {
		return nil, err
	}
	return r.checkList(words)
}

// checkList checks the items of a list; an empty one is nil.
func (r Rule) checkList(items []string) (any, error) {
	for i, s := range items {
		if err := r.checkItem(i, s); err != nil {
			return nil, err
		}
	}
	if len(items) == 0 {
		if r.Kind == Args || r.Kind == Shell {
			return nil, errors.New("it is empty")
		}
		return []string(nil), nil
	}
	return items, nil
}

func (r Rule) checkItem(i int, s string) error {
	switch {
	case r.Kind == Names && !variable.MatchString(s):
		return fmt.Errorf("%q is not the name of a variable", Cut(s))
	case len(r.Choices) > 0 && !slices.Contains(r.Choices, s):
		return fmt.Errorf("%q is unknown", Cut(s))
	case strings.ContainsRune(s, 0):
		return errors.New("it contains a zero byte")
	case r.Kind == Args || r.Kind == Shell:
		if i == 0 && strings.TrimSpace(s) == "" {
			return errors.New("the program's name is empty")
		}
		return nil // an argument may be empty or have several lines
	case strings.TrimSpace(s) == "":
		return errors.New("it contains an empty text")
	case strings.IndexFunc(s, unicode.IsControl) >= 0:
		return errors.New("it contains a line break or another control character")
	}
	return nil
}

// jsonList parses a JSON array of texts.
func jsonList(s string) ([]string, bool) {
	if !strings.HasPrefix(s, "[") {
		return nil, false
	}
	var list []string
	err := json.Unmarshal([]byte(s), &list)
	return list, err == nil
}

// splitList splits at commas, but not within braces: *.{go,md} is one glob.
func splitList(s string) []string {
	var list []string
	depth, start := 0, 0
	for i := 0; i <= len(s); i++ {
		switch {
		case i == len(s) || s[i] == ',' && depth == 0:
			if item := strings.TrimSpace(s[start:i]); item != "" {
				list = append(list, item)
			}
			start = i + 1
		case s[i] == '{':
			depth++
		case s[i] == '}' && depth > 0:
			depth--
		}
	}
	return list
}

// WriteList returns a list of texts as JSON on one line, "" for none.
func WriteList(list []string) string {
	if len(list) == 0 {
		return ""
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(list)
	return belay.VisibleLine(strings.TrimSuffix(b.String(), "\n"))
}
