package intent

import "github.com/belay-dev/belay/internal/lazyregexp"

// statementVerbs are verbs that describe what something does. By themselves they ask for nothing,
// and they are hardly ever nouns, so that their -s form marks a statement.
var statementVerbs = lazyregexp.Of(`abandon absorb accept accommodate accumulate achieve acknowledge acquire activate adapt add
	admit affect afford aggregate agree aim allocate allow alter amount
	announce annoy anticipate appear append apply appoint argue arise arrive ask assemble assert assess assign assist
	associate assume assure attach attain attract avoid await awake
	become befall beg begin behave believe belong bend bind block blow boil borrow bother bring broaden build buy
	calculate cancel capture carry cast catch cease choose clarify
	cling close collapse collect collide combine come commence commit communicate compare compete compile complete
	comprise compute conceal concern conclude confirm conflict confuse connect consider
	consist constitute construct consume contain continue contradict contribute convert convey convince cope correspond
	corrupt create creep cling damage decide declare decline decode decrease deduct
	deem defeat define degrade delete deliver demand demonstrate deny depart depend deploy deprive derive descend
	describe deserve destroy detach detect determine develop deviate devour
	differ diminish disable disagree disallow disappear discard disclose disconnect discover dismiss dispatch display
	dispose disregard disrupt dissolve distinguish distort distribute disturb divide drain draw drift
	drive drown dwell earn eat elapse elect eliminate embed emerge emit employ empty enable encode encounter end endure
	enforce engage ensure enter erase erode escape establish
	evaluate evaporate evolve exaggerate examine exceed exclude execute exhaust exhibit exist expand expect expire
	explain explode expose express extend extract face fade fail fall
	fetch fight fill find finish fire fit flatten flee flicker float flood flow fly force forget forbid form freeze
	fulfil function gather generate get give glow
	go govern grant grab grow guarantee handle hang happen hear help hesitate hide hinder hit hold hurt identify ignore
	illustrate imagine imply import impose
	improve include incorporate increase incur indicate infer inflate inform inherit inhibit initialise initialize
	insert insist install interact intercept interfere interpret interrupt introduce invalidate invoke involve
	irritate isolate jam join keep kill know lack last launch lay lead lean leap learn leave lend let lie lose maintain
	make manage manipulate match
	matter mean meet melt merge miscalculate misinterpret mislead mismatch misread miss mistake mix move multiply
	narrow neglect normalise normalize notice notify obscure observe obtain occupy occur offend
	omit open operate oppose originate overestimate overflow overlap overload overlook override overwrite overtake owe
	own parse participate pass pay penetrate perceive perform permit persist
	pertain pick pile place point pop populate possess precede predict prefer prepare prepend prescribe present
	preserve press presume pretend prevail prevent proceed process produce prohibit prompt
	propagate propose protect prove provide publish pull push put quit raise reach react read realise realize reappear
	receive recognise recognize recommend recreate recur redirect redraw reduce
	refer reflect refuse regard regress reject relate rely remain remember remind remove render repeat replace reply
	represent require resemble reset reside resist resolve respect respond rest restart
	restore restrict resurrect retain retrieve return reveal reverse revert ride rise roll round ruin run satisfy save
	say scare scatter see seem select send separate serve set
	settle shake share shift shine show shrink shuffle shut sink sit skip slide slip slow smell snap sound spawn speak
	spend spill spin split spoil spread
	stack stall stand start stay steal stem stick stop strike strip struggle stumble stutter submit succeed suck suffer
	suggest suit supersede support suppress surpass survive suspect suspend
	swallow swap swear sweep swing take tear tell tempt tend terminate think throw tie tilt tolerate touch transcribe
	transfer transform translate transmit trap treat tremble trigger trim truncate
	turn twist undergo understand underestimate unlock unsubscribe update upset use vanish vary verify violate wait
	wake walk wander want warn warp waste watch wear weigh whine win
	wipe withdraw wonder work worry wrap write yield zoom crash die leak hang scan detect list calculate log swallow
	guess count claim jump interleave collide coincide skip flash blink shift creep bleed`)

// nounsInS are nouns in -s that look like forms of statementVerbs.
var nounsInS = lazyregexp.Of(`adds ends forms faces fires fits falls fights floods flows forces functions fills gets
	grants hands hits holds imports increases interfaces joins lists logs keeps looks lasts leads leaks lies lines
	matches means misses mistakes mixes
	moves offers orders opens passes picks piles places points pops presents presses processes prompts pulls pushes
	raises reaches reads repeats replies requests resets rests returns reverses rides rises rolls rounds ruins runs
	saves scales scans scares selects
	sets shakes shares shifts shows shuts sinks skips slides slips smells snaps sounds spawns spills spins splits
	spreads stacks stalls stands starts stays stems sticks stops strikes strips structures submits supports suspects
	swaps sweeps swings takes tears
	ties tilts touches traps treats trims triggers turns twists updates uses views waits walks wants warps wastes
	watches wears wins wipes works worries wraps writes yields zooms crashes dies hangs lists calculates leaks casts catches blocks blows
	borrows bothers boils buys captures builds closes collapses comes compiles concerns conflicts contracts controls
	costs covers creates cuts damages decreases defeats delays demands deploys displays drains draws drifts drives
	drops embeds empties exhibits
	exports extracts fades fails imports links loads lacks locks maps marks merges counts claims jumps guesses logs
	notices parses pays places results scrolls serves tags tests types hides flashes blinks`)

// IsStatementForm reports the -s form of a verb that is hardly ever a plural.
func IsStatementForm(w string) bool {
	if nounsInS.Has(w) {
		return false
	}
	b, end := BaseForm(w, func(b string) bool { return statementVerbs.Has(b) })
	return b != "" && end == "s"
}

// IsStatementBase reports the base form of one of statementVerbs that is hardly ever a noun.
func IsStatementBase(w string) bool {
	return statementVerbs.Has(w) && !nounsInS.Has(w+"s") && !nounsInS.Has(w+"es")
}
