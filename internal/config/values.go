package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/belay-dev/belay/internal/argv"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/strictyaml"
	"github.com/belay-dev/belay/internal/units"
)

const most = 1_000_000_000 // for whole numbers: nobody means more

var oneVariable = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

var variable = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*\*?$`)

// says names what the kind takes.
func (d kind) says(k key) string {
	switch d {
	case kindVersion:
		return "the number 1"
	case kindWhole:
		return fmt.Sprintf("a whole number from %d", k.least)
	case kindMoney:
		return "a number of dollars, like 2.50"
	case kindDuration:
		return "a time with its unit, like 90s, 30m or 2h"
	case kindSize:
		return "a size with its unit, like 512KiB, 256MiB or 5GiB"
	case kindRetry:
		return "one of " + strings.Join(retryModes, ", ")
	case kindTruth:
		return "true or false"
	case kindMode, kindFormat, kindRemarks, kindReviewer:
		return "one of " + strings.Join(k.choices(), ", ")
	case kindVariable:
		return "the name of an environment variable"
	case kindList:
		return `a list, like ["src/**", "docs/**"]`
	case kindNames:
		return `a list of names, like ["HTTPS_PROXY", "MYAPP_*"]`
	case kindArgs:
		return `a program and its arguments, like ["claude", "-p"] or "claude -p"`
	case kindShell:
		return `a shell line, like "go test ./...", or a list of a program and its arguments`
	}
	return "one line of text"
}

// fromText reads a flag's value, or the text of a plain value in the file.
func (k key) fromText(s string) (any, error) {
	switch k.kind {
	case kindVersion:
		if s != "1" {
			return nil, errors.New("this belay reads version 1")
		}
		return 1, nil
	case kindWhole:
		n, err := strconv.Atoi(s)
		if err != nil || n < k.least || n > most {
			return nil, errors.New("it is not " + k.kind.says(k))
		}
		return n, nil
	case kindMoney:
		n, err := strconv.ParseFloat(s, 64)
		if err != nil || n < 0 || math.IsInf(n, 0) || math.IsNaN(n) {
			return nil, errors.New("it is not " + k.kind.says(k))
		}
		return n, nil
	case kindDuration:
		return units.ParseDuration(s)
	case kindSize:
		n, err := units.ParseSize(s)
		if err == nil && n < int64(k.least) {
			err = errors.New("it must be more than nothing")
		}
		return n, err
	case kindRetry, kindFormat, kindMode, kindRemarks, kindReviewer:
		if !slices.Contains(k.choices(), s) {
			return nil, errors.New("it is not " + k.kind.says(k))
		}
		return s, nil
	case kindTruth:
		if s != "true" && s != "false" {
			return nil, errors.New("it is not " + k.kind.says(k))
		}
		return s == "true", nil
	case kindText:
		return s, k.checkItem(0, s)
	case kindVariable:
		if !oneVariable.MatchString(s) {
			return nil, errors.New("it is not " + k.kind.says(k))
		}
		return s, nil
	}
	return k.fromWords(s)
}

// fromWords reads the kinds that are lists or commands from one text.
func (k key) fromWords(s string) (any, error) {
	list, isList := jsonList(s)
	switch {
	case isList:
		return k.checkList(list)
	case k.kind == kindShell:
		return s, shellLine(s)
	case k.kind == kindArgs:
		return k.commandWords(s)
	}
	return k.checkList(splitList(s))
}

func shellLine(s string) error {
	switch {
	case strings.TrimSpace(s) == "":
		return errors.New("it is empty")
	case strings.ContainsRune(s, 0):
		return errors.New("it holds a zero byte")
	}
	return nil
}

func (k key) commandWords(s string) (any, error) {
	words, err := argv.Split(s)
	if err != nil {
		return nil, err
	}
	return k.checkList(words)
}

// checkList checks the items of a list; an empty one is nil.
func (k key) checkList(items []string) (any, error) {
	for i, s := range items {
		if err := k.checkItem(i, s); err != nil {
			return nil, err
		}
	}
	if len(items) == 0 {
		if k.kind == kindArgs || k.kind == kindShell {
			return nil, errors.New("it is empty")
		}
		return []string(nil), nil
	}
	return items, nil
}

func (k key) checkItem(i int, s string) error {
	switch {
	case k.kind == kindNames && !variable.MatchString(s):
		return fmt.Errorf("%q is not the name of a variable", strictyaml.Cut(s))
	case strings.ContainsRune(s, 0):
		return errors.New("it holds a zero byte")
	case k.kind == kindArgs || k.kind == kindShell:
		if i == 0 && strings.TrimSpace(s) == "" {
			return errors.New("the program's name is empty")
		}
		return nil // an argument may be empty, and may have several lines
	case strings.TrimSpace(s) == "":
		return errors.New("it holds an empty text")
	case strings.IndexFunc(s, unicode.IsControl) >= 0:
		return errors.New("it holds a line break or another control character")
	}
	return nil
}

func (k key) choices() []string {
	switch k.kind {
	case kindRetry:
		return retryModes
	case kindMode:
		return modes
	case kindFormat:
		return formats
	case kindRemarks:
		return remarkFormats
	case kindReviewer:
		return reviewerKinds
	}
	return nil
}

// jsonList reads a JSON array of texts.
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

// show writes the value in force as a flag would give it; what is not set, with a zero
// that only says so, is "".
func (k key) show(c Config) string {
	if _, set := c.from[k.name]; k.def == "" && !set {
		return ""
	}
	switch v := k.field(&c).(type) {
	case *int:
		return strconv.Itoa(*v)
	case *int64:
		return units.Size(*v)
	case *float64:
		return strconv.FormatFloat(*v, 'f', -1, 64)
	case *time.Duration:
		return units.Duration(*v)
	case *bool:
		return strconv.FormatBool(*v)
	case *string:
		return belay.VisibleLine(*v)
	case *belay.RetryMode:
		return string(*v)
	case *[]string:
		return writeList(*v)
	case *belay.TestCommand:
		if v.Command != "" {
			return belay.VisibleLine(v.Command)
		}
		return writeList(v.Args)
	}
	return ""
}

func writeList(list []string) string {
	if len(list) == 0 {
		return ""
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(list)
	return belay.VisibleLine(strings.TrimSuffix(b.String(), "\n"))
}
