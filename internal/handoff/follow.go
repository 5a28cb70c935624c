package handoff

import "slices"

// Fate is what became of a cited section.
type Fate string

// Fates. Same and Moved hold; of the others the words are no longer those that were cited.
const (
	Same    Fate = "same"
	Moved   Fate = "moved"   // its words stand elsewhere: other lines, another heading of the same words, another file
	Changed Fate = "changed" // its words are others now
	Gone    Fate = "gone"    // neither the words nor the heading are there
)

// StillApplies reports whether what was cited still stands somewhere.
func (f Fate) StillApplies() bool { return f == Same || f == Moved }

// Followed is a citation as it stands now. Now is the place where the words are, or, when
// they changed, what the section says now; it is zero when it is gone.
type Followed struct {
	Was  Citation `json:"was"`
	Fate Fate     `json:"fate"`
	Now  Citation `json:"now,omitzero"`
}

// Follow looks for a cited section in the files as they are now: first in its own file,
// then by its words in the others. Words decide, not places.
func Follow(c Citation, docs []Document) Followed {
	f := Followed{Was: c, Fate: Gone}
	for _, own := range []bool{true, false} {
		for _, d := range docs {
			if (d.Path == c.File) != own {
				continue
			}
			if now, found := sameWords(c, d); found {
				f.Now, f.Fate = now, Moved
				if now == c {
					f.Fate = Same
				}
				return f
			}
		}
	}
	for _, d := range docs {
		i := slices.IndexFunc(d.Sections, func(s Section) bool { return s.Slug == c.Section })
		if d.Path == c.File && i >= 0 {
			f.Now, f.Fate = again(c, d.Path, d.Sections[i]), Changed
		}
	}
	return f
}

// sameWords finds the section of the same hash, best the one of the same name.
func sameWords(c Citation, d Document) (now Citation, found bool) {
	for _, s := range d.Sections {
		one := again(c, d.Path, s)
		if one.SHA != c.SHA {
			continue
		}
		if !found || s.Slug == c.Section {
			now, found = one, true
		}
		if s.Slug == c.Section {
			break
		}
	}
	return now, found
}

func again(c Citation, file string, s Section) Citation {
	now := Cite(file, s, c.Whole)
	now.Rule = c.Rule
	return now
}
