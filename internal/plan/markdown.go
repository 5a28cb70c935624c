package plan

func (p *Plan) readMarkdown() error {
	doc, err := ReadOutline(p.text, p.index)
	if err != nil {
		return err
	}
	for _, h := range doc.Headings {
		s := Section{Kind: Heading, Tag: "heading", Start: h.Start, End: h.End, Name: h.Title, ID: h.ID, after: h.After, HasID: h.ID != ""}
		for _, n := range []string{h.Title, h.ID} {
			if n != "" {
				s.Names = append(s.Names, n)
			}
		}
		p.addSection(s)
	}
	for _, c := range doc.Comments {
		p.addMarker(c.Text, c.Start, c.End, p.sectionContaining(c.Start))
	}
	return nil
}
