package handoff

import "slices"

// CitationChange is what became of a cited section.
type CitationChange string

// Fates. Same and Moved hold; of the others the words are no longer those that were cited.
const (
	Same    CitationChange = "same"
	Moved   CitationChange = "moved"   // its words stand elsewhere: other lines, another heading of the same words, another file
	Changed CitationChange = "changed" // its words are others now
	Missing CitationChange = "gone"    // neither the words nor the heading are there
)

// StillApplies reports whether what was cited still stands somewhere.
func (f CitationChange) StillApplies() bool { return f == Same || f == Moved }

// FollowedCitation is a citation as it stands now. Now is the place where the words are, or, when
// they changed, what the section says now; it is zero when it is gone.
type FollowedCitation struct {
	Was    Citation       `json:"was"`
	Change CitationChange `json:"fate"`
	Now    Citation       `json:"now,omitzero"`
}

// FollowCitation looks for a cited section in the files as they are now: first in its own file,
// then by its words in the others. Words decide, not places.
func FollowCitation(c Citation, docs []Document) FollowedCitation {
	f := FollowedCitation{Was: c, Change: Missing}
	for _, own := range []bool{true, false} {
		for _, d := range docs {
			if (d.Path == c.File) != own {
				continue
			}
			if now, found := findSameText(c, d); found {
				f.Now, f.Change = now, Moved
				if now == c {
					f.Change = Same
				}
				return f
			}
		}
	}
	for _, d := range docs {
		i := slices.IndexFunc(d.Sections, func(s Section) bool { return s.Slug == c.Section })
		if d.Path == c.File && i >= 0 {
			f.Now, f.Change = citeAgain(c, d.Path, d.Sections[i]), Changed
		}
	}
	return f
}

// findSameText finds the section of the same hash, best the one of the same name.
func findSameText(c Citation, d Document) (now Citation, found bool) {
	for _, s := range d.Sections {
		one := citeAgain(c, d.Path, s)
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

func citeAgain(c Citation, file string, s Section) Citation {
	now := Cite(file, s, c.WithSubsections)
	now.Rule = c.Rule
	return now
}
