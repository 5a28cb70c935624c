package scan

import "strings"

// Dirt says which paths may have changed since a tree was looked at. The zero value
// is none. A mark may name a path that is not there.
type Dirt struct {
	marks map[string]mark
}

type mark uint8

const (
	read  mark = 1 << iota // the file has to be looked at
	force                  // and read, whatever its stat says
	list                   // names may have come to the folder or left it, or its mode changed
	all                    // nothing is known of the path and of what is below it
	below                  // something below it is marked
)

// Read marks a file or link whose bytes or mode may have changed.
func (d *Dirt) Read(path string) { d.put(path, read) }

// Force marks a file that is to be read although it looks as before.
func (d *Dirt) Force(path string) { d.put(path, read|force) }

// List marks a folder that has to be listed again; "" is the top.
func (d *Dirt) List(path string) { d.put(path, list) }

// All marks a path below which anything may be different.
func (d *Dirt) All(path string) { d.put(path, all) }

// Len returns how many paths are marked, and folders above them.
func (d *Dirt) Len() int { return len(d.marks) }

// Add takes over the marks of another.
func (d *Dirt) Add(more *Dirt) {
	for path, m := range more.marks {
		d.put(path, m)
	}
}

// put also turns a change of a file that decides about its folder into one of the
// folder: what is ignored, and whether it is a repository of its own.
func (d *Dirt) put(path string, m mark) {
	if d.marks == nil {
		d.marks = map[string]mark{}
	}
	above := strings.LastIndexByte(path, '/')
	if name := path[above+1:]; name == ".gitignore" || name == ".git" {
		d.put(path[:max(above, 0)], list)
	}
	d.marks[path] |= m
	for path != "" {
		path = path[:max(0, strings.LastIndexByte(path, '/'))]
		if d.marks[path]&below != 0 {
			return
		}
		d.marks[path] |= below
	}
}

func (d *Dirt) of(path string) mark {
	if d == nil {
		return 0
	}
	return d.marks[path]
}

// Touches reports whether the path or anything below it is marked; nil marks nothing.
func (d *Dirt) Touches(path string) bool { return d.of(path) != 0 }

// MustRead reports whether a file is to be read although it looks as before.
func (d *Dirt) MustRead(path string) bool { return d.of(path)&force != 0 }

// Unknown reports whether nothing is known below the path.
func (d *Dirt) Unknown(path string) bool { return d.of(path)&all != 0 }

// Listed reports whether the names in a folder may be others.
func (d *Dirt) Listed(path string) bool { return d.of(path)&(list|all) != 0 }
