package plan

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/belay-dev/belay/internal/belay"
)

// assignNames gives every section a name, an ID and a unique path.
func (p *Plan) assignNames() {
	nth := map[string]int{}
	taken, again := map[string]bool{}, map[string]int{}
	for i := range p.Sections {
		s := &p.Sections[i]
		if s.Name == "" {
			key := fmt.Sprint(s.Parent, s.Tag)
			nth[key]++
			s.Name = fmt.Sprintf("%s %d", s.Tag, nth[key])
			if s.Kind == Block {
				s.Names = append(s.Names, s.Tag)
				if nth[key] == 1 {
					s.Name = s.Tag
				}
			}
		}
		if s.ID == "" {
			s.ID = s.Name
		}
		base := Slug(s.ID)
		if s.Parent >= 0 {
			base = p.Sections[s.Parent].Path + "/" + base
		}
		s.Path = base
		for taken[s.Path] {
			again[base]++
			s.Path = fmt.Sprintf("%s-%d", base, again[base]+1)
		}
		taken[s.Path] = true
	}
}

// Slug returns a name as a path element.
func Slug(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '.':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	if s := strings.Trim(b.String(), "-."); s != "" {
		return s
	}
	return "section"
}

// Find returns the section with this path, or the only one with this name or ID. Errors:
// CodeNotFound for none, CodeUsage for several.
func (p *Plan) Find(name string) (int, error) {
	var found []int
	low := strings.ToLower(strings.TrimSpace(name))
	for i := range p.Sections {
		s := &p.Sections[i]
		if s.Path == low {
			return i, nil
		}
		for _, n := range append([]string{s.Name, s.ID, s.Path[strings.LastIndexByte(s.Path, '/')+1:]}, s.Names...) {
			if strings.ToLower(n) == low {
				found = append(found, i)
				break
			}
		}
	}
	shown := belay.VisibleLine(name)
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return 0, belay.Refuse(belay.CodeNotFound, "belay plan sections "+belay.VisibleLine(p.Name),
			"%s has no section %q", belay.VisibleLine(p.Name), shown)
	}
	var paths []string
	for _, i := range found {
		paths = append(paths, p.Sections[i].Path)
	}
	return 0, belay.Refuse(belay.CodeUsage, "say which: "+strings.Join(paths, ", "), "%d sections have the name %q", len(found), shown)
}
