package config

// Kind is how a value is written.
type Kind int

// The kinds, each with an example. From List on they are lists, or take one.
const (
	Version  Kind = iota // 1
	Whole                // 300
	Money                // 2.50
	Duration             // 1h30m
	Size                 // 256MiB
	Truth                // true
	Choice               // one of a few words
	Variable             // TEST_DATABASE
	Text                 // anything on one line
	Hours                // 22:00-07:00, or 22:00-07:00 Europe/Berlin
	List                 // [a, b]
	Names                // [A, B]: environment variables
	Args                 // [prog, arg], or one string of words
	Shell                // a shell line, or [prog, arg]
)

// Rule is what a value must be.
type Rule struct {
	Kind    Kind
	Least   int      // of whole numbers and sizes
	Choices []string // of a choice, and of what a list may hold when not everything
	Like    string   // an example of a list; "" is one of globs
}
