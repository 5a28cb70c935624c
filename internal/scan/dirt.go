package scan

import "strings"

// Dirt says which paths may have changed since a tree was looked at. The zero value
// is none. A mark may name a path that is not there.
type Dirt struct {
	marks map[string]dirtMark
}

type dirtMark uint8

const (
	dirtRead  dirtMark = 1 << iota // the file has to be looked at
	dirtForce                      // and read, whatever its stat says
	dirtList                       // names may have come to the folder or left it, or its mode changed
	dirtAll                        // nothing is known of the path and of what is below it
	dirtBelow                      // something below it is marked
)

// Read marks a file or link whose bytes or mode may have changed.
func (d *Dirt) Read(path string) { d.mark(path, dirtRead) }

// Force marks a file that is to be read although it looks as before.
func (d *Dirt) Force(path string) { d.mark(path, dirtRead|dirtForce) }

// List marks a folder that has to be listed again; "" is the top.
func (d *Dirt) List(path string) { d.mark(path, dirtList) }

// All marks a path below which anything may be different.
func (d *Dirt) All(path string) { d.mark(path, dirtAll) }

// Len gives how many paths are marked, and folders above them.
func (d *Dirt) Len() int { return len(d.marks) }

// Add takes over the marks of another.
func (d *Dirt) Add(more *Dirt) {
	for path, m := range more.marks {
		d.mark(path, m)
	}
}

// mark also turns a change of a file that decides about its folder into one of the
// folder: what is ignored, and whether it is a repository of its own.
func (d *Dirt) mark(path string, m dirtMark) {
	if d.marks == nil {
		d.marks = map[string]dirtMark{}
	}
	above := strings.LastIndexByte(path, '/')
	if name := path[above+1:]; name == ".gitignore" || name == ".git" {
		d.mark(path[:max(above, 0)], dirtList)
	}
	d.marks[path] |= m
	for path != "" {
		path = path[:max(0, strings.LastIndexByte(path, '/'))]
		if d.marks[path]&dirtBelow != 0 {
			return
		}
		d.marks[path] |= dirtBelow
	}
}

func (d *Dirt) of(path string) dirtMark {
	if d == nil {
		return 0
	}
	return d.marks[path]
}

func (d *Dirt) mustRead(path string) bool { return d.of(path)&dirtForce != 0 }

func (d *Dirt) unknown(path string) bool { return d.of(path)&dirtAll != 0 }

// keepsNames reports whether the names in a folder are those of the earlier result,
// and are judged by the same rules.
func (d *Dirt) keepsNames(n *node) bool {
	p := n.prev
	same := p.state == nodeListed && p.ignored == n.ignored && p.covered == n.covered && p.below == n.below && p.gitlink == n.gitlink
	return same && !p.nested && d.of(n.path)&(dirtList|dirtAll) == 0 && (n.parent == nil || n.parent.sameRules())
}
