package install

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
)

// wanted are the elements that belong into the array of each event.
func (in integration) wanted(program string) map[string]any {
	out := map[string]any{}
	for _, e := range in.events {
		text, err := json.Marshal(in.element(program, e.seconds))
		if err != nil {
			panic(err) // only values made here
		}
		out[e.name] = decoded(text)
	}
	return out
}

// current reports whether a document has exactly the wanted hooks of belay's.
func (in integration) current(text []byte, program string) (bool, error) {
	d := document{text: text}
	found, err := d.hooks(in.name)
	if err != nil {
		return false, err
	}
	want := in.wanted(program)
	for _, h := range found {
		if !reflect.DeepEqual(want[h.event], h.element) {
			return false, nil
		}
		delete(want, h.event)
	}
	return len(want) == 0 && len(found) == len(in.events), nil
}

// strip takes belay's hooks out of a document. With the record of what was inserted, and nothing changed since, it is
// what it was before, byte for byte. Otherwise the hooks are found by what they are, and of what would be empty without
// them only that stays which was there before.
func (in integration) strip(text []byte, rec *record) ([]byte, error) {
	if before, ok := rec.before(text); ok {
		return before, nil
	}
	kept := func(path string) bool { return rec != nil && slices.Contains(rec.Kept, path) }
	for {
		d := document{text: text}
		found, err := d.hooks(in.name)
		if err != nil || len(found) == 0 {
			return text, err
		}
		text = cut(text, found[0].spans(kept))
	}
}

// insert puts belay's hooks into a document without any.
func (in integration) insert(text []byte, program string) (*document, error) {
	d := &document{text: slices.Clone(text)}
	if in.version {
		c, err := d.descend(false)
		if err != nil {
			return nil, err
		}
		if _, ok := c.member("version"); !ok {
			d.add(c, d.render("version", 1))
		}
	}
	for _, e := range in.events {
		if err := d.appendTo(in.element(program, e.seconds), "hooks", e.name); err != nil {
			return nil, err
		}
	}
	if ok, err := in.current(d.text, program); err != nil || !ok {
		return nil, fmt.Errorf("the hooks would not be read back: %v", err)
	}
	return d, nil
}

// containers are the paths of the containers for hooks that a document has.
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

// bare reports whether nothing is left in a document that belay made.
func bare(text []byte) bool {
	all, ok := decoded(text).(map[string]any)
	if !ok {
		d := document{text: text}
		root, _, err := d.parse()
		return err == nil && root == nil
	}
	delete(all, "version")
	return len(all) == 0
}
