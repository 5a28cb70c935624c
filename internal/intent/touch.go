package intent

import (
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// touchVerbForms are verbs that change a thing or remove it; forbidding one leaves the thing
// unchanged.
var touchVerbForms = lazyregexp.Of(`touch change modify break alter edit mess rename remove delete move convert refactor reformat
	rewrite drop
	renumber reorder overwrite regenerate reset affect lose disturb update replace adjust sacrifice harm hurt damage spoil ruin shorten
	reword restyle redesign translate compromise clobber tweak shift degrade`)

// IsTouchVerb reports a verb that changes a thing, in any form: "change", "renaming".
func IsTouchVerb(w string) bool {
	b, _ := BaseForm(w, touchVerbForms.Has)
	return b != ""
}

// TouchVerbEnding returns the ending of such a verb, as BaseForm returns it: "ing", "ed", "s". It
// is empty for the base form and for every other word.
func TouchVerbEnding(w string) string {
	_, end := BaseForm(w, touchVerbForms.Has)
	return end
}

// IsPresent reports a word for the present or past state.
var IsPresent = lazyregexp.Of(`now today before currently ever always is are was were usual present do does did used`).Has
