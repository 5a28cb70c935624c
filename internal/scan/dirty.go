package scan

import "strings"

// DirtyPaths contains the paths that may have changed since a tree was scanned. The zero value is
// empty. A path need not exist.
type DirtyPaths struct {
	marks map[string]mark
}

type mark uint8

const (
	markRead  mark = 1 << iota // the file has to be checked
	markForce                  // and read, whatever its stat data
	markList                   // names may have been added or removed, or the folder's mode changed
	markAll                    // nothing is known about the path and everything below it
	markBelow                  // something below it is marked
)

// MarkRead marks a file or link whose bytes or mode may have changed.
func (d *DirtyPaths) MarkRead(path string) { d.mark(path, markRead) }

// MarkForce marks a file that is to be read although it looks unchanged.
func (d *DirtyPaths) MarkForce(path string) { d.mark(path, markRead|markForce) }

// MarkList marks a folder that has to be listed again; "" is the top.
func (d *DirtyPaths) MarkList(path string) { d.mark(path, markList) }

// MarkAll marks a path below which anything may have changed.
func (d *DirtyPaths) MarkAll(path string) { d.mark(path, markAll) }

// Len returns the number of marked paths and their parent folders.
func (d *DirtyPaths) Len() int { return len(d.marks) }

// Add adds the marks of another set.
func (d *DirtyPaths) Add(more *DirtyPaths) {
	for path, m := range more.marks {
		d.mark(path, m)
	}
}

// mark also marks the folder if the file is a .gitignore, which affects what is ignored, or .git,
// which makes it a nested repository.
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

// Touches reports whether the path or anything below it is marked; a nil set marks nothing.
func (d *DirtyPaths) Touches(path string) bool { return d.marksOf(path) != 0 }

// MustRead reports whether a file is to be read although it looks unchanged.
func (d *DirtyPaths) MustRead(path string) bool { return d.marksOf(path)&markForce != 0 }

// IsUnknown reports whether nothing is known below the path.
func (d *DirtyPaths) IsUnknown(path string) bool { return d.marksOf(path)&markAll != 0 }

// MustList reports whether the names in a folder may have changed.
func (d *DirtyPaths) MustList(path string) bool { return d.marksOf(path)&(markList|markAll) != 0 }
