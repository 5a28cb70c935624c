// Package fsroot opens, reads and changes files without following a link: below a git folder, where belay
// keeps its own, and below a working tree, where agents have been at work. It checks types, owners and sizes,
// and holds locks. It knows nothing of git.
package fsroot
