package intent

import (
	"strings"
	"sync"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// Sense is the meaning of a verb at the start of a request.
type Sense int

// The senses of verbs. The first four are the markers; the others depend on the object.
const (
	None     Sense = iota
	Add            // something that does not exist yet
	Modify         // something existing becomes different
	Fix            // something that is wrong becomes right
	Remove         // something is removed
	Make           // make, get, have: the object and the words behind it decide
	Put            // put, set: into a place
	Give           // give a person or a thing
	Use            // use: instead of something, or for something
	VerbKeep       // keep, leave: nothing is to change
	Tidy           // clean up, improve: the goal is not stated
	Start          // start, begin: over, or a new thing
	Do             // do: another part states what
	Capable        // let, allow, enable: a user will be able to do something
	Show           // a new behaviour of something existing: show, send, log
)

var verbSenses = sync.OnceValue(func() map[string]Sense { return verbTable(verbLists[:]) })

// verbLists are base forms by their sense, in British and American spelling.
var verbLists = [...]string{
	Add: `add create build write implement introduce include generate provide support append insert install integrate
		expose offer develop draft scaffold bootstrap design prepare supply attach embed invent author compose
		cover document explain describe translate localise localize register define mock benchmark hook annotate caption label
		seed stub backfill prepend inject enrich augment declare wire sketch`,
	Modify: `change rename move replace swap switch migrate convert upgrade update bump refactor split merge extract rewrite
		port increase decrease reduce raise lower limit sort reorder align round shrink simplify deprecate downgrade restyle
		reformat format adjust tweak hide disable encrypt reorganise reorganize restructure turn modify alter edit extend
		shorten lengthen widen narrow enlarge resize centre center collapse expand unify consolidate combine inline rework
		redesign modernise modernize optimise optimize minimise minimize compress pin revert undo restore relabel
		reword rephrase capitalise capitalize lowercase uppercase normalise normalize group regroup order rearrange shift
		transfer relocate substitute exchange transform restrict tighten loosen relax cap speed accelerate scale point
		redirect reuse bring run rebase squash vendor dockerise dockerize containerise containerize parallelise parallelize
		rotate invert flip darken lighten colour color highlight bold underline indent polish follow apply publish double
		halve standardise standardize parametrise parameterise parameterize decouple isolate wrap prefix sync skip
		hardcode lint stop release tag rebrand shuffle balance gate deploy respect accept reject treat require mark
		tune fine-tune retitle recolor recolour repaint redraw rescale reposition reflow realign recalculate refresh flatten nest
		hoist unnest vectorise vectorize debounce throttle backport rebuild recompile retrain rerun regenerate repackage republish
		reschedule repurpose rewire reassign reclassify trim crop pad shave slim thin demote promote elevate italicise italicize
		emphasise emphasize unfreeze lock unlock secure harden deduplicate dedupe alphabetise alphabetize mirror interchange thicken
		sharpen soften brighten heighten deepen quicken slow delay postpone defer advance prolong abbreviate condense fold dissolve
		detach unlink relink uncouple abstract generalise generalize encapsulate unwrap mute silence suppress quieten ignore exclude
		omit route forward proxy bind clamp floor ceil denormalise denormalize partition shard replicate autoscale unpin bundle
		minify uglify gzip obfuscate ship name title call pick choose prefer honour honor obey match adapt conform push pull
		recycle reflect loop iterate escape sanitise sanitize anonymise anonymize mask redact hash cap
		parse buffer batch queue stagger space justify anchor dock float inset widen outline shade tint fade blur dim desaturate crossfade
		divide multiply subtract sum unset decrement increment cast refine revise retouch coerce redo close reopen
		typecast stringify memoise memoize inherit subclass override overload stretch squeeze
		clone copy duplicate rotate reroute reindex rewind fast-forward bold enforce relabel remap reformulate `,
	Fix: `fix repair correct solve resolve debug mend patch stabilise stabilize investigate diagnose rectify troubleshoot
		heal unbreak address handle clear cure`,
	Remove: `remove delete drop cut kill lose purge ditch axe erase strip scrub discard eliminate uninstall nuke trash
		retire rm deinstall prune wipe unpublish decommission dismantle unregister deregister expunge excise chuck bin toss dump zap yank
		abolish disband undeploy exterminate`,
	Make:     `make get have`,
	Put:      `put set place`,
	Give:     `give`,
	Use:      `use adopt`,
	VerbKeep: `keep leave preserve retain maintain`,
	Tidy:     `improve tidy enhance beautify`,
	Start:    `start begin restart`,
	Do:       `do try check look see review finish continue proceed talk discuss chat think wonder speak meet decide`,
	Capable:  `let allow enable permit`,
	Show: `show display log track remember cache retry send post export import notify warn validate store persist save
		record print render email mail alert greet answer list ask confirm search filter paginate schedule backup
		preview download upload report measure count monitor detect prevent protect autosave calculate compute
		play load fetch crawl serve open link link-up watch verify emit return call ping poll rumble read accept
		vibrate blink beep flash animate cancel undo zoom pan drag swipe tap pause resume follow block ban subscribe unsubscribe
		favourite favorite bookmark archive share invite assign approve rate comment mention stream enqueue reconnect autocomplete
		suggest recommend watermark stamp autofocus focus preselect preload prefetch precompute invalidate evict flush
		index snapshot audit authenticate authorise authorize deduct refund charge bill sign trace profile
		sample interpolate impute forecast classify cluster score rank recognise recognize transcribe summarise summarize
		prefill prepopulate autofill scan geocode find locate scroll toggle rehearse celebrate reward reply quote react pin star
		survey poll collect gather aggregate tally enumerate number surface announce broadcast
		remind escalate reserve book moderate vet curate whitelist blacklist allowlist blocklist`,
}

// phrases are phrasal verbs. They take precedence over single verbs.
var phrases = splitPhrases(map[Sense]string{
	Add: `set up|put together|come up with|spin up|turn on|switch on|throw together|put in|throw in|chuck in|` +
		`toss in|stick in|pop in|squeeze in|slap on|tack on|bolt on|build in|hook up|wire up|write up|sync up|stand up|` +
		`build out|knock up|plug in|hook into|flesh out|fill in`,
	Modify: `turn into|turn off|switch off|speed up|slow down|bring back|roll back|break up|break down|pull out|` +
		`factor out|change over|cut down|scale up|scale down|point to|cut off|set to|write to|swap out|strip down|` +
		`tone down|dial back|dial down|bump up|turn up|turn down|lock down|roll out|even out|line up|round up|round down|` +
		`split up|split out|split off|carve out|lift out|move over|port over|switch over|flip over|comment out|gray out|` +
		`grey out|fade out|phase out|swap over|bring down|bring up|go back to|move away from|get off|move off|go down to|` +
		`go up to|stick to|default to|go to|go with|back off|close off`,
	Fix: `sort out|look into|find out|clear up|make sense of|deal with|take care of|have a look|take a look|look at|` +
		`get working|put right|figure out|do something about|find the reason|find the bug|find the problem|check why|` +
		`see why|find the regression|find the cause|find why|track down|hunt down|get to the bottom of`,
	Remove: `get rid of|take out|take off|take away|take down|throw out|rip out|tear out|throw away|cut out|strip out|` +
		`leave out|clear out|do away with|throw overboard|chuck out|kick out|toss out|weed out|clean out|say goodbye to|` +
		`out with|away with|down with`,
	Tidy:    `clean up|cleanup|tidy up|spruce up|touch up|polish up`,
	Start:   `start over|begin again|start again`,
	Capable: `opt in|opt out`,
	Show: `back up|count down|keep track of|play back|check off|tick off|sign out|sign up|check in|pop up|light up|` +
		`try again|come with|go out|fall back|log in|log out|sign in`,
	None: `keep up|make sure`,
})

// splitPhrases maps the phrases of each list, which are separated by bars, to the list's key.
func splitPhrases[V comparable](lists map[V]string) func() map[string]V {
	return sync.OnceValue(func() map[string]V {
		out := map[string]V{}
		for v, list := range lists {
			for p := range strings.SplitSeq(list, "|") {
				out[p] = v
			}
		}
		return out
	})
}

// verbTable maps each word to its sense. A word in two lists gets the first sense.
func verbTable(in []string) map[string]Sense {
	out := map[string]Sense{}
	for sense, list := range in {
		for w := range fields(list) {
			if _, ok := out[w]; !ok {
				out[w] = Sense(sense)
			}
		}
	}
	return out
}

// VerbSense returns the sense of a base form.
func VerbSense(base string) (Sense, bool) {
	s, ok := verbSenses()[base]
	return s, ok
}

// IsParticle reports particles that can follow the object of their verb.
var IsParticle = lazyregexp.Of(`out off away up on into back together over down`).Has

// ReadPhrasalVerb finds the longest phrasal verb at the start of low, of n words.
func ReadPhrasalVerb(low []string) (sense Sense, n int) {
	for n = min(5, len(low)); n >= 2; n-- {
		if s, ok := phrases()[strings.Join(low[:n], " ")]; ok {
			return s, n
		}
	}
	return None, 0
}

// PhrasalVerbSense returns the sense of a verb with a particle that is separate from it.
func PhrasalVerbSense(verb, particle string) (Sense, bool) {
	s, ok := phrases()[verb+" "+particle]
	return s, ok
}

// irregular maps irregular forms to their base.
var irregular = map[string]string{
	"made": "make", "gave": "give", "given": "give", "kept": "keep", "left": "leave", "lost": "lose", "got": "get", "has": "have",
	"had": "have", "does": "do", "did": "do", "done": "do", "sent": "send", "built": "build", "wrote": "write", "written": "write",
	"shown": "show", "took": "take", "taken": "take", "taking": "take", "went": "go", "gone": "go", "goes": "go",
	"ran": "run", "loose": "lose", "broke": "break",
	"broken": "break", "hung": "hang", "died": "die", "dies": "die", "dying": "die", "threw": "throw", "thrown": "throw", "froze": "freeze",
	"frozen": "freeze", "stuck": "stick", "bought": "buy", "said": "say", "says": "say", "found": "find",
	"forgot": "forget", "forgotten": "forget",
	"overlapped": "overlap", "overflowed": "overflow", "splitted": "split", "hid": "hide", "hidden": "hide",
}

// BaseForm returns the base form of a word if it is a form of a verb that known accepts, and its
// ending: "", "s", "ed", "ing".
func BaseForm(w string, known func(string) bool) (base, ending string) {
	if known(w) {
		return w, ""
	}
	if b, ok := irregular[w]; ok && known(b) {
		switch {
		case strings.HasSuffix(w, "s"):
			return b, "s"
		case strings.HasSuffix(w, "ing"):
			return b, "ing"
		case w == "loose":
			return b, ""
		}
		return b, "ed"
	}
	for _, end := range []string{"s", "ed", "ing"} {
		if stem, ok := strings.CutSuffix(w, end); ok && len(stem) > 1 {
			if b := undoEnding(stem, end, known); b != "" {
				return b, end
			}
		}
	}
	return "", ""
}

// undoEnding returns the known verb that a stem without its ending can come from: with a dropped e,
// y for i, or a single consonant for a doubled one.
func undoEnding(stem, end string, known func(string) bool) string {
	forms := []string{stem, stem + "e"}
	if end == "s" {
		forms = []string{stem, strings.TrimSuffix(stem, "e")}
	}
	if s, ok := strings.CutSuffix(stem, "ie"); ok && end == "s" {
		forms = append(forms, s+"y")
	}
	if s, ok := strings.CutSuffix(stem, "i"); ok && end == "ed" {
		forms = append(forms, s+"y")
	}
	if n := len(stem); n > 2 && stem[n-1] == stem[n-2] {
		forms = append(forms, stem[:n-1])
	}
	for _, f := range forms {
		if known(f) {
			return f
		}
	}
	return ""
}

// CorrectSpelling returns the verb that differs from an unknown word by one typing error: a letter
// more, less or different, or two swapped. Words of less than five letters are too similar to each
// other to guess.
func CorrectSpelling(w string) (string, bool) {
	if len(w) < 5 || len(w) > 14 || commonWords.Has(w) {
		return "", false
	}
	best := ""
	for v := range verbSenses() {
		if len(v) >= 6 && isOneSlip(w, v) && (best == "" || v < best) {
			best = v
		}
	}
	return best, best != ""
}

// isOneSlip reports whether two words differ by one typing error.
func isOneSlip(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 || a == b {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(a) < len(b) {
		return a[i:] == b[i+1:]
	}
	if a[i+1:] == b[i+1:] {
		return len(a) > 5 || i > 0
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}
