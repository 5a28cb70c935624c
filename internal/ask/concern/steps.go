package concern

import (
	"github.com/belay-dev/belay/internal/ask/deed"
	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/words"
)

// Steps reports an order that only says what somebody does, because what comes of it follows:
// "rotate the phone while a photo is uploading and it ends up on the server twice".
func Steps(a, next deed.Act) bool {
	if a.C.Join != "" || next.C.Join != "and" || next.C.Sent != a.C.Sent || next.C.Line != a.C.Line || next.Deed != deed.Ground && next.Deed != deed.Complaint {
		return false
	}
	low, then := a.C.Low(), next.C.Low()
	if n, s := grammar.Strip(low); s.Opener || s.Please || n > 0 || grammar.Imperative(low) == 0 || low[len(low)-1] == "please" || len(then) < 3 {
		return false
	}
	switch then[0] {
	case "it", "nothing", "everything", "all":
	case "the", "my":
		switch low[0] {
		case "add", "put", "change", "delete", "remove", "edit", "copy", "run", "set", "undo", "start", "save":
			return false // "add a column and the total is wrong": two concerns
		}
	default:
		return false
	}
	at, ok := grammar.Predicate(then)
	if !ok || words.Modal(then[at]) || then[at] == "was" || then[at] == "were" || then[at] == "will" {
		return false
	}
	switch low[0] {
	case "rotate", "tap", "click", "press", "open", "close", "scroll", "type", "enter", "paste", "drag", "resize", "start", "play", "pause", "select", "upload", "save", "go", "turn", "switch", "plug", "unplug", "swipe", "hold", "connect", "disconnect", "log", "sign", "add", "put", "change", "delete", "remove", "edit", "copy", "undo", "run", "set", "search", "zoom", "hover", "reload", "refresh", "restart":
		return true
	}
	return false
}
