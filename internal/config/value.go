package config

// Kind is the syntax of a value.
type Kind int

// Kinds, each with an example. From List on they are lists, or accept one.
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

// Rule is the restrictions of a value.
type Rule struct {
	Kind    Kind
	Least   int      // minimum of whole numbers and sizes
	Choices []string // values of a choice, or items that a list may have
	Like    string   // an example of a list; "" if of globs
}
