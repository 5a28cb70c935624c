package scan

import "strings"

// DirtyPaths says which paths may have changed since a tree was looked at. The zero value
// is none. A mark may name a path that is not there.
type DirtyPaths struct {
	marks map[string]mark
}

type mark uint8

const (
	markRead  mark = 1 << iota // the file has to be looked at
	markForce                  // and read, whatever its stat says
	markList                   // names may have come to the folder or left it, or its mode changed
	markAll                    // nothing is known of the path and of what is below it
	markBelow                  // something below it is marked
)

// MarkRead marks a file or link whose bytes or mode may have changed.
func (d *DirtyPaths) MarkRead(path string) { d.mark(path, markRead) }

// MarkForce marks a file that is to be read although it looks as before.
func (d *DirtyPaths) MarkForce(path string) { d.mark(path, markRead|markForce) }

// MarkList marks a folder that has to be listed again; "" is the top.
func (d *DirtyPaths) MarkList(path string) { d.mark(path, markList) }

// MarkAll marks a path below which anything may be different.
func (d *DirtyPaths) MarkAll(path string) { d.mark(path, markAll) }

// Len returns how many paths are marked, and folders above them.
func (d *DirtyPaths) Len() int { return len(d.marks) }

// Add takes over the marks of another.
func (d *DirtyPaths) Add(more *DirtyPaths) {
	for path, m := range more.marks {
		d.mark(path, m)
	}
}

// mark also turns a change of a file that decides about its folder into one of the
// folder: what is ignored, and whether it is a repository of its own.
func (d *DirtyPaths) mark(path string, m mark) {
	if d.marks == nil {
		d.marks = map[string]mark{}
	}
	above := strings.LastIndexByte(path, '/')
	if name := path[above+1:]; name == ".gitignore" || name == ".git" {
		d.mark(path[:max(above, 0)], markList)
	}
	d.marks[path] |= m
	for path != "" {
		path = path[:max(0, strings.LastIndexByte(path, '/'))]
		if d.marks[path]&markBelow != 0 {
			return
		}
		d.marks[path] |= markBelow
	}
}

func (d *DirtyPaths) marksOf(path string) mark {
	if d == nil {
		return 0
	}
	return d.marks[path]
}

// Touches reports whether the path or anything below it is marked; nil marks nothing.
func (d *DirtyPaths) Touches(path string) bool { return d.marksOf(path) != 0 }

// MustRead reports whether a file is to be read although it looks as before.
func (d *DirtyPaths) MustRead(path string) bool { return d.marksOf(path)&markForce != 0 }

// IsUnknown reports whether nothing is known below the path.
func (d *DirtyPaths) IsUnknown(path string) bool { return d.marksOf(path)&markAll != 0 }

// MustList reports whether the names in a folder may be others.
func (d *DirtyPaths) MustList(path string) bool { return d.marksOf(path)&(markList|markAll) != 0 }
