package install

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
)

// elementsFor returns the elements for the arrays of the events.
func (in integration) elementsFor(program string) map[string]any {
	out := map[string]any{}
	for _, e := range in.events {
		text, err := json.Marshal(in.newElement(program, e.seconds))
		if err != nil {
			panic(err) // only values from this package
		}
		out[e.name] = decodeJSON(text)
	}
	return out
}

// isCurrent reports whether a document contains exactly the wanted hooks.
func (in integration) isCurrent(text []byte, program string) (bool, error) {
	d := document{text: text}
	found, err := d.hooks(in.name)
	if err != nil {
		return false, err
	}
	want := in.elementsFor(program)
	for _, h := range found {
		if !reflect.DeepEqual(want[h.event], h.element) {
			return false, nil
		}
		delete(want, h.event)
	}
	return len(want) == 0 && len(found) == len(in.events), nil
}

// strip removes belay's hooks from a document. If there is a record and the file has not changed
// since, it restores the original bytes. Otherwise it recognises the hooks by their commands, and
// keeps an empty container only if it existed before.
func (in integration) strip(text []byte, rec *installRecord) ([]byte, error) {
	if before, ok := rec.originalText(text); ok {
		return before, nil
	}
	kept := func(path string) bool { return rec != nil && slices.Contains(rec.KeptContainers, path) }
	for {
		d := document{text: text}
		found, err := d.hooks(in.name)
		if err != nil || len(found) == 0 {
			return text, err
		}
		text = cutSpans(text, found[0].spans(kept))
	}
}

// insert adds belay's hooks to a document that has none.
func (in integration) insert(text []byte, program string) (*document, error) {
	d := &document{text: slices.Clone(text)}
	if in.hasVersion {
		c, err := d.descend(false)
		if err != nil {
			return nil, err
		}
		if _, ok := c.member("version"); !ok {
			d.add(c, d.render("version", 1))
		}
	}
	for _, e := range in.events {
		if err := d.appendTo(in.newElement(program, e.seconds), "hooks", e.name); err != nil {
			return nil, err
		}
	}
	if ok, err := in.isCurrent(d.text, program); err != nil || !ok {
		return nil, fmt.Errorf("the hooks would not be read back: %v", err)
	}
	return d, nil
}

// containers returns the paths of the document's containers for hooks.
func (in integration) containers(text []byte) (paths []string) {
	d := document{text: text}
	root, skip, err := d.parse()
	if err != nil || root == nil {
		return nil
	}
	top, _ := containerOf(*root, skip)
	m, ok := top.member("hooks")
	if !ok {
		return nil
	}
	events, _ := containerOf(m.value, skip)
	paths = append(paths, "hooks")
	for _, e := range events.items {
		paths = append(paths, "hooks."+e.name)
	}
	return paths
}

// isBare reports whether a document that belay created has no other content.
func isBare(text []byte) bool {
	all, ok := decodeJSON(text).(map[string]any)
	if !ok {
		d := document{text: text}
		root, _, err := d.parse()
		return err == nil && root == nil
	}
	delete(all, "version")
	return len(all) == 0
}
