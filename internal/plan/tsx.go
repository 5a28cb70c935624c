package plan

import (
	"sort"
	"strings"
)

// nameAttributes are the attributes that name an element, by preference.
var nameAttributes = []string{"name", "id", "title", "gumdrop", "label", "heading", "key"}

func (p *Plan) readTSX() error {
	doc, err := ReadJSX(p.text, p.index)
	if err != nil {
		return err
	}
	p.doc = doc
	holds := make([]bool, len(doc.Elements)) // contains a section at any depth
	for i := range doc.Elements {
		if kindOf(doc.Elements[i].Name) == "" {
			continue
		}
		for up := doc.Elements[i].Parent; up >= 0 && !holds[up]; up = doc.Elements[up].Parent {
			holds[up] = true
		}
	}
	for i := range doc.Elements {
		e := &doc.Elements[i]
		kind := kindOf(e.Name)
		if kind == "" {
			if holds[i] || !p.isBlock(i) {
				continue
			}
			kind = Block
		}
		p.addSection(setName(Section{Kind: kind, Tag: e.Name, Start: e.Start, End: e.End, element: i}, e))
	}
	p.findMarkers()
	for _, c := range doc.Comments {
		p.addMarker(c.Text, c.Start, c.End, p.sectionOfComment(c))
	}
	return nil
}

// kindOf returns the kind of section for a tag, without a namespace before a dot; "" for other
// tags.
func kindOf(tag string) Kind {
	switch tag[strings.LastIndexByte(tag, '.')+1:] {
	case "Screen":
		return Screen
	case "Section":
		return Part
	}
	return ""
}

// isBlock reports whether an element that contains no section is a block: it has a capitalised name
// and is in no section and no other block.
func (p *Plan) isBlock(i int) bool {
	e := &p.doc.Elements[i]
	if e.Name == "" || e.Name[0] < 'A' || e.Name[0] > 'Z' {
		return false
	}
	at := p.sectionContaining(e.Start)
	return at < 0 || p.Sections[at].Kind != Block && kindOf(p.Sections[at].Tag) == ""
}

func setName(s Section, e *Element) Section {
	for _, key := range nameAttributes {
		for _, a := range e.Attrs {
			if a.Name != key || strings.TrimSpace(a.Value) == "" {
				continue
			}
			value := strings.Join(strings.Fields(a.Value), " ")
			if s.Name == "" {
				s.Name, s.NameAttribute = value, key
			}
			if key == "id" && a.IsConstant {
				s.ID, s.HasID = value, true
			}
			if a.IsConstant {
				s.Names = append(s.Names, value)
			}
		}
	}
	return s
}

// sectionOfComment returns the section that a comment is about. A comment on its own line directly
// before a section belongs to that section if the section is narrow or the comment is in code.
// Others belong to the section that contains them.
func (p *Plan) sectionOfComment(c Comment) int {
	if c.Place != InTag && p.index.IsFirstOnLine(c.Start) && p.index.IsLastOnLine(c.End) {
		at := p.skipMarkers(c.End)
		if i := p.sectionStartingAt(at); i >= 0 && p.index.IsFirstOnLine(at) && (c.Place == Code || p.isNarrow(i)) {
			return i
		}
	}
	return p.sectionContaining(c.Start)
}

// skipMarkers skips white space and markers.
func (p *Plan) skipMarkers(at int) int {
	at = p.skipSpace(at)
	if i := p.commentAt(at); i >= 0 && p.isMarker[i] {
		return p.afterMarkers[i]
	}
	return at
}

func (p *Plan) skipSpace(at int) int {
	for at < len(p.text) && strings.IndexByte(" \t\r\n\f\v", p.text[at]) >= 0 {
		at++
	}
	return at
}

// findMarkers sets isMarker and afterMarkers for all comments.
func (p *Plan) findMarkers() {
	p.isMarker, p.afterMarkers = make([]bool, len(p.doc.Comments)), make([]int, len(p.doc.Comments))
	for i := len(p.doc.Comments) - 1; i >= 0; i-- {
		_, p.isMarker[i] = ParseMarker(p.doc.Comments[i].Text)
		at := p.skipSpace(p.doc.Comments[i].End)
		if next := p.commentAt(at); next >= 0 && p.isMarker[next] {
			at = p.afterMarkers[next]
		}
		p.afterMarkers[i] = at
	}
}

// commentAt returns the comment that starts at an offset, or -1.
func (p *Plan) commentAt(at int) int {
	list := p.doc.Comments
	i := sort.Search(len(list), func(i int) bool { return list[i].Start >= at })
	if i < len(list) && list[i].Start == at {
		return i
	}
	return -1
}

// sectionStartingAt returns the section that starts at an offset, or -1.
func (p *Plan) sectionStartingAt(at int) int {
	lo := sort.Search(len(p.Sections), func(i int) bool { return p.Sections[i].Start >= at })
	if lo < len(p.Sections) && p.Sections[lo].Start == at {
		return lo
	}
	return -1
}

// isNarrow reports whether a section has no separate line for markers after its opening tag: it
// closes itself, or its content starts on the tag's line.
func (p *Plan) isNarrow(i int) bool {
	e := &p.doc.Elements[p.Sections[i].element]
	return e.SelfClosing || !p.index.IsLastOnLine(e.Open) || p.index.EOL(e.Open) == ""
}
