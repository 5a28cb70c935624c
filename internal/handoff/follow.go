package handoff

import "slices"

// CitationChange is how a cited section changed.
type CitationChange string

// The changes. Same and Moved still apply; with the others the cited text is no longer there.
const (
	Same    CitationChange = "same"
	Moved   CitationChange = "moved"   // same text, but other lines, another heading or another file
	Changed CitationChange = "changed" // same heading, different text
	Missing CitationChange = "gone"    // neither the text nor the heading exists
)

// StillApplies reports whether the cited text still exists.
func (f CitationChange) StillApplies() bool { return f == Same || f == Moved }

// FollowedCitation is a citation compared with the current files. Now is where the text is, or the
// changed section; zero if it is missing.
type FollowedCitation struct {
	Was    Citation       `json:"was"`
	Change CitationChange `json:"fate"`
	Now    Citation       `json:"now,omitzero"`
}

// FollowCitation searches the current files for a cited section by its text, first in its own file,
// then in the others, and then for its heading.
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

// findSameText finds a section with the same hash, preferably with the same slug.
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
