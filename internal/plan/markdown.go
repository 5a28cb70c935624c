package plan

func (p *Plan) readMarkdown() error {
	doc, err := ReadOutline(p.text, p.x)
	if err != nil {
		return err
	}
	for _, h := range doc.Headings {
		s := Section{Kind: Heading, Tag: "heading", Start: h.Start, End: h.End, Name: h.Title, ID: h.ID, after: h.After, Given: h.ID != ""}
		for _, n := range []string{h.Title, h.ID} {
			if n != "" {
				s.Names = append(s.Names, n)
			}
		}
		p.add(s)
	}
	for _, c := range doc.Comments {
		p.mark(c.Text, c.Start, c.End, p.within(c.Start))
	}
	return nil
}
