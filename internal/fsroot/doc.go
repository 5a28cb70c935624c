// Package fsroot opens, reads and changes files without following links: belay's files below the git
// folder, and the working tree in which agents work. It replaces belay's own files atomically, checks
// types, owners and sizes, and takes locks. It knows nothing of git.
package fsroot
