package ask

import (
	"github.com/belay-dev/belay/internal/ask/deed"
	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/number"
	"github.com/belay-dev/belay/internal/ask/settle"
	"github.com/belay-dev/belay/internal/belay"
)

// counted is how many things a requirement acts on, nil when that is not said: in its own
// clause, or, where it is about "them", in the one that told of them.
func (p *parse) counted(f settle.Found) *int {
	low := f.Act.C.Low()
	if f.Count != nil || len(low) == 0 {
		return f.Count
	}
	i := f.Act.Nr
	if i+1 < len(p.Acts) && i >= 0 {
		if b := p.Acts[i+1]; b.C.Sent == f.Act.C.Sent && !p.Emitted(b) && f.Marker != belay.MarkFix {
			if n := number.Summed(b.C.Low()); n != nil {
				return n // "delete a.pl and b.pl, both are replaced by the watcher"
			}
		}
	}
	if i > 0 {
		if b := p.Acts[i-1]; b.C.Sent == f.Act.C.Sent && !p.Emitted(b) && len(b.C.T) < 6 && !grammar.Finite(b.C.Low()) && b.Deed != deed.Keep {
			if n := number.Told(b.C.Low()); n != nil {
				return n // "for both themes, raise the contrast"
			}
		}
	}
	if !number.Them(low[min(f.Act.Obj, len(low)-1):]) {
		return nil
	}
	for back := 1; back <= 2 && i-back >= 0; back++ {
		b := p.Acts[i-back]
		if b.Deed == deed.Material || b.C.Sent < f.Act.C.Sent-1 {
			return nil
		}
		if p.Emitted(b) {
			return nil
		}
		if n := number.Told(b.C.Low()); n != nil {
			return n
		}
	}
	return nil
}
