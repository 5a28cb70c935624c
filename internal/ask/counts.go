package ask

import (
	"github.com/belay-dev/belay/internal/ask/deed"
	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/number"
	"github.com/belay-dev/belay/internal/belay"
)

// counted is how many things a requirement acts on, nil when that is not said: in its own
// clause, or, where it is about "them", in the one that told of them.
func (p *parse) counted(f found) *int {
	low := f.a.C.Low()
	if f.count != nil || len(low) == 0 {
		return f.count
	}
	i := f.a.Nr
	if i+1 < len(p.acts) && i >= 0 {
		if b := p.acts[i+1]; b.C.Sent == f.a.C.Sent && !p.emitted(b) && f.Marker != belay.MarkFix {
			if n := number.Summed(b.C.Low()); n != nil {
				return n // "delete a.pl and b.pl, both are replaced by the watcher"
			}
		}
	}
	if i > 0 {
		if b := p.acts[i-1]; b.C.Sent == f.a.C.Sent && !p.emitted(b) && len(b.C.T) < 6 && !grammar.Finite(b.C.Low()) && b.Deed != deed.Keep {
			if n := number.Told(b.C.Low()); n != nil {
				return n // "for both themes, raise the contrast"
			}
		}
	}
	if !number.Them(low[min(f.a.Obj, len(low)-1):]) {
		return nil
	}
	for back := 1; back <= 2 && i-back >= 0; back++ {
		b := p.acts[i-back]
		if b.Deed == deed.Material || b.C.Sent < f.a.C.Sent-1 {
			return nil
		}
		if p.emitted(b) {
			return nil
		}
		if n := number.Told(b.C.Low()); n != nil {
			return n
		}
	}
	return nil
}
