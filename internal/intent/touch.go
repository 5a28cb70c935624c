package intent

import (
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// touching are verbs that make a thing another or take it away: to rule one out leaves the thing
// as it is.
var touching = lazyregexp.Of(`touch change modify break alter edit mess rename remove delete move convert refactor reformat rewrite drop
	renumber reorder overwrite regenerate reset affect lose disturb update replace adjust sacrifice harm hurt damage spoil ruin shorten
	reword restyle redesign translate compromise clobber tweak shift degrade`)

// Touches reports a verb that makes a thing another, in any of its forms: "change", "renaming".
func Touches(w string) bool {
	b, _ := Base(w, touching.Has)
	return b != ""
}

// Ending is the ending of such a verb, as Base tells them: "ing", "ed", "s". It is empty
// for the bare verb and for every other word.
func Ending(w string) string {
	_, end := Base(w, touching.Has)
	return end
}

// Present reports a word for how things are now, or have been.
var Present = lazyregexp.Of(`now today before currently ever always is are was were usual present do does did used`).Has
